/* What rows of farms have besides, in all forms: answers, destinations, marks. */
#include "tests/unit/report.h"

#include <stdlib.h>
#include <string.h>

START_TEST(a_rate_that_was_found_has_its_interval)
{
    report_row row = report_row_initial();
    json_t *result, *expected = json_pack("{s:i, s:[i,i], s:i, s:i}", "value", 50000, "interval",
                                          48000, 55000, "held", 4, "repeats", 5);

    row.found = (report_found){
        .value_Hz = 50000, .low_Hz = 48000, .high_Hz = 55000, .held = 4, .repeats = 5};
    result = written_row(&row);
    ck_assert(json_equal(json_object_get(result, "found_Hz"), expected));
    json_decref(expected);
    json_decref(result);
}
END_TEST

START_TEST(what_was_not_asked_for_has_no_answer)
{
    report_row row = report_row_initial();
    json_t *result = written_row(&row);

    ck_assert_ptr_null(json_object_get(result, "saturated"));
    ck_assert_ptr_null(json_object_get(result, "found_Hz"));
    ck_assert_ptr_null(json_object_get(result, "per_destination"));
    json_decref(result);
}
END_TEST

START_TEST(an_answer_is_yes_or_no)
{
    report_row row = report_row_initial();
    json_t *result;

    row.saturated = REPORT_YES;
    result = written_row(&row);
    ck_assert(json_is_true(json_object_get(result, "saturated")));
    json_decref(result);
    row.saturated = REPORT_NO;
    result = written_row(&row);
    ck_assert(json_is_false(json_object_get(result, "saturated")));
    json_decref(result);
}
END_TEST

/* Two destinations; the first recorded nothing. */
static report_row row_of_farm(const stats_histogram *latency)
{
    static const stats_histogram none;
    static report_destination list[2];
    report_row row = typical_row("open", 64, even_blocks, BLOCKS);

    list[0] = (report_destination){.rank = 3,
                                   .decided = 0,
                                   .lost = 2,
                                   .in_flight_mean = 0,
                                   .in_flight_most = 1,
                                   .latency = &none};
    list[1] = (report_destination){.rank = 4,
                                   .decided = 200,
                                   .lost = 0,
                                   .in_flight_mean = 2.5,
                                   .in_flight_most = 7,
                                   .latency = latency};
    row.per_destination = list;
    row.destination_count = 2;
    row.event_latency = latency;
    row.offered_Hz = 1000;
    row.saturated = REPORT_YES;
    row.limited_by = "farm";
    return row;
}

START_TEST(each_destination_is_an_object_without_a_histogram_of_its_own)
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

/* The number in the cell under a head of CSV. */
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

START_TEST(csv_has_the_slowest_destination_and_the_most_in_flight)
{
    static stats_histogram latency;
    capture c;
    report_row row;

    fill_histogram(&latency, 200);
    row = row_of_farm(&latency);
    row.found = (report_found){
        .value_Hz = 50000, .low_Hz = 48000, .high_Hz = 55000, .held = 4, .repeats = 5};
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

START_TEST(a_saturated_row_is_marked_in_the_text_and_the_mark_explained)
{
    static stats_histogram latency;
    capture c;
    report_row row;

    fill_histogram(&latency, 200);
    row = row_of_farm(&latency);
    capture_open(&c, REPORT_TEXT, NULL);
    report_add(c.document, &row);
    row.saturated = REPORT_NO;
    row.limited_by = NULL;
    report_add(c.document, &row);
    ck_assert_uint_eq(count_of(c.output, "!\n"), 1);
    report_finish(c.document, NULL);
    ck_assert_ptr_nonnull(strstr(c.output, "\n! saturated"));
    capture_close(&c);
}
END_TEST

START_TEST(a_row_that_is_off_its_schedule_is_marked_and_one_that_keeps_it_is_not)
{
    static stats_histogram latency;
    capture c;
    report_row row;

    fill_histogram(&latency, 200);
    row = row_of_farm(&latency);
    row.saturated = REPORT_NO;
    row.limited_by = NULL;
    row.generator_error_pct = 1;
    capture_open(&c, REPORT_TEXT, NULL);
    report_add(c.document, &row);
    ck_assert_uint_eq(count_of(c.output, "?\n"), 0);
    row.generator_error_pct = 1.01;
    report_add(c.document, &row);
    ck_assert_uint_eq(count_of(c.output, "?\n"), 1);
    report_finish(c.document, NULL);
    ck_assert_ptr_nonnull(strstr(c.output, "\n? events were issued"));
    capture_close(&c);
}
END_TEST

UNIT_PART(report_farms, a_rate_that_was_found_has_its_interval,
          what_was_not_asked_for_has_no_answer, an_answer_is_yes_or_no,
          each_destination_is_an_object_without_a_histogram_of_its_own,
          a_destination_without_decisions_has_no_latency,
          csv_has_the_slowest_destination_and_the_most_in_flight,
          a_saturated_row_is_marked_in_the_text_and_the_mark_explained,
          a_row_that_is_off_its_schedule_is_marked_and_one_that_keeps_it_is_not)
