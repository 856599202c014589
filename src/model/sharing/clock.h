/* What flows_clock.c finds messages and cells with. Inline, since the time of an evaluation goes
 * into it.
 *
 * Heaps: the messages of a cell by their ends, its slots by their marks, and the cells by the ends
 * of their first messages.
 *
 * Marks: when the bottleneck of a message may move. A message has its bottleneck on one
 * cell of its route and is a guest on the others, and nothing moves as long as no guest's cell
 * presses more than the bottleneck. So a limit is set between the two, as two marks: the guest's
 * slot is asked again when more messages than its mark pass its cell, and the bottleneck's slot
 * when fewer than its own do. A cell keeps both kinds of slots in heaps, and looks at their tops
 * alone when messages come or go. The limit is half way at first; when a slot was asked in vain it
 * is far from the side that has moved, which may go on. So a slot is asked a few times even where
 * thousands meet. With a drawn background, of cells with equal pressure the one with the higher
 * load is the bottleneck, and loads change; a guest is then asked whenever its cell gets busier.
 * Internal to src/model. */
#ifndef MODEL_SHARING_CLOCK_H
#define MODEL_SHARING_CLOCK_H

#include "model/sharing/cells.h"

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

/* How many messages may pass the cell without a pressure above `pressure`, at least 1. */
static inline int32_t most_messages(const ccmod_traffic *traffic, uint32_t cell, double pressure)
{
    double most = pressure;

    if (traffic->network->widths != NULL) {
        most = floor(pressure * traffic->network->widths[cell]);
        if (cell_pressure_of(traffic, cell, most) > pressure)
            most--;
        else if (cell_pressure_of(traffic, cell, most + 1) <= pressure)
            most++;
    }
    return most < INT32_MAX ? (int32_t)most : INT32_MAX;
}

/* With how many messages the cell has a pressure of `pressure` or more; 0 where it always has. */
static inline int32_t fewest_messages(const ccmod_traffic *traffic, uint32_t cell, double pressure)
{
    int32_t most;

    if (!(pressure > 1))
        return 0;
    most = most_messages(traffic, cell, pressure);
    return cell_pressure_of(traffic, cell, most) < pressure ? most + 1 : most;
}

/* How far the limit is from the guest's pressure, as a share of the way to the bottleneck's. */
#define MARK_AT_FIRST 0.875
#define MARK_FAR_FROM_GUEST 1
#define MARK_FAR_FROM_BOTTLENECK 0.125

/* The mark of a guest whose bottleneck has this pressure, which is not below that of `cell`. Where
 * the cell has no other messages the guest waits for the next, and its bottleneck need not be
 * asked: that is all that most messages ever need. */
static inline int32_t mark_of_guest(const ccmod_traffic *traffic, uint32_t cell, double pressure,
                                    double share)
{
    double own = cell_pressure(traffic, cell);

    if (traffic->drawn != NULL)
        return 0;
    if (own > 1)
        own = traffic_smaller(own + share * (pressure - own), pressure);
    return most_messages(traffic, cell, own);
}

/* The pressure that the cell of a guest may have without that it is asked. */
static inline double pressure_unasked(const ccmod_traffic *traffic, const traffic_slot *guest)
{
    if (traffic->drawn != NULL)
        return cell_pressure(traffic, guest->cell);
    return cell_pressure_of(traffic, guest->cell, guest->mark);
}

/* The mark of a bottleneck's slot whose guests may have this pressure; 0: it is never asked. The
 * slot has it with a minus, since the heap has the smallest on top. */
static inline int32_t mark_of_bottleneck(const ccmod_traffic *traffic, uint32_t cell,
                                         double pressure)
{
    if (traffic->drawn != NULL)
        return most_messages(traffic, cell, pressure) + 1;
    return fewest_messages(traffic, cell, pressure);
}

/* Slots in and out of the heaps of their cells */

static inline bool is_in_heap(const traffic_slot *slots, uint32_t number)
{
    return slots[number].back != number;
}

static inline void slot_enter(traffic_slot *slots, uint32_t *root, uint32_t number, int32_t mark)
{
    slots[number].mark = mark;
    *root = slots_insert(slots, *root, number);
}

static inline void slot_leave(traffic_slot *slots, uint32_t *root, uint32_t number)
{
    if (!is_in_heap(slots, number))
        return;
    *root = slots_remove(slots, *root, number);
    slots[number].back = number;
}

/* To a smaller mark, which is asked earlier, or whatever it is while it is in no heap. */
static inline void slot_lower(traffic_slot *slots, uint32_t *root, uint32_t number, int32_t mark)
{
    if (!is_in_heap(slots, number)) {
        slot_enter(slots, root, number, mark);
    } else if (mark < slots[number].mark) {
        slots[number].mark = mark;
        if (*root != number) {
            slots_cut(slots, number);
            slots[number].sibling = slots[number].back = TRAFFIC_NONE;
            *root = slots_meld(slots, *root, number);
        }
    }
}

#endif
