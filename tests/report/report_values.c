/* Setting members of a document by path: text, keys, indices, and the end of a document. */
#include "tests/report/report.h"

#include <math.h>

/* The text as it is read back from a document. */
static void assert_written(const char *given, const char *expected)
{
    capture c;
    json_t *root;

    capture_open(&c, REPORT_JSON, NULL);
    report_put_text(c.document, given, "parameters.text");
    root = capture_json(&c, NULL);
    ck_assert_str_eq(
        json_string_value(json_object_get(json_object_get(root, "parameters"), "text")), expected);
    json_decref(root);
    capture_close(&c);
}

START_TEST(text_in_utf8_stays_as_it_is)
{
    assert_written("plain", "plain");
    assert_written("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}
END_TEST

#define REPLACED "\xef\xbf\xbd"

START_TEST(invalid_utf8_is_replaced)
{
    assert_written("a\xff!", "a" REPLACED "!");
    assert_written("cut\xe2\x82", "cut" REPLACED REPLACED);
    assert_written("\xc0\xaf", REPLACED REPLACED);
    assert_written("\xed\xa0\x80", REPLACED REPLACED REPLACED);
    assert_written("\xf4\x90\x80\x80", REPLACED REPLACED REPLACED REPLACED);
}
END_TEST

START_TEST(a_key_that_is_not_utf8_does_not_break_the_document)
{
    capture c;
    json_t *root;

    capture_open(&c, REPORT_JSON, NULL);
    report_put_text(c.document, "value", "environment.mpi_settings.[%s]", "b\xfftl");
    root = capture_json(&c, NULL);
    ck_assert_uint_eq(
        json_object_size(json_object_get(json_object_get(root, "environment"), "mpi_settings")), 1);
    json_decref(root);
    capture_close(&c);
}
END_TEST

START_TEST(a_key_in_brackets_keeps_its_dots)
{
    capture c;
    json_t *root, *tuning;

    capture_open(&c, REPORT_JSON, NULL);
    report_put_number(c.document, 7, "environment.tuning.[net.core.0]");
    root = capture_json(&c, NULL);
    tuning = json_object_get(json_object_get(root, "environment"), "tuning");
    ck_assert_int_eq(json_integer_value(json_object_get(tuning, "net.core.0")), 7);
    json_decref(root);
    capture_close(&c);
}
END_TEST

START_TEST(indices_may_be_set_in_any_order)
{
    capture c;
    json_t *root, *expected = json_pack("[s,s,s]", "a", "b", "c");

    capture_open(&c, REPORT_JSON, NULL);
    report_put_text(c.document, "c", "command.%d", 2);
    report_put_text(c.document, "a", "command.%d", 0);
    report_put_text(c.document, "b", "command.%d", 1);
    root = capture_json(&c, NULL);
    ck_assert(json_equal(json_object_get(root, "command"), expected));
    json_decref(expected);
    json_decref(root);
    capture_close(&c);
}
END_TEST

START_TEST(absent_values_are_omitted)
{
    capture c;
    json_t *root;

    capture_open(&c, REPORT_JSON, NULL);
    report_put_text(c.document, NULL, "parameters.a");
    report_put_text(c.document, "", "parameters.b");
    report_put_number(c.document, REPORT_ABSENT, "parameters.c");
    report_put_number(c.document, (double)INFINITY, "parameters.d");
    root = capture_json(&c, NULL);
    ck_assert_uint_eq(json_object_size(json_object_get(root, "parameters")), 0);
    json_decref(root);
    capture_close(&c);
}
END_TEST

START_TEST(a_member_of_a_value_that_is_no_object_fails_the_run)
{
    capture c;

    capture_open(&c, REPORT_JSON, NULL);
    report_put_number(c.document, 1, "parameters.window");
    report_put_number(c.document, 2, "parameters.window.size");
    ck_assert_int_ne(report_finish(c.document, NULL), CB_OK);
    capture_close(&c);
}
END_TEST

START_TEST(a_finished_document_is_marked_complete)
{
    capture c;
    json_t *root;

    capture_open(&c, REPORT_JSON, NULL);
    root = capture_json(&c, NULL);
    ck_assert(json_is_true(json_object_get(root, "complete")));
    ck_assert_ptr_null(json_object_get(root, "reason"));
    json_decref(root);
    capture_close(&c);
}
END_TEST

START_TEST(an_interrupted_document_has_the_reason)
{
    capture c;
    json_t *root;

    capture_open(&c, REPORT_JSON, NULL);
    root = capture_json(&c, "SIGTERM");
    ck_assert(json_is_false(json_object_get(root, "complete")));
    ck_assert_str_eq(json_string_value(json_object_get(root, "reason")), "SIGTERM");
    json_decref(root);
    capture_close(&c);
}
END_TEST

UNIT_PART(report_values, text_in_utf8_stays_as_it_is, invalid_utf8_is_replaced,
          a_key_that_is_not_utf8_does_not_break_the_document, a_key_in_brackets_keeps_its_dots,
          indices_may_be_set_in_any_order, absent_values_are_omitted,
          a_member_of_a_value_that_is_no_object_fails_the_run,
          a_finished_document_is_marked_complete, an_interrupted_document_has_the_reason)
