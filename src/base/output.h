/* Files that are written: replaced as a whole, so that readers see the old or the new content. */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

/* What is written and which option names the file, for error messages. */
typedef struct {
    const char *what, *option;
    const char *instead; /* alternative for the user, or NULL */
} cb_output_use;

/* The file that `path` leads to through symbolic links, so that links are not replaced. Links and
 * files that another user has put into a folder where all may write, such as /tmp, are refused, as
 * the kernel does with fs.protected_symlinks and fs.protected_regular. NULL, with an error logged,
 * also if it is not a regular file (a directory, a device). The caller frees it. */
char *cb_output_target(const char *path, const cb_output_use *use);

/* Check whether cb_output_replace could write to `target`, by creating and removing a temporary
 * file: CB_OK, or CB_ERROR_SYSTEM, logged. */
cb_status cb_output_check(const char *target, const cb_output_use *use);

/* Let `write` fill a temporary file in the directory of `target`, sync it and rename it to
 * `target`, whose permissions are kept. On failure (CB_ERROR_SYSTEM, logged) the temporary file is
 * removed and `target` is unchanged. */
cb_status cb_output_replace(const char *target, const cb_output_use *use,
                            void (*write)(FILE *stream, void *context), void *context);

/* The same in parts: fill `stream`, then cb_output_end. */
typedef struct {
    FILE *stream;
    const char *target; /* the caller's */
    char *temporary;
    const cb_output_use *use;
} cb_output;

cb_status cb_output_begin(const char *target, const cb_output_use *use, cb_output *out);

/* Replace the target, or with `keep` false leave it as it is. If a write failed, errno has to be as
 * it left it. Errors as cb_output_replace. */
cb_status cb_output_end(cb_output *output, bool keep);

/* Whether two paths name one file, which need not exist yet. */
bool cb_output_is_same(const char *one, const char *other);

#endif
