/* Memory for buffers: aligned, and touched first by the process that asks for it. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

enum { CB_CACHE_LINE = 64 };

/* `bytes` of zeroed memory aligned to `alignment` (a power of two); NULL, with an error logged
 * that names `purpose`, when there is none. Freed with free(). Zero bytes give a valid pointer. */
void *cb_allocate_aligned(size_t alignment, size_t bytes, const char *purpose);

/* As calloc, with an error logged that names `purpose`. */
void *cb_allocate(size_t count, size_t size, const char *purpose);

#endif
