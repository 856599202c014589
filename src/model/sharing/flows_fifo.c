/* The share rule fifo: links serve one packet after the other, in order of arrival, as a switch
 * with a queue per port.
 *
 * The packets of a message queue at its source, but to a destination that was idle only
 * CB_FIRST_WINDOW at a time: when one leaves the queue, the next comes. So long messages to
 * different destinations share the link of their source, while messages to one destination stay in
 * order. A packet occupies a cell for its work over the cell's width. As soon as it has a cell it
 * requests the next of its route, since its head moves on while its bytes follow; if it has to wait
 * there, it is queued and does not occupy the previous cell longer. A message arrives when its last
 * packet has passed its last cell. A multicast is sent as one packet and requests all cells of its
 * tree at once. */
#include "model/sharing/flows.h"

#include <stdlib.h>

#include "base/parts.h"
#include "model/sharing/cells.h"
#include "model/sharing/fifo.h"
#include "model/sharing/fifo_horizons.h"

/* Kinds of events, and what their subject is. */
enum {
    EVENT_CELL_FREE, /* a cell */
    EVENT_ARRIVAL    /* a message */
};

static ccmod_status schedule(ccmod_traffic *traffic, double time_us, uint32_t subject,
                             uint32_t kind)
{
    return cb_event_heap_put(&fifo_of(traffic)->heap, time_us, subject, kind)
               ? CCMOD_OK
               : ccmod_traffic_no_memory(traffic);
}

/* Queues */

/* Account the time lost by waiting messages. Packets of the message being served wait for their
 * own. */
static void add_up_waiting(ccmod_traffic *traffic, uint32_t cell, double now_us)
{
    fifo_cell *line = &fifo_of(traffic)->cells[cell];
    uint32_t waiting = line->waiting;

    if (line->busy && traffic->slots[line->serving].back > 0)
        waiting--;
    traffic->cells[cell].lost_us += waiting * (now_us - line->since_us);
    line->since_us = now_us;
}

/* Append packets of the slot's message to the queue. */
static ccmod_status enqueue_packets(ccmod_traffic *traffic, uint32_t slot, uint32_t packets,
                                    double now_us)
{
    traffic_slot *place = &traffic->slots[slot];

    add_up_waiting(traffic, place->cell, now_us);
    fifo_of(traffic)->cells[place->cell].waiting += place->back == 0;
    place->back += packets;
    return ccmod_fifo_enqueue(traffic, place->cell, (fifo_run){.slot = slot, .packets = packets});
}

/* Messages that are held back at their source */

static ccmod_status enter_cell(ccmod_traffic *traffic, uint32_t slot, uint32_t packets,
                               double now_us);

/* The message to this destination of which packets are held; TRAFFIC_NONE if there is none. */
static uint32_t find_held(const ccmod_traffic *traffic, uint32_t source, uint32_t destination)
{
    const fifo_flow *flow = fifo_of(traffic);
    uint32_t found = flow->first_held[source];

    while (found != TRAFFIC_NONE && traffic->pool[found].destination != destination)
        found = flow->messages[found].next_held;
    return found;
}

/* No packet of the message is held any more: its follower takes its place. */
static void end_hold(ccmod_traffic *traffic, uint32_t number)
{
    fifo_flow *flow = fifo_of(traffic);
    fifo_message *ended = &flow->messages[number];
    uint32_t *place = &flow->first_held[traffic->pool[number].source];

    while (*place != number)
        place = &flow->messages[*place].next_held;
    *place = ended->next_held;
    if (ended->follower == TRAFFIC_NONE)
        return;
    flow->messages[ended->follower].next_held = *place;
    flow->messages[ended->follower].last_follower = ended->last_follower;
    *place = ended->follower;
}

/* The connection of a long message: while it is in use its window grows, and nothing is held. */
static ccmod_status find_window(ccmod_traffic *traffic, const traffic_message *message,
                                conversation **talk)
{
    *talk =
        ccmod_conversation_of(&fifo_of(traffic)->windows, message->source, message->destination);
    return *talk != NULL ? CCMOD_OK : ccmod_traffic_no_memory(traffic);
}

/* Hold back what is more than the window, or all if a message to the same destination is held.
 * *come: the number of packets that are not held. */
static ccmod_status hold_packets(ccmod_traffic *traffic, uint32_t number, uint32_t *come)
{
    fifo_flow *flow = fifo_of(traffic);
    const traffic_message *message = &traffic->pool[number];
    fifo_message *known = &flow->messages[number];
    uint32_t before = find_held(traffic, message->source, message->destination);
    uint64_t packets = ccmod_packets(traffic->network, message->size_bytes);
    conversation *talk;
    bool in_use;

    *come = known->packets;
    known->follower = known->next_held = TRAFFIC_NONE;
    known->last_follower = number;
    if (before != TRAFFIC_NONE) {
        flow->messages[flow->messages[before].last_follower].follower = number;
        flow->messages[before].last_follower = number;
        known->held = known->packets;
        *come = 0;
        return CCMOD_OK;
    }
    if (packets <= CB_FIRST_WINDOW || known->packets == 1)
        return CCMOD_OK;
    CCMOD_TRY(find_window(traffic, message, &talk));
    in_use = traffic->now_us - talk->received_us <= CB_IDLE_US;
    talk->received_us = HUGE_VAL; /* until its last packet leaves */
    if (in_use)
        return CCMOD_OK;
    *come = cb_first_window(packets, known->packets);
    known->held = known->packets - *come;
    known->next_held = flow->first_held[message->source];
    flow->first_held[message->source] = number;
    return CCMOD_OK;
}

/* A packet of the message leaves the queue of its first link: another one may come. */
static ccmod_status release_packet(ccmod_traffic *traffic, uint32_t number, double now_us)
{
    fifo_flow *flow = fifo_of(traffic);

    if (traffic->slots[traffic->pool[number].slots].child == 0 &&
        ccmod_packets(traffic->network, traffic->pool[number].size_bytes) > CB_FIRST_WINDOW) {
        conversation *talk;

        CCMOD_TRY(find_window(traffic, &traffic->pool[number], &talk));
        talk->received_us = now_us;
    }
    while (number != TRAFFIC_NONE && flow->messages[number].held == 0)
        number = flow->messages[number].follower;
    if (number == TRAFFIC_NONE)
        return CCMOD_OK;
    if (--flow->messages[number].held == 0)
        end_hold(traffic, number);
    return enter_cell(traffic, traffic->pool[number].slots, 1, now_us);
}

/* Service */

/* Serve the next packet of the slot's message from `start_us` on. Returns when the cell is free
 * again, and when the packet has passed: a wide cell is free before a message delayed by other
 * cells has passed. If messages are interleaved, the last part has passed when all are served. */
static double service_end_us(ccmod_traffic *traffic, uint32_t slot, double start_us,
                             double *passed_us)
{
    const traffic_slot *place = &traffic->slots[slot];
    const fifo_message *known = &fifo_of(traffic)->messages[place->message];
    double width = cell_width(traffic, place->cell);
    size_t interleaving = traffic->network->interleaving;
    bool interleaved = interleaving > 0 && place->cell / 2 >= interleaving;
    double work_us = place->child > 1 ? known->packet_us : known->last_us, end_us;

    if (background_is_evaluated(traffic))
        ccmod_background_draw(traffic, place->cell);
    end_us = ccmod_background_end_us(traffic, place->cell, start_us, work_us / width);
    *passed_us = width <= 1 || interleaved
                     ? end_us
                     : ccmod_background_end_us(traffic, place->cell, start_us, work_us);
    return end_us;
}

/* Where the packet at the slot's cell goes next: to the next cell, or it arrives after passing this
 * one. */
static ccmod_status forward_packet(ccmod_traffic *traffic, uint32_t slot, double now_us)
{
    uint32_t number = traffic->slots[slot].message;
    traffic_message *message = &traffic->pool[number];
    const fifo_message *known = &fifo_of(traffic)->messages[number];

    if ((message->flags & MESSAGE_MULTICAST) == 0 &&
        slot + 1 < message->slots + message->slot_count)
        return enter_cell(traffic, slot + 1, 1, now_us);
    if (--message->owner > 0)
        return CCMOD_OK;
    return schedule(traffic, known->end_us + known->latency_us, number, EVENT_ARRIVAL);
}

/* Start serving a packet of the slot's message. */
static ccmod_status serve(ccmod_traffic *traffic, uint32_t slot, double now_us)
{
    fifo_flow *flow = fifo_of(traffic);
    uint32_t cell = traffic->slots[slot].cell;
    fifo_message *known = &flow->messages[traffic->slots[slot].message];
    double start_us = traffic_larger(flow->cells[cell].clear_us, now_us);
    double passed_us, end_us = service_end_us(traffic, slot, start_us, &passed_us);

    flow->cells[cell].busy = true;
    flow->cells[cell].serving = slot;
    traffic->slots[slot].child--;
    known->end_us = traffic_larger(known->end_us, passed_us);
    CCMOD_TRY(schedule(traffic, end_us, cell, EVENT_CELL_FREE));
    if (slot == traffic->pool[traffic->slots[slot].message].slots)
        CCMOD_TRY(release_packet(traffic, traffic->slots[slot].message, now_us));
    return forward_packet(traffic, slot, now_us);
}

/* Packets of the slot's message reach the cell. */
static ccmod_status enter_cell(ccmod_traffic *traffic, uint32_t slot, uint32_t packets,
                               double now_us)
{
    const traffic_slot *place = &traffic->slots[slot];
    traffic_cell *account = &traffic->cells[place->cell];
    bool first = place->child == fifo_of(traffic)->messages[place->message].packets;

    if (first && place->back == 0 && ++account->count > account->peak)
        account->peak = account->count;
    CCMOD_TRY(ccmod_fifo_acknowledge_ends(traffic, now_us));
    if (!fifo_of(traffic)->cells[place->cell].busy) {
        packets--;
        CCMOD_TRY(serve(traffic, slot, now_us));
    }
    return packets > 0 ? enqueue_packets(traffic, slot, packets, now_us) : CCMOD_OK;
}

/* The packet being served has passed the cell. Its message still exists: it arrives with its last
 * packet, not before. */
static ccmod_status pass_cell(ccmod_traffic *traffic, uint32_t cell, double now_us)
{
    uint32_t slot = fifo_of(traffic)->cells[cell].serving;
    const traffic_slot *place = &traffic->slots[slot];
    const traffic_message *message = &traffic->pool[place->message];
    uint32_t packets = fifo_of(traffic)->messages[place->message].packets;

    if (place->child == 0)
        traffic->cells[cell].count--;
    if (slot + 1 < message->slots + message->slot_count)
        return CCMOD_OK;
    return ccmod_fifo_acknowledge_packets(traffic, message, packets - place->child, packets,
                                          now_us);
}

static ccmod_status free_cell(ccmod_traffic *traffic, uint32_t cell, double now_us)
{
    fifo_cell *line = &fifo_of(traffic)->cells[cell];
    uint32_t slot;

    add_up_waiting(traffic, cell, now_us);
    CCMOD_TRY(pass_cell(traffic, cell, now_us));
    line->busy = false;
    CCMOD_TRY(ccmod_fifo_acknowledge_ends(traffic, now_us));
    CCMOD_TRY(ccmod_fifo_pass_acknowledgements(traffic, cell, now_us));
    if (line->waiting == 0)
        return CCMOD_OK;
    slot = ccmod_fifo_dequeue(fifo_of(traffic), cell).slot;
    line->waiting -= --traffic->slots[slot].back == 0;
    return serve(traffic, slot, now_us);
}

/* The rule */

static ccmod_status make_room(ccmod_traffic *traffic)
{
    fifo_flow *flow = fifo_of(traffic);
    fifo_message *messages;

    if (traffic->message_room <= flow->message_room)
        return CCMOD_OK;
    messages = realloc(flow->messages, traffic->message_room * sizeof(*messages));
    if (messages == NULL)
        return ccmod_traffic_no_memory(traffic);
    flow->messages = messages;
    flow->message_room = traffic->message_room;
    return CCMOD_OK;
}

/* The packets of a message: each has work for its bytes and its header. */
static fifo_message in_packets(ccmod_traffic *traffic, const traffic_message *message,
                               double work_us)
{
    const ccmod_network *network = traffic->network;
    const ccmod_delay quiet = ccmod_message_delay(traffic, message);
    fifo_message made = {.end_us = traffic->now_us,
                         .latency_us = message_after_links_us(traffic, &quiet),
                         .packet_us = work_us,
                         .last_us = work_us,
                         .packets = 1,
                         .follower = TRAFFIC_NONE};
    uint64_t packets = ccmod_packets(network, message->size_bytes);
    uint32_t most = cb_most_parts(traffic->live);
    double header_bytes = (double)network->header_bytes;

    if (packets == 1 || (message->flags & MESSAGE_MULTICAST) != 0)
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

static ccmod_status start(ccmod_traffic *traffic, uint32_t number, double work_us)
{
    traffic_message *message = &traffic->pool[number];
    bool multicast = (message->flags & MESSAGE_MULTICAST) != 0;
    uint32_t first = message->slots, asked = multicast ? message->slot_count : 1;
    uint32_t packets, come;

    CCMOD_TRY(make_room(traffic));
    CCMOD_TRY(ccmod_fifo_note_start(traffic, message));
    if (!background_is_evaluated(traffic)) /* otherwise drawn for each packet */
        ccmod_background_admit(traffic, message);
    fifo_of(traffic)->messages[number] = in_packets(traffic, message, work_us);
    packets = fifo_of(traffic)->messages[number].packets;
    for (uint32_t i = first; i < first + message->slot_count; i++) {
        traffic->cells[traffic->slots[i].cell].work_us += work_us;
        traffic->slots[i].child = packets;
        traffic->slots[i].back = 0;
    }
    traffic->live++;
    message->owner = multicast ? message->slot_count : packets;
    come = packets;
    if (!multicast)
        CCMOD_TRY(hold_packets(traffic, number, &come));
    for (uint32_t i = 0; i < asked && come > 0; i++)
        CCMOD_TRY(enter_cell(traffic, first + i, come, traffic->now_us));
    return CCMOD_OK;
}

static ccmod_status settle_nothing(ccmod_traffic *traffic)
{
    (void)traffic;
    return CCMOD_OK;
}

static double next(ccmod_traffic *traffic)
{
    const fifo_flow *flow = fifo_of(traffic);
    double time_us = flow->heap.count > 0 ? flow->heap.events[0].time : HUGE_VAL;

    return fmin(time_us, background_boundary_us(traffic));
}

static ccmod_status pass(ccmod_traffic *traffic)
{
    fifo_flow *flow = fifo_of(traffic);
    double until_us = traffic->now_us + traffic_instant_us(traffic);

    if (background_boundary_us(traffic) <= until_us)
        traffic->interval++;
    while (flow->heap.count > 0 && flow->heap.events[0].time <= until_us) {
        cb_event event = cb_event_heap_take(&flow->heap);

        if (event.kind == EVENT_CELL_FREE) {
            CCMOD_TRY(free_cell(traffic, event.subject, event.time));
            continue;
        }
        CCMOD_TRY(ccmod_fifo_note_arrival(traffic, &traffic->pool[event.subject], event.time));
        traffic->live--;
        CCMOD_TRY(traffic_append(traffic, &traffic->ended, event.subject));
    }
    return CCMOD_OK;
}

static ccmod_status start_observed(ccmod_traffic *traffic, uint32_t number, double work_us)
{
    CCMOD_TRY(ccmod_fifo_horizons_start(traffic, number));
    return start(traffic, number, work_us);
}

static ccmod_status pass_observed(ccmod_traffic *traffic)
{
    CCMOD_TRY(ccmod_fifo_horizons_begin(traffic));
    CCMOD_TRY(pass(traffic));
    return ccmod_fifo_horizons_end(traffic);
}

static void close_fifo(ccmod_traffic *traffic)
{
    fifo_flow *flow = fifo_of(traffic);

    if (flow == NULL)
        return;
    free(flow->heap.events);
    free(flow->cells);
    free(flow->runs);
    free(flow->messages);
    free(flow->first_held);
    ccmod_conversations_close(&flow->windows);
    free(flow->horizons.live);
    ccmod_fifo_acknowledgements_close(&flow->acknowledgements);
    free(flow);
}

static ccmod_status open_fifo(ccmod_traffic *traffic)
{
    fifo_flow *flow = calloc(1, sizeof(*flow));

    traffic->flow = flow;
    if (flow == NULL)
        return ccmod_traffic_no_memory(traffic);
    flow->cells = calloc(traffic->cell_count + 1, sizeof(*flow->cells));
    flow->first_held = malloc(traffic->processors * sizeof(*flow->first_held));
    if (flow->cells == NULL || flow->first_held == NULL ||
        !ccmod_conversations_open(&flow->windows))
        return ccmod_traffic_no_memory(traffic);
    for (size_t i = 0; i < traffic->processors; i++)
        flow->first_held[i] = TRAFFIC_NONE;
    ccmod_fifo_queues_open(flow, traffic->cell_count);
    return ccmod_fifo_acknowledgements_open(traffic);
}

const flow_operations ccmod_flows_fifo = {
    open_fifo, close_fifo, start, settle_nothing, next, pass, .latency_after = true};

const flow_operations ccmod_flows_fifo_observed = {
    open_fifo, close_fifo,    start_observed,       settle_nothing,
    next,      pass_observed, .latency_after = true};
