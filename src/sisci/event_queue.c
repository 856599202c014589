/* A queue that grows: few events come before somebody takes them. */
#include "sisci/event_queue.h"

#include <stdlib.h>
#include <string.h>

static bool make_room(sisci_event_queue *queue)
{
    size_t room = queue->room > 0 ? 2 * queue->room : 8;
    sisci_event *events;

    if (queue->first > 0) {
        memmove(queue->events, queue->events + queue->first, queue->count * sizeof(*queue->events));
        queue->first = 0;
        return true;
    }
    events = realloc(queue->events, room * sizeof(*events));
    if (events == NULL)
        return false;
    queue->events = events;
    queue->room = room;
    return true;
}

void sisci_events_put(sisci_event_queue *queue, sci_segment_cb_reason_t reason, unsigned node)
{
    if (queue->first + queue->count == queue->room && !make_room(queue))
        return;
    queue->events[queue->first + queue->count++] = (sisci_event){.reason = reason, .node = node};
}

bool sisci_events_take(sisci_event_queue *queue, sisci_event *event)
{
    if (queue->count == 0)
        return false;
    *event = queue->events[queue->first];
    queue->count--;
    queue->first = queue->count > 0 ? queue->first + 1 : 0;
    return true;
}

static sci_error_t await(sisci_resource *resource, sisci_event_queue *queue,
                         const struct timespec *until, sisci_event *event)
{
    for (;;) {
        if (resource->cancelled)
            return SCI_ERR_CANCELLED;
        if (sisci_events_take(queue, event))
            return SCI_ERR_OK;
        if (!sisci_wait(until))
            return SCI_ERR_TIMEOUT;
    }
}

sci_error_t sisci_events_await(sisci_resource *resource, sisci_event_queue *queue,
                               unsigned timeout_ms, sisci_event *event)
{
    struct timespec buffer;
    const struct timespec *until = sisci_deadline(timeout_ms, &buffer);
    sci_error_t error;

    if (sisci_is_own_thread())
        return SCI_ERR_ILLEGAL_OPERATION;
    resource->class->poll(resource); /* what has happened is seen without the thread's help */
    resource->waiters++;
    error = await(resource, queue, until, event);
    resource->waiters--;
    sisci_notify();
    return error;
}

void sisci_events_free(sisci_event_queue *queue)
{
    free(queue->events);
    *queue = (sisci_event_queue){0};
}
