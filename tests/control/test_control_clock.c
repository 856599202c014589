/* The arithmetic of clock offsets and drift, on examples computed by hand. */
#include "control/control.h"

#include "tests/common/unit.h"

START_TEST(the_fastest_round_trip_is_the_estimate)
{
    const control_round_trip trips[] = {
        {.sent_ns = 1000, .reference_ns = 9000, .received_ns = 1400},
        {.sent_ns = 2000, .reference_ns = 7050, .received_ns = 2100},
        {.sent_ns = 3000, .reference_ns = 9900, .received_ns = 3300},
    };
    control_clock clock = control_clock_estimate(trips, 3);

    ck_assert_uint_eq(clock.at_ns, 2050);
    ck_assert_double_eq(clock.offset_ns, 5000);
    ck_assert_double_eq(clock.bound_ns, 50);
    ck_assert_double_eq(clock.drift, 0);
}
END_TEST

START_TEST(a_reference_clock_that_is_late_gives_a_negative_offset)
{
    const control_round_trip trip = {
        .sent_ns = 5000000, .reference_ns = 110, .received_ns = 5000020};
    control_clock clock = control_clock_estimate(&trip, 1);

    ck_assert_double_eq(clock.offset_ns, -4999900);
    ck_assert_double_eq(clock.bound_ns, 10);
}
END_TEST

/* 900 ns in one second is 0.9 ppm; the bounds together explain only 300 ns. */
START_TEST(a_change_larger_than_both_bounds_is_a_drift)
{
    const control_clock earlier = {.offset_ns = 100, .bound_ns = 100, .at_ns = 1000000000};
    control_clock later = {.offset_ns = 1000, .bound_ns = 200, .at_ns = 2000000000};

    later = control_clock_refresh(&earlier, later);
    ck_assert_double_eq_tol(later.drift, 9e-7, 1e-18);
    ck_assert_double_eq(later.offset_ns, 1000);
    ck_assert_uint_eq(later.at_ns, 2000000000);
}
END_TEST

START_TEST(a_reference_that_is_slower_gives_a_negative_drift)
{
    const control_clock earlier = {.offset_ns = 100, .bound_ns = 10, .at_ns = 1000000000};
    const control_clock later = {.offset_ns = -900, .bound_ns = 10, .at_ns = 3000000000};

    ck_assert_double_eq_tol(control_clock_refresh(&earlier, later).drift, -5e-7, 1e-18);
}
END_TEST

START_TEST(a_change_within_the_bounds_is_not_a_drift)
{
    const control_clock earlier = {.offset_ns = 100, .bound_ns = 100, .at_ns = 1000000000};
    const control_clock later = {.offset_ns = 400, .bound_ns = 200, .at_ns = 2000000000};

    ck_assert_double_eq(control_clock_refresh(&earlier, later).drift, 0);
}
END_TEST

START_TEST(the_first_estimate_has_no_drift)
{
    const control_clock none = {0};
    const control_clock first = {.offset_ns = 1e9, .bound_ns = 1, .at_ns = 2000000000};

    ck_assert_double_eq(control_clock_refresh(&none, first).drift, 0);
}
END_TEST

START_TEST(the_offset_follows_the_drift)
{
    const control_clock clock = {.offset_ns = 1000, .drift = 1e-6, .at_ns = 5000000000};

    ck_assert_uint_eq(control_clock_reference(&clock, 5000000000), 5000001000);
    ck_assert_uint_eq(control_clock_reference(&clock, 6000000000), 6000002000);
    ck_assert_uint_eq(control_clock_reference(&clock, 4000000000), 4000000000);
}
END_TEST

/* Convert to the reference clock and back over a minute, with drifts of up to 200 ppm. */
START_TEST(converting_to_the_reference_and_back_is_exact_to_a_nanosecond)
{
    static const double drifts[] = {0, 1e-8, 5e-5, -5e-5, 2e-4, -2e-4};
    static const int64_t away_ns[] = {0, 1, -1, 999999937, 60000000011, -60000000011};

    for (size_t d = 0; d < sizeof(drifts) / sizeof(drifts[0]); d++)
        for (size_t i = 0; i < sizeof(away_ns) / sizeof(away_ns[0]); i++) {
            const control_clock clock = {
                .offset_ns = -123456789, .drift = drifts[d], .at_ns = 1000000000000};
            uint64_t local_ns = clock.at_ns + (uint64_t)away_ns[i];
            uint64_t reference_ns = control_clock_reference(&clock, local_ns);
            int64_t error_ns = (int64_t)(control_clock_local(&clock, reference_ns) - local_ns);

            ck_assert_int_le(error_ns, 1);
            ck_assert_int_ge(error_ns, -1);
        }
}
END_TEST

UNIT_MAIN("control_clock", the_fastest_round_trip_is_the_estimate,
          a_reference_clock_that_is_late_gives_a_negative_offset,
          a_change_larger_than_both_bounds_is_a_drift,
          a_reference_that_is_slower_gives_a_negative_drift,
          a_change_within_the_bounds_is_not_a_drift, the_first_estimate_has_no_drift,
          the_offset_follows_the_drift,
          converting_to_the_reference_and_back_is_exact_to_a_nanosecond)
