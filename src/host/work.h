/* Calibrated work: a computation that takes a known time on the core where it was calibrated. It
 * stands for the algorithm of a processor, or for a task that runs during communication. It uses
 * integer registers only: no memory, no system call, no clock. */
#ifndef HOST_WORK_H
#define HOST_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Cost of a unit on a core, from repeated blocks of units. */
typedef struct {
    double unit_ns;           /* of the median block; converts a time to units */
    double least_ns, most_ns; /* a unit in the fastest and in the slowest block */
    double spread_pct; /* half of the blocks lie within this range, in per cent of the median */
} host_work_rate;

/* Hot path. Do `units` of work, 0.1 to 0.3 us each: a chain of dependent operations, the same on
 * every call. The result depends on all of them. */
uint64_t host_work(uint64_t units);

/* Hot path. As host_work, continuing from the result of an earlier call: a units and then b units
 * give the result of a + b units. */
uint64_t host_work_on(uint64_t state, uint64_t units);

/* Measure the cost of a unit on the calling thread's core, in about 10 ms; bind the thread before.
 * Blocks are short (50 us), so that the median is valid even if others take the core now and then.
 * Returns CB_ERROR_SYSTEM, logged, if the clock does not advance. */
cb_status host_work_calibrate(host_work_rate *out);

/* Measure again and keep the faster rate: programs that share the core can only make a unit slower.
 */
cb_status host_work_refine(host_work_rate *rate);

/* The number of units, rounded to the nearest, that takes `us`; 0 for a time that is not above 0.
 */
uint64_t host_work_units(const host_work_rate *rate, double us);

/* The same after host_work_refine; if us <= 0, nothing is measured. */
cb_status host_work_refined_units(host_work_rate *rate, double us, uint64_t *units);

/* The continuous computing task: calibrated work in its own thread, with the lowest priority that
 * the system grants, on the core of the thread that created it. It keeps a processor busy while
 * that communicates. */
typedef struct host_task host_task;

/* Work done by a task: `state` is the state of host_work after `units`. */
typedef struct {
    uint64_t units, state;
} host_task_total;

/* Create the task, asleep, with the binding of the calling thread, which should be one core.
 * Returns CB_ERROR_UNSUPPORTED, logged, if the system grants neither SCHED_IDLE nor nice 19: the
 * task never runs at its creator's priority. The caller destroys it. */
cb_status host_task_create(host_task **out);

/* End the task and wait for its thread. `total`, if not NULL, receives the work done since its
 * creation, counted as by host_work. If `task` is NULL, `total` is left as it is. */
void host_task_destroy(host_task *task, host_task_total *total);

/* "SCHED_IDLE" or "nice 19": what the system granted. Static storage. */
const char *host_task_priority(const host_task *task);

/* Start computing. The task falls asleep by itself after `limit_ns`, so that a wait which it
 * starves ends. Never blocks. */
void host_task_run(host_task *task, uint64_t limit_ns);

/* Let the task fall asleep when it next gets the core. Never blocks. Returns false if its time
 * limit had put it to sleep before. */
bool host_task_pause(host_task *task);

/* Hot path. Units of host_work done so far; grows in slices of about 10 us. */
uint64_t host_task_units(const host_task *task);

/* The turns of a task on its core since host_task_run: a turn begins when the task gets the core
 * again after half a scheduler tick or more. The first HOST_TASK_TURNS are recorded. */
enum { HOST_TASK_TURNS = 64 };

typedef struct {
    size_t count;
    uint64_t first_ns, last_ns;       /* when the first and the last recorded turn began ... */
    uint64_t first_units, last_units; /* ... and the units done by then */
} host_task_turns;

host_task_turns host_task_recorded_turns(const host_task *task);

/* Period of the scheduler's clock interrupt on this host, in ns: the time slice of a low-priority
 * task next to a busy one. */
double host_scheduler_tick_ns(void);

#endif
