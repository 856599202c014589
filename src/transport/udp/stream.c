/* The messages of one sender: in order, without duplicates; missing ones are given up. */
#include "transport/udp/internal.h"

#include "base/clock.h"

/* A message is lost when this many later ones have arrived, or when it is still missing this long
 * after the first of them: it is then more than two neighbours exchanged. */
enum { OVERTAKING_MOST = 3 };
static const uint64_t gap_ns = 5000000;

/* A buffer of an earlier pass must not keep that pass's content. */
static void drop_buffer(udp_factory *factory, transport_buffer *buffer)
{
    transport_pool_restore(&factory->pool, buffer, buffer->size);
    transport_pool_give(&factory->pool, buffer);
}

static void drop_all(udp_factory *factory, udp_stream *stream)
{
    transport_buffer *buffer;

    while ((buffer = udp_order_take_any(&stream->order)) != NULL)
        drop_buffer(factory, buffer);
    stream->gap_since_ns = 0;
}

void udp_stream_restart(udp_factory *factory, udp_stream *stream)
{
    drop_all(factory, stream);
    udp_order_begin(&stream->order, 0);
    stream->fresh = true;
    stream->silences = 0;
}

void udp_stream_free(udp_factory *factory, udp_stream *stream)
{
    drop_all(factory, stream);
    udp_order_free(&stream->order);
}

/* A sender that has prepared restarts at number 0; this process may already have given up some of
 * its messages. A sender that has not continues its numbers. False: the datagram is from a past
 * epoch. */
static bool enter_epoch(udp_factory *factory, udp_stream *stream, const udp_header *header)
{
    const int32_t newer = (int32_t)(header->epoch - stream->epoch);

    if (newer < 0)
        return false;
    if (newer > 0 && !stream->fresh) {
        drop_all(factory, stream);
        udp_order_begin(&stream->order, 0);
    } else if (newer == 0 && stream->fresh) {
        udp_order_begin(&stream->order, header->number);
    }
    stream->epoch = header->epoch;
    stream->fresh = false;
    return true;
}

/* The counter of each kind of arrival; a kept one has none. */
static const int counter_of[] = {[UDP_OVERTAKEN] = UDP_REORDERED,
                                 [UDP_SEEN] = UDP_DUPLICATE,
                                 [UDP_SKIPPED] = UDP_LATE,
                                 [UDP_NO_ROOM] = UDP_OVERRUN};

/* Hot. */
void udp_stream_put(udp_factory *factory, udp_stream *stream, const udp_header *header,
                    transport_buffer *buffer)
{
    udp_arrival arrival = UDP_SKIPPED;

    if (__builtin_expect(header->epoch == stream->epoch && !stream->fresh, 1) ||
        enter_epoch(factory, stream, header))
        arrival = udp_order_put(&stream->order, header->number, buffer);
    if (__builtin_expect(arrival == UDP_KEPT, 1))
        return;
    factory->counters[counter_of[arrival]]++;
    if (arrival != UDP_OVERTAKEN)
        drop_buffer(factory, buffer);
}

static bool is_missing_for_good(udp_stream *stream)
{
    if (udp_order_waiting(&stream->order) >= OVERTAKING_MOST)
        return true;
    if (stream->gap_since_ns == 0)
        stream->gap_since_ns = cb_now_ns();
    return cb_now_ns() - stream->gap_since_ns > gap_ns;
}

void udp_stream_give_up(udp_factory *factory, udp_stream *stream)
{
    udp_order_skip(&stream->order);
    stream->gap_since_ns = 0;
    factory->counters[UDP_LOST]++;
}

/* Hot. */
cb_status udp_stream_take(udp_factory *factory, udp_stream *stream, transport_buffer **out)
{
    transport_buffer *buffer = udp_order_take(&stream->order);

    if (__builtin_expect(buffer != NULL, 1)) {
        stream->gap_since_ns = 0;
        stream->silences = 0;
        factory->base.held++;
        *out = buffer;
        return CB_OK;
    }
    if (__builtin_expect(udp_order_waiting(&stream->order) == 0, 1) || !is_missing_for_good(stream))
        return CB_EMPTY;
    udp_stream_give_up(factory, stream);
    return CB_LOST;
}
