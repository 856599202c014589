/* The share rule fifo: links serve one packet after the other, in order of arrival, as a switch
 * with a queue per port.
 *
 * The packets of a message queue at its source. A packet occupies a cell for its work over the
 * cell's width. As soon as it has a cell it requests the next of its route, since its head moves on
 * while its bytes follow; if it has to wait there, it is queued and does not occupy the previous
 * cell longer. A message arrives when its last packet has passed its last cell. A multicast is sent
 * as one packet and requests all cells of its tree at once. */
#include "model/sharing/flows.h"

#include <stdlib.h>

#include "model/sharing/cells.h"
#include "model/sharing/fifo.h"
#include "model/sharing/fifo_horizons.h"

/* A longer message is sent in LARGEST_PARTS parts of equal length, instead of packets: the
 * interleaving error is a hundredth of it, and long messages do not dominate the cost. With many
 * messages each has fewer parts, so that about CROWD_OF_PARTS are in transit: among hundreds in a
 * queue the number of parts of each matters little. */
enum { LARGEST_PARTS = 64, CROWD_OF_PARTS = 4096 };

/* Kinds of events, and what their subject is. */
enum {
    EVENT_CELL_FREE, /* a cell */
    EVENT_ARRIVAL    /* a message */
};

static ccmod_status schedule(ccmod_traffic *traffic, double time_us, uint32_t subject,
                             uint32_t kind)
{
    return event_heap_put(&fifo_of(traffic)->heap, time_us, subject, kind)
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

/* Service */

/* How long the next packet of the slot's message occupies the cell, and how long it takes to pass:
 * a wide cell is free before a message delayed by other cells has passed. If messages are
 * interleaved, the last part has passed when all are served. */
static double service_us(ccmod_traffic *traffic, uint32_t slot, double *passing_us)
{
    const traffic_slot *place = &traffic->slots[slot];
    const fifo_message *known = &fifo_of(traffic)->messages[place->message];
    double width = cell_width(traffic, place->cell);
    size_t interleaving = traffic->network->interleaving;
    bool interleaved;
    double work_us = place->child > 1 ? known->packet_us : known->last_us;

    if (background_is_evaluated(traffic))
        ccmod_background_draw(traffic, place->cell);
    else if (traffic->drawn != NULL)
        ccmod_background_refresh(traffic, &traffic->pool[place->message]);
    work_us /= 1 - cell_load(traffic, place->cell);
    interleaved = interleaving > 0 && place->cell / 2 >= interleaving;
    *passing_us = width < 1 || interleaved ? work_us / width : work_us;
    return work_us / width;
}

static ccmod_status enter_cell(ccmod_traffic *traffic, uint32_t slot, uint32_t packets,
                               double now_us);

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
    double passing_us, own_us = service_us(traffic, slot, &passing_us);
    double start_us = traffic_larger(flow->cells[cell].clear_us, now_us);

    flow->cells[cell].busy = true;
    flow->cells[cell].serving = slot;
    traffic->slots[slot].child--;
    known->end_us = traffic_larger(known->end_us, start_us + passing_us);
    CCMOD_TRY(schedule(traffic, start_us + own_us, cell, EVENT_CELL_FREE));
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

static uint32_t most_parts(const ccmod_traffic *traffic)
{
    size_t most = CROWD_OF_PARTS / (traffic->live + 1);

    if (most > LARGEST_PARTS)
        return LARGEST_PARTS;
    return most > 1 ? (uint32_t)most : 1;
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
                         .packets = 1};
    uint64_t packets = ccmod_packets(network, message->size_bytes);
    uint32_t most = most_parts(traffic);
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
    uint32_t packets;

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
    for (uint32_t i = 0; i < asked; i++)
        CCMOD_TRY(enter_cell(traffic, first + i, packets, traffic->now_us));
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
    double time_us = flow->heap.count > 0 ? flow->heap.events[0].time_us : HUGE_VAL;

    return fmin(time_us, background_boundary_us(traffic));
}

static ccmod_status pass(ccmod_traffic *traffic)
{
    fifo_flow *flow = fifo_of(traffic);
    double until_us = traffic->now_us + traffic_instant_us(traffic);

    if (background_boundary_us(traffic) <= until_us)
        traffic->interval++;
    while (flow->heap.count > 0 && flow->heap.events[0].time_us <= until_us) {
        heap_event event = event_heap_take(&flow->heap);

        if (event.kind == EVENT_CELL_FREE) {
            CCMOD_TRY(free_cell(traffic, event.subject, event.time_us));
            continue;
        }
        CCMOD_TRY(ccmod_fifo_note_arrival(traffic, &traffic->pool[event.subject], event.time_us));
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
    if (flow->cells == NULL)
        return ccmod_traffic_no_memory(traffic);
    ccmod_fifo_queues_open(flow, traffic->cell_count);
    return ccmod_fifo_acknowledgements_open(traffic);
}

const flow_operations ccmod_flows_fifo = {
    open_fifo, close_fifo, start, settle_nothing, next, pass, .latency_after = true};

const flow_operations ccmod_flows_fifo_observed = {
    open_fifo, close_fifo,    start_observed,       settle_nothing,
    next,      pass_observed, .latency_after = true};
