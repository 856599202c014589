/* Arrays that grow by doubling, as what is read turns out to be long. All is in this header:
 * libccmod needs this and nothing else of the memory that base allocates. */
#ifndef BASE_GROW_H
#define BASE_GROW_H

#include <stddef.h>
#include <stdlib.h>

enum { CB_GROW_FIRST_ROOM = 16 };

/* The array with twice the room, or a first one; *room in elements of `size` bytes. NULL without
 * memory, and then array and room are as they were. Logs nothing. Not inlined: callers grow arrays
 * in hot loops, and seldom get here. */
__attribute__((cold, noinline, unused)) static void *cb_grow_slowly(void *array, size_t *room,
                                                                    size_t size)
{
    size_t wider = *room > 0 ? 2 * *room : CB_GROW_FIRST_ROOM;
    void *grown = reallocarray(array, wider, size);

    if (grown != NULL)
        *room = wider;
    return grown;
}

/* The array with room for one more element after the first `count`: where it lies now, or NULL as
 * above. */
static inline void *cb_grow(void *array, size_t count, size_t *room, size_t size)
{
    return count < *room ? array : cb_grow_slowly(array, room, size);
}

#endif
