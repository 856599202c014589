/* A sample is: wait for the peer, round trips, packets one way, the other way, and both at once. A
 * time ends with the acknowledgement that all packets have been received and read. */
#include "linkmap/link.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "engine/traffic.h"

wait_terms link_terms(engine_session *session, bool sleeps)
{
    const uint64_t longest_ns = 2000000;

    return (wait_terms){.manner = {.yields = sleeps && !session->technology->polls_yield,
                                   .longest_sleep_ns = sleeps ? longest_ns : 0,
                                   .awake_polls = 16,
                                   .sleep_part = 16,
                                   .unclocked_polls = 15},
                        .timeout_ns = WAIT_WITHOUT_END,
                        .watch = session_watch(session)};
}

cb_status link_send(link_end *end, size_t peer, size_t bytes, const void *content)
{
    transport_buffer *buffer = transport_buffer_create(end->me->factory, bytes);

    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    /* New buffers have the content of packets; control messages have overwritten its beginning. */
    if (content != NULL)
        memcpy(buffer->data, content, bytes);
    else
        traffic_fill(buffer->data, bytes < LINK_CONTROL_BYTES ? bytes : LINK_CONTROL_BYTES);
    return transport_send(end->me->peers[peer].node, buffer);
}

cb_status link_receive(link_end *end, size_t peer, uint64_t deadline_ns, transport_buffer **out)
{
    transport_node *node = end->me->peers[peer].node;
    cb_status status;

    if (!end->reliable)
        return transport_receive(node, out);
    end->terms.due_ns = deadline_ns;
    status = wait_receive(&end->terms, node, out);
    return status == CB_EMPTY ? CB_LOST : status;
}

/* Receive and read a packet. */
static cb_status take_packet(link_end *end, size_t peer, uint64_t deadline_ns)
{
    transport_buffer *buffer;

    CB_TRY(link_receive(end, peer, deadline_ns, &buffer));
    if (buffer->size > 0) {
        end->me->received.sum += traffic_touch(buffer->data, buffer->size);
        end->me->received.packets++;
    }
    transport_buffer_release(buffer);
    return CB_OK;
}

static uint64_t deadline_of(const link_end *end)
{
    return cb_now_ns() + end->timeout_ns;
}

static float seconds_since(uint64_t start_ns)
{
    return (float)((double)(cb_now_ns() - start_ns) / 1e9);
}

static cb_status send_packets(link_end *end, size_t peer)
{
    for (size_t i = 0; i < end->packets; i++)
        CB_TRY(link_send(end, peer, end->me->size_bytes, NULL));
    return CB_OK;
}

/* Receive the packets of a sample, and acknowledge them. */
static cb_status take_packets(link_end *end, size_t peer, uint64_t deadline_ns, size_t *lost)
{
    *lost = 0;
    for (size_t i = 0; i < end->packets; i++) {
        cb_status status = take_packet(end, peer, deadline_ns);

        if (status == CB_LOST && end->reliable)
            return CB_LOST;
        if (status == CB_LOST)
            ++*lost;
        else if (status != CB_OK)
            return status;
    }
    return link_send(end, peer, 0, NULL);
}

cb_status link_exchange(link_end *end, size_t peer, bool sends, bool receives, float *time_s,
                        float *loss)
{
    const uint64_t start_ns = cb_now_ns(), deadline_ns = deadline_of(end);
    size_t lost = 0;
    cb_status status = CB_OK;

    if (sends)
        CB_TRY(send_packets(end, peer));
    if (receives)
        CB_TRY(take_packets(end, peer, deadline_ns, &lost));
    if (sends)
        status = take_packet(end, peer, deadline_ns);
    if (receives && isfinite(*loss))
        *loss = fmaxf(*loss, (float)lost / (float)end->packets);
    else if (receives)
        *loss = (float)lost / (float)end->packets;
    if (status == CB_LOST && !end->reliable)
        return CB_OK; /* the acknowledgement: the time is not known */
    if (status == CB_OK && sends)
        *time_s = seconds_since(start_ns);
    return status;
}

static cb_status round_trips(link_end *end, size_t peer, bool leads, size_t count, float *time_s)
{
    const uint64_t start_ns = cb_now_ns(), deadline_ns = deadline_of(end);
    bool complete = true;

    for (size_t i = 0; i < count; i++) {
        cb_status status;

        if (leads)
            CB_TRY(link_send(end, peer, end->me->size_bytes, NULL));
        status = take_packet(end, peer, deadline_ns);
        if (!leads && (status == CB_OK || (status == CB_LOST && !end->reliable)))
            CB_TRY(link_send(end, peer, end->me->size_bytes, NULL));
        if (status == CB_LOST && !end->reliable)
            complete = false;
        else
            CB_TRY(status);
    }
    if (complete && leads)
        *time_s = seconds_since(start_ns) / (float)(2 * count);
    return CB_OK;
}

cb_status link_sample(link_end *end, size_t peer, bool leads, float times[MAP_QUANTITIES])
{
    times[MAP_LOSS] = NAN;
    CB_TRY(round_trips(end, peer, leads, 1, &times[MAP_WAKE]));
    CB_TRY(round_trips(end, peer, leads, MAP_ROUND_TRIPS, &times[MAP_LATENCY]));
    CB_TRY(link_exchange(end, peer, leads, !leads, &times[MAP_ONE_WAY], &times[MAP_LOSS]));
    CB_TRY(link_exchange(end, peer, !leads, leads, &times[MAP_ONE_WAY], &times[MAP_LOSS]));
    return link_exchange(end, peer, true, true, &times[MAP_BOTH_WAYS], &times[MAP_LOSS]);
}

cb_status link_send_all(link_end *end, const bool *lost, float *time_s)
{
    const uint64_t start_ns = cb_now_ns(), deadline_ns = deadline_of(end);
    cb_status status = CB_OK;

    for (size_t i = 0; i < end->packets; i++)
        for (size_t peer = 0; peer < end->me->peer_count; peer++)
            if (!lost[peer])
                CB_TRY(link_send(end, peer, end->me->size_bytes, NULL));
    for (size_t peer = 0; peer < end->me->peer_count; peer++) {
        cb_status answer = lost[peer] ? CB_OK : take_packet(end, peer, deadline_ns);

        if (answer != CB_OK && answer != CB_LOST)
            return answer;
        status = answer == CB_LOST ? CB_LOST : status;
    }
    if (status == CB_OK)
        *time_s = seconds_since(start_ns);
    return status;
}
