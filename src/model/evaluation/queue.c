/* What happens at a known time: a binary heap, and beside it a ring for the starts of flows, which
 * come in ascending order wherever overhead and latency are the same for all messages. */
#include "model/evaluation/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64, AHEAD = 4 };

static const engine_event *last_of_run(const event_queue *queue)
{
    return &queue->run[(queue->run_first + queue->run_count - 1) & (queue->run_room - 1)];
}

/* The old ring is laid out from its first event on, in one twice as large. */
static bool widen_run(event_queue *queue)
{
    size_t room = queue->run_room > 0 ? 2 * queue->run_room : FIRST_ROOM;
    engine_event *wider = malloc(room * sizeof(*wider));

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

static ccmod_status push_run(ccmod_engine *engine, engine_event event)
{
    event_queue *queue = &engine->queue;

    if (queue->run_count == queue->run_room && !widen_run(queue))
        return ccmod_engine_no_memory(engine);
    queue->run[(queue->run_first + queue->run_count++) & (queue->run_room - 1)] = event;
    return CCMOD_OK;
}

static ccmod_status push_heap(ccmod_engine *engine, engine_event event)
{
    event_queue *queue = &engine->queue;
    engine_event *heap = cb_grow(queue->heap, queue->count, &queue->room, sizeof(*heap));
    size_t at = queue->count;

    if (heap == NULL)
        return ccmod_engine_no_memory(engine);
    queue->heap = heap;
    queue->count++;
    while (at > 0 && heap[(at - 1) / 2].time_us > event.time_us) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = event;
    return CCMOD_OK;
}

static engine_event pop_heap(event_queue *queue)
{
    engine_event *heap = queue->heap;
    engine_event first = heap[0], moved = heap[--queue->count];
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

ccmod_status ccmod_queue_push(ccmod_engine *engine, double time_us, event_kind kind,
                              uint32_t subject)
{
    const event_queue *queue = &engine->queue;
    engine_event event = {.time_us = time_us, .kind = kind, .subject = subject};

    if (kind == EVENT_FLOW && (queue->run_count == 0 || last_of_run(queue)->time_us <= time_us))
        return push_run(engine, event);
    return push_heap(engine, event);
}

double ccmod_queue_next(const event_queue *queue)
{
    double next = queue->count > 0 ? queue->heap[0].time_us : HUGE_VAL;

    if (queue->run_count > 0 && queue->run[queue->run_first].time_us < next)
        next = queue->run[queue->run_first].time_us;
    return next;
}

/* The message of an event that will come soon; of a place behind the last event it is any message,
 * or none. */
static void prefetch_subject(const ccmod_engine *engine, const engine_event *event)
{
    if (event->subject < engine->message_count)
        __builtin_prefetch(&engine->pool[event->subject], 1);
}

engine_event ccmod_queue_pop(ccmod_engine *engine)
{
    event_queue *queue = &engine->queue;
    engine_event event;

    if (queue->run_count == 0 ||
        (queue->count > 0 && queue->heap[0].time_us <= queue->run[queue->run_first].time_us))
        return pop_heap(queue);
    event = queue->run[queue->run_first];
    prefetch_subject(engine, &queue->run[(queue->run_first + AHEAD) & (queue->run_room - 1)]);
    queue->run_first = (queue->run_first + 1) & (queue->run_room - 1);
    queue->run_count--;
    return event;
}

void ccmod_queue_free(event_queue *queue)
{
    free(queue->heap);
    free(queue->run);
}
