/* Which shapes of ranks the benchmarks of group 2 measure, and whether their loads go together:
 * pure functions of the options and the number of ranks. */
#ifndef BENCH_PLAN_SHAPES_H
#define BENCH_PLAN_SHAPES_H

#include "engine/options.h"
#include "engine/shape.h"

enum { BENCH_SHAPES = 256 };

/* The farms or topologies to measure in a job of `ranks`, one after the other. CB_ERROR_USAGE,
 * logged, when there are too few ranks for one that was asked for, or for any. */
cb_status bench_choose_shapes(const bench_definition *definition, const bench_options *options,
                              size_t ranks, bench_shape shapes[BENCH_SHAPES], size_t *count);

/* CB_ERROR_USAGE, logged, for options of load that do not go together. */
cb_status bench_check_load(const bench_options *options);

/* The same for a timeline, of which rank 0 must hold all notes; and how many events it shall have.
 */
cb_status bench_check_timeline(const bench_options *options, const bench_shape *farm);
uint64_t timeline_events(const bench_options *options);

#endif
