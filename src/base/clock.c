/* What the clock can resolve and what a reading costs, both measured with the clock itself: the
 * kernel's claim (clock_getres) says nothing about the path that a reading takes. */
#include "base/clock.h"

#include <stdlib.h>

#include "base/order.h"

enum {
    STEP_READINGS = 20000, /* at least, in search of the smallest step */
    COST_RUNS = 15,
    COST_READINGS = 2000, /* of the shortest run */
    COST_RESOLUTIONS = 10 /* a run is longer than so many steps of the clock */
};

/* Between two readings one after the other. A clock that is finer than a reading is long gives
 * the time of the shortest reading: nothing shorter can be told from zero. */
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

/* So many readings that the clock's step is a small part of a run, on a coarse clock too. */
static size_t readings_of_run(uint64_t resolution_ns)
{
    size_t readings = COST_READINGS;

    while (time_readings_ns(readings) < COST_RESOLUTIONS * resolution_ns)
        readings *= 2;
    return readings;
}

static double median_cost_ns(uint64_t resolution_ns)
{
    size_t readings = readings_of_run(resolution_ns);
    double costs_ns[COST_RUNS];

    for (size_t i = 0; i < COST_RUNS; i++)
        costs_ns[i] = (double)time_readings_ns(readings) / (double)readings;
    qsort(costs_ns, COST_RUNS, sizeof(costs_ns[0]), cb_ascending_reals);
    return costs_ns[COST_RUNS / 2];
}

cb_clock_quality cb_clock_measure(void)
{
    uint64_t resolution_ns = smallest_step_ns();

    return (cb_clock_quality){
        .resolution_ns = (double)resolution_ns,
        .cost_ns = median_cost_ns(resolution_ns),
    };
}

void cb_sleep_ns(uint64_t ns)
{
    struct timespec duration = {
        .tv_sec = (time_t)(ns / 1000000000u),
        .tv_nsec = (long)(ns % 1000000000u),
    };

    nanosleep(&duration, NULL);
}
