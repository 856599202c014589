/* The traffic of an evaluation: messages, their slots on links, and the time. Evaluation starts
 * messages and takes those that have ended; a sharing rule (flows.h) moves them in between. Times
 * are in microseconds. Internal to src/model. */
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

/* Events within 1 ns are one instant; beyond a clock of thirteen days, within a few steps of a
 * double (traffic_instant_us). */
#define TRAFFIC_INSTANT_US 1e-3

/* Messages and processors have numbers of 30 bits: an event has one and its kind in 32 bits. */
enum { TRAFFIC_LARGEST_COUNT = (1 << 30) - 1 };

/* Messages */

enum {
    MESSAGE_LIVE = 1,
    MESSAGE_EAGER = 2, /* its sender does not wait for it */
    MESSAGE_SENDER_BLOCKED = 4,
    MESSAGE_RECEIVER_BLOCKED = 8,
    MESSAGE_MATCHED = 16, /* there is a matching receive */
    MESSAGE_ARRIVED = 32,
    MESSAGE_MULTICAST = 64, /* a multicast: destination is the index of its receiver list */
    MESSAGE_STARTED = 128,
    MESSAGE_ALONE = 256,  /* alone on its links: it ends at `finish`, an event of evaluation */
    MESSAGE_JOINED = 512, /* it was alone; that event is void, and still in the queue */
    MESSAGE_DONE = 1024,  /* to be freed with that event */
    /* Of processors that react: an earlier one of the pair has not arrived; this one has. */
    MESSAGE_FOLLOWS = 2048,
    MESSAGE_EARLY = 4096
};

/* An item: a send or receive that waits for its other half, or a receiver that waits for an eager
 * message; see evaluation/matching.c. */
typedef struct {
    uint64_t size_bytes;
    uint64_t order; /* of posting, for receives; of a multicast's send, its index in the list */
    uint32_t source, receiver;
    uint32_t next, last; /* of the same pair, oldest first; last is valid in the first of them */
    uint32_t earlier, later; /* of sends to the same receiver */
    uint32_t message;        /* of a send that already is a message, or TRAFFIC_NONE */
    uint32_t line;
    uint32_t flags;   /* ITEM_... */
    uint32_t request; /* name of a receive, for processors that react */
} match_item;

/* A message that has started, or a multicast from its send on; or, in the same memory, an item. 64
 * bytes: there may be millions. */
typedef union {
    struct {
        uint32_t source;
        uint32_t destination;
        uint64_t size_bytes;
        double start_us;
        double finish;  /* before the links: its work on them. On the links: the reading of its
                           owner's clock at which it ends; alone: the time at which it ends; plain:
                           its remaining quiet time */
        uint32_t line;  /* of the send */
        uint32_t slots; /* its first slot */
        uint32_t slot_count;
        uint32_t owner; /* the slot of its bottleneck; plain: its index in the live list */
        uint32_t child, sibling, back; /* in its owner's heap of messages */
        uint32_t flags;
    };
    match_item item;
} traffic_message;

/* What else a message has if processors react. */
typedef struct {
    uint64_t cargo;
    uint32_t request;   /* name of its send */
    uint32_t following; /* the next message of the pair that is under way, or TRAFFIC_NONE */
} traffic_letter;

/* The receivers of a multicast. */
typedef struct {
    uint32_t *destinations;
    uint8_t *flags; /* MESSAGE_MATCHED, MESSAGE_RECEIVER_BLOCKED */
    size_t count, unmatched, hops;
    double latency_us; /* of the links of the longest route */
    uint32_t next;     /* free list */
} traffic_receivers;

/* A message on a cell of its route, in one of the cell's two heaps of slots: secondary, or watched.
 */
typedef struct {
    uint32_t cell;
    uint32_t message;
    uint32_t child, sibling, back; /* in that heap; back is the slot itself if it is in none */
    int32_t mark;                  /* when to check the message's bottleneck (clock.h) */
} traffic_slot;

/* A link in one direction. All messages with their bottleneck here (its own) progress alike: the
 * clock runs at that rate, and each message ends at a certain reading. 68 bytes: a node has at
 * least two. */
typedef struct __attribute__((packed, aligned(4))) {
    double clock; /* reading at since_us */
    double since_us;
    double work_us, lost_us;
    uint64_t packets;
    uint32_t count;     /* number of messages on the cell */
    uint32_t own;       /* number of these with their bottleneck here */
    uint32_t heap;      /* root of the heap of own messages, by finish; without any, the message
                           that is alone here, or TRAFFIC_NONE */
    uint32_t secondary; /* root of the heap of the other messages' slots, by mark */
    uint32_t watched;   /* root of the heap of own slots that may have to be checked, by mark */
    uint32_t place;     /* in the heap of cells */
    uint32_t peak;
} traffic_cell;

/* A growing array of 32-bit numbers. */
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
    uint64_t cycles;    /* number of instants so far */
    size_t live;        /* number of messages on links */
    traffic_list ended; /* messages that left the links in this instant */
    size_t joined;      /* number of messages that are MESSAGE_JOINED */

    traffic_message *pool; /* of messages and items */
    size_t message_count, message_room;
    uint32_t free_message;   /* free list by sibling */
    uint64_t *ids;           /* of the messages, for observers; NULL: none */
    bool reacts;             /* the workload's processors react */
    traffic_letter *letters; /* of the messages, if they do */
    traffic_receivers *receiver_lists;
    size_t receiver_list_count, receiver_list_room;
    uint32_t free_receivers; /* free list by next */
    traffic_slot *slots;
    size_t slot_count, slot_room;
    uint32_t free_slots[32]; /* free lists by sibling: blocks of 1, 2, 4... slots */
    size_t known_hops;       /* of the message of the cached delay, since many are alike; 0: none */
    uint64_t known_bytes;
    ccmod_delay known_delay;
    uint32_t *route; /* scratch */
    size_t route_room;

    traffic_cell *cells;
    size_t cell_count;
    double *loads;     /* of each cell in `interval`; NULL: no background */
    uint32_t *drawn;   /* interval of the load, plus 1; NULL if constant */
    uint64_t interval; /* of background, or number of event horizons so far */

    ccmod_losses losses; /* with share rule tcp */
    bool latency_after;  /* in mode split the latency passes after the links instead of before */
    void *flow;          /* of the sharing rule */
} ccmod_traffic;

/* Allocate cells, loads and lists; on entry the fields up to `audience` are set and all others
 * zero. Close it in any case. */
ccmod_status ccmod_traffic_open(ccmod_traffic *traffic);
void ccmod_traffic_close(
    ccmod_traffic *traffic); /* everything except the cells, which the result keeps */

/* Error: out of memory for the evaluation. */
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

/* Neither may be NaN; fmax, which handles NaN, would be a function call. */
static inline double traffic_larger(double left, double right)
{
    return left > right ? left : right;
}

static inline double traffic_smaller(double left, double right)
{
    return left < right ? left : right;
}

/* Largest distance of events in one instant. At least the resolution of the clock: a smaller
 * remaining time could not advance it. */
static inline double traffic_instant_us(const ccmod_traffic *traffic)
{
    return traffic_larger(TRAFFIC_INSTANT_US, traffic->now_us * 4 * DBL_EPSILON);
}

/* Allocate an element of the pool, for a message or an item. */
ccmod_status ccmod_pool_take_new(ccmod_traffic *traffic, uint32_t *out);

/* Hot. Messages may be in no cache: prefetch the element that will be taken next. */
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

/* Free the message and its receiver list. */
void ccmod_message_give(ccmod_traffic *traffic, uint32_t number);

/* Set the route of the message to its destination, or the tree to its receivers: the cells become
 * its slots. */
ccmod_status ccmod_message_take_route(ccmod_traffic *traffic, uint32_t number);
/* Free the slots; the message then has none. */
void ccmod_message_give_route(ccmod_traffic *traffic, uint32_t number);

/* Create the receiver list of a multicast, all unmatched. */
ccmod_status ccmod_receivers_make(ccmod_traffic *traffic, const ccmod_record *record,
                                  uint32_t *out);

/* The parts of its quiet delay; the latency includes that of links. */
ccmod_delay ccmod_message_delay(ccmod_traffic *traffic, const traffic_message *message);
double ccmod_message_links_latency(const ccmod_traffic *traffic, const traffic_message *message);

/* Describe the message for a signal; the caller fills in the steady state. The route is valid until
 * the next call. */
ccmod_message ccmod_message_describe(ccmod_traffic *traffic, uint32_t number);

/* Hot. The quiet delay of a message without the latencies of links; valid until the next call. */
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

/* Time from a message's start to its first link, and from its last link to its arrival. In mode
 * paper it is on the links all the time. */
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
