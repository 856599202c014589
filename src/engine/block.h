/* One timed block: begin, steps, finish. */
#ifndef ENGINE_BLOCK_H
#define ENGINE_BLOCK_H

#include <signal.h>

#include "engine/benchmark.h"
#include "stats/stats.h"

/* Hot. *elapsed_ns is the time of the block by this rank's clock. Returns the status of the
 * benchmark's actions. */
cb_status block_run(bench_rank *me, const bench_actions *actions, uint64_t steps,
                    double *elapsed_ns);

/* What a signal does: `leave` is called while *seen is not 0. */
typedef struct {
    const volatile sig_atomic_t *seen;
    void (*leave)(void *context);
    void *context;
} block_watch;

/* Hot. As block_run, but reads the clock after each step and records the time of each step in ns.
 * Such a block can be longer than a launcher waits between SIGTERM and SIGKILL, so it looks for a
 * signal after each step. */
cb_status block_run_stepwise(bench_rank *me, const bench_actions *actions, uint64_t steps,
                             stats_histogram *histogram, const block_watch *watch);

#endif
