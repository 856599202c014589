/* Sharing of links by the article's rule, at a cost that hardly depends on how many messages are
 * live. All messages that have their bottleneck on one link progress at one rate. So each link has
 * a clock that runs at that rate, and its own messages wait in a heap for the reading at which they
 * end; a heap of links has the link whose next message ends first on top. When a message comes or
 * goes the clocks of its links change their pace, and only messages whose bottleneck moves to
 * another link are touched: clock_marks.h has those found.
 *
 * In an instant messages come off their links first, and others come to them; then, when the
 * traffic is known, the links that were touched are settled. A thousand messages that come to a
 * link together are no more work than a thousand times one.
 *
 * Times in the heap of links may be too early, never too late: a pace that slows down is found out
 * when the link comes to the top. */
#include "model/sharing/clock_marks.h"

#include <math.h>
#include <stdlib.h>

/* When the first of the cell's own messages ends. */
static double end_of(const ccmod_engine *engine, uint32_t number)
{
    const engine_cell *cell = &engine->cells[number];

    return cell->since_us +
           cell_time(engine, number, engine->pool[cell->heap].finish - cell->clock);
}

/* Something changed for the better on the cell: its entry must not be too late. */
static ccmod_status hasten(ccmod_engine *engine, uint32_t number)
{
    clock_flow *flow = flow_of(engine);
    engine_cell *cell = &engine->cells[number];
    cell_entry entry, *heap;

    if (cell->heap == ENGINE_NONE)
        return CCMOD_OK;
    entry = (cell_entry){end_of(engine, number), number};
    if (cell->place != ENGINE_NONE) {
        if (entry.time_us < flow->heap[cell->place].time_us)
            sift_up(engine, cell->place, entry);
        return CCMOD_OK;
    }
    heap = cb_grow(flow->heap, flow->count, &flow->room, sizeof(*heap));
    if (heap == NULL)
        return ccmod_engine_no_memory(engine);
    flow->heap = heap;
    sift_up(engine, flow->count++, entry);
    return CCMOD_OK;
}

/* Clocks */

/* Bring a cell's clock to now, at the pace that it had so far. */
static inline void advance(ccmod_engine *engine, uint32_t number)
{
    engine_cell *cell = &engine->cells[number];
    double passed_us = engine->now_us - cell->since_us;
    double pace;

    cell->since_us = engine->now_us;
    if (cell->own == 0 || !(passed_us > 0))
        return;
    pace = cell_availability(engine, number);
    cell->clock += passed_us * pace;
    cell->lost_us += cell->own * passed_us * (1 - pace);
}

/* Bottlenecks */

static uint32_t owner_of(const ccmod_engine *engine, const engine_message *message)
{
    return engine->slots[message->slots + message->owner].cell;
}

/* Which slot of a message has the most pressing cell; of equals `current`, or else the first. */
static uint32_t most_pressing(const ccmod_engine *engine, const engine_message *message,
                              uint32_t current)
{
    const engine_slot *slots = engine->slots + message->slots;
    uint32_t most = current;

    for (uint32_t i = 0; i < message->slot_count; i++) {
        if (i != most && cell_presses_more(engine, slots[i].cell, slots[most].cell))
            most = i;
    }
    return most;
}

/* Marks */

static void become_guest(ccmod_engine *engine, uint32_t number, double pressure)
{
    engine_slot *slot = &engine->slots[number];

    slot_enter(engine->slots, &engine->cells[slot->cell].guests, number,
               mark_of_guest(engine, slot->cell, pressure, MARK_AT_FIRST));
}

/* The bottleneck's slot of a message is asked when its guests might want that. */
static void watch_bottleneck(ccmod_engine *engine, const engine_message *message)
{
    engine_slot *slots = engine->slots;
    uint32_t own = message->slots + message->owner;
    double highest = 0;
    int32_t mark;

    if (engine->drawn == NULL && !(cell_pressure(engine, slots[own].cell) > 1))
        return; /* nothing presses less */
    for (uint32_t i = 0; i < message->slot_count; i++) {
        if (i != message->owner)
            highest = engine_larger(highest, pressure_unasked(engine, &slots[message->slots + i]));
    }
    mark = mark_of_bottleneck(engine, slots[own].cell, highest);
    if (mark > 0)
        slot_lower(slots, &engine->cells[slots[own].cell].asking, own, -mark);
}

/* `work_us` of the message are left to do on the cell that owns it from now on. */
static ccmod_status take_over(ccmod_engine *engine, uint32_t number, double work_us)
{
    engine_message *message = &engine->pool[number];
    uint32_t owner = owner_of(engine, message);
    engine_cell *cell = &engine->cells[owner];

    message->finish = cell->clock + work_us;
    cell->heap = messages_insert(engine->pool, cell->heap, number);
    cell->own++;
    watch_bottleneck(engine, message);
    return hasten(engine, owner);
}

/* The message's bottleneck has moved to another of its slots. */
static ccmod_status migrate(ccmod_engine *engine, uint32_t number, uint32_t to)
{
    engine_message *message = &engine->pool[number];
    uint32_t from = message->slots + message->owner, next = message->slots + to;
    uint32_t left = engine->slots[from].cell, taken = engine->slots[next].cell;
    engine_cell *cell = &engine->cells[left];
    double work_us;

    advance(engine, left);
    advance(engine, taken);
    work_us = message->finish - cell->clock;
    cell->heap = messages_remove(engine->pool, cell->heap, number);
    cell->own--;
    slot_leave(engine->slots, &cell->asking, from);
    slot_leave(engine->slots, &engine->cells[taken].guests, next);
    become_guest(engine, from, cell_pressure(engine, taken));
    message->owner = to;
    return take_over(engine, number, work_us);
}

/* The message stays with its bottleneck: what is asked of its slots is set anew. */
static void set_marks(ccmod_engine *engine, const engine_message *message, double share)
{
    double pressure = cell_pressure(engine, owner_of(engine, message));

    for (uint32_t i = 0; i < message->slot_count; i++) {
        uint32_t number = message->slots + i, cell = engine->slots[number].cell;

        if (i != message->owner)
            slot_lower(engine->slots, &engine->cells[cell].guests, number,
                       mark_of_guest(engine, cell, pressure, share));
    }
    watch_bottleneck(engine, message);
}

/* Some of the message's cells have got busier or less busy; `share` says where marks go. */
static ccmod_status reconsider(ccmod_engine *engine, uint32_t number, double share)
{
    const engine_message *message = &engine->pool[number];
    uint32_t most = most_pressing(engine, message, message->owner);

    if (most != message->owner)
        CCMOD_TRY(migrate(engine, number, most));
    set_marks(engine, &engine->pool[number], share);
    return CCMOD_OK;
}

/* The slots on top of a heap whose marks are below `limit` leave it for the list. */
static ccmod_status take_tops(ccmod_engine *engine, uint32_t *root, int64_t limit,
                              engine_list *list)
{
    while (*root != ENGINE_NONE && engine->slots[*root].mark < limit) {
        CCMOD_TRY(engine_append(engine, list, *root));
        slot_leave(engine->slots, root, *root);
    }
    return CCMOD_OK;
}

/* The messages whose slots were taken. One of many cells may have been taken by several: once it
 * is reconsidered its guests are in their heaps again. */
static ccmod_status ask_taken(ccmod_engine *engine, engine_list *list, double share)
{
    for (size_t i = 0; i < list->count; i++) {
        uint32_t slot = list->values[i];

        if (!is_in_heap(engine->slots, slot))
            CCMOD_TRY(reconsider(engine, engine->slots[slot].message, share));
    }
    list->count = 0;
    return CCMOD_OK;
}

/* Guests of the cells to which a message has come. */
static ccmod_status take_guests(ccmod_engine *engine, const engine_message *started)
{
    for (uint32_t i = 0; i < started->slot_count; i++) {
        engine_cell *cell = &engine->cells[engine->slots[started->slots + i].cell];

        CCMOD_TRY(take_tops(engine, &cell->guests, cell->count, &flow_of(engine)->guests));
    }
    return CCMOD_OK;
}

/* All whose limits are passed now that messages have come and gone. */
static ccmod_status ask(ccmod_engine *engine)
{
    clock_flow *flow = flow_of(engine);

    for (size_t i = 0; i < flow->left.count; i++) {
        engine_cell *cell = &engine->cells[flow->left.values[i]];

        CCMOD_TRY(take_tops(engine, &cell->asking, -(int64_t)cell->count, &flow->bottlenecks));
    }
    for (size_t i = 0; i < flow->started.count; i++)
        CCMOD_TRY(take_guests(engine, &engine->pool[flow->started.values[i]]));
    CCMOD_TRY(ask_taken(engine, &flow->guests, MARK_FAR_FROM_GUEST));
    return ask_taken(engine, &flow->bottlenecks, MARK_FAR_FROM_BOTTLENECK);
}

/* All messages of a heap, in the scratch list. */
static ccmod_status list_heap(ccmod_engine *engine, uint32_t root)
{
    engine_list *list = &flow_of(engine)->scratch;

    list->count = 0;
    if (root != ENGINE_NONE)
        CCMOD_TRY(engine_append(engine, list, root));
    for (size_t i = 0; i < list->count; i++) {
        uint32_t child = engine->pool[list->values[i]].child;

        for (; child != ENGINE_NONE; child = engine->pool[child].sibling)
            CCMOD_TRY(engine_append(engine, list, child));
    }
    return CCMOD_OK;
}

/* Background */

/* All live messages, in the scratch list. */
static ccmod_status list_live(ccmod_engine *engine, engine_list *all)
{
    const clock_flow *flow = flow_of(engine);

    for (size_t i = 0; i < flow->count; i++) {
        CCMOD_TRY(list_heap(engine, engine->cells[flow->heap[i].cell].heap));
        for (size_t k = 0; k < flow->scratch.count; k++)
            CCMOD_TRY(engine_append(engine, all, flow->scratch.values[k]));
    }
    return CCMOD_OK;
}

static ccmod_status redraw_all(ccmod_engine *engine, const engine_list *all)
{
    engine->interval++;
    for (size_t i = 0; i < all->count; i++) {
        const engine_message *message = &engine->pool[all->values[i]];

        for (uint32_t k = 0; k < message->slot_count; k++)
            advance(engine, engine->slots[message->slots + k].cell);
    }
    for (size_t i = 0; i < all->count; i++)
        ccmod_background_refresh(engine, &engine->pool[all->values[i]]);
    for (size_t i = 0; i < all->count; i++) {
        CCMOD_TRY(reconsider(engine, all->values[i], MARK_AT_FIRST));
        CCMOD_TRY(hasten(engine, owner_of(engine, &engine->pool[all->values[i]])));
    }
    return CCMOD_OK;
}

static ccmod_status change_background(ccmod_engine *engine)
{
    engine_list all = {0};
    ccmod_status status = list_live(engine, &all);

    if (status == CCMOD_OK)
        status = redraw_all(engine, &all);
    free(all.values);
    return status;
}

/* Starts and ends */

/* Hot. The message is on its links from now on; settle finds its bottleneck. */
static ccmod_status start(ccmod_engine *engine, uint32_t number, double work_us)
{
    engine_message *message = &engine->pool[number];
    const engine_slot *slots = engine->slots + message->slots;

    ccmod_background_admit(engine, message);
    engine->live++;
    message->finish = work_us;
    for (uint32_t i = 0; i < message->slot_count; i++) {
        engine_cell *cell = &engine->cells[slots[i].cell];

        advance(engine, slots[i].cell);
        cell->work_us += work_us;
        if (++cell->count > cell->peak)
            cell->peak = cell->count;
    }
    return engine_append(engine, &flow_of(engine)->started, number);
}

/* Take a message that has left its owner's heap off its links. */
static ccmod_status take_off(ccmod_engine *engine, uint32_t number)
{
    const engine_message *message = &engine->pool[number];

    for (uint32_t i = 0; i < message->slot_count; i++) {
        uint32_t slot = message->slots + i, cell_number = engine->slots[slot].cell;
        engine_cell *cell = &engine->cells[cell_number];

        advance(engine, cell_number);
        if (--cell->count == 0)
            cell->clock = 0; /* readings stay small, and so exact */
        if (cell->own > 0)
            CCMOD_TRY(engine_append(engine, &flow_of(engine)->left, cell_number));
        slot_leave(engine->slots, i != message->owner ? &cell->guests : &cell->asking, slot);
    }
    engine->live--;
    return CCMOD_OK;
}

static ccmod_status settle_start(ccmod_engine *engine, uint32_t number)
{
    engine_message *message = &engine->pool[number];
    double pressure;

    message->owner = most_pressing(engine, message, 0);
    pressure = cell_pressure(engine, owner_of(engine, message));
    for (uint32_t i = 0; i < message->slot_count; i++) {
        if (i != message->owner)
            become_guest(engine, message->slots + i, pressure);
    }
    return take_over(engine, number, message->finish);
}

/* Hot. Cells that messages have left may run faster; where they came it is found out in time. */
static ccmod_status settle(ccmod_engine *engine)
{
    clock_flow *flow = flow_of(engine);

    CCMOD_TRY(ask(engine));
    for (size_t i = 0; i < flow->left.count; i++)
        CCMOD_TRY(hasten(engine, flow->left.values[i]));
    flow->left.count = 0;
    for (size_t i = 0; i < flow->started.count; i++)
        CCMOD_TRY(settle_start(engine, flow->started.values[i]));
    flow->started.count = 0;
    return CCMOD_OK;
}

/* The true time of the cell on top, or anything above `limit_us` where that is later. */
static double correct_top(ccmod_engine *engine, double limit_us)
{
    const clock_flow *flow = flow_of(engine);

    while (flow->count > 0 && flow->heap[0].time_us <= limit_us) {
        cell_entry top = flow->heap[0];
        double time_us;

        if (engine->cells[top.cell].heap == ENGINE_NONE) {
            remove_top(engine);
            continue;
        }
        time_us = end_of(engine, top.cell);
        if (!(time_us > top.time_us))
            return time_us;
        top.time_us = time_us;
        sift_down(engine, 0, top);
        if (flow->heap[0].cell == top.cell)
            return time_us;
    }
    return HUGE_VAL;
}

/* All messages of a heap that end at the reading `until` or before, the root among them, are put
 * behind engine->ended; the heap of the others is left. */
static ccmod_status collect_all(ccmod_engine *engine, uint32_t *root, double until)
{
    engine_list *ended = &engine->ended;
    engine_message *pool = engine->pool;
    size_t first = ended->count;
    uint32_t rest = ENGINE_NONE;

    CCMOD_TRY(engine_append(engine, ended, *root));
    for (size_t i = first; i < ended->count; i++) {
        uint32_t next;

        for (uint32_t child = pool[ended->values[i]].child; child != ENGINE_NONE; child = next) {
            next = pool[child].sibling;
            if (pool[child].finish <= until) {
                __builtin_prefetch(&engine->slots[pool[child].slots], 1);
                CCMOD_TRY(engine_append(engine, ended, child));
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
static ccmod_status collect(ccmod_engine *engine, engine_cell *cell, double until)
{
    const engine_message *pool = engine->pool;
    size_t first = engine->ended.count;

    CCMOD_TRY(engine_append(engine, &engine->ended, cell->heap));
    cell->heap = messages_meld_siblings(engine->pool, pool[cell->heap].child);
    if (cell->heap != ENGINE_NONE && pool[cell->heap].finish <= until)
        CCMOD_TRY(collect_all(engine, &cell->heap, until));
    cell->own -= (uint32_t)(engine->ended.count - first);
    return CCMOD_OK;
}

/* The messages of the cell on top that end within the instant leave their heap. */
static ccmod_status collect_top(ccmod_engine *engine)
{
    uint32_t number = flow_of(engine)->heap[0].cell;
    engine_cell *cell = &engine->cells[number];

    advance(engine, number);
    /* the share of those that end in what is lost was accounted for now */
    return collect(engine, cell,
                   cell->clock + engine_instant_us(engine) * cell_availability(engine, number));
}

static double next(ccmod_engine *engine)
{
    return fmin(correct_top(engine, HUGE_VAL), engine_background_boundary(engine));
}

static ccmod_status pass(ccmod_engine *engine)
{
    double until_us = engine->now_us + engine_instant_us(engine);
    bool boundary = engine_background_boundary(engine) <= until_us;

    while (correct_top(engine, until_us) <= until_us)
        CCMOD_TRY(collect_top(engine));
    for (size_t i = 0; i < engine->ended.count; i++)
        CCMOD_TRY(take_off(engine, engine->ended.values[i]));
    return boundary ? change_background(engine) : CCMOD_OK;
}

static ccmod_status open_clock(ccmod_engine *engine)
{
    engine->flow = calloc(1, sizeof(clock_flow));
    return engine->flow != NULL ? CCMOD_OK : ccmod_engine_no_memory(engine);
}

static void close_clock(ccmod_engine *engine)
{
    clock_flow *flow = flow_of(engine);

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

const flow_operations ccmod_flows_clock = {
    open_clock, close_clock, start, settle, next, pass, .latency_behind = false};
