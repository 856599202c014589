/* The receiver of one direction of a TCP connection: every second segment is acknowledged at once,
 * as is all that arrives out of order, and the last one of a message when it is read, unless this
 * end usually answers. */
#include "model/sharing/tcp_receiver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static const double delay_us = 40000;

void tcp_receiver_open(tcp_receiver *receiver)
{
    *receiver = (tcp_receiver){.delayed_us = HUGE_VAL, .received_us = -HUGE_VAL};
}

void tcp_receiver_close(tcp_receiver *receiver)
{
    free(receiver->ranges);
}

tcp_acknowledgement tcp_receiver_acknowledge(tcp_receiver *receiver)
{
    receiver->announced = receiver->next;
    receiver->delayed_us = HUGE_VAL;
    return (tcp_acknowledgement){.acked = receiver->next, .echo_us = receiver->echo_us};
}

/* Keep data that arrived beyond a gap; *merged becomes the range that it is part of. */
static bool keep_range(tcp_receiver *receiver, tcp_range added, tcp_range *merged)
{
    tcp_range *ranges =
        cb_grow(receiver->ranges, receiver->range_count, &receiver->range_room, sizeof(*ranges));
    size_t place = 0, last;

    if (ranges == NULL)
        return false;
    receiver->ranges = ranges;
    while (place < receiver->range_count && ranges[place].end < added.start)
        place++;
    for (last = place; last < receiver->range_count && ranges[last].start <= added.end; last++) {
        added.start = ranges[last].start < added.start ? ranges[last].start : added.start;
        added.end = ranges[last].end > added.end ? ranges[last].end : added.end;
    }
    memmove(&ranges[place + 1], &ranges[last], (receiver->range_count - last) * sizeof(*ranges));
    receiver->range_count += 1 - (last - place);
    ranges[place] = *merged = added;
    return true;
}

/* Data that fills the first gap also releases what had arrived beyond it. */
static void pass_ranges(tcp_receiver *receiver)
{
    size_t passed = 0;

    for (; passed < receiver->range_count && receiver->ranges[passed].start <= receiver->next;
         passed++) {
        if (receiver->ranges[passed].end > receiver->next)
            receiver->next = receiver->ranges[passed].end;
    }
    receiver->range_count -= passed;
    memmove(receiver->ranges, receiver->ranges + passed,
            receiver->range_count * sizeof(*receiver->ranges));
}

tcp_answer tcp_receiver_take(tcp_receiver *receiver, const tcp_data *data, uint64_t segment_bytes,
                             double now_us, tcp_acknowledgement *out)
{
    bool gap = receiver->range_count > 0;

    if (receiver->announced == receiver->next)
        receiver->echo_us = data->sent_us;
    receiver->received_us = now_us;
    if (data->start > receiver->next) {
        tcp_range kept;

        if (!keep_range(receiver, (tcp_range){data->start, data->end}, &kept))
            return TCP_NO_MEMORY;
        *out = tcp_receiver_acknowledge(receiver);
        out->sack_start = kept.start;
        out->sack_end = kept.end;
        return TCP_NOW;
    }
    if (data->end <= receiver->next) {
        *out = tcp_receiver_acknowledge(receiver);
        out->duplicate = true;
        return TCP_NOW;
    }
    receiver->next = data->end;
    if (gap)
        pass_ranges(receiver);
    if (gap || receiver->next - receiver->announced > segment_bytes) {
        *out = tcp_receiver_acknowledge(receiver);
        return TCP_NOW;
    }
    if (isinf(receiver->delayed_us))
        receiver->delayed_us = now_us + delay_us;
    return TCP_LATER;
}

bool tcp_receiver_read(const tcp_receiver *receiver)
{
    return !isinf(receiver->delayed_us) && !receiver->answers;
}

void tcp_receiver_expire(tcp_receiver *receiver)
{
    receiver->answers = false;
}

void tcp_receiver_note_sent_data(tcp_receiver *receiver, double now_us)
{
    if (now_us - receiver->received_us < delay_us)
        receiver->answers = true;
}
