/* TICK1 and TICK2 on simulated clocks: time advances by 100 ns with each reading, and by the
 * time slept. The last case uses the clock of this machine. */

#include <math.h>

#include "base/clock.h"
#include "tests/common/unit.h"

enum { READING_NS = 100 };

static const uint64_t interval_ns = 100000000;

/* The wall-clock time at the start, and the time that has passed since. */
static const uint64_t beginning_ns = UINT64_C(1800000000) * 1000000000;
static uint64_t true_ns;

static void pass_time(uint64_t ns)
{
    true_ns += ns;
}

/* How a simulated clock shows the time. */
typedef struct {
    double speed;
    uint64_t step_ns;
    int set_at_reading; /* time at which it is set back by a second; 0: never */
    int readings;
} face;

static uint64_t read_face(void *context)
{
    face *shown = context;
    uint64_t now_ns = beginning_ns + (uint64_t)((double)(true_ns += READING_NS) * shown->speed);

    now_ns -= now_ns % shown->step_ns;
    if (shown->set_at_reading > 0 && ++shown->readings >= shown->set_at_reading)
        now_ns -= 1000000000;
    return now_ns;
}

static uint64_t stand(void *context)
{
    (void)context;
    return 12345;
}

static face good_face(void)
{
    true_ns = 0;
    return (face){.speed = 1, .step_ns = 1};
}

static cb_clock clock_of(face *shown)
{
    return (cb_clock){read_face, shown};
}

static cb_tick1 tick1_of(face shown)
{
    cb_clock clock = clock_of(&shown);

    return cb_measure_tick1(&clock);
}

/* The error of the clock against a correct one. */
static cb_tick2 tick2_of(face shown, face reference)
{
    cb_clock clock = clock_of(&shown), other = clock_of(&reference);

    return cb_measure_tick2(&clock, &other, interval_ns, pass_time);
}

START_TEST(the_tick_of_a_fine_clock_is_the_time_of_a_reading)
{
    cb_tick1 found = tick1_of(good_face());

    ck_assert_uint_eq(found.tick_ns, READING_NS);
    ck_assert(!found.goes_back);
}
END_TEST

START_TEST(the_tick_of_a_coarse_clock_is_its_step)
{
    face shown = good_face();

    shown.step_ns = 10000000;
    ck_assert_uint_eq(tick1_of(shown).tick_ns, 10000000);
}
END_TEST

/* The process is preempted for 50 ms before its 10th reading of a clock with a step of 10 ms. */
static uint64_t read_interrupted(void *context)
{
    face *shown = context;

    if (++shown->readings == 10)
        true_ns += 50000000;
    true_ns += READING_NS;
    return true_ns - true_ns % shown->step_ns;
}

START_TEST(a_step_during_a_preemption_is_not_the_tick)
{
    face shown = {.step_ns = 10000000};
    const cb_clock clock = {read_interrupted, &shown};

    true_ns = 0;
    ck_assert_uint_eq(cb_measure_tick1(&clock).tick_ns, 10000000);
}
END_TEST

START_TEST(measuring_a_stopped_clock_ends)
{
    const cb_clock clock = {stand, NULL};
    cb_tick1 found = cb_measure_tick1(&clock);

    ck_assert_uint_eq(found.tick_ns, 0);
    ck_assert(!found.goes_back);
}
END_TEST

START_TEST(a_clock_that_goes_back_is_detected)
{
    face shown = good_face();

    shown.set_at_reading = 1000;
    ck_assert(tick1_of(shown).goes_back);
}
END_TEST

START_TEST(clocks_of_the_same_rate_agree)
{
    cb_tick2 found = tick2_of(good_face(), good_face());

    ck_assert(cb_tick2_is_true(&found));
    ck_assert_double_le(fabs(found.error_pct), found.bound_pct);
    ck_assert_double_lt(found.bound_pct, 0.01);
}
END_TEST

START_TEST(the_error_of_a_fast_clock_is_its_excess_rate)
{
    face shown = good_face();
    cb_tick2 found;

    shown.speed = 1.01;
    found = tick2_of(shown, good_face());
    ck_assert(!cb_tick2_is_true(&found));
    ck_assert_double_eq_tol(found.error_pct, 1, 0.01);
}
END_TEST

START_TEST(a_drift_of_some_ppm_is_accepted)
{
    face shown = good_face();
    cb_tick2 found;

    shown.speed = 1 - 200e-6;
    found = tick2_of(shown, good_face());
    ck_assert(cb_tick2_is_true(&found));
    ck_assert_double_eq_tol(found.error_pct, -0.02, 0.004);
}
END_TEST

static uint64_t stopped_ns;

/* A clock of processor time does not advance during a sleep. */
static uint64_t read_processor_time(void *context)
{
    (void)context;
    return (true_ns += READING_NS) - stopped_ns;
}

static void pause_process(uint64_t ns)
{
    true_ns += ns;
    stopped_ns += ns;
}

START_TEST(a_clock_of_processor_time_is_rejected)
{
    face shown = good_face();
    cb_clock reference = clock_of(&shown);
    const cb_clock processor = {read_processor_time, NULL};
    cb_tick2 found = cb_measure_tick2(&processor, &reference, interval_ns, pause_process);

    ck_assert(!cb_tick2_is_true(&found));
    ck_assert_double_lt(found.error_pct, -99);
}
END_TEST

/* After the first 51 readings: the origin and 50 readings of the clock. */
START_TEST(a_reference_that_is_set_during_a_trial_repeats_the_trial)
{
    face reference = good_face();
    cb_tick2 found;

    reference.set_at_reading = 52;
    found = tick2_of(good_face(), reference);
    ck_assert(cb_tick2_is_true(&found));
    ck_assert_uint_ge(true_ns, 2 * interval_ns);
}
END_TEST

START_TEST(the_clock_of_this_machine_passes_both_checks)
{
    cb_tick1 first = cb_measure_tick1(cb_clock_measured());
    cb_tick2 second = cb_measure_tick2(cb_clock_measured(), cb_clock_wall(), 20000000, cb_sleep_ns);

    ck_assert_uint_gt(first.tick_ns, 0);
    ck_assert(!first.goes_back);
    ck_assert_msg(cb_tick2_is_true(&second), "off by %g %%, known to %g %%", second.error_pct,
                  second.bound_pct);
}
END_TEST

UNIT_MAIN("tick", the_tick_of_a_fine_clock_is_the_time_of_a_reading,
          the_tick_of_a_coarse_clock_is_its_step, a_step_during_a_preemption_is_not_the_tick,
          measuring_a_stopped_clock_ends, a_clock_that_goes_back_is_detected,
          clocks_of_the_same_rate_agree, the_error_of_a_fast_clock_is_its_excess_rate,
          a_drift_of_some_ppm_is_accepted, a_clock_of_processor_time_is_rejected,
          a_reference_that_is_set_during_a_trial_repeats_the_trial,
          the_clock_of_this_machine_passes_both_checks)
