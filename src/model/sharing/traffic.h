/* The traffic of an evaluation: messages, their slots on the links that they pass, and the time.
 * Evaluation starts messages and takes those that have ended; a rule of sharing (flows.h) moves
 * them in between. Times are in microseconds. Internal to src/model. */
#ifndef MODEL_SHARING_TRAFFIC_H
#define MODEL_SHARING_TRAFFIC_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ccmod/ccmod.h>

#include "model/observers/signals.h"

#define TRAFFIC_NONE UINT32_MAX

/* Events closer than 1 ns are one instant; beyond a clock of thirteen days, those within a few
 * steps of a double (traffic_instant_us). */
#define TRAFFIC_INSTANT_US 1e-3

/* Messages and processors are numbered by 30 bits: an event has both in 32 bits, with its kind. */
enum { TRAFFIC_LARGEST_COUNT = (1 << 30) - 1 };

/* Messages */

enum {
    MESSAGE_LIVE = 1,
    MESSAGE_EAGER = 2, /* its sender does not wait for it */
    MESSAGE_SENDER_BLOCKED = 4,
    MESSAGE_RECEIVER_BLOCKED = 8,
    MESSAGE_MATCHED = 16, /* there is a receive for it */
    MESSAGE_ARRIVED = 32,
    MESSAGE_FAN = 64, /* a multicast: destination is the index of its fan */
    MESSAGE_STARTED = 128
};

/* A send or a receive that waits for its other half, or a receiver that waits for an eager
 * message: see evaluation/matching.c. */
typedef struct {
    uint64_t size_bytes;
    uint64_t order; /* in which receives were posted; of a multicast's send its place in the list */
    uint32_t source, receiver;
    uint32_t next, last; /* of the same pair, first come first; last in the first of them only */
    uint32_t earlier, later; /* of sends to the same receiver */
    uint32_t message;        /* of a send that is a message already, or TRAFFIC_NONE */
    uint32_t line;
    uint32_t flags; /* ITEM_... */
} match_item;

/* A message that has started, or a multicast from its send on; or, in the same place, a send or a
 * receive that is yet to become one. 64 bytes: there may be millions. */
typedef union {
    struct {
        uint32_t source;
        uint32_t destination;
        uint64_t size_bytes;
        double start_us;
        double finish;  /* before the message is on the links: its work for them. On the links:
                           the reading of its owner's clock at which it ends; plain: the quiet
                           time that is left */
        uint32_t line;  /* of the send */
        uint32_t slots; /* its first slot */
        uint32_t slot_count;
        uint32_t owner; /* its bottleneck: which of its slots; plain: its place among the live */
        uint32_t child, sibling, back; /* in its owner's heap of messages */
        uint32_t flags;
    };
    match_item item;
} traffic_message;

/* The receivers of a multicast. */
typedef struct {
    uint32_t *destinations;
    uint8_t *flags; /* MESSAGE_MATCHED, MESSAGE_RECEIVER_BLOCKED */
    size_t count, unmatched, hops;
    double latency_us; /* of the links of the longest route */
    uint32_t next;     /* in the list of those that are free */
} traffic_fan;

/* A message's place on a cell of its route, in one of the cell's two heaps: guests, or own. */
typedef struct {
    uint32_t cell;
    uint32_t message;
    uint32_t child, sibling, back; /* in that heap; back is the slot itself while it is in none */
    int32_t mark;                  /* when the message has to be asked (clock.h) */
} traffic_slot;

/* A link in one direction. All messages that have their bottleneck here, its own, progress alike:
 * the clock runs at that rate, and a message ends at a certain reading of it. 68 bytes: a node has
 * two of them at least. */
typedef struct __attribute__((packed, aligned(4))) {
    double clock; /* reading at since_us */
    double since_us;
    double work_us, lost_us;
    uint64_t packets;
    uint32_t count;  /* of messages that pass */
    uint32_t own;    /* of those, how many have their bottleneck here */
    uint32_t heap;   /* root of the own messages' heap, by finish */
    uint32_t guests; /* root of the heap of the others' slots, by mark */
    uint32_t asking; /* root of the heap of those own slots that may have to be asked, by mark */
    uint32_t place;  /* in the heap of cells */
    uint32_t peak;
} traffic_cell;

/* An array of 32-bit numbers. */
typedef struct {
    uint32_t *values;
    size_t count, room;
} traffic_list;

typedef struct {
    const char *name;  /* of the workload, for errors */
    size_t processors; /* of the workload */
    const ccmod_network *network;
    const ccmod_calibration *calibration;
    ccmod_parameters parameters;
    signal_audience audience;

    double now_us;
    uint64_t cycles;    /* instants so far */
    size_t live;        /* messages on links */
    traffic_list ended; /* messages that left the links in this instant */

    traffic_message *pool; /* of messages and items */
    size_t message_count, message_room;
    uint32_t free_message; /* list by sibling */
    uint64_t *ids;         /* of the messages, for observers; NULL without */
    traffic_fan *fans;
    size_t fan_count, fan_room;
    uint32_t free_fan; /* list by next */
    traffic_slot *slots;
    size_t slot_count, slot_room;
    uint32_t free_slots[32]; /* lists by sibling: blocks of 1, 2, 4... slots */
    size_t known_hops; /* of a message whose delay is known, since many are alike; 0: none is */
    uint64_t known_bytes;
    ccmod_delay known_delay;
    uint32_t *route; /* scratch */
    size_t route_room;

    traffic_cell *cells;
    size_t cell_count;
    double *loads;     /* of each cell, in `interval`; NULL without background */
    uint32_t *drawn;   /* the interval that the load belongs to, plus 1; NULL when constant */
    uint64_t interval; /* of background */

    bool latency_after; /* in mode split the latency passes after the links, not before them */
    void *flow;         /* the sharing rule's own */
} ccmod_traffic;

/* Allocate cells, loads and lists; the fields up to `audience` are set, all others are zero. Closed
 * in any case. */
ccmod_status ccmod_traffic_open(ccmod_traffic *traffic);
void ccmod_traffic_close(ccmod_traffic *traffic); /* all but the cells, which the result keeps */

/* The error that there is no memory for the evaluation. */
ccmod_status ccmod_traffic_no_memory(const ccmod_traffic *traffic);

ccmod_status ccmod_traffic_append_slowly(ccmod_traffic *traffic, traffic_list *list,
                                         uint32_t value);

static inline ccmod_status traffic_append(ccmod_traffic *traffic, traffic_list *list,
                                          uint32_t value)
{
    if (list->count == list->room)
        return ccmod_traffic_append_slowly(traffic, list, value);
    list->values[list->count++] = value;
    return CCMOD_OK;
}

/* Of numbers that are none of them NaN; fmax, which looks for those, would be a call. */
static inline double traffic_larger(double left, double right)
{
    return left > right ? left : right;
}

static inline double traffic_smaller(double left, double right)
{
    return left < right ? left : right;
}

/* How far apart events may be and still be one instant. Never less than what the clock can tell
 * apart, else a time that is left could be too short for it to advance at all. */
static inline double traffic_instant_us(const ccmod_traffic *traffic)
{
    return traffic_larger(TRAFFIC_INSTANT_US, traffic->now_us * 4 * DBL_EPSILON);
}

/* A place in the pool, for a message or an item. */
ccmod_status ccmod_pool_take_new(ccmod_traffic *traffic, uint32_t *out);

/* Hot. Of a million messages none is in a cache: the place that is taken next is fetched ahead. */
static inline ccmod_status pool_take(ccmod_traffic *traffic, uint32_t *out)
{
    if (traffic->free_message == TRAFFIC_NONE)
        return ccmod_pool_take_new(traffic, out);
    *out = traffic->free_message;
    traffic->free_message = traffic->pool[*out].sibling;
    if (traffic->free_message != TRAFFIC_NONE)
        __builtin_prefetch(&traffic->pool[traffic->free_message], 1);
    return CCMOD_OK;
}

static inline void pool_give(ccmod_traffic *traffic, uint32_t number)
{
    traffic->pool[number].sibling = traffic->free_message;
    traffic->free_message = number;
}

/* The message, with its fan. */
void ccmod_message_give(ccmod_traffic *traffic, uint32_t number);

/* The message takes the route to its destination, or the tree to those of its fan: the cells
 * become its slots. */
ccmod_status ccmod_message_take_route(ccmod_traffic *traffic, uint32_t number);
/* The slots are free again; the message has none. */
void ccmod_message_give_route(ccmod_traffic *traffic, uint32_t number);

/* Receivers of a multicast, all of them unmatched. */
ccmod_status ccmod_fan_make(ccmod_traffic *traffic, const ccmod_record *record, uint32_t *out);

/* The parts of its delay on the quiet network; what links add to it is in the latency. */
ccmod_delay ccmod_message_delay(ccmod_traffic *traffic, const traffic_message *message);
double ccmod_message_links_latency(const ccmod_traffic *traffic, const traffic_message *message);

/* The message as it is now, for a signal; the steady state is to be filled in by the caller. The
 * route is valid until the next call. */
ccmod_message ccmod_message_describe(ccmod_traffic *traffic, uint32_t number);

/* Hot. The delay of a message on the quiet network without what its links add; valid until the next
 * call. */
static inline const ccmod_delay *message_quiet_delay(ccmod_traffic *traffic, size_t hops,
                                                     uint64_t bytes)
{
    if (bytes != traffic->known_bytes || hops != traffic->known_hops) {
        traffic->known_bytes = bytes;
        traffic->known_hops = hops;
        traffic->known_delay =
            ccmod_quiet_delay(traffic->network, traffic->calibration, hops, bytes);
    }
    return &traffic->known_delay;
}

/* How long after its start a message comes to its first link, and how long after its last link it
 * arrives. In mode paper the links have it all the time. */
static inline double message_before_links_us(const ccmod_traffic *traffic, const ccmod_delay *delay)
{
    if (traffic->parameters.mode != CCMOD_SPLIT)
        return 0;
    return traffic->latency_after ? delay->overhead_us : delay->overhead_us + delay->latency_us;
}

static inline double message_after_links_us(const ccmod_traffic *traffic, const ccmod_delay *delay)
{
    bool after = traffic->latency_after && traffic->parameters.mode == CCMOD_SPLIT;

    return after ? delay->latency_us : 0;
}

#endif
