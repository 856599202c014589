/* The definitions of the fourteen programs as they are, so that tests hold the formulas and
 * patterns that users get. The programs' files have a few static names in common, and a main each:
 * both are renamed after the program. */
#ifndef TESTS_DEFINITIONS_H
#define TESTS_DEFINITIONS_H

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "farm/farm.h"

#define JOINED(program, name) program##_##name
#define OF(program, name) JOINED(program, name)

int oneway_main(int argc, char **argv);
int twoway_main(int argc, char **argv);
int alltoall_main(int argc, char **argv);
int pairs_main(int argc, char **argv);
int outfarm_main(int argc, char **argv);
int multicast_main(int argc, char **argv);
int funnel_main(int argc, char **argv);
int pushfarm_main(int argc, char **argv);
int pullfarm_main(int argc, char **argv);
int pipeline_main(int argc, char **argv);
int calibrate_main(int argc, char **argv);
int comms1_main(int argc, char **argv);
int comms2_main(int argc, char **argv);
int comms3_main(int argc, char **argv);

#define main OF(PROGRAM, main)
#define stream OF(PROGRAM, stream)
#define take OF(PROGRAM, take)
#define take_and_answer OF(PROGRAM, take_and_answer)
#define assign OF(PROGRAM, assign)
#define feed OF(PROGRAM, feed)

#define PROGRAM oneway
#include "benchmarks/cb_oneway.c"
#undef PROGRAM
#define PROGRAM twoway
#include "benchmarks/cb_twoway.c"
#undef PROGRAM
#define PROGRAM alltoall
#include "benchmarks/cb_alltoall.c"
#undef PROGRAM
#define PROGRAM pairs
#include "benchmarks/cb_pairs.c"
#undef PROGRAM
#define PROGRAM outfarm
#include "benchmarks/cb_outfarm.c"
#undef PROGRAM
#define PROGRAM multicast
#include "benchmarks/cb_multicast.c"
#undef PROGRAM
#define PROGRAM funnel
#include "benchmarks/cb_funnel.c"
#undef PROGRAM
#define PROGRAM pushfarm
#include "benchmarks/cb_pushfarm.c"
#undef PROGRAM
#define PROGRAM pullfarm
#include "benchmarks/cb_pullfarm.c"
#undef PROGRAM
#define PROGRAM pipeline
#include "benchmarks/cb_pipeline.c"
#undef PROGRAM
#define PROGRAM calibrate
#include "benchmarks/cb_calibrate.c"
#undef PROGRAM
#define PROGRAM comms1
#include "benchmarks/cb_comms1.c"
#undef PROGRAM
#define PROGRAM comms2
#include "benchmarks/cb_comms2.c"
#undef PROGRAM
#define PROGRAM comms3
#include "benchmarks/cb_comms3.c"
#undef PROGRAM

#undef main
#undef stream
#undef take
#undef take_and_answer
#undef assign
#undef feed

#endif
