/* Events at known times: a heap, and a ring in ascending order for the starts of flows, which are
 * in order of time if all messages have the same overhead and latency. Inline, since hot. Internal
 * to src/model. */
#ifndef MODEL_EVALUATION_QUEUE_H
#define MODEL_EVALUATION_QUEUE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/event_heap.h"
#include "base/grow.h"

typedef enum {
    EVENT_RESUME, /* processor: its computing or overhead ends */
    EVENT_FLOW,   /* message: its latency ends and it enters the links */
    EVENT_ARRIVE, /* message without work on links: it arrives */
    EVENT_BARRIER /* all processors continue */
} event_kind;

/* 12 bytes, half of a cb_event: there may be one for every processor and every message. */
typedef struct __attribute__((packed, aligned(4))) {
    double time_us;
    uint32_t kind : 2;
    uint32_t subject : 30;
} queue_event;

typedef struct {
    queue_event *heap;
    size_t count, room;
    queue_event *run;                      /* the ring */
    size_t run_first, run_count, run_room; /* run_room is a power of two */
} event_queue;

/* Double the ring; false if out of memory. */
bool ccmod_queue_widen_run(event_queue *queue);
void ccmod_queue_free(event_queue *queue);

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

/* False if out of memory. */
static inline bool queue_push(event_queue *queue, double time_us, event_kind kind, uint32_t subject)
{
    queue_event event = {.time_us = time_us, .kind = kind, .subject = subject};
    size_t last = (queue->run_first + queue->run_count - 1) & (queue->run_room - 1);

    if (kind != EVENT_FLOW || (queue->run_count > 0 && queue->run[last].time_us > time_us))
        return queue_push_heap(queue, event);
    if (queue->run_count == queue->run_room && !ccmod_queue_widen_run(queue))
        return false;
    queue->run[(queue->run_first + queue->run_count++) & (queue->run_room - 1)] = event;
    return true;
}

/* Time of the first event; infinite if there is none. */
static inline double queue_next(const event_queue *queue)
{
    double next = queue->count > 0 ? queue->heap[0].time_us : HUGE_VAL;

    if (queue->run_count > 0 && queue->run[queue->run_first].time_us < next)
        next = queue->run[queue->run_first].time_us;
    return next;
}

/* Remove the first event of a queue that is not empty. *coming is a message whose event will come
 * soon, to be prefetched, or any number. */
static inline queue_event queue_pop(event_queue *queue, uint32_t *coming)
{
    enum { AHEAD = 4 };
    queue_event event;

    *coming = UINT32_MAX;
    if (queue->run_count == 0 ||
        (queue->count > 0 && queue->heap[0].time_us <= queue->run[queue->run_first].time_us))
        return queue_pop_heap(queue);
    event = queue->run[queue->run_first];
    *coming = queue->run[(queue->run_first + AHEAD) & (queue->run_room - 1)].subject;
    queue->run_first = (queue->run_first + 1) & (queue->run_room - 1);
    queue->run_count--;
    return event;
}

#endif
