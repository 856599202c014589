/* One block: begin, steps, finish, between two readings of the clock. */
#ifndef ENGINE_BLOCK_H
#define ENGINE_BLOCK_H

#include "engine/benchmark.h"
#include "stats/stats.h"

/* Hot. *elapsed_ns is by this rank's clock. */
cb_status block_run(bench_rank *me, const bench_actions *actions, uint64_t steps,
                    double *elapsed_ns);

/* Hot. As block_run, with one more reading of the clock after each step, whose time is recorded in
 * `histogram`. */
cb_status block_run_stepwise(bench_rank *me, const bench_actions *actions, uint64_t steps,
                             stats_histogram *histogram);

#endif
