/* Links that serve one message after the other, in the order in which these come to them, as a
 * switch with a queue at each port does with messages of a few packets: the share rule fifo.
 *
 * A message keeps a cell for its work over the cell's width. As soon as it has one it asks for the
 * next of its route, since its head goes on while its bytes follow, and where it has to wait there
 * it rests in the queue and keeps the cell before for no longer. It is there when its last cell has
 * passed it. A multicast asks for all cells of its tree at once.
 *
 * Acknowledgements of their own are frames on the way back. They arrive nowhere: a cell keeps in
 * mind how long it has to do with them, and serves the next message behind them. */
#include "model/engine.h"

#include <stdlib.h>

#include "model/recent.h"

/* So long TCP waits for something that carries an acknowledgement. */
static const double patience_us = 40000;

enum { PACKETS_ACKNOWLEDGED = 2 };

typedef struct {
    double time_us;
    uint64_t order;   /* of equal times the one that was foreseen first comes first */
    uint32_t subject; /* a cell that is free again, or a message that is there */
    bool arrival;
} fifo_event;

typedef struct {
    uint32_t first, last; /* waiting slots, by their `sibling` */
    uint32_t waiting;
    bool busy;
    double since_us; /* up to where the time of those that wait was added up */
    double clear_us; /* acknowledgements that came while nothing was served have passed by then */
    double owed_us;  /* of those that came since the service has begun */
} fifo_cell;

/* A message that has arrived, and whose end is not acknowledged yet. */
typedef struct {
    double arrived_us;
    uint32_t source, destination;
} fifo_arrival;

typedef struct {
    fifo_event *heap;
    size_t count, room;
    uint64_t foreseen;
    fifo_cell *cells;
    double *ends_us; /* of each message, as far as it is known */
    size_t end_room;
    recent_table sent;      /* the messages, where they are acknowledged */
    fifo_arrival *arrivals; /* a ring, in order of time */
    size_t first_arrival, arrival_count, arrival_room;
    uint32_t *way; /* scratch for a route; NULL without acknowledgements */
} fifo_flow;

static fifo_flow *flow_of(const ccmod_engine *engine)
{
    return engine->flow;
}

/* What is foreseen */

static bool comes_first(const fifo_event *left, const fifo_event *right)
{
    return left->time_us < right->time_us ||
           (!(left->time_us > right->time_us) && left->order < right->order);
}

static void sift_up(fifo_event *heap, size_t place)
{
    while (place > 0 && comes_first(&heap[place], &heap[(place - 1) / 2])) {
        fifo_event moved = heap[place];

        heap[place] = heap[(place - 1) / 2];
        heap[(place - 1) / 2] = moved;
        place = (place - 1) / 2;
    }
}

static void sift_down(fifo_event *heap, size_t count)
{
    size_t place = 0;

    for (;;) {
        size_t child = 2 * place + 1;
        fifo_event moved = heap[place];

        if (child + 1 < count && comes_first(&heap[child + 1], &heap[child]))
            child++;
        if (child >= count || !comes_first(&heap[child], &moved))
            return;
        heap[place] = heap[child];
        heap[child] = moved;
        place = child;
    }
}

static cb_status foresee(ccmod_engine *engine, double time_us, uint32_t subject, bool arrival)
{
    fifo_flow *flow = flow_of(engine);
    fifo_event *heap = engine_grow(flow->heap, flow->count, &flow->room, sizeof(*heap));

    if (heap == NULL)
        return ccmod_engine_no_memory(engine);
    flow->heap = heap;
    heap[flow->count] = (fifo_event){time_us, flow->foreseen++, subject, arrival};
    sift_up(heap, flow->count++);
    return CB_OK;
}

static fifo_event take_first(fifo_flow *flow)
{
    fifo_event first = flow->heap[0];

    flow->heap[0] = flow->heap[--flow->count];
    sift_down(flow->heap, flow->count);
    return first;
}

/* Queues */

/* What those that wait have lost so far. */
static void add_up_waiting(ccmod_engine *engine, uint32_t cell, double now_us)
{
    fifo_cell *queue = &flow_of(engine)->cells[cell];

    engine->cells[cell].lost_us += queue->waiting * (now_us - queue->since_us);
    queue->since_us = now_us;
}

static void wait_in_queue(ccmod_engine *engine, uint32_t slot, double now_us)
{
    uint32_t cell = engine->slots[slot].cell;
    fifo_cell *queue = &flow_of(engine)->cells[cell];

    add_up_waiting(engine, cell, now_us);
    engine->slots[slot].sibling = ENGINE_NONE;
    if (queue->waiting++ == 0)
        queue->first = slot;
    else
        engine->slots[queue->last].sibling = slot;
    queue->last = slot;
}

static uint32_t leave_queue(ccmod_engine *engine, uint32_t cell, double now_us)
{
    fifo_cell *queue = &flow_of(engine)->cells[cell];
    uint32_t slot = queue->first;

    add_up_waiting(engine, cell, now_us);
    queue->first = engine->slots[slot].sibling;
    queue->waiting--;
    return slot;
}

static double width_of(const ccmod_engine *engine, uint32_t cell)
{
    return engine->network->widths != NULL ? engine->network->widths[cell] : 1;
}

/* Acknowledgements */

/* What is owed passes from now on, or behind what passes already. */
static void clear(fifo_cell *queue, double now_us)
{
    queue->clear_us = fmax(queue->clear_us, now_us) + queue->owed_us;
    queue->owed_us = 0;
}

/* So many frames from the destination of a message to its source. */
static void acknowledge(ccmod_engine *engine, uint32_t source, uint32_t destination,
                        uint64_t frames, double now_us)
{
    const ccmod_network *network = engine->network;
    double work_us = (double)frames * engine->calibration->acknowledgement_us;
    uint32_t *way = flow_of(engine)->way;
    size_t length = network->operations->route(network, destination, source, way);

    for (size_t i = 0; i < length; i++) {
        fifo_cell *queue = &flow_of(engine)->cells[way[i]];

        engine->cells[way[i]].work_us += work_us;
        queue->owed_us += work_us / width_of(engine, way[i]);
        if (!queue->busy)
            clear(queue, now_us);
    }
}

static bool is_acknowledged(const ccmod_engine *engine, const engine_message *message)
{
    return flow_of(engine)->way != NULL && (message->flags & MESSAGE_FAN) == 0;
}

/* Packets behind the first are acknowledged while the message comes. */
static void acknowledge_packets(ccmod_engine *engine, const engine_message *message, double now_us)
{
    uint64_t packets;

    if (!is_acknowledged(engine, message))
        return;
    packets = ccmod_packets(engine->network, message->size_bytes);
    if (packets > PACKETS_ACKNOWLEDGED)
        acknowledge(engine, message->source, message->destination,
                    (packets - 1) / PACKETS_ACKNOWLEDGED, now_us);
}

static cb_status widen_arrivals(ccmod_engine *engine)
{
    enum { FIRST_ROOM = 64 };
    fifo_flow *flow = flow_of(engine);
    size_t room = flow->arrival_room > 0 ? 2 * flow->arrival_room : FIRST_ROOM;
    fifo_arrival *wider = malloc(room * sizeof(*wider));

    if (wider == NULL)
        return ccmod_engine_no_memory(engine);
    for (size_t i = 0; i < flow->arrival_count; i++)
        wider[i] = flow->arrivals[(flow->first_arrival + i) % flow->arrival_room];
    free(flow->arrivals);
    flow->arrivals = wider;
    flow->first_arrival = 0;
    flow->arrival_room = room;
    return CB_OK;
}

static cb_status keep_arrival(ccmod_engine *engine, const engine_message *message, double now_us)
{
    fifo_flow *flow = flow_of(engine);

    if (!is_acknowledged(engine, message))
        return CB_OK;
    if (flow->arrival_count == flow->arrival_room)
        CB_TRY(widen_arrivals(engine));
    flow->arrivals[(flow->first_arrival + flow->arrival_count++) % flow->arrival_room] =
        (fifo_arrival){now_us, message->source, message->destination};
    return CB_OK;
}

/* Nobody waits for acknowledgements, so they are looked at when something is to be served: of what
 * arrived so long ago the end is acknowledged, unless something went the other way since. */
static void acknowledge_arrivals(ccmod_engine *engine, double now_us)
{
    fifo_flow *flow = flow_of(engine);

    while (flow->arrival_count > 0) {
        const fifo_arrival *one = &flow->arrivals[flow->first_arrival];

        if (one->arrived_us + patience_us > now_us)
            return;
        if (ccmod_recent_time(&flow->sent, one->destination, one->source) < one->arrived_us)
            acknowledge(engine, one->source, one->destination, 1, one->arrived_us + patience_us);
        flow->first_arrival = (flow->first_arrival + 1) % flow->arrival_room;
        flow->arrival_count--;
    }
}

/* Service */

static bool is_interleaved(const ccmod_network *network, uint32_t cell)
{
    return network->interleaving > 0 && cell / 2 >= network->interleaving;
}

/* Of the cell's own time, and of that of its bytes: a wide cell is free again before a message that
 * other cells hold up has passed it. Where messages are interleaved the last of them is through
 * when all are served. */
static double service_us(ccmod_engine *engine, uint32_t slot, double *passing_us)
{
    uint32_t cell = engine->slots[slot].cell;
    const engine_message *message = &engine->pool[engine->slots[slot].message];
    double width = width_of(engine, cell);
    double work_us;

    if (engine->drawn != NULL)
        ccmod_background_refresh(engine, message);
    work_us = message->finish / (1 - cell_load(engine, cell));
    *passing_us = width < 1 || is_interleaved(engine->network, cell) ? work_us / width : work_us;
    return work_us / width;
}

static cb_status ask(ccmod_engine *engine, uint32_t slot, double now_us);

/* The slot's message has the cell from now on. */
static cb_status serve(ccmod_engine *engine, uint32_t slot, double now_us)
{
    fifo_flow *flow = flow_of(engine);
    uint32_t number = engine->slots[slot].message, cell = engine->slots[slot].cell;
    engine_message *message = &engine->pool[number];
    double passing_us, own_us = service_us(engine, slot, &passing_us);
    uint32_t left = --message->owner;
    double start_us;

    acknowledge_arrivals(engine, now_us);
    clear(&flow->cells[cell], now_us);
    start_us = flow->cells[cell].clear_us;
    flow->cells[cell].busy = true;
    flow->ends_us[number] = fmax(flow->ends_us[number], start_us + passing_us);
    CB_TRY(foresee(engine, start_us + own_us, cell, false));
    if (left == 0) {
        acknowledge_packets(engine, message, start_us);
        return foresee(engine, flow->ends_us[number], number, true);
    }
    if ((message->flags & MESSAGE_FAN) != 0)
        return CB_OK;
    return ask(engine, message->slots + message->slot_count - left, now_us);
}

static cb_status ask(ccmod_engine *engine, uint32_t slot, double now_us)
{
    uint32_t cell = engine->slots[slot].cell;
    engine_cell *account = &engine->cells[cell];

    if (++account->count > account->peak)
        account->peak = account->count;
    if (!flow_of(engine)->cells[cell].busy)
        return serve(engine, slot, now_us);
    wait_in_queue(engine, slot, now_us);
    return CB_OK;
}

static cb_status free_cell(ccmod_engine *engine, uint32_t cell, double now_us)
{
    fifo_cell *queue = &flow_of(engine)->cells[cell];

    engine->cells[cell].count--;
    queue->busy = false;
    clear(queue, now_us);
    return queue->waiting > 0 ? serve(engine, leave_queue(engine, cell, now_us), now_us) : CB_OK;
}

/* The rule */

static cb_status make_room(ccmod_engine *engine)
{
    fifo_flow *flow = flow_of(engine);
    double *ends_us;

    if (engine->message_room <= flow->end_room)
        return CB_OK;
    ends_us = realloc(flow->ends_us, engine->message_room * sizeof(*ends_us));
    if (ends_us == NULL)
        return ccmod_engine_no_memory(engine);
    flow->ends_us = ends_us;
    flow->end_room = engine->message_room;
    return CB_OK;
}

static cb_status start(ccmod_engine *engine, uint32_t number, double work_us)
{
    engine_message *message = &engine->pool[number];
    uint32_t asked = (message->flags & MESSAGE_FAN) != 0 ? message->slot_count : 1;
    uint32_t first = message->slots;

    CB_TRY(make_room(engine));
    if (is_acknowledged(engine, message) &&
        !ccmod_recent_note(&flow_of(engine)->sent, message->source, message->destination,
                           engine->now_us))
        return ccmod_engine_no_memory(engine);
    ccmod_background_admit(engine, message);
    for (uint32_t i = 0; i < message->slot_count; i++)
        engine->cells[engine->slots[first + i].cell].work_us += work_us;
    engine->live++;
    message->finish = work_us;
    message->owner = message->slot_count;
    flow_of(engine)->ends_us[number] = engine->now_us;
    for (uint32_t i = 0; i < asked; i++)
        CB_TRY(ask(engine, first + i, engine->now_us));
    return CB_OK;
}

static cb_status settle(ccmod_engine *engine)
{
    (void)engine;
    return CB_OK;
}

static double next(ccmod_engine *engine)
{
    const fifo_flow *flow = flow_of(engine);
    double time_us = flow->count > 0 ? flow->heap[0].time_us : HUGE_VAL;

    if (engine->drawn != NULL && engine->live > 0)
        time_us = fmin(time_us, ccmod_background_boundary(engine));
    return time_us;
}

static cb_status carry_out(ccmod_engine *engine, const fifo_event *event)
{
    if (!event->arrival)
        return free_cell(engine, event->subject, event->time_us);
    CB_TRY(keep_arrival(engine, &engine->pool[event->subject], event->time_us));
    engine->live--;
    return engine_append(engine, &engine->ended, event->subject);
}

static cb_status pass(ccmod_engine *engine)
{
    fifo_flow *flow = flow_of(engine);
    double until_us = engine->now_us + engine_instant_us(engine);

    if (engine->drawn != NULL && engine->live > 0 && ccmod_background_boundary(engine) <= until_us)
        engine->interval++;
    while (flow->count > 0 && flow->heap[0].time_us <= until_us) {
        fifo_event event = take_first(flow);

        CB_TRY(carry_out(engine, &event));
    }
    return CB_OK;
}

static void close_fifo(ccmod_engine *engine)
{
    fifo_flow *flow = flow_of(engine);

    if (flow == NULL)
        return;
    free(flow->heap);
    free(flow->cells);
    free(flow->ends_us);
    free(flow->way);
    free(flow->arrivals);
    ccmod_recent_close(&flow->sent);
    free(flow);
}

static cb_status open_acknowledgements(ccmod_engine *engine)
{
    fifo_flow *flow = flow_of(engine);

    if (!(engine->calibration->acknowledgement_us > 0))
        return CB_OK;
    flow->way = calloc(engine->network->longest_route, sizeof(*flow->way));
    return flow->way != NULL && ccmod_recent_open(&flow->sent) ? CB_OK
                                                               : ccmod_engine_no_memory(engine);
}

static cb_status open_fifo(ccmod_engine *engine)
{
    fifo_flow *flow = calloc(1, sizeof(*flow));

    engine->flow = flow;
    if (flow == NULL)
        return ccmod_engine_no_memory(engine);
    flow->cells = calloc(engine->cell_count + 1, sizeof(*flow->cells));
    return flow->cells != NULL ? open_acknowledgements(engine) : ccmod_engine_no_memory(engine);
}

const flow_operations ccmod_flows_fifo = {open_fifo, close_fifo, start, settle, next, pass};
