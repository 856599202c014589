/* What a run measures: sizes, counts, modes, lists, and who takes part. */
#include "bench/plan.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/definitions.h"
#include "tests/unit/unit.h"

enum { MOST_RANKS = 64, MOST_SIZES = 128 };

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define LIST(...)                                                                                  \
    (cb_list)                                                                                      \
    {                                                                                              \
        .values = (uint64_t[]){__VA_ARGS__}, .count = LENGTH(((uint64_t[]){__VA_ARGS__}))          \
    }

static bench_options default_options(void)
{
    return (bench_options){.mode = "default"};
}

static bench_plan planned(const bench_definition *definition, const bench_options *options,
                          size_t ranks)
{
    bench_plan plan;

    ck_assert_int_eq(bench_plan_make(definition, options, ranks, &plan), CB_OK);
    ck_assert_uint_gt(plan.count, 0);
    return plan;
}

static void assert_refused(const bench_definition *definition, const bench_options *options,
                           size_t ranks)
{
    bench_plan plan;

    ck_assert_int_eq(bench_plan_make(definition, options, ranks, &plan), CB_ERROR_USAGE);
    ck_assert_ptr_null(plan.measurements);
}

/* The sizes of the first curve of a plan. */
static size_t first_sizes(const bench_plan *plan, uint64_t *sizes)
{
    const bench_measurement *first = &plan->measurements[0];
    size_t count = 0;

    for (size_t i = 0; i < plan->count; i++) {
        const bench_measurement *one = &plan->measurements[i];

        if (one->mode == first->mode && one->count == first->count && one->list == first->list &&
            one->own_multicast == first->own_multicast)
            sizes[count++] = one->size_bytes;
    }
    return count;
}

static void assert_values(const uint64_t *values, size_t count, const cb_list *expected)
{
    ck_assert_uint_eq(count, expected->count);
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(values[i], expected->values[i]);
}

static void assert_sizes(const bench_definition *definition, const bench_options *options,
                         cb_list expected)
{
    bench_plan plan = planned(definition, options, 17);
    uint64_t sizes[MOST_SIZES];
    size_t count = first_sizes(&plan, sizes);

    assert_values(sizes, count, &expected);
    bench_plan_free(&plan);
}

/* The counts, one after the other, of a plan for a job of `ranks`. */
static void assert_counts(const bench_definition *definition, const bench_options *options,
                          size_t ranks, cb_list expected)
{
    bench_plan plan = planned(definition, options, ranks);
    uint64_t counts[MOST_SIZES];
    size_t found = 0;

    for (size_t i = 0; i < plan.count && plan.measurements[i].mode == plan.measurements[0].mode &&
                       plan.measurements[i].own_multicast == plan.measurements[0].own_multicast &&
                       plan.measurements[i].list == plan.measurements[0].list;
         i++)
        if (found == 0 || counts[found - 1] != plan.measurements[i].count)
            counts[found++] = plan.measurements[i].count;
    assert_values(counts, found, &expected);
    bench_plan_free(&plan);
}

static void assert_default_counts(const bench_definition *definition, size_t ranks,
                                  cb_list expected)
{
    bench_options options = default_options();

    assert_counts(definition, &options, ranks, expected);
}

/* Sizes */

START_TEST(the_notes_four_sizes_are_the_default)
{
    bench_options options = default_options();

    assert_sizes(&alltoall, &options, LIST(0, 64, 256, 1024));
}
END_TEST

START_TEST(a_fit_adds_powers_of_two_to_one_mebibyte)
{
    bench_options options = default_options();

    assert_sizes(&oneway, &options,
                 LIST(0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384,
                      32768, 65536, 131072, 262144, 524288, 1048576));
}
END_TEST

START_TEST(beside_a_task_there_is_no_sweep_for_a_fit)
{
    bench_options options = default_options();

    options.compute = "destination";
    assert_sizes(&oneway, &options, LIST(0, 64, 256, 1024));
    options.compute = "none";
    options.sizes = LIST(8);
    assert_sizes(&oneway, &options, LIST(8));
}
END_TEST

START_TEST(every_measurement_has_the_occupation_asked_for)
{
    static const struct {
        const char *name;
        bench_occupation occupation;
    } asked[] = {{NULL, BENCH_UNOCCUPIED},
                 {"none", BENCH_UNOCCUPIED},
                 {"source", BENCH_OCCUPY_SOURCE},
                 {"both", BENCH_OCCUPY_BOTH}};

    for (size_t i = 0; i < LENGTH(asked); i++) {
        bench_options options = default_options();
        bench_plan plan;

        options.compute = asked[i].name;
        plan = planned(&multicasting, &options, 5);
        for (size_t k = 0; k < plan.count; k++)
            ck_assert_int_eq(plan.measurements[k].occupation, asked[i].occupation);
        bench_plan_free(&plan);
    }
}
END_TEST

START_TEST(given_sizes_stand_alone_and_in_their_order)
{
    bench_options options = default_options();

    options.sizes = LIST(1000, 8, 64);
    assert_sizes(&oneway, &options, LIST(1000, 8, 64));
}
END_TEST

START_TEST(sizes_given_to_parkbench_ascend_for_its_line)
{
    bench_options options = default_options();

    options.sizes = LIST(1024, 0, 64, 0);
    assert_sizes(&comms1, &options, LIST(0, 64, 1024));
}
END_TEST

START_TEST(a_sweep_has_each_power_with_its_neighbours_once)
{
    bench_options options = default_options();
    uint64_t expected[MOST_SIZES] = {0, 1, 2, 3, 4, 5, 7, 8, 9};
    size_t count = 9;

    options.sweep = true;
    for (uint64_t power = 16; power <= 4 << 20; power *= 2)
        for (uint64_t size = power - 1; size <= power + 1; size++)
            expected[count++] = size;
    assert_sizes(&alltoall, &options, (cb_list){expected, count});
    assert_sizes(&oneway, &options, (cb_list){expected, count});
}
END_TEST

START_TEST(sizes_given_beside_a_sweep_take_their_place_in_it)
{
    bench_options options = default_options();
    bench_plan plan;
    uint64_t sizes[MOST_SIZES];
    size_t count, position = 0;

    options.sweep = true;
    options.sizes = LIST(8000000, 1000, 64);
    plan = planned(&alltoall, &options, 2);
    count = first_sizes(&plan, sizes);
    bench_plan_free(&plan);
    for (size_t i = 1; i < count; i++)
        ck_assert_uint_lt(sizes[i - 1], sizes[i]);
    while (sizes[position] < 1000)
        position++;
    ck_assert_uint_eq(sizes[position], 1000);
    ck_assert_uint_eq(sizes[position + 1], 1023);
    ck_assert_uint_eq(sizes[count - 1], 8000000);
}
END_TEST

START_TEST(the_largest_size_of_a_plan_is_known)
{
    bench_options options = default_options();
    bench_plan plan;

    options.sizes = LIST(64, 70000, 8);
    plan = planned(&oneway, &options, 2);
    ck_assert_uint_eq(plan.largest_bytes, 70000);
    bench_plan_free(&plan);
}
END_TEST

/* Counts */

START_TEST(two_nodes_are_the_only_count_of_a_pair)
{
    assert_default_counts(&oneway, 17, LIST(2));
    assert_default_counts(&twoway, 2, LIST(2));
}
END_TEST

START_TEST(processors_are_the_reference_then_4_8_16_and_all)
{
    assert_default_counts(&alltoall, 2, LIST(2));
    assert_default_counts(&alltoall, 3, LIST(2, 3));
    assert_default_counts(&alltoall, 4, LIST(2, 4));
    assert_default_counts(&alltoall, 5, LIST(2, 4, 5));
    assert_default_counts(&alltoall, 16, LIST(2, 4, 8, 16));
    assert_default_counts(&alltoall, 33, LIST(2, 4, 8, 16, 33));
}
END_TEST

START_TEST(parkbench_saturates_without_a_reference)
{
    assert_default_counts(&comms3, 2, LIST(2));
    assert_default_counts(&comms3, 17, LIST(4, 8, 16, 17));
}
END_TEST

START_TEST(pairs_are_even)
{
    assert_default_counts(&pairs, 2, LIST(2));
    assert_default_counts(&pairs, 3, LIST(2));
    assert_default_counts(&pairs, 7, LIST(2, 4, 6));
    assert_default_counts(&pairs, 17, LIST(2, 4, 8, 16));
    assert_default_counts(&pairs, 19, LIST(2, 4, 8, 16, 18));
}
END_TEST

START_TEST(destinations_leave_a_rank_for_the_source)
{
    assert_default_counts(&outfarm, 2, LIST(1));
    assert_default_counts(&outfarm, 5, LIST(4));
    assert_default_counts(&outfarm, 17, LIST(4, 8, 16));
    assert_default_counts(&multicasting, 16, LIST(4, 8, 15));
    assert_default_counts(&multicasting, 18, LIST(4, 8, 16, 17));
}
END_TEST

START_TEST(sources_leave_a_rank_for_the_destination_and_one_goes_first)
{
    assert_default_counts(&funnel, 2, LIST(1));
    assert_default_counts(&funnel, 4, LIST(1, 3));
    assert_default_counts(&funnel, 17, LIST(1, 4, 8, 16));
}
END_TEST

START_TEST(given_counts_come_with_the_reference_and_ascend)
{
    bench_options options = default_options();

    options.processors = LIST(6, 4);
    assert_counts(&alltoall, &options, 8, LIST(2, 4, 6));
    assert_counts(&pairs, &options, 8, LIST(2, 4, 6));
    options.destinations = LIST(3, 1);
    assert_counts(&outfarm, &options, 8, LIST(1, 3));
    options.sources = LIST(7);
    assert_counts(&funnel, &options, 8, LIST(1, 7));
}
END_TEST

START_TEST(a_given_reference_is_measured_once)
{
    bench_options options = default_options();

    options.processors = LIST(4, 2);
    assert_counts(&alltoall, &options, 4, LIST(2, 4));
}
END_TEST

START_TEST(a_job_of_one_rank_is_refused)
{
    const bench_definition *const all[] = {&oneway,  &twoway,       &alltoall, &pairs,
                                           &outfarm, &multicasting, &funnel};
    bench_options options = default_options();

    for (size_t i = 0; i < LENGTH(all); i++)
        assert_refused(all[i], &options, 1);
}
END_TEST

START_TEST(counts_above_the_job_are_refused)
{
    bench_options options = default_options();

    options.processors = LIST(2, 9);
    assert_refused(&alltoall, &options, 8);
    options.processors = LIST(10);
    assert_refused(&pairs, &options, 8);
    options.destinations = options.sources = LIST(8);
    assert_refused(&outfarm, &options, 8);
    assert_refused(&multicasting, &options, 8);
    assert_refused(&funnel, &options, 8);
}
END_TEST

START_TEST(an_odd_number_of_processors_makes_no_pairs)
{
    bench_options options = default_options();

    options.processors = LIST(3);
    assert_refused(&pairs, &options, 8);
}
END_TEST

START_TEST(receivers_outside_the_job_are_refused)
{
    bench_options options = default_options();

    options.receivers = LIST(1, 8);
    assert_refused(&outfarm, &options, 8);
    assert_refused(&multicasting, &options, 8);
}
END_TEST

START_TEST(receivers_and_a_placement_are_not_given_both)
{
    bench_options options = default_options();

    options.receivers = LIST(1, 2);
    options.placement = "spread";
    assert_refused(&outfarm, &options, 8);
}
END_TEST

START_TEST(receivers_bound_the_destinations)
{
    bench_options options = default_options();

    options.receivers = LIST(3, 5, 7, 8, 9);
    assert_counts(&outfarm, &options, 17, LIST(4, 5));
    options.destinations = LIST(2, 5);
    assert_counts(&outfarm, &options, 17, LIST(2, 5));
    options.destinations = LIST(6);
    assert_refused(&outfarm, &options, 17);
}
END_TEST

/* The number of processors of each mode that is planned, mode after mode. */
static size_t processors_planned(const bench_options *options, size_t ranks,
                                 size_t processors[BENCH_MODES])
{
    bench_plan plan = planned(&calibrate, options, ranks);
    const bench_mode *last = NULL;
    size_t count = 0;

    for (size_t i = 0; i < plan.count; i++) {
        const bench_measurement *one = &plan.measurements[i];

        if (one->mode != last)
            processors[count++] = one->count;
        last = one->mode;
    }
    bench_plan_free(&plan);
    return count;
}

START_TEST(each_mode_of_a_calibration_has_processors_of_its_own)
{
    static const size_t expected[] = {2, 2, 2, 3, 3, 3, 3};
    bench_options options = default_options();
    size_t processors[BENCH_MODES];

    /* what a small job has to skip is planned: it is told there */
    for (size_t ranks = 2; ranks <= 4; ranks++) {
        ck_assert_uint_eq(processors_planned(&options, ranks, processors), LENGTH(expected));
        for (size_t i = 0; i < LENGTH(expected); i++)
            ck_assert_uint_eq(processors[i], expected[i]);
    }
}
END_TEST

START_TEST(a_mode_of_three_processors_is_refused_by_name_in_a_job_of_two)
{
    bench_options options = {.mode = "fan-in"};
    size_t processors[BENCH_MODES];

    assert_refused(&calibrate, &options, 2);
    ck_assert_uint_eq(processors_planned(&options, 3, processors), 1);
    ck_assert_uint_eq(processors[0], 3);
}
END_TEST

/* Modes */

static size_t modes_planned(const bench_definition *definition, const char *mode,
                            const char *names[BENCH_MODES])
{
    bench_options options = {.mode = mode};
    bench_plan plan = planned(definition, &options, 3);
    size_t count = 0;

    for (size_t i = 0; i < plan.count; i++)
        if (count == 0 || names[count - 1] != plan.measurements[i].mode->name)
            names[count++] = plan.measurements[i].mode->name;
    bench_plan_free(&plan);
    return count;
}

START_TEST(default_leaves_out_what_is_on_request)
{
    const char *names[BENCH_MODES];

    ck_assert_uint_eq(modes_planned(&multicasting, "default", names), 1);
    ck_assert_str_eq(names[0], "stream");
    ck_assert_uint_eq(modes_planned(&outfarm, "default", names), 2);
}
END_TEST

START_TEST(all_modes_come_in_the_order_of_the_table)
{
    const char *names[BENCH_MODES];

    ck_assert_uint_eq(modes_planned(&multicasting, "all", names), 2);
    ck_assert_str_eq(names[0], "stream");
    ck_assert_str_eq(names[1], "round");
}
END_TEST

START_TEST(one_mode_is_measured_alone)
{
    const char *names[BENCH_MODES];

    ck_assert_uint_eq(modes_planned(&multicasting, "round", names), 1);
    ck_assert_str_eq(names[0], "round");
    ck_assert_uint_eq(modes_planned(&oneway, "stream", names), 1);
    ck_assert_str_eq(names[0], "stream");
}
END_TEST

START_TEST(an_unknown_mode_is_refused)
{
    bench_options options = {.mode = "pingpongs"};

    assert_refused(&oneway, &options, 2);
}
END_TEST

/* Lists and multicast */

/* How many measurements of a plan are of a variant. */
static size_t of_variant(const bench_plan *plan, bench_list list, bool own)
{
    size_t count = 0;

    for (size_t i = 0; i < plan->count; i++)
        count += plan->measurements[i].list == list && plan->measurements[i].own_multicast == own;
    return count;
}

static void assert_variants(const bench_options *options, const size_t expected[3][2])
{
    bench_plan plan = planned(&multicasting, options, 5);

    for (int list = BENCH_FIXED; list <= BENCH_RANDOM; list++)
        for (int own = 0; own <= 1; own++)
            ck_assert_uint_eq(of_variant(&plan, (bench_list)list, own != 0), expected[list][own]);
    bench_plan_free(&plan);
}

START_TEST(by_default_lists_change_at_64_bytes_only)
{
    bench_options options = default_options();
    bench_plan plan = planned(&multicasting, &options, 5);

    for (size_t i = 0; i < plan.count; i++)
        if (plan.measurements[i].list != BENCH_FIXED)
            ck_assert_uint_eq(plan.measurements[i].size_bytes, 64);
    bench_plan_free(&plan);
    assert_variants(&options, (const size_t[3][2]){{4, 4}, {1, 1}, {1, 1}});
}
END_TEST

START_TEST(a_given_list_is_measured_at_all_sizes)
{
    bench_options options = default_options();

    options.list = "rotate";
    assert_variants(&options, (const size_t[3][2]){{0, 0}, {4, 4}, {0, 0}});
}
END_TEST

START_TEST(a_given_multicast_is_measured_alone)
{
    bench_options options = default_options();

    options.multicast = "loop";
    assert_variants(&options, (const size_t[3][2]){{4, 0}, {1, 0}, {1, 0}});
    options.multicast = "technology";
    assert_variants(&options, (const size_t[3][2]){{0, 4}, {0, 1}, {0, 1}});
}
END_TEST

START_TEST(a_benchmark_without_lists_has_one_variant)
{
    bench_options options = default_options();
    bench_plan plan = planned(&outfarm, &options, 5);

    ck_assert_uint_eq(of_variant(&plan, BENCH_FIXED, false), plan.count);
    bench_plan_free(&plan);
}
END_TEST

/* Participants */

static void assert_participants(const bench_definition *definition, const bench_options *options,
                                bench_measurement measurement, size_t job, cb_list expected)
{
    int ranks[MOST_RANKS];
    size_t count = bench_participants(definition, options, &measurement, job, ranks);

    ck_assert_uint_eq(count, expected.count);
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(ranks[i], (int)expected.values[i]);
}

START_TEST(participants_are_the_first_ranks_of_the_job)
{
    bench_options options = default_options();

    assert_participants(&oneway, &options, (bench_measurement){.count = 2}, 17, LIST(0, 1));
    assert_participants(&alltoall, &options, (bench_measurement){.count = 3}, 17, LIST(0, 1, 2));
    assert_participants(&pairs, &options, (bench_measurement){.count = 4}, 17, LIST(0, 1, 2, 3));
    assert_participants(&outfarm, &options, (bench_measurement){.count = 2}, 17, LIST(0, 1, 2));
    assert_participants(&funnel, &options, (bench_measurement){.count = 3}, 17, LIST(0, 1, 2, 3));
    assert_participants(&calibrate, &options, (bench_measurement){.count = 2}, 17, LIST(0, 1));
    assert_participants(&calibrate, &options, (bench_measurement){.count = 3}, 17, LIST(0, 1, 2));
}
END_TEST

START_TEST(named_receivers_follow_the_source_in_their_order)
{
    bench_options options = default_options();

    options.receivers = LIST(7, 3, 5);
    assert_participants(&outfarm, &options, (bench_measurement){.count = 3}, 17, LIST(0, 7, 3, 5));
    assert_participants(&outfarm, &options, (bench_measurement){.count = 2}, 17, LIST(0, 7, 3));
}
END_TEST

START_TEST(all_candidates_of_a_changing_list_take_part)
{
    bench_options options = default_options();
    bench_measurement changing = {.count = 2, .list = BENCH_ROTATE};

    assert_participants(&multicasting, &options, changing, 5, LIST(0, 1, 2, 3, 4));
    ck_assert_uint_eq(bench_layout(&multicasting, &options, &changing, 5).stages[1], 4);
    options.receivers = LIST(4, 2, 1);
    assert_participants(&multicasting, &options, changing, 5, LIST(0, 4, 2, 1));
    ck_assert_uint_eq(bench_layout(&multicasting, &options, &changing, 5).stages[1], 3);
}
END_TEST

START_TEST(a_fixed_list_has_its_own_length_of_candidates)
{
    bench_options options = default_options();
    bench_measurement fixed = {.count = 2};

    ck_assert_uint_eq(bench_layout(&multicasting, &options, &fixed, 5).stages[1], 2);
}
END_TEST

START_TEST(roles_have_the_sizes_of_their_shares)
{
    ck_assert_uint_eq(bench_role_size(&pairs, 0, 6), 3);
    ck_assert_uint_eq(bench_role_size(&pairs, 1, 6), 3);
    ck_assert_uint_eq(bench_role_size(&funnel, 0, 6), 1);
    ck_assert_uint_eq(bench_role_size(&funnel, 1, 6), 6);
    ck_assert_uint_eq(bench_role_size(&alltoall, 0, 6), 6);
    ck_assert_uint_eq(bench_role_size(&alltoall, 1, 6), 0);
    ck_assert_uint_eq(bench_role_size(&calibrate, 2, 2), 0);
    ck_assert_uint_eq(bench_role_size(&calibrate, 2, 3), 1);
}
END_TEST

/* Group 2 */

/* "1-2-2 a50 64": shape, time of the algorithm and size of a measurement. */
static void assert_measurement(const bench_plan *plan, size_t index, const char *expected)
{
    const bench_measurement *one = &plan->measurements[index];
    char shape[BENCH_SHAPE_TEXT], text[BENCH_SHAPE_TEXT + 64];

    ck_assert_uint_lt(index, plan->count);
    bench_shape_text(&one->shape, shape);
    snprintf(text, sizeof(text), "%s a%g %zu", shape, one->algorithm_us, one->size_bytes);
    ck_assert_str_eq(text, expected);
}

START_TEST(a_farm_has_all_sizes_of_an_algorithm_before_the_next)
{
    bench_options options = default_options();
    bench_plan plan;

    options.sources = LIST(2, 1);
    options.sizes = LIST(64, 0);
    options.algorithms_us = LIST(500, 50);
    plan = planned(&pushfarm, &options, 5);
    ck_assert_uint_eq(plan.count, 8);
    assert_measurement(&plan, 0, "1-2-2 a500 64");
    assert_measurement(&plan, 1, "1-2-2 a500 0");
    assert_measurement(&plan, 2, "1-2-2 a50 64");
    assert_measurement(&plan, 3, "1-2-2 a50 0");
    assert_measurement(&plan, 4, "1-1-1 a500 64");
    assert_measurement(&plan, 7, "1-1-1 a50 0");
    bench_plan_free(&plan);
}
END_TEST

START_TEST(the_notes_algorithms_and_sizes_are_the_default_of_group_2)
{
    bench_options options = default_options();
    bench_plan farms = planned(&pullfarm, &options, 9), lines = planned(&pipeline, &options, 9);

    ck_assert_uint_eq(farms.count, 3 * 4);
    assert_measurement(&farms, 0, "1-4-4 a0 0");
    assert_measurement(&farms, 3, "1-4-4 a0 1024");
    assert_measurement(&farms, 4, "1-4-4 a50 0");
    assert_measurement(&farms, 11, "1-4-4 a500 1024");
    ck_assert_uint_eq(lines.count, 2 * 3 * 4);
    assert_measurement(&lines, 0, "4-2-1 a0 0");
    assert_measurement(&lines, 12, "6-2-1 a0 0");
    bench_plan_free(&farms);
    bench_plan_free(&lines);
}
END_TEST

START_TEST(a_pipeline_is_named_by_its_topology_and_a_farm_by_its_numbers)
{
    bench_options options = default_options();
    bench_plan farms = planned(&pushfarm, &options, 9), lines = planned(&pipeline, &options, 9);

    ck_assert_str_eq(farms.measurements[0].topology, "");
    ck_assert_str_eq(lines.measurements[0].topology, "4-2-1");
    ck_assert_str_eq(lines.measurements[12].topology, "6-2-1");
    bench_plan_free(&farms);
    bench_plan_free(&lines);
}
END_TEST

START_TEST(the_count_of_a_pipeline_is_what_its_last_stage_takes)
{
    bench_options options = default_options();
    bench_plan plan;

    options.topologies = "6-2-1,3-3-3,2-1";
    options.sizes = LIST(64);
    options.algorithms_us = LIST(0);
    plan = planned(&pipeline, &options, 9);
    ck_assert_uint_eq(plan.count, 3);
    ck_assert_uint_eq(plan.measurements[0].count, 2);
    ck_assert_uint_eq(plan.measurements[1].count, 3);
    ck_assert_uint_eq(plan.measurements[2].count, 2);
    bench_plan_free(&plan);
}
END_TEST

START_TEST(a_sweep_of_a_farm_knows_its_largest_size)
{
    bench_options options = default_options();
    bench_plan plan;

    options.sweep = true;
    plan = planned(&pushfarm, &options, 3);
    ck_assert_uint_eq(plan.largest_bytes, (4 << 20) + 1);
    bench_plan_free(&plan);
}
END_TEST

START_TEST(loads_that_do_not_go_together_make_no_plan)
{
    bench_options options = default_options();

    options.rate_hz = 1000;
    options.max_time_s = 1.5;
    options.find_rate = true;
    assert_refused(&pushfarm, &options, 9);
    assert_refused(&pullfarm, &options, 9);
}
END_TEST

START_TEST(group_2_without_its_ranks_makes_no_plan)
{
    bench_options options = default_options();

    assert_refused(&pushfarm, &options, 2);
    assert_refused(&pipeline, &options, 6);
}
END_TEST

START_TEST(all_ranks_of_a_shape_take_part_and_those_left_over_do_not)
{
    bench_options options = default_options();

    assert_participants(&pushfarm, &options,
                        (bench_measurement){.shape = bench_shape_of_farm(2, 1)}, 17,
                        LIST(0, 1, 2, 3));
    assert_participants(&pipeline, &options,
                        (bench_measurement){.shape = {.stages = {2, 1, 1}, .stage_count = 3}}, 17,
                        LIST(0, 1, 2, 3));
}
END_TEST

/* The scopes of all rows of that name: what the table is asked for when it is refused. */
static uint32_t scope_of_name(const cb_option_table *table, const char *name)
{
    uint32_t scope = 0;

    for (size_t i = 0; i < table->option_count; i++)
        if (strcmp(table->options[i].name, name) == 0)
            scope |= table->options[i].scope;
    return scope;
}

/* The modes' own are too many to be named one by one. */
START_TEST(who_takes_an_option_is_named_with_all_that_do)
{
    static const bench_definition *const programs[] = {
        &oneway,   &twoway,   &alltoall, &pairs,     &outfarm, &multicasting, &funnel,
        &pushfarm, &pullfarm, &pipeline, &calibrate, &comms1,  &comms2,       &comms3};

    for (size_t p = 0; p < LENGTH(programs); p++) {
        cb_option_table table = bench_option_table(programs[p], "cb_test", "cb_test");
        char program[32];

        snprintf(program, sizeof(program), "cb_%s", programs[p]->name);
        for (size_t i = 0; i < table.option_count; i++) {
            const cb_option *row = &table.options[i];
            uint32_t scope = scope_of_name(&table, row->name);
            const char *owners = scope != 0 ? table.owners(scope) : NULL;

            if (scope == 0 || strcmp(row->name, "mode") == 0)
                continue;
            ck_assert_msg(owners != NULL, "--%s has no owners", row->name);
            ck_assert_msg((strstr(owners, program) != NULL) == ((scope & table.mask) != 0),
                          "--%s, which %s may have or not, says: %s", row->name, program, owners);
        }
    }
}
END_TEST

UNIT_MAIN("plan", the_notes_four_sizes_are_the_default, a_fit_adds_powers_of_two_to_one_mebibyte,
          beside_a_task_there_is_no_sweep_for_a_fit, every_measurement_has_the_occupation_asked_for,
          given_sizes_stand_alone_and_in_their_order, sizes_given_to_parkbench_ascend_for_its_line,
          a_sweep_has_each_power_with_its_neighbours_once,
          sizes_given_beside_a_sweep_take_their_place_in_it, the_largest_size_of_a_plan_is_known,
          two_nodes_are_the_only_count_of_a_pair, processors_are_the_reference_then_4_8_16_and_all,
          parkbench_saturates_without_a_reference, pairs_are_even,
          destinations_leave_a_rank_for_the_source,
          sources_leave_a_rank_for_the_destination_and_one_goes_first,
          given_counts_come_with_the_reference_and_ascend, a_given_reference_is_measured_once,
          a_job_of_one_rank_is_refused, counts_above_the_job_are_refused,
          an_odd_number_of_processors_makes_no_pairs, receivers_outside_the_job_are_refused,
          receivers_and_a_placement_are_not_given_both, receivers_bound_the_destinations,
          each_mode_of_a_calibration_has_processors_of_its_own,
          a_mode_of_three_processors_is_refused_by_name_in_a_job_of_two,
          default_leaves_out_what_is_on_request, all_modes_come_in_the_order_of_the_table,
          one_mode_is_measured_alone, an_unknown_mode_is_refused,
          by_default_lists_change_at_64_bytes_only, a_given_list_is_measured_at_all_sizes,
          a_given_multicast_is_measured_alone, a_benchmark_without_lists_has_one_variant,
          participants_are_the_first_ranks_of_the_job,
          named_receivers_follow_the_source_in_their_order,
          all_candidates_of_a_changing_list_take_part,
          a_farm_has_all_sizes_of_an_algorithm_before_the_next,
          the_notes_algorithms_and_sizes_are_the_default_of_group_2,
          a_pipeline_is_named_by_its_topology_and_a_farm_by_its_numbers,
          the_count_of_a_pipeline_is_what_its_last_stage_takes,
          a_sweep_of_a_farm_knows_its_largest_size, loads_that_do_not_go_together_make_no_plan,
          group_2_without_its_ranks_makes_no_plan,
          all_ranks_of_a_shape_take_part_and_those_left_over_do_not,
          a_fixed_list_has_its_own_length_of_candidates, roles_have_the_sizes_of_their_shares,
          who_takes_an_option_is_named_with_all_that_do)
