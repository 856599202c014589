/* The clock never goes back, and its measured resolution and reading cost are plausible. */
#include "base/clock.h"

#include <math.h>
#include <signal.h>
#include <sys/time.h>

#include "tests/common/unit.h"

START_TEST(readings_never_go_back)
{
    uint64_t before = cb_now_ns();

    for (int i = 0; i < 100000; i++) {
        uint64_t now = cb_now_ns();

        ck_assert_uint_ge(now, before);
        before = now;
    }
}
END_TEST

START_TEST(a_reading_counts_nanoseconds_of_the_monotonic_clock)
{
    struct timespec first;
    struct timespec last;
    uint64_t now;

    clock_gettime(CLOCK_MONOTONIC, &first);
    now = cb_now_ns();
    clock_gettime(CLOCK_MONOTONIC, &last);
    ck_assert_uint_ge(now, (uint64_t)first.tv_sec * 1000000000u + (uint64_t)first.tv_nsec);
    ck_assert_uint_le(now, (uint64_t)last.tv_sec * 1000000000u + (uint64_t)last.tv_nsec);
}
END_TEST

START_TEST(resolution_is_at_least_one_nanosecond_step)
{
    double resolution_ns = cb_clock_measure().resolution_ns;

    ck_assert_double_ge(resolution_ns, 1.0);
    ck_assert_double_eq(resolution_ns, floor(resolution_ns));
}
END_TEST

START_TEST(the_cost_of_a_reading_is_positive)
{
    cb_clock_quality quality = cb_clock_measure();

    ck_assert_double_gt(quality.cost_ns, 0.0);
    ck_assert_double_finite(quality.cost_ns);
}
END_TEST

static volatile sig_atomic_t alarms;

static void count_alarm(int signal_number)
{
    (void)signal_number;
    alarms++;
}

/* The alarm repeats because the first one may come before the sleep starts. If it had no effect,
 * the test would last until its timeout. */
START_TEST(a_signal_ends_the_sleep)
{
    const struct sigaction action = {.sa_handler = count_alarm};
    const struct itimerval each_ms = {.it_interval.tv_usec = 1000, .it_value.tv_usec = 1000};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &each_ms, NULL);
    cb_sleep_ns(UINT64_C(3600) * 1000000000u);
    ck_assert_int_gt(alarms, 0);
}
END_TEST

UNIT_MAIN("clock", readings_never_go_back, a_reading_counts_nanoseconds_of_the_monotonic_clock,
          resolution_is_at_least_one_nanosecond_step, the_cost_of_a_reading_is_positive,
          a_signal_ends_the_sleep)
