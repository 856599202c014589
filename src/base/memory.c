/* Allocation that reports a failure with its purpose. cb_allocate_aligned writes every byte, so
 * that the pages are local to the calling process (first touch) and no page fault falls into a
 * timed section. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

void *cb_allocate_unset(size_t alignment, size_t bytes, const char *purpose)
{
    size_t least = sizeof(void *); /* minimum alignment of posix_memalign */
    size_t room = bytes > 0 ? bytes : 1;
    void *memory = NULL;
    int error = posix_memalign(&memory, alignment > least ? alignment : least, room);

    if (error != 0) {
        cb_error("cannot allocate %zu bytes aligned to %zu for %s: %s; use smaller or fewer "
                 "buffers, or free memory on this host",
                 bytes, alignment, purpose, strerror(error));
        return NULL;
    }
    return memory;
}

void *cb_allocate_aligned(size_t alignment, size_t bytes, const char *purpose)
{
    void *memory = cb_allocate_unset(alignment, bytes, purpose);

    return memory != NULL ? memset(memory, 0, bytes > 0 ? bytes : 1) : NULL;
}

void *cb_allocate(size_t count, size_t size, const char *purpose)
{
    int empty = count == 0 || size == 0;
    void *memory = empty ? calloc(1, 1) : calloc(count, size);

    if (memory == NULL)
        cb_error("cannot allocate %zu times %zu bytes for %s: out of memory; ask for less, or free "
                 "memory on this host",
                 count, size, purpose);
    return memory;
}
