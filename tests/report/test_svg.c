/* Axes of pictures, and escaping of arbitrary text in JSON and XML. */
#include "report/svg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/escape.h"
#include "tests/common/unit.h"

/* The output of `write` for `text`; to be freed. */
static char *written(void (*write)(FILE *stream, const char *text), const char *text)
{
    char *result = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&result, &bytes);

    ck_assert_ptr_nonnull(stream);
    write(stream, text);
    fclose(stream);
    return result;
}

static void assert_written(void (*write)(FILE *stream, const char *text), const char *text,
                           const char *expected)
{
    char *result = written(write, text);

    ck_assert_str_eq(result, expected);
    free(result);
}

static double step_of(double from, double to)
{
    const report_axis axis = {from, to, 0, 100};

    return report_axis_step(&axis, 10);
}

START_TEST(values_are_placed_in_proportion_between_the_ends)
{
    const report_axis right = {10, 30, 100, 200}, down = {0, 4, 300, 100};
    const report_axis empty = {5, 5, 7, 9};

    ck_assert_double_eq(report_axis_place(&right, 10), 100);
    ck_assert_double_eq(report_axis_place(&right, 25), 175);
    ck_assert_double_eq(report_axis_place(&down, 1), 250);
    ck_assert_double_eq(report_axis_place(&empty, 5), 7);
}
END_TEST

START_TEST(steps_are_round_and_give_few_ticks)
{
    ck_assert_double_eq_tol(step_of(0, 10), 1, 1e-12);
    ck_assert_double_eq_tol(step_of(0, 10.5), 2, 1e-12);
    ck_assert_double_eq_tol(step_of(0, 43), 5, 1e-12);
    ck_assert_double_eq_tol(step_of(100, 171), 10, 1e-12);
    ck_assert_double_eq_tol(step_of(0, 0.003), 0.0005, 1e-15);
}
END_TEST

static void write_axis(FILE *stream, const char *name)
{
    const report_axis axis = {-0.5, 2, 0, 250};

    report_axis_draw_below(stream, &axis, 10, 0, name);
}

START_TEST(tick_labels_have_no_minus_zero)
{
    char *text = written(write_axis, "time in s");

    ck_assert_ptr_nonnull(strstr(text, ">-0.5<"));
    ck_assert_ptr_nonnull(strstr(text, ">0<"));
    ck_assert_ptr_nonnull(strstr(text, ">1.5<"));
    ck_assert_ptr_nonnull(strstr(text, ">time in s<"));
    ck_assert_ptr_null(strstr(text, ">-0<"));
    free(text);
}
END_TEST

START_TEST(any_text_is_valid_in_json)
{
    assert_written(report_escape_json, "plain", "\"plain\"");
    assert_written(report_escape_json, "a\"b\\c", "\"a\\u0022b\\u005cc\"");
    assert_written(report_escape_json, "\n\x7f\xff", "\"\\u000a\\u007f\\u00ff\"");
}
END_TEST

START_TEST(any_text_is_valid_in_xml)
{
    assert_written(report_escape_xml, "<a & 'b'>", "&#60;a &#38; &#39;b&#39;&#62;");
    assert_written(report_escape_xml, "\x01\xe9", "?&#233;");
}
END_TEST

UNIT_MAIN("svg", values_are_placed_in_proportion_between_the_ends,
          steps_are_round_and_give_few_ticks, tick_labels_have_no_minus_zero,
          any_text_is_valid_in_json, any_text_is_valid_in_xml)
