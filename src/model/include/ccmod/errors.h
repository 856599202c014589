/* How a function of CCMOD that fails says why. */
#ifndef MODEL_CCMOD_ERRORS_H
#define MODEL_CCMOD_ERRORS_H

#include <stddef.h>

#include "base/status.h"

enum { CCMOD_ERROR_BYTES = 1024 };

/* Filled by the function that fails: "FILE:LINE: what was attempted, on what, the cause; what to
 * change", without a newline. Every function that takes one accepts NULL. CB_ERROR_USAGE: the
 * input is wrong; CB_ERROR_SYSTEM: a file cannot be read; CB_ERROR_MEMORY; CB_ERROR_INTERRUPTED:
 * the progress callback asked for the end; CB_ERROR_DATA: the workload cannot end (a deadlock, a
 * receive that nobody sends to). */
typedef struct {
    cb_status status;
    size_t line; /* of the file that the text names; 0 where there is none */
    char text[CCMOD_ERROR_BYTES];
} ccmod_error;

/* Fill `error` (unless NULL) by printf and return `status`: for networks, workloads and observers
 * that are written elsewhere, too. `file` may be NULL, `line` 0. */
cb_status ccmod_fail(ccmod_error *error, cb_status status, const char *file, size_t line,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
