#include "model/evaluation/queue.h"

#include <math.h>
#include <stdlib.h>

#include "base/grow.h"

enum { FIRST_ROOM = 64, AHEAD = 4 };

/* The old ring is laid out from its first event on, in one twice as large. */
static bool widen_run(event_queue *queue)
{
    size_t room = queue->run_room > 0 ? 2 * queue->run_room : FIRST_ROOM;
    queue_event *wider = malloc(room * sizeof(*wider));

    if (wider == NULL)
        return false;
    for (size_t i = 0; i < queue->run_count; i++)
        wider[i] = queue->run[(queue->run_first + i) & (queue->run_room - 1)];
    free(queue->run);
    queue->run = wider;
    queue->run_first = 0;
    queue->run_room = room;
    return true;
}

static bool push_heap(event_queue *queue, queue_event event)
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

static queue_event pop_heap(event_queue *queue)
{
    queue_event *heap = queue->heap;
    queue_event first = heap[0], moved = heap[--queue->count];
    size_t at = 0, below;

    while ((below = 2 * at + 1) < queue->count) {
        if (below + 1 < queue->count && heap[below + 1].time_us < heap[below].time_us)
            below++;
        if (moved.time_us <= heap[below].time_us)
            break;
        heap[at] = heap[below];
        at = below;
    }
    heap[at] = moved;
    return first;
}

bool ccmod_queue_push(event_queue *queue, double time_us, event_kind kind, uint32_t subject)
{
    queue_event event = {.time_us = time_us, .kind = kind, .subject = subject};
    size_t last = (queue->run_first + queue->run_count - 1) & (queue->run_room - 1);

    if (kind != EVENT_FLOW || (queue->run_count > 0 && queue->run[last].time_us > time_us))
        return push_heap(queue, event);
    if (queue->run_count == queue->run_room && !widen_run(queue))
        return false;
    queue->run[(queue->run_first + queue->run_count++) & (queue->run_room - 1)] = event;
    return true;
}

double ccmod_queue_next(const event_queue *queue)
{
    double next = queue->count > 0 ? queue->heap[0].time_us : HUGE_VAL;

    if (queue->run_count > 0 && queue->run[queue->run_first].time_us < next)
        next = queue->run[queue->run_first].time_us;
    return next;
}

queue_event ccmod_queue_pop(event_queue *queue, uint32_t *coming)
{
    queue_event event;

    *coming = UINT32_MAX;
    if (queue->run_count == 0 ||
        (queue->count > 0 && queue->heap[0].time_us <= queue->run[queue->run_first].time_us))
        return pop_heap(queue);
    event = queue->run[queue->run_first];
    *coming = queue->run[(queue->run_first + AHEAD) & (queue->run_room - 1)].subject;
    queue->run_first = (queue->run_first + 1) & (queue->run_room - 1);
    queue->run_count--;
    return event;
}

void ccmod_queue_free(event_queue *queue)
{
    free(queue->heap);
    free(queue->run);
}
