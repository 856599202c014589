/* Write the text of a trace: a section for each range of ranks that do the same, using expressions
 * of the rank. */
#ifndef EMIT_SECTIONS_H
#define EMIT_SECTIONS_H

#include <stdio.h>

#include "emit/fold.h"

/* Write the sections of `count` ranks; `lists` are the receivers of multicasts, as text. Ranks
 * without records are left out. CB_ERROR_MEMORY, logged. */
cb_status sections_write(const fold_state *ranks, size_t count, char *const *lists, FILE *stream);

#endif
