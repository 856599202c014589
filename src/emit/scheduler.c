/* Coroutines in turns, or in the order of their times. */
#include "emit/scheduler.h"

#include <math.h>
#include <stdlib.h>

#include "base/coroutine.h"
#include "base/event_heap.h"
#include "base/log.h"
#include "base/memory.h"

enum { STACK_BYTES = 256 * 1024 };

typedef struct {
    bool ended, waits;
    double due; /* by time: when it is resumed; INFINITY: not known */
    cb_status status;
} member;

struct emit_scheduler {
    member *members;
    size_t count, current;
    cb_coroutines *coroutines;
    emit_coroutine run;
    void *context;
    bool progress; /* since the start of the last turn */
    bool stuck;
    uint64_t turns;
    /* Times at which coroutines, the subjects, were to be resumed. One has no effect if another has
     * been set since. */
    cb_event_heap appointments;
};

static void run_member(void *context, size_t index)
{
    emit_scheduler *scheduler = context;

    scheduler->members[index].status = scheduler->run(scheduler->context, index);
    scheduler->progress = true;
    scheduler->stuck = false;
}

cb_status emit_scheduler_create(size_t count, emit_coroutine run, void *context,
                                emit_scheduler **out)
{
    emit_scheduler *scheduler = cb_allocate(1, sizeof(*scheduler), "a scheduler");
    cb_status status = CB_ERROR_MEMORY;

    if (scheduler == NULL)
        return CB_ERROR_MEMORY;
    *scheduler = (emit_scheduler){.count = count, .run = run, .context = context};
    scheduler->members = cb_allocate(count, sizeof(*scheduler->members), "a scheduler");
    if (scheduler->members != NULL)
        status =
            cb_coroutines_create(count, STACK_BYTES, run_member, scheduler, &scheduler->coroutines);
    if (status != CB_OK) {
        emit_scheduler_free(scheduler);
        return status;
    }
    *out = scheduler;
    return CB_OK;
}

void emit_scheduler_free(emit_scheduler *scheduler)
{
    if (scheduler == NULL)
        return;
    cb_coroutines_free(scheduler->coroutines);
    free(scheduler->members);
    free(scheduler->appointments.events);
    free(scheduler);
}

/* Resume a coroutine until it pauses or ends. */
static cb_status resume(emit_scheduler *scheduler, size_t index)
{
    member *own = &scheduler->members[index];

    scheduler->current = index;
    own->ended = cb_coroutines_resume(scheduler->coroutines, index);
    return own->ended ? own->status : CB_OK;
}

/* Resume each coroutine that has not ended and does not wait, once. *left: number not ended. */
static cb_status turn(emit_scheduler *scheduler, size_t *left)
{
    *left = 0;
    scheduler->turns++;
    for (size_t i = 0; i < scheduler->count; i++) {
        if (!scheduler->members[i].ended && !scheduler->members[i].waits)
            CB_TRY(resume(scheduler, i));
        *left += !scheduler->members[i].ended;
    }
    return CB_OK;
}

static cb_status report_deadlock(size_t left)
{
    cb_error("%zu ranks wait for messages that no rank sends: a defect of the "
             "benchmark; please report it",
             left);
    return CB_ERROR_TRANSPORT;
}

cb_status emit_scheduler_run(emit_scheduler *scheduler)
{
    size_t left;

    do {
        scheduler->progress = false;
        CB_TRY(turn(scheduler, &left));
        if (left > 0 && !scheduler->progress && !scheduler->stuck) {
            scheduler->stuck = true;
            for (size_t i = 0; i < scheduler->count; i++)
                emit_scheduler_wake(scheduler, i);
        } else if (left > 0 && !scheduler->progress) {
            return report_deadlock(left);
        }
    } while (left > 0);
    return CB_OK;
}

/* By time */

cb_status emit_scheduler_resume_at(emit_scheduler *scheduler, size_t index, double time)
{
    if (!cb_event_heap_put(&scheduler->appointments, time, (uint32_t)index, 0)) {
        cb_error("cannot store the order of ranks: out of memory; trace fewer ranks");
        return CB_ERROR_MEMORY;
    }
    scheduler->members[index].due = time;
    return CB_OK;
}

/* Let events happen until a coroutine is due. */
static cb_status pass_events(const emit_scheduler *scheduler, const emit_events *events)
{
    for (;;) {
        const cb_event_heap *appointments = &scheduler->appointments;
        const double until =
            appointments->count > 0 ? appointments->events[0].time : (double)INFINITY;
        const double next = events->next(events->context);

        if (isinf(next) || next > until)
            return CB_OK;
        CB_TRY(events->pass(events->context));
    }
}

cb_status emit_scheduler_run_by_time(emit_scheduler *scheduler, const emit_events *events)
{
    size_t left = scheduler->count;

    for (size_t i = 0; i < scheduler->count; i++)
        CB_TRY(emit_scheduler_resume_at(scheduler, i, 0));
    for (;;) {
        cb_event next;
        member *own;

        if (events != NULL)
            CB_TRY(pass_events(scheduler, events));
        if (scheduler->appointments.count == 0)
            break;
        next = cb_event_heap_take(&scheduler->appointments);
        own = &scheduler->members[next.subject];
        if (own->ended || next.time < own->due || next.time > own->due)
            continue;
        own->due = (double)INFINITY;
        CB_TRY(resume(scheduler, next.subject));
        left -= own->ended;
    }
    return left == 0 ? CB_OK : report_deadlock(left);
}

void emit_scheduler_pause(emit_scheduler *scheduler)
{
    cb_coroutines_leave(scheduler->coroutines);
}

void emit_scheduler_wait(emit_scheduler *scheduler)
{
    scheduler->members[scheduler->current].waits = true;
    emit_scheduler_pause(scheduler);
}

void emit_scheduler_wake(emit_scheduler *scheduler, size_t index)
{
    scheduler->members[index].waits = false;
}

uint64_t emit_scheduler_turn(const emit_scheduler *scheduler)
{
    return scheduler->turns;
}

void emit_scheduler_progress(emit_scheduler *scheduler)
{
    scheduler->progress = true;
    scheduler->stuck = false;
}

bool emit_scheduler_is_stuck(const emit_scheduler *scheduler)
{
    return scheduler->stuck;
}
