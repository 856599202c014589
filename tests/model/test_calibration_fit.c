/* Fits of the lines of a calibration to measurements. */
#include <math.h>
#include <string.h>

#include <ccmod/ccmod.h>

#include "tests/common/unit.h"

enum { SIZES = 17 };

static const ccmod_fit_wish automatic = {.residual_limit = 0.2};

/* 5 us + bytes / 100 MB/s up to 4096 bytes, 40 us + bytes / 500 MB/s above. */
static double two_lines(double bytes)
{
    return bytes <= 4096 ? 5 + bytes / 100 : 40 + bytes / 500;
}

/* Powers of two from 16 bytes to 1 MiB. */
static void measure(double (*time_us)(double bytes), ccmod_point points[SIZES])
{
    for (int i = 0; i < SIZES; i++)
        points[i] = (ccmod_point){ldexp(16, i), time_us(ldexp(16, i))};
}

static ccmod_calibration fit(const ccmod_point *points, size_t count, ccmod_fit_wish wish,
                             ccmod_fit fits[CCMOD_LINES])
{
    ccmod_calibration made;
    ccmod_error error = {.text = ""};

    ck_assert_msg(ccmod_calibration_fit(points, count, &wish, &made, fits, &error) == CCMOD_OK,
                  "%s", error.text);
    return made;
}

static void expect_line(const ccmod_line *line, double start_up_us, double bandwidth_MBps)
{
    ck_assert_double_eq_tol(line->latency_us, start_up_us, 1e-6 * start_up_us);
    ck_assert_double_eq_tol(1 / line->us_per_byte, bandwidth_MBps, 1e-6 * bandwidth_MBps);
    ck_assert_double_eq(line->overhead_us, 0);
}

START_TEST(a_change_of_protocol_is_found)
{
    ccmod_point points[SIZES];
    ccmod_fit fits[CCMOD_LINES];
    ccmod_calibration made;

    measure(two_lines, points);
    made = fit(points, SIZES, automatic, fits);
    ck_assert_uint_eq(made.line_count, 2);
    ck_assert_uint_eq(made.lines[0].to_bytes, 4096);
    ck_assert_uint_eq(made.lines[1].to_bytes, UINT64_MAX);
    expect_line(&made.lines[0], 5, 100);
    expect_line(&made.lines[1], 40, 500);
    ck_assert_uint_eq(fits[0].points + fits[1].points, SIZES);
    ck_assert_double_lt(fits[1].worst_residual, 1e-9);
}
END_TEST

START_TEST(the_order_of_measurements_does_not_matter)
{
    ccmod_point points[SIZES], turned[SIZES];
    ccmod_fit fits[CCMOD_LINES];
    ccmod_calibration one, other;

    measure(two_lines, points);
    for (int i = 0; i < SIZES; i++)
        turned[i] = points[(7 * i + 3) % SIZES];
    one = fit(points, SIZES, automatic, fits);
    other = fit(turned, SIZES, automatic, fits);
    ck_assert_mem_eq(&one.lines, &other.lines, one.line_count * sizeof(one.lines[0]));
}
END_TEST

START_TEST(the_requested_number_of_lines_is_fitted)
{
    ccmod_point points[SIZES];
    ccmod_fit fits[CCMOD_LINES];

    measure(two_lines, points);
    ck_assert_uint_eq(
        fit(points, SIZES, (ccmod_fit_wish){.segments = 1, .residual_limit = 9}, fits).line_count,
        1);
    ck_assert_uint_eq(
        fit(points, SIZES, (ccmod_fit_wish){.segments = 3, .residual_limit = 9}, fits).line_count,
        3);
}
END_TEST

START_TEST(the_lines_of_the_article_break_at_the_packet_size)
{
    ccmod_point points[SIZES];
    ccmod_fit fits[CCMOD_LINES];
    ccmod_calibration made;

    measure(two_lines, points);
    made = fit(points, SIZES, (ccmod_fit_wish){.packet_bytes = 2020, .residual_limit = 9}, fits);
    ck_assert_uint_eq(made.line_count, 2);
    ck_assert_uint_eq(made.lines[0].to_bytes, 1024);
    expect_line(&made.lines[0], 5, 100);
}
END_TEST

static void expect_refusal(const ccmod_point *points, size_t count, ccmod_fit_wish wish,
                           const char *says)
{
    ccmod_calibration made;
    ccmod_fit fits[CCMOD_LINES];
    ccmod_error error;

    ck_assert_int_eq(ccmod_calibration_fit(points, count, &wish, &made, fits, &error),
                     CCMOD_ERROR_USAGE);
    ck_assert_msg(strstr(error.text, says) != NULL, "'%s' does not say '%s'", error.text, says);
}

/* Residuals in us: by hand, 3 points of the line 5 + 2 x and one that is 8 above it. Its weight is
 * small in the relative fit, since its time is large. */
START_TEST(a_plain_fit_is_the_regression_of_the_article)
{
    const ccmod_point points[] = {{0, 5}, {1, 7}, {2, 9}, {3, 19}};
    ccmod_fit_wish wish = {.segments = 1, .residual_limit = 9, .plain = true};
    ccmod_fit fits[CCMOD_LINES];
    ccmod_calibration plain = fit(points, 4, wish, fits), relative;

    /* b1 = (sum xy - n mx my) / (sum xx - n mx mx), b0 = my - b1 mx */
    ck_assert_double_eq_tol(plain.lines[0].us_per_byte, (82 - 4 * 1.5 * 10) / (14 - 4 * 2.25),
                            1e-12);
    ck_assert_double_eq_tol(plain.lines[0].latency_us, 10 - 1.5 * 22 / 5, 1e-12);
    wish.plain = false;
    relative = fit(points, 4, wish, fits);
    ck_assert_double_lt(relative.lines[0].us_per_byte, plain.lines[0].us_per_byte - 0.1);
}
END_TEST

START_TEST(a_plain_fit_may_be_bad_for_small_messages)
{
    ccmod_point points[SIZES];
    ccmod_fit_wish wish = {.segments = 1, .residual_limit = 0.05, .plain = true};
    ccmod_fit fits[CCMOD_LINES];

    measure(two_lines, points);
    fit(points, SIZES, wish, fits); /* the large ones decide */
    ck_assert_double_gt(fits[0].worst_residual, 1);
    wish.plain = false;
    expect_refusal(points, SIZES, wish, "no line describes");
    wish.plain = true;
    points[SIZES - 1].time_us /= 2;
    expect_refusal(points, SIZES, wish, "no line describes");
}
END_TEST

START_TEST(as_many_of_the_allowed_lines_are_fitted_as_the_points_support)
{
    ccmod_point points[SIZES];
    ccmod_fit_wish wish = {.segments_allowed = 2, .residual_limit = 9, .plain = true};
    ccmod_fit fits[CCMOD_LINES];

    measure(two_lines, points);
    ck_assert_uint_eq(fit(points, SIZES, wish, fits).line_count, 2);
    ck_assert_uint_eq(fit(points, 5, wish, fits).line_count, 1);
    wish.segments = 3;
    ck_assert_uint_eq(fit(points, SIZES, wish, fits).line_count, 3);
}
END_TEST

static double falling(double bytes)
{
    return 10 - bytes * 1e-6;
}

static double without_start_up(double bytes)
{
    return bytes < 100 ? bytes / 200 : bytes / 100;
}

START_TEST(no_part_of_a_line_is_negative)
{
    ccmod_point points[SIZES], bent[3] = {{1, 1}, {2, 1}, {3, 9}};
    ccmod_fit fits[CCMOD_LINES];
    ccmod_fit_wish wish = {.segments = 1, .residual_limit = 9};
    ccmod_calibration made;

    for (int plain = 0; plain < 2; plain++) {
        wish.plain = plain == 1;
        measure(falling, points);
        made = fit(points, SIZES, wish, fits);
        ck_assert_double_eq(made.lines[0].us_per_byte, 0);
        ck_assert_double_gt(made.lines[0].latency_us, 8);
    }
    /* the mean, and the line through zero */
    ck_assert_double_eq_tol(made.lines[0].latency_us, 10 - 16e-6 * ((1 << SIZES) - 1) / SIZES,
                            1e-9);
    made = fit(bent, 3, wish, fits);
    ck_assert_double_eq(made.lines[0].latency_us, 0);
    ck_assert_double_eq_tol(made.lines[0].us_per_byte, (1 + 2 + 27) / 14.0, 1e-12);
    wish.plain = false;
    measure(without_start_up, points);
    made = fit(points, SIZES, wish, fits);
    ck_assert_double_eq(made.lines[0].latency_us, 0);
    ck_assert_double_gt(made.lines[0].us_per_byte, 0.005);
}
END_TEST

START_TEST(measurements_that_fit_no_line_are_refused)
{
    ccmod_point points[SIZES];

    measure(two_lines, points);
    expect_refusal(points, 0, automatic, "0 points");
    expect_refusal(points, 2, automatic, "2 points");
    expect_refusal(points, 5, (ccmod_fit_wish){.segments = 2, .residual_limit = 9}, "fewer lines");
    expect_refusal(points, SIZES, (ccmod_fit_wish){.packet_bytes = 20, .residual_limit = 9},
                   "different sizes");
    expect_refusal(points, SIZES, (ccmod_fit_wish){.segments = 1, .residual_limit = 0.05},
                   "no line describes");
    points[3].time_us = 0;
    expect_refusal(points, SIZES, automatic, "0 us for 128 bytes");
    points[3].time_us = (double)NAN;
    expect_refusal(points, SIZES, automatic, "for 128 bytes");
}
END_TEST

/* A stream over shared memory: twelve sizes do not prove its two bends, but a single line is 40
 * % off. */
START_TEST(a_bad_fit_is_retried_with_more_lines)
{
    ccmod_point points[] = {{0, 0.090},    {4, 0.101},     {16, 0.210},    {64, 0.209},
                            {256, 0.237},  {512, 0.355},   {1024, 0.463},  {2048, 0.620},
                            {4096, 1.789}, {16384, 2.793}, {65536, 6.399}, {262144, 21.957}};
    const size_t count = sizeof(points) / sizeof(points[0]);
    ccmod_fit fits[CCMOD_LINES];
    ccmod_calibration made = fit(points, count, automatic, fits);

    ck_assert_uint_ge(made.line_count, 2);
    for (size_t i = 0; i < made.line_count; i++)
        ck_assert_double_le(fits[i].rms_residual, 0.2);
    for (size_t i = 0; i < count; i += 2)
        points[i].time_us *= 3;
    expect_refusal(points, count, automatic, "no line describes the times from 0 to 262144 bytes");
}
END_TEST

START_TEST(dividing_the_start_up_keeps_its_sum)
{
    ccmod_calibration made = ccmod_calibration_line(0, 3, 100);

    made.lines[1] = (ccmod_line){UINT64_MAX, 0, 0.5, 1};
    made.line_count = 2;
    ccmod_calibration_divide(&made, 1);
    ck_assert_double_eq(made.lines[0].overhead_us, 1);
    ck_assert_double_eq(made.lines[0].latency_us, 2);
    ck_assert_double_eq(made.lines[1].overhead_us, 0.5);
    ck_assert_double_eq(made.lines[1].latency_us, 0);
}
END_TEST

enum { STEPPED = 12, PAYLOAD = 1440, HEADER = 90 };

/* A lone message of packets with headers, at 0.4 MB/s and 100 us; a stream without the latency. */
static void measure_packets(double start_up_us, double noise, ccmod_point points[STEPPED])
{
    static const double sizes[STEPPED] = {0,    64,   400,  1100, 1400,  1500,
                                          2800, 3000, 5000, 8192, 11500, 20000};

    for (int i = 0; i < STEPPED; i++) {
        double wire = ccmod_bytes_on_links(PAYLOAD, HEADER, sizes[i]) + HEADER;

        points[i] =
            (ccmod_point){sizes[i], (start_up_us + wire / 0.4) * (1 + (i % 2 ? noise : -noise))};
    }
}

START_TEST(packets_are_found_in_the_steps_of_the_times)
{
    ccmod_point lone[STEPPED], stream[STEPPED];
    const ccmod_point_set sets[] = {{lone, STEPPED}, {stream, STEPPED}};
    ccmod_fit_wish wish = automatic;
    ccmod_fit fits[CCMOD_LINES];
    ccmod_calibration made;
    uint64_t payload_bytes = 0;
    double header_bytes = 0;

    measure_packets(100, 0, lone);
    measure_packets(0, 0, stream);
    ck_assert(ccmod_calibration_find_packets(sets, 2, &payload_bytes, &header_bytes));
    ck_assert_double_eq(header_bytes, HEADER);
    for (int i = 0; i < STEPPED; i++) /* as many packets at each size */
        ck_assert_double_eq(ccmod_bytes_on_links(payload_bytes, header_bytes, lone[i].bytes),
                            ccmod_bytes_on_links(PAYLOAD, HEADER, lone[i].bytes));
    wish.payload_bytes = payload_bytes;
    wish.header_bytes = header_bytes;
    made = fit(lone, STEPPED, wish, fits);
    ck_assert_uint_eq(made.line_count, 1);
    expect_line(&made.lines[0], 100 + HEADER / 0.4, 0.4);
    ck_assert_double_eq(fits[0].to_bytes, 20000);
    made.payload_bytes = payload_bytes;
    made.header_bytes = header_bytes;
    ck_assert_double_eq_tol(ccmod_default_quiet_delay(&made, 2, 3000).transfer_us,
                            (3000 + 2 * HEADER) / 0.4, 1e-6);
    /* times that are known to a thousandth */
    measure_packets(100, 0.001, lone);
    measure_packets(0, 0.001, stream);
    ck_assert(ccmod_calibration_find_packets(sets, 2, &payload_bytes, &header_bytes));
    ck_assert_double_eq_tol(header_bytes, HEADER, 10);
}
END_TEST

START_TEST(packets_are_not_found_where_the_times_do_not_show_them)
{
    ccmod_point points[SIZES];
    ccmod_point_set set = {points, SIZES};
    uint64_t payload_bytes;
    double header_bytes;

    for (int i = 0; i < SIZES; i++)
        points[i] = (ccmod_point){ldexp(16, i), 100 + ldexp(16, i) / 100};
    ck_assert(!ccmod_calibration_find_packets(&set, 1, &payload_bytes, &header_bytes));
    measure(two_lines, points); /* another protocol for large messages */
    ck_assert(!ccmod_calibration_find_packets(&set, 1, &payload_bytes, &header_bytes));
    measure_packets(100, 0, points);
    set.count = 7;
    ck_assert(!ccmod_calibration_find_packets(&set, 1, &payload_bytes, &header_bytes));
    ck_assert(!ccmod_calibration_find_packets(&set, 0, &payload_bytes, &header_bytes));
}
END_TEST

UNIT_MAIN("calibration_fit", a_change_of_protocol_is_found,
          the_order_of_measurements_does_not_matter, the_requested_number_of_lines_is_fitted,
          the_lines_of_the_article_break_at_the_packet_size,
          a_plain_fit_is_the_regression_of_the_article, a_plain_fit_may_be_bad_for_small_messages,
          as_many_of_the_allowed_lines_are_fitted_as_the_points_support,
          no_part_of_a_line_is_negative, measurements_that_fit_no_line_are_refused,
          a_bad_fit_is_retried_with_more_lines, dividing_the_start_up_keeps_its_sum,
          packets_are_found_in_the_steps_of_the_times,
          packets_are_not_found_where_the_times_do_not_show_them)
