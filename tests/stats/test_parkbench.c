/* Parkbench's parameters, on times computed by hand for known lines; and fits that must be
 * refused. */
#include "stats/fit.h"

#include <math.h>
#include <string.h>

#include "tests/common/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* r_inf 100 MB/s, n_half 200 bytes: t = (n + 200) / 100, so that t0 is 2 us and pi0 500 000 /s. */
static const double sizes[] = {0, 200, 800, 1800};
static const double times_us[] = {2, 4, 10, 20};

static void assert_close(double found, double expected)
{
    ck_assert_double_eq_tol(found, expected, 1e-9 * fabs(expected));
}

static void assert_refused(const stats_parkbench *part, const char *word)
{
    ck_assert_ptr_nonnull(part->line.refusal);
    ck_assert_msg(strstr(part->line.refusal, word) != NULL, "refused because '%s'",
                  part->line.refusal);
    ck_assert(isnan(part->pi0_Hz));
}

START_TEST(one_line_has_the_four_parameters)
{
    stats_parkbench parts[STATS_PARKBENCH_PARTS];

    ck_assert_uint_eq(stats_parkbench_fit(sizes, times_us, COUNT(sizes), 0, parts), 1);
    ck_assert_ptr_null(parts[0].line.refusal);
    assert_close(parts[0].line.r_inf_MBps, 100);
    assert_close(parts[0].line.n_half_bytes, 200);
    assert_close(parts[0].line.overhead_us, 2);
    assert_close(parts[0].pi0_Hz, 500000);
}
END_TEST

START_TEST(the_maximum_is_the_highest_rate_that_was_seen_and_not_r_inf)
{
    stats_parkbench parts[STATS_PARKBENCH_PARTS];

    stats_parkbench_fit(sizes, times_us, COUNT(sizes), 0, parts);
    assert_close(parts[0].maximum_MBps, 90);
    assert_close(parts[0].maximum_bytes, 1800);
}
END_TEST

START_TEST(of_equal_rates_the_smallest_size_has_the_maximum)
{
    static const double bytes[] = {100, 200, 400}, us[] = {2, 4, 8};
    stats_parkbench parts[STATS_PARKBENCH_PARTS];

    stats_parkbench_fit(bytes, us, COUNT(bytes), 0, parts);
    assert_close(parts[0].maximum_MBps, 50);
    assert_close(parts[0].maximum_bytes, 100);
}
END_TEST

/* Below 1000 bytes t = (n + 100) / 50, from there on t = (n + 4000) / 200. */
static const double broken_sizes[] = {0, 100, 400, 1000, 2000, 6000};
static const double broken_times_us[] = {2, 4, 10, 25, 30, 50};

START_TEST(a_breakpoint_gives_a_line_on_either_side)
{
    stats_parkbench parts[STATS_PARKBENCH_PARTS];

    ck_assert_uint_eq(
        stats_parkbench_fit(broken_sizes, broken_times_us, COUNT(broken_sizes), 1000, parts), 2);
    assert_close(parts[0].line.r_inf_MBps, 50);
    assert_close(parts[0].line.n_half_bytes, 100);
    assert_close(parts[0].maximum_MBps, 40);
    assert_close(parts[1].line.r_inf_MBps, 200);
    assert_close(parts[1].line.n_half_bytes, 4000);
    assert_close(parts[1].pi0_Hz, 50000);
    assert_close(parts[1].maximum_MBps, 120);
}
END_TEST

START_TEST(the_breakpoint_size_belongs_to_the_long_messages)
{
    stats_parkbench parts[STATS_PARKBENCH_PARTS];

    stats_parkbench_fit(broken_sizes, broken_times_us, COUNT(broken_sizes), 1000, parts);
    assert_close(parts[0].line.to_bytes, 400);
    assert_close(parts[1].line.from_bytes, 1000);
    ck_assert_uint_eq(parts[1].line.first, 3);
    ck_assert_uint_eq(parts[1].line.last, 5);
}
END_TEST

START_TEST(a_breakpoint_beyond_all_sizes_leaves_one_line)
{
    stats_parkbench parts[STATS_PARKBENCH_PARTS];

    ck_assert_uint_eq(stats_parkbench_fit(sizes, times_us, COUNT(sizes), 1e6, parts), 1);
    ck_assert_uint_eq(stats_parkbench_fit(sizes, times_us, COUNT(sizes), 0, parts), 1);
    ck_assert_uint_eq(stats_parkbench_fit(sizes, times_us, 0, 1e6, parts), 0);
}
END_TEST

START_TEST(two_sizes_give_a_maximum_but_no_line)
{
    static const double bytes[] = {64, 64, 1024}, us[] = {1, 1, 2};
    stats_parkbench parts[STATS_PARKBENCH_PARTS];

    ck_assert_uint_eq(stats_parkbench_fit(bytes, us, COUNT(bytes), 0, parts), 1);
    assert_refused(&parts[0], "three sizes");
    assert_close(parts[0].maximum_MBps, 512);
    assert_close(parts[0].line.to_bytes, 1024);
}
END_TEST

START_TEST(a_time_that_falls_with_the_size_is_refused)
{
    static const double bytes[] = {0, 100, 200, 300}, us[] = {4, 3.9, 3.8, 3.7};
    stats_parkbench parts[STATS_PARKBENCH_PARTS];

    stats_parkbench_fit(bytes, us, COUNT(bytes), 0, parts);
    assert_refused(&parts[0], "slope is not positive");
}
END_TEST

/* All points but one are on t = n + 10, and no residual is large: one in seven is faster than
 * the line can ever be. */
START_TEST(a_line_slower_than_a_measured_size_is_refused)
{
    static const double bytes[] = {100, 200, 300, 400, 500, 600, 700};
    static const double us[] = {110, 210, 310, 280, 510, 610, 710};
    stats_parkbench parts[STATS_PARKBENCH_PARTS];

    stats_parkbench_fit(bytes, us, COUNT(bytes), 0, parts);
    assert_close(parts[0].maximum_MBps, 400.0 / 280);
    assert_refused(&parts[0], "faster than r_inf");
}
END_TEST

START_TEST(a_time_that_is_no_number_is_refused_and_is_no_maximum)
{
    const double us[] = {2, (double)NAN, 10, 20};
    stats_parkbench parts[STATS_PARKBENCH_PARTS];

    ck_assert_uint_eq(stats_parkbench_fit(sizes, us, COUNT(sizes), 0, parts), 1);
    assert_refused(&parts[0], "not a number");
    assert_close(parts[0].maximum_MBps, 90);
}
END_TEST

START_TEST(only_empty_messages_have_no_maximum)
{
    static const double bytes[] = {0}, us[] = {1};
    stats_parkbench parts[STATS_PARKBENCH_PARTS];

    ck_assert_uint_eq(stats_parkbench_fit(bytes, us, COUNT(bytes), 0, parts), 1);
    ck_assert(isnan(parts[0].maximum_MBps) && isnan(parts[0].maximum_bytes));
}
END_TEST

UNIT_MAIN("parkbench", one_line_has_the_four_parameters,
          the_maximum_is_the_highest_rate_that_was_seen_and_not_r_inf,
          of_equal_rates_the_smallest_size_has_the_maximum,
          a_breakpoint_gives_a_line_on_either_side,
          the_breakpoint_size_belongs_to_the_long_messages,
          a_breakpoint_beyond_all_sizes_leaves_one_line, two_sizes_give_a_maximum_but_no_line,
          a_time_that_falls_with_the_size_is_refused, a_line_slower_than_a_measured_size_is_refused,
          a_time_that_is_no_number_is_refused_and_is_no_maximum,
          only_empty_messages_have_no_maximum)
