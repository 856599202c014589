/* Farms and topologies planned for a job of N ranks, what is refused with which message, and
 * which loads can be combined. */
#include "farm/options.h"
#include "rate/rates.h"

#include "benchmarks/registry.h"
#include "tests/common/lists.h"
#include "tests/common/messages.h"
#include "tests/engine/own_options.h"

enum { TEXT = 1024 };

/* "1-4-4 1-6-6": the shapes, separated by blanks. */
static void assert_shapes(const benchmark *definition, const bench_options *options, size_t ranks,
                          const char *expected)
{
    static bench_shape_list list;
    char text[TEXT] = "", one[SHAPE_TEXT];

    ck_assert_int_eq(definition->counted->choose(definition, options, ranks, &list), CB_OK);
    for (size_t i = 0; i < list.count; i++) {
        shape_text(&list.shapes[i], one);
        strncat(text, i > 0 ? " " : "", sizeof(text) - strlen(text) - 1);
        strncat(text, one, sizeof(text) - strlen(text) - 1);
    }
    ck_assert_str_eq(text, expected);
}

static void assert_refused(const benchmark *definition, const bench_options *options, size_t ranks,
                           const char *part)
{
    static bench_shape_list list;
    int messages = messages_capture();

    ck_assert_int_eq(definition->counted->choose(definition, options, ranks, &list),
                     CB_ERROR_USAGE);
    messages_expect(messages, part);
}

static void assert_usual(const benchmark *definition, size_t ranks, const char *expected)
{
    bench_options options = {.sweep = false};

    assert_shapes(definition, &options, ranks, expected);
}

/* Farms */

START_TEST(default_farms_of_4_6_and_8_are_used_if_they_fit_the_job)
{
    assert_usual(&cb_pushfarm, 9, "1-4-4");
    assert_usual(&cb_pushfarm, 12, "1-4-4");
    assert_usual(&cb_pushfarm, 13, "1-4-4 1-6-6");
    assert_usual(&cb_pullfarm, 17, "1-4-4 1-6-6 1-8-8");
    assert_usual(&cb_pullfarm, 100, "1-4-4 1-6-6 1-8-8");
}
END_TEST

START_TEST(a_job_too_small_for_a_farm_of_4_uses_the_largest_that_fits)
{
    assert_usual(&cb_pushfarm, 3, "1-1-1");
    assert_usual(&cb_pushfarm, 4, "1-1-1");
    assert_usual(&cb_pushfarm, 5, "1-2-2");
    assert_usual(&cb_pullfarm, 8, "1-3-3");
}
END_TEST

START_TEST(a_farm_needs_three_ranks)
{
    bench_options options = {.sweep = false};

    assert_refused(&cb_pushfarm, &options, 1, "needs 3 ranks and the job has 1");
    assert_refused(&cb_pullfarm, &options, 2, "mpirun -np 3");
}
END_TEST

START_TEST(lists_of_sources_and_destinations_are_combined_element_by_element)
{
    bench_options options = {.sources = LIST(4, 2, 1), .destinations = LIST(1, 3, 2)};

    assert_shapes(&cb_pushfarm, &options, 6, "1-4-1 1-2-3 1-1-2");
}
END_TEST

START_TEST(one_number_applies_to_all_elements_of_the_other_list)
{
    bench_options to_one = {.sources = LIST(4, 6, 8), .destinations = LIST(1)};
    bench_options from_two = {.sources = LIST(2), .destinations = LIST(3, 5)};

    assert_shapes(&cb_pushfarm, &to_one, 10, "1-4-1 1-6-1 1-8-1");
    assert_shapes(&cb_pullfarm, &from_two, 8, "1-2-3 1-2-5");
}
END_TEST

START_TEST(a_single_list_applies_to_both_sides)
{
    bench_options sources = {.sources = LIST(2, 3)}, destinations = {.destinations = LIST(2, 3)};

    assert_shapes(&cb_pushfarm, &sources, 7, "1-2-2 1-3-3");
    assert_shapes(&cb_pushfarm, &destinations, 7, "1-2-2 1-3-3");
}
END_TEST

START_TEST(lists_of_different_lengths_are_refused)
{
    bench_options options = {.sources = LIST(4, 6, 8), .destinations = LIST(1, 2)};

    assert_refused(&cb_pushfarm, &options, 100, "--sources has 3 numbers and --destinations 2");
}
END_TEST

START_TEST(too_few_ranks_for_a_farm_are_named_with_the_number_needed)
{
    bench_options options = {.sources = LIST(2, 9), .destinations = LIST(7)};

    assert_refused(&cb_pushfarm, &options, 16, "9 sources and 7 destinations");
    assert_refused(&cb_pushfarm, &options, 16, "needs 17 ranks and the job has 16");
    assert_refused(&cb_pullfarm, &options, 16, "mpirun -np 17");
    assert_shapes(&cb_pushfarm, &options, 17, "1-2-7 1-9-7");
}
END_TEST

START_TEST(too_many_farms_are_refused)
{
    static uint64_t many[SHAPE_LIST_ROOM + 1];
    bench_options options = {.sources = LIST(1), .destinations = {many, LENGTH(many)}};

    for (size_t i = 0; i < LENGTH(many); i++)
        many[i] = i + 1;
    assert_refused(&cb_pushfarm, &options, 1000, "more than 256");
}
END_TEST

/* Topologies */

START_TEST(the_topologies_of_note_48_are_used_if_they_fit_the_job)
{
    assert_usual(&cb_pipeline, 7, "4-2-1");
    assert_usual(&cb_pipeline, 9, "4-2-1 6-2-1");
    assert_usual(&cb_pipeline, 13, "4-2-1 6-2-1 9-3-1");
}
END_TEST

START_TEST(a_job_too_small_for_any_topology_is_refused_with_the_ranks_needed)
{
    bench_options options = {.sweep = false};

    assert_refused(&cb_pipeline, &options, 6, "4-2-1, needs 7 ranks and the job has 6");
}
END_TEST

START_TEST(given_topologies_are_measured_in_their_order)
{
    bench_options options = {.sweep = false};

    give_own(&cb_pipeline, &options, "topology", "3-3-3,2-1,8-4-2-1");

    assert_shapes(&cb_pipeline, &options, 15, "3-3-3 2-1 8-4-2-1");
}
END_TEST

START_TEST(too_few_ranks_for_a_topology_are_named_with_the_number_needed)
{
    bench_options options = {.sweep = false};

    give_own(&cb_pipeline, &options, "topology", "2-1,8-4-2-1");

    assert_refused(&cb_pipeline, &options, 14,
                   "topology 8-4-2-1 needs 15 ranks and the job has 14");
    assert_refused(&cb_pipeline, &options, 14, "mpirun -np 15");
}
END_TEST

START_TEST(a_topology_that_is_repeated_is_refused)
{
    bench_options options = {.sweep = false};

    give_own(&cb_pipeline, &options, "topology", "2-1,4-2-1,02-1");

    assert_refused(&cb_pipeline, &options, 100, "repeated");
}
END_TEST

START_TEST(an_invalid_list_of_topologies_is_refused)
{
    static const char *const texts[] = {"",           ",",         "2-1,", ",2-1",
                                        "2-1,,4-2-1", "2-1;4-2-1", "4-3-1"};

    for (size_t i = 0; i < LENGTH(texts); i++) {
        bench_options options = {.sweep = false};

        give_own(&cb_pipeline, &options, "topology", texts[i]);

        assert_refused(&cb_pipeline, &options, 100, "--topology");
    }
}
END_TEST

START_TEST(an_element_longer_than_any_topology_is_refused)
{
    char text[2 * SHAPE_TEXT + 1];
    bench_options options = {.sweep = false};

    give_own(&cb_pipeline, &options, "topology", text);

    memset(text, '1', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_refused(&cb_pipeline, &options, 100, "too long");
}
END_TEST

/* Loads */

static bench_options load_options(void)
{
    return (bench_options){.max_time_s = 1.5};
}

static void assert_load(const bench_options *options)
{
    ck_assert_int_eq(rate_check(options), CB_OK);
}

static void assert_load_refused(const bench_options *options, const char *part)
{
    int messages = messages_capture();

    ck_assert_int_eq(rate_check(options), CB_ERROR_USAGE);
    messages_expect(messages, part);
}

START_TEST(each_load_option_is_accepted_on_its_own)
{
    bench_options closed = load_options(), rate = load_options(), curve = load_options(),
                  automatic = load_options(), search = load_options();

    rate.rate_hz = 1000;
    curve.load_curve = "1kHz,50%";
    automatic.load_curve = "auto";
    search.find_rate = true;
    search.deadline_us = 100;
    assert_load(&closed);
    assert_load(&rate);
    assert_load(&curve);
    assert_load(&automatic);
    assert_load(&search);
}
END_TEST

START_TEST(two_loads_are_refused)
{
    bench_options rate = load_options(), curve = load_options(), search = load_options();

    rate.rate_hz = 1000;
    rate.load_curve = "auto";
    assert_load_refused(&rate, "exclude each other");
    curve.load_curve = "auto";
    curve.find_rate = true;
    curve.deadline_us = 100;
    assert_load_refused(&curve, "exclude each other");
    search.find_rate = true;
    search.deadline_us = 100;
    search.rate_hz = 1000;
    assert_load_refused(&search, "exclude each other");
}
END_TEST

START_TEST(a_search_needs_a_deadline)
{
    bench_options options = load_options();

    options.find_rate = true;
    assert_load_refused(&options, "--deadline-us");
}
END_TEST

START_TEST(a_deadline_without_a_search_is_refused)
{
    bench_options options = load_options();

    options.deadline_us = 100;
    assert_load_refused(&options, "--find-rate");
    options.rate_hz = 1000;
    assert_load_refused(&options, "--find-rate");
}
END_TEST

START_TEST(a_malformed_curve_is_refused_before_measuring)
{
    bench_options options = load_options();

    options.load_curve = "10kHz,fast";
    assert_load_refused(&options, "fast");
}
END_TEST

/* 20 events take at least 0.9 of --max-time. */
START_TEST(a_rate_too_low_for_the_time_limit_is_refused_with_the_time_needed)
{
    bench_options options = load_options();

    options.max_time_s = 2.5;
    options.rate_hz = 10;
    assert_load(&options);
    options.max_time_s = 2;
    assert_load_refused(&options, "needs 2.22 s for 20 events");
    options.rate_hz = 0;
    options.load_curve = "50%,10Hz";
    assert_load_refused(&options, "10 Hz");
}
END_TEST

UNIT_MAIN("plan_shapes", default_farms_of_4_6_and_8_are_used_if_they_fit_the_job,
          a_job_too_small_for_a_farm_of_4_uses_the_largest_that_fits, a_farm_needs_three_ranks,
          lists_of_sources_and_destinations_are_combined_element_by_element,
          one_number_applies_to_all_elements_of_the_other_list, a_single_list_applies_to_both_sides,
          lists_of_different_lengths_are_refused,
          too_few_ranks_for_a_farm_are_named_with_the_number_needed, too_many_farms_are_refused,
          the_topologies_of_note_48_are_used_if_they_fit_the_job,
          a_job_too_small_for_any_topology_is_refused_with_the_ranks_needed,
          given_topologies_are_measured_in_their_order,
          too_few_ranks_for_a_topology_are_named_with_the_number_needed,
          a_topology_that_is_repeated_is_refused, an_invalid_list_of_topologies_is_refused,
          an_element_longer_than_any_topology_is_refused, each_load_option_is_accepted_on_its_own,
          two_loads_are_refused, a_search_needs_a_deadline, a_deadline_without_a_search_is_refused,
          a_malformed_curve_is_refused_before_measuring,
          a_rate_too_low_for_the_time_limit_is_refused_with_the_time_needed)
