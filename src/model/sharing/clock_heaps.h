/* The heaps of flows_clock.c, apart from what they are used for: the messages of a link by their
 * ends, its slots by their marks, and the links by the ends of their first messages. Inline, since
 * they are what the time of an evaluation goes into. Internal to src/model. */
#ifndef MODEL_SHARING_CLOCK_HEAPS_H
#define MODEL_SHARING_CLOCK_HEAPS_H

#include "model/sharing/traffic.h"

/* 12 bytes: there may be one for every link. */
typedef struct __attribute__((packed, aligned(4))) {
    double time_us;
    uint32_t cell;
} cell_entry;

typedef struct {
    cell_entry *heap;
    size_t count, room;
    traffic_list started; /* messages, in this instant */
    traffic_list left;    /* cells with own messages that others have left in this instant */
    traffic_list guests;  /* slots that left their heaps, to be asked */
    traffic_list bottlenecks;
    traffic_list scratch; /* messages */
} clock_flow;

static inline clock_flow *flow_of(const ccmod_traffic *traffic)
{
    return traffic->flow;
}

/* A cell's own messages, by the reading of its clock at which they end. */
#define PAIRING_NAME(verb) messages_##verb
#define PAIRING_ITEM traffic_message
#define PAIRING_KEY finish
#include "model/sharing/pairing_heap.h"
#undef PAIRING_NAME
#undef PAIRING_ITEM
#undef PAIRING_KEY

/* Slots of a cell, its guests' or its own messages', by mark. */
#define PAIRING_NAME(verb) slots_##verb
#define PAIRING_ITEM traffic_slot
#define PAIRING_KEY mark
#include "model/sharing/pairing_heap.h"
#undef PAIRING_NAME
#undef PAIRING_ITEM
#undef PAIRING_KEY

/* The heap of cells */

static inline void put(ccmod_traffic *traffic, size_t at, cell_entry entry)
{
    flow_of(traffic)->heap[at] = entry;
    traffic->cells[entry.cell].place = (uint32_t)at;
}

static inline void sift_up(ccmod_traffic *traffic, size_t at, cell_entry entry)
{
    const cell_entry *heap = flow_of(traffic)->heap;

    while (at > 0 && heap[(at - 1) / 2].time_us > entry.time_us) {
        put(traffic, at, heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(traffic, at, entry);
}

static inline void sift_down(ccmod_traffic *traffic, size_t at, cell_entry entry)
{
    const clock_flow *flow = flow_of(traffic);
    const cell_entry *heap = flow->heap;
    size_t below;

    while ((below = 2 * at + 1) < flow->count) {
        if (below + 1 < flow->count && heap[below + 1].time_us < heap[below].time_us)
            below++;
        if (entry.time_us <= heap[below].time_us)
            break;
        put(traffic, at, heap[below]);
        at = below;
    }
    put(traffic, at, entry);
}

static inline void remove_top(ccmod_traffic *traffic)
{
    clock_flow *flow = flow_of(traffic);
    cell_entry last = flow->heap[--flow->count];

    traffic->cells[flow->heap[0].cell].place = TRAFFIC_NONE;
    if (flow->count > 0)
        sift_down(traffic, 0, last);
}

#endif
