/* Sharing of links by the article's rule, at a cost that hardly depends on how many messages are
 * live. All messages that have their bottleneck on one link progress at one rate. So each link has
 * a clock that runs at that rate, and its own messages wait in a heap for the reading at which they
 * end; a heap of links has the link whose next message ends first on top. When a message comes or
 * goes the clocks of its links change their pace, and only messages whose bottleneck moves to
 * another link are touched.
 *
 * A bottleneck moves in two cases. A link gets busier: its guests, messages that have their
 * bottleneck elsewhere, are looked through. A link gets less busy: its own messages are looked
 * through, but only when one of them may have a busier link; `rival` bounds that.
 *
 * Times in the heap of links may be too early, never too late: a pace that slows down is found out
 * when the link comes to the top. */
#include "model/clock_heaps.h"

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
static cb_status hasten(ccmod_engine *engine, uint32_t number)
{
    clock_flow *flow = flow_of(engine);
    engine_cell *cell = &engine->cells[number];
    cell_entry entry, *heap;

    if (cell->heap == ENGINE_NONE)
        return CB_OK;
    entry = (cell_entry){end_of(engine, number), number};
    if (cell->place != ENGINE_NONE) {
        if (entry.time_us < flow->heap[cell->place].time_us)
            sift_up(engine, cell->place, entry);
        return CB_OK;
    }
    heap = engine_grow(flow->heap, flow->count, &flow->room, sizeof(*heap));
    if (heap == NULL)
        return ccmod_engine_no_memory(engine);
    flow->heap = heap;
    sift_up(engine, flow->count++, entry);
    return CB_OK;
}

/* Clocks */

/* Bring a cell's clock to now, at the pace that it had so far. */
static void advance(ccmod_engine *engine, uint32_t number)
{
    engine_cell *cell = &engine->cells[number];
    double passed_us = engine->now_us - cell->since_us;
    double pace;

    cell->since_us = engine->now_us;
    if (cell->count == 0)
        cell->clock = 0; /* readings stay small, and so exact */
    if (cell->own == 0)
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

static void become_guest(ccmod_engine *engine, uint32_t number)
{
    engine_slot *slot = &engine->slots[number];
    uint32_t *first = &engine->cells[slot->cell].guests;

    slot->previous = ENGINE_NONE;
    slot->next = *first;
    if (*first != ENGINE_NONE)
        engine->slots[*first].previous = number;
    *first = number;
}

static void leave_guests(ccmod_engine *engine, uint32_t number)
{
    const engine_slot *slot = &engine->slots[number];

    if (slot->previous != ENGINE_NONE)
        engine->slots[slot->previous].next = slot->next;
    else
        engine->cells[slot->cell].guests = slot->next;
    if (slot->next != ENGINE_NONE)
        engine->slots[slot->next].previous = slot->previous;
}

/* `pressure` is on a cell of a message that the owner has. The bound is a float, rounded upwards;
 * the counts that most pressures are stay exact in it. */
static void raise_rival(engine_cell *owner, double pressure)
{
    float bound = (float)pressure;

    if ((double)bound < pressure)
        bound = nextafterf(bound, HUGE_VALF);
    if (bound > owner->rival)
        owner->rival = bound;
}

/* The bound of the owner over the other cells of the message's route. */
static void note_rivals(ccmod_engine *engine, const engine_message *message)
{
    engine_cell *owner = &engine->cells[owner_of(engine, message)];

    for (uint32_t i = 0; i < message->slot_count; i++) {
        if (i != message->owner)
            raise_rival(owner, cell_pressure(engine, engine->slots[message->slots + i].cell));
    }
}

/* `work_us` of the message are left to do on the cell that owns it from now on. */
static cb_status take_over(ccmod_engine *engine, uint32_t number, double work_us)
{
    engine_message *message = &engine->pool[number];
    uint32_t owner = owner_of(engine, message);

    message->finish = engine->cells[owner].clock + work_us;
    heap_insert(engine->pool, &engine->cells[owner], number);
    note_rivals(engine, message);
    return hasten(engine, owner);
}

/* The message's bottleneck has moved to another of its slots. */
static cb_status migrate(ccmod_engine *engine, uint32_t number, uint32_t to)
{
    engine_message *message = &engine->pool[number];
    uint32_t from = message->owner, left = owner_of(engine, message);
    double work_us;

    advance(engine, left);
    advance(engine, engine->slots[message->slots + to].cell);
    work_us = message->finish - engine->cells[left].clock;
    heap_remove(engine->pool, &engine->cells[left], number);
    become_guest(engine, message->slots + from);
    leave_guests(engine, message->slots + to);
    message->owner = to;
    return take_over(engine, number, work_us);
}

static cb_status reconsider(ccmod_engine *engine, uint32_t number)
{
    const engine_message *message = &engine->pool[number];
    uint32_t most = most_pressing(engine, message, message->owner);

    return most != message->owner ? migrate(engine, number, most) : CB_OK;
}

/* A cell got busier: its guests may have their bottleneck here now. */
static cb_status look_through_guests(ccmod_engine *engine, uint32_t number)
{
    double pressure = cell_pressure(engine, number);
    uint32_t next;

    for (uint32_t slot = engine->cells[number].guests; slot != ENGINE_NONE; slot = next) {
        uint32_t message = engine->slots[slot].message;
        uint32_t owner = owner_of(engine, &engine->pool[message]);

        next = engine->slots[slot].next;
        if (cell_presses_more(engine, number, owner))
            CB_TRY(reconsider(engine, message));
        else
            raise_rival(&engine->cells[owner], pressure);
    }
    return CB_OK;
}

/* All messages of a heap, in the scratch list. */
static cb_status list_heap(ccmod_engine *engine, uint32_t root)
{
    engine_list *list = &flow_of(engine)->scratch;

    list->count = 0;
    if (root != ENGINE_NONE)
        CB_TRY(engine_append(engine, list, root));
    for (size_t i = 0; i < list->count; i++) {
        uint32_t child = engine->pool[list->values[i]].child;

        for (; child != ENGINE_NONE; child = engine->pool[child].sibling)
            CB_TRY(engine_append(engine, list, child));
    }
    return CB_OK;
}

/* A cell got less busy: its own messages may have their bottleneck elsewhere now. */
static cb_status look_through_own(ccmod_engine *engine, uint32_t number)
{
    const engine_list *list = &flow_of(engine)->scratch;
    engine_cell *cell = &engine->cells[number];
    double pressure = cell_pressure(engine, number);

    if (cell->own == 0 ||
        (engine->drawn != NULL ? (double)cell->rival < pressure : (double)cell->rival <= pressure))
        return CB_OK;
    CB_TRY(list_heap(engine, cell->heap));
    cell->rival = 0;
    for (size_t i = 0; i < list->count; i++) {
        const engine_message *message = &engine->pool[list->values[i]];

        CB_TRY(reconsider(engine, list->values[i]));
        if (owner_of(engine, message) == number)
            note_rivals(engine, message);
    }
    return CB_OK;
}

/* Background */

/* All live messages, in the scratch list. */
static cb_status list_live(ccmod_engine *engine, engine_list *all)
{
    const clock_flow *flow = flow_of(engine);

    for (size_t i = 0; i < flow->count; i++) {
        CB_TRY(list_heap(engine, engine->cells[flow->heap[i].cell].heap));
        for (size_t k = 0; k < flow->scratch.count; k++)
            CB_TRY(engine_append(engine, all, flow->scratch.values[k]));
    }
    return CB_OK;
}

static cb_status redraw_all(ccmod_engine *engine, const engine_list *all)
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
        CB_TRY(reconsider(engine, all->values[i]));
        CB_TRY(hasten(engine, owner_of(engine, &engine->pool[all->values[i]])));
    }
    return CB_OK;
}

static cb_status change_background(ccmod_engine *engine)
{
    engine_list all = {0};
    cb_status status = list_live(engine, &all);

    if (status == CB_OK)
        status = redraw_all(engine, &all);
    free(all.values);
    return status;
}

/* Starts and ends */

static cb_status start(ccmod_engine *engine, uint32_t number, double work_us)
{
    engine_message *message = &engine->pool[number];
    const engine_slot *slots = engine->slots + message->slots;

    ccmod_background_admit(engine, message);
    engine->live++;
    for (uint32_t i = 0; i < message->slot_count; i++) {
        engine_cell *cell = &engine->cells[slots[i].cell];

        advance(engine, slots[i].cell);
        cell->work_us += work_us;
        if (++cell->count > cell->peak)
            cell->peak = cell->count;
    }
    for (uint32_t i = 0; i < message->slot_count; i++)
        CB_TRY(look_through_guests(engine, slots[i].cell));
    message->owner = most_pressing(engine, message, 0);
    for (uint32_t i = 0; i < message->slot_count; i++) {
        if (i != message->owner)
            become_guest(engine, message->slots + i);
    }
    return take_over(engine, number, work_us);
}

/* Take a message that has left its heap off its links. */
static void take_off(ccmod_engine *engine, uint32_t number)
{
    const engine_message *message = &engine->pool[number];

    for (uint32_t i = 0; i < message->slot_count; i++) {
        uint32_t cell = engine->slots[message->slots + i].cell;

        advance(engine, cell);
        engine->cells[cell].count--;
        if (i != message->owner)
            leave_guests(engine, message->slots + i);
    }
    engine->live--;
}

static cb_status settle(ccmod_engine *engine, uint32_t number)
{
    const engine_message *message = &engine->pool[number];

    for (uint32_t i = 0; i < message->slot_count; i++) {
        uint32_t cell = engine->slots[message->slots + i].cell;

        CB_TRY(look_through_own(engine, cell));
        CB_TRY(hasten(engine, cell));
    }
    return CB_OK;
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

/* The messages of the cell on top that end within the instant leave their heap. */
static cb_status collect_top(ccmod_engine *engine)
{
    uint32_t number = flow_of(engine)->heap[0].cell;
    engine_cell *cell = &engine->cells[number];
    double until;

    advance(engine, number);
    until = cell->clock + engine_instant_us(engine) * cell_availability(engine, number);
    do {
        CB_TRY(engine_append(engine, &engine->ended, cell->heap));
        /* its share of what is lost was accounted for above */
        heap_remove(engine->pool, cell, cell->heap);
    } while (cell->heap != ENGINE_NONE && engine->pool[cell->heap].finish <= until);
    return CB_OK;
}

static double next(ccmod_engine *engine)
{
    double time_us = correct_top(engine, HUGE_VAL);

    if (engine->drawn != NULL && engine->live > 0)
        time_us = fmin(time_us, ccmod_background_boundary(engine));
    return time_us;
}

static cb_status pass(ccmod_engine *engine)
{
    double until_us = engine->now_us + engine_instant_us(engine);
    bool boundary =
        engine->drawn != NULL && engine->live > 0 && ccmod_background_boundary(engine) <= until_us;

    while (correct_top(engine, until_us) <= until_us)
        CB_TRY(collect_top(engine));
    for (size_t i = 0; i < engine->ended.count; i++)
        take_off(engine, engine->ended.values[i]);
    for (size_t i = 0; i < engine->ended.count; i++)
        CB_TRY(settle(engine, engine->ended.values[i]));
    return boundary ? change_background(engine) : CB_OK;
}

static cb_status open_clock(ccmod_engine *engine)
{
    engine->flow = calloc(1, sizeof(clock_flow));
    return engine->flow != NULL ? CB_OK : ccmod_engine_no_memory(engine);
}

static void close_clock(ccmod_engine *engine)
{
    clock_flow *flow = flow_of(engine);

    if (flow == NULL)
        return;
    free(flow->heap);
    free(flow->scratch.values);
    free(flow);
}

const flow_operations ccmod_flows_clock = {open_clock, close_clock, start, next, pass};
