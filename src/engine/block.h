/* One block: begin, steps, finish, between two readings of the clock. */
#ifndef BENCH_BLOCK_H
#define BENCH_BLOCK_H

#include "engine/benchmark.h"
#include "engine/options.h"
#include "stats/histogram.h"

/* Hot. *elapsed_ns is by this rank's clock. */
cb_status bench_run_block(bench_rank *me, const bench_actions *actions, uint64_t steps,
                          double *elapsed_ns);

/* Hot. As a block, with one more reading of the clock after each step, recorded in `histogram`. */
cb_status bench_record_steps(bench_rank *me, const bench_actions *actions, uint64_t steps,
                             stats_histogram *histogram);

/* The traffic of timed passes, by --touch. */
const bench_traffic *bench_plain_traffic(const bench_options *options);

#endif
