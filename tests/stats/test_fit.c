/* The piecewise linear fit on data with known lines: exact recovery, recovery from noisy data,
 * no breaks in mere noise, and refusals. */
#include "tests/common/unit.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "stats/fit.h"

enum { SWEEP_POINTS = 22, MOST_POINTS = 64 };

/* A curve of lines; each applies above the last size of the one before. */
typedef struct {
    double to_bytes, overhead_us, slope_us_per_byte;
} curve_part;

static const curve_part one_line[] = {{HUGE_VAL, 1.5, 1.0 / 3000}};

/* An eager protocol and, above 8 KiB, a rendezvous that costs a round trip and avoids a copy. */
static const curve_part protocol_jump[] = {{8192, 1.0, 1.0 / 2000}, {HUGE_VAL, 6.0, 1.0 / 8000}};

static const curve_part three_parts[] = {
    {512, 0.4, 1.0 / 1000}, {16384, 1.5, 1.0 / 4000}, {HUGE_VAL, 12.0, 1.0 / 9000}};

/* A change of slope without a jump: the lines meet at 16 KiB. */
static const curve_part a_bend[] = {
    {16384, 2.0, 1.0 / 10000}, {HUGE_VAL, 2.0 + 16384.0 / 10000 - 16384.0 / 20000, 1.0 / 20000}};

typedef struct {
    double bytes[MOST_POINTS], time_us[MOST_POINTS];
    size_t count;
} sample_points;

static double normal(cb_random *random)
{
    double radius = sqrt(-2 * log(1 - cb_random_unit(random)));

    return radius * cos(2 * M_PI * cb_random_unit(random));
}

static double curve_at(const curve_part *parts, double bytes)
{
    while (bytes > parts->to_bytes)
        parts++;
    return parts->overhead_us + parts->slope_us_per_byte * bytes;
}

/* The sizes of a short sweep, 0 and the powers of two to 1 MiB, with times on a curve. */
static sample_points sweep(const curve_part *parts)
{
    sample_points points = {.count = SWEEP_POINTS};

    for (size_t i = 0; i < points.count; i++) {
        points.bytes[i] = i == 0 ? 0 : ldexp(1, (int)i - 1);
        points.time_us[i] = curve_at(parts, points.bytes[i]);
    }
    return points;
}

static sample_points noisy_sweep(const curve_part *parts, double share, uint64_t seed)
{
    sample_points points = sweep(parts);
    cb_random random = cb_random_seed(seed);

    for (size_t i = 0; i < points.count; i++)
        points.time_us[i] *= exp(share * normal(&random));
    return points;
}

static size_t fit(const sample_points *points, stats_segment *segments)
{
    return stats_fit(points->bytes, points->time_us, points->count, STATS_FIT_SEGMENTS, false,
                     segments);
}

static size_t fit_fixed(const sample_points *points, size_t limit, stats_segment *segments)
{
    return stats_fit(points->bytes, points->time_us, points->count, limit, true, segments);
}

static void assert_close(const char *name, double found, double expected, double share)
{
    ck_assert_msg(fabs(found - expected) <= share * fabs(expected), "%s: %.12g, expected %.12g",
                  name, found, expected);
}

static void assert_segment(const stats_segment *segment, const curve_part *part, double share)
{
    assert_close("overhead", segment->overhead_us, part->overhead_us, share);
    assert_close("slope", segment->slope_us_per_byte, part->slope_us_per_byte, share);
    assert_close("r_inf", segment->r_inf_MBps, 1 / part->slope_us_per_byte, share);
    assert_close("n_half", segment->n_half_bytes, part->overhead_us / part->slope_us_per_byte,
                 2 * share);
    ck_assert_ptr_null(segment->refusal);
}

static void assert_refused(const sample_points *points, const char *word)
{
    stats_segment segment;

    ck_assert_uint_eq(fit_fixed(points, 1, &segment), 1);
    ck_assert_ptr_nonnull(segment.refusal);
    ck_assert_msg(strstr(segment.refusal, word) != NULL, "refused because '%s'", segment.refusal);
    ck_assert(isfinite(segment.r_inf_MBps) && isfinite(segment.n_half_bytes));
    ck_assert(isfinite(segment.rms_residual_us) && isfinite(segment.rms_residual_pct));
}

/* The number of seeds, of `runs`, that give `expected` segments. */
static unsigned runs_with_segments(const curve_part *parts, double share, size_t expected,
                                   unsigned runs)
{
    unsigned hits = 0;

    for (unsigned seed = 0; seed < runs; seed++) {
        sample_points points = noisy_sweep(parts, share, seed);
        stats_segment segments[STATS_FIT_SEGMENTS];

        hits += fit(&points, segments) == expected;
    }
    return hits;
}

START_TEST(one_line_is_recovered_exactly)
{
    sample_points points = sweep(one_line);
    stats_segment segments[STATS_FIT_SEGMENTS];

    ck_assert_uint_eq(fit(&points, segments), 1);
    assert_segment(&segments[0], &one_line[0], 1e-10);
}
END_TEST

START_TEST(a_segment_lists_the_points_that_it_covers)
{
    sample_points points = sweep(protocol_jump);
    stats_segment segments[STATS_FIT_SEGMENTS];

    ck_assert_uint_eq(fit(&points, segments), 2);
    ck_assert_uint_eq(segments[0].first, 0);
    ck_assert_uint_eq(segments[0].last, 14);
    ck_assert_uint_eq(segments[1].first, 15);
    ck_assert_uint_eq(segments[1].last, SWEEP_POINTS - 1);
    ck_assert_double_eq(segments[0].from_bytes, 0);
    ck_assert_double_eq(segments[0].to_bytes, 8192);
    ck_assert_double_eq(segments[1].from_bytes, 16384);
    ck_assert_double_eq(segments[1].to_bytes, 1048576);
}
END_TEST

START_TEST(a_protocol_jump_is_recovered_exactly)
{
    sample_points points = sweep(protocol_jump);
    stats_segment segments[STATS_FIT_SEGMENTS];

    ck_assert_uint_eq(fit(&points, segments), 2);
    for (size_t i = 0; i < 2; i++)
        assert_segment(&segments[i], &protocol_jump[i], 1e-9);
}
END_TEST

START_TEST(three_segments_are_recovered_exactly)
{
    sample_points points = sweep(three_parts);
    stats_segment segments[STATS_FIT_SEGMENTS];

    ck_assert_uint_eq(fit(&points, segments), 3);
    for (size_t i = 0; i < 3; i++)
        assert_segment(&segments[i], &three_parts[i], 1e-9);
}
END_TEST

START_TEST(a_bend_without_a_jump_is_recovered_exactly)
{
    sample_points points = sweep(a_bend);
    stats_segment segments[STATS_FIT_SEGMENTS];

    ck_assert_uint_eq(fit(&points, segments), 2);
    for (size_t i = 0; i < 2; i++)
        assert_segment(&segments[i], &a_bend[i], 1e-9);
}
END_TEST

/* A factor of two between 3 and 3 points is the smallest difference that the fit can detect. */
START_TEST(two_segments_of_three_points_are_distinguished)
{
    const double bytes[] = {0, 1000, 2000, 3000, 4000, 5000};
    const double time_us[] = {1, 1.5, 2, 8, 8.5, 9};
    stats_segment segments[STATS_FIT_SEGMENTS];

    ck_assert_uint_eq(stats_fit(bytes, time_us, 6, STATS_FIT_SEGMENTS, false, segments), 2);
    assert_close("overhead", segments[1].overhead_us, 6.5, 1e-9);
}
END_TEST

START_TEST(three_points_are_enough_for_a_line)
{
    const double bytes[] = {0, 100, 200}, time_us[] = {5, 6, 7};
    stats_segment segment;

    ck_assert_uint_eq(stats_fit(bytes, time_us, 3, 1, false, &segment), 1);
    assert_segment(&segment, &(curve_part){HUGE_VAL, 5, 0.01}, 1e-9);
}
END_TEST

START_TEST(an_overhead_of_zero_is_accepted)
{
    sample_points points = sweep(&(curve_part){HUGE_VAL, 0, 1.0 / 777});
    stats_segment segment;

    points.bytes[0] = 0.5; /* a time of zero is not a valid measurement */
    points.time_us[0] = 0.5 / 777;
    ck_assert_uint_eq(fit_fixed(&points, 1, &segment), 1);
    ck_assert_double_eq(segment.overhead_us, 0);
    ck_assert_double_eq(segment.n_half_bytes, 0);
    ck_assert_ptr_null(segment.refusal);
}
END_TEST

START_TEST(one_percent_of_noise_hardly_changes_the_parameters_of_a_line)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        sample_points points = noisy_sweep(one_line, 0.01, seed);
        stats_segment segments[STATS_FIT_SEGMENTS];

        ck_assert_uint_eq(fit(&points, segments), 1);
        assert_segment(&segments[0], &one_line[0], 0.03);
        ck_assert_double_le(segments[0].rms_residual_pct, 2);
        ck_assert_double_ge(segments[0].rms_residual_pct, 0.3);
    }
}
END_TEST

START_TEST(one_percent_of_noise_hardly_changes_the_parameters_of_a_protocol_jump)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        sample_points points = noisy_sweep(protocol_jump, 0.01, seed);
        stats_segment segments[STATS_FIT_SEGMENTS];

        ck_assert_uint_eq(fit(&points, segments), 2);
        ck_assert_double_eq(segments[0].to_bytes, 8192);
        for (size_t i = 0; i < 2; i++)
            assert_segment(&segments[i], &protocol_jump[i], 0.08);
    }
}
END_TEST

START_TEST(one_percent_of_noise_keeps_three_segments)
{
    ck_assert_uint_ge(runs_with_segments(three_parts, 0.01, 3, 100), 98);
}
END_TEST

START_TEST(noise_on_one_line_is_not_split)
{
    static const double shares[] = {0.001, 0.003, 0.01, 0.03, 0.1};

    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        unsigned whole = runs_with_segments(one_line, shares[i], 1, 400);

        ck_assert_msg(whole >= 396, "noise of %g: %u of 400 runs in one piece", shares[i], whole);
    }
}
END_TEST

START_TEST(noise_on_few_points_is_not_split)
{
    unsigned split = 0;

    for (uint64_t seed = 0; seed < 400; seed++) {
        sample_points points = noisy_sweep(one_line, 0.03, seed);
        stats_segment segments[STATS_FIT_SEGMENTS];

        split += stats_fit(points.bytes + 8, points.time_us + 8, 8, STATS_FIT_SEGMENTS, false,
                           segments) != 1;
    }
    ck_assert_uint_le(split, 4);
}
END_TEST

START_TEST(a_fixed_number_of_segments_is_kept_on_one_line)
{
    sample_points points = noisy_sweep(one_line, 0.01, 5);
    stats_segment segments[STATS_FIT_SEGMENTS];

    for (size_t limit = 1; limit <= 7; limit++) {
        ck_assert_uint_eq(fit_fixed(&points, limit, segments), limit);
        ck_assert_uint_eq(segments[0].first, 0);
        ck_assert_uint_eq(segments[limit - 1].last, SWEEP_POINTS - 1);
        for (size_t i = 1; i < limit; i++)
            ck_assert_uint_eq(segments[i].first, segments[i - 1].last + 1);
    }
}
END_TEST

START_TEST(a_fixed_number_that_the_points_do_not_allow_is_lowered)
{
    sample_points points = sweep(one_line);
    stats_segment segments[STATS_FIT_SEGMENTS];

    points.count = 8;
    ck_assert_uint_eq(fit_fixed(&points, 5, segments), 2);
}
END_TEST

START_TEST(at_most_the_limit_of_segments_is_used)
{
    sample_points points = sweep(three_parts);
    stats_segment segments[STATS_FIT_SEGMENTS];

    ck_assert_uint_eq(stats_fit(points.bytes, points.time_us, points.count, 2, false, segments), 2);
    ck_assert_uint_eq(fit_fixed(&points, 0, segments), 0);
}
END_TEST

START_TEST(a_limit_above_the_maximum_of_segments_is_reduced)
{
    sample_points points = {.count = MOST_POINTS};
    stats_segment segments[STATS_FIT_SEGMENTS];

    for (size_t i = 0; i < points.count; i++) {
        points.bytes[i] = 64.0 * (double)i;
        points.time_us[i] = curve_at(one_line, points.bytes[i]);
    }
    ck_assert_uint_eq(fit_fixed(&points, 99, segments), STATS_FIT_SEGMENTS);
}
END_TEST

START_TEST(the_best_breaks_are_those_of_an_exhaustive_search)
{
    sample_points points = noisy_sweep(protocol_jump, 0.05, 9);
    stats_segment found[2];
    double least = HUGE_VAL, of_found = 0;

    ck_assert_uint_eq(fit_fixed(&points, 2, found), 2);
    for (size_t i = 0; i < 2; i++)
        of_found +=
            pow(found[i].rms_residual_pct, 2) * (double)(found[i].last + 1 - found[i].first);
    for (size_t split = 3; split + 3 <= points.count; split++) {
        double sum = 0;
        stats_segment half;

        stats_fit(points.bytes, points.time_us, split, 1, true, &half);
        sum += pow(half.rms_residual_pct, 2) * (double)split;
        stats_fit(points.bytes + split, points.time_us + split, points.count - split, 1, true,
                  &half);
        sum += pow(half.rms_residual_pct, 2) * (double)(points.count - split);
        least = fmin(least, sum);
    }
    assert_close("sum of squares", of_found, least, 1e-9);
}
END_TEST

/* 0.1 us is a tenth of the time at small sizes and nothing at a megabyte: small sizes must have
 * the same weight. */
START_TEST(residuals_are_relative)
{
    sample_points points = sweep(one_line);
    stats_segment segment;

    points.time_us[SWEEP_POINTS - 1] *= 1.05;
    ck_assert_uint_eq(fit_fixed(&points, 1, &segment), 1);
    assert_close("overhead", segment.overhead_us, one_line[0].overhead_us, 0.01);
}
END_TEST

START_TEST(repeated_sizes_are_averaged_and_stay_in_one_segment)
{
    sample_points once = sweep(protocol_jump), twice = {.count = 2 * SWEEP_POINTS};
    stats_segment segments[STATS_FIT_SEGMENTS];

    for (size_t i = 0; i < twice.count; i++) {
        twice.bytes[i] = once.bytes[i / 2];
        twice.time_us[i] = once.time_us[i / 2] * (i % 2 == 0 ? 1.001 : 0.999);
    }
    ck_assert_uint_eq(fit(&twice, segments), 2);
    ck_assert_uint_eq(segments[0].last, 29);
    assert_segment(&segments[0], &protocol_jump[0], 0.001);
    ck_assert_uint_eq(fit_fixed(&twice, 7, segments), 7);
    for (size_t i = 1; i < 7; i++)
        ck_assert_double_gt(segments[i].from_bytes, segments[i - 1].to_bytes);
}
END_TEST

START_TEST(fewer_than_three_distinct_sizes_are_refused)
{
    const double bytes[] = {0, 0, 64, 64, 64}, time_us[] = {1, 1.1, 2, 2.1, 2.2};
    const double one_size[] = {8, 8, 8, 8, 8};
    stats_segment segments[STATS_FIT_SEGMENTS];

    ck_assert_uint_eq(stats_fit(bytes, time_us, 5, STATS_FIT_SEGMENTS, false, segments), 0);
    ck_assert_uint_eq(stats_fit(one_size, time_us, 5, STATS_FIT_SEGMENTS, true, segments), 0);
}
END_TEST

START_TEST(fewer_than_three_points_are_refused)
{
    const double bytes[] = {0, 64}, time_us[] = {1, 2};
    stats_segment segment;

    for (size_t count = 0; count <= 2; count++)
        ck_assert_uint_eq(stats_fit(bytes, time_us, count, 1, true, &segment), 0);
}
END_TEST

START_TEST(descending_sizes_are_refused)
{
    const double bytes[] = {0, 128, 64, 256}, time_us[] = {1, 2, 3, 4};
    stats_segment segment;

    ck_assert_uint_eq(stats_fit(bytes, time_us, 4, 1, false, &segment), 0);
}
END_TEST

START_TEST(invalid_times_and_sizes_are_refused)
{
    const double bad_times[] = {0, -1, (double)NAN, (double)INFINITY, 1e-200};
    const double bad_sizes[] = {-1, (double)NAN, (double)INFINITY};
    stats_segment segment;

    for (size_t i = 0; i < sizeof(bad_times) / sizeof(bad_times[0]); i++) {
        sample_points points = sweep(one_line);

        points.time_us[7] = bad_times[i];
        ck_assert_uint_eq(fit_fixed(&points, 1, &segment), 0);
    }
    for (size_t i = 0; i < sizeof(bad_sizes) / sizeof(bad_sizes[0]); i++) {
        sample_points points = sweep(one_line);

        points.bytes[0] = bad_sizes[i];
        ck_assert_uint_eq(fit_fixed(&points, 1, &segment), 0);
    }
}
END_TEST

START_TEST(times_that_fall_with_the_size_are_refused)
{
    sample_points points = sweep(&(curve_part){HUGE_VAL, 2000, -0.001});

    assert_refused(&points, "slope is not positive");
}
END_TEST

START_TEST(times_that_do_not_change_are_refused)
{
    sample_points points = sweep(&(curve_part){HUGE_VAL, 3.3, 0});

    assert_refused(&points, "slope");
}
END_TEST

/* Half of such curves rise by chance, and would give an enormous throughput. */
START_TEST(a_rise_within_the_noise_is_refused)
{
    unsigned accepted = 0;

    for (uint64_t seed = 0; seed < 200; seed++) {
        sample_points points = noisy_sweep(&(curve_part){HUGE_VAL, 3.3, 0}, 0.01, seed);
        stats_segment segment;

        ck_assert_uint_eq(fit_fixed(&points, 1, &segment), 1);
        accepted += segment.refusal == NULL;
    }
    ck_assert_uint_le(accepted, 14);
}
END_TEST

START_TEST(a_clearly_negative_overhead_is_refused)
{
    const double bytes[] = {100, 200, 300, 400}, time_us[] = {1, 3, 5, 7};
    sample_points points = {.count = 4};

    memcpy(points.bytes, bytes, sizeof(bytes));
    memcpy(points.time_us, time_us, sizeof(time_us));
    assert_refused(&points, "overhead is negative");
}
END_TEST

START_TEST(a_negative_overhead_within_its_uncertainty_is_refused_as_unknown)
{
    const double bytes[] = {100, 200, 300, 400}, time_us[] = {0.995, 2, 3.005, 4.01};
    sample_points points = {.count = 4};

    memcpy(points.bytes, bytes, sizeof(bytes));
    memcpy(points.time_us, time_us, sizeof(time_us));
    assert_refused(&points, "not significant");
}
END_TEST

START_TEST(a_line_that_misses_the_large_times_is_refused)
{
    sample_points points = sweep(one_line);

    points.time_us[SWEEP_POINTS - 1] *= 3;
    assert_refused(&points, "residual");
}
END_TEST

START_TEST(a_line_that_misses_the_small_times_is_refused)
{
    sample_points points = sweep(one_line);

    for (size_t i = 0; i < 12; i++)
        points.time_us[i] *= i % 2 == 0 ? 1.5 : 0.67;
    assert_refused(&points, "residual");
}
END_TEST

UNIT_MAIN("fit", one_line_is_recovered_exactly, a_segment_lists_the_points_that_it_covers,
          a_protocol_jump_is_recovered_exactly, three_segments_are_recovered_exactly,
          a_bend_without_a_jump_is_recovered_exactly,
          two_segments_of_three_points_are_distinguished, three_points_are_enough_for_a_line,
          an_overhead_of_zero_is_accepted,
          one_percent_of_noise_hardly_changes_the_parameters_of_a_line,
          one_percent_of_noise_hardly_changes_the_parameters_of_a_protocol_jump,
          one_percent_of_noise_keeps_three_segments, noise_on_one_line_is_not_split,
          noise_on_few_points_is_not_split, a_fixed_number_of_segments_is_kept_on_one_line,
          a_fixed_number_that_the_points_do_not_allow_is_lowered,
          at_most_the_limit_of_segments_is_used, a_limit_above_the_maximum_of_segments_is_reduced,
          the_best_breaks_are_those_of_an_exhaustive_search, residuals_are_relative,
          repeated_sizes_are_averaged_and_stay_in_one_segment,
          fewer_than_three_distinct_sizes_are_refused, fewer_than_three_points_are_refused,
          descending_sizes_are_refused, invalid_times_and_sizes_are_refused,
          times_that_fall_with_the_size_are_refused, times_that_do_not_change_are_refused,
          a_rise_within_the_noise_is_refused, a_clearly_negative_overhead_is_refused,
          a_negative_overhead_within_its_uncertainty_is_refused_as_unknown,
          a_line_that_misses_the_large_times_is_refused,
          a_line_that_misses_the_small_times_is_refused)
