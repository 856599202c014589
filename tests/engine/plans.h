/* What the parts of test_plan share: the definitions of the programs as they are, and plans that
 * are made of them. One file for each theme:
 *
 *   plan_sizes.c         sizes
 *   plan_counts.c        numbers of processors, sources and destinations
 *   plan_variants.c      modes, lists and multicast
 *   plan_participants.c  who takes part
 *   plan_farms.c         group 2
 *   plan_options.c       who takes an option
 */
#ifndef TESTS_ENGINE_PLANS_H
#define TESTS_ENGINE_PLANS_H

#include "benchmarks/registry.h"
#include "engine/plan.h"
#include "tests/engine/own_options.h"
#include "tests/common/lists.h"
#include "tests/common/unit.h"

#define PLAN_PARTS                                                                                 \
    part_sizes, part_counts, part_variants, part_participants, part_farms, part_options

unit_part PLAN_PARTS;

bench_options default_options(void);

/* Create a plan; freed by plan_free. */
bench_plan planned(const benchmark *definition, const bench_options *options, size_t ranks);

void assert_refused(const benchmark *definition, const bench_options *options, size_t ranks);
void assert_values(const uint64_t *values, size_t count, const cb_list *expected);

/* The ranks that participate in a measurement in a job of that size. */
void assert_participants(const benchmark *definition, const bench_options *options,
                         bench_measurement measurement, size_t job, cb_list expected);

#endif
