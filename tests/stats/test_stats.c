/* Medians, their confidence intervals, quantiles and the precision at which a run stops.
 * Coverage is checked exactly, from binomial coefficients in integers, and by sampling a skewed
 * distribution. */
#include "tests/common/unit.h"

#include <math.h>
#include <stdint.h>

#include "base/random.h"
#include "stats/stats.h"
#include "stats/student.h"

enum { EXACT_COUNT = 120 }; /* 20 * 2^120 fits 128 bits */

/* The number of outcomes of `count` fair coins with more than `low` and fewer than count - low
 * heads: the cases in which the median is between the ranks low and count - 1 - low. */
static unsigned __int128 ways_to_enclose(size_t count, size_t low)
{
    unsigned __int128 row[EXACT_COUNT + 1] = {1}, sum = 0;

    for (size_t n = 1; n <= count; n++)
        for (size_t k = n; k > 0; k--)
            row[k] += row[k - 1];
    for (size_t k = low + 1; k < count - low; k++)
        sum += row[k];
    return sum;
}

static bool encloses_95_percent(size_t count, size_t low)
{
    return 20 * ways_to_enclose(count, low) >= 19 * ((unsigned __int128)1 << count);
}

/* The same probability for large counts, from logarithms of factorials. */
static double coverage_by_logarithms(size_t count, size_t low)
{
    long double n = (long double)count, sum = 0;
    int sign;

    for (size_t k = low + 1; k < count - low; k++)
        sum += expl(lgammal_r(n + 1, &sign) - lgammal_r((long double)k + 1, &sign) -
                    lgammal_r(n - (long double)k + 1, &sign) - n * logl(2));
    return (double)sum;
}

static double exponential(cb_random *random)
{
    return -log(1 - cb_random_unit(random));
}

static bool covers(const stats_summary *summary, double value)
{
    return summary->ci95_low <= value && value <= summary->ci95_high;
}

START_TEST(ranks_of_the_median_agree_with_published_tables)
{
    const struct {
        size_t count, low, high; /* counted from 1, as in printed tables */
    } table[] = {{6, 1, 6},    {7, 1, 7},    {8, 1, 8},    {9, 2, 8},    {10, 2, 9},
                 {11, 2, 10},  {12, 3, 10},  {15, 4, 12},  {16, 4, 13},  {17, 5, 13},
                 {18, 5, 14},  {19, 5, 15},  {20, 6, 15},  {25, 8, 18},  {30, 10, 21},
                 {40, 14, 27}, {50, 18, 33}, {60, 22, 39}, {70, 27, 44}, {100, 40, 61}};

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        size_t low, high;

        ck_assert_msg(stats_median_ranks(table[i].count, &low, &high), "no interval of %d values",
                      (int)table[i].count);
        ck_assert_msg(low + 1 == table[i].low && high + 1 == table[i].high,
                      "%zu values: ranks %zu and %zu", table[i].count, low + 1, high + 1);
    }
}
END_TEST

START_TEST(ranks_enclose_95_percent_and_the_next_pair_does_not)
{
    for (size_t count = STATS_INTERVAL_MINIMUM; count <= EXACT_COUNT; count++) {
        size_t low, high;

        ck_assert_msg(stats_median_ranks(count, &low, &high), "no interval of %d values",
                      (int)count);
        ck_assert_uint_eq(high, count - 1 - low);
        ck_assert_msg(encloses_95_percent(count, low), "%zu values: too narrow", count);
        ck_assert_msg(!encloses_95_percent(count, low + 1), "%zu values: too wide", count);
    }
}
END_TEST

START_TEST(ranks_hold_for_counts_whose_probabilities_underflow)
{
    static const size_t counts[] = {1001, 5000, 65537, 1000000};

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        size_t low, high;

        ck_assert_msg(stats_median_ranks(counts[i], &low, &high), "no interval of %d values",
                      (int)counts[i]);
        ck_assert_uint_eq(high, counts[i] - 1 - low);
        ck_assert_double_ge(coverage_by_logarithms(counts[i], low), 0.95);
        ck_assert_double_lt(coverage_by_logarithms(counts[i], low + 1), 0.95);
    }
}
END_TEST

START_TEST(fewer_than_six_values_give_their_range_and_no_interval)
{
    for (size_t count = 1; count < STATS_INTERVAL_MINIMUM; count++) {
        size_t low = 99, high = 99;

        ck_assert_msg(!stats_median_ranks(count, &low, &high), "an interval of %d values",
                      (int)count);
        ck_assert_uint_eq(low, 0);
        ck_assert_uint_eq(high, count - 1);
    }
}
END_TEST

START_TEST(zero_values_give_no_ranks)
{
    size_t low = 99, high = 99;

    ck_assert(!stats_median_ranks(0, &low, &high));
    ck_assert_uint_eq(low, 0);
    ck_assert_uint_eq(high, 0);
}
END_TEST

START_TEST(interval_covers_the_median_of_a_skewed_distribution)
{
    static const size_t counts[] = {6, 9, 20, 47};
    enum { TRIALS = 2000, LEAST = TRIALS * 94 / 100 }; /* 95 % less two standard errors */
    cb_random random = cb_random_seed(1);

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        unsigned covered = 0;

        for (unsigned trial = 0; trial < TRIALS; trial++) {
            double values[47];
            stats_summary summary;

            for (size_t k = 0; k < counts[i]; k++)
                values[k] = exponential(&random);
            summary = stats_summarize(values, counts[i]);
            covered += covers(&summary, log(2));
        }
        ck_assert_msg(covered >= LEAST, "%zu values: covered in %u of %d", counts[i], covered,
                      TRIALS);
    }
}
END_TEST

/* Blocks of 1 plus an exponential tail, until the interval is within 2 %: the procedure of a
 * run, in the worst case of a check after every block. */
static stats_summary run_to_precision(cb_random *random, double tail)
{
    enum { MOST = 1000 };
    double blocks[MOST];
    stats_summary summary = {0};

    for (size_t count = 0; count < MOST && !(stats_precision_pct(&summary) <= 2);) {
        double sorted[MOST];

        blocks[count++] = 1 + tail * exponential(random);
        for (size_t i = 0; i < count; i++)
            sorted[i] = blocks[i];
        summary = stats_summarize(sorted, count);
    }
    return summary;
}

START_TEST(stopping_at_the_precision_costs_less_than_seven_points_of_coverage)
{
    static const double tails[] = {0.02, 0.05};
    enum { TRIALS = 1000 };
    cb_random random = cb_random_seed(2);

    for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
        unsigned covered = 0;

        for (unsigned trial = 0; trial < TRIALS; trial++) {
            stats_summary summary = run_to_precision(&random, tails[i]);

            covered += covers(&summary, 1 + tails[i] * log(2));
        }
        ck_assert_msg(covered >= TRIALS * 88 / 100, "tail %g: covered in %u of %d", tails[i],
                      covered, TRIALS);
    }
}
END_TEST

START_TEST(quantiles_lie_linearly_between_order_statistics)
{
    static const double values[] = {1, 2, 4, 8, 16};
    static const struct {
        double q, expected;
    } cases[] = {{0, 1},   {0.01, 1.04}, {0.1, 1.4},  {0.25, 2},
                 {0.5, 4}, {0.625, 6},   {0.9, 12.8}, {1, 16}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ck_assert_double_eq_tol(stats_quantile(values, 5, cases[i].q), cases[i].expected, 1e-12);
}
END_TEST

START_TEST(quantiles_of_one_value_are_that_value)
{
    static const double value[] = {3.25};

    ck_assert_double_eq(stats_quantile(value, 1, 0), 3.25);
    ck_assert_double_eq(stats_quantile(value, 1, 0.999), 3.25);
    ck_assert_double_eq(stats_quantile(value, 1, 1), 3.25);
}
END_TEST

START_TEST(quantiles_never_decrease_nor_leave_the_values)
{
    static const double values[] = {0.1, 0.1 + 1e-16, 0.3, 0.7, 0.7, 1e9};
    double before = values[0];

    for (unsigned step = 0; step <= 10000; step++) {
        double quantile = stats_quantile(values, 6, step / 10000.0);

        ck_assert_double_ge(quantile, before);
        before = quantile;
    }
    ck_assert_double_eq(before, values[5]);
}
END_TEST

START_TEST(a_quantile_that_does_not_exist_is_not_a_number)
{
    static const double values[] = {1, 2};

    ck_assert_double_nan(stats_quantile(values, 0, 0.5));
    ck_assert_double_nan(stats_quantile(values, 2, -0.01));
    ck_assert_double_nan(stats_quantile(values, 2, 1.01));
    ck_assert_double_nan(stats_quantile(values, 2, (double)NAN));
}
END_TEST

START_TEST(summary_of_unsorted_values_is_that_of_their_order)
{
    double values[] = {9, 2, 7, 4, 5, 6, 3, 8, 1, 30};
    stats_summary summary = stats_summarize(values, 10);

    ck_assert_uint_eq(summary.count, 10);
    ck_assert_double_eq(summary.median, 5.5);
    ck_assert_double_eq(summary.ci95_low, 2);
    ck_assert_double_eq(summary.ci95_high, 9);
    ck_assert_double_eq(summary.minimum, 1);
    ck_assert_double_eq(summary.maximum, 30);
}
END_TEST

START_TEST(summary_sorts_its_values_in_place)
{
    double values[] = {3, 1, 2};

    stats_summarize(values, 3);
    for (size_t i = 0; i < 3; i++)
        ck_assert_double_eq(values[i], (double)(i + 1));
}
END_TEST

START_TEST(summary_of_one_value_is_that_value)
{
    double value[] = {42};
    stats_summary summary = stats_summarize(value, 1);

    ck_assert_uint_eq(summary.count, 1);
    ck_assert_double_eq(summary.median, 42);
    ck_assert_double_eq(summary.ci95_low, 42);
    ck_assert_double_eq(summary.ci95_high, 42);
    ck_assert_double_eq(summary.minimum, 42);
    ck_assert_double_eq(summary.maximum, 42);
}
END_TEST

START_TEST(summary_of_two_values_lies_between_them)
{
    double values[] = {5, 3};
    stats_summary summary = stats_summarize(values, 2);

    ck_assert_double_eq(summary.median, 4);
    ck_assert_double_eq(summary.ci95_low, 3);
    ck_assert_double_eq(summary.ci95_high, 5);
}
END_TEST

/* Of 1 to 6 the mean is 3.5 and the standard deviation 1.870829; t is 2.570582 for 5 degrees. */
START_TEST(a_mean_has_an_interval_by_students_t)
{
    double values[] = {6, 1, 5, 2, 4, 3}, few[] = {1, 2, 6};
    stats_summary summary = stats_summarize_mean(values, 6), short_one;

    ck_assert_double_eq_tol(summary.mean, 3.5, 1e-12);
    ck_assert_double_eq_tol(summary.ci95_low, 3.5 - 1.963315, 1e-5);
    ck_assert_double_eq_tol(summary.ci95_high, 3.5 + 1.963315, 1e-5);
    ck_assert_double_eq(stats_figure(&summary), summary.mean);
    short_one = stats_summarize_mean(few, 3);
    ck_assert_double_eq_tol(stats_figure(&short_one), 3, 1e-12);
    ck_assert_double_eq(short_one.median, 2);
    short_one = stats_summarize(few, 3);
    ck_assert_double_eq(stats_figure(&short_one), 2);
}
END_TEST

START_TEST(ties_give_an_interval_of_no_width)
{
    double values[] = {7, 7, 7, 7, 7, 7, 7, 7, 1, 90};
    stats_summary summary = stats_summarize(values, 10);

    ck_assert_double_eq(summary.ci95_low, 7);
    ck_assert_double_eq(summary.ci95_high, 7);
    ck_assert_double_eq(stats_precision_pct(&summary), 0);
}
END_TEST

START_TEST(summary_of_nothing_is_not_measured)
{
    stats_summary summary = stats_summarize(NULL, 0);

    ck_assert_uint_eq(summary.count, 0);
    ck_assert_double_eq(summary.median, 0);
}
END_TEST

START_TEST(a_value_that_is_no_finite_number_makes_the_summary_not_measured)
{
    const double broken[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};

    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        double values[] = {1, 2, 3, broken[i], 5, 6, 7};
        stats_summary summary = stats_summarize(values, 7);

        ck_assert_uint_eq(summary.count, 0);
        ck_assert_double_eq(summary.median, 0);
        ck_assert_double_eq(values[0], 1);
    }
}
END_TEST

START_TEST(precision_is_half_the_interval_in_percent_of_the_median)
{
    const stats_summary summary = {10, 50, 48, 53, 40, 90, 0};

    ck_assert_double_eq_tol(stats_precision_pct(&summary), 5, 1e-12);
}
END_TEST

START_TEST(precision_is_unknown_without_an_interval_or_a_positive_median)
{
    const stats_summary cases[] = {
        {STATS_INTERVAL_MINIMUM - 1, 50, 50, 50, 50, 50, 0},
        {10, 0, 0, 0, 0, 0, 0},
        {10, -5, -6, -4, -9, 0, 0},
        {0, 0, 0, 0, 0, 0, 0},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ck_assert_double_infinite(stats_precision_pct(&cases[i]));
}
END_TEST

/* Published tables of the 97.5 % quantile. */
START_TEST(quantiles_of_students_t_agree_with_published_tables)
{
    static const struct {
        size_t freedom;
        double quantile;
    } rows[] = {{1, 12.7062}, {2, 4.30265},  {3, 3.18245},  {4, 2.77645},   {5, 2.57058},
                {9, 2.26216}, {10, 2.22814}, {30, 2.04227}, {120, 1.97993}, {100000, 1.95999}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        ck_assert_double_eq_tol(stats_student_95(rows[i].freedom), rows[i].quantile, 5.1e-5);
}
END_TEST

UNIT_MAIN("stats", ranks_of_the_median_agree_with_published_tables,
          ranks_enclose_95_percent_and_the_next_pair_does_not,
          ranks_hold_for_counts_whose_probabilities_underflow,
          fewer_than_six_values_give_their_range_and_no_interval, zero_values_give_no_ranks,
          interval_covers_the_median_of_a_skewed_distribution,
          stopping_at_the_precision_costs_less_than_seven_points_of_coverage,
          quantiles_lie_linearly_between_order_statistics, quantiles_of_one_value_are_that_value,
          quantiles_never_decrease_nor_leave_the_values,
          a_quantile_that_does_not_exist_is_not_a_number,
          summary_of_unsorted_values_is_that_of_their_order, summary_sorts_its_values_in_place,
          summary_of_one_value_is_that_value, summary_of_two_values_lies_between_them,
          a_mean_has_an_interval_by_students_t, ties_give_an_interval_of_no_width,
          summary_of_nothing_is_not_measured,
          a_value_that_is_no_finite_number_makes_the_summary_not_measured,
          precision_is_half_the_interval_in_percent_of_the_median,
          precision_is_unknown_without_an_interval_or_a_positive_median,
          quantiles_of_students_t_agree_with_published_tables)
