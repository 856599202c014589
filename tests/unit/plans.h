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
#ifndef TESTS_PLANS_H
#define TESTS_PLANS_H

#include "engine/plan.h"
#include "tests/unit/lists.h"
#include "tests/unit/unit.h"

/* The definitions, which have names of their own in one file alone. */
typedef struct {
    const bench_definition *oneway, *twoway, *alltoall, *pairs, *outfarm, *multicasting, *funnel,
        *pushfarm, *pullfarm, *pipeline, *calibrate, *comms1, *comms2, *comms3;
} plans_programs;

extern const plans_programs programs;

#define PLAN_PARTS                                                                                 \
    plan_sizes, plan_counts, plan_variants, plan_participants, plan_farms, plan_options

unit_part PLAN_PARTS;

bench_options default_options(void);

/* A plan of something; freed by bench_plan_free. */
bench_plan planned(const bench_definition *definition, const bench_options *options, size_t ranks);

void assert_refused(const bench_definition *definition, const bench_options *options, size_t ranks);
void assert_values(const uint64_t *values, size_t count, const cb_list *expected);

/* The ranks that take part in a measurement of a job of so many. */
void assert_participants(const bench_definition *definition, const bench_options *options,
                         bench_measurement measurement, size_t job, cb_list expected);

#endif
