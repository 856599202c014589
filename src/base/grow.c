/* The part of growing that is not inline: how much more room there is, and that nothing is lost
 * without memory. */
#include "base/grow.h"

#include <stdlib.h>

enum { FIRST_ROOM = 16 };

void *cb_grow_slowly(void *array, size_t *room, size_t size)
{
    size_t wider = *room > 0 ? 2 * *room : FIRST_ROOM;
    void *grown = reallocarray(array, wider, size);

    if (grown != NULL)
        *room = wider;
    return grown;
}
