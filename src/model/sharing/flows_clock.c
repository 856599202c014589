/* The article's rule of sharing, at a cost nearly independent of the number of messages. All
 * messages with their bottleneck on one link progress at the same rate. So each link has a clock
 * that runs at that rate, and its own messages are in a heap by the reading at which they end; a
 * heap of links has the one whose next message ends first on top. When a message comes or goes, the
 * clocks of its links change their pace, and only messages whose bottleneck moves to another link
 * are touched, which clock.h finds.
 *
 * In an instant messages leave their links first, then others enter; then the touched links are
 * settled. A thousand messages that enter a link together cost no more than a thousand single ones.
 *
 * Times in the heap of links may be too early, never too late: a pace that has slowed down is
 * detected when the link reaches the top.
 *
 * A message whose links are all free, and alike, has no bottleneck and ends at a known time: it
 * needs no clock, and its end is an event of the evaluation. When another message enters one of its
 * links before, that event becomes void, and it gets a bottleneck for the rest of its work. */
#include "model/sharing/flows.h"

#include <stdlib.h>

#include "base/grow.h"
#include "model/sharing/cells.h"
#include "model/sharing/clock.h"

/* End of the first of the cell's own messages. */
static inline double end_of(const ccmod_traffic *traffic, uint32_t number)
{
    const traffic_cell *cell = &traffic->cells[number];

    return cell->since_us +
           cell_time(traffic, number, traffic->pool[cell->heap].finish - cell->clock);
}

/* The cell's next end may be earlier: decrease its key, which must not be late. */
static inline ccmod_status decrease_key(ccmod_traffic *traffic, uint32_t number)
{
    clock_flow *flow = flow_of(traffic);
    const traffic_cell *cell = &traffic->cells[number];
    cell_entry entry, *heap;

    if (cell->own == 0)
        return CCMOD_OK;
    entry = (cell_entry){end_of(traffic, number), number};
    if (cell->place != TRAFFIC_NONE) {
        if (entry.time_us < flow->heap[cell->place].time_us)
            sift_up(traffic, cell->place, entry);
        return CCMOD_OK;
    }
    heap = cb_grow(flow->heap, flow->count, &flow->room, sizeof(*heap));
    if (heap == NULL)
        return ccmod_traffic_no_memory(traffic);
    flow->heap = heap;
    sift_up(traffic, flow->count++, entry);
    return CCMOD_OK;
}

/* Clocks */

/* Advance a cell's clock to now at its pace so far. */
static inline void advance(ccmod_traffic *traffic, uint32_t number)
{
    traffic_cell *cell = &traffic->cells[number];
    double passed_us = traffic->now_us - cell->since_us;
    double pace;

    cell->since_us = traffic->now_us;
    if (cell->own == 0 || !(passed_us > 0))
        return;
    pace = cell_availability(traffic, number);
    cell->clock += passed_us * pace;
    cell->lost_us += cell->own * passed_us * (1 - pace);
}

/* Bottlenecks */

static inline uint32_t owner_of(const ccmod_traffic *traffic, const traffic_message *message)
{
    return traffic->slots[message->slots + message->owner].cell;
}

/* The slot of a message on its most contended cell; among equals `current`, or else the first. */
static uint32_t most_pressing(const ccmod_traffic *traffic, const traffic_message *message,
                              uint32_t current)
{
    const traffic_slot *slots = traffic->slots + message->slots;
    uint32_t most = current;

    for (uint32_t i = 0; i < message->slot_count; i++) {
        if (i != most && cell_presses_more(traffic, slots[i].cell, slots[most].cell))
            most = i;
    }
    return most;
}

/* Marks */

static void make_secondary(ccmod_traffic *traffic, uint32_t number, double pressure)
{
    traffic_slot *slot = &traffic->slots[number];

    slot_enter(traffic->slots, &traffic->cells[slot->cell].secondary, number,
               mark_of_secondary(traffic, slot->cell, pressure, MARK_AT_FIRST));
}

/* Check the bottleneck's slot of a message when secondary cells may have more contention. */
static void watch_bottleneck(ccmod_traffic *traffic, const traffic_message *message)
{
    traffic_slot *slots = traffic->slots;
    uint32_t own = message->slots + message->owner;
    double highest = 0;
    int32_t mark;

    if (traffic->drawn == NULL && !(cell_pressure(traffic, slots[own].cell) > 1))
        return; /* no cell has less contention */
    for (uint32_t i = 0; i < message->slot_count; i++) {
        if (i != message->owner)
            highest =
                traffic_larger(highest, pressure_unasked(traffic, &slots[message->slots + i]));
    }
    mark = mark_of_bottleneck(traffic, slots[own].cell, highest);
    if (mark > 0)
        slot_lower(slots, &traffic->cells[slots[own].cell].watched, own, -mark);
}

/* The message has `work_us` left on the cell of its owner slot. */
static inline void enter_owner(ccmod_traffic *traffic, uint32_t number, double work_us)
{
    traffic_message *message = &traffic->pool[number];
    traffic_cell *cell = &traffic->cells[owner_of(traffic, message)];

    message->finish = cell->clock + work_us;
    cell->heap = messages_insert(traffic->pool, cell->heap, number);
    cell->own++;
}

static ccmod_status assign_to_owner(ccmod_traffic *traffic, uint32_t number, double work_us)
{
    const traffic_message *message = &traffic->pool[number];

    enter_owner(traffic, number, work_us);
    watch_bottleneck(traffic, message);
    return decrease_key(traffic, owner_of(traffic, message));
}

/* Move the message's bottleneck to another of its slots. */
static ccmod_status migrate(ccmod_traffic *traffic, uint32_t number, uint32_t to)
{
    traffic_message *message = &traffic->pool[number];
    uint32_t from = message->slots + message->owner, next = message->slots + to;
    uint32_t left = traffic->slots[from].cell, taken = traffic->slots[next].cell;
    traffic_cell *cell = &traffic->cells[left];
    double work_us;

    advance(traffic, left);
    advance(traffic, taken);
    work_us = message->finish - cell->clock;
    cell->heap = messages_remove(traffic->pool, cell->heap, number);
    cell->own--;
    slot_leave(traffic->slots, &cell->watched, from);
    slot_leave(traffic->slots, &traffic->cells[taken].secondary, next);
    make_secondary(traffic, from, cell_pressure(traffic, taken));
    message->owner = to;
    return assign_to_owner(traffic, number, work_us);
}

/* The message keeps its bottleneck: set the marks of its slots again. */
static void set_marks(ccmod_traffic *traffic, const traffic_message *message, double share)
{
    double pressure = cell_pressure(traffic, owner_of(traffic, message));

    for (uint32_t i = 0; i < message->slot_count; i++) {
        uint32_t number = message->slots + i, cell = traffic->slots[number].cell;

        if (i != message->owner)
            slot_lower(traffic->slots, &traffic->cells[cell].secondary, number,
                       mark_of_secondary(traffic, cell, pressure, share));
    }
    watch_bottleneck(traffic, message);
}

/* The contention of some of the message's cells has changed; `share` places the marks. */
static ccmod_status update_bottleneck(ccmod_traffic *traffic, uint32_t number, double share)
{
    const traffic_message *message = &traffic->pool[number];
    uint32_t most = most_pressing(traffic, message, message->owner);

    if (most != message->owner)
        CCMOD_TRY(migrate(traffic, number, most));
    set_marks(traffic, &traffic->pool[number], share);
    return CCMOD_OK;
}

/* Move the slots whose marks are below `limit` from the top of a heap to the list. */
static ccmod_status take_tops(ccmod_traffic *traffic, uint32_t *root, int64_t limit,
                              traffic_list *list)
{
    while (*root != TRAFFIC_NONE && traffic->slots[*root].mark < limit) {
        CCMOD_TRY(traffic_append(traffic, list, *root));
        slot_leave(traffic->slots, root, *root);
    }
    return CCMOD_OK;
}

/* Update the messages of the listed slots. A message may be listed by several slots; after its
 * update they are in their heaps again. */
static ccmod_status update_taken(ccmod_traffic *traffic, traffic_list *list, double share)
{
    for (size_t i = 0; i < list->count; i++) {
        uint32_t slot = list->values[i];

        if (!is_in_heap(traffic->slots, slot))
            CCMOD_TRY(update_bottleneck(traffic, traffic->slots[slot].message, share));
    }
    list->count = 0;
    return CCMOD_OK;
}

/* Take the secondary slots of the cells that a message has entered. */
static ccmod_status take_secondary(ccmod_traffic *traffic, const traffic_message *started)
{
    for (uint32_t i = 0; i < started->slot_count; i++) {
        traffic_cell *cell = &traffic->cells[traffic->slots[started->slots + i].cell];

        CCMOD_TRY(take_tops(traffic, &cell->secondary, cell->count, &flow_of(traffic)->secondary));
    }
    return CCMOD_OK;
}

/* Check all slots whose limits were passed after messages came and went. */
static ccmod_status check_marks(ccmod_traffic *traffic)
{
    clock_flow *flow = flow_of(traffic);

    for (size_t i = 0; i < flow->left.count; i++) {
        traffic_cell *cell = &traffic->cells[flow->left.values[i]];

        CCMOD_TRY(take_tops(traffic, &cell->watched, -(int64_t)cell->count, &flow->bottlenecks));
    }
    for (size_t i = 0; i < flow->started.count; i++)
        CCMOD_TRY(take_secondary(traffic, &traffic->pool[flow->started.values[i]]));
    if (flow->secondary.count > 0)
        CCMOD_TRY(update_taken(traffic, &flow->secondary, MARK_FAR_FROM_SECONDARY));
    return flow->bottlenecks.count > 0
               ? update_taken(traffic, &flow->bottlenecks, MARK_FAR_FROM_BOTTLENECK)
               : CCMOD_OK;
}

/* List all messages of a heap in the scratch list. */
static ccmod_status list_heap(ccmod_traffic *traffic, uint32_t root)
{
    traffic_list *list = &flow_of(traffic)->scratch;

    list->count = 0;
    if (root != TRAFFIC_NONE)
        CCMOD_TRY(traffic_append(traffic, list, root));
    for (size_t i = 0; i < list->count; i++) {
        uint32_t child = traffic->pool[list->values[i]].child;

        for (; child != TRAFFIC_NONE; child = traffic->pool[child].sibling)
            CCMOD_TRY(traffic_append(traffic, list, child));
    }
    return CCMOD_OK;
}

/* Background */

/* List all messages on links in the scratch list. */
static ccmod_status list_live(ccmod_traffic *traffic, traffic_list *all)
{
    const clock_flow *flow = flow_of(traffic);

    for (size_t i = 0; i < flow->count; i++) {
        CCMOD_TRY(list_heap(traffic, traffic->cells[flow->heap[i].cell].heap));
        for (size_t k = 0; k < flow->scratch.count; k++)
            CCMOD_TRY(traffic_append(traffic, all, flow->scratch.values[k]));
    }
    return CCMOD_OK;
}

static ccmod_status redraw_all(ccmod_traffic *traffic, const traffic_list *all)
{
    traffic->interval++;
    for (size_t i = 0; i < all->count; i++) {
        const traffic_message *message = &traffic->pool[all->values[i]];

        for (uint32_t k = 0; k < message->slot_count; k++)
            advance(traffic, traffic->slots[message->slots + k].cell);
    }
    for (size_t i = 0; i < all->count; i++)
        ccmod_background_refresh(traffic, &traffic->pool[all->values[i]]);
    for (size_t i = 0; i < all->count; i++) {
        CCMOD_TRY(update_bottleneck(traffic, all->values[i], MARK_AT_FIRST));
        CCMOD_TRY(decrease_key(traffic, owner_of(traffic, &traffic->pool[all->values[i]])));
    }
    return CCMOD_OK;
}

static ccmod_status change_background(ccmod_traffic *traffic)
{
    traffic_list all = {0};
    ccmod_status status = list_live(traffic, &all);

    if (status == CCMOD_OK)
        status = redraw_all(traffic, &all);
    free(all.values);
    return status;
}

/* Starts and ends */

/* The message that has the cell for itself, or TRAFFIC_NONE. */
static inline uint32_t alone_on(const traffic_cell *cell)
{
    return cell->own == 0 ? cell->heap : TRAFFIC_NONE;
}

/* Another message enters a link of one that was alone: settle finds its bottleneck for the rest of
 * its work, which `finish` has from here on. */
static ccmod_status join(ccmod_traffic *traffic, uint32_t number)
{
    traffic_message *message = &traffic->pool[number];

    message->flags ^= MESSAGE_ALONE | MESSAGE_JOINED;
    message->finish -= traffic->now_us;
    traffic->joined++;
    for (uint32_t i = 0; i < message->slot_count; i++) {
        uint32_t cell = traffic->slots[message->slots + i].cell;

        traffic->cells[cell].heap = TRAFFIC_NONE;
        advance(traffic, cell);
    }
    return traffic_append(traffic, &flow_of(traffic)->started, number);
}

/* Whether no other message is on the links. Always false where links have widths or a background
 * load, with which a free link can be a bottleneck. */
static inline bool finds_free(const ccmod_traffic *traffic, const traffic_message *message)
{
    const traffic_slot *slots = traffic->slots + message->slots;

    if (traffic->network->widths != NULL || traffic->loads != NULL)
        return false;
    for (uint32_t i = 0; i < message->slot_count; i++) {
        if (traffic->cells[slots[i].cell].count > 0)
            return false;
    }
    return true;
}

/* The message has no bottleneck, and ends at a known time. */
static void start_alone(ccmod_traffic *traffic, uint32_t number, double work_us)
{
    traffic_message *message = &traffic->pool[number];

    message->flags |= MESSAGE_ALONE;
    message->finish = traffic->now_us + work_us;
    for (uint32_t i = 0; i < message->slot_count; i++) {
        traffic_cell *cell = &traffic->cells[traffic->slots[message->slots + i].cell];

        cell->work_us += work_us;
        cell->count = 1;
        cell->heap = number;
        if (cell->peak == 0)
            cell->peak = 1;
    }
}

/* Put a message on links that it may have to share; settle finds its bottleneck. A message that was
 * alone on one of them becomes an ordinary one. */
static __attribute__((noinline)) ccmod_status start_among_others(ccmod_traffic *traffic,
                                                                 uint32_t number, double work_us)
{
    traffic_message *message = &traffic->pool[number];
    const traffic_slot *slots = traffic->slots + message->slots;

    message->finish = work_us;
    for (uint32_t i = 0; i < message->slot_count; i++) {
        traffic_cell *cell = &traffic->cells[slots[i].cell];

        if (alone_on(cell) != TRAFFIC_NONE)
            CCMOD_TRY(join(traffic, alone_on(cell)));
        advance(traffic, slots[i].cell);
        cell->work_us += work_us;
        if (++cell->count > cell->peak)
            cell->peak = cell->count;
    }
    return traffic_append(traffic, &flow_of(traffic)->started, number);
}

/* Hot. Put the message on its links. */
static ccmod_status start(ccmod_traffic *traffic, uint32_t number, double work_us)
{
    const traffic_message *message = &traffic->pool[number];

    ccmod_background_admit(traffic, message);
    traffic->live++;
    if (!finds_free(traffic, message))
        return start_among_others(traffic, number, work_us);
    start_alone(traffic, number, work_us);
    return CCMOD_OK;
}

/* Hot. */
static void leave(ccmod_traffic *traffic, uint32_t number)
{
    traffic_message *message = &traffic->pool[number];

    message->flags &= ~(uint32_t)MESSAGE_ALONE;
    for (uint32_t i = 0; i < message->slot_count; i++) {
        traffic_cell *cell = &traffic->cells[traffic->slots[message->slots + i].cell];

        cell->count = 0;
        cell->heap = TRAFFIC_NONE;
    }
    traffic->live--;
}

/* Take a message, which has left its owner's heap, off its links. */
static ccmod_status take_off(ccmod_traffic *traffic, uint32_t number)
{
    const traffic_message *message = &traffic->pool[number];

    for (uint32_t i = 0; i < message->slot_count; i++) {
        uint32_t slot = message->slots + i, cell_number = traffic->slots[slot].cell;
        traffic_cell *cell = &traffic->cells[cell_number];

        advance(traffic, cell_number);
        if (--cell->count == 0)
            cell->clock = 0; /* keep readings small and so exact */
        if (cell->own > 0)
            CCMOD_TRY(traffic_append(traffic, &flow_of(traffic)->left, cell_number));
        slot_leave(traffic->slots, i != message->owner ? &cell->secondary : &cell->watched, slot);
    }
    traffic->live--;
    return CCMOD_OK;
}

static ccmod_status settle_start(ccmod_traffic *traffic, uint32_t number)
{
    traffic_message *message = &traffic->pool[number];
    double pressure;

    message->owner = most_pressing(traffic, message, 0);
    pressure = cell_pressure(traffic, owner_of(traffic, message));
    for (uint32_t i = 0; i < message->slot_count; i++) {
        if (i != message->owner)
            make_secondary(traffic, message->slots + i, pressure);
    }
    return assign_to_owner(traffic, number, message->finish);
}

/* Cells that messages have left may run faster now; slower ones are detected later. Not inlined: in
 * most instants nothing has changed. */
static __attribute__((noinline)) ccmod_status settle_changes(ccmod_traffic *traffic)
{
    clock_flow *flow = flow_of(traffic);

    flow->first_us = -1;
    CCMOD_TRY(check_marks(traffic));
    for (size_t i = 0; i < flow->left.count; i++)
        CCMOD_TRY(decrease_key(traffic, flow->left.values[i]));
    flow->left.count = 0;
    for (size_t i = 0; i < flow->started.count; i++)
        CCMOD_TRY(settle_start(traffic, flow->started.values[i]));
    flow->started.count = 0;
    return CCMOD_OK;
}

/* Hot. */
static ccmod_status settle_cells(ccmod_traffic *traffic)
{
    const clock_flow *flow = flow_of(traffic);

    return flow->left.count + flow->started.count > 0 ? settle_changes(traffic) : CCMOD_OK;
}

/* The actual time of the top cell, whose key is at most `limit_us`, or any value above that if it
 * is later. */
static double correct_top(ccmod_traffic *traffic, double limit_us)
{
    const clock_flow *flow = flow_of(traffic);

    do {
        cell_entry top = flow->heap[0];
        double time_us;

        if (traffic->cells[top.cell].own == 0) {
            remove_top(traffic);
            continue;
        }
        time_us = end_of(traffic, top.cell);
        if (!(time_us > top.time_us))
            return time_us;
        top.time_us = time_us;
        sift_down(traffic, 0, top);
        if (flow->heap[0].cell == top.cell)
            return time_us;
    } while (flow->count > 0 && flow->heap[0].time_us <= limit_us);
    return HUGE_VAL;
}

/* Whether a message ends until then. */
static inline bool ends_until(ccmod_traffic *traffic, double limit_us)
{
    const clock_flow *flow = flow_of(traffic);

    return flow->count > 0 && flow->heap[0].time_us <= limit_us &&
           correct_top(traffic, limit_us) <= limit_us;
}

/* Append all messages of a heap that end at the reading `until` or before, including the root, to
 * traffic->ended; returns the heap of the others. */
static ccmod_status collect_all(ccmod_traffic *traffic, uint32_t *root, double until)
{
    traffic_list *ended = &traffic->ended;
    traffic_message *pool = traffic->pool;
    size_t first = ended->count;
    uint32_t rest = TRAFFIC_NONE;

    CCMOD_TRY(traffic_append(traffic, ended, *root));
    for (size_t i = first; i < ended->count; i++) {
        uint32_t next;

        for (uint32_t child = pool[ended->values[i]].child; child != TRAFFIC_NONE; child = next) {
            next = pool[child].sibling;
            if (pool[child].finish <= until) {
                __builtin_prefetch(&traffic->slots[pool[child].slots], 1);
                CCMOD_TRY(traffic_append(traffic, ended, child));
            } else {
                pool[child].sibling = rest;
                rest = child;
            }
        }
    }
    *root = messages_meld_siblings(pool, rest);
    return CCMOD_OK;
}

/* Remove the messages of the top cell that end within the instant: usually one, but equal messages
 * end together. */
static ccmod_status collect_top(ccmod_traffic *traffic)
{
    uint32_t number = flow_of(traffic)->heap[0].cell;
    traffic_cell *cell = &traffic->cells[number];
    const traffic_message *pool = traffic->pool;
    size_t first = traffic->ended.count;

    advance(traffic, number); /* accounts their share of lost time */
    CCMOD_TRY(traffic_append(traffic, &traffic->ended, cell->heap));
    cell->heap = messages_meld_siblings(traffic->pool, pool[cell->heap].child);
    if (cell->heap != TRAFFIC_NONE) {
        double until =
            cell->clock + traffic_instant_us(traffic) * cell_availability(traffic, number);

        if (pool[cell->heap].finish <= until)
            CCMOD_TRY(collect_all(traffic, &cell->heap, until));
    }
    cell->own -= (uint32_t)(traffic->ended.count - first);
    return CCMOD_OK;
}

static double next(ccmod_traffic *traffic)
{
    clock_flow *flow = flow_of(traffic);

    if (flow->first_us < 0)
        flow->first_us = flow->count > 0 ? correct_top(traffic, HUGE_VAL) : HUGE_VAL;
    return traffic_smaller(flow->first_us, background_boundary_us(traffic));
}

/* Not inlined: in most instants no message ends. */
static __attribute__((noinline)) ccmod_status end_messages(ccmod_traffic *traffic, double until_us,
                                                           bool boundary)
{
    flow_of(traffic)->first_us = -1;
    while (ends_until(traffic, until_us))
        CCMOD_TRY(collect_top(traffic));
    for (size_t i = 0; i < traffic->ended.count; i++)
        CCMOD_TRY(take_off(traffic, traffic->ended.values[i]));
    return boundary ? change_background(traffic) : CCMOD_OK;
}

static ccmod_status pass(ccmod_traffic *traffic)
{
    double until_us = traffic->now_us + traffic_instant_us(traffic);
    bool boundary = background_boundary_us(traffic) <= until_us;

    return boundary || flow_of(traffic)->first_us <= until_us
               ? end_messages(traffic, until_us, boundary)
               : CCMOD_OK;
}

static ccmod_status open_clock(ccmod_traffic *traffic)
{
    clock_flow *flow = calloc(1, sizeof(*flow));

    traffic->flow = flow;
    if (flow == NULL)
        return ccmod_traffic_no_memory(traffic);
    flow->first_us = -1;
    return CCMOD_OK;
}

static void close_clock(ccmod_traffic *traffic)
{
    clock_flow *flow = flow_of(traffic);

    if (flow == NULL)
        return;
    free(flow->heap);
    free(flow->started.values);
    free(flow->left.values);
    free(flow->secondary.values);
    free(flow->bottlenecks.values);
    free(flow->scratch.values);
    free(flow);
}

const flow_operations ccmod_flows_clock = {
    open_clock,    close_clock, start, settle_cells, next, pass, .latency_after = false,
    .leave = leave};
