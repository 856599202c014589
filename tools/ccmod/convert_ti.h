/* What the reader and the writer of SimGrid's time-independent traces share. */
#ifndef TOOLS_CCMOD_CONVERT_TI_H
#define TOOLS_CCMOD_CONVERT_TI_H

#include "tools/ccmod/convert_text.h"

/* MPI_ANY_SOURCE and MPI_ANY_TAG of SimGrid. */
#define CONVERT_TI_ANY_SOURCE "-555"
#define CONVERT_TI_ANY_TAG "-444"

ccmod_status convert_ti_rank(FILE *stream, convert_walk *walk, uint32_t rank, ccmod_error *error);

#endif
