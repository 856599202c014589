/* Local segments as the other files see them. */
#ifndef SISCI_SEGMENT_H
#define SISCI_SEGMENT_H

#include "sisci/connections.h"
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
    sisci_peer **peers; /* by slot: the connected processes, whose end has to be noticed */
    size_t peer_room;
};

/* The object with the bytes of the segment. */
static inline const sisci_object *sisci_segment_data(sci_local_segment_t segment)
{
    return segment->group.head != NULL ? &segment->group : &segment->object;
}

#endif
