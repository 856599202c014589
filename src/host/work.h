/* Calibrated work: a computation that takes a known time on the core where it was calibrated, and
 * that stands for the algorithm of a processor or for a task beside the communication. It uses
 * integer registers alone: no memory, no system call, no clock. */
#ifndef HOST_WORK_H
#define HOST_WORK_H

#include <stdint.h>

#include "base/status.h"

/* What one unit costs on a core, from repeated blocks of units. */
typedef struct {
    double unit_ns;           /* the median block: what a time is turned into units by */
    double least_ns, most_ns; /* a unit in the fastest and in the slowest block */
    double spread_pct;        /* half of the blocks lie so far apart, in per cent of the median */
} host_work_rate;

/* Hot. Do `units` of work, some 0.1 to 0.3 us each: a chain of operations of which each needs the
 * result of the one before, the same on every call. The result depends on every one of them. */
uint64_t host_work(uint64_t units);

/* Hot. As host_work, going on from what an earlier call returned: work of a and then of b units is
 * work of a + b units. */
uint64_t host_work_on(uint64_t state, uint64_t units);

/* Measure what a unit costs on the core of the calling thread, in about 10 ms; a thread that may
 * move should be bound before. Blocks are short (some 50 us), so that the median holds where others
 * take the core now and then. CB_ERROR_SYSTEM, logged, when the clock stands still. */
cb_status host_work_calibrate(host_work_rate *out);

/* Measure again, and keep the faster of both rates: others who share a core, or slow it down for
 * longer than a calibration, make a unit take longer, and nothing makes it shorter. */
cb_status host_work_refine(host_work_rate *rate);

/* The number of units, rounded to the nearest, that takes `us`; 0 for a time that is not above 0.
 */
uint64_t host_work_units(const host_work_rate *rate, double us);

#endif
