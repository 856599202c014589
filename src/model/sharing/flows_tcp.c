/* The share rule tcp: links serve one frame after the other, as with fifo, and the ports of
 * switches have buffers of a given size. A frame that finds no room is dropped, and the TCP
 * connection that it belongs to notices and sends it again.
 *
 * A pair of nodes has one connection, with a direction each way (tcp_sender.h, tcp_receiver.h). A
 * message is bytes in that direction's stream, and arrives when all bytes up to its end have
 * arrived. Frames of acknowledgement pass the links as others do. The queue of a node's own link
 * has no limit. */
#include "model/sharing/flows.h"

#include <stdlib.h>

#include "base/event_heap.h"
#include "base/grow.h"
#include "base/random.h"
#include "model/sharing/cells.h"
#include "model/sharing/tcp_receiver.h"
#include "model/sharing/tcp_sender.h"

/* Preamble, checksum and gap of Ethernet pass the link and take no room in a buffer. */
enum { UNSTORED_BYTES = 24 };

/* Kinds of events, and what their subject is. */
enum {
    EVENT_CELL_FREE, /* a cell */
    EVENT_DELIVERY,  /* a frame */
    EVENT_TIMER,     /* a direction, whose sender's timer may be due */
    EVENT_DELAYED,   /* a direction, whose receiver's acknowledgement may be due */
    EVENT_ARRIVAL,   /* a message */
    EVENT_START      /* a direction, whose source has written a message */
};

typedef struct {
    uint32_t direction; /* of the data, or of the data that is acknowledged */
    uint32_t hop;       /* the current cell of its way */
    uint32_t next;      /* in a queue, or in the free list */
    bool has_data;
    uint64_t bytes;
    double entered_us, end_us; /* when it came to the cell; when it has passed, as far as known */
    tcp_data data;
    tcp_acknowledgement acknowledgement; /* with data: of the other direction */
} tcp_frame;

/* Directions 2 n and 2 n + 1 are one connection. */
typedef struct {
    uint32_t source, destination;
    uint32_t next_of_source; /* list */
    uint32_t *way;           /* its cells */
    size_t length;
    double us_per_byte;                   /* of its last message, on the links, headers included */
    double latency_us;                    /* after the links */
    uint32_t first_message, last_message; /* not yet complete: a list by child */
    tcp_sender sender;
    tcp_receiver receiver;
    double timer_us, delayed_us; /* of the next event; infinite: none */
} tcp_direction;

typedef struct {
    uint32_t first, last; /* frames in the queue; first is TRAFFIC_NONE if empty */
    bool busy;
    uint64_t serving_bytes; /* of the frame being served */
    uint64_t bytes;         /* in the buffer, these included */
} tcp_cell;

typedef struct {
    cb_event_heap heap;
    tcp_cell *cells;
    tcp_frame *frames;
    size_t frame_count, frame_room;
    uint32_t free_frame;
    tcp_direction *directions;
    size_t direction_count, direction_room;
    uint32_t *first_of_source;
    uint64_t buffered_bytes; /* in all ports */
    cb_random random;
    size_t switch_cells; /* cells from this number on are ends of nodes, with no buffers */
} tcp_flow;

static tcp_flow *flow_of(const ccmod_traffic *traffic)
{
    return traffic->flow;
}

static ccmod_status schedule(ccmod_traffic *traffic, double time_us, uint32_t subject,
                             uint32_t kind)
{
    return cb_event_heap_put(&flow_of(traffic)->heap, time_us, subject, kind)
               ? CCMOD_OK
               : ccmod_traffic_no_memory(traffic);
}

/* Frames */

static ccmod_status take_frame(ccmod_traffic *traffic, uint32_t *out)
{
    tcp_flow *flow = flow_of(traffic);
    tcp_frame *frames;

    if (flow->free_frame != TRAFFIC_NONE) {
        *out = flow->free_frame;
        flow->free_frame = flow->frames[*out].next;
        return CCMOD_OK;
    }
    if (flow->frame_count >= TRAFFIC_NONE)
        return ccmod_traffic_no_memory(traffic);
    frames = cb_grow(flow->frames, flow->frame_count, &flow->frame_room, sizeof(*frames));
    if (frames == NULL)
        return ccmod_traffic_no_memory(traffic);
    flow->frames = frames;
    *out = (uint32_t)flow->frame_count++;
    return CCMOD_OK;
}

static void give_frame(tcp_flow *flow, uint32_t number)
{
    flow->frames[number].next = flow->free_frame;
    flow->free_frame = number;
}

/* The direction in which the frame travels. */
static const tcp_direction *way_of(const tcp_flow *flow, const tcp_frame *frame)
{
    return &flow->directions[frame->has_data ? frame->direction : frame->direction ^ 1];
}

static uint64_t stored_bytes(const tcp_frame *frame)
{
    return frame->bytes > UNSTORED_BYTES ? frame->bytes - UNSTORED_BYTES : frame->bytes;
}

/* Ports */

/* Whether the cell's frames leave a switch. */
static bool is_port(const tcp_flow *flow, const tcp_frame *frame, uint32_t cell)
{
    return frame->hop > 0 && cell < flow->switch_cells;
}

/* Whether a port's queue may grow to this size, with the buffer that all ports share at the other.
 */
static bool has_room(const ccmod_parameters *parameters, uint64_t queue_bytes,
                     uint64_t buffered_bytes)
{
    uint64_t limit_bytes = parameters->buffer_bytes;

    if (limit_bytes == 0)
        return true;
    if (!(parameters->buffer_alpha > 0))
        return queue_bytes <= limit_bytes;
    return buffered_bytes <= limit_bytes &&
           (double)queue_bytes <= parameters->buffer_alpha * (double)(limit_bytes - buffered_bytes);
}

/* Put the frame into the port's buffer; false: it is dropped. */
static bool occupy(ccmod_traffic *traffic, const tcp_frame *frame, uint32_t cell)
{
    tcp_flow *flow = flow_of(traffic);
    ccmod_losses *losses = &traffic->losses;
    uint64_t bytes = stored_bytes(frame);

    losses->frames++;
    if (!has_room(&traffic->parameters, flow->cells[cell].bytes + bytes,
                  flow->buffered_bytes + bytes)) {
        losses->dropped++;
        return false;
    }
    flow->cells[cell].bytes += bytes;
    flow->buffered_bytes += bytes;
    if (flow->cells[cell].bytes > losses->queue_bytes) {
        losses->queue_bytes = flow->cells[cell].bytes;
        losses->queue_cell = cell;
    }
    if (flow->buffered_bytes > losses->buffered_bytes)
        losses->buffered_bytes = flow->buffered_bytes;
    return true;
}

/* Hosts answer a little irregularly. Without that, the frames of a connection would find the same
 * queue time after time, and lose each time or never (phase effects: Floyd and Jacobson 1992, who
 * add up to the time of a frame, too). */
static double hesitation_us(ccmod_traffic *traffic, const tcp_direction *way)
{
    const ccmod_network *network = traffic->network;
    double frame_us = way->us_per_byte * (double)(network->payload_bytes + network->header_bytes);

    return cb_random_unit(&flow_of(traffic)->random) * fmin(frame_us, way->latency_us);
}

static ccmod_status enter_cell(ccmod_traffic *traffic, uint32_t number, double now_us);

/* Start to serve a frame at its cell. Its head moves on: it enters the next cell at once, or is
 * delivered after it has passed the last one. */
static ccmod_status serve(ccmod_traffic *traffic, uint32_t number, double now_us)
{
    tcp_flow *flow = flow_of(traffic);
    tcp_frame *frame = &flow->frames[number];
    const tcp_direction *way = way_of(flow, frame);
    uint32_t cell = way->way[frame->hop];
    double width = cell_width(traffic, cell);
    double work_us = way->us_per_byte * (double)frame->bytes;

    flow->cells[cell].busy = true;
    flow->cells[cell].serving_bytes = is_port(flow, frame, cell) ? stored_bytes(frame) : 0;
    traffic->cells[cell].work_us += work_us;
    traffic->cells[cell].lost_us += now_us - frame->entered_us;
    frame->end_us = traffic_larger(frame->end_us, now_us + (width < 1 ? work_us / width : work_us));
    CCMOD_TRY(schedule(traffic, now_us + work_us / width, cell, EVENT_CELL_FREE));
    if (++frame->hop < way->length)
        return enter_cell(traffic, number, now_us);
    return schedule(traffic,
                    frame->end_us + way->latency_us +
                        (frame->has_data ? 0 : hesitation_us(traffic, way)),
                    number, EVENT_DELIVERY);
}

static ccmod_status enter_cell(ccmod_traffic *traffic, uint32_t number, double now_us)
{
    tcp_flow *flow = flow_of(traffic);
    tcp_frame *frame = &flow->frames[number];
    uint32_t cell = way_of(flow, frame)->way[frame->hop];
    tcp_cell *place = &flow->cells[cell];

    if (is_port(flow, frame, cell) && !occupy(traffic, frame, cell)) {
        give_frame(flow, number);
        return CCMOD_OK;
    }
    frame->entered_us = now_us;
    frame->next = TRAFFIC_NONE;
    if (!place->busy)
        return serve(traffic, number, now_us);
    if (place->first == TRAFFIC_NONE)
        place->first = number;
    else
        flow->frames[place->last].next = number;
    place->last = number;
    return CCMOD_OK;
}

static ccmod_status free_cell(ccmod_traffic *traffic, uint32_t cell, double now_us)
{
    tcp_flow *flow = flow_of(traffic);
    tcp_cell *place = &flow->cells[cell];
    uint32_t number = place->first;

    place->bytes -= place->serving_bytes;
    flow->buffered_bytes -= place->serving_bytes;
    place->busy = false;
    if (number == TRAFFIC_NONE)
        return CCMOD_OK;
    place->first = flow->frames[number].next;
    return serve(traffic, number, now_us);
}

/* Connections */

/* Send a frame of acknowledgement of what came in the direction. */
static ccmod_status send_acknowledgement(ccmod_traffic *traffic, uint32_t direction,
                                         const tcp_acknowledgement *said, double now_us)
{
    uint32_t number = TRAFFIC_NONE;

    CCMOD_TRY(take_frame(traffic, &number));
    flow_of(traffic)->frames[number] = (tcp_frame){
        .direction = direction, .bytes = traffic->network->header_bytes, .acknowledgement = *said};
    return enter_cell(traffic, number, now_us);
}

static ccmod_status send_data(ccmod_traffic *traffic, uint32_t direction, const tcp_data *data,
                              double now_us)
{
    tcp_flow *flow = flow_of(traffic);
    tcp_receiver *own = &flow->directions[direction ^ 1].receiver;
    uint32_t number = TRAFFIC_NONE;

    CCMOD_TRY(take_frame(traffic, &number));
    flow->frames[number] =
        (tcp_frame){.direction = direction,
                    .has_data = true,
                    .bytes = data->end - data->start + traffic->network->header_bytes,
                    .data = *data,
                    .acknowledgement = tcp_receiver_acknowledge(own)};
    tcp_receiver_note_sent_data(own, now_us);
    traffic->losses.retransmitted += data->again;
    return enter_cell(traffic, number, now_us);
}

/* Events that are early or late for a timer that has changed do nothing, or schedule another. */
static ccmod_status schedule_timers(ccmod_traffic *traffic, uint32_t number)
{
    tcp_direction *direction = &flow_of(traffic)->directions[number];

    if (direction->sender.timer != TCP_TIMER_NONE &&
        direction->sender.timer_us < direction->timer_us) {
        direction->timer_us = direction->sender.timer_us;
        CCMOD_TRY(schedule(traffic, direction->timer_us, number, EVENT_TIMER));
    }
    if (direction->receiver.delayed_us < direction->delayed_us) {
        direction->delayed_us = direction->receiver.delayed_us;
        return schedule(traffic, direction->delayed_us, number, EVENT_DELAYED);
    }
    return CCMOD_OK;
}

/* Send what the sender may send now. */
static ccmod_status pump(ccmod_traffic *traffic, uint32_t number, double now_us)
{
    tcp_sender *sender = &flow_of(traffic)->directions[number].sender;
    tcp_data data;

    for (;;) {
        if (!tcp_sender_reserve(sender))
            return ccmod_traffic_no_memory(traffic);
        if (!tcp_sender_take(sender, now_us, &data))
            break;
        CCMOD_TRY(send_data(traffic, number, &data, now_us));
    }
    tcp_sender_settle(sender, now_us);
    return schedule_timers(traffic, number);
}

/* Messages whose last byte has arrived are complete. A long message may have a longer latency than
 * its frames. */
static ccmod_status complete_messages(ccmod_traffic *traffic, tcp_direction *direction,
                                      double now_us, bool *any)
{
    *any = false;
    while (direction->first_message != TRAFFIC_NONE) {
        uint32_t number = direction->first_message;
        const traffic_message *message = &traffic->pool[number];
        ccmod_delay quiet;
        double rest_us;

        if (message->finish > (double)direction->receiver.next)
            return CCMOD_OK;
        quiet = ccmod_message_delay(traffic, message);
        rest_us = message_after_links_us(traffic, &quiet) - direction->latency_us;
        direction->first_message = message->child;
        *any = true;
        CCMOD_TRY(schedule(traffic, now_us + traffic_larger(rest_us, 0), number, EVENT_ARRIVAL));
    }
    return CCMOD_OK;
}

static ccmod_status receive_data(ccmod_traffic *traffic, const tcp_frame *frame, double now_us)
{
    tcp_direction *direction = &flow_of(traffic)->directions[frame->direction];
    tcp_acknowledgement said;
    bool complete;
    tcp_answer answer = tcp_receiver_take(&direction->receiver, &frame->data,
                                          direction->sender.segment_bytes, now_us, &said);

    if (answer == TCP_NO_MEMORY)
        return ccmod_traffic_no_memory(traffic);
    CCMOD_TRY(complete_messages(traffic, direction, now_us, &complete));
    if (answer == TCP_LATER && complete && tcp_receiver_read(&direction->receiver)) {
        said = tcp_receiver_acknowledge(&direction->receiver);
        answer = TCP_NOW;
    }
    if (answer == TCP_NOW)
        CCMOD_TRY(send_acknowledgement(traffic, frame->direction, &said, now_us));
    return schedule_timers(traffic, frame->direction);
}

static ccmod_status deliver(ccmod_traffic *traffic, uint32_t number, double now_us)
{
    tcp_flow *flow = flow_of(traffic);
    const tcp_frame frame = flow->frames[number];
    uint32_t acknowledged = frame.has_data ? frame.direction ^ 1 : frame.direction;
    tcp_sender *sender = &flow->directions[acknowledged].sender;

    give_frame(flow, number);
    if (!frame.has_data || frame.acknowledgement.acked > sender->unacknowledged) {
        tcp_sender_acknowledge(sender, &frame.acknowledgement, now_us);
        CCMOD_TRY(pump(traffic, acknowledged, now_us));
    }
    return frame.has_data ? receive_data(traffic, &frame, now_us) : CCMOD_OK;
}

static ccmod_status check_timer(ccmod_traffic *traffic, uint32_t number, double now_us)
{
    tcp_direction *direction = &flow_of(traffic)->directions[number];

    if (now_us < direction->timer_us)
        return CCMOD_OK;
    direction->timer_us = HUGE_VAL;
    if (direction->sender.timer == TCP_TIMER_NONE || now_us < direction->sender.timer_us)
        return schedule_timers(traffic, number);
    traffic->losses.timeouts += direction->sender.timer == TCP_TIMER_RETRANSMIT;
    tcp_sender_expire(&direction->sender, now_us);
    return pump(traffic, number, now_us);
}

static ccmod_status check_delayed(ccmod_traffic *traffic, uint32_t number, double now_us)
{
    tcp_direction *direction = &flow_of(traffic)->directions[number];
    tcp_acknowledgement said;

    if (now_us < direction->delayed_us)
        return CCMOD_OK;
    direction->delayed_us = HUGE_VAL;
    if (now_us < direction->receiver.delayed_us)
        return schedule_timers(traffic, number);
    tcp_receiver_expire(&direction->receiver);
    said = tcp_receiver_acknowledge(&direction->receiver);
    return send_acknowledgement(traffic, number, &said, now_us);
}

static ccmod_status open_direction(ccmod_traffic *traffic, uint32_t source, uint32_t destination,
                                   double us_per_byte, double latency_us, tcp_direction *opened)
{
    const ccmod_network *network = traffic->network;
    tcp_flow *flow = flow_of(traffic);

    *opened = (tcp_direction){.source = source,
                              .destination = destination,
                              .next_of_source = flow->first_of_source[source],
                              .way = calloc(network->longest_route, sizeof(*opened->way)),
                              .us_per_byte = us_per_byte,
                              .latency_us = latency_us,
                              .first_message = TRAFFIC_NONE,
                              .timer_us = HUGE_VAL,
                              .delayed_us = HUGE_VAL};
    tcp_sender_open(&opened->sender, network->payload_bytes,
                    2 * (latency_us + us_per_byte * (double)network->header_bytes));
    tcp_receiver_open(&opened->receiver);
    flow->first_of_source[source] = (uint32_t)flow->direction_count++;
    if (opened->way == NULL)
        return ccmod_traffic_no_memory(traffic);
    opened->length = network->operations->route(network, source, destination, opened->way);
    return CCMOD_OK;
}

/* The direction from the message's source to its destination; opens a connection for the first one.
 */
static ccmod_status find_direction(ccmod_traffic *traffic, const traffic_message *message,
                                   double us_per_byte, uint32_t *out)
{
    tcp_flow *flow = flow_of(traffic);
    uint32_t source = message->source, destination = message->destination;
    traffic_message byte = *message;
    tcp_direction *directions;
    ccmod_delay quiet;
    double latency_us;

    for (*out = flow->first_of_source[source]; *out != TRAFFIC_NONE;
         *out = flow->directions[*out].next_of_source) {
        if (flow->directions[*out].destination == destination)
            return CCMOD_OK;
    }
    *out = (uint32_t)flow->direction_count;
    directions = flow->direction_count + 2 > TRAFFIC_NONE
                     ? NULL
                     : cb_grow(flow->directions, flow->direction_count + 1, &flow->direction_room,
                               sizeof(*directions));
    if (directions == NULL)
        return ccmod_traffic_no_memory(traffic);
    flow->directions = directions;
    byte.size_bytes = 1;
    quiet = ccmod_message_delay(traffic, &byte);
    latency_us = message_after_links_us(traffic, &quiet);
    CCMOD_TRY(
        open_direction(traffic, source, destination, us_per_byte, latency_us, &directions[*out]));
    return open_direction(traffic, destination, source, us_per_byte, latency_us,
                          &directions[*out + 1]);
}

/* The rule */

static ccmod_status start(ccmod_traffic *traffic, uint32_t number, double work_us)
{
    traffic_message *message = &traffic->pool[number];
    uint64_t bytes = message->size_bytes > 0 ? message->size_bytes : 1;
    uint64_t headers = ccmod_packets(traffic->network, bytes) * traffic->network->header_bytes;
    uint32_t which = TRAFFIC_NONE;
    double us_per_byte = work_us / (double)(bytes + headers);
    tcp_direction *direction;

    if ((message->flags & MESSAGE_MULTICAST) != 0)
        return ccmod_fail(traffic->audience.error, CCMOD_ERROR_USAGE, traffic->name, message->line,
                          "cannot evaluate a multicast with share rule tcp, whose connections have "
                          "two ends; write a send for each receiver, or use share rule fifo");
    CCMOD_TRY(find_direction(traffic, message, us_per_byte, &which));
    for (uint32_t i = message->slots; i < message->slots + message->slot_count; i++) {
        traffic_cell *cell = &traffic->cells[traffic->slots[i].cell];

        if (++cell->count > cell->peak)
            cell->peak = cell->count;
    }
    direction = &flow_of(traffic)->directions[which];
    direction->us_per_byte = us_per_byte;
    tcp_sender_write(&direction->sender, bytes, traffic->now_us);
    message->finish = (double)direction->sender.written;
    message->child = TRAFFIC_NONE;
    if (direction->first_message == TRAFFIC_NONE)
        direction->first_message = number;
    else
        traffic->pool[direction->last_message].child = number;
    direction->last_message = number;
    traffic->live++;
    return schedule(traffic, traffic->now_us + hesitation_us(traffic, direction), which,
                    EVENT_START);
}

static ccmod_status settle_nothing(ccmod_traffic *traffic)
{
    (void)traffic;
    return CCMOD_OK;
}

static double next(ccmod_traffic *traffic)
{
    const cb_event_heap *heap = &flow_of(traffic)->heap;

    return heap->count > 0 ? heap->events[0].time : HUGE_VAL;
}

static ccmod_status arrive(ccmod_traffic *traffic, uint32_t number)
{
    const traffic_message *message = &traffic->pool[number];

    for (uint32_t i = message->slots; i < message->slots + message->slot_count; i++)
        traffic->cells[traffic->slots[i].cell].count--;
    traffic->live--;
    return traffic_append(traffic, &traffic->ended, number);
}

static ccmod_status handle(ccmod_traffic *traffic, const cb_event *event)
{
    switch (event->kind) {
    case EVENT_CELL_FREE:
        return free_cell(traffic, event->subject, event->time);
    case EVENT_DELIVERY:
        return deliver(traffic, event->subject, event->time);
    case EVENT_TIMER:
        return check_timer(traffic, event->subject, event->time);
    case EVENT_DELAYED:
        return check_delayed(traffic, event->subject, event->time);
    case EVENT_START:
        return pump(traffic, event->subject, event->time);
    default:
        return arrive(traffic, event->subject);
    }
}

static ccmod_status pass(ccmod_traffic *traffic)
{
    cb_event_heap *heap = &flow_of(traffic)->heap;
    double until_us = traffic->now_us + traffic_instant_us(traffic);

    while (heap->count > 0 && heap->events[0].time <= until_us) {
        cb_event event = cb_event_heap_take(heap);

        CCMOD_TRY(handle(traffic, &event));
    }
    return CCMOD_OK;
}

static void close_tcp(ccmod_traffic *traffic)
{
    tcp_flow *flow = flow_of(traffic);

    if (flow == NULL)
        return;
    for (size_t i = 0; i < flow->direction_count; i++) {
        free(flow->directions[i].way);
        tcp_sender_close(&flow->directions[i].sender);
        tcp_receiver_close(&flow->directions[i].receiver);
    }
    free(flow->directions);
    free(flow->first_of_source);
    free(flow->frames);
    free(flow->cells);
    free(flow->heap.events);
    free(flow);
}

static ccmod_status open_tcp(ccmod_traffic *traffic)
{
    const ccmod_network *network = traffic->network;
    tcp_flow *flow = calloc(1, sizeof(*flow));

    traffic->flow = flow;
    if (flow == NULL)
        return ccmod_traffic_no_memory(traffic);
    flow->free_frame = TRAFFIC_NONE;
    flow->random = cb_random_seed(traffic->parameters.seed);
    /* The ends of nodes come last: a link a node, and one for both directions. */
    flow->switch_cells =
        2 * (network->interleaving > 0 ? network->interleaving - network->nodes : network->links);
    flow->cells = malloc((traffic->cell_count + 1) * sizeof(*flow->cells));
    flow->first_of_source = malloc((traffic->processors + 1) * sizeof(*flow->first_of_source));
    if (flow->cells == NULL || flow->first_of_source == NULL)
        return ccmod_traffic_no_memory(traffic);
    for (size_t i = 0; i < traffic->cell_count; i++)
        flow->cells[i] = (tcp_cell){.first = TRAFFIC_NONE};
    for (size_t i = 0; i < traffic->processors; i++)
        flow->first_of_source[i] = TRAFFIC_NONE;
    return CCMOD_OK;
}

const flow_operations ccmod_flows_tcp = {
    open_tcp, close_tcp, start, settle_nothing, next, pass, .latency_after = true};
