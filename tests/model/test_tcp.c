/* One direction of a TCP connection, step by step. */
#include <math.h>

#include "model/sharing/tcp_receiver.h"
#include "model/sharing/tcp_sender.h"
#include "tests/common/unit.h"

enum { SEGMENT = 1000, MOST = 64 };

static const double round_trip_us = 1000;

static tcp_sender opened(void)
{
    tcp_sender sender;

    tcp_sender_open(&sender, SEGMENT, round_trip_us);
    return sender;
}

/* Take all that the sender sends now; returns the number of segments. */
static size_t take_all(tcp_sender *sender, double now_us, tcp_data taken[MOST])
{
    size_t count = 0;

    ck_assert(tcp_sender_reserve(sender));
    while (tcp_sender_take(sender, now_us, &taken[count])) {
        ck_assert_uint_lt(++count, MOST);
        ck_assert(tcp_sender_reserve(sender));
    }
    tcp_sender_settle(sender, now_us);
    return count;
}

static size_t acknowledge(tcp_sender *sender, uint64_t acked, uint64_t sack_start,
                          uint64_t sack_end, double now_us, tcp_data taken[MOST])
{
    tcp_sender_acknowledge(sender,
                           &(tcp_acknowledgement){.acked = acked,
                                                  .sack_start = sack_start,
                                                  .sack_end = sack_end,
                                                  .echo_us = now_us - round_trip_us},
                           now_us);
    return take_all(sender, now_us, taken);
}

static size_t expire(tcp_sender *sender, tcp_data taken[MOST])
{
    double now_us = sender->timer_us;

    tcp_sender_expire(sender, now_us);
    return take_all(sender, now_us, taken);
}

START_TEST(a_sender_starts_with_ten_segments_and_sends_two_for_each_that_arrives)
{
    tcp_sender sender = opened();
    tcp_data taken[MOST];

    tcp_sender_write(&sender, 40 * SEGMENT, 0);
    ck_assert_uint_eq(take_all(&sender, 0, taken), 10);
    ck_assert_uint_eq(taken[9].end, 10 * SEGMENT);
    ck_assert_uint_eq(acknowledge(&sender, 2 * SEGMENT, 0, 0, 1000, taken), 4);
    ck_assert_uint_eq(sender.window, 12);
    tcp_sender_close(&sender);
}
END_TEST

START_TEST(small_messages_share_a_segment_only_while_they_wait)
{
    tcp_sender sender = opened();
    tcp_data taken[MOST];

    tcp_sender_write(&sender, 10, 0);
    ck_assert_uint_eq(take_all(&sender, 0, taken), 1);
    ck_assert_uint_eq(taken[0].end, 10);
    tcp_sender_write(&sender, 10, 0);
    tcp_sender_write(&sender, 20, 0);
    ck_assert_uint_eq(take_all(&sender, 0, taken), 1);
    ck_assert_uint_eq(taken[0].end - taken[0].start, 30);
    tcp_sender_close(&sender);
}
END_TEST

/* The first of ten segments is lost; three that arrive beyond the gap prove it. */
START_TEST(three_segments_beyond_a_gap_send_the_lost_one_again_and_halve_the_window)
{
    tcp_sender sender = opened();
    tcp_data taken[MOST];

    tcp_sender_write(&sender, 10 * SEGMENT, 0);
    take_all(&sender, 0, taken);
    ck_assert_uint_eq(acknowledge(&sender, 0, SEGMENT, 2 * SEGMENT, 1000, taken), 0);
    ck_assert_int_eq(sender.state, TCP_DISORDER);
    ck_assert_uint_eq(acknowledge(&sender, 0, SEGMENT, 3 * SEGMENT, 1001, taken), 0);
    ck_assert_uint_eq(acknowledge(&sender, 0, SEGMENT, 4 * SEGMENT, 1002, taken), 1);
    ck_assert(taken[0].again && taken[0].start == 0);
    ck_assert_int_eq(sender.state, TCP_RECOVERY);
    for (uint64_t end = 5; end <= 10; end++)
        acknowledge(&sender, 0, SEGMENT, end * SEGMENT, 1000 + (double)end, taken);
    acknowledge(&sender, 10 * SEGMENT, 0, 0, 2010, taken);
    ck_assert_int_eq(sender.state, TCP_OPEN);
    ck_assert_uint_eq(sender.window, 5);
    ck_assert_int_eq(sender.timer, TCP_TIMER_NONE);
    tcp_sender_close(&sender);
}
END_TEST

/* Eight arrive, the last two are lost: a probe after two round trips sends the last one, and its
 * acknowledgement shows that the other is missing. */
START_TEST(a_lost_tail_is_repaired_after_a_probe)
{
    tcp_sender sender = opened();
    tcp_data taken[MOST];

    tcp_sender_write(&sender, 10 * SEGMENT, 0);
    take_all(&sender, 0, taken);
    acknowledge(&sender, 8 * SEGMENT, 0, 0, 1000, taken);
    ck_assert_int_eq(sender.timer, TCP_TIMER_PROBE);
    ck_assert_msg(fabs(sender.timer_us - (1000 + 2 * 1000 + 8000)) < 1, "%g", sender.timer_us);
    ck_assert_uint_eq(expire(&sender, taken), 1);
    ck_assert(taken[0].again && taken[0].end == 10 * SEGMENT);
    ck_assert_uint_eq(acknowledge(&sender, 8 * SEGMENT, 9 * SEGMENT, 10 * SEGMENT, 12000, taken),
                      1);
    ck_assert(taken[0].again && taken[0].end == 9 * SEGMENT);
    tcp_sender_close(&sender);
}
END_TEST

START_TEST(without_an_answer_timeouts_double_and_one_segment_is_sent)
{
    tcp_sender sender = opened();
    tcp_data taken[MOST];
    double first_us, second_us;

    tcp_sender_write(&sender, 4 * SEGMENT, 0);
    take_all(&sender, 0, taken);
    ck_assert_uint_eq(expire(&sender, taken), 1); /* the probe */
    ck_assert_int_eq(sender.timer, TCP_TIMER_RETRANSMIT);
    first_us = sender.timer_us;
    ck_assert_uint_eq(expire(&sender, taken), 1);
    ck_assert(taken[0].again && taken[0].start == 0);
    second_us = sender.timer_us;
    ck_assert_msg(fabs(second_us - first_us - 2 * 201000) < 1, "%g", second_us - first_us);
    ck_assert_uint_eq(expire(&sender, taken), 1);
    ck_assert_msg(fabs(sender.timer_us - second_us - 4 * 201000) < 1, "%g", sender.timer_us);
    tcp_sender_close(&sender);
}
END_TEST

START_TEST(an_idle_connection_starts_again_with_ten_segments)
{
    tcp_sender sender = opened();
    tcp_data taken[MOST];

    tcp_sender_write(&sender, 30 * SEGMENT, 0);
    take_all(&sender, 0, taken);
    for (uint64_t acked = 2; acked <= 30; acked += 2)
        acknowledge(&sender, acked * SEGMENT, 0, 0, 500 * (double)acked, taken);
    ck_assert_uint_gt(sender.window, 20);
    tcp_sender_write(&sender, 30 * SEGMENT, 1e7);
    ck_assert_uint_eq(take_all(&sender, 1e7, taken), 10);
    tcp_sender_close(&sender);
}
END_TEST

static tcp_answer take(tcp_receiver *receiver, uint64_t start, uint64_t end, double now_us,
                       tcp_acknowledgement *out)
{
    return tcp_receiver_take(receiver, &(tcp_data){start, end, now_us, false}, SEGMENT, now_us,
                             out);
}

START_TEST(every_second_segment_is_acknowledged_at_once_and_one_after_40_ms)
{
    tcp_receiver receiver;
    tcp_acknowledgement said;

    tcp_receiver_open(&receiver);
    ck_assert_int_eq(take(&receiver, 0, 1000, 5, &said), TCP_LATER);
    ck_assert(!(fabs(receiver.delayed_us - 40005) > 1e-6));
    ck_assert_int_eq(take(&receiver, 1000, 2000, 6, &said), TCP_NOW);
    ck_assert_uint_eq(said.acked, 2000);
    ck_assert(isinf(receiver.delayed_us));
    tcp_receiver_close(&receiver);
}
END_TEST

START_TEST(what_is_read_is_acknowledged_unless_this_end_answers)
{
    tcp_receiver receiver;
    tcp_acknowledgement said;

    tcp_receiver_open(&receiver);
    take(&receiver, 0, 100, 5, &said);
    ck_assert(tcp_receiver_read(&receiver));
    tcp_receiver_note_sent_data(&receiver, 10);
    ck_assert(!tcp_receiver_read(&receiver));
    tcp_receiver_expire(&receiver);
    ck_assert(tcp_receiver_read(&receiver));
    tcp_receiver_close(&receiver);
}
END_TEST

START_TEST(data_beyond_a_gap_is_reported_as_a_block_and_released_with_the_gap)
{
    tcp_receiver receiver;
    tcp_acknowledgement said;

    tcp_receiver_open(&receiver);
    ck_assert_int_eq(take(&receiver, 3000, 4000, 1, &said), TCP_NOW);
    ck_assert_int_eq(take(&receiver, 1000, 2000, 2, &said), TCP_NOW);
    ck_assert_uint_eq(said.sack_end, 2000);
    ck_assert_uint_eq(receiver.range_count, 2);
    take(&receiver, 2000, 3000, 3, &said);
    ck_assert_uint_eq(said.sack_start, 1000);
    ck_assert_uint_eq(said.sack_end, 4000);
    ck_assert_uint_eq(said.acked, 0);
    ck_assert_uint_eq(receiver.range_count, 1);
    ck_assert_int_eq(take(&receiver, 0, 1000, 4, &said), TCP_NOW);
    ck_assert_uint_eq(said.acked, 4000);
    ck_assert_uint_eq(receiver.range_count, 0);
    ck_assert_int_eq(take(&receiver, 1000, 2000, 5, &said), TCP_NOW);
    ck_assert(said.duplicate);
    tcp_receiver_close(&receiver);
}
END_TEST

UNIT_MAIN("tcp", a_sender_starts_with_ten_segments_and_sends_two_for_each_that_arrives,
          small_messages_share_a_segment_only_while_they_wait,
          three_segments_beyond_a_gap_send_the_lost_one_again_and_halve_the_window,
          a_lost_tail_is_repaired_after_a_probe,
          without_an_answer_timeouts_double_and_one_segment_is_sent,
          an_idle_connection_starts_again_with_ten_segments,
          every_second_segment_is_acknowledged_at_once_and_one_after_40_ms,
          what_is_read_is_acknowledged_unless_this_end_answers,
          data_beyond_a_gap_is_reported_as_a_block_and_released_with_the_gap)
