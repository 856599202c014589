/* A scheduler of coroutines in one thread: one runs until it pauses, then the next. The order is
 * deterministic. */
#ifndef EMIT_SCHEDULER_H
#define EMIT_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct emit_scheduler emit_scheduler;

/* Coroutine number `index`. Any status other than CB_OK ends all coroutines. */
typedef cb_status (*emit_coroutine)(void *context, size_t index);

/* Create a scheduler of `count` coroutines, at most EMIT_COROUTINES_MAXIMUM. CB_ERROR_MEMORY,
 * logged. */
enum { EMIT_COROUTINES_MAXIMUM = 8192 };
cb_status emit_scheduler_create(size_t count, emit_coroutine run, void *context,
                                emit_scheduler **out);
void emit_scheduler_free(emit_scheduler *scheduler);

/* Run all coroutines to their ends. If all remaining ones wait and none makes progress, all are
 * woken once and see the scheduler as stuck; if that does not help, CB_ERROR_TRANSPORT, logged. */
cb_status emit_scheduler_run(emit_scheduler *scheduler);

/* Called by the running coroutine. pause: let the others run until its next turn. wait: the same,
 * but skip turns until another coroutine wakes it. progress: note that something has happened. */
void emit_scheduler_pause(emit_scheduler *scheduler);
void emit_scheduler_wait(emit_scheduler *scheduler);
void emit_scheduler_wake(emit_scheduler *scheduler, size_t index);
void emit_scheduler_progress(emit_scheduler *scheduler);
bool emit_scheduler_is_stuck(const emit_scheduler *scheduler); /* until the next progress */

/* Run in the order of a time that coroutines keep, instead of in turns: always the one whose time
 * is earliest, of equal times the one that was set first. All start at 0. A coroutine that leaves
 * by emit_scheduler_wait is resumed at the time that it or another has set, the earliest counts.
 * At equal times an event comes before a coroutine; NULL: there are no events. CB_ERROR_TRANSPORT,
 * logged, if no time is set and not all have ended; CB_ERROR_MEMORY. */
typedef struct {
    double (*next)(void *context);    /* time of the next event; INFINITY: there is none */
    cb_status (*pass)(void *context); /* let it happen: it may set times of coroutines */
    void *context;
} emit_events;
cb_status emit_scheduler_run_by_time(emit_scheduler *scheduler, const emit_events *events);
cb_status emit_scheduler_resume_at(emit_scheduler *scheduler, size_t index, double time);

/* Number of turns so far; it grows by one each time a coroutine resumes after a pause. */
uint64_t emit_scheduler_turn(const emit_scheduler *scheduler);

#endif
