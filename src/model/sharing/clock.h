/* Data structures of flows_clock.c. Inline, since they dominate the time of an evaluation.
 *
 * Heaps: the messages of a cell by their ends, its slots by their marks, and the cells by the ends
 * of their first messages.
 *
 * Marks decide when to check whether the bottleneck of a message has moved. A message has its
 * bottleneck on one cell of its route; the others are its secondary cells. The bottleneck stays as
 * long as no secondary cell has more contention. So a limit is set between the two, as two marks: a
 * secondary slot is checked when more messages than its mark are on its cell, and the bottleneck's
 * slot when fewer than its own are. A cell keeps both kinds of slots in heaps and checks only the
 * tops when messages come or go. Initially the limit is near the bottleneck's contention; when a
 * check finds no move, the limit is set far from the side that has changed, which may change
 * further. A slot is thus checked only a few times even among thousands of messages. With a random
 * background, among cells of equal contention the one with the higher load is the bottleneck, and
 * loads change; a secondary slot is then checked whenever its cell gets more messages. Internal to
 * src/model. */
#ifndef MODEL_SHARING_CLOCK_H
#define MODEL_SHARING_CLOCK_H

#include "base/event_heap.h"
#include "model/sharing/cells.h"

/* 12 bytes: there may be one per link. */
typedef struct __attribute__((packed, aligned(4))) {
    double time_us;
    uint32_t cell;
} cell_entry;

typedef struct {
    cell_entry *heap;
    size_t count, room;
    double first_us; /* the result of `next` while nothing has changed since; negative: unknown */
    traffic_list started; /* messages started in this instant */
    traffic_list
        left; /* cells that messages have left in this instant and that still have own messages */
    traffic_list secondary; /* secondary slots taken from their heaps, to be checked */
    traffic_list bottlenecks;
    traffic_list scratch; /* list of messages */
} clock_flow;

static inline clock_flow *flow_of(const ccmod_traffic *traffic)
{
    return traffic->flow;
}

/* The messages with their bottleneck on a cell, by the reading of its clock at which they end. */
#define PAIRING_NAME(verb) messages_##verb
#define PAIRING_ITEM traffic_message
#define PAIRING_KEY finish
#include "model/sharing/pairing_heap.h"
#undef PAIRING_NAME
#undef PAIRING_ITEM
#undef PAIRING_KEY

/* The secondary or bottleneck slots of a cell, by mark. */
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
        below += (below + 1 < flow->count) &
                 (cb_time_bits(heap[below + 1].time_us) < cb_time_bits(heap[below].time_us));
        if (cb_time_bits(entry.time_us) <= cb_time_bits(heap[below].time_us))
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

/* The largest number of messages on the cell with a contention of at most `pressure`, at least 1.
 */
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

/* The smallest number of messages on the cell with a contention of `pressure` or more; 0 if always.
 */
static inline int32_t fewest_messages(const ccmod_traffic *traffic, uint32_t cell, double pressure)
{
    int32_t most;

    if (!(pressure > 1))
        return 0;
    most = most_messages(traffic, cell, pressure);
    return cell_pressure_of(traffic, cell, most) < pressure ? most + 1 : most;
}

/* Distance of the limit from the secondary cell's contention, as a share of the distance to the
 * bottleneck's. */
#define MARK_AT_FIRST 0.875
#define MARK_FAR_FROM_SECONDARY 1
#define MARK_FAR_FROM_BOTTLENECK 0.125

/* The mark of a secondary slot whose bottleneck has this contention, at least that of `cell`. If
 * the cell has no other messages, the mark is the next message, without reading the bottleneck:
 * that is enough for most messages. */
static inline int32_t mark_of_secondary(const ccmod_traffic *traffic, uint32_t cell,
                                        double pressure, double share)
{
    double own = cell_pressure(traffic, cell);

    if (traffic->drawn != NULL)
        return 0;
    if (own > 1)
        own = traffic_smaller(own + share * (pressure - own), pressure);
    return most_messages(traffic, cell, own);
}

/* The largest contention of a secondary slot's cell that causes no check. */
static inline double pressure_unasked(const ccmod_traffic *traffic, const traffic_slot *secondary)
{
    if (traffic->drawn != NULL)
        return cell_pressure(traffic, secondary->cell);
    return cell_pressure_of(traffic, secondary->cell, secondary->mark);
}

/* The mark of a bottleneck's slot whose secondary cells may have this contention; 0: never checked.
 * Stored negative, since the smallest is on top of the heap. */
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

/* Set a smaller mark, or any mark if it is in no heap. */
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
