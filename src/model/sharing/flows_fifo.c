/* Links that serve one packet after the other, in the order in which these come to them, as a
 * switch with a queue at each port does: the share rule fifo.
 *
 * The packets of a message stand in line one behind the other at its source. A packet keeps a cell
 * for its work over the cell's width. As soon as it has one it asks for the next of its route,
 * since its head goes on while its bytes follow, and where it has to wait there it rests in the
 * queue and keeps the cell before for no longer. A message is there when its last packet has passed
 * its last cell. A multicast goes as one packet, and asks for all cells of its tree at once. */
#include "model/sharing/fifo.h"

#include <stdlib.h>

/* A message of more packets goes in so many parts of equal length: what comes between two of them
 * is a matter of a hundredth of it, and a few long messages cost no more than all others. Of a
 * crowd of messages each goes in fewer parts, so that about so many are under way in all: where
 * hundreds stand in line at a port it matters little in how many parts one of them does. */
enum { LARGEST_PARTS = 64, CROWD_OF_PARTS = 4096 };

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

static ccmod_status foresee(ccmod_engine *engine, double time_us, uint32_t subject, bool arrival)
{
    fifo_flow *flow = fifo_of(engine);
    fifo_event *heap = cb_grow(flow->heap, flow->count, &flow->room, sizeof(*heap));

    if (heap == NULL)
        return ccmod_engine_no_memory(engine);
    flow->heap = heap;
    heap[flow->count] = (fifo_event){time_us, flow->foreseen++, subject, arrival};
    sift_up(heap, flow->count++);
    return CCMOD_OK;
}

static fifo_event take_first(fifo_flow *flow)
{
    fifo_event first = flow->heap[0];

    flow->heap[0] = flow->heap[--flow->count];
    sift_down(flow->heap, flow->count);
    return first;
}

/* Lines */

/* What those that wait for others have lost so far. The packets of the message that is served wait
 * for their own. */
static void add_up_waiting(ccmod_engine *engine, uint32_t cell, double now_us)
{
    fifo_cell *line = &fifo_of(engine)->cells[cell];
    uint32_t waiting = line->waiting;

    if (line->busy && engine->slots[line->serving].back > 0)
        waiting--;
    engine->cells[cell].lost_us += waiting * (now_us - line->since_us);
    line->since_us = now_us;
}

/* Packets of the slot's message go to the end of the line. */
static ccmod_status wait_in_line(ccmod_engine *engine, uint32_t slot, uint32_t packets,
                                 double now_us)
{
    engine_slot *place = &engine->slots[slot];

    add_up_waiting(engine, place->cell, now_us);
    fifo_of(engine)->cells[place->cell].waiting += place->back == 0;
    place->back += packets;
    return ccmod_fifo_line_up(engine, place->cell, (fifo_run){.slot = slot, .packets = packets});
}

/* The slot whose packet is the first, and stands in line no longer. */
static uint32_t leave_line(ccmod_engine *engine, uint32_t cell)
{
    fifo_flow *flow = fifo_of(engine);
    uint32_t slot = ccmod_fifo_take_first(flow, cell).slot;

    flow->cells[cell].waiting -= --engine->slots[slot].back == 0;
    return slot;
}

/* Service */

static bool is_interleaved(const ccmod_network *network, uint32_t cell)
{
    return network->interleaving > 0 && cell / 2 >= network->interleaving;
}

/* How long the next packet of the slot's message keeps the cell, and how long it passes it: a wide
 * cell is free again before a message that other cells hold up has passed it. Where messages are
 * interleaved the last of them is through when all are served. */
static double service_us(ccmod_engine *engine, uint32_t slot, double *passing_us)
{
    const engine_slot *place = &engine->slots[slot];
    const fifo_message *known = &fifo_of(engine)->messages[place->message];
    double width = fifo_width(engine, place->cell);
    double work_us = place->child > 1 ? known->packet_us : known->last_us;

    if (engine->drawn != NULL)
        ccmod_background_refresh(engine, &engine->pool[place->message]);
    work_us /= 1 - cell_load(engine, place->cell);
    *passing_us =
        width < 1 || is_interleaved(engine->network, place->cell) ? work_us / width : work_us;
    return work_us / width;
}

static ccmod_status ask(ccmod_engine *engine, uint32_t slot, uint32_t packets, double now_us);

/* Where a packet goes whose head has the slot's cell: on, or it is there when it has passed. */
static ccmod_status lead_on(ccmod_engine *engine, uint32_t slot, double now_us)
{
    uint32_t number = engine->slots[slot].message;
    engine_message *message = &engine->pool[number];
    const fifo_message *known = &fifo_of(engine)->messages[number];

    if ((message->flags & MESSAGE_FAN) == 0 && slot + 1 < message->slots + message->slot_count)
        return ask(engine, slot + 1, 1, now_us);
    if (--message->owner > 0)
        return CCMOD_OK;
    return foresee(engine, known->end_us + known->latency_us, number, true);
}

/* A packet of the slot's message has the cell from now on. */
static ccmod_status serve(ccmod_engine *engine, uint32_t slot, double now_us)
{
    fifo_flow *flow = fifo_of(engine);
    uint32_t cell = engine->slots[slot].cell;
    fifo_message *known = &flow->messages[engine->slots[slot].message];
    double passing_us, own_us = service_us(engine, slot, &passing_us);
    double start_us = engine_larger(flow->cells[cell].clear_us, now_us);

    flow->cells[cell].busy = true;
    flow->cells[cell].serving = slot;
    engine->slots[slot].child--;
    known->end_us = engine_larger(known->end_us, start_us + passing_us);
    CCMOD_TRY(foresee(engine, start_us + own_us, cell, false));
    return lead_on(engine, slot, now_us);
}

/* Packets of the slot's message come to the cell. */
static ccmod_status ask(ccmod_engine *engine, uint32_t slot, uint32_t packets, double now_us)
{
    const engine_slot *place = &engine->slots[slot];
    engine_cell *account = &engine->cells[place->cell];
    bool first = place->child == fifo_of(engine)->messages[place->message].packets;

    if (first && place->back == 0 && ++account->count > account->peak)
        account->peak = account->count;
    CCMOD_TRY(ccmod_fifo_acknowledge_ends(engine, now_us));
    if (!fifo_of(engine)->cells[place->cell].busy) {
        packets--;
        CCMOD_TRY(serve(engine, slot, now_us));
    }
    return packets > 0 ? wait_in_line(engine, slot, packets, now_us) : CCMOD_OK;
}

/* The packet that was served has passed the cell. Its message is still known: it is there when its
 * last packet has passed, and not before. */
static ccmod_status pass_cell(ccmod_engine *engine, uint32_t cell, double now_us)
{
    uint32_t slot = fifo_of(engine)->cells[cell].serving;
    const engine_slot *place = &engine->slots[slot];
    const engine_message *message = &engine->pool[place->message];
    uint32_t packets = fifo_of(engine)->messages[place->message].packets;

    if (place->child == 0)
        engine->cells[cell].count--;
    if (slot + 1 < message->slots + message->slot_count)
        return CCMOD_OK;
    return ccmod_fifo_acknowledge_packets(engine, message, packets - place->child, packets, now_us);
}

static ccmod_status free_cell(ccmod_engine *engine, uint32_t cell, double now_us)
{
    fifo_cell *line = &fifo_of(engine)->cells[cell];

    add_up_waiting(engine, cell, now_us);
    CCMOD_TRY(pass_cell(engine, cell, now_us));
    line->busy = false;
    CCMOD_TRY(ccmod_fifo_acknowledge_ends(engine, now_us));
    CCMOD_TRY(ccmod_fifo_pass_acknowledgements(engine, cell, now_us));
    return line->waiting > 0 ? serve(engine, leave_line(engine, cell), now_us) : CCMOD_OK;
}

/* The rule */

static ccmod_status make_room(ccmod_engine *engine)
{
    fifo_flow *flow = fifo_of(engine);
    fifo_message *messages;

    if (engine->message_room <= flow->message_room)
        return CCMOD_OK;
    messages = realloc(flow->messages, engine->message_room * sizeof(*messages));
    if (messages == NULL)
        return ccmod_engine_no_memory(engine);
    flow->messages = messages;
    flow->message_room = engine->message_room;
    return CCMOD_OK;
}

static uint32_t most_parts(const ccmod_engine *engine)
{
    size_t most = CROWD_OF_PARTS / (engine->live + 1);

    if (most > LARGEST_PARTS)
        return LARGEST_PARTS;
    return most > 1 ? (uint32_t)most : 1;
}

/* The message in packets: each has work for its bytes and its head. */
static fifo_message in_packets(ccmod_engine *engine, const engine_message *message, double work_us)
{
    const ccmod_network *network = engine->network;
    const ccmod_delay quiet = ccmod_message_delay(engine, message);
    fifo_message made = {.end_us = engine->now_us,
                         .latency_us = engine_behind_links_us(engine, &quiet),
                         .packet_us = work_us,
                         .last_us = work_us,
                         .packets = 1};
    uint64_t packets = ccmod_packets(network, message->size_bytes);
    uint32_t most = most_parts(engine);
    double header_bytes = (double)network->header_bytes;

    if (packets == 1 || (message->flags & MESSAGE_FAN) != 0)
        return made;
    if (packets > most) {
        made.packets = most;
        made.packet_us = made.last_us = work_us / most;
        return made;
    }
    made.packets = (uint32_t)packets;
    made.packet_us = work_us * ((double)network->payload_bytes + header_bytes) /
                     ((double)message->size_bytes + (double)packets * header_bytes);
    made.last_us = work_us - (double)(packets - 1) * made.packet_us;
    return made;
}

static ccmod_status start(ccmod_engine *engine, uint32_t number, double work_us)
{
    engine_message *message = &engine->pool[number];
    bool fan = (message->flags & MESSAGE_FAN) != 0;
    uint32_t first = message->slots, asked = fan ? message->slot_count : 1;
    uint32_t packets;

    CCMOD_TRY(make_room(engine));
    CCMOD_TRY(ccmod_fifo_note_start(engine, message));
    ccmod_background_admit(engine, message);
    fifo_of(engine)->messages[number] = in_packets(engine, message, work_us);
    packets = fifo_of(engine)->messages[number].packets;
    for (uint32_t i = first; i < first + message->slot_count; i++) {
        engine->cells[engine->slots[i].cell].work_us += work_us;
        engine->slots[i].child = packets;
        engine->slots[i].back = 0;
    }
    engine->live++;
    message->owner = fan ? message->slot_count : packets;
    for (uint32_t i = 0; i < asked; i++)
        CCMOD_TRY(ask(engine, first + i, packets, engine->now_us));
    return CCMOD_OK;
}

static ccmod_status settle(ccmod_engine *engine)
{
    (void)engine;
    return CCMOD_OK;
}

static double next(ccmod_engine *engine)
{
    const fifo_flow *flow = fifo_of(engine);
    double time_us = flow->count > 0 ? flow->heap[0].time_us : HUGE_VAL;

    return fmin(time_us, engine_background_boundary(engine));
}

static ccmod_status carry_out(ccmod_engine *engine, const fifo_event *event)
{
    if (!event->arrival)
        return free_cell(engine, event->subject, event->time_us);
    CCMOD_TRY(ccmod_fifo_note_arrival(engine, &engine->pool[event->subject], event->time_us));
    engine->live--;
    return engine_append(engine, &engine->ended, event->subject);
}

static ccmod_status pass(ccmod_engine *engine)
{
    fifo_flow *flow = fifo_of(engine);
    double until_us = engine->now_us + engine_instant_us(engine);

    if (engine_background_boundary(engine) <= until_us)
        engine->interval++;
    while (flow->count > 0 && flow->heap[0].time_us <= until_us) {
        fifo_event event = take_first(flow);

        CCMOD_TRY(carry_out(engine, &event));
    }
    return CCMOD_OK;
}

static void close_fifo(ccmod_engine *engine)
{
    fifo_flow *flow = fifo_of(engine);

    if (flow == NULL)
        return;
    free(flow->heap);
    free(flow->cells);
    free(flow->runs);
    free(flow->messages);
    ccmod_fifo_acknowledgements_close(&flow->acknowledgements);
    free(flow);
}

static ccmod_status open_fifo(ccmod_engine *engine)
{
    fifo_flow *flow = calloc(1, sizeof(*flow));

    engine->flow = flow;
    if (flow == NULL)
        return ccmod_engine_no_memory(engine);
    flow->cells = calloc(engine->cell_count + 1, sizeof(*flow->cells));
    if (flow->cells == NULL)
        return ccmod_engine_no_memory(engine);
    ccmod_fifo_lines_open(flow, engine->cell_count);
    return ccmod_fifo_acknowledgements_open(engine);
}

const flow_operations ccmod_flows_fifo = {
    open_fifo, close_fifo, start, settle, next, pass, .latency_behind = true};
