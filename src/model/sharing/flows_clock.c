/* Sharing of links by the article's rule, at a cost that hardly depends on how many messages are
 * live. All messages that have their bottleneck on one link progress at one rate. So each link has
 * a clock that runs at that rate, and its own messages wait in a heap for the reading at which they
 * end; a heap of links has the link whose next message ends first on top. When a message comes or
 * goes the clocks of its links change their pace, and only messages whose bottleneck moves to
 * another link are touched: clock.h has those found.
 *
 * In an instant messages come off their links first, and others come to them; then, when the
 * traffic is known, the links that were touched are settled. A thousand messages that come to a
 * link together are no more work than a thousand times one.
 *
 * Times in the heap of links may be too early, never too late: a pace that slows down is found out
 * when the link comes to the top. */
#include "model/sharing/flows.h"

#include <stdlib.h>

#include "base/grow.h"
#include "model/sharing/cells.h"
#include "model/sharing/clock.h"

/* When the first of the cell's own messages ends. */
static double end_of(const ccmod_traffic *traffic, uint32_t number)
{
    const traffic_cell *cell = &traffic->cells[number];

    return cell->since_us +
           cell_time(traffic, number, traffic->pool[cell->heap].finish - cell->clock);
}

/* Something changed for the better on the cell: its entry must not be too late. */
static ccmod_status hasten(ccmod_traffic *traffic, uint32_t number)
{
    clock_flow *flow = flow_of(traffic);
    traffic_cell *cell = &traffic->cells[number];
    cell_entry entry, *heap;

    if (cell->heap == TRAFFIC_NONE)
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

/* Bring a cell's clock to now, at the pace that it had so far. */
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

static uint32_t owner_of(const ccmod_traffic *traffic, const traffic_message *message)
{
    return traffic->slots[message->slots + message->owner].cell;
}

/* Which slot of a message has the most pressing cell; of equals `current`, or else the first. */
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

static void become_guest(ccmod_traffic *traffic, uint32_t number, double pressure)
{
    traffic_slot *slot = &traffic->slots[number];

    slot_enter(traffic->slots, &traffic->cells[slot->cell].guests, number,
               mark_of_guest(traffic, slot->cell, pressure, MARK_AT_FIRST));
}

/* The bottleneck's slot of a message is asked when its guests might press more than it does. */
static void watch_bottleneck(ccmod_traffic *traffic, const traffic_message *message)
{
    traffic_slot *slots = traffic->slots;
    uint32_t own = message->slots + message->owner;
    double highest = 0;
    int32_t mark;

    if (traffic->drawn == NULL && !(cell_pressure(traffic, slots[own].cell) > 1))
        return; /* nothing presses less */
    for (uint32_t i = 0; i < message->slot_count; i++) {
        if (i != message->owner)
            highest =
                traffic_larger(highest, pressure_unasked(traffic, &slots[message->slots + i]));
    }
    mark = mark_of_bottleneck(traffic, slots[own].cell, highest);
    if (mark > 0)
        slot_lower(slots, &traffic->cells[slots[own].cell].asking, own, -mark);
}

/* `work_us` of the message are left to do on the cell that owns it from now on. */
static ccmod_status take_over(ccmod_traffic *traffic, uint32_t number, double work_us)
{
    traffic_message *message = &traffic->pool[number];
    uint32_t owner = owner_of(traffic, message);
    traffic_cell *cell = &traffic->cells[owner];

    message->finish = cell->clock + work_us;
    cell->heap = messages_insert(traffic->pool, cell->heap, number);
    cell->own++;
    watch_bottleneck(traffic, message);
    return hasten(traffic, owner);
}

/* The message's bottleneck has moved to another of its slots. */
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
    slot_leave(traffic->slots, &cell->asking, from);
    slot_leave(traffic->slots, &traffic->cells[taken].guests, next);
    become_guest(traffic, from, cell_pressure(traffic, taken));
    message->owner = to;
    return take_over(traffic, number, work_us);
}

/* The message stays with its bottleneck: what is asked of its slots is set anew. */
static void set_marks(ccmod_traffic *traffic, const traffic_message *message, double share)
{
    double pressure = cell_pressure(traffic, owner_of(traffic, message));

    for (uint32_t i = 0; i < message->slot_count; i++) {
        uint32_t number = message->slots + i, cell = traffic->slots[number].cell;

        if (i != message->owner)
            slot_lower(traffic->slots, &traffic->cells[cell].guests, number,
                       mark_of_guest(traffic, cell, pressure, share));
    }
    watch_bottleneck(traffic, message);
}

/* Some of the message's cells have got busier or less busy; `share` says where marks go. */
static ccmod_status reconsider(ccmod_traffic *traffic, uint32_t number, double share)
{
    const traffic_message *message = &traffic->pool[number];
    uint32_t most = most_pressing(traffic, message, message->owner);

    if (most != message->owner)
        CCMOD_TRY(migrate(traffic, number, most));
    set_marks(traffic, &traffic->pool[number], share);
    return CCMOD_OK;
}

/* The slots on top of a heap whose marks are below `limit` leave it for the list. */
static ccmod_status take_tops(ccmod_traffic *traffic, uint32_t *root, int64_t limit,
                              traffic_list *list)
{
    while (*root != TRAFFIC_NONE && traffic->slots[*root].mark < limit) {
        CCMOD_TRY(traffic_append(traffic, list, *root));
        slot_leave(traffic->slots, root, *root);
    }
    return CCMOD_OK;
}

/* The messages whose slots were taken. One of many cells may have been taken by several: once it
 * is reconsidered its guests are in their heaps again. */
static ccmod_status ask_taken(ccmod_traffic *traffic, traffic_list *list, double share)
{
    for (size_t i = 0; i < list->count; i++) {
        uint32_t slot = list->values[i];

        if (!is_in_heap(traffic->slots, slot))
            CCMOD_TRY(reconsider(traffic, traffic->slots[slot].message, share));
    }
    list->count = 0;
    return CCMOD_OK;
}

/* Guests of the cells to which a message has come. */
static ccmod_status take_guests(ccmod_traffic *traffic, const traffic_message *started)
{
    for (uint32_t i = 0; i < started->slot_count; i++) {
        traffic_cell *cell = &traffic->cells[traffic->slots[started->slots + i].cell];

        CCMOD_TRY(take_tops(traffic, &cell->guests, cell->count, &flow_of(traffic)->guests));
    }
    return CCMOD_OK;
}

/* All whose limits are passed now that messages have come and gone. */
static ccmod_status ask(ccmod_traffic *traffic)
{
    clock_flow *flow = flow_of(traffic);

    for (size_t i = 0; i < flow->left.count; i++) {
        traffic_cell *cell = &traffic->cells[flow->left.values[i]];

        CCMOD_TRY(take_tops(traffic, &cell->asking, -(int64_t)cell->count, &flow->bottlenecks));
    }
    for (size_t i = 0; i < flow->started.count; i++)
        CCMOD_TRY(take_guests(traffic, &traffic->pool[flow->started.values[i]]));
    CCMOD_TRY(ask_taken(traffic, &flow->guests, MARK_FAR_FROM_GUEST));
    return ask_taken(traffic, &flow->bottlenecks, MARK_FAR_FROM_BOTTLENECK);
}

/* All messages of a heap, in the scratch list. */
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

/* All live messages, in the scratch list. */
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
        CCMOD_TRY(reconsider(traffic, all->values[i], MARK_AT_FIRST));
        CCMOD_TRY(hasten(traffic, owner_of(traffic, &traffic->pool[all->values[i]])));
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

/* Hot. The message is on its links from now on; settle finds its bottleneck. */
static ccmod_status start(ccmod_traffic *traffic, uint32_t number, double work_us)
{
    traffic_message *message = &traffic->pool[number];
    const traffic_slot *slots = traffic->slots + message->slots;

    ccmod_background_admit(traffic, message);
    traffic->live++;
    message->finish = work_us;
    for (uint32_t i = 0; i < message->slot_count; i++) {
        traffic_cell *cell = &traffic->cells[slots[i].cell];

        advance(traffic, slots[i].cell);
        cell->work_us += work_us;
        if (++cell->count > cell->peak)
            cell->peak = cell->count;
    }
    return traffic_append(traffic, &flow_of(traffic)->started, number);
}

/* Take a message that has left its owner's heap off its links. */
static ccmod_status take_off(ccmod_traffic *traffic, uint32_t number)
{
    const traffic_message *message = &traffic->pool[number];

    for (uint32_t i = 0; i < message->slot_count; i++) {
        uint32_t slot = message->slots + i, cell_number = traffic->slots[slot].cell;
        traffic_cell *cell = &traffic->cells[cell_number];

        advance(traffic, cell_number);
        if (--cell->count == 0)
            cell->clock = 0; /* readings stay small, and so exact */
        if (cell->own > 0)
            CCMOD_TRY(traffic_append(traffic, &flow_of(traffic)->left, cell_number));
        slot_leave(traffic->slots, i != message->owner ? &cell->guests : &cell->asking, slot);
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
            become_guest(traffic, message->slots + i, pressure);
    }
    return take_over(traffic, number, message->finish);
}

/* Hot. Cells that messages have left may run faster; where they came it is found out in time. */
static ccmod_status settle(ccmod_traffic *traffic)
{
    clock_flow *flow = flow_of(traffic);

    CCMOD_TRY(ask(traffic));
    for (size_t i = 0; i < flow->left.count; i++)
        CCMOD_TRY(hasten(traffic, flow->left.values[i]));
    flow->left.count = 0;
    for (size_t i = 0; i < flow->started.count; i++)
        CCMOD_TRY(settle_start(traffic, flow->started.values[i]));
    flow->started.count = 0;
    return CCMOD_OK;
}

/* The true time of the cell on top, or anything above `limit_us` where that is later. */
static double correct_top(ccmod_traffic *traffic, double limit_us)
{
    const clock_flow *flow = flow_of(traffic);

    while (flow->count > 0 && flow->heap[0].time_us <= limit_us) {
        cell_entry top = flow->heap[0];
        double time_us;

        if (traffic->cells[top.cell].heap == TRAFFIC_NONE) {
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
    }
    return HUGE_VAL;
}

/* All messages of a heap that end at the reading `until` or before, the root among them, are put
 * appended to traffic->ended; the heap of the others is left. */
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

/* The first message of a cell leaves its heap, with those that end at its reading `until` or
 * before: mostly it is alone, but equal messages end together, all of a heap. */
static ccmod_status collect(ccmod_traffic *traffic, traffic_cell *cell, double until)
{
    const traffic_message *pool = traffic->pool;
    size_t first = traffic->ended.count;

    CCMOD_TRY(traffic_append(traffic, &traffic->ended, cell->heap));
    cell->heap = messages_meld_siblings(traffic->pool, pool[cell->heap].child);
    if (cell->heap != TRAFFIC_NONE && pool[cell->heap].finish <= until)
        CCMOD_TRY(collect_all(traffic, &cell->heap, until));
    cell->own -= (uint32_t)(traffic->ended.count - first);
    return CCMOD_OK;
}

/* The messages of the cell on top that end within the instant leave their heap. */
static ccmod_status collect_top(ccmod_traffic *traffic)
{
    uint32_t number = flow_of(traffic)->heap[0].cell;
    traffic_cell *cell = &traffic->cells[number];

    advance(traffic, number);
    /* the share of those that end in what is lost was accounted for now */
    return collect(traffic, cell,
                   cell->clock + traffic_instant_us(traffic) * cell_availability(traffic, number));
}

static double next(ccmod_traffic *traffic)
{
    return fmin(correct_top(traffic, HUGE_VAL), background_boundary_us(traffic));
}

static ccmod_status pass(ccmod_traffic *traffic)
{
    double until_us = traffic->now_us + traffic_instant_us(traffic);
    bool boundary = background_boundary_us(traffic) <= until_us;

    while (correct_top(traffic, until_us) <= until_us)
        CCMOD_TRY(collect_top(traffic));
    for (size_t i = 0; i < traffic->ended.count; i++)
        CCMOD_TRY(take_off(traffic, traffic->ended.values[i]));
    return boundary ? change_background(traffic) : CCMOD_OK;
}

static ccmod_status open_clock(ccmod_traffic *traffic)
{
    traffic->flow = calloc(1, sizeof(clock_flow));
    return traffic->flow != NULL ? CCMOD_OK : ccmod_traffic_no_memory(traffic);
}

static void close_clock(ccmod_traffic *traffic)
{
    clock_flow *flow = flow_of(traffic);

    if (flow == NULL)
        return;
    free(flow->heap);
    free(flow->started.values);
    free(flow->left.values);
    free(flow->guests.values);
    free(flow->bottlenecks.values);
    free(flow->scratch.values);
    free(flow);
}

const flow_operations ccmod_flows_clock = {open_clock, close_clock,           start, settle, next,
                                           pass,       .latency_after = false};
