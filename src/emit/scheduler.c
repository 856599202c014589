/* Coroutines with ucontext. Each has a stack of its own above a guard page; the system allocates
 * stack pages when they are used.
 *
 * swapcontext saves the signal mask by two system calls, a third of the time of a large farm. So a
 * coroutine is entered by setcontext, and then left and resumed by _setjmp and _longjmp. The C
 * library's check that a jump goes up the stack does not apply. Sanitizers know only swapcontext.
 */
#undef _FORTIFY_SOURCE
#include "emit/scheduler.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/event_heap.h"
#include "base/log.h"
#include "base/memory.h"

#if defined(__SANITIZE_ADDRESS__)
#define BY_SWAPCONTEXT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BY_SWAPCONTEXT 1
#endif
#endif
#ifndef BY_SWAPCONTEXT
#define BY_SWAPCONTEXT 0
#endif

enum { STACK_BYTES = 256 * 1024 };

typedef struct {
    ucontext_t context;
    jmp_buf place;
    void *stack; /* NULL or MAP_FAILED if there is none */
    bool begun, ended, waits;
    double due; /* by time: when it is resumed; INFINITY: not known */
    cb_status status;
} coroutine;

struct emit_scheduler {
    coroutine *coroutines;
    size_t count, current;
    ucontext_t main;
    jmp_buf main_place;
    emit_coroutine run;
    void *context;
    bool progress; /* since the start of the last turn */
    bool stuck;
    uint64_t turns;
    /* Times at which coroutines, the subjects, were to be resumed. One has no effect if another has
     * been set since. */
    cb_event_heap appointments;
};

/* Resume a coroutine until it pauses or ends. */
static __attribute__((noinline)) void resume(emit_scheduler *scheduler, coroutine *own)
{
    if (BY_SWAPCONTEXT) {
        swapcontext(&scheduler->main, &own->context);
        return;
    }
    if (_setjmp(scheduler->main_place) != 0)
        return;
    if (own->begun)
        _longjmp(own->place, 1);
    own->begun = true;
    setcontext(&own->context);
}

/* Leave the running coroutine until it is resumed. */
static __attribute__((noinline)) void leave(emit_scheduler *scheduler, coroutine *own)
{
    if (BY_SWAPCONTEXT)
        swapcontext(&own->context, &scheduler->main);
    else if (_setjmp(own->place) == 0)
        _longjmp(scheduler->main_place, 1);
}

/* makecontext passes ints, so a pointer is passed in two halves. */
static void run_coroutine(unsigned high, unsigned low)
{
    emit_scheduler *scheduler = (emit_scheduler *)((uintptr_t)high << 32 | (uintptr_t)low);
    coroutine *own = &scheduler->coroutines[scheduler->current];

    own->status = scheduler->run(scheduler->context, scheduler->current);
    own->ended = true;
    scheduler->progress = true;
    scheduler->stuck = false;
    leave(scheduler, own);
}

static cb_status give_stack(emit_scheduler *scheduler, coroutine *own)
{
    const uintptr_t address = (uintptr_t)scheduler;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    own->stack = mmap(NULL, STACK_BYTES + page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (own->stack == MAP_FAILED || mprotect(own->stack, page, PROT_NONE) != 0 ||
        getcontext(&own->context) != 0) {
        cb_error("cannot allocate a stack for each of %zu ranks: %s; trace fewer ranks, "
                 "or raise vm.max_map_count",
                 scheduler->count, strerror(errno));
        return CB_ERROR_MEMORY;
    }
    own->context.uc_stack.ss_sp = (char *)own->stack + page;
    own->context.uc_stack.ss_size = STACK_BYTES;
    own->context.uc_link = &scheduler->main;
    makecontext(&own->context, (void (*)(void))run_coroutine, 2, (unsigned)(address >> 32),
                (unsigned)address);
    return CB_OK;
}

cb_status emit_scheduler_create(size_t count, emit_coroutine run, void *context,
                                emit_scheduler **out)
{
    emit_scheduler *scheduler = cb_allocate(1, sizeof(*scheduler), "a scheduler");
    cb_status status = CB_OK;

    if (scheduler == NULL)
        return CB_ERROR_MEMORY;
    *scheduler = (emit_scheduler){.count = count, .run = run, .context = context};
    scheduler->coroutines = cb_allocate(count, sizeof(*scheduler->coroutines), "a scheduler");
    if (scheduler->coroutines == NULL)
        status = CB_ERROR_MEMORY;
    for (size_t i = 0; i < count && status == CB_OK; i++)
        status = give_stack(scheduler, &scheduler->coroutines[i]);
    if (status != CB_OK) {
        emit_scheduler_free(scheduler);
        return status;
    }
    *out = scheduler;
    return CB_OK;
}

void emit_scheduler_free(emit_scheduler *scheduler)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (scheduler == NULL)
        return;
    for (size_t i = 0; scheduler->coroutines != NULL && i < scheduler->count; i++)
        if (scheduler->coroutines[i].stack != NULL && scheduler->coroutines[i].stack != MAP_FAILED)
            munmap(scheduler->coroutines[i].stack, STACK_BYTES + page);
    free(scheduler->coroutines);
    free(scheduler->appointments.events);
    free(scheduler);
}

/* Resume each coroutine that has not ended and does not wait, once. *left: number not ended. */
static cb_status turn(emit_scheduler *scheduler, size_t *left)
{
    *left = 0;
    scheduler->turns++;
    for (scheduler->current = 0; scheduler->current < scheduler->count; scheduler->current++) {
        coroutine *own = &scheduler->coroutines[scheduler->current];

        if (own->ended)
            continue;
        if (own->waits) {
            ++*left;
            continue;
        }
        resume(scheduler, own);
        if (own->ended && own->status != CB_OK)
            return own->status;
        *left += !own->ended;
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
    scheduler->coroutines[index].due = time;
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
        coroutine *own;

        if (events != NULL)
            CB_TRY(pass_events(scheduler, events));
        if (scheduler->appointments.count == 0)
            break;
        next = cb_event_heap_take(&scheduler->appointments);
        own = &scheduler->coroutines[next.subject];
        if (own->ended || next.time < own->due || next.time > own->due)
            continue;
        own->due = (double)INFINITY;
        scheduler->current = next.subject;
        resume(scheduler, own);
        if (own->ended && own->status != CB_OK)
            return own->status;
        left -= own->ended;
    }
    return left == 0 ? CB_OK : report_deadlock(left);
}

void emit_scheduler_pause(emit_scheduler *scheduler)
{
    leave(scheduler, &scheduler->coroutines[scheduler->current]);
}

void emit_scheduler_wait(emit_scheduler *scheduler)
{
    scheduler->coroutines[scheduler->current].waits = true;
    emit_scheduler_pause(scheduler);
}

void emit_scheduler_wake(emit_scheduler *scheduler, size_t index)
{
    scheduler->coroutines[index].waits = false;
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
