/* The continuous computing task: calibrated work in a thread of its own, with the lowest priority
 * that the system grants, on the core of the thread that created it. It occupies a processor while
 * that communicates. */
#ifndef HOST_TASK_H
#define HOST_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

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
 * as host_work does from its beginning. NULL may be destroyed too. */
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
