/* The switch's calendar: a binary heap by time and order of entry, and a pool, so that a frame
 * costs no allocation once the switch is warm. */
#include "tools/testbed/frames.h"

#include <stdlib.h>

#include "base/memory.h"

frame *frames_new(frames *all)
{
    frame *found = all->pool;

    if (found == NULL)
        return cb_allocate(1, sizeof(*found), "a frame of the switch");
    all->pool = found->next;
    return found;
}

void frames_release(frames *all, frame *used)
{
    used->next = all->pool;
    all->pool = used;
}

static int earlier(const frame *one, const frame *other)
{
    return one->due_ns < other->due_ns ||
           (one->due_ns == other->due_ns && one->order < other->order);
}

static int grow(frames *all)
{
    size_t room = all->room == 0 ? 1024 : 2 * all->room;
    frame **heap = cb_allocate(room, sizeof(*heap), "the calendar of the switch");

    if (heap == NULL)
        return 0;
    for (size_t i = 0; i < all->count; i++)
        heap[i] = all->heap[i];
    free(all->heap);
    all->heap = heap;
    all->room = room;
    return 1;
}

int frames_put(frames *all, frame *entering)
{
    size_t place;

    if (all->count == all->room && !grow(all)) {
        frames_release(all, entering);
        return 0;
    }
    entering->order = all->entered++;
    for (place = all->count++; place > 0; place = (place - 1) / 2) {
        frame *above = all->heap[(place - 1) / 2];

        if (!earlier(entering, above))
            break;
        all->heap[place] = above;
    }
    all->heap[place] = entering;
    return 1;
}

const frame *frames_first(const frames *all)
{
    return all->count > 0 ? all->heap[0] : NULL;
}

frame *frames_take(frames *all)
{
    frame *first = all->heap[0];
    frame *last = all->heap[--all->count];
    size_t place = 0;

    for (size_t below; (below = 2 * place + 1) < all->count; place = below) {
        if (below + 1 < all->count && earlier(all->heap[below + 1], all->heap[below]))
            below++;
        if (!earlier(all->heap[below], last))
            break;
        all->heap[place] = all->heap[below];
    }
    all->heap[place] = last;
    return first;
}

void frames_free(frames *all)
{
    while (all->count > 0)
        frames_release(all, all->heap[--all->count]);
    while (all->pool != NULL) {
        frame *next = all->pool->next;

        free(all->pool);
        all->pool = next;
    }
    free(all->heap);
}
