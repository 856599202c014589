/* Allocation of buffers: aligned, and first touched by the process that allocates them. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

enum { CB_CACHE_LINE = 64 };

/* Allocate `bytes` of zeroed memory aligned to `alignment` (a power of two). Free with free().
 * Returns NULL and logs an error that names `purpose` if out of memory. Zero bytes give a valid
 * pointer. */
void *cb_allocate_aligned(size_t alignment, size_t bytes, const char *purpose);

/* As calloc; logs an error that names `purpose` on failure. */
void *cb_allocate(size_t count, size_t size, const char *purpose);

#endif
