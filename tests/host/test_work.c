/* Calibrated work is proportional to its units. The result shows any missing round, at any speed
 * or load of the machine. */
#include "host/work.h"

#include <stdlib.h>

#include "tests/common/unit.h"

enum { ROUNDS_OF_A_UNIT = 128 };

/* An independent implementation of a unit of work. */
static uint64_t by_hand(uint64_t state, uint64_t units)
{
    for (uint64_t round = 0; round < units * ROUNDS_OF_A_UNIT; round++) {
        state ^= state / 4294967296u;
        state *= UINT64_C(11400714819323198485);
    }
    return state;
}

START_TEST(a_unit_of_work_does_all_its_rounds)
{
    static const uint64_t counts[] = {1, 2, 3, 100, 4099};

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        ck_assert_uint_eq(host_work(counts[i]), by_hand(host_work(0), counts[i]));
}
END_TEST

START_TEST(every_call_does_the_same_work)
{
    uint64_t first = host_work(1000);

    for (int call = 0; call < 10; call++)
        ck_assert_uint_eq(host_work(1000), first);
}
END_TEST

START_TEST(work_in_two_parts_equals_the_work_at_once)
{
    ck_assert_uint_eq(host_work_on(host_work(70), 30), host_work(100));
    ck_assert_uint_eq(host_work_on(host_work(0), 100), host_work(100));
}
END_TEST

static int ascending(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

START_TEST(every_unit_changes_the_result)
{
    enum { UNITS = 5000 };
    static uint64_t states[UNITS];

    for (size_t units = 0; units < UNITS; units++)
        states[units] = host_work(units);
    qsort(states, UNITS, sizeof(states[0]), ascending);
    for (size_t i = 1; i < UNITS; i++)
        ck_assert_uint_ne(states[i - 1], states[i]);
}
END_TEST

START_TEST(a_time_is_rounded_to_the_nearest_unit)
{
    host_work_rate rate = {.unit_ns = 250};

    ck_assert_uint_eq(host_work_units(&rate, 50), 200);
    ck_assert_uint_eq(host_work_units(&rate, 500), 2000);
    ck_assert_uint_eq(host_work_units(&rate, 0.3), 1);
    ck_assert_uint_eq(host_work_units(&rate, 0.4), 2);
}
END_TEST

START_TEST(zero_time_is_zero_units)
{
    host_work_rate rate = {.unit_ns = 250};

    ck_assert_uint_eq(host_work_units(&rate, 0), 0);
    ck_assert_uint_eq(host_work_units(&rate, -1), 0);
    ck_assert_uint_eq(host_work_on(17, 0), 17);
}
END_TEST

START_TEST(a_calibration_gives_a_median_within_its_range)
{
    host_work_rate rate;

    ck_assert_int_eq(host_work_calibrate(&rate), CB_OK);
    ck_assert_double_gt(rate.least_ns, 0);
    ck_assert_double_le(rate.least_ns, rate.unit_ns);
    ck_assert_double_le(rate.unit_ns, rate.most_ns);
    ck_assert_double_ge(rate.spread_pct, 0);
}
END_TEST

START_TEST(the_faster_of_two_calibrations_is_kept)
{
    host_work_rate slow = {.unit_ns = 1e12}, fast = {.unit_ns = 1e-6};

    ck_assert_int_eq(host_work_refine(&slow), CB_OK);
    ck_assert_double_lt(slow.unit_ns, 1e12);
    ck_assert_double_gt(slow.most_ns, 0);
    ck_assert_int_eq(host_work_refine(&fast), CB_OK);
    ck_assert_double_eq(fast.unit_ns, 1e-6);
}
END_TEST

UNIT_MAIN("work", a_unit_of_work_does_all_its_rounds, every_call_does_the_same_work,
          work_in_two_parts_equals_the_work_at_once, every_unit_changes_the_result,
          a_time_is_rounded_to_the_nearest_unit, zero_time_is_zero_units,
          a_calibration_gives_a_median_within_its_range, the_faster_of_two_calibrations_is_kept)
