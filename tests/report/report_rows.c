/* Rows in JSON: omitted members, digits, intervals, and the histogram of steps. */
#include "tests/report/report.h"

#include <signal.h>
#include <string.h>

START_TEST(a_row_without_values_has_no_keys)
{
    report_row row = {.broken = false};
    json_t *result = written_row(&row);

    ck_assert_uint_eq(json_object_size(result), 0);
    json_decref(result);
}
END_TEST

START_TEST(whole_numbers_are_integers)
{
    report_row row = typical_row("pingpong", 4096);
    json_t *result = written_row(&row);

    ck_assert_int_eq(json_integer_value(json_object_get(result, "size_bytes")), 4096);
    json_decref(result);
}
END_TEST

START_TEST(reals_have_nine_digits)
{
    capture c;
    report_row row = {.broken = false};

    capture_open(&c, REPORT_JSON, NULL);
    report_set_number(&row, REPORT_TOUCH_US, 1.0 / 3.0);
    report_add(c.document, &row);
    report_finish(c.document, NULL);
    ck_assert_ptr_nonnull(strstr(c.output, "\"touch_us\": 0.333333333}"));
    capture_close(&c);
}
END_TEST

START_TEST(fewer_than_six_values_give_no_interval)
{
    report_row row = basic_row("pingpong", 64, "none");
    json_t *result, *latency;

    set_times(&row, REPORT_LATENCY_US, even_blocks, 5);
    result = written_row(&row);
    latency = json_object_get(result, "latency_us");
    ck_assert_ptr_nonnull(json_object_get(latency, "median"));
    ck_assert_ptr_null(json_object_get(latency, "ci95"));
    json_decref(result);
}
END_TEST

static json_t *written_steps(const stats_histogram *steps, double divisor)
{
    report_row row = {.broken = false};
    json_t *result, *step_us;

    report_set_distribution(&row, REPORT_STEP_US, steps, divisor);
    result = written_row(&row);
    step_us = json_incref(json_object_get(result, "step_us"));
    json_decref(result);
    return step_us;
}

START_TEST(a_percentile_needs_ten_samples_beyond_it)
{
    static const struct {
        unsigned samples;
        const char *key;
        bool there;
    } cases[] = {{19, "p50", false},     {20, "p50", true},     {99, "p90", false},
                 {100, "p90", true},     {999, "p99", false},   {1000, "p99", true},
                 {9999, "p99_9", false}, {10000, "p99_9", true}};
    static stats_histogram steps;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        json_t *written;

        fill_histogram(&steps, cases[i].samples);
        written = written_steps(&steps, 1);
        ck_assert_msg((json_object_get(written, cases[i].key) != NULL) == cases[i].there,
                      "%s with %u samples", cases[i].key, cases[i].samples);
        json_decref(written);
    }
}
END_TEST

START_TEST(the_counts_of_a_histogram_sum_to_its_samples)
{
    static stats_histogram steps;
    json_t *written, *counts, *bounds, *count;
    json_int_t sum = 0;
    size_t i;

    fill_histogram(&steps, 5000);
    written = written_steps(&steps, 2);
    counts = json_object_get(json_object_get(written, "histogram"), "counts");
    bounds = json_object_get(json_object_get(written, "histogram"), "bounds");
    json_array_foreach(counts, i, count) sum += json_integer_value(count);
    ck_assert_int_eq(sum, 5000);
    ck_assert_int_eq(json_integer_value(json_object_get(written, "samples")), 5000);
    ck_assert_uint_eq(json_array_size(bounds), json_array_size(counts) + 1);
    json_decref(written);
}
END_TEST

/* 100 and 1000 ns, halved: exact cells of 1 ns below 256 ns, then [1000, 1004) ns. */
START_TEST(consecutive_empty_cells_are_merged)
{
    static stats_histogram steps;
    json_t *written, *expected;

    memset(&steps, 0, sizeof(steps));
    stats_histogram_record(&steps, 100);
    stats_histogram_record(&steps, 1000);
    written = written_steps(&steps, 2);
    expected = json_pack("{s:[f,f,f,f], s:[i,i,i]}", "bounds", 0.05, 0.0505, 0.5, 0.502, "counts",
                         1, 0, 1);
    ck_assert_msg(json_equal(json_object_get(written, "histogram"), expected), "%s",
                  json_dumps(written, 0));
    json_decref(expected);
    json_decref(written);
}
END_TEST

START_TEST(steps_that_were_all_dropped_are_still_counted)
{
    static stats_histogram steps;
    json_t *written;

    memset(&steps, 0, sizeof(steps));
    steps.dropped = 3;
    written = written_steps(&steps, 1);
    ck_assert_int_eq(json_integer_value(json_object_get(written, "dropped")), 3);
    ck_assert_ptr_null(json_object_get(written, "histogram"));
    json_decref(written);
}
END_TEST

START_TEST(the_maximum_of_the_steps_is_divided_as_the_figure_is)
{
    static stats_histogram steps;
    json_t *written;

    memset(&steps, 0, sizeof(steps));
    stats_histogram_record(&steps, 5000);
    written = written_steps(&steps, 2);
    ck_assert_double_eq_tol(json_number_value(json_object_get(written, "max")), 2.5, 1e-9);
    json_decref(written);
}
END_TEST

START_TEST(shares_are_an_array_in_json_and_their_range_in_csv)
{
    static const double shares[] = {0.5, 0.3, 0.2};
    capture c;
    report_row row = {.broken = false};
    json_t *result;

    capture_open(&c, REPORT_CSV, NULL);
    report_set_numbers(&row, REPORT_SHARES, shares, 3);
    result = written_row(&row);
    ck_assert_uint_eq(json_array_size(json_object_get(result, "shares")), 3);
    json_decref(result);
    report_set_numbers(&row, REPORT_SHARES, shares, 3);
    report_add(c.document, &row);
    ck_assert_ptr_nonnull(strstr(c.output, ",0.2,0.5,"));
    capture_close(&c);
}
END_TEST

START_TEST(setting_a_member_creates_its_parent_objects_and_arrays)
{
    report_row row = {.broken = false};
    json_t *result, *expected = json_pack("{s:[i,i], s:[i,i]}", "source", 2, 0, "a.b", 0, 1);

    report_set_member(&row, REPORT_PLACEMENT, 2, "source.0");
    report_set_member(&row, REPORT_PLACEMENT, 0, "source.1");
    report_set_member(&row, REPORT_PLACEMENT, 0, "[a.b].0");
    report_set_member(&row, REPORT_PLACEMENT, 1, "[a.b].1");
    result = written_row(&row);
    ck_assert(json_equal(json_object_get(result, "placement"), expected));
    json_decref(expected);
    json_decref(result);
}
END_TEST

/* A column's figure is set in one place only. */

START_TEST(a_column_that_is_set_twice_ends_the_program)
{
    report_row row = {.broken = false};

    report_set_number(&row, REPORT_SKEW_US, 1);
    report_set_number(&row, REPORT_SKEW_US, 1);
}
END_TEST

START_TEST(a_member_that_is_set_twice_ends_the_program)
{
    report_row row = {.broken = false};

    report_set_member(&row, REPORT_SLOWDOWN_COMPUTING, 1, "source");
    report_set_member(&row, REPORT_SLOWDOWN_COMPUTING, 1, "source");
}
END_TEST

START_TEST(a_value_of_another_type_ends_the_program)
{
    report_row row = {.broken = false};

    report_set_number(&row, REPORT_MODE, 1);
}
END_TEST

START_TEST(an_added_row_is_empty)
{
    capture c;
    report_row row = typical_row("pingpong", 64);

    capture_open(&c, REPORT_TEXT, NULL);
    ck_assert_int_eq(report_add(c.document, &row), CB_OK);
    ck_assert(!report_row_has(&row, REPORT_MODE));
    capture_close(&c);
}
END_TEST

UNIT_PART(report_rows, a_row_without_values_has_no_keys, whole_numbers_are_integers,
          reals_have_nine_digits, fewer_than_six_values_give_no_interval,
          a_percentile_needs_ten_samples_beyond_it, the_counts_of_a_histogram_sum_to_its_samples,
          consecutive_empty_cells_are_merged, steps_that_were_all_dropped_are_still_counted,
          the_maximum_of_the_steps_is_divided_as_the_figure_is,
          shares_are_an_array_in_json_and_their_range_in_csv, an_added_row_is_empty,
          setting_a_member_creates_its_parent_objects_and_arrays)

void report_misuse(TCase *group)
{
    tcase_add_test_raise_signal(group, a_column_that_is_set_twice_ends_the_program, SIGABRT);
    tcase_add_test_raise_signal(group, a_member_that_is_set_twice_ends_the_program, SIGABRT);
    tcase_add_test_raise_signal(group, a_value_of_another_type_ends_the_program, SIGABRT);
}
