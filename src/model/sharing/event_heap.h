/* A heap of scheduled events, for sharing rules that move packets. Internal to src/model. */
#ifndef MODEL_SHARING_EVENT_HEAP_H
#define MODEL_SHARING_EVENT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/grow.h"
#include "model/sharing/traffic.h"

typedef struct {
    double time_us;
    uint64_t order; /* tie-break: events scheduled first come first */
    uint32_t subject;
    uint32_t kind; /* of the sharing rule, as the subject */
} heap_event;

typedef struct {
    heap_event *events;
    size_t count, room;
    uint64_t scheduled;
} event_heap;

/* Without a branch: it would be mispredicted half of the time. */
static inline bool event_comes_first(const heap_event *left, const heap_event *right)
{
    uint64_t one = time_bits(left->time_us), other = time_bits(right->time_us);

    return (one < other) | ((one == other) & (left->order < right->order));
}

/* False if out of memory. */
static inline bool event_heap_put(event_heap *heap, double time_us, uint32_t subject, uint32_t kind)
{
    heap_event *events = cb_grow(heap->events, heap->count, &heap->room, sizeof(*events));
    heap_event made = {time_us, heap->scheduled++, subject, kind};
    size_t place = heap->count;

    if (events == NULL)
        return false;
    heap->events = events;
    heap->count++;
    while (place > 0 && event_comes_first(&made, &events[(place - 1) / 2])) {
        events[place] = events[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    events[place] = made;
    return true;
}

/* Remove the first event; there must be one. */
static inline heap_event event_heap_take(event_heap *heap)
{
    heap_event *events = heap->events;
    heap_event first = events[0], moved = events[--heap->count];
    size_t place = 0, child;

    while ((child = 2 * place + 1) < heap->count) {
        child += child + 1 < heap->count && event_comes_first(&events[child + 1], &events[child]);
        if (!event_comes_first(&events[child], &moved))
            break;
        events[place] = events[child];
        place = child;
    }
    events[place] = moved;
    return first;
}

#endif
