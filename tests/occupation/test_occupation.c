/* Which roles compute for each occupation, and the figures of the background task, checked with
 * numbers computed by hand. */
#include "occupation/method.h"

#include <string.h>

#include "engine/options.h"
#include "benchmarks/registry.h"
#include "tests/common/unit.h"

static const double tick_ns = 4e6;

static void assert_near(double value, double expected)
{
    ck_assert_msg(fabs(value - expected) <= 1e-9 * fabs(expected), "%.12g in place of %.12g", value,
                  expected);
}

/* Who computes */

static const bench_occupation occupations[] = {BENCH_UNOCCUPIED, BENCH_OCCUPY_SOURCE,
                                               BENCH_OCCUPY_DESTINATION, BENCH_OCCUPY_BOTH};

START_TEST(every_occupation_has_one_name)
{
    for (size_t i = 0; i < sizeof(occupations) / sizeof(occupations[0]); i++)
        ck_assert_int_eq(bench_occupation_named(bench_occupation_name(occupations[i])),
                         occupations[i]);
    ck_assert_str_eq(bench_occupation_name(BENCH_OCCUPY_BOTH), "both");
}
END_TEST

START_TEST(no_occupation_is_the_default)
{
    ck_assert_int_eq(bench_occupation_named(NULL), BENCH_UNOCCUPIED);
    ck_assert_int_eq(bench_occupation_named("sideways"), BENCH_UNOCCUPIED);
}
END_TEST

START_TEST(each_side_computes_if_its_name_or_both_is_given)
{
    const bench_role source = {.name = "source"}, destination = {.name = "destination"};

    ck_assert(!bench_occupies(BENCH_UNOCCUPIED, &source));
    ck_assert(bench_occupies(BENCH_OCCUPY_SOURCE, &source));
    ck_assert(!bench_occupies(BENCH_OCCUPY_DESTINATION, &source));
    ck_assert(bench_occupies(BENCH_OCCUPY_BOTH, &source));
    ck_assert(!bench_occupies(BENCH_OCCUPY_SOURCE, &destination));
    ck_assert(bench_occupies(BENCH_OCCUPY_DESTINATION, &destination));
    ck_assert(bench_occupies(BENCH_OCCUPY_BOTH, &destination));
}
END_TEST

START_TEST(a_node_that_is_both_sides_computes_only_for_both)
{
    const bench_role node = {.name = "node"};

    ck_assert(!bench_occupies(BENCH_UNOCCUPIED, &node));
    ck_assert(!bench_occupies(BENCH_OCCUPY_SOURCE, &node));
    ck_assert(!bench_occupies(BENCH_OCCUPY_DESTINATION, &node));
    ck_assert(bench_occupies(BENCH_OCCUPY_BOTH, &node));
}
END_TEST

START_TEST(other_roles_never_compute)
{
    const bench_role supervisor = {.name = "supervisor"}, none = {.name = NULL};

    ck_assert(!bench_occupies(BENCH_OCCUPY_BOTH, &supervisor));
    ck_assert(!bench_occupies(BENCH_OCCUPY_BOTH, &none));
    ck_assert_int_eq(bench_side_of(&supervisor), BENCH_SIDES);
}
END_TEST

static size_t occupations_of(const benchmark *definition)
{
    const char *const *found = bench_occupations(definition);
    size_t count = 0;

    while (found != NULL && found[count] != NULL)
        count++;
    return count;
}

START_TEST(all_programs_of_group_1_have_sides_or_nodes)
{
    const benchmark *const sided[] = {&cb_oneway, &cb_pairs, &cb_outfarm, &cb_multicast,
                                      &cb_funnel};
    const benchmark *const equal[] = {&cb_twoway, &cb_alltoall};

    for (size_t i = 0; i < sizeof(sided) / sizeof(sided[0]); i++)
        ck_assert_uint_eq(occupations_of(sided[i]), 4);
    for (size_t i = 0; i < sizeof(equal) / sizeof(equal[0]); i++)
        ck_assert_uint_eq(occupations_of(equal[i]), 2);
}
END_TEST

START_TEST(programs_of_other_groups_have_no_sides)
{
    for (const benchmark *const *one = benchmarks_registry; *one != NULL; one++)
        if (strcmp((*one)->group, "basic") != 0)
            ck_assert_uint_eq(occupations_of(*one), 0);
}
END_TEST

/* Whether a program accepts `compute` as an option value. */
static cb_status given(const benchmark *definition, const char *compute)
{
    options_table of;
    char option[32] = "--compute", value[32],
         *arguments[] = {(char[]){"cb_test"}, option, value, NULL};
    const cb_option *action;
    bench_options options;
    cb_status status;

    snprintf(value, sizeof(value), "%s", compute);
    options_table_make(definition, benchmarks_registry, &of);
    ck_assert_int_eq(cb_options_defaults(&of.table, &options), CB_OK);
    status = cb_options_parse(&of.table, 3, arguments, &options, NULL, &action);
    if (status == CB_OK)
        ck_assert_str_eq(options.compute, compute);
    cb_options_free(&of.table, &options);
    return status;
}

START_TEST(sides_are_accepted_only_by_programs_with_sides)
{
    static const char *const choices[] = {"none", "source", "destination", "both"};

    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
        ck_assert_int_eq(given(&cb_oneway, choices[i]), CB_OK);
    ck_assert_int_eq(given(&cb_twoway, "both"), CB_OK);
    ck_assert_int_eq(given(&cb_twoway, "source"), CB_ERROR_USAGE);
    ck_assert_int_eq(given(&cb_alltoall, "destination"), CB_ERROR_USAGE);
    ck_assert_int_eq(given(&cb_pushfarm, "both"), CB_ERROR_USAGE);
}
END_TEST

/* Figures */

START_TEST(slowdown_is_the_undisturbed_rate_over_the_rate_with_communication)
{
    /* 95 of 100 ms undisturbed, 100 of 500 ms with communication: 0.95 against 0.2 */
    const occupation_work work = {.ranks = 1,
                                  .alone_work_ns = 95e6,
                                  .alone_ns = 100e6,
                                  .beside_work_ns = 100e6,
                                  .beside_ns = 500e6};
    occupation_figures figures = occupation_figures_of(&work, tick_ns);

    assert_near(figures.alone_pct, 95);
    assert_near(figures.slowdown, 4.75);
    assert_near(figures.left_pct, 100 / 4.75);
    ck_assert(!figures.at_least);
}
END_TEST

START_TEST(undisturbed_computation_has_a_slowdown_of_one)
{
    const occupation_work work = {.ranks = 4,
                                  .alone_work_ns = 100e6,
                                  .alone_ns = 400e6,
                                  .beside_work_ns = 500e6,
                                  .beside_ns = 2000e6};
    occupation_figures figures = occupation_figures_of(&work, tick_ns);

    assert_near(figures.alone_pct, 25);
    assert_near(figures.slowdown, 1);
    assert_near(figures.left_pct, 100);
}
END_TEST

START_TEST(no_work_at_all_gives_a_finite_bound)
{
    /* One time slice of 4 ms in 400 ms would be visible. */
    const occupation_work work = {
        .ranks = 1, .alone_work_ns = 80e6, .alone_ns = 80e6, .beside_ns = 400e6};
    occupation_figures figures = occupation_figures_of(&work, tick_ns);

    ck_assert(figures.at_least);
    assert_near(figures.slowdown, 100);
    assert_near(figures.left_pct, 1);
}
END_TEST

START_TEST(few_time_slices_give_a_bound_with_one_slice_more)
{
    occupation_work work = {.ranks = 1,
                            .alone_work_ns = 80e6,
                            .alone_ns = 80e6,
                            .beside_work_ns = 12e6,
                            .beside_ns = 1600e6};
    occupation_figures figures = occupation_figures_of(&work, tick_ns);

    ck_assert(figures.at_least);
    assert_near(figures.slowdown, 100);
    work.beside_work_ns = 5 * tick_ns;
    figures = occupation_figures_of(&work, tick_ns);
    ck_assert(!figures.at_least);
    assert_near(figures.slowdown, 80);
}
END_TEST

START_TEST(the_bound_adds_one_time_slice_per_rank)
{
    const occupation_work work = {.ranks = 3,
                                  .alone_work_ns = 240e6,
                                  .alone_ns = 240e6,
                                  .beside_work_ns = 12e6,
                                  .beside_ns = 1200e6};
    occupation_figures figures = occupation_figures_of(&work, tick_ns);

    ck_assert(figures.at_least);
    assert_near(figures.slowdown, 50);
}
END_TEST

/* Beside a rank that spins, a task has one turn of 4 ms in 1.37 s. */
START_TEST(two_whole_periods_give_a_figure_where_turns_are_few)
{
    occupation_work work = {.ranks = 2,
                            .alone_work_ns = 2 * 200e6,
                            .alone_ns = 2 * 250e6,
                            .beside_work_ns = 2 * 12e6,
                            .beside_ns = 2 * 4000e6,
                            .whole_share = 0.003 + 0.005,
                            .whole_periods = 2};
    occupation_figures figures = occupation_figures_of(&work, tick_ns);

    ck_assert(!figures.at_least);
    assert_near(figures.slowdown, 0.8 / 0.004);
    work.whole_periods = 1;
    figures = occupation_figures_of(&work, tick_ns);
    ck_assert(figures.at_least);
    assert_near(figures.slowdown, 0.8 / 0.004);
}
END_TEST

START_TEST(whole_periods_are_not_needed_where_turns_are_many)
{
    const occupation_work work = {.ranks = 1,
                                  .alone_work_ns = 95e6,
                                  .alone_ns = 100e6,
                                  .beside_work_ns = 100e6,
                                  .beside_ns = 500e6,
                                  .whole_share = 0.5,
                                  .whole_periods = 7};

    assert_near(occupation_figures_of(&work, tick_ns).slowdown, 4.75);
}
END_TEST

/* Parts of a measurement */

START_TEST(half_of_a_short_measurement_is_for_both_together)
{
    occupation_parts parts = occupation_parts_of(1e9, false);

    assert_near(parts.first_alone_ns, 0.17e9);
    assert_near(parts.both_ns, 0.68e9);
    assert_near(parts.steps_ns, 0.71e9);
    assert_near(parts.second_alone_ns, 0.95e9);
    assert_near(parts.compute_ns, 0.08e9);
}
END_TEST

START_TEST(the_time_beyond_some_seconds_is_for_both_together)
{
    occupation_parts parts = occupation_parts_of(10e9, false);

    assert_near(parts.first_alone_ns, 0.5e9);
    assert_near(parts.compute_ns, 0.25e9);
    assert_near(parts.second_alone_ns, 9.85e9);
    assert_near(parts.steps_ns, 9.1e9);
    assert_near(parts.both_ns, 9e9);
}
END_TEST

START_TEST(ranks_that_share_cores_have_the_same_shares_of_any_time)
{
    assert_near(occupation_parts_of(10e9, true).both_ns, 6.8e9);
    assert_near(occupation_parts_of(10e9, true).compute_ns, 0.8e9);
}
END_TEST

START_TEST(each_of_many_tasks_on_a_core_has_the_turns_of_a_baseline)
{
    for (size_t ranks = 1; ranks <= 100; ranks++) {
        double part_ns = occupation_compute_ns(ranks, tick_ns);
        const occupation_work work = {.ranks = ranks,
                                      .alone_work_ns = 2 * part_ns,
                                      .alone_ns = 2 * part_ns * (double)ranks,
                                      .beside_work_ns = 100e9,
                                      .beside_ns = 1000e9};

        ck_assert_msg(!isnan(occupation_figures_of(&work, tick_ns).slowdown), "%zu tasks", ranks);
    }
}
END_TEST

START_TEST(without_a_baseline_there_is_no_slowdown)
{
    const occupation_work work = {.ranks = 1,
                                  .alone_work_ns = 4 * tick_ns,
                                  .alone_ns = 160e6,
                                  .beside_work_ns = 100e6,
                                  .beside_ns = 200e6};
    occupation_figures figures = occupation_figures_of(&work, tick_ns);

    assert_near(figures.alone_pct, 10);
    ck_assert(isnan(figures.slowdown) && isnan(figures.left_pct) && !figures.at_least);
}
END_TEST

START_TEST(fewer_than_five_time_slices_per_task_are_no_baseline)
{
    occupation_work work = {.ranks = 16,
                            .alone_work_ns = 5 * tick_ns,
                            .alone_ns = 16 * 160e6,
                            .beside_work_ns = 0,
                            .beside_ns = 16 * 800e6};

    ck_assert(isnan(occupation_figures_of(&work, tick_ns).slowdown));
    work.alone_work_ns = 16 * 5 * tick_ns;
    ck_assert(!isnan(occupation_figures_of(&work, tick_ns).slowdown));
}
END_TEST

START_TEST(a_bound_below_1_is_omitted)
{
    /* An eighth of the undisturbed rate; with one more time slice in 24 ms, at least 0.75. */
    occupation_work work = {.ranks = 1,
                            .alone_work_ns = 20e6,
                            .alone_ns = 160e6,
                            .beside_work_ns = 0,
                            .beside_ns = 24e6};
    occupation_figures figures = occupation_figures_of(&work, tick_ns);

    ck_assert(isnan(figures.slowdown) && isnan(figures.left_pct) && !figures.at_least);
    assert_near(figures.alone_pct, 12.5);
    work.beside_ns = 40e6;
    figures = occupation_figures_of(&work, tick_ns);
    ck_assert(figures.at_least);
    assert_near(figures.slowdown, 1.25);
}
END_TEST

START_TEST(a_side_without_ranks_has_no_figures)
{
    const occupation_work work = {.ranks = 0};
    occupation_figures figures = occupation_figures_of(&work, tick_ns);

    ck_assert(isnan(figures.alone_pct) && isnan(figures.slowdown) && isnan(figures.left_pct));
    ck_assert(!figures.at_least);
}
END_TEST

UNIT_MAIN("occupation", every_occupation_has_one_name, no_occupation_is_the_default,
          each_side_computes_if_its_name_or_both_is_given,
          a_node_that_is_both_sides_computes_only_for_both, other_roles_never_compute,
          all_programs_of_group_1_have_sides_or_nodes, programs_of_other_groups_have_no_sides,
          sides_are_accepted_only_by_programs_with_sides,
          slowdown_is_the_undisturbed_rate_over_the_rate_with_communication,
          undisturbed_computation_has_a_slowdown_of_one, no_work_at_all_gives_a_finite_bound,
          two_whole_periods_give_a_figure_where_turns_are_few,
          whole_periods_are_not_needed_where_turns_are_many,
          half_of_a_short_measurement_is_for_both_together,
          the_time_beyond_some_seconds_is_for_both_together,
          ranks_that_share_cores_have_the_same_shares_of_any_time,
          each_of_many_tasks_on_a_core_has_the_turns_of_a_baseline,
          few_time_slices_give_a_bound_with_one_slice_more, the_bound_adds_one_time_slice_per_rank,
          without_a_baseline_there_is_no_slowdown,
          fewer_than_five_time_slices_per_task_are_no_baseline, a_bound_below_1_is_omitted,
          a_side_without_ranks_has_no_figures)
