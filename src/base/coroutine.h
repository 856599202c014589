/* Coroutines: functions with stacks of their own in one thread. One runs until it leaves; then
 * whoever resumed it goes on. */
#ifndef BASE_COROUTINE_H
#define BASE_COROUTINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

typedef struct cb_coroutines cb_coroutines;

/* The code of coroutine number `index`. */
typedef void cb_coroutine_body(void *context, size_t index);

/* `count` coroutines, which start when they are first resumed. All stacks, of `stack_bytes` rounded
 * up to pages, are in one mapping, of which the system provides the pages that are used. They have
 * no guard pages, which would be two mappings for each: an overflow is found when a coroutine
 * leaves, and ends the process with a message. CB_ERROR_MEMORY, logged. Free with
 * cb_coroutines_free, also while some have not ended: their stacks are dropped. */
cb_status cb_coroutines_create(size_t count, size_t stack_bytes, cb_coroutine_body *body,
                               void *context, cb_coroutines **out);
void cb_coroutines_free(cb_coroutines *all);

/* Hot. Run a coroutine that has not ended until it leaves or its body returns. Returns whether it
 * has ended. */
bool cb_coroutines_resume(cb_coroutines *all, size_t index);

/* Hot. Called by the running coroutine: go back to its cb_coroutines_resume. */
void cb_coroutines_leave(cb_coroutines *all);

#endif
