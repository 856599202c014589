/* Additional content of rows of farms, in all formats: answers, destinations, marks. */
#include "tests/report/report.h"

#include <stdlib.h>
#include <string.h>

static const stats_histogram nothing;

static void set_found(report_row *row)
{
    report_set_member(row, REPORT_FOUND_HZ, 50000, "value");
    report_set_member(row, REPORT_FOUND_HZ, 48000, "interval.0");
    report_set_member(row, REPORT_FOUND_HZ, 55000, "interval.1");
    report_set_member(row, REPORT_FOUND_HZ, 4, "held");
    report_set_member(row, REPORT_FOUND_HZ, 5, "repeats");
}

START_TEST(the_rate_found_by_a_search_has_its_interval)
{
    report_row row = {.broken = false};
    json_t *result, *expected = json_pack("{s:i, s:[i,i], s:i, s:i}", "value", 50000, "interval",
                                          48000, 55000, "held", 4, "repeats", 5);

    set_found(&row);
    result = written_row(&row);
    ck_assert(json_equal(json_object_get(result, "found_Hz"), expected));
    json_decref(expected);
    json_decref(result);
}
END_TEST

START_TEST(no_answer_is_reported_without_a_question)
{
    report_row row = {.broken = false};
    json_t *result = written_row(&row);

    ck_assert_ptr_null(json_object_get(result, "saturated"));
    ck_assert_ptr_null(json_object_get(result, "found_Hz"));
    ck_assert_ptr_null(json_object_get(result, "per_destination"));
    json_decref(result);
}
END_TEST

START_TEST(an_answer_is_printed_as_yes_or_no)
{
    report_row row = {.broken = false};
    json_t *result;

    report_set_flag(&row, REPORT_SATURATED, true);
    result = written_row(&row);
    ck_assert(json_is_true(json_object_get(result, "saturated")));
    json_decref(result);
    report_set_flag(&row, REPORT_SATURATED, false);
    result = written_row(&row);
    ck_assert(json_is_false(json_object_get(result, "saturated")));
    json_decref(result);
}
END_TEST

/* Two destinations; the first recorded nothing. */
static report_row row_of_farm(const stats_histogram *latency)
{
    report_row row = typical_row("open", 64);

    for (size_t i = 0; i < 2; i++) {
        report_set_member(&row, REPORT_PER_DESTINATION, 3 + (double)i, "%zu.rank", i);
        report_set_member(&row, REPORT_PER_DESTINATION, i == 0 ? 0 : 200, "%zu.decided", i);
        report_set_member(&row, REPORT_PER_DESTINATION, i == 0 ? 2 : 0, "%zu.lost", i);
        report_set_member(&row, REPORT_PER_DESTINATION, i == 0 ? 0 : 2.5, "%zu.in_flight_mean", i);
        report_set_member(&row, REPORT_PER_DESTINATION, i == 0 ? 1 : 7, "%zu.in_flight_most", i);
    }
    report_set_member_percentiles(&row, REPORT_PER_DESTINATION, &nothing, "0.latency_us");
    report_set_member_percentiles(&row, REPORT_PER_DESTINATION, latency, "1.latency_us");
    report_set_distribution(&row, REPORT_EVENT_LATENCY_US, latency, 1);
    report_set_number(&row, REPORT_OFFERED_HZ, 1000);
    return row;
}

START_TEST(each_destination_is_an_object_without_a_histogram)
{
    static stats_histogram latency;
    report_row row;
    json_t *result, *list, *one;

    fill_histogram(&latency, 200);
    row = row_of_farm(&latency);
    result = written_row(&row);
    list = json_object_get(result, "per_destination");
    ck_assert_uint_eq(json_array_size(list), 2);
    one = json_array_get(list, 1);
    ck_assert_int_eq(json_integer_value(json_object_get(one, "rank")), 4);
    ck_assert_int_eq(json_integer_value(json_object_get(one, "decided")), 200);
    ck_assert_double_eq(json_number_value(json_object_get(one, "in_flight_mean")), 2.5);
    one = json_object_get(one, "latency_us");
    ck_assert_ptr_nonnull(json_object_get(one, "p50"));
    ck_assert_ptr_null(json_object_get(one, "histogram"));
    one = json_object_get(result, "event_latency_us");
    ck_assert_ptr_nonnull(json_object_get(one, "histogram"));
    json_decref(result);
}
END_TEST

START_TEST(a_destination_without_decisions_has_no_latency)
{
    static stats_histogram latency;
    report_row row;
    json_t *result, *one;

    fill_histogram(&latency, 200);
    row = row_of_farm(&latency);
    result = written_row(&row);
    one = json_array_get(json_object_get(result, "per_destination"), 0);
    ck_assert_int_eq(json_integer_value(json_object_get(one, "lost")), 2);
    ck_assert_ptr_null(json_object_get(one, "latency_us"));
    json_decref(result);
}
END_TEST

/* The number in the cell below a CSV column heading. */
static double csv_cell(const char *csv, const char *head)
{
    const char *line = strchr(csv, '\n') + 1, *heads = csv;
    size_t length = strlen(head);

    while (strncmp(heads, head, length) != 0 || (heads[length] != ',' && heads[length] != '\n')) {
        heads = strpbrk(heads, ",\n");
        ck_assert_msg(heads != NULL && *heads == ',', "CSV has no %s", head);
        heads++;
        line = strchr(line, ',');
        ck_assert_ptr_nonnull(line);
        line++;
    }
    return strtod(line, NULL);
}

START_TEST(csv_has_the_slowest_destination_and_the_maximum_in_flight)
{
    static stats_histogram latency;
    capture c;
    report_row row;

    fill_histogram(&latency, 200);
    row = row_of_farm(&latency);
    set_found(&row);
    capture_open(&c, REPORT_CSV, NULL);
    report_add(c.document, &row);
    ck_assert_double_eq_tol(csv_cell(c.output, "per_destination_slowest_p50_us"),
                            csv_cell(c.output, "event_latency_us_p50"), 1e-9);
    ck_assert_double_eq(csv_cell(c.output, "per_destination_in_flight_most"), 7);
    ck_assert_double_eq(csv_cell(c.output, "found_Hz_value"), 50000);
    ck_assert_double_eq(csv_cell(c.output, "found_Hz_low"), 48000);
    ck_assert_double_eq(csv_cell(c.output, "found_Hz_high"), 55000);
    ck_assert_double_eq(csv_cell(c.output, "found_Hz_held"), 4);
    capture_close(&c);
}
END_TEST

START_TEST(the_text_marks_a_saturated_row_and_explains_the_mark)
{
    static stats_histogram latency;
    capture c;
    report_row row;

    fill_histogram(&latency, 200);
    row = row_of_farm(&latency);
    report_set_flag(&row, REPORT_SATURATED, true);
    report_set_text(&row, REPORT_LIMITED_BY, "farm");
    capture_open(&c, REPORT_TEXT, NULL);
    report_add(c.document, &row);
    row = row_of_farm(&latency);
    report_set_flag(&row, REPORT_SATURATED, false);
    report_add(c.document, &row);
    ck_assert_uint_eq(count_of(c.output, "!\n"), 1);
    report_finish(c.document, NULL);
    ck_assert_ptr_nonnull(strstr(c.output, "\n! saturated"));
    capture_close(&c);
}
END_TEST

START_TEST(the_text_marks_rates_that_are_totals_because_of_a_loss)
{
    capture c;
    report_row row = typical_row("stream", 64);

    capture_open(&c, REPORT_TEXT, NULL);
    report_add(c.document, &row);
    row = typical_row("stream", 64);
    report_set_text(&row, REPORT_RATES_FROM, "totals");
    report_add(c.document, &row);
    ck_assert_uint_eq(count_of(c.output, "<\n"), 1);
    report_finish(c.document, NULL);
    ck_assert_ptr_nonnull(strstr(c.output, "\n< something was lost or waited for"));
    capture_close(&c);
}
END_TEST

START_TEST(the_text_distinguishes_a_rate_that_was_found_from_a_failed_trial)
{
    static stats_histogram latency;
    capture c;
    report_row row;

    fill_histogram(&latency, 200);
    row = row_of_farm(&latency);
    set_found(&row);
    report_set_flag(&row, REPORT_SATURATED, true);
    report_set_text(&row, REPORT_LIMITED_BY, "farm");
    capture_open(&c, REPORT_TEXT, NULL);
    report_add(c.document, &row);
    ck_assert_ptr_nonnull(strstr(c.output, " ="));
    ck_assert_ptr_null(strchr(c.output, '!'));
    ck_assert_ptr_nonnull(strstr(c.output,
                                 "found rate: 50000 Hz held the deadline in 4 of 5 trials; "
                                 "48000 Hz in all, 55000 Hz in none; the additional "
                                 "run shown in the row was saturated\n"));
    report_finish(c.document, NULL);
    ck_assert_ptr_nonnull(strstr(c.output, "\n= rate found by --find-rate"));
    capture_close(&c);
}
END_TEST

START_TEST(only_a_row_that_missed_its_schedule_is_marked)
{
    static stats_histogram latency;
    capture c;
    report_row row;

    fill_histogram(&latency, 200);
    row = row_of_farm(&latency);
    report_set_flag(&row, REPORT_SATURATED, false);
    report_set_number(&row, REPORT_GENERATOR_ERROR_PCT, 1);
    capture_open(&c, REPORT_TEXT, NULL);
    report_add(c.document, &row);
    ck_assert_uint_eq(count_of(c.output, "?\n"), 0);
    row = row_of_farm(&latency);
    report_set_flag(&row, REPORT_SATURATED, false);
    report_set_number(&row, REPORT_GENERATOR_ERROR_PCT, 1.01);
    report_add(c.document, &row);
    ck_assert_uint_eq(count_of(c.output, "?\n"), 1);
    report_finish(c.document, NULL);
    ck_assert_ptr_nonnull(strstr(c.output, "\n? events were issued"));
    capture_close(&c);
}
END_TEST

UNIT_PART(report_farms, the_rate_found_by_a_search_has_its_interval,
          no_answer_is_reported_without_a_question, an_answer_is_printed_as_yes_or_no,
          each_destination_is_an_object_without_a_histogram,
          a_destination_without_decisions_has_no_latency,
          csv_has_the_slowest_destination_and_the_maximum_in_flight,
          the_text_marks_a_saturated_row_and_explains_the_mark,
          the_text_marks_rates_that_are_totals_because_of_a_loss,
          the_text_distinguishes_a_rate_that_was_found_from_a_failed_trial,
          only_a_row_that_missed_its_schedule_is_marked)
