/* The monotonic clock that times everything, in nanoseconds, and what reading it costs. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

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

#endif
