/* Local segments as the other files see them. */
#ifndef SISCI_SEGMENT_H
#define SISCI_SEGMENT_H

#include "sisci/connections.h"
#include "sisci/event_queue.h"
#include "sisci/library.h"
#include "sisci/peer.h"

struct sci_local_segment {
    sisci_resource resource;
    sisci_object object; /* its control block, and its data unless they are the group's */
    sisci_object group;  /* open where the members of its multicast group share one memory */
    unsigned id;
    size_t size;
    bool is_private;
    bool broadcast;
    bool prepared;
    unsigned maps;
    unsigned transfers;              /* by DMA, under way */
    void *dma_memory;                /* all of it, mapped for DMA; NULL: not needed yet */
    sci_cb_local_segment_t callback; /* NULL: none, or none any more */
    void *callback_argument;
    bool has_callback; /* was created with one */
    sisci_event_queue events;
    uint32_t changes_seen;
    sisci_peer **peers; /* by slot: who is connected, so as to notice its end */
    size_t peer_room;
};

static inline sisci_control *sisci_control_of(const sisci_object *object)
{
    return (sisci_control *)object->head;
}

/* Where the bytes of the segment lie. */
static inline const sisci_object *sisci_segment_data(sci_local_segment_t segment)
{
    return segment->group.head != NULL ? &segment->group : &segment->object;
}

#endif
