/* Events at known times: a heap, and rings in ascending order for the messages that enter the links
 * and those that arrive, which are in order of time if all messages are alike. Inline, since hot.
 * Internal to src/model. */
#ifndef MODEL_EVALUATION_QUEUE_H
#define MODEL_EVALUATION_QUEUE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/event_heap.h"
#include "base/grow.h"

typedef enum {
    EVENT_RESUME, /* processor: its computing or overhead ends; EVENT_EVERYONE: all leave the
                     barrier */
    EVENT_FLOW,   /* message: its latency ends and it enters the links */
    EVENT_ARRIVE, /* message without work on links, or alone on them: it arrives */
    EVENT_TIMER   /* processor: it has waited long enough, perhaps */
} event_kind;

/* No processor has this number. */
enum { EVENT_EVERYONE = (1 << 30) - 1 };

/* 12 bytes, half of a cb_event: there may be one for every processor and every message. */
typedef struct __attribute__((packed, aligned(4))) {
    double time_us;
    uint32_t kind : 2;
    uint32_t subject : 30;
} queue_event;

/* Each event is as late as the one before, or later. */
typedef struct {
    queue_event *events;
    size_t first, count, room; /* room is a power of two */
    double next_us;            /* time of the first; infinite if there is none */
} event_ring;

typedef struct {
    queue_event *heap;
    size_t count, room;
    event_ring rings[2]; /* of EVENT_FLOW and EVENT_ARRIVE */
} event_queue;

void ccmod_queue_open(event_queue *queue);
void ccmod_queue_free(event_queue *queue);

/* Double the ring; false if out of memory. */
bool ccmod_ring_widen(event_ring *ring);

static inline bool queue_push_heap(event_queue *queue, queue_event event)
{
    queue_event *heap = cb_grow(queue->heap, queue->count, &queue->room, sizeof(*heap));
    size_t at = queue->count;

    if (heap == NULL)
        return false;
    queue->heap = heap;
    queue->count++;
    while (at > 0 && heap[(at - 1) / 2].time_us > event.time_us) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = event;
    return true;
}

static inline queue_event queue_pop_heap(event_queue *queue)
{
    queue_event *heap = queue->heap;
    queue_event first = heap[0], moved = heap[--queue->count];
    size_t at = 0, below;

    while ((below = 2 * at + 1) < queue->count) {
        below += (below + 1 < queue->count) &
                 (cb_time_bits(heap[below + 1].time_us) < cb_time_bits(heap[below].time_us));
        if (cb_time_bits(moved.time_us) <= cb_time_bits(heap[below].time_us))
            break;
        heap[at] = heap[below];
        at = below;
    }
    heap[at] = moved;
    return first;
}

static inline double ring_last_us(const event_ring *ring)
{
    return ring->events[(ring->first + ring->count - 1) & (ring->room - 1)].time_us;
}

/* False if out of memory. */
static inline bool ring_push(event_ring *ring, queue_event event)
{
    if (ring->count == ring->room && !ccmod_ring_widen(ring))
        return false;
    if (ring->count == 0)
        ring->next_us = event.time_us;
    ring->events[(ring->first + ring->count++) & (ring->room - 1)] = event;
    return true;
}

/* Remove the first event. *coming is that of a later event. */
static inline queue_event ring_pop(event_ring *ring, uint32_t *coming)
{
    enum { AHEAD = 4 };
    queue_event event = ring->events[ring->first];

    *coming = ring->events[(ring->first + AHEAD) & (ring->room - 1)].subject;
    ring->first = (ring->first + 1) & (ring->room - 1);
    ring->next_us = --ring->count > 0 ? ring->events[ring->first].time_us : HUGE_VAL;
    return event;
}

/* False if out of memory. */
static inline bool queue_push(event_queue *queue, double time_us, event_kind kind, uint32_t subject)
{
    queue_event event = {.time_us = time_us, .kind = kind, .subject = subject};

    if (kind == EVENT_FLOW || kind == EVENT_ARRIVE) {
        event_ring *ring = &queue->rings[kind == EVENT_ARRIVE];

        if (ring->count == 0 || ring_last_us(ring) <= time_us)
            return ring_push(ring, event);
    }
    return queue_push_heap(queue, event);
}

static inline double queue_heap_next(const event_queue *queue)
{
    return queue->count > 0 ? queue->heap[0].time_us : HUGE_VAL;
}

/* The ring with the earlier event. */
static inline size_t queue_first_ring(const event_queue *queue)
{
    return queue->rings[1].next_us < queue->rings[0].next_us;
}

/* Time of the first event; infinite if there is none. */
static inline double queue_next(const event_queue *queue)
{
    double heap_us = queue_heap_next(queue);
    double ring_us = queue->rings[queue_first_ring(queue)].next_us;

    return ring_us < heap_us ? ring_us : heap_us;
}

/* The first event of a queue that is not empty. */
static inline queue_event queue_first(const event_queue *queue)
{
    const event_ring *ring = &queue->rings[queue_first_ring(queue)];

    return ring->next_us < queue_heap_next(queue) ? ring->events[ring->first] : queue->heap[0];
}

/* Remove the first event of a queue that is not empty. *coming is a message whose event will come
 * soon, to be prefetched, or any number. */
static inline __attribute__((always_inline)) queue_event queue_pop(event_queue *queue,
                                                                   uint32_t *coming)
{
    event_ring *ring = &queue->rings[queue_first_ring(queue)];

    *coming = UINT32_MAX;
    return ring->next_us < queue_heap_next(queue) ? ring_pop(ring, coming) : queue_pop_heap(queue);
}

#endif
