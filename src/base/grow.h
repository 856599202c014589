/* Arrays that grow by doubling, as what is read turns out to be long. */
#ifndef BASE_GROW_H
#define BASE_GROW_H

#include <stddef.h>

/* The array with twice the room, or a first one; *room in elements of `size` bytes. NULL without
 * memory, and then array and room are as they were. Logs nothing. */
void *cb_grow_slowly(void *array, size_t *room, size_t size);

/* The array with room for one more element behind `count`: where it lies now, or NULL as above. */
static inline void *cb_grow(void *array, size_t count, size_t *room, size_t size)
{
    return count < *room ? array : cb_grow_slowly(array, room, size);
}

#endif
