/* Remote segments as the other files see them. */
#ifndef SISCI_REMOTE_H
#define SISCI_REMOTE_H

#include "sisci/connections.h"
#include "sisci/library.h"
#include "sisci/peer.h"
#include "sisci/wire.h"

/* One connection: to the segment, or to one member of its group. */
typedef struct {
    sisci_object object;
    sisci_ticket ticket;
    sisci_peer *peer;
    bool lost;
} sisci_connection;

struct sci_remote_segment {
    sisci_resource resource;
    sisci_connection *connections;
    size_t count;
    sisci_object group; /* open where the members of a group share one memory */
    unsigned node;
    unsigned id;
    size_t size;
    bool broadcast;
    sisci_session session;
    unsigned maps;
    unsigned transfers;               /* by DMA, under way */
    sisci_wire *dma_wire;             /* over the whole segment; NULL: not needed yet */
    sci_cb_remote_segment_t callback; /* NULL: none, or none any more */
    void *callback_argument;
    bool has_callback; /* was connected with one */
    sisci_event_queue events;
};

/* The object that has the data, or those of the first member. */
const sisci_object *sisci_remote_data(sci_remote_segment_t segment);

/* Whether a store has to reach several memories: a group whose members do not share one. */
bool sisci_remote_is_split(sci_remote_segment_t segment);

/* Open a wire to `size` bytes from `offset`, a multiple of SISCI_LINE_BYTES; false: out of memory.
 * The library is locked. */
bool sisci_remote_open_wire(sci_remote_segment_t segment, size_t offset, size_t size,
                            sisci_wire *wire);

#endif
