/* One timed block: begin, steps, finish. */
#ifndef ENGINE_BLOCK_H
#define ENGINE_BLOCK_H

#include "engine/benchmark.h"
#include "engine/wait.h"
#include "stats/stats.h"

/* Hot. *elapsed_ns is the time of the block by this rank's clock. Returns the status of the
 * benchmark's actions. */
cb_status block_run(bench_rank *me, const bench_actions *actions, uint64_t steps,
                    double *elapsed_ns);

/* Hot. As block_run, but reads the clock after each step and records the time of each step in ns.
 * Such a block can be longer than a launcher waits between SIGTERM and SIGKILL, so it looks for a
 * signal after each step. */
cb_status block_run_stepwise(bench_rank *me, const bench_actions *actions, uint64_t steps,
                             stats_histogram *histogram, const wait_watch *watch);

#endif
