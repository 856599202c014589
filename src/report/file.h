/* Replace a file as a whole: readers see the old or the new content, never a part. */
#ifndef REPORT_FILE_H
#define REPORT_FILE_H

#include <stdio.h>

#include "base/status.h"

/* What is written and which option names the file, for error messages. */
typedef struct {
    const char *what, *option;
    const char *instead; /* alternative for the user, or NULL */
} report_file_use;

/* Let `write` fill a temporary file in the directory of `path`, sync it and rename it to `path`. On
 * failure (CB_ERROR_SYSTEM, logged) the temporary file is removed and `path` is unchanged. */
cb_status report_file_replace(const char *path, const report_file_use *use,
                              void (*write)(FILE *stream, void *context), void *context);

/* Check whether report_file_replace could write to `path`, by creating and removing a temporary
 * file: CB_OK, or CB_ERROR_SYSTEM, logged. */
cb_status report_file_check(const char *path, const report_file_use *use);

/* The file that `path` leads to through symbolic links, so that links are not replaced. NULL, with
 * an error logged, if it is not a regular file (a directory, a device) or memory runs out. The
 * caller frees it. */
char *report_file_target(const char *path, const report_file_use *use);

#endif
