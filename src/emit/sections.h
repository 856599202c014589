/* The text of a trace: a section for each row of ranks that do the same, if need be in terms of
 * their own number. */
#ifndef EMIT_SECTIONS_H
#define EMIT_SECTIONS_H

#include <stdio.h>

#include "emit/fold.h"

/* Write the sections of `count` ranks; `lists` are those of multicasts, as text. Ranks without
 * records have none. CB_ERROR_MEMORY, logged. */
cb_status sections_write(const fold_state *ranks, size_t count, char *const *lists, FILE *stream);

#endif
