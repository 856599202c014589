/* Calibrated work: a computation that takes a known time on the core where it was calibrated, and
 * that stands for the algorithm of a processor or for a task beside the communication. It uses
 * integer registers only: no memory, no system call, no clock. */
#ifndef HOST_WORK_H
#define HOST_WORK_H

#include <stdbool.h>
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

/* The continuous computing task: calibrated work in a thread of its own, with the lowest priority
 * that the system grants, on the core of the thread that created it. It occupies a processor while
 * that communicates. */
typedef struct host_task host_task;

/* All that a task has done: after `units` of host_work its state is `state`. */
typedef struct {
    uint64_t units, state;
} host_task_total;

/* Make the task, asleep, with the binding of the calling thread, which should be one core. It never
 * computes at the priority of its creator: where the system refuses both SCHED_IDLE and nice 19,
 * CB_ERROR_UNSUPPORTED, logged. The caller destroys it. */
cb_status host_task_create(host_task **out);

/* End the task and wait for its thread. `total`, where not NULL, is what it did in all; it counts
 * as host_work does from its beginning. NULL may be destroyed too, and leaves `total` as it is. */
void host_task_destroy(host_task *task, host_task_total *total);

/* "SCHED_IDLE" or "nice 19": what the system granted. Static storage. */
const char *host_task_priority(const host_task *task);

/* Let it compute; by itself it falls asleep after `limit_ns`, so that a wait which it starves comes
 * to an end. Never blocks. */
void host_task_run(host_task *task, uint64_t limit_ns);

/* Let it fall asleep, once it next has the core; never blocks. False when it had fallen asleep by
 * its limit before. */
bool host_task_pause(host_task *task);

/* Hot. Units done so far; a unit is that of host_work. Grows by slices of some 10 us. */
uint64_t host_task_units(const host_task *task);

/* The time between two interrupts of the scheduler's clock here, in ns: what one turn of a task of
 * low priority lasts beside a busy one. */
double host_scheduler_tick_ns(void);

#endif
