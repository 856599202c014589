/* Incremental writing of JSON: brackets, commas, lines and texts. */
#include "report/stream.h"

#include <math.h>
#include <stdlib.h>

#include "tests/common/unit.h"

static void expect(void (*write)(report_stream *out), const char *expected)
{
    size_t length = 0;
    char *text = NULL;
    FILE *file = open_memstream(&text, &length);
    report_stream out;

    ck_assert_ptr_nonnull(file);
    out = report_stream_begin(file);
    write(&out);
    report_stream_end(&out);
    fclose(file);
    ck_assert_str_eq(text, expected);
    free(text);
}

static void write_nothing(report_stream *out)
{
    (void)out;
}

static void write_values(report_stream *out)
{
    report_stream_number(out, "a", 1);
    report_stream_number(out, "b", 0.1);
    report_stream_number(out, "c", 1e300);
    report_stream_flag(out, "d", true);
    report_stream_text(out, "e", "f");
}

static void write_absent(report_stream *out)
{
    report_stream_number(out, "a", (double)NAN);
    report_stream_number(out, "b", (double)INFINITY);
    report_stream_text(out, "c", NULL);
    report_stream_flag(out, "d", false);
}

static void write_rows(report_stream *out)
{
    report_stream_array(out, "rows");
    for (int i = 0; i < 2; i++) {
        report_stream_object(out, NULL);
        report_stream_number(out, "rank", i);
        report_stream_array(out, "list");
        report_stream_number(out, NULL, 7);
        report_stream_number(out, NULL, 8);
        report_stream_end(out);
        report_stream_end(out);
    }
    report_stream_end(out);
    report_stream_object(out, "empty");
    report_stream_end(out);
}

static void write_texts(report_stream *out)
{
    report_stream_text(out, "a\"b", "line\nbreak \\ \x01");
    report_stream_text(out, "broken", "x\xff");
}

START_TEST(an_empty_document_is_an_object)
{
    expect(write_nothing, "{}\n");
}
END_TEST

START_TEST(each_member_is_on_its_own_line)
{
    expect(write_values, "{\n  \"a\": 1,\n  \"b\": 0.1,\n  \"c\": 1e+300,\n  \"d\": true,\n"
                         "  \"e\": \"f\"\n}\n");
}
END_TEST

START_TEST(unknown_values_are_omitted)
{
    expect(write_absent, "{\n  \"d\": false\n}\n");
}
END_TEST

START_TEST(an_array_element_is_written_on_one_line)
{
    expect(write_rows, "{\n  \"rows\": [\n    {\"rank\": 0, \"list\": [7, 8]},\n"
                       "    {\"rank\": 1, \"list\": [7, 8]}\n  ],\n  \"empty\": {}\n}\n");
}
END_TEST

START_TEST(texts_are_escaped)
{
    expect(write_texts, "{\n  \"a\\\"b\": \"line\\nbreak \\\\ \\u0001\",\n"
                        "  \"broken\": \"x\xef\xbf\xbd\"\n}\n");
}
END_TEST

UNIT_MAIN("report_stream", an_empty_document_is_an_object, each_member_is_on_its_own_line,
          unknown_values_are_omitted, an_array_element_is_written_on_one_line, texts_are_escaped)
