/* A switch with one port for each host, as a pure function of time: frames and instants go in,
 * frames and instants come out. It reads no clock and no network, so that it is tested without
 * either.
 *
 * A frame occupies its sender's cable for its bytes at the rate, crosses in `delay`, and occupies
 * its receiver's cable for the same time: cut through, so that without other frames it takes
 * delay + bytes / rate. Where the receiver's cable is busy the frame waits in the port's queue, and
 * is dropped where that is full. */
#ifndef TOOLS_TESTBED_SWITCH_H
#define TOOLS_TESTBED_SWITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "base/status.h"

enum { FRAME_BYTES = 9216 };

typedef struct frame {
    uint64_t due_ns;    /* when something happens to it next */
    uint64_t order;     /* of frames with equal due_ns the first to be put in is taken first */
    unsigned port;      /* where it leaves */
    bool queued;        /* it waits at that port, or is sent there; else it is still on its way */
    size_t bytes;       /* of data */
    struct frame *next; /* of the pool */
    unsigned char data[FRAME_BYTES];
} frame;

/* Frames on their way through the switch, as a heap in order of time, and a pool of unused ones. */
typedef struct {
    frame **heap;
    size_t count, room;
    uint64_t entered;
    frame *pool;
} switch_frames;

/* The faults of the frames that a host sends; probabilities in [0, 1]. A host that is cut off also
 * receives none. */
typedef struct {
    double loss, duplicate, reorder;
    uint64_t jitter_ns; /* the most that is added to the delay; frames of a host stay in order */
    bool cut;
} switch_faults;

typedef struct {
    uint64_t frames_in, bytes_in;   /* that the host sent */
    uint64_t frames_out, bytes_out; /* that it was given */
    uint64_t full;                  /* for it, dropped since the queue was full */
    uint64_t lost;                  /* by faults: of its own, and for it while it was cut off */
    uint64_t doubled, reordered;    /* of its own */
} switch_counters;

typedef struct {
    unsigned ports;
    double bits_per_s; /* of each port, both ways; 0: without limit */
    uint64_t delay_ns;
    uint64_t queue_bytes; /* of each port, towards its host; 0: without limit */
    uint64_t seed;
    switch_faults faults; /* of all ports, to begin with */
} switch_settings;

typedef struct {
    switch_faults faults;
    switch_counters counters;
    uint64_t sending_until_ns;   /* its cable inwards is busy */
    uint64_t receiving_until_ns; /* and outwards */
    uint64_t last_arrival_ns;    /* of its frames at their ports: for the order under jitter */
    uint64_t queued_bytes;
} switch_port;

typedef struct {
    switch_settings settings;
    switch_port *ports;
    switch_frames frames;
    cb_random random;
} network_switch;

/* The data of a frame begins with the addresses of Ethernet; that of port p is 02:00:00:00:hh:ll
 * with p + 1 in the last two bytes. A frame to an address with the group bit goes to all ports. */
enum { SWITCH_ADDRESS_BYTES = 6, SWITCH_HEAD_BYTES = 14 };
void switch_address(unsigned port, unsigned char address[SWITCH_ADDRESS_BYTES]);

/* What a frame occupies on a cable: its data, at least 60 bytes of it, and 24 bytes of preamble,
 * check sum and gap. */
uint64_t switch_wire_bytes(size_t data_bytes);

/* CB_ERROR_MEMORY, logged. Freed by switch_close, also after an error. */
cb_status switch_open(network_switch *hub, const switch_settings *settings);
void switch_close(network_switch *hub);

/* The instant from which frames of a host are accepted: while its cable has more than a millisecond
 * of them to send, the host has to wait, as at a network card. */
uint64_t switch_ready_ns(const network_switch *hub, unsigned port);

/* An unused frame for switch_accept; NULL, logged, without memory. */
frame *switch_frame(network_switch *hub);

/* Take a frame, with data and bytes set, that a host sends at that instant; instants never go back.
 * CB_ERROR_MEMORY, logged. */
cb_status switch_accept(network_switch *hub, unsigned port, frame *sent, uint64_t now_ns);

/* When switch_take will next have something to do; UINT64_MAX: never. */
uint64_t switch_next_ns(const network_switch *hub);

/* The next frame that a host has received by that instant, at its due_ns; NULL where there is none.
 * Freed by switch_release. */
frame *switch_take(network_switch *hub, uint64_t now_ns);
void switch_release(network_switch *hub, frame *taken);

#endif
