/* The log-linear histogram: cells cover the range without gaps, quantiles keep the documented
 * error, merging is exact, and values out of range are counted. */
#include "tests/common/unit.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "stats/stats.h"

enum { SAMPLES = 20000 };

static const uint64_t limit_ns = (uint64_t)1 << STATS_HISTOGRAM_LIMIT;

typedef uint64_t sample_source(cb_random *random);

static double normal(cb_random *random)
{
    double radius = sqrt(-2 * log(1 - cb_random_unit(random)));

    return radius * cos(2 * M_PI * cb_random_unit(random));
}

static uint64_t exponential_ns(cb_random *random)
{
    return (uint64_t)(-5000 * log(1 - cb_random_unit(random)));
}

static uint64_t lognormal_ns(cb_random *random)
{
    return (uint64_t)(2000 * exp(1.5 * normal(random)));
}

/* Most steps take 300 ns; one in twenty is preempted for 4 ms. */
static uint64_t bimodal_ns(cb_random *random)
{
    double centre_ns = cb_random_unit(random) < 0.05 ? 4e6 : 300;

    return (uint64_t)(centre_ns * exp(0.05 * normal(random)));
}

static int compare_ns(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

static stats_histogram *empty_histogram(void)
{
    stats_histogram *histogram = calloc(1, sizeof(*histogram));

    ck_assert_ptr_nonnull(histogram);
    return histogram;
}

static void assert_quantiles_within_one_percent(sample_source *draw, uint64_t seed)
{
    static const unsigned permille[] = {1, 10, 100, 250, 500, 750, 900, 949, 951, 990, 999, 1000};
    static uint64_t samples[SAMPLES];
    stats_histogram *histogram = empty_histogram();
    cb_random random = cb_random_seed(seed);

    for (size_t i = 0; i < SAMPLES; i++) {
        samples[i] = draw(&random);
        stats_histogram_record(histogram, samples[i]);
    }
    qsort(samples, SAMPLES, sizeof(samples[0]), compare_ns);
    for (size_t i = 0; i < sizeof(permille) / sizeof(permille[0]); i++) {
        double exact = (double)samples[SAMPLES / 1000 * permille[i] - 1];
        double found = stats_histogram_quantile(histogram, permille[i] / 1000.0);

        ck_assert_msg(fabs(found - exact) <= 0.01 * exact, "quantile %u/1000: %g, exact %g",
                      permille[i], found, exact);
    }
    free(histogram);
}

START_TEST(each_bound_is_inside_its_cell)
{
    for (size_t cell = 0; cell < STATS_HISTOGRAM_CELLS; cell++)
        ck_assert_uint_eq(stats_histogram_cell(stats_histogram_bound(cell)), cell);
}
END_TEST

START_TEST(each_cell_ends_where_the_next_begins)
{
    for (size_t cell = 0; cell < STATS_HISTOGRAM_CELLS; cell++) {
        uint64_t next = stats_histogram_bound(cell + 1);

        ck_assert_uint_gt(next, stats_histogram_bound(cell));
        ck_assert_uint_eq(stats_histogram_cell(next - 1), cell);
    }
}
END_TEST

START_TEST(cells_reach_from_zero_to_the_limit)
{
    ck_assert_uint_eq(stats_histogram_bound(0), 0);
    ck_assert_uint_eq(stats_histogram_bound(STATS_HISTOGRAM_CELLS), limit_ns);
}
END_TEST

START_TEST(each_octave_has_128_cells)
{
    for (unsigned exponent = 8; exponent < STATS_HISTOGRAM_LIMIT; exponent++) {
        uint64_t start = (uint64_t)1 << exponent;

        ck_assert_uint_eq(stats_histogram_bound(stats_histogram_cell(start)), start);
        ck_assert_uint_eq(stats_histogram_cell(2 * start - 1) - stats_histogram_cell(start), 127);
    }
}
END_TEST

START_TEST(a_cell_is_at_most_a_128th_of_its_values_wide)
{
    for (size_t cell = 1; cell < STATS_HISTOGRAM_CELLS; cell++) {
        uint64_t first = stats_histogram_bound(cell);

        ck_assert_msg(stats_histogram_bound(cell + 1) - first == 1 ||
                          (stats_histogram_bound(cell + 1) - first) * 128 <= first,
                      "cell %d begins at %d", (int)cell, (int)first);
    }
}
END_TEST

START_TEST(values_below_256_ns_are_kept_exactly)
{
    for (uint64_t value_ns = 0; value_ns < 256; value_ns++) {
        stats_histogram *histogram = empty_histogram();

        stats_histogram_record(histogram, value_ns);
        stats_histogram_record(histogram, 1000);
        ck_assert_double_eq(stats_histogram_quantile(histogram, 0.5), (double)value_ns);
        free(histogram);
    }
}
END_TEST

START_TEST(a_quantile_is_the_middle_of_its_cell)
{
    stats_histogram *histogram = empty_histogram();

    stats_histogram_record(histogram, 1024); /* cells of 8 ns: 1024 to 1031 */
    stats_histogram_record(histogram, 5000);
    ck_assert_double_eq(stats_histogram_quantile(histogram, 0.5), 1027.5);
    free(histogram);
}
END_TEST

START_TEST(a_quantile_is_never_above_the_maximum)
{
    stats_histogram *histogram = empty_histogram();

    stats_histogram_record(histogram, 1024);
    stats_histogram_record(histogram, 1025);
    ck_assert_double_eq(stats_histogram_quantile(histogram, 0.5), 1025);
    free(histogram);
}
END_TEST

START_TEST(the_highest_rank_is_the_exact_maximum)
{
    stats_histogram *histogram = empty_histogram();

    for (uint64_t value_ns = 1; value_ns < 1000; value_ns++)
        stats_histogram_record(histogram, value_ns);
    stats_histogram_record(histogram, 1031); /* the last of its cell's 8 ns, not the middle */
    ck_assert_double_eq(stats_histogram_quantile(histogram, 1), 1031);
    ck_assert_double_eq(stats_histogram_quantile(histogram, 0.9995), 1031);
    free(histogram);
}
END_TEST

START_TEST(the_lowest_quantile_is_the_smallest_sample)
{
    stats_histogram *histogram = empty_histogram();

    stats_histogram_record(histogram, 17);
    stats_histogram_record(histogram, 99);
    ck_assert_double_eq(stats_histogram_quantile(histogram, 0), 17);
    free(histogram);
}
END_TEST

/* 0.07 * 100 and 0.29 * 100 are not integers in binary; the intended ranks are 7 and 29. */
START_TEST(quantile_ranks_are_exact_despite_binary_rounding)
{
    stats_histogram *histogram = empty_histogram();

    for (uint64_t value_ns = 1; value_ns <= 100; value_ns++)
        stats_histogram_record(histogram, value_ns);
    for (unsigned percent = 1; percent <= 100; percent++)
        ck_assert_double_eq(stats_histogram_quantile(histogram, percent / 100.0), percent);
    ck_assert_double_eq(stats_histogram_quantile(histogram, 0.0701), 8);
    free(histogram);
}
END_TEST

START_TEST(quantiles_of_exponential_samples_are_within_one_percent)
{
    assert_quantiles_within_one_percent(exponential_ns, 11);
}
END_TEST

START_TEST(quantiles_of_lognormal_samples_are_within_one_percent)
{
    assert_quantiles_within_one_percent(lognormal_ns, 12);
}
END_TEST

START_TEST(quantiles_of_bimodal_samples_are_within_one_percent)
{
    assert_quantiles_within_one_percent(bimodal_ns, 13);
}
END_TEST

START_TEST(merging_equals_recording_all_in_one)
{
    stats_histogram *parts[2] = {empty_histogram(), empty_histogram()};
    stats_histogram *whole = empty_histogram();
    cb_random random = cb_random_seed(14);

    for (size_t i = 0; i < SAMPLES; i++) {
        uint64_t value_ns = i % 1000 == 0 ? limit_ns + i : lognormal_ns(&random);

        stats_histogram_record(parts[cb_random_below(&random, 2)], value_ns);
        stats_histogram_record(whole, value_ns);
    }
    stats_histogram_merge(parts[0], parts[1]);
    ck_assert_mem_eq(parts[0], whole, sizeof(*whole));
    free(parts[0]);
    free(parts[1]);
    free(whole);
}
END_TEST

START_TEST(merging_an_empty_one_changes_nothing)
{
    stats_histogram *histogram = empty_histogram(), *before = empty_histogram();
    stats_histogram *empty = empty_histogram();

    stats_histogram_record(histogram, 12345);
    memcpy(before, histogram, sizeof(*before));
    stats_histogram_merge(histogram, empty);
    ck_assert_mem_eq(histogram, before, sizeof(*before));
    free(histogram);
    free(before);
    free(empty);
}
END_TEST

START_TEST(values_at_the_limit_are_dropped_and_counted)
{
    stats_histogram *histogram = empty_histogram();

    stats_histogram_record(histogram, limit_ns - 1);
    stats_histogram_record(histogram, limit_ns);
    stats_histogram_record(histogram, UINT64_MAX);
    ck_assert_uint_eq(histogram->samples, 1);
    ck_assert_uint_eq(histogram->dropped, 2);
    ck_assert_uint_eq(histogram->counts[STATS_HISTOGRAM_CELLS - 1], 1);
    free(histogram);
}
END_TEST

START_TEST(dropped_values_do_not_change_the_maximum)
{
    stats_histogram *histogram = empty_histogram();

    stats_histogram_record(histogram, 700001);
    stats_histogram_record(histogram, 3);
    stats_histogram_record(histogram, limit_ns);
    ck_assert_uint_eq(histogram->maximum_ns, 700001);
    free(histogram);
}
END_TEST

START_TEST(a_quantile_that_does_not_exist_is_not_a_number)
{
    stats_histogram *histogram = empty_histogram();

    ck_assert_double_nan(stats_histogram_quantile(histogram, 0.5));
    stats_histogram_record(histogram, 5);
    ck_assert_double_nan(stats_histogram_quantile(histogram, -0.1));
    ck_assert_double_nan(stats_histogram_quantile(histogram, 1.1));
    ck_assert_double_nan(stats_histogram_quantile(histogram, (double)NAN));
    free(histogram);
}
END_TEST

UNIT_MAIN("histogram", each_bound_is_inside_its_cell, each_cell_ends_where_the_next_begins,
          cells_reach_from_zero_to_the_limit, each_octave_has_128_cells,
          a_cell_is_at_most_a_128th_of_its_values_wide, values_below_256_ns_are_kept_exactly,
          a_quantile_is_the_middle_of_its_cell, a_quantile_is_never_above_the_maximum,
          the_highest_rank_is_the_exact_maximum, the_lowest_quantile_is_the_smallest_sample,
          quantile_ranks_are_exact_despite_binary_rounding,
          quantiles_of_exponential_samples_are_within_one_percent,
          quantiles_of_lognormal_samples_are_within_one_percent,
          quantiles_of_bimodal_samples_are_within_one_percent, merging_equals_recording_all_in_one,
          merging_an_empty_one_changes_nothing, values_at_the_limit_are_dropped_and_counted,
          dropped_values_do_not_change_the_maximum, a_quantile_that_does_not_exist_is_not_a_number)
