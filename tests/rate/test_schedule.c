/* Arrival times of events, on simulated clocks: periodic ones in integers, the distribution of a
 * Poisson process, which events are due, and the start of a latency. Bounds on random figures
 * are four standard deviations, with fixed seeds. */
#include "rate/arrivals.h"

#include <math.h>

#include "base/memory.h"
#include "farm/ledger.h"
#include "tests/common/unit.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const uint64_t start_ns =
    UINT64_C(1760000000123456789); /* more digits than a double holds */

static const rate_arrivals poisson_process = {.process = FARM_POISSON};

/* A process whose due times are computed, and one whose intervals are drawn. */
static const rate_arrivals *const either[] = {&rate_arrivals_periodic, &poisson_process};

static rate_schedule periodic(double rate_hz)
{
    return rate_schedule_make(&rate_arrivals_periodic, rate_hz, 0, start_ns);
}

static rate_schedule poisson(double rate_hz, uint64_t seed)
{
    return rate_schedule_make(&poisson_process, rate_hz, seed, start_ns);
}

/* Periodic arrivals */

/* Each of three steps in double rounds by 2^-53 of the time: less than 1 ns up to 26 days. */
static uint64_t rounding_ns(uint64_t elapsed_ns)
{
    return 1 + (elapsed_ns >> 51);
}

static void assert_no_drift(uint64_t rate_mhz, uint64_t events)
{
    rate_schedule schedule = periodic((double)rate_mhz / 1000);

    for (uint64_t k = 1; k <= events; k++) {
        uint64_t exact_ns = k * UINT64_C(1000000000000) / rate_mhz;
        uint64_t elapsed_ns = rate_schedule_next(&schedule) - start_ns;
        uint64_t off_ns = elapsed_ns > exact_ns ? elapsed_ns - exact_ns : exact_ns - elapsed_ns;

        if (off_ns > rounding_ns(exact_ns))
            ck_abort_msg("event %lu at %lu mHz is due at %lu ns instead of %lu", k, rate_mhz,
                         elapsed_ns, exact_ns);
    }
}

START_TEST(a_periodic_event_is_due_at_its_number_over_the_rate_without_drift)
{
    static const uint64_t rates_mhz[] = {100,       300,           7000,         333333,
                                         123456789, 1000000000000, 99999999999u, 100000000000u};

    for (size_t i = 0; i < LENGTH(rates_mhz); i++)
        assert_no_drift(rates_mhz[i], 10000000);
}
END_TEST

START_TEST(a_periodic_schedule_does_not_depend_on_the_seed)
{
    rate_schedule one = rate_schedule_make(&rate_arrivals_periodic, 7e3, 1, start_ns);
    rate_schedule other = rate_schedule_make(&rate_arrivals_periodic, 7e3, 2, start_ns);

    for (int i = 0; i < 1000; i++)
        ck_assert_uint_eq(rate_schedule_next(&one), rate_schedule_next(&other));
}
END_TEST

/* The distribution of a Poisson process */

enum { INTERVALS = 100000 };

static const double mean_ns = 1e6; /* so long that rounding to nanoseconds does not matter */
static const uint64_t seeds[] = {0, 1, 2, 3, UINT64_MAX};

static double *draw_intervals(rate_schedule schedule)
{
    double *intervals = cb_allocate(INTERVALS, sizeof(*intervals), "intervals");
    uint64_t before_ns = start_ns;

    ck_assert_ptr_nonnull(intervals);
    for (size_t i = 0; i < INTERVALS; i++) {
        uint64_t instant_ns = rate_schedule_next(&schedule);

        intervals[i] = (double)(instant_ns - before_ns);
        before_ns = instant_ns;
    }
    return intervals;
}

static double mean_of(const double *values)
{
    double sum = 0;

    for (size_t i = 0; i < INTERVALS; i++)
        sum += values[i];
    return sum / INTERVALS;
}

/* The covariance of intervals `lag` apart; the variance for 0. */
static double covariance_of(const double *values, size_t lag)
{
    double mean = mean_of(values), sum = 0;

    for (size_t i = lag; i < INTERVALS; i++)
        sum += (values[i] - mean) * (values[i - lag] - mean);
    return sum / (double)(INTERVALS - lag);
}

static int compare(const void *a, const void *b)
{
    const double *one = a, *other = b;

    return (*one > *other) - (*one < *other);
}

/* Kolmogorov's distance between the values and an exponential distribution of the mean above, in
 * units of 1 / sqrt(values): greater than 1.95 for one true sample in 1000. Sorts them. */
static double distance_of(double *values)
{
    double distance = 0;

    qsort(values, INTERVALS, sizeof(*values), compare);
    for (size_t i = 0; i < INTERVALS; i++) {
        double expected = -expm1(-values[i] / mean_ns);

        distance = fmax(distance, fabs(expected - (double)i / INTERVALS));
        distance = fmax(distance, fabs(expected - (double)(i + 1) / INTERVALS));
    }
    return distance * sqrt(INTERVALS);
}

static const double furthest = 1.95;

START_TEST(poisson_intervals_are_exponential)
{
    for (size_t i = 0; i < LENGTH(seeds); i++) {
        double *intervals = draw_intervals(poisson(1e9 / mean_ns, seeds[i]));

        ck_assert_double_lt(distance_of(intervals), furthest);
        free(intervals);
    }
}
END_TEST

/* The distance of other distributions with the same mean, and of an exponential one with a mean
 * 3 % longer. */
START_TEST(the_distance_distinguishes_other_distributions_from_the_exponential)
{
    double *equal = draw_intervals(periodic(1e9 / mean_ns));
    double *longer = draw_intervals(poisson(1e9 / mean_ns / 1.03, 1));
    double *uniform = draw_intervals(periodic(1));
    cb_random random = cb_random_seed(1);

    for (size_t i = 0; i < INTERVALS; i++)
        uniform[i] = 2 * mean_ns * cb_random_unit(&random);
    ck_assert_double_gt(distance_of(equal), furthest);
    ck_assert_double_gt(distance_of(longer), furthest);
    ck_assert_double_gt(distance_of(uniform), furthest);
    free(equal);
    free(longer);
    free(uniform);
}
END_TEST

/* The mean of n intervals has a standard deviation of mean / sqrt(n). */
START_TEST(poisson_intervals_have_the_mean_of_the_rate)
{
    for (size_t i = 0; i < LENGTH(seeds); i++) {
        double *intervals = draw_intervals(poisson(1e9 / mean_ns, seeds[i]));

        ck_assert_double_eq_tol(mean_of(intervals) / mean_ns, 1, 4 / sqrt(INTERVALS));
        free(intervals);
    }
}
END_TEST

/* The fourth moment is 9 times the variance squared: sqrt(8 / n) is the deviation of the ratio. */
START_TEST(poisson_intervals_have_the_variance_of_an_exponential)
{
    for (size_t i = 0; i < LENGTH(seeds); i++) {
        double *intervals = draw_intervals(poisson(1e9 / mean_ns, seeds[i]));

        ck_assert_double_eq_tol(covariance_of(intervals, 0) / (mean_ns * mean_ns), 1,
                                4 * sqrt(8.0 / INTERVALS));
        free(intervals);
    }
}
END_TEST

START_TEST(poisson_intervals_are_uncorrelated)
{
    for (size_t i = 0; i < LENGTH(seeds); i++) {
        double *intervals = draw_intervals(poisson(1e9 / mean_ns, seeds[i]));

        for (size_t lag = 1; lag <= 4; lag++)
            ck_assert_double_eq_tol(covariance_of(intervals, lag) / (mean_ns * mean_ns), 0,
                                    4 / sqrt(INTERVALS));
        free(intervals);
    }
}
END_TEST

START_TEST(poisson_arrivals_repeat_with_the_seed)
{
    rate_schedule one = poisson(3e4, 11), other = poisson(3e4, 11);

    for (int i = 0; i < 10000; i++)
        ck_assert_uint_eq(rate_schedule_next(&one), rate_schedule_next(&other));
}
END_TEST

START_TEST(another_seed_gives_other_arrivals)
{
    rate_schedule one = poisson(1, 11), other = poisson(1, 12);

    for (int i = 0; i < 1000; i++)
        ck_assert_uint_ne(rate_schedule_next(&one), rate_schedule_next(&other));
}
END_TEST

START_TEST(arrival_times_never_decrease)
{
    static const double rates_hz[] = {0.1, 1e3, 1e8, 3e9, 1e12};

    for (size_t i = 0; i < 2 * LENGTH(rates_hz); i++) {
        rate_schedule schedule = rate_schedule_make(either[i % 2], rates_hz[i / 2], i, start_ns);
        uint64_t before_ns = start_ns;

        for (int k = 0; k < 200000; k++) {
            uint64_t instant_ns = rate_schedule_next(&schedule);

            if (instant_ns < before_ns)
                ck_abort_msg("%lu ns after %lu at %g Hz", instant_ns, before_ns, rates_hz[i / 2]);
            before_ns = instant_ns;
        }
    }
}
END_TEST

/* The largest draw, 1 - 2^-53, gives an interval of 53 ln 2 means. The state is computed
 * backwards from it: rotl(s1 * 5, 7) * 9 is 2^64 - 1 for this s1. */
START_TEST(the_largest_draw_gives_a_finite_interval)
{
    const uint64_t ninth = UINT64_MAX * UINT64_C(0x8e38e38e38e38e39);
    const uint64_t turned = (ninth >> 7) | (ninth << 57);
    rate_schedule schedule = poisson(1e3, 0);

    schedule.random = (cb_random){.state = {0, turned * UINT64_C(0xcccccccccccccccd), 0, 0}};
    ck_assert_uint_eq(rate_schedule_next(&schedule) - start_ns, 36736800);
}
END_TEST

START_TEST(a_draw_of_0_gives_an_interval_of_zero)
{
    rate_schedule schedule = poisson(1e3, 0);

    schedule.random = (cb_random){.state = {1, 0, 0, 0}};
    ck_assert_uint_eq(rate_schedule_next(&schedule), start_ns);
}
END_TEST

/* What is due */

enum { ASKED = 300 };

static rate_schedule nth_schedule(size_t n, uint64_t *step_ns)
{
    static const struct {
        double rate_hz;
        uint64_t step_ns; /* about one interval, so that all cases occur */
    } rows[] = {{3, 333333333}, {7e3, 142857},  {1e6, 1000}, {123456.789, 8100},
                {1e8 / 3, 30},  {1e9 / 3.7, 3}, {1e9, 1},    {2.7e9, 1}};

    if (n >= 2 * LENGTH(rows))
        return (rate_schedule){.interval_ns = 0};
    *step_ns = rows[n / 2].step_ns;
    return rate_schedule_make(either[n % 2], rows[n / 2].rate_hz, n, start_ns);
}

/* The number of arrivals up to `until_ns`, not counting the first `made`. */
static uint64_t count_instants(const uint64_t *instants_ns, uint64_t made, uint64_t until_ns)
{
    uint64_t count = made;

    while (count < ASKED && instants_ns[count] <= until_ns)
        count++;
    return count - made;
}

static void draw_instants(rate_schedule schedule, uint64_t *instants_ns)
{
    for (size_t k = 0; k < ASKED; k++)
        instants_ns[k] = rate_schedule_next(&schedule);
}

static void assert_due(const rate_schedule *schedule, const uint64_t *instants_ns,
                       uint64_t until_ns)
{
    uint64_t due = rate_schedule_due(schedule, until_ns);
    uint64_t expected = count_instants(instants_ns, schedule->number, until_ns);

    if (due != expected)
        ck_abort_msg("%lu instead of %lu due %lu ns after the start, beside %lu, of one in %g ns",
                     due, expected, until_ns - start_ns, schedule->number, schedule->interval_ns);
}

START_TEST(due_counts_events_up_to_the_given_time)
{
    rate_schedule schedule;
    uint64_t instants_ns[ASKED], step_ns;

    for (size_t n = 0; (schedule = nth_schedule(n, &step_ns)).interval_ns > 0; n++) {
        draw_instants(schedule, instants_ns);
        for (size_t k = 0; k + 1 < ASKED && instants_ns[k] + 1 < instants_ns[ASKED - 1]; k++) {
            assert_due(&schedule, instants_ns, instants_ns[k] - 1);
            assert_due(&schedule, instants_ns, instants_ns[k]);
            assert_due(&schedule, instants_ns, instants_ns[k] + 1);
        }
    }
}
END_TEST

START_TEST(due_does_not_count_issued_events)
{
    rate_schedule schedule;
    uint64_t instants_ns[ASKED], step_ns;

    for (size_t n = 0; (schedule = nth_schedule(n, &step_ns)).interval_ns > 0; n++) {
        draw_instants(schedule, instants_ns);
        for (size_t made = 0; made < ASKED - 1; made++) {
            for (size_t k = 0; k < ASKED && instants_ns[k] < instants_ns[ASKED - 1]; k += 17)
                assert_due(&schedule, instants_ns, instants_ns[k]);
            rate_schedule_next(&schedule);
        }
    }
}
END_TEST

START_TEST(no_event_is_due_before_or_at_the_start)
{
    rate_schedule schedule;
    uint64_t step_ns;

    for (size_t n = 0; (schedule = nth_schedule(n, &step_ns)).interval_ns > 1; n++) {
        ck_assert_uint_eq(rate_schedule_due(&schedule, 0), 0);
        ck_assert_uint_eq(rate_schedule_due(&schedule, start_ns - 1), 0);
        if (schedule.arrivals == &rate_arrivals_periodic)
            ck_assert_uint_eq(rate_schedule_due(&schedule, start_ns), 0);
    }
}
END_TEST

START_TEST(no_event_is_due_twice_at_an_earlier_time)
{
    rate_schedule schedule;
    uint64_t step_ns;

    for (size_t n = 0; (schedule = nth_schedule(n, &step_ns)).interval_ns > 0; n++) {
        for (size_t k = 0; k < ASKED; k++)
            rate_schedule_next(&schedule);
        for (uint64_t back = 0; back < 100; back++)
            ck_assert_uint_eq(rate_schedule_due(&schedule, start_ns + back * step_ns), 0);
    }
}
END_TEST

START_TEST(issuing_all_due_events_leaves_none_due)
{
    rate_schedule schedule;
    uint64_t step_ns;

    for (size_t n = 0; (schedule = nth_schedule(n, &step_ns)).interval_ns > 0; n++) {
        cb_random random = cb_random_seed(n);
        uint64_t now_ns = start_ns;

        for (int turn = 0; turn < 1000; turn++) {
            uint64_t due;

            now_ns += cb_random_below(&random, 5 * step_ns);
            due = rate_schedule_due(&schedule, now_ns);
            for (uint64_t made = 0; made < due; made++)
                if (rate_schedule_next(&schedule) > now_ns)
                    ck_abort_msg("an event was called due before its instant");
            if (rate_schedule_due(&schedule, now_ns) != 0)
                ck_abort_msg("an event stayed due");
        }
    }
}
END_TEST

START_TEST(arrival_times_do_not_depend_on_when_they_are_queried)
{
    rate_schedule schedule;
    uint64_t step_ns;

    for (size_t n = 0; (schedule = nth_schedule(n, &step_ns)).interval_ns > 0; n++) {
        rate_schedule asked = schedule;

        for (uint64_t k = 0; k < ASKED; k++) {
            rate_schedule_due(&asked, start_ns + (k * 7919 % ASKED) * step_ns);
            ck_assert_uint_eq(rate_schedule_next(&asked), rate_schedule_next(&schedule));
        }
    }
}
END_TEST

/* Counted one by one these would be more than 10^12: the test would not end. */
START_TEST(a_huge_number_of_due_events_is_computed_directly)
{
    rate_schedule schedule = periodic(1e12);

    ck_assert_uint_eq(rate_schedule_due(&schedule, start_ns + 1000000000 - 1), 999999999999u);
    schedule = periodic(1e6);
    ck_assert_uint_eq(rate_schedule_due(&schedule, start_ns + UINT64_C(1000000000000000)),
                      1000000000000u);
}
END_TEST

/* The time of the millionth event has a standard deviation of 1000 intervals; later ones are
 * estimated by the mean. */
START_TEST(more_than_a_million_due_poisson_events_are_estimated_by_the_mean)
{
    static const double rates_hz[] = {2e6, 1e7, 1e12};

    for (size_t i = 0; i < LENGTH(rates_hz); i++) {
        rate_schedule schedule = poisson(rates_hz[i], i);
        double due = (double)rate_schedule_due(&schedule, start_ns + 1000000000);

        ck_assert_double_eq_tol(due, rates_hz[i], 4000);
    }
}
END_TEST

/* Start of a latency. A generator issues events to a farm that processes one at a time; a ledger
 * counts them. */

enum { EVENTS = 5000 };

typedef struct {
    uint64_t in_flight;       /* maximum number in flight */
    uint64_t turn_ns;         /* step of the generator's clock: it issues at multiples of this */
    uint64_t work_ns[EVENTS]; /* service time of each event */
} load;

typedef struct {
    uint64_t since_ns[EVENTS], issued_ns[EVENTS], decided_ns[EVENTS];
} course;

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Event k is issued when it is due and there is room for it. */
static uint64_t issue_instant(const load *l, const course *c, uint64_t k, uint64_t due_ns)
{
    uint64_t room_ns = k < l->in_flight ? 0 : c->decided_ns[k - l->in_flight];

    return (later(due_ns, room_ns) + l->turn_ns - 1) / l->turn_ns * l->turn_ns;
}

static void run_farm(rate_schedule schedule, const load *l, course *c)
{
    farm_ledger ledger;
    uint64_t decisions = 0;

    ck_assert_int_eq(farm_ledger_create(1, l->in_flight, &ledger), CB_OK);
    for (uint64_t k = 0; k < EVENTS; k++) {
        uint64_t due_ns = rate_schedule_next(&schedule);

        c->issued_ns[k] = issue_instant(l, c, k, due_ns);
        c->decided_ns[k] = later(c->issued_ns[k], k > 0 ? c->decided_ns[k - 1] : 0) + l->work_ns[k];
        while (decisions < k && c->decided_ns[decisions] <= c->issued_ns[k]) {
            farm_ledger_decide(&ledger, 0, decisions, &c->since_ns[decisions]);
            decisions++;
        }
        farm_ledger_issue(&ledger, due_ns);
        ck_assert_uint_le(ledger.in_flight, l->in_flight);
    }
    for (; decisions < EVENTS; decisions++)
        farm_ledger_decide(&ledger, 0, decisions, &c->since_ns[decisions]);
    farm_ledger_free(&ledger);
}

static uint64_t sum_of_latencies(const course *c, const uint64_t *from_ns)
{
    uint64_t sum_ns = 0;

    for (size_t k = 0; k < EVENTS; k++)
        sum_ns += c->decided_ns[k] - from_ns[k];
    return sum_ns;
}

/* At one event in 10 us, a farm that takes up to 18 us per event falls behind occasionally. */
static rate_schedule busy_schedule(bool is_poisson)
{
    return rate_schedule_make(either[is_poisson], 1e5, 5, 0);
}

static void draw_work(load *l)
{
    cb_random random = cb_random_seed(9);

    for (size_t k = 0; k < EVENTS; k++)
        l->work_ns[k] = cb_random_below(&random, 18000);
}

static const uint64_t bounds[] = {1, 2, 7, EVENTS};

START_TEST(latencies_start_at_the_scheduled_times_even_if_events_are_issued_late)
{
    static const uint64_t turns_ns[] = {1, 777, 1000000};
    static load l;
    static course c;

    draw_work(&l);
    for (size_t i = 0; i < 2 * LENGTH(bounds) * LENGTH(turns_ns); i++) {
        rate_schedule schedule = busy_schedule(i % 2 == 1);

        l.in_flight = bounds[i / 2 % LENGTH(bounds)];
        l.turn_ns = turns_ns[i / 2 / LENGTH(bounds)];
        run_farm(schedule, &l, &c);
        for (size_t k = 0; k < EVENTS; k++)
            ck_assert_uint_eq(c.since_ns[k], rate_schedule_next(&schedule));
    }
}
END_TEST

START_TEST(the_sum_of_latencies_does_not_depend_on_the_limit_of_events_in_flight)
{
    static load l;
    static course c;

    draw_work(&l);
    l.turn_ns = 1;
    for (int is_poisson = 0; is_poisson < 2; is_poisson++) {
        uint64_t sum_ns = 0;

        for (size_t i = 0; i < LENGTH(bounds); i++) {
            l.in_flight = bounds[i];
            run_farm(busy_schedule(is_poisson), &l, &c);
            if (i == 0)
                sum_ns = sum_of_latencies(&c, c.since_ns);
            ck_assert_uint_eq(sum_of_latencies(&c, c.since_ns), sum_ns);
        }
    }
}
END_TEST

/* A farm that is suspended for 1000 intervals of 1 us: the event in it waits for all of them,
 * the next one for 999, and so on. Measured from the time of issue, only the first would have
 * waited. */
START_TEST(a_stall_is_part_of_the_latency_of_every_event_due_during_it)
{
    static load l = {.in_flight = 1, .turn_ns = 1, .work_ns = {[100] = 1000000}};
    static course c;

    run_farm(rate_schedule_make(&rate_arrivals_periodic, 1e6, 0, 0), &l, &c);
    ck_assert_uint_eq(sum_of_latencies(&c, c.since_ns), UINT64_C(1000) * 1000 * 1001 / 2);
    ck_assert_uint_eq(sum_of_latencies(&c, c.issued_ns), 1000000);
}
END_TEST

UNIT_MAIN("schedule", a_periodic_event_is_due_at_its_number_over_the_rate_without_drift,
          a_periodic_schedule_does_not_depend_on_the_seed, poisson_intervals_are_exponential,
          the_distance_distinguishes_other_distributions_from_the_exponential,
          poisson_intervals_have_the_mean_of_the_rate,
          poisson_intervals_have_the_variance_of_an_exponential, poisson_intervals_are_uncorrelated,
          poisson_arrivals_repeat_with_the_seed, another_seed_gives_other_arrivals,
          arrival_times_never_decrease, the_largest_draw_gives_a_finite_interval,
          a_draw_of_0_gives_an_interval_of_zero, due_counts_events_up_to_the_given_time,
          due_does_not_count_issued_events, no_event_is_due_before_or_at_the_start,
          no_event_is_due_twice_at_an_earlier_time, issuing_all_due_events_leaves_none_due,
          arrival_times_do_not_depend_on_when_they_are_queried,
          a_huge_number_of_due_events_is_computed_directly,
          more_than_a_million_due_poisson_events_are_estimated_by_the_mean,
          latencies_start_at_the_scheduled_times_even_if_events_are_issued_late,
          the_sum_of_latencies_does_not_depend_on_the_limit_of_events_in_flight,
          a_stall_is_part_of_the_latency_of_every_event_due_during_it)
