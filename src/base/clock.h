/* The monotonic clock of all timing, in nanoseconds; its resolution and cost; Parkbench's clock
 * tests: TICK1, the smallest difference of two readings, and TICK2, the comparison of an interval
 * with another clock. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* The clock's name. */
#define CB_CLOCK_SOURCE "CLOCK_MONOTONIC"

typedef struct {
    double resolution_ns; /* smallest step seen between two different readings */
    double cost_ns;       /* of one reading: median over series of readings */
} cb_clock_quality;

/* The time of a model, of the rank that runs. */
typedef struct {
    uint64_t (*now_ns)(void); /* above 0 */
    /* Until then; or, if `or_earlier`, until something happens to the rank. */
    void (*wait_until_ns)(uint64_t until_ns, bool or_earlier);
    void (*work_ns)(uint64_t ns); /* the rank's processor is busy */
    void (*hesitate)(void);       /* ranks that are to start together start within 1 us, as drawn */
    uint64_t (*messages)(void);   /* sent so far by all ranks */
} cb_virtual_time;

/* NULL: time passes by itself. Chosen once, before there are ranks. */
extern const cb_virtual_time *cb_virtual;

/* Nanoseconds of the machine since an arbitrary instant, also where a model keeps the time. */
static inline uint64_t cb_machine_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Hot path. Nanoseconds since an arbitrary instant; never decreases. */
static inline uint64_t cb_now_ns(void)
{
    if (__builtin_expect(cb_virtual != NULL, 0))
        return cb_virtual->now_ns();
    return cb_machine_ns();
}

/* Processor time of the calling thread, in nanoseconds. A system call. */
static inline uint64_t cb_thread_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Processor time of all threads of the process, user and system, in nanoseconds. A system call. */
static inline uint64_t cb_process_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
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

/* The clock of cb_now_ns, and the system's time of day: it is disciplined by time services, read by
 * another call, and counts whole microseconds. Static storage. */
const cb_clock *cb_clock_measured(void);
const cb_clock *cb_clock_wall(void);

typedef struct {
    uint64_t tick_ns; /* smallest difference of consecutive different readings; 0: the clock did not
                         advance */
    bool goes_back;   /* a reading was smaller than the one before */
} cb_tick1;

/* Read the clock 20 000 times and, until it has moved five times, up to 4 million times. */
cb_tick1 cb_measure_tick1(const cb_clock *clock);

typedef struct {
    double error_pct; /* of the interval measured by the clock; positive: the clock is fast */
    double bound_pct; /* maximum error of the comparison itself */
} cb_tick2;

/* Compare an interval of at least `interval_ns`, in which `pause` sleeps, on both clocks. Detects a
 * clock of processor time, which stops while its process sleeps. Takes the best of three trials,
 * since the reference clock may be set during one; stops at the first trial within
 * CB_TICK2_LIMIT_PCT. */
cb_tick2 cb_measure_tick2(const cb_clock *clock, const cb_clock *reference, uint64_t interval_ns,
                          void (*pause)(uint64_t ns));

/* A larger error, beyond its bound, is not drift but a different unit of time. */
#define CB_TICK2_LIMIT_PCT 0.1

bool cb_tick2_is_true(const cb_tick2 *found);

#endif
