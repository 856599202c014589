/* Measure the resolution and the cost of the clock with the clock itself: clock_getres says nothing
 * about the path that a reading takes. Parkbench's TICK1 and TICK2 are here too. Where two clocks
 * are compared, one is read between two readings of the other, and of many such triples the closest
 * counts: a process that is descheduled in between spoils only that triple. */
#include "base/clock.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/time.h>

#include "base/order.h"

const cb_virtual_time *cb_virtual;

enum {
    STEP_READINGS = 20000, /* minimum number of readings in search of the smallest step */
    COST_RUNS = 15,
    COST_READINGS = 2000, /* in the shortest series */
    COST_RESOLUTIONS = 10 /* a series is longer than this many steps of the clock */
};

/* Smallest difference of two consecutive readings. If the clock is finer than a reading takes, this
 * is the time of the shortest reading: nothing shorter can be distinguished from zero. */
static uint64_t smallest_step_ns(void)
{
    uint64_t smallest = UINT64_MAX;
    uint64_t before = cb_now_ns();

    for (size_t i = 0; i < STEP_READINGS || smallest == UINT64_MAX; i++) {
        uint64_t now = cb_now_ns();

        if (now != before && now - before < smallest)
            smallest = now - before;
        before = now;
    }
    return smallest;
}

static uint64_t time_readings_ns(size_t readings)
{
    uint64_t first = cb_now_ns();
    uint64_t last = first;

    for (size_t i = 0; i < readings; i++)
        last = cb_now_ns();
    return last - first;
}

cb_clock_quality cb_clock_measure(void)
{
    const uint64_t resolution_ns = smallest_step_ns();
    size_t readings = COST_READINGS;
    double costs_ns[COST_RUNS];

    /* The series is long enough that the step of a coarse clock is a small part of it. */
    while (time_readings_ns(readings) < COST_RESOLUTIONS * resolution_ns)
        readings *= 2;
    for (size_t i = 0; i < COST_RUNS; i++)
        costs_ns[i] = (double)time_readings_ns(readings) / (double)readings;
    qsort(costs_ns, COST_RUNS, sizeof(costs_ns[0]), cb_ascending_reals);
    return (cb_clock_quality){
        .resolution_ns = (double)resolution_ns,
        .cost_ns = costs_ns[COST_RUNS / 2],
    };
}

void cb_sleep_ns(uint64_t ns)
{
    struct timespec duration = {
        .tv_sec = (time_t)(ns / 1000000000u),
        .tv_nsec = (long)(ns % 1000000000u),
    };

    if (cb_virtual != NULL)
        cb_virtual->wait_until_ns(cb_now_ns() + ns, false);
    else
        nanosleep(&duration, NULL);
}

enum {
    TICK_READINGS_LEAST = 20000,
    TICK_STEPS_LEAST = 5,         /* a single step may include time off the processor */
    TICK_READINGS_MOST = 4000000, /* 80 ms at 20 ns; 4 s where each reading is a system call */
    PAIRS = 50,
    TRIALS = 3
};

/* Maximum error of two readings of a clock that counts whole microseconds. */
static const double reference_step_ns = 2000;

/* The same instant on both clocks, and the largest difference the two readings may have. */
typedef struct {
    double clock_ns, reference_ns, bound_ns;
} instant;

static uint64_t read_measured(void *context)
{
    (void)context;
    return cb_now_ns();
}

static uint64_t read_wall(void *context)
{
    struct timeval now;

    (void)context;
    gettimeofday(&now, NULL);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_usec * 1000u;
}

const cb_clock *cb_clock_measured(void)
{
    static const cb_clock clock = {read_measured, NULL};

    return &clock;
}

const cb_clock *cb_clock_wall(void)
{
    static const cb_clock clock = {read_wall, NULL};

    return &clock;
}

static uint64_t read_clock(const cb_clock *clock)
{
    return clock->now_ns(clock->context);
}

cb_tick1 cb_measure_tick1(const cb_clock *clock)
{
    cb_tick1 found = {0};
    uint64_t before = read_clock(clock);
    unsigned steps = 0;

    for (unsigned i = 0;
         i < TICK_READINGS_LEAST || (steps < TICK_STEPS_LEAST && i < TICK_READINGS_MOST); i++) {
        uint64_t now = read_clock(clock);

        found.goes_back = found.goes_back || now < before;
        if (now > before && (found.tick_ns == 0 || now - before < found.tick_ns))
            found.tick_ns = now - before;
        steps += now > before;
        before = now;
    }
    return found;
}

/* Subtract integers before converting: a double cannot hold the time of day in nanoseconds. */
static double since(uint64_t instant_ns, uint64_t origin_ns)
{
    return instant_ns >= origin_ns ? (double)(instant_ns - origin_ns)
                                   : -(double)(origin_ns - instant_ns);
}

static instant look_at_both(const cb_clock *clock, const cb_clock *reference,
                            uint64_t clock_origin_ns, uint64_t reference_origin_ns)
{
    instant best = {.bound_ns = (double)INFINITY};

    for (int i = 0; i < PAIRS; i++) {
        uint64_t before_ns = read_clock(clock);
        uint64_t reference_ns = read_clock(reference);
        double half_ns = since(read_clock(clock), before_ns) / 2;

        if (fabs(half_ns) < best.bound_ns)
            best = (instant){since(before_ns, clock_origin_ns) + half_ns,
                             since(reference_ns, reference_origin_ns), fabs(half_ns)};
    }
    return best;
}

static cb_tick2 try_tick2(const cb_clock *clock, const cb_clock *reference, uint64_t interval_ns,
                          void (*pause)(uint64_t ns))
{
    uint64_t clock_origin_ns = read_clock(clock), reference_origin_ns = read_clock(reference);
    instant start = look_at_both(clock, reference, clock_origin_ns, reference_origin_ns);
    instant end;
    double true_ns, clock_ns;

    pause(interval_ns);
    end = look_at_both(clock, reference, clock_origin_ns, reference_origin_ns);
    true_ns = end.reference_ns - start.reference_ns;
    clock_ns = end.clock_ns - start.clock_ns;
    if (true_ns <= 0)
        return (cb_tick2){.error_pct = 100};
    return (cb_tick2){.error_pct = 100 * (clock_ns - true_ns) / true_ns,
                      .bound_pct =
                          100 * (start.bound_ns + end.bound_ns + reference_step_ns) / true_ns};
}

cb_tick2 cb_measure_tick2(const cb_clock *clock, const cb_clock *reference, uint64_t interval_ns,
                          void (*pause)(uint64_t ns))
{
    cb_tick2 best = try_tick2(clock, reference, interval_ns, pause);

    for (int i = 1; i < TRIALS && !cb_tick2_is_true(&best); i++) {
        cb_tick2 found = try_tick2(clock, reference, interval_ns, pause);

        if (cb_tick2_is_true(&found) || fabs(found.error_pct) < fabs(best.error_pct))
            best = found;
    }
    return best;
}

bool cb_tick2_is_true(const cb_tick2 *found)
{
    return fabs(found->error_pct) <= CB_TICK2_LIMIT_PCT + found->bound_pct;
}
