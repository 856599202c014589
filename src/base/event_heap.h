/* A heap of scheduled events: the earliest is first. */
#ifndef BASE_EVENT_HEAP_H
#define BASE_EVENT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/grow.h"

typedef struct {
    double time;    /* not negative; its unit is the user's */
    uint64_t order; /* tie-break: events scheduled first come first */
    uint32_t subject;
    uint32_t kind; /* of the user, as the subject */
} cb_event;

typedef struct {
    cb_event *events;
    size_t count, room;
    uint64_t scheduled;
} cb_event_heap;

/* The bits of a time that is not negative: in the order of times, and faster to compare. */
static inline uint64_t cb_time_bits(double time)
{
    uint64_t bits;

    memcpy(&bits, &time, sizeof(bits));
    return bits;
}

/* Without a branch: it would be mispredicted half of the time. */
static inline bool cb_event_comes_first(const cb_event *left, const cb_event *right)
{
    uint64_t one = cb_time_bits(left->time), other = cb_time_bits(right->time);

    return (one < other) | ((one == other) & (left->order < right->order));
}

/* False if out of memory. */
static inline bool cb_event_heap_put(cb_event_heap *heap, double time, uint32_t subject,
                                     uint32_t kind)
{
    cb_event *events = cb_grow(heap->events, heap->count, &heap->room, sizeof(*events));
    cb_event made = {time, heap->scheduled++, subject, kind};
    size_t place = heap->count;

    if (events == NULL)
        return false;
    heap->events = events;
    heap->count++;
    while (place > 0 && cb_event_comes_first(&made, &events[(place - 1) / 2])) {
        events[place] = events[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    events[place] = made;
    return true;
}

/* Remove the first event; there must be one. */
static inline cb_event cb_event_heap_take(cb_event_heap *heap)
{
    cb_event *events = heap->events;
    cb_event first = events[0], moved = events[--heap->count];
    size_t place = 0, child;

    while ((child = 2 * place + 1) < heap->count) {
        child +=
            child + 1 < heap->count && cb_event_comes_first(&events[child + 1], &events[child]);
        if (!cb_event_comes_first(&events[child], &moved))
            break;
        events[place] = events[child];
        place = child;
    }
    events[place] = moved;
    return first;
}

#endif
