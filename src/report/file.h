/* Replacing a file as a whole: readers see the old content or the new, never a part. */
#ifndef REPORT_FILE_H
#define REPORT_FILE_H

#include <stdio.h>

#include "base/status.h"

/* What goes to a file and which option names it, for the texts of errors. */
typedef struct {
    const char *what, *option;
    const char *instead; /* what else the user can do, or NULL */
} report_file_use;

/* Let `write` fill a temporary file beside `path`, bring it to the disk and rename it to `path`. On
 * failure (CB_ERROR_SYSTEM, logged) the temporary is removed and what stood under `path` is left.
 */
cb_status report_file_replace(const char *path, const report_file_use *use,
                              void (*write)(FILE *stream, void *context), void *context);

/* Whether report_file_replace could write to `path` now, found by making and removing a temporary
 * file beside it: CB_OK, or CB_ERROR_SYSTEM, logged. */
cb_status report_file_check(const char *path, const report_file_use *use);

/* Where a document given the name `path` really goes: symbolic links are followed, so that they are
 * not replaced by the file. NULL, with an error logged, when something that is no regular file (a
 * directory, a device) stands there, or without memory. The caller frees it. */
char *report_file_target(const char *path, const report_file_use *use);

#endif
