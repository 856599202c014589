/* Packet sizes of a plan, and the occupation of its measurements. */
#include "tests/engine/plans.h"

enum { MOST_SIZES = 128 };

/* The sizes of the first curve in a plan. */
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

static void assert_sizes(const benchmark *definition, const bench_options *options,
                         cb_list expected)
{
    bench_plan plan = planned(definition, options, 17);
    uint64_t sizes[MOST_SIZES];
    size_t count = first_sizes(&plan, sizes);

    assert_values(sizes, count, &expected);
    plan_free(&plan);
}

START_TEST(the_four_sizes_of_note_48_are_the_default)
{
    bench_options options = default_options();

    assert_sizes(&cb_alltoall, &options, LIST(0, 64, 256, 1024));
}
END_TEST

START_TEST(a_fit_adds_powers_of_two_to_one_mebibyte)
{
    bench_options options = default_options();

    assert_sizes(&cb_oneway, &options,
                 LIST(0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384,
                      32768, 65536, 131072, 262144, 524288, 1048576));
}
END_TEST

START_TEST(no_sizes_are_added_for_a_fit_when_computation_overlaps)
{
    bench_options options = default_options();

    options.compute = "destination";
    assert_sizes(&cb_oneway, &options, LIST(0, 64, 256, 1024));
    options.compute = "none";
    options.sizes = LIST(8);
    assert_sizes(&cb_oneway, &options, LIST(8));
}
END_TEST

START_TEST(every_measurement_has_the_requested_occupation)
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
        plan = planned(&cb_multicast, &options, 5);
        for (size_t k = 0; k < plan.count; k++)
            ck_assert_int_eq(plan.measurements[k].occupation, asked[i].occupation);
        plan_free(&plan);
    }
}
END_TEST

START_TEST(given_sizes_replace_the_defaults_and_keep_their_order)
{
    bench_options options = default_options();

    options.sizes = LIST(1000, 8, 64);
    assert_sizes(&cb_oneway, &options, LIST(1000, 8, 64));
}
END_TEST

START_TEST(sizes_given_to_parkbench_are_sorted)
{
    bench_options options = default_options();

    options.sizes = LIST(1024, 0, 64, 0);
    assert_sizes(&cb_comms1, &options, LIST(0, 64, 1024));
}
END_TEST

START_TEST(a_sweep_has_each_power_of_two_and_its_neighbours_once)
{
    bench_options options = default_options();
    uint64_t expected[MOST_SIZES] = {0, 1, 2, 3, 4, 5, 7, 8, 9};
    size_t count = 9;

    options.sweep = true;
    for (uint64_t power = 16; power <= 4 << 20; power *= 2)
        for (uint64_t size = power - 1; size <= power + 1; size++)
            expected[count++] = size;
    assert_sizes(&cb_alltoall, &options, (cb_list){expected, count});
    assert_sizes(&cb_oneway, &options, (cb_list){expected, count});
}
END_TEST

START_TEST(sizes_given_together_with_a_sweep_are_merged_in_order)
{
    bench_options options = default_options();
    bench_plan plan;
    uint64_t sizes[MOST_SIZES];
    size_t count, position = 0;

    options.sweep = true;
    options.sizes = LIST(8000000, 1000, 64);
    plan = planned(&cb_alltoall, &options, 2);
    count = first_sizes(&plan, sizes);
    plan_free(&plan);
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
    plan = planned(&cb_oneway, &options, 2);
    ck_assert_uint_eq(plan.largest_bytes, 70000);
    plan_free(&plan);
}
END_TEST

UNIT_PART(part_sizes, the_four_sizes_of_note_48_are_the_default,
          a_fit_adds_powers_of_two_to_one_mebibyte,
          no_sizes_are_added_for_a_fit_when_computation_overlaps,
          every_measurement_has_the_requested_occupation,
          given_sizes_replace_the_defaults_and_keep_their_order,
          sizes_given_to_parkbench_are_sorted,
          a_sweep_has_each_power_of_two_and_its_neighbours_once,
          sizes_given_together_with_a_sweep_are_merged_in_order,
          the_largest_size_of_a_plan_is_known)
