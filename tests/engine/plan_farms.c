/* The plans of group 2: shapes, algorithms, sizes and loads. */
#include "tests/engine/plans.h"

#include <stdio.h>

/* "1-2-2 a50 64": shape, algorithm time and packet size of each measurement. */
static void assert_measurement(const bench_plan *plan, size_t index, const char *expected)
{
    const bench_measurement *one = &plan->measurements[index];
    char shape[SHAPE_TEXT], text[SHAPE_TEXT + 64];

    ck_assert_uint_lt(index, plan->count);
    shape_text(&one->shape, shape);
    snprintf(text, sizeof(text), "%s a%g %zu", shape, one->algorithm_us, one->size_bytes);
    ck_assert_str_eq(text, expected);
}

START_TEST(farms_are_ordered_by_algorithm_then_size)
{
    bench_options options = default_options();
    bench_plan plan;

    options.sources = LIST(2, 1);
    options.sizes = LIST(64, 0);
    options.algorithms_us = LIST(500, 50);
    plan = planned(&cb_pushfarm, &options, 5);
    ck_assert_uint_eq(plan.count, 8);
    assert_measurement(&plan, 0, "1-2-2 a500 64");
    assert_measurement(&plan, 1, "1-2-2 a500 0");
    assert_measurement(&plan, 2, "1-2-2 a50 64");
    assert_measurement(&plan, 3, "1-2-2 a50 0");
    assert_measurement(&plan, 4, "1-1-1 a500 64");
    assert_measurement(&plan, 7, "1-1-1 a50 0");
    plan_free(&plan);
}
END_TEST

START_TEST(group_2_defaults_to_the_algorithms_and_sizes_of_note_48)
{
    bench_options options = default_options();
    bench_plan farms = planned(&cb_pullfarm, &options, 9),
               lines = planned(&cb_pipeline, &options, 9);

    ck_assert_uint_eq(farms.count, 3 * 4);
    assert_measurement(&farms, 0, "1-4-4 a0 0");
    assert_measurement(&farms, 3, "1-4-4 a0 1024");
    assert_measurement(&farms, 4, "1-4-4 a50 0");
    assert_measurement(&farms, 11, "1-4-4 a500 1024");
    ck_assert_uint_eq(lines.count, 2 * 3 * 4);
    assert_measurement(&lines, 0, "4-2-1 a0 0");
    assert_measurement(&lines, 12, "6-2-1 a0 0");
    plan_free(&farms);
    plan_free(&lines);
}
END_TEST

START_TEST(a_pipeline_is_named_by_its_topology_and_a_farm_by_its_numbers)
{
    bench_options options = default_options();
    bench_plan farms = planned(&cb_pushfarm, &options, 9),
               lines = planned(&cb_pipeline, &options, 9);

    ck_assert_str_eq(farms.measurements[0].topology, "");
    ck_assert_str_eq(lines.measurements[0].topology, "4-2-1");
    ck_assert_str_eq(lines.measurements[12].topology, "6-2-1");
    plan_free(&farms);
    plan_free(&lines);
}
END_TEST

START_TEST(the_count_of_a_pipeline_is_that_of_its_last_stage)
{
    bench_options options = default_options();
    bench_plan plan;

    give_own(&cb_pipeline, &options, "topology", "6-2-1,3-3-3,2-1");
    options.sizes = LIST(64);
    options.algorithms_us = LIST(0);
    plan = planned(&cb_pipeline, &options, 9);
    ck_assert_uint_eq(plan.count, 3);
    ck_assert_uint_eq(plan.measurements[0].count, 2);
    ck_assert_uint_eq(plan.measurements[1].count, 3);
    ck_assert_uint_eq(plan.measurements[2].count, 2);
    plan_free(&plan);
}
END_TEST

START_TEST(the_largest_size_of_a_farm_sweep_is_known)
{
    bench_options options = default_options();
    bench_plan plan;

    options.sweep = true;
    plan = planned(&cb_pushfarm, &options, 3);
    ck_assert_uint_eq(plan.largest_bytes, (4 << 20) + 1);
    plan_free(&plan);
}
END_TEST

START_TEST(conflicting_load_options_are_refused)
{
    bench_options options = default_options();

    options.rate_hz = 1000;
    options.max_time_s = 1.5;
    options.find_rate = true;
    assert_refused(&cb_pushfarm, &options, 9);
    assert_refused(&cb_pullfarm, &options, 9);
}
END_TEST

START_TEST(too_few_ranks_for_group_2_are_refused)
{
    bench_options options = default_options();

    assert_refused(&cb_pushfarm, &options, 2);
    assert_refused(&cb_pipeline, &options, 6);
}
END_TEST

UNIT_PART(part_farms, farms_are_ordered_by_algorithm_then_size,
          group_2_defaults_to_the_algorithms_and_sizes_of_note_48,
          a_pipeline_is_named_by_its_topology_and_a_farm_by_its_numbers,
          the_count_of_a_pipeline_is_that_of_its_last_stage,
          the_largest_size_of_a_farm_sweep_is_known, conflicting_load_options_are_refused,
          too_few_ranks_for_group_2_are_refused)
