/* Coroutines that wait for each other, in one thread: one goes on until it pauses, then the next
 * one does. The order is always the same. */
#ifndef EMIT_SCHEDULER_H
#define EMIT_SCHEDULER_H

#include <stddef.h>

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

/* Run all coroutines to their ends. CB_ERROR_TRANSPORT, logged, when each that has not ended waits,
 * and none has made progress. */
cb_status emit_scheduler_run(emit_scheduler *scheduler);

/* Called by the coroutine that runs: let the others go on, since it waits for something; and note
 * that something has happened. */
void emit_scheduler_pause(emit_scheduler *scheduler);
void emit_scheduler_progress(emit_scheduler *scheduler);

#endif
