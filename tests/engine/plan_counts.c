/* Counts of processors, sources and destinations in a plan, and which are refused. */
#include "tests/engine/plans.h"

enum { MOST_COUNTS = 128 };

/* The counts in the plan of a job of `ranks`, separated by blanks. */
static void assert_counts(const benchmark *definition, const bench_options *options, size_t ranks,
                          cb_list expected)
{
    bench_plan plan = planned(definition, options, ranks);
    uint64_t counts[MOST_COUNTS];
    size_t found = 0;

    for (size_t i = 0; i < plan.count && plan.measurements[i].mode == plan.measurements[0].mode &&
                       plan.measurements[i].own_multicast == plan.measurements[0].own_multicast &&
                       plan.measurements[i].list == plan.measurements[0].list;
         i++)
        if (found == 0 || counts[found - 1] != plan.measurements[i].count)
            counts[found++] = plan.measurements[i].count;
    assert_values(counts, found, &expected);
    plan_free(&plan);
}

static void assert_default_counts(const benchmark *definition, size_t ranks, cb_list expected)
{
    bench_options options = default_options();

    assert_counts(definition, &options, ranks, expected);
}

START_TEST(a_benchmark_of_a_pair_is_measured_with_two_nodes_only)
{
    assert_default_counts(&cb_oneway, 17, LIST(2));
    assert_default_counts(&cb_twoway, 2, LIST(2));
}
END_TEST

START_TEST(default_counts_are_the_reference_4_8_16_and_all)
{
    assert_default_counts(&cb_alltoall, 2, LIST(2));
    assert_default_counts(&cb_alltoall, 3, LIST(2, 3));
    assert_default_counts(&cb_alltoall, 4, LIST(2, 4));
    assert_default_counts(&cb_alltoall, 5, LIST(2, 4, 5));
    assert_default_counts(&cb_alltoall, 16, LIST(2, 4, 8, 16));
    assert_default_counts(&cb_alltoall, 33, LIST(2, 4, 8, 16, 33));
}
END_TEST

START_TEST(parkbench_has_no_reference_count)
{
    assert_default_counts(&cb_comms3, 2, LIST(2));
    assert_default_counts(&cb_comms3, 17, LIST(4, 8, 16, 17));
}
END_TEST

START_TEST(pairs_are_even)
{
    assert_default_counts(&cb_pairs, 2, LIST(2));
    assert_default_counts(&cb_pairs, 3, LIST(2));
    assert_default_counts(&cb_pairs, 7, LIST(2, 4, 6));
    assert_default_counts(&cb_pairs, 17, LIST(2, 4, 8, 16));
    assert_default_counts(&cb_pairs, 19, LIST(2, 4, 8, 16, 18));
}
END_TEST

START_TEST(counts_of_destinations_leave_one_rank_for_the_source)
{
    assert_default_counts(&cb_outfarm, 2, LIST(1));
    assert_default_counts(&cb_outfarm, 5, LIST(4));
    assert_default_counts(&cb_outfarm, 17, LIST(4, 8, 16));
    assert_default_counts(&cb_multicast, 16, LIST(4, 8, 15));
    assert_default_counts(&cb_multicast, 18, LIST(4, 8, 16, 17));
}
END_TEST

START_TEST(counts_of_sources_start_at_one_and_leave_a_rank_for_the_destination)
{
    assert_default_counts(&cb_funnel, 2, LIST(1));
    assert_default_counts(&cb_funnel, 4, LIST(1, 3));
    assert_default_counts(&cb_funnel, 17, LIST(1, 4, 8, 16));
}
END_TEST

START_TEST(given_counts_ascend_and_include_the_reference)
{
    bench_options options = default_options();

    options.processors = LIST(6, 4);
    assert_counts(&cb_alltoall, &options, 8, LIST(2, 4, 6));
    assert_counts(&cb_pairs, &options, 8, LIST(2, 4, 6));
    options.destinations = LIST(3, 1);
    assert_counts(&cb_outfarm, &options, 8, LIST(1, 3));
    options.sources = LIST(7);
    assert_counts(&cb_funnel, &options, 8, LIST(1, 7));
}
END_TEST

START_TEST(a_given_reference_is_measured_once)
{
    bench_options options = default_options();

    options.processors = LIST(4, 2);
    assert_counts(&cb_alltoall, &options, 4, LIST(2, 4));
}
END_TEST

START_TEST(a_job_of_one_rank_is_refused)
{
    const benchmark *const all[] = {&cb_oneway,  &cb_twoway,    &cb_alltoall, &cb_pairs,
                                    &cb_outfarm, &cb_multicast, &cb_funnel};
    bench_options options = default_options();

    for (size_t i = 0; i < LENGTH(all); i++)
        assert_refused(all[i], &options, 1);
}
END_TEST

START_TEST(counts_above_the_job_are_refused)
{
    bench_options options = default_options();

    options.processors = LIST(2, 9);
    assert_refused(&cb_alltoall, &options, 8);
    options.processors = LIST(10);
    assert_refused(&cb_pairs, &options, 8);
    options.destinations = options.sources = LIST(8);
    assert_refused(&cb_outfarm, &options, 8);
    assert_refused(&cb_multicast, &options, 8);
    assert_refused(&cb_funnel, &options, 8);
}
END_TEST

START_TEST(an_odd_number_of_processors_is_refused_for_pairs)
{
    bench_options options = default_options();

    options.processors = LIST(3);
    assert_refused(&cb_pairs, &options, 8);
}
END_TEST

START_TEST(receivers_outside_the_job_are_refused)
{
    bench_options options = default_options();

    options.receivers = LIST(1, 8);
    assert_refused(&cb_outfarm, &options, 8);
    assert_refused(&cb_multicast, &options, 8);
}
END_TEST

START_TEST(receivers_together_with_a_placement_are_refused)
{
    bench_options options = default_options();

    options.receivers = LIST(1, 2);
    options.placement = "spread";
    assert_refused(&cb_outfarm, &options, 8);
}
END_TEST

START_TEST(the_number_of_receivers_limits_the_destinations)
{
    bench_options options = default_options();

    options.receivers = LIST(3, 5, 7, 8, 9);
    assert_counts(&cb_outfarm, &options, 17, LIST(4, 5));
    options.destinations = LIST(2, 5);
    assert_counts(&cb_outfarm, &options, 17, LIST(2, 5));
    options.destinations = LIST(6);
    assert_refused(&cb_outfarm, &options, 17);
}
END_TEST

/* The counts of processors planned for each mode, mode by mode. */
static size_t processors_planned(const bench_options *options, size_t ranks,
                                 size_t processors[BENCH_MODES])
{
    bench_plan plan = planned(&cb_calibrate, options, ranks);
    const bench_mode *last = NULL;
    size_t count = 0;

    for (size_t i = 0; i < plan.count; i++) {
        const bench_measurement *one = &plan.measurements[i];

        if (one->mode != last)
            processors[count++] = one->count;
        last = one->mode;
    }
    plan_free(&plan);
    return count;
}

START_TEST(each_mode_of_a_calibration_has_its_own_counts)
{
    static const size_t expected[] = {2, 2, 2, 3, 3, 3, 3, 3};
    bench_options options = default_options();
    size_t processors[BENCH_MODES];

    /* measurements that need more ranks are planned too: the report says that they are skipped */
    for (size_t ranks = 2; ranks <= 4; ranks++) {
        ck_assert_uint_eq(processors_planned(&options, ranks, processors), LENGTH(expected));
        for (size_t i = 0; i < LENGTH(expected); i++)
            ck_assert_uint_eq(processors[i], expected[i]);
    }
}
END_TEST

START_TEST(a_mode_that_needs_three_processors_is_refused_in_a_job_of_two)
{
    bench_options options = {.mode = "fan-in"};
    size_t processors[BENCH_MODES];

    assert_refused(&cb_calibrate, &options, 2);
    ck_assert_uint_eq(processors_planned(&options, 3, processors), 1);
    ck_assert_uint_eq(processors[0], 3);
}
END_TEST

UNIT_PART(part_counts, a_benchmark_of_a_pair_is_measured_with_two_nodes_only,
          default_counts_are_the_reference_4_8_16_and_all, parkbench_has_no_reference_count,
          pairs_are_even, counts_of_destinations_leave_one_rank_for_the_source,
          counts_of_sources_start_at_one_and_leave_a_rank_for_the_destination,
          given_counts_ascend_and_include_the_reference, a_given_reference_is_measured_once,
          a_job_of_one_rank_is_refused, counts_above_the_job_are_refused,
          an_odd_number_of_processors_is_refused_for_pairs, receivers_outside_the_job_are_refused,
          receivers_together_with_a_placement_are_refused,
          the_number_of_receivers_limits_the_destinations,
          each_mode_of_a_calibration_has_its_own_counts,
          a_mode_that_needs_three_processors_is_refused_in_a_job_of_two)
