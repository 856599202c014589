/* What the programs of Parkbench have beside the others: their clock is tried first, and a curve is
 * described by Parkbench's parameters. */
#ifndef BENCH_PARKBENCH_H
#define BENCH_PARKBENCH_H

#include "engine/session.h"

/* TICK1 and TICK2 on every rank, each for itself and at the same time; collective over all. A clock
 * with which a block cannot be timed, or that does not tell true time, is CB_ERROR_USAGE
 * everywhere, and logged by rank 0. Takes 0.1 s, three times that with a bad clock. */
cb_status bench_check_clock(bench_session *session);

/* Write what was found into the document: the coarsest clock, and the one that was furthest off. */
void bench_put_ticks(const bench_session *session);

/* Fit a curve of `count` sizes in ascending order and their figures (latency_us or round_us) and
 * add what came out to the document. Rank 0 alone. */
cb_status bench_fit_parkbench(const bench_session *session, const bench_measurement *measurement,
                              size_t participants, const double *bytes, const double *figures_us,
                              size_t count);

#endif
