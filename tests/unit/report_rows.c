/* Rows in JSON: what is left out, digits, intervals, and the histogram of steps. */
#include "tests/unit/report.h"

#include <string.h>

START_TEST(a_row_without_values_has_no_keys_but_its_flag)
{
    report_row row = report_row_initial();
    json_t *result = written_row(&row);

    ck_assert_uint_eq(json_object_size(result), 1);
    ck_assert(json_is_false(json_object_get(result, "oversubscribed")));
    json_decref(result);
}
END_TEST

START_TEST(whole_numbers_are_integers)
{
    report_row row = typical_row("pingpong", 4096, even_blocks, BLOCKS);
    json_t *result = written_row(&row);

    ck_assert_int_eq(json_integer_value(json_object_get(result, "size_bytes")), 4096);
    json_decref(result);
}
END_TEST

START_TEST(reals_have_nine_digits)
{
    capture c;
    report_row row = report_row_initial();

    capture_open(&c, REPORT_JSON, NULL);
    row.touch_us = 1.0 / 3.0;
    report_add(c.document, &row);
    report_finish(c.document, NULL);
    ck_assert_ptr_nonnull(strstr(c.output, "\"touch_us\": 0.333333333}"));
    capture_close(&c);
}
END_TEST

START_TEST(fewer_than_six_values_give_no_interval)
{
    report_row row = typical_row("pingpong", 64, even_blocks, 5);
    json_t *result = written_row(&row), *latency = json_object_get(result, "latency_us");

    ck_assert_ptr_nonnull(json_object_get(latency, "median"));
    ck_assert_ptr_null(json_object_get(latency, "ci95"));
    json_decref(result);
}
END_TEST

static json_t *written_steps(const stats_histogram *steps, double divisor)
{
    report_row row = report_row_initial();
    json_t *result, *step_us;

    row.steps = steps;
    row.step_divisor = divisor;
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
START_TEST(empty_cells_between_two_in_use_become_one)
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
    report_row row = report_row_initial();
    json_t *result;

    capture_open(&c, REPORT_CSV, NULL);
    row.shares = shares;
    row.share_count = 3;
    result = written_row(&row);
    ck_assert_uint_eq(json_array_size(json_object_get(result, "shares")), 3);
    json_decref(result);
    report_add(c.document, &row);
    ck_assert_ptr_nonnull(strstr(c.output, ",0.2,0.5,"));
    capture_close(&c);
}
END_TEST

UNIT_PART(report_rows, a_row_without_values_has_no_keys_but_its_flag, whole_numbers_are_integers,
          reals_have_nine_digits, fewer_than_six_values_give_no_interval,
          a_percentile_needs_ten_samples_beyond_it, the_counts_of_a_histogram_sum_to_its_samples,
          empty_cells_between_two_in_use_become_one, steps_that_were_all_dropped_are_still_counted,
          the_maximum_of_the_steps_is_divided_as_the_figure_is,
          shares_are_an_array_in_json_and_their_range_in_csv)
