/* Packet queues of cells, and acknowledgements. Queues are linked lists of runs of packets in one
 * array for all cells.
 *
 * An acknowledgement that finds a cell free passes at once, and the cell's next service begins
 * after it. Of every two packets the second is acknowledged on arrival. A single packet at the end
 * of a message is acknowledged at once by a receiver that does not usually answer; otherwise the
 * acknowledgement waits for an answer or another packet to carry it, as long as in Linux's stream
 * sockets. */
#include "model/sharing/fifo.h"

#include <stdlib.h>

#include "base/grow.h"
#include "model/sharing/cells.h"

void ccmod_fifo_queues_open(fifo_flow *flow, size_t cell_count)
{
    flow->free_run = TRAFFIC_NONE;
    for (size_t i = 0; i < cell_count; i++)
        flow->cells[i].first = TRAFFIC_NONE;
}

static ccmod_status take_place(ccmod_traffic *traffic, uint32_t *out)
{
    fifo_flow *flow = fifo_of(traffic);
    fifo_run *runs;

    if (flow->free_run != TRAFFIC_NONE) {
        *out = flow->free_run;
        flow->free_run = flow->runs[*out].next;
        return CCMOD_OK;
    }
    if (flow->run_count >= TRAFFIC_NONE)
        return ccmod_traffic_no_memory(traffic);
    runs = cb_grow(flow->runs, flow->run_count, &flow->run_room, sizeof(*runs));
    if (runs == NULL)
        return ccmod_traffic_no_memory(traffic);
    flow->runs = runs;
    *out = (uint32_t)flow->run_count++;
    return CCMOD_OK;
}

ccmod_status ccmod_fifo_enqueue(ccmod_traffic *traffic, uint32_t cell, fifo_run run)
{
    fifo_flow *flow = fifo_of(traffic);
    fifo_cell *line = &flow->cells[cell];
    bool empty = line->first == TRAFFIC_NONE;
    uint32_t place = TRAFFIC_NONE;

    if (!empty && run.slot != TRAFFIC_NONE && flow->runs[line->last].slot == run.slot) {
        flow->runs[line->last].packets += run.packets;
        return CCMOD_OK;
    }
    CCMOD_TRY(take_place(traffic, &place));
    run.next = TRAFFIC_NONE;
    flow->runs[place] = run;
    if (empty)
        line->first = place;
    else
        flow->runs[line->last].next = place;
    line->last = place;
    return CCMOD_OK;
}

fifo_run ccmod_fifo_dequeue(fifo_flow *flow, uint32_t cell)
{
    fifo_cell *line = &flow->cells[cell];
    uint32_t place = line->first;
    fifo_run *run = &flow->runs[place];
    fifo_run taken = *run;

    if (run->slot != TRAFFIC_NONE && --run->packets > 0)
        return taken;
    line->first = run->next;
    run->next = flow->free_run;
    flow->free_run = place;
    return taken;
}

static const double acknowledgement_timeout_us = 40000;

enum { PACKETS_ACKNOWLEDGED = 2 };

/* From their hop on, the frames pass free cells until they have to queue. */
static ccmod_status forward_acknowledgements(ccmod_traffic *traffic, fifo_run frames, double now_us)
{
    const ccmod_network *network = traffic->network;
    double work_us = frames.packets * traffic->calibration->acknowledgement_us;
    fifo_flow *flow = fifo_of(traffic);
    uint32_t *way = flow->acknowledgements.way;
    size_t length = network->operations->route(network, frames.from, frames.to, way);

    for (; frames.hop < length; frames.hop++) {
        uint32_t number = way[frames.hop];
        fifo_cell *cell = &flow->cells[number];

        if (cell->busy)
            return ccmod_fifo_enqueue(traffic, number, frames);
        traffic->cells[number].work_us += work_us;
        cell->clear_us =
            ccmod_background_end_us(traffic, number, traffic_larger(cell->clear_us, now_us),
                                    work_us / cell_width(traffic, number));
    }
    return CCMOD_OK;
}

ccmod_status ccmod_fifo_pass_acknowledgements(ccmod_traffic *traffic, uint32_t cell, double now_us)
{
    fifo_flow *flow = fifo_of(traffic);
    const fifo_cell *line = &flow->cells[cell];

    while (line->first != TRAFFIC_NONE && flow->runs[line->first].slot == TRAFFIC_NONE)
        CCMOD_TRY(forward_acknowledgements(traffic, ccmod_fifo_dequeue(flow, cell), now_us));
    return CCMOD_OK;
}

/* Send this number of frames from the destination of a message to its source. */
static ccmod_status acknowledge(ccmod_traffic *traffic, uint32_t source, uint32_t destination,
                                uint64_t frames, double now_us)
{
    fifo_run made = {.slot = TRAFFIC_NONE,
                     .packets = (uint32_t)(frames < UINT32_MAX ? frames : UINT32_MAX),
                     .from = destination,
                     .to = source};

    return forward_acknowledgements(traffic, made, now_us);
}

static bool is_acknowledged(const ccmod_traffic *traffic, const traffic_message *message)
{
    return fifo_of(traffic)->acknowledgements.way != NULL &&
           (message->flags & MESSAGE_MULTICAST) == 0;
}

static ccmod_status find_conversation(ccmod_traffic *traffic, uint32_t receiver, uint32_t sender,
                                      conversation **talk)
{
    *talk =
        ccmod_conversation_of(&fifo_of(traffic)->acknowledgements.conversations, receiver, sender);
    return *talk != NULL ? CCMOD_OK : ccmod_traffic_no_memory(traffic);
}

ccmod_status ccmod_fifo_acknowledge_packets(ccmod_traffic *traffic, const traffic_message *message,
                                            uint32_t come, uint32_t parts, double now_us)
{
    uint64_t packets, frames;
    conversation *talk;

    if (!is_acknowledged(traffic, message))
        return CCMOD_OK;
    CCMOD_TRY(find_conversation(traffic, message->destination, message->source, &talk));
    packets = ccmod_packets(traffic->network, message->size_bytes);
    packets = packets * come / parts - packets * (come - 1) / parts + talk->unacknowledged;
    frames = packets / PACKETS_ACKNOWLEDGED;
    talk->unacknowledged = packets % PACKETS_ACKNOWLEDGED;
    if (frames == 0)
        return CCMOD_OK;
    if (talk->manner == CONVERSATION_UNKNOWN && talk->received_us >= 0)
        talk->manner = CONVERSATION_SILENT;
    return acknowledge(traffic, message->source, message->destination, frames, now_us);
}

/* A message carries the acknowledgement of everything received from its destination. */
ccmod_status ccmod_fifo_note_start(ccmod_traffic *traffic, const traffic_message *message)
{
    conversation *talk;

    if (!is_acknowledged(traffic, message))
        return CCMOD_OK;
    CCMOD_TRY(find_conversation(traffic, message->source, message->destination, &talk));
    talk->unacknowledged = 0;
    if (traffic->now_us - talk->received_us <= acknowledgement_timeout_us)
        talk->manner = CONVERSATION_ANSWERS;
    return CCMOD_OK;
}

static ccmod_status widen(ccmod_traffic *traffic, fifo_acknowledgements *ends)
{
    enum { FIRST_ROOM = 64 };
    size_t room = ends->room > 0 ? 2 * ends->room : FIRST_ROOM;
    fifo_arrival *wider = malloc(room * sizeof(*wider));

    if (wider == NULL)
        return ccmod_traffic_no_memory(traffic);
    for (size_t i = 0; i < ends->count; i++)
        wider[i] = ends->arrivals[(ends->first + i) % ends->room];
    free(ends->arrivals);
    ends->arrivals = wider;
    ends->first = 0;
    ends->room = room;
    return CCMOD_OK;
}

ccmod_status ccmod_fifo_note_arrival(ccmod_traffic *traffic, const traffic_message *message,
                                     double now_us)
{
    conversation *talk;

    if (!is_acknowledged(traffic, message))
        return CCMOD_OK;
    CCMOD_TRY(find_conversation(traffic, message->destination, message->source, &talk));
    talk->received_us = now_us;
    if (talk->unacknowledged == 0)
        return CCMOD_OK;
    if (talk->manner != CONVERSATION_SILENT) {
        fifo_acknowledgements *ends = &fifo_of(traffic)->acknowledgements;

        if (ends->count == ends->room)
            CCMOD_TRY(widen(traffic, ends));
        ends->arrivals[(ends->first + ends->count++) % ends->room] =
            (fifo_arrival){now_us, message->source, message->destination};
        return CCMOD_OK;
    }
    talk->unacknowledged = 0;
    return acknowledge(traffic, message->source, message->destination, 1, now_us);
}

/* There was no answer in time: the receiver does not usually answer. */
static ccmod_status give_up_waiting(ccmod_traffic *traffic, const fifo_arrival *one)
{
    conversation *talk;

    CCMOD_TRY(find_conversation(traffic, one->destination, one->source, &talk));
    if (talk->unacknowledged == 0 || talk->received_us > one->arrived_us)
        return CCMOD_OK;
    talk->unacknowledged = 0;
    talk->manner = CONVERSATION_SILENT;
    return acknowledge(traffic, one->source, one->destination, 1,
                       one->arrived_us + acknowledgement_timeout_us);
}

ccmod_status ccmod_fifo_acknowledge_ends(ccmod_traffic *traffic, double now_us)
{
    fifo_acknowledgements *ends = &fifo_of(traffic)->acknowledgements;

    while (ends->count > 0 &&
           ends->arrivals[ends->first].arrived_us + acknowledgement_timeout_us <= now_us) {
        const fifo_arrival one = ends->arrivals[ends->first];

        ends->first = (ends->first + 1) % ends->room;
        ends->count--;
        CCMOD_TRY(give_up_waiting(traffic, &one));
    }
    return CCMOD_OK;
}

ccmod_status ccmod_fifo_acknowledgements_open(ccmod_traffic *traffic)
{
    fifo_acknowledgements *made = &fifo_of(traffic)->acknowledgements;

    if (!(traffic->calibration->acknowledgement_us > 0))
        return CCMOD_OK;
    made->way = calloc(traffic->network->longest_route, sizeof(*made->way));
    return made->way != NULL && ccmod_conversations_open(&made->conversations)
               ? CCMOD_OK
               : ccmod_traffic_no_memory(traffic);
}

void ccmod_fifo_acknowledgements_close(fifo_acknowledgements *acknowledgements)
{
    free(acknowledgements->way);
    free(acknowledgements->arrivals);
    ccmod_conversations_close(&acknowledgements->conversations);
}
