/* Arrays that grow by doubling. Header only: libccmod uses this but none of the other allocation
 * functions of base. */
#ifndef BASE_GROW_H
#define BASE_GROW_H

#include <stddef.h>
#include <stdlib.h>

enum { CB_GROW_FIRST_ROOM = 16 };

/* Reallocate the array with twice the room (or allocate a first one); *room counts elements of
 * `size` bytes. Returns NULL if out of memory and leaves array and room unchanged. Logs nothing.
 * Not inlined: callers grow arrays in hot loops and rarely get here. */
__attribute__((cold, noinline, unused)) static void *cb_grow_slowly(void *array, size_t *room,
                                                                    size_t size)
{
    size_t wider = *room > 0 ? 2 * *room : CB_GROW_FIRST_ROOM;
    void *grown = reallocarray(array, wider, size);

    if (grown != NULL)
        *room = wider;
    return grown;
}

/* Make room for one more element after the first `count`. Returns the array's new address, or NULL
 * as cb_grow_slowly does. */
static inline void *cb_grow(void *array, size_t count, size_t *room, size_t size)
{
    return count < *room ? array : cb_grow_slowly(array, room, size);
}

#endif
