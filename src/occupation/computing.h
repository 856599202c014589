/* The computing task of a run (--compute): made once in each rank, asleep until a measurement wants
 * it. Nothing happens without the option. */
#ifndef BENCH_COMPUTING_H
#define BENCH_COMPUTING_H

#include "engine/session.h"

/* Bind each rank to one core (ranks that may use the same cores are spread over them), calibrate
 * the work there, make the task on that core, and put all of it into the document. Collective,
 * after bench_describe, whose bindings it renews; the status is the same in all ranks. */
cb_status bench_computing_open(bench_session *session);
void bench_computing_close(bench_session *session);

#endif
