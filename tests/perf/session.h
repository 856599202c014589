/* Set-up shared by the programs that compare the project with bare MPI: options, control plane
 * and the technology mpi, as the engine has them. */
#ifndef TESTS_PERF_SESSION_H
#define TESTS_PERF_SESSION_H

#include "engine/session.h"

/* Start MPI with `ranks` ranks, open the technology mpi, run `compare` and end. Ranks wait by
 * spinning where each has a core, else by yielding. The exit status. */
int perf_main(const benchmark *definition, const char *program, int ranks,
              cb_status (*compare)(engine_session *session), int argc, char **argv);

#endif
