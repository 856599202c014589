/* Coroutines that wait for each other, in one thread: one goes on until it pauses, then the next
 * one does. The order is always the same. */
#ifndef EMIT_SCHEDULER_H
#define EMIT_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct emit_scheduler emit_scheduler;

/* Coroutine number `index`; what it returns other than CB_OK ends all. */
typedef cb_status (*emit_coroutine)(void *context, size_t index);

/* Make a scheduler of `count` coroutines, at most EMIT_COROUTINES_MAXIMUM. CB_ERROR_MEMORY, logged.
 */
enum { EMIT_COROUTINES_MAXIMUM = 8192 };
cb_status emit_scheduler_create(size_t count, emit_coroutine run, void *context,
                                emit_scheduler **out);
void emit_scheduler_free(emit_scheduler *scheduler);

/* Run all coroutines to their ends. When each that has not ended waits, and none has made progress,
 * all are woken once and find the scheduler stuck; CB_ERROR_TRANSPORT, logged, when that does not
 * help. */
cb_status emit_scheduler_run(emit_scheduler *scheduler);

/* Called by the coroutine that runs: let the others go on until its next turn; the same, but have
 * no turn until another coroutine wakes it; and note that something has happened. */
void emit_scheduler_pause(emit_scheduler *scheduler);
void emit_scheduler_wait(emit_scheduler *scheduler);
void emit_scheduler_wake(emit_scheduler *scheduler, size_t index);
void emit_scheduler_progress(emit_scheduler *scheduler);
bool emit_scheduler_is_stuck(const emit_scheduler *scheduler); /* until the next progress */

/* The number of turns that all have had: of a coroutine another one each time it goes on after a
 * pause. */
uint64_t emit_scheduler_turn(const emit_scheduler *scheduler);

#endif
