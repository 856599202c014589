/* The noise probe: its arithmetic on given clock readings, and the limits that the real probe
 * keeps. */
#include "tests/common/unit.h"

#include <stddef.h>

#include "host/internal.h"

static host_noise noise_of(const uint64_t *readings_ns, size_t count)
{
    host_gaps gaps = host_gaps_begin(readings_ns[0]);

    for (size_t i = 1; i < count; i++)
        host_gaps_add(&gaps, readings_ns[i]);
    return host_gaps_result(&gaps);
}

#define NOISE_OF(...)                                                                              \
    noise_of((const uint64_t[]){__VA_ARGS__},                                                      \
             sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

START_TEST(a_preemption_counts_as_stolen)
{
    ck_assert_double_eq_tol(NOISE_OF(0, 5000, 30000, 35000, 40000, 45000, 50000).stolen_pct, 50,
                            1e-9);
}
END_TEST

START_TEST(gaps_up_to_the_quantum_are_not_stolen)
{
    ck_assert_double_eq(NOISE_OF(0, 10000, 20000, 30000).stolen_pct, 0);
}
END_TEST

START_TEST(a_gap_just_above_the_quantum_is_stolen_whole)
{
    ck_assert_double_eq_tol(NOISE_OF(0, 10001, 20001, 30001, 40000).stolen_pct,
                            100 * 10001.0 / 40000, 1e-9);
}
END_TEST

START_TEST(several_gaps_add_up)
{
    ck_assert_double_eq_tol(
        NOISE_OF(0, 20000, 25000, 55000, 60000, 70000, 80000, 90000, 100000).stolen_pct, 50, 1e-9);
}
END_TEST

START_TEST(the_longest_gap_is_reported_in_microseconds)
{
    ck_assert_double_eq_tol(NOISE_OF(0, 20000, 25000, 55000, 60000).longest_us, 30, 1e-9);
}
END_TEST

START_TEST(the_longest_gap_is_reported_even_below_the_quantum)
{
    ck_assert_double_eq_tol(NOISE_OF(500, 520, 2520, 2540).longest_us, 2, 1e-9);
}
END_TEST

START_TEST(the_duration_counts_from_the_first_reading)
{
    ck_assert_double_eq_tol(NOISE_OF(7000000, 7500000, 9000000).duration_ms, 2, 1e-9);
}
END_TEST

START_TEST(large_readings_lose_no_precision)
{
    const uint64_t years_ns = UINT64_C(1) << 62;

    ck_assert_double_eq_tol(NOISE_OF(years_ns, years_ns + 20000, years_ns + 40000).longest_us, 20,
                            1e-9);
}
END_TEST

START_TEST(readings_that_do_not_differ_give_zero_and_not_nan)
{
    ck_assert_double_eq(NOISE_OF(42, 42, 42).stolen_pct, 0);
}
END_TEST

START_TEST(the_quantum_is_named_in_microseconds)
{
    ck_assert_double_eq(NOISE_OF(0, 1).quantum_us, 10);
}
END_TEST

START_TEST(the_probe_lasts_at_least_as_long_as_asked)
{
    ck_assert_double_ge(host_probe_noise(3).duration_ms, 3);
}
END_TEST

START_TEST(stolen_time_is_between_none_and_all)
{
    host_noise noise = host_probe_noise(3);

    ck_assert_double_ge(noise.stolen_pct, 0);
    ck_assert_double_le(noise.stolen_pct, 100);
}
END_TEST

START_TEST(the_longest_gap_is_seen_and_not_longer_than_the_probe)
{
    host_noise noise = host_probe_noise(3);

    ck_assert_double_gt(noise.longest_us, 0);
    ck_assert_double_le(noise.longest_us, noise.duration_ms * 1000);
}
END_TEST

START_TEST(a_probe_of_no_time_ends)
{
    host_noise noise = host_probe_noise(0);

    ck_assert_double_ge(noise.stolen_pct, 0);
    ck_assert_double_le(noise.stolen_pct, 100);
}
END_TEST

UNIT_MAIN("noise", a_preemption_counts_as_stolen, gaps_up_to_the_quantum_are_not_stolen,
          a_gap_just_above_the_quantum_is_stolen_whole, several_gaps_add_up,
          the_longest_gap_is_reported_in_microseconds,
          the_longest_gap_is_reported_even_below_the_quantum,
          the_duration_counts_from_the_first_reading, large_readings_lose_no_precision,
          readings_that_do_not_differ_give_zero_and_not_nan, the_quantum_is_named_in_microseconds,
          the_probe_lasts_at_least_as_long_as_asked, stolen_time_is_between_none_and_all,
          the_longest_gap_is_seen_and_not_longer_than_the_probe, a_probe_of_no_time_ends)
