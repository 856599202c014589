/* Plans: sizes, counts, modes, lists and participants. This file has the shared functions, the
 * tests are in the files listed in plans.h. */
#include "tests/engine/plans.h"

enum { MOST_RANKS = 64 };

bench_options default_options(void)
{
    return (bench_options){.mode = "default"};
}

bench_plan planned(const benchmark *definition, const bench_options *options, size_t ranks)
{
    bench_plan plan;

    ck_assert_int_eq(plan_make(definition, options, ranks, &plan), CB_OK);
    ck_assert_uint_gt(plan.count, 0);
    return plan;
}

void assert_refused(const benchmark *definition, const bench_options *options, size_t ranks)
{
    bench_plan plan;

    ck_assert_int_eq(plan_make(definition, options, ranks, &plan), CB_ERROR_USAGE);
    ck_assert_ptr_null(plan.measurements);
}

void assert_values(const uint64_t *values, size_t count, const cb_list *expected)
{
    ck_assert_uint_eq(count, expected->count);
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(values[i], expected->values[i]);
}

void assert_participants(const benchmark *definition, const bench_options *options,
                         bench_measurement measurement, size_t job, cb_list expected)
{
    int ranks[MOST_RANKS];
    size_t count = plan_participants(definition, options, &measurement, job, ranks);

    ck_assert_uint_eq(count, expected.count);
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(ranks[i], (int)expected.values[i]);
}

UNIT_MAIN_OF("plan", PLAN_PARTS)
