/* Modes, lists and multicasts of a plan. */
#include "tests/engine/plans.h"

static size_t modes_planned(const benchmark *definition, const char *mode,
                            const char *names[BENCH_MODES])
{
    bench_options options = {.mode = mode};
    bench_plan plan = planned(definition, &options, 3);
    size_t count = 0;

    for (size_t i = 0; i < plan.count; i++)
        if (count == 0 || names[count - 1] != plan.measurements[i].mode->name)
            names[count++] = plan.measurements[i].mode->name;
    plan_free(&plan);
    return count;
}

START_TEST(optional_modes_are_not_measured_by_default)
{
    const char *names[BENCH_MODES];

    ck_assert_uint_eq(modes_planned(&cb_multicast, "default", names), 1);
    ck_assert_str_eq(names[0], "stream");
    ck_assert_uint_eq(modes_planned(&cb_outfarm, "default", names), 2);
}
END_TEST

START_TEST(all_modes_come_in_the_order_of_the_table)
{
    const char *names[BENCH_MODES];

    ck_assert_uint_eq(modes_planned(&cb_multicast, "all", names), 2);
    ck_assert_str_eq(names[0], "stream");
    ck_assert_str_eq(names[1], "round");
}
END_TEST

START_TEST(a_single_mode_can_be_selected)
{
    const char *names[BENCH_MODES];

    ck_assert_uint_eq(modes_planned(&cb_multicast, "round", names), 1);
    ck_assert_str_eq(names[0], "round");
    ck_assert_uint_eq(modes_planned(&cb_oneway, "stream", names), 1);
    ck_assert_str_eq(names[0], "stream");
}
END_TEST

START_TEST(an_unknown_mode_is_refused)
{
    bench_options options = {.mode = "pingpongs"};

    assert_refused(&cb_oneway, &options, 2);
}
END_TEST

/* The number of measurements of a variant in a plan. */
static size_t of_variant(const bench_plan *plan, bench_list list, bool own)
{
    size_t count = 0;

    for (size_t i = 0; i < plan->count; i++)
        count += plan->measurements[i].list == list && plan->measurements[i].own_multicast == own;
    return count;
}

static void assert_variants(const bench_options *options, const size_t expected[4][2])
{
    bench_plan plan = planned(&cb_multicast, options, 5);

    for (int list = BENCH_FIXED; list <= BENCH_NEW; list++)
        for (int own = 0; own <= 1; own++)
            ck_assert_uint_eq(of_variant(&plan, (bench_list)list, own != 0), expected[list][own]);
    plan_free(&plan);
}

START_TEST(all_lists_are_measured_at_all_sizes)
{
    bench_options options = default_options();

    assert_variants(&options, (const size_t[4][2]){{4, 4}, {4, 4}, {4, 4}, {4, 4}});
}
END_TEST

START_TEST(a_given_list_is_the_only_one_measured)
{
    bench_options options = default_options();

    give_own(&cb_multicast, &options, "list", "rotate");
    assert_variants(&options, (const size_t[4][2]){{0, 0}, {4, 4}, {0, 0}, {0, 0}});
}
END_TEST

START_TEST(a_given_multicast_is_the_only_one_measured)
{
    bench_options options = default_options();

    give_own(&cb_multicast, &options, "multicast", "loop");
    assert_variants(&options, (const size_t[4][2]){{4, 0}, {4, 0}, {4, 0}, {4, 0}});
    give_own(&cb_multicast, &options, "multicast", "technology");
    assert_variants(&options, (const size_t[4][2]){{0, 4}, {0, 4}, {0, 4}, {0, 4}});
}
END_TEST

START_TEST(a_benchmark_without_lists_has_one_variant)
{
    bench_options options = default_options();
    bench_plan plan = planned(&cb_outfarm, &options, 5);

    ck_assert_uint_eq(of_variant(&plan, BENCH_FIXED, false), plan.count);
    plan_free(&plan);
}
END_TEST

UNIT_PART(part_variants, optional_modes_are_not_measured_by_default,
          all_modes_come_in_the_order_of_the_table, a_single_mode_can_be_selected,
          an_unknown_mode_is_refused, all_lists_are_measured_at_all_sizes,
          a_given_list_is_the_only_one_measured, a_given_multicast_is_the_only_one_measured,
          a_benchmark_without_lists_has_one_variant)
