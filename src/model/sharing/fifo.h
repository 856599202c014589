/* The state of the sharing rule fifo, the lines of packets before its cells, and acknowledgements:
 * frames of their own that stand in line as packets do. Internal to src/model. */
#ifndef MODEL_SHARING_FIFO_H
#define MODEL_SHARING_FIFO_H

#include "model/sharing/conversations.h"
#include "model/sharing/traffic.h"

/* What is foreseen. */
typedef struct {
    double time_us;
    uint64_t order;   /* of equal times the one that was foreseen first comes first */
    uint32_t subject; /* a cell that is free again, or a message that is there */
    bool arrival;
} fifo_event;

/* Packets of one message that stand in line one behind the other; or acknowledgements. */
typedef struct {
    uint32_t slot; /* TRAFFIC_NONE: acknowledgements */
    uint32_t packets;
    uint32_t from, to,
        hop;       /* of acknowledgements alone: on their way from here to there the cell */
    uint32_t next; /* after it in line; or in the list of those that are free */
} fifo_run;

typedef struct {
    uint32_t first, last; /* runs in line; first is TRAFFIC_NONE while there are none */
    uint32_t waiting;     /* messages of which packets are in line */
    uint32_t serving;     /* slot, while it is busy */
    bool busy;
    double since_us; /* up to where the time of those that wait was added up */
    double clear_us; /* acknowledgements that came before what is served next have passed by then */
} fifo_cell;

/* What is known of a message besides what the traffic knows. */
typedef struct {
    double end_us;             /* on the links, as far as it is known */
    double latency_us;         /* after the links */
    double packet_us, last_us; /* work of each packet but the last, and of that */
    uint32_t packets;
} fifo_message;

/* A message that has arrived, and whose end was not acknowledged at once. */
typedef struct {
    double arrived_us;
    uint32_t source, destination;
} fifo_arrival;

typedef struct {
    conversation_table conversations;
    fifo_arrival *arrivals; /* a ring, in order of time */
    size_t first, count, room;
    uint32_t *way; /* scratch for a route; NULL: there are no acknowledgements */
} fifo_acknowledgements;

/* A slot of the traffic has two fields of this rule's own: `child` is how many packets of its
 * message the cell is yet to serve, `back` how many of them are in line. */
typedef struct {
    fifo_event *heap;
    size_t count, room;
    uint64_t foreseen;
    fifo_cell *cells;
    fifo_run *runs;
    size_t run_count, run_room;
    uint32_t free_run; /* list by next */
    fifo_message *messages;
    size_t message_room;
    fifo_acknowledgements acknowledgements;
} fifo_flow;

static inline fifo_flow *fifo_of(const ccmod_traffic *traffic)
{
    return traffic->flow;
}

/* Lines. All that can fail is memory. */
void ccmod_fifo_lines_open(fifo_flow *flow, size_t cell_count);
/* To the end of the cell's line, where packets of one message are one run. */
ccmod_status ccmod_fifo_line_up(ccmod_traffic *traffic, uint32_t cell, fifo_run run);
/* One packet, or all acknowledgements, of the first run of a line that is not empty; its hop, slot
 * and ends are of use. */
fifo_run ccmod_fifo_take_first(fifo_flow *flow, uint32_t cell);

/* Acknowledgements: none but where the calibration has them. All that can fail is memory. */
ccmod_status ccmod_fifo_acknowledgements_open(ccmod_traffic *traffic);
void ccmod_fifo_acknowledgements_close(fifo_acknowledgements *acknowledgements);
/* The message starts, and carries what its source has to acknowledge to its destination. */
ccmod_status ccmod_fifo_note_start(ccmod_traffic *traffic, const traffic_message *message);
/* The last of `come` of the `parts` in which the message travels has passed its last link now. */
ccmod_status ccmod_fifo_acknowledge_packets(ccmod_traffic *traffic, const traffic_message *message,
                                            uint32_t come, uint32_t parts, double now_us);
ccmod_status ccmod_fifo_note_arrival(ccmod_traffic *traffic, const traffic_message *message,
                                     double now_us);
/* Before a link is given away: the ends that are acknowledged by now, since nothing carried it. */
ccmod_status ccmod_fifo_acknowledge_ends(ccmod_traffic *traffic, double now_us);
/* Acknowledgements at the head of the line of a cell that is free pass it, and go on. */
ccmod_status ccmod_fifo_pass_acknowledgements(ccmod_traffic *traffic, uint32_t cell, double now_us);

#endif
