/* The monotonic clock that times everything, in nanoseconds, and what reading it costs. And whether
 * a clock can be measured with at all, as Parkbench asks before anything else: TICK1, how far apart
 * two readings are that differ; TICK2, whether an interval is as long as another clock says. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* The clock's name. */
#define CB_CLOCK_SOURCE "CLOCK_MONOTONIC"

typedef struct {
    double resolution_ns; /* smallest step that was seen between two readings that differ */
    double cost_ns;       /* of one reading: median over runs of many readings */
} cb_clock_quality;

/* Hot. Nanoseconds since an arbitrary instant; never goes back. */
static inline uint64_t cb_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Measure the clock; takes a few milliseconds. */
cb_clock_quality cb_clock_measure(void);

/* Sleep for at least `ns` nanoseconds, or until a signal comes. */
void cb_sleep_ns(uint64_t ns);

/* A clock: nanoseconds since an arbitrary instant. */
typedef struct {
    uint64_t (*now_ns)(void *context);
    void *context;
} cb_clock;

/* The clock of cb_now_ns, and the system's time of day, which time services hold true and which is
 * read by another call and in whole microseconds. Static storage. */
const cb_clock *cb_clock_measured(void);
const cb_clock *cb_clock_wall(void);

typedef struct {
    uint64_t tick_ns; /* smallest difference of readings in turn that differ; 0: it stood still */
    bool goes_back;   /* a reading was smaller than the one before */
} cb_tick1;

/* Read the clock 20 000 times and, until it has moved five times, up to 4 million times. */
cb_tick1 cb_measure_tick1(const cb_clock *clock);

typedef struct {
    double error_pct; /* of the interval, as the clock has it; positive: the clock is fast */
    double bound_pct; /* the comparison cannot be wrong by more */
} cb_tick2;

/* Compare an interval of at least `interval_ns`, in which `pause` sleeps, by both clocks. A
 * processor-time clock stands while its process sleeps, and shows here. The better of three trials
 * counts, since the reference may be set while one is under way; the first within
 * CB_TICK2_LIMIT_PCT ends them. */
cb_tick2 cb_measure_tick2(const cb_clock *clock, const cb_clock *reference, uint64_t interval_ns,
                          void (*pause)(uint64_t ns));

/* An error beyond this, and beyond its bound, is no drift but another unit of time. */
#define CB_TICK2_LIMIT_PCT 0.1

bool cb_tick2_is_true(const cb_tick2 *found);

#endif
