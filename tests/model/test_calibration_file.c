/* Calibration files are read back as written, and mistakes are refused with their line. */
#include <string.h>

#include <ccmod/ccmod.h>

#include "tests/common/unit.h"

static ccmod_status read_text(const char *text, ccmod_calibration *out, ccmod_error *error)
{
    FILE *stream = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    ccmod_status status;

    ck_assert_ptr_nonnull(stream);
    status = ccmod_calibration_read(stream, "a.cal", out, error);
    fclose(stream);
    return status;
}

START_TEST(a_file_has_lines_and_settings)
{
    ccmod_calibration read;
    ccmod_error error;

    ck_assert_int_eq(read_text("%calibration 1\n"
                               "# a remark\n"
                               "line to_bytes=4KiB overhead_us=1 latency_us=2 us_per_byte=0.001\n"
                               "\n"
                               "line us_per_byte=5e-4 latency_us=7 overhead_us=3 # the rest\n"
                               "eager_bytes 4096\ngap_us 0.5\nhop_us 0.25\nbarrier_us 11\n"
                               "barrier_round_us 3",
                               &read, &error),
                     CCMOD_OK);
    ck_assert_uint_eq(read.line_count, 2);
    ck_assert_uint_eq(read.lines[0].to_bytes, 4096);
    ck_assert_double_eq(read.lines[0].us_per_byte, 0.001);
    ck_assert_uint_eq(read.lines[1].to_bytes, UINT64_MAX);
    ck_assert_double_eq(read.lines[1].overhead_us, 3);
    ck_assert_double_eq(read.lines[1].latency_us, 7);
    ck_assert_uint_eq(read.eager_bytes, 4096);
    ck_assert_double_eq(read.gap_us, 0.5);
    ck_assert_double_eq(read.hop_us, 0.25);
    ck_assert_double_eq(read.barrier_us, 11);
    ck_assert_double_eq(read.barrier_round_us, 3);
}
END_TEST

START_TEST(a_file_may_set_hold_times_and_sharing)
{
    ccmod_calibration read;
    ccmod_error error;

    ck_assert_int_eq(read_text("%calibration 1\n"
                               "hold to_bytes=64 us=3 us_per_byte=0.5\n"
                               "line overhead_us=1 latency_us=2 us_per_byte=0.001\n"
                               "hold us_per_byte=0.25 us=4\n"
                               "out_contention 1\nin_contention 1.5\nduplex_contention 2\n"
                               "acknowledgement_us 144\n"
                               "payload_bytes 1440\nheader_bytes 90.5\nshare fifo\n",
                               &read, &error),
                     CCMOD_OK);
    ck_assert_uint_eq(read.line_count, 1);
    ck_assert_uint_eq(read.hold_count, 2);
    ck_assert_uint_eq(read.holds[0].to_bytes, 64);
    ck_assert_double_eq(read.holds[0].latency_us, 3);
    ck_assert_double_eq(read.holds[1].us_per_byte, 0.25);
    ck_assert_double_eq(read.out_contention, 1);
    ck_assert_double_eq(read.in_contention, 1.5);
    ck_assert_double_eq(read.duplex_contention, 2);
    ck_assert_double_eq(read.acknowledgement_us, 144);
    ck_assert_uint_eq(read.payload_bytes, 1440);
    ck_assert_double_eq(read.header_bytes, 90.5);
    ck_assert_uint_eq(read.share_rule, 1 + CCMOD_FIFO);
}
END_TEST

START_TEST(a_written_file_is_read_back_unchanged)
{
    ccmod_calibration made = ccmod_calibration_line(1.25, 3, 250), read;
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    ccmod_error error;

    made.lines[0].to_bytes = 1000;
    made.lines[1] = (ccmod_line){UINT64_MAX, 0, 0.1, 0.123456789};
    made.line_count = 2;
    made.payload_bytes = 1440;
    made.header_bytes = 90;
    made.share_rule = 1 + CCMOD_MAXMIN;
    made.eager_bytes = UINT64_C(1) << 53;
    made.holds[0] = (ccmod_line){100, 0, 2.5, 0.5};
    made.holds[1] = (ccmod_line){UINT64_MAX, 0, 0, 0.25};
    made.hold_count = 2;
    made.in_contention = 1.25;
    made.acknowledgement_us = 2.5;
    ck_assert_ptr_nonnull(stream);
    ccmod_calibration_write(&made, stream);
    fclose(stream);
    ck_assert_int_eq(read_text(text, &read, &error), CCMOD_OK);
    ck_assert_uint_eq(read.line_count, 2);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_uint_eq(read.lines[i].to_bytes, made.lines[i].to_bytes);
        ck_assert_double_eq(read.lines[i].overhead_us, made.lines[i].overhead_us);
        ck_assert_double_eq(read.lines[i].latency_us, made.lines[i].latency_us);
        ck_assert_double_eq(read.lines[i].us_per_byte, made.lines[i].us_per_byte);
    }
    ck_assert_uint_eq(read.eager_bytes, made.eager_bytes);
    ck_assert_uint_eq(read.hold_count, 2);
    ck_assert_uint_eq(read.holds[0].to_bytes, 100);
    ck_assert_double_eq(read.holds[0].latency_us, 2.5);
    ck_assert_double_eq(read.holds[1].us_per_byte, 0.25);
    ck_assert_double_eq(read.in_contention, 1.25);
    ck_assert_double_eq(read.acknowledgement_us, 2.5);
    ck_assert_double_eq(read.out_contention, 0);
    free(text);
}
END_TEST

#define HEAD "%calibration 1\n"
#define REST "overhead_us=1 latency_us=2 us_per_byte=0.001\n"

START_TEST(a_mistake_is_refused_with_its_line)
{
    static const struct {
        const char *text, *says;
        size_t line;
    } cases[] = {
        {"nonsense\n", "not a calibration of version 1", 1},
        {"%calibration 2\n", "not a calibration of version 1", 1},
        {HEAD "walk\n", "not a statement", 2},
        {HEAD "line " REST "line " REST, "put it last", 3},
        {HEAD "line to_bytes=9 " REST "line to_bytes=9 " REST, "order the lines", 3},
        {HEAD "line to_bytes=9 " REST, "the largest messages is missing", 2},
        {HEAD "line overhead_us=1 latency_us=2\n", "'us_per_byte': missing", 2},
        {HEAD "line overhead_us=1 overhead_us=1\n", "given twice", 2},
        {HEAD "line speed=1\n", "not a part of a line", 2},
        {HEAD "line overhead_us\n", "not a part of a line", 2},
        {HEAD "line overhead_us=-1\n", "'-1'", 2},
        {HEAD "line overhead_us=1e99\n", "'1e99'", 2},
        {HEAD "line overhead_us=nan\n", "'nan'", 2},
        {HEAD "gap_us 1\ngap_us 1\n", "already set in line 2", 3},
        {HEAD "gap_us\n", "its value is missing", 2},
        {HEAD "gap_us 1 2\n", "remove it", 2},
        {HEAD "eager_bytes 99999999999999999999\n", "'99999999999999999999'", 2},
        {HEAD "hold us=1\n", "'us_per_byte': missing", 2},
        {HEAD "hold overhead_us=1\n", "to_bytes, us or us_per_byte", 2},
        {HEAD "line " REST "hold to_bytes=9 us=1 us_per_byte=0\n", "largest messages is missing",
         3},
        {HEAD "duplex_contention 0.5\n", "'0.5'", 2},
        {HEAD "duplex_contention 3\n", "'3'", 2},
        {HEAD "acknowledgement_us -1\n", "'-1'", 2},
        {HEAD "header_bytes -1\n", "'-1'", 2},
        {HEAD "share\n", "one of bottleneck, maxmin or fifo", 2},
        {HEAD "share tcp\n", "'tcp'", 2},
        {HEAD "share fifo fifo\n", "one of bottleneck, maxmin or fifo", 2},
        {HEAD "share fifo\nshare fifo\n", "already set", 3},
        {HEAD, "the largest messages is missing", 1},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ccmod_calibration read;
        ccmod_error error = {.line = 99};

        ck_assert_int_eq(read_text(cases[i].text, &read, &error), CCMOD_ERROR_USAGE);
        ck_assert_msg(strstr(error.text, cases[i].says) != NULL, "'%s' does not say '%s'",
                      error.text, cases[i].says);
        ck_assert_uint_eq(error.line, cases[i].line);
    }
}
END_TEST

START_TEST(more_than_sixteen_lines_are_refused)
{
    char text[4096];
    size_t used = (size_t)snprintf(text, sizeof(text), "%s", HEAD);
    ccmod_calibration read;
    ccmod_error error;

    for (int i = 1; i <= CCMOD_LINES + 1; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "line to_bytes=%d " REST, i);
    ck_assert_int_eq(read_text(text, &read, &error), CCMOD_ERROR_USAGE);
    ck_assert_uint_eq(error.line, CCMOD_LINES + 2);
    ck_assert_ptr_nonnull(strstr(error.text, "more than the maximum"));
}
END_TEST

START_TEST(a_missing_file_is_named)
{
    ccmod_calibration read;
    ccmod_error error;

    ck_assert_int_eq(ccmod_calibration_open("no/such.cal", &read, &error), CCMOD_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "no/such.cal"));
}
END_TEST

UNIT_MAIN("calibration_file", a_file_has_lines_and_settings, a_file_may_set_hold_times_and_sharing,
          a_written_file_is_read_back_unchanged, a_mistake_is_refused_with_its_line,
          more_than_sixteen_lines_are_refused, a_missing_file_is_named)
