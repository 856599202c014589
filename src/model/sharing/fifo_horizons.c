/* Event horizons with fifo: between two instants every link serves the same packet. The contention
 * of a message is that of the most contended link that it has still to pass: the messages that the
 * link serves in turns. Its availability is an equal share of that link, and a packet is consumed
 * when it has passed its last link. */
#include "model/sharing/fifo_horizons.h"

#include "base/grow.h"
#include "model/sharing/cells.h"
#include "model/sharing/fifo.h"
#include "model/sharing/horizons.h"

ccmod_status ccmod_fifo_horizons_start(ccmod_traffic *traffic, uint32_t message)
{
    fifo_horizons *horizons = &fifo_of(traffic)->horizons;
    fifo_observed *live = cb_grow(horizons->live, horizons->count, &horizons->room, sizeof(*live));

    if (live == NULL)
        return ccmod_traffic_no_memory(traffic);
    horizons->live = live;
    live[horizons->count++] = (fifo_observed){message, 0};
    return CCMOD_OK;
}

/* Number of packets that have yet to pass the slot's cell, with the one being served. */
static uint32_t packets_left(const ccmod_traffic *traffic, uint32_t slot)
{
    const traffic_slot *place = &traffic->slots[slot];
    const fifo_cell *cell = &fifo_of(traffic)->cells[place->cell];

    return place->child + (cell->busy && cell->serving == slot);
}

/* The part of the message's work that has passed its last link; of a multicast, its mean over all
 * links of the tree. */
static double share_passed(const ccmod_traffic *traffic, uint32_t number)
{
    const traffic_message *message = &traffic->pool[number];
    const fifo_message *known = &fifo_of(traffic)->messages[number];
    double work_us = (known->packets - 1) * known->packet_us + known->last_us;
    uint32_t left = packets_left(traffic, message->slots + message->slot_count - 1);

    if ((message->flags & MESSAGE_MULTICAST) != 0) {
        left = 0;
        for (uint32_t i = 0; i < message->slot_count; i++)
            left += packets_left(traffic, message->slots + i);
        return 1 - (double)left / message->slot_count;
    }
    return left == 0 ? 1 : 1 - ((left - 1) * known->packet_us + known->last_us) / work_us;
}

/* The most contended cell that the message has still to pass; false if it has passed all. */
static bool find_bottleneck(const ccmod_traffic *traffic, const traffic_message *message,
                            uint32_t *most)
{
    bool found = false;

    *most = traffic->slots[message->slots + message->slot_count - 1].cell;
    for (uint32_t i = message->slots; i < message->slots + message->slot_count; i++) {
        uint32_t cell = traffic->slots[i].cell;

        if (packets_left(traffic, i) == 0)
            continue;
        if (!found || cell_presses_more(traffic, cell, *most))
            *most = cell;
        found = true;
    }
    return found;
}

static ccmod_status signal_message(ccmod_traffic *traffic, ccmod_signal_kind kind, double clock_us,
                                   const fifo_observed *observed)
{
    ccmod_signal signal = {.of.message = ccmod_message_describe(traffic, observed->message)};
    ccmod_message *message = &signal.of.message;
    double work_us = message->remaining_us, passed = share_passed(traffic, observed->message);

    if (find_bottleneck(traffic, &traffic->pool[observed->message], &message->bottleneck))
        message->availability = cell_availability(traffic, message->bottleneck);
    message->contention = cell_pressure(traffic, message->bottleneck);
    message->cost_us += work_us / message->availability - work_us;
    message->remaining_us = work_us * (1 - passed);
    message->consumed_packets = (double)message->packets * (passed - observed->reported);
    return ccmod_signal_send(&traffic->audience, kind, clock_us, &signal);
}

static ccmod_status signal_messages(ccmod_traffic *traffic, ccmod_signal_kind kind, double clock_us)
{
    const fifo_horizons *horizons = &fifo_of(traffic)->horizons;

    for (size_t i = 0; audience_expects(&traffic->audience, kind) && i < horizons->count; i++)
        CCMOD_TRY(signal_message(traffic, kind, clock_us, &horizons->live[i]));
    return CCMOD_OK;
}

ccmod_status ccmod_fifo_horizons_begin(ccmod_traffic *traffic)
{
    double since_us = fifo_of(traffic)->horizons.since_us;

    if (!(traffic->now_us > since_us))
        return CCMOD_OK;
    CCMOD_TRY(ccmod_horizon_signal_traffic(traffic, since_us));
    CCMOD_TRY(signal_messages(traffic, CCMOD_SIGNAL_MSGCONT, since_us));
    CCMOD_TRY(signal_messages(traffic, CCMOD_SIGNAL_COMMCOST, since_us));
    return ccmod_horizon_signal_duration(traffic, since_us, traffic->now_us - since_us);
}

static void remove_ended(const ccmod_traffic *traffic, fifo_horizons *horizons)
{
    for (size_t i = 0; i < traffic->ended.count; i++) {
        size_t at = 0;

        while (horizons->live[at].message != traffic->ended.values[i])
            at++;
        horizons->live[at] = horizons->live[--horizons->count];
    }
}

ccmod_status ccmod_fifo_horizons_end(ccmod_traffic *traffic)
{
    fifo_horizons *horizons = &fifo_of(traffic)->horizons;

    /* an instant that repeats the last one has no horizon, but messages may end in it */
    if (traffic->now_us > horizons->since_us || traffic->ended.count > 0) {
        CCMOD_TRY(signal_messages(traffic, CCMOD_SIGNAL_UPPR_SCOM, traffic->now_us));
        CCMOD_TRY(signal_messages(traffic, CCMOD_SIGNAL_UPPR_PCNS, traffic->now_us));
        for (size_t i = 0; i < horizons->count; i++)
            horizons->live[i].reported = share_passed(traffic, horizons->live[i].message);
    }
    horizons->since_us = traffic->now_us;
    remove_ended(traffic, horizons);
    return CCMOD_OK;
}
