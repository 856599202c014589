/* Events of a segment that wait for a callback or for whoever waits. */
#ifndef SISCI_EVENT_QUEUE_H
#define SISCI_EVENT_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "sisci/library.h"
#include "sisci/sisci_types.h"

typedef struct {
    sci_segment_cb_reason_t reason;
    unsigned node; /* whose it is */
} sisci_event;

typedef struct {
    sisci_event *events;
    size_t first, count, room;
} sisci_event_queue;

/* Append; an event for which there is no memory is lost. */
void sisci_events_put(sisci_event_queue *queue, sci_segment_cb_reason_t reason, unsigned node);

/* Take the oldest; false: there is none. */
bool sisci_events_take(sisci_event_queue *queue, sisci_event *event);

/* Wait for the next event of a resource and take it; SCI_ERR_TIMEOUT, or SCI_ERR_CANCELLED when the
 * resource is being removed, or SCI_ERR_ILLEGAL_OPERATION in a callback, since events are found by
 * the thread that makes it. The library is locked, and unlocked meanwhile. */
sci_error_t sisci_events_await(sisci_resource *resource, sisci_event_queue *queue,
                               unsigned timeout_ms, sisci_event *event);

void sisci_events_free(sisci_event_queue *queue);

#endif
