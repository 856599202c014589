/* State of the sharing rule fifo: the queues of packets at its cells, and acknowledgements, which
 * are frames of their own and queue as packets do. Internal to src/model. */
#ifndef MODEL_SHARING_FIFO_H
#define MODEL_SHARING_FIFO_H

#include "base/event_heap.h"
#include "model/sharing/conversations.h"
#include "model/sharing/traffic.h"

/* Consecutive packets of one message in a queue; or acknowledgements. */
typedef struct {
    uint32_t slot; /* TRAFFIC_NONE: acknowledgements */
    uint32_t packets;
    uint32_t from, to, hop; /* only for acknowledgements: the current cell of their way */
    uint32_t next;          /* next in the queue, or in the free list */
} fifo_run;

typedef struct {
    uint32_t first, last; /* runs in the queue; first is TRAFFIC_NONE if empty */
    uint32_t waiting;     /* number of messages with packets in the queue */
    uint32_t serving;     /* slot being served, while it is busy */
    bool busy;
    double since_us; /* the waiting time is accounted up to here */
    double clear_us; /* earlier acknowledgements have passed by then; the next service starts after
                        it */
} fifo_cell;

/* State of a message beyond traffic_message. */
typedef struct {
    double end_us;             /* on the links, as far as known */
    double latency_us;         /* after the links */
    double packet_us, last_us; /* work of each packet except the last, and of the last */
    uint32_t packets;
    /* Of a message whose packets are not all on their way yet, see flows_fifo.c */
    uint32_t held;      /* packets that have not come to its first link */
    uint32_t next_held; /* list of those of a source, one for each destination */
    uint32_t follower;  /* sent later to the same destination; TRAFFIC_NONE: none */
    uint32_t last_follower;
} fifo_message;

/* A message that has arrived and whose last packet has not been acknowledged. */
typedef struct {
    double arrived_us;
    uint32_t source, destination;
} fifo_arrival;

typedef struct {
    conversation_table conversations;
    fifo_arrival *arrivals; /* a ring in order of time */
    size_t first, count, room;
    uint32_t *way; /* scratch for a route; NULL: no acknowledgements */
} fifo_acknowledgements;

/* A message on the links, and the share of it that earlier signals reported as consumed. */
typedef struct {
    uint32_t message;
    double reported;
} fifo_observed;

typedef struct {
    fifo_observed *live;
    size_t count, room;
    double since_us; /* end of the last horizon */
} fifo_horizons;

/* This rule uses two members of a slot: `child` is the number of packets of its message that the
 * cell has yet to serve, `back` the number of those in the queue. */
typedef struct {
    cb_event_heap heap;
    fifo_cell *cells;
    fifo_run *runs;
    size_t run_count, run_room;
    uint32_t free_run; /* free list by next */
    fifo_message *messages;
    size_t message_room;
    uint32_t *first_held; /* of each source, or TRAFFIC_NONE */
    conversation_table
        windows; /* of source and destination: received_us is when the last long message had left */
    fifo_acknowledgements acknowledgements;
    fifo_horizons horizons; /* if they are observed */
} fifo_flow;

static inline fifo_flow *fifo_of(const ccmod_traffic *traffic)
{
    return traffic->flow;
}

/* Queues. The only error is out of memory. */
void ccmod_fifo_queues_open(fifo_flow *flow, size_t cell_count);
/* Append to the cell's queue; consecutive packets of a message are one run. */
ccmod_status ccmod_fifo_enqueue(ccmod_traffic *traffic, uint32_t cell, fifo_run run);
/* Remove one packet, or all acknowledgements of a run, from the front of a queue that is not empty;
 * hop, slot and ends of the result are valid. */
fifo_run ccmod_fifo_dequeue(fifo_flow *flow, uint32_t cell);

/* Acknowledgements, if the calibration has them. The only error is out of memory. */
ccmod_status ccmod_fifo_acknowledgements_open(ccmod_traffic *traffic);
void ccmod_fifo_acknowledgements_close(fifo_acknowledgements *acknowledgements);
/* The message starts and carries its source's pending acknowledgements to its destination. */
ccmod_status ccmod_fifo_note_start(ccmod_traffic *traffic, const traffic_message *message);
/* Part number `come` of `parts` of the message has passed its last link. */
ccmod_status ccmod_fifo_acknowledge_packets(ccmod_traffic *traffic, const traffic_message *message,
                                            uint32_t come, uint32_t parts, double now_us);
ccmod_status ccmod_fifo_note_arrival(ccmod_traffic *traffic, const traffic_message *message,
                                     double now_us);
/* Before a link is assigned: acknowledge the ends whose waiting time is over. */
ccmod_status ccmod_fifo_acknowledge_ends(ccmod_traffic *traffic, double now_us);
/* Acknowledgements at the front of a free cell's queue pass it and continue. */
ccmod_status ccmod_fifo_pass_acknowledgements(ccmod_traffic *traffic, uint32_t cell, double now_us);

#endif
