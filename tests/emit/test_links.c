/* Links of a trace: when messages arrive. A packet has 1460 bytes and a header of 78. */
#include "emit/links.h"

#include <math.h>
#include <string.h>

#include "tests/common/unit.h"

enum { PACKET = 1460 + 78, LONG = 40 };

typedef struct {
    size_t from, to, packets;
    double time;
} sending;

/* Send these messages and note the times at which they arrive. */
static void send_all(const sending *sent, size_t count, double *times)
{
    emit_links *links;

    ck_assert_int_eq(emit_links_open(4, &links), CB_OK);
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(emit_links_send(links, sent[i].from, sent[i].to, 1460 * sent[i].packets,
                                         sent[i].time, &times[i]),
                         CB_OK);
    while (!isinf(emit_links_next(links))) {
        emit_arrival came;

        ck_assert_int_eq(emit_links_pass(links, &came), CB_OK);
        if (came.what != NULL)
            *(double *)came.what = came.time / PACKET;
    }
    emit_links_close(links);
}

START_TEST(a_lone_message_takes_its_packets)
{
    const sending sent[] = {{0, 1, LONG, 0}};
    double times[1];

    send_all(sent, 1, times);
    ck_assert_double_eq_tol(times[0], LONG, 1e-9);
}
END_TEST

START_TEST(a_message_without_bytes_takes_a_header)
{
    const sending sent[] = {{0, 1, 0, PACKET}};
    double times[1];

    send_all(sent, 1, times);
    ck_assert_double_eq_tol(times[0], 1 + 78.0 / PACKET, 1e-9);
}
END_TEST

START_TEST(short_messages_leave_a_node_one_after_the_other)
{
    const sending sent[] = {{0, 1, 10, 0}, {0, 2, 10, 0}};
    double times[2];

    send_all(sent, 2, times);
    ck_assert_double_eq_tol(times[0], 10, 1e-9);
    ck_assert_double_eq_tol(times[1], 20, 1e-9);
}
END_TEST

START_TEST(long_messages_to_two_nodes_share_the_link_of_their_source)
{
    const sending sent[] = {{0, 1, LONG, 0}, {0, 2, LONG, 0}};
    double times[2];

    send_all(sent, 2, times);
    ck_assert_double_ge(times[0], 2 * LONG - 11);
    ck_assert_double_eq_tol(times[1], 2 * LONG, 1e-9);
}
END_TEST

START_TEST(a_short_message_waits_for_a_window_of_a_long_one)
{
    const sending sent[] = {{0, 1, LONG, 0}, {0, 2, 1, 0}};
    double times[2];

    send_all(sent, 2, times);
    ck_assert_double_eq_tol(times[1], 12, 1e-9);
    ck_assert_double_eq_tol(times[0], LONG + 1, 1e-9);
}
END_TEST

START_TEST(messages_of_a_pair_stay_in_order)
{
    const sending sent[] = {{0, 1, LONG, 0}, {0, 1, 1, 0}, {0, 1, LONG, 0}, {0, 1, 1, 0}};
    double times[4];

    send_all(sent, 4, times);
    ck_assert_double_eq_tol(times[0], LONG, 1e-9);
    ck_assert_double_eq_tol(times[1], LONG + 1, 1e-9);
    ck_assert_double_eq_tol(times[2], 2 * LONG + 1, 1e-9);
    ck_assert_double_eq_tol(times[3], 2 * LONG + 2, 1e-9);
}
END_TEST

START_TEST(messages_of_two_nodes_to_one_arrive_in_turns)
{
    const sending sent[] = {{0, 2, LONG, 0}, {1, 2, LONG, 0}};
    double times[2];

    send_all(sent, 2, times);
    ck_assert_double_eq_tol(times[0], 2 * LONG - 1, 1e-9);
    ck_assert_double_eq_tol(times[1], 2 * LONG, 1e-9);
}
END_TEST

UNIT_MAIN("links", a_lone_message_takes_its_packets, a_message_without_bytes_takes_a_header,
          short_messages_leave_a_node_one_after_the_other,
          long_messages_to_two_nodes_share_the_link_of_their_source,
          a_short_message_waits_for_a_window_of_a_long_one, messages_of_a_pair_stay_in_order,
          messages_of_two_nodes_to_one_arrive_in_turns)
