/* A switch with one port per host, as a pure function of time: frames and times in, frames and
 * times out. It uses no clock and no network, and can be tested without.
 *
 * A frame occupies its sender's cable for its bytes at the rate, crosses in `delay`, and occupies
 * its receiver's cable for the same time: cut-through, so that a single frame takes delay + bytes /
 * rate. If the receiver's cable is busy the frame waits in the port's queue.
 *
 * A queue holds all bytes of a frame (those of its data: Ethernet header and packet) from the
 * frame's arrival at the port until its transmission ends. A frame is dropped if the port's queue
 * would exceed queue_bytes, or alpha times the part of the shared buffer that would remain free
 * (the dynamic threshold of Choudhury and Hahne); both count the frame itself. A frame that finds
 * more than mark_bytes in the queue is marked, if its sender is capable of ECN.
 *
 * With leaves the switch is a tree of two levels: ports are divided into leaves, and a frame
 * between leaves also occupies the uplink of its leaf and the downlink of the other one, which have
 * a rate of their own and queues without limit. Where cables and links have different rates a frame
 * takes the time of the slowest, and occupies each of them for its own time. */
#ifndef TOOLS_TESTBED_SWITCH_H
#define TOOLS_TESTBED_SWITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "base/status.h"

enum { FRAME_BYTES = 9216 };

typedef struct frame {
    uint64_t due_ns; /* time of its next event */
    uint64_t order;  /* tie-break: in order of insertion */
    unsigned port;   /* the port where it leaves */
    bool queued;     /* it waits or is transmitted at that port; otherwise it is still in transit */
    uint64_t passed_ns; /* its last byte has passed all cables and links so far */
    unsigned leaf;      /* of its sender */
    unsigned links;     /* between leaves that it has still to pass: 2, the uplink, 1 or 0 */
    size_t bytes;       /* of data */
    struct frame *next; /* of the pool */
    unsigned char data[FRAME_BYTES];
} frame;

/* Frames in the switch, as a heap ordered by time, and a pool of free ones. */
typedef struct {
    frame **heap;
    size_t count, room;
    uint64_t entered;
    frame *pool;
} switch_frames;

/* Faults of the frames that a host sends; probabilities in [0, 1]. A host that is cut off, or whose
 * cable is down, receives no frames either. */
typedef struct {
    double loss, duplicate, reorder;
    uint64_t jitter_ns; /* maximum addition to the delay; frames of a host stay in order */
    bool cut;
    double out_bits_per_s, in_bits_per_s;  /* of its cable from and to the host, in place of the
                                            * switch's rate; 0: as the switch */
    uint64_t flap_period_ns, flap_down_ns; /* its cable is down for the second time in each of the
                                            * first; 0: never */
} switch_faults;

typedef struct {
    uint64_t frames_in, bytes_in;   /* sent by the host */
    uint64_t frames_out, bytes_out; /* delivered to it */
    uint64_t full;                  /* for it, dropped because the buffer was full */
    uint64_t rejected;              /* for it, and not taken by its card */
    uint64_t marked;                /* for it, with "congestion experienced" */
    uint64_t queue_max_bytes;       /* greatest size of its queue */
    uint64_t lost;                  /* by faults: its own, and frames for it while it was cut off */
    uint64_t doubled, reordered;    /* its own */
} switch_counters;

typedef struct {
    unsigned ports;
    double bits_per_s;        /* of each port, in both directions; 0: unlimited */
    unsigned leaf_ports;      /* of each leaf; 0: one switch for all */
    double uplink_bits_per_s; /* of the link of each leaf, in both directions */
    uint64_t delay_ns;
    uint64_t queue_bytes;  /* of each port, towards its host; 0: unlimited */
    uint64_t buffer_bytes; /* shared by the queues of all ports; 0: unlimited */
    double alpha;          /* of the dynamic threshold; only with buffer_bytes */
    uint64_t mark_bytes;   /* of a queue, above which frames are marked; 0: never */
    uint64_t seed;
    switch_faults faults; /* initial faults of all ports */
} switch_settings;

typedef struct {
    switch_faults faults;
    switch_counters counters;
    uint64_t sending_until_ns;   /* its cable inwards is busy */
    uint64_t receiving_until_ns; /* and outwards */
    uint64_t
        last_arrival_ns; /* arrival of its frames at their ports: keeps the order with jitter */
    uint64_t queued_bytes;
} switch_port;

typedef struct {
    switch_settings settings;
    switch_port *ports;
    uint64_t *uplink_until_ns, *downlink_until_ns; /* of each leaf: busy until */
    switch_frames frames;
    uint64_t buffered_bytes;   /* in the queues of all ports */
    uint64_t buffer_max_bytes; /* its greatest value */
    cb_random random;
} network_switch;

/* Frames begin with Ethernet addresses; that of port p is 02:00:00:00:hh:ll with p + 1 in the last
 * two bytes. A frame to a group address goes to all ports. */
enum { SWITCH_ADDRESS_BYTES = 6, SWITCH_HEAD_BYTES = 14 };
void switch_address(unsigned port, unsigned char address[SWITCH_ADDRESS_BYTES]);

/* Bytes of a frame on a cable: its data, at least 60 bytes, plus 24 bytes of preamble, checksum and
 * gap. */
uint64_t switch_wire_bytes(size_t data_bytes);

/* CB_ERROR_MEMORY, logged. Close with switch_close, also after an error. */
cb_status switch_open(network_switch *hub, const switch_settings *settings);
void switch_close(network_switch *hub);

/* From when on frames of a host are accepted: while its cable has more than a millisecond of frames
 * to send, the host has to wait, as with a network card. */
uint64_t switch_ready_ns(const network_switch *hub, unsigned port);

/* A free frame for switch_accept; NULL, logged, if out of memory. */
frame *switch_frame(network_switch *hub);

/* Take a frame, with data and bytes set, that a host sends at that time; times never decrease.
 * CB_ERROR_MEMORY, logged. */
cb_status switch_accept(network_switch *hub, unsigned port, frame *sent, uint64_t now_ns);

/* Time of the next event for switch_take; UINT64_MAX: none. */
uint64_t switch_next_ns(const network_switch *hub);

/* The next frame that a host has received by that time, with its due_ns; NULL if none. Free it with
 * switch_release. */
frame *switch_take(network_switch *hub, uint64_t now_ns);
void switch_release(network_switch *hub, frame *taken);

#endif
