/* Share rule fifo: links serve one packet after the other. Times of arrival, order, and time
 * lost in queues. */
#include "tests/model/evaluation.h"

static void expect_fifo(const char *text, double out, double a, double b, double c, double d)
{
    const double expected[] = {a, b, c, d};
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);

    calibration.out_contention = out;
    parameters.share = CCMOD_FIFO;
    expect_clocks(text, &calibration, &parameters, expected);
}

START_TEST(in_fifo_a_link_serves_one_message_after_the_other)
{
    expect_fifo(HEAD "0: s 1 1000\n1: r 0 1000\n", 0, 48.9, 48.9, 0, 0);
    expect_fifo(HEAD "0-1: s 2 1000\n2: ir 0 1000\nir 1 1000\nw\n", 0, 48.9, 68.9, 68.9, 0);
    expect_fifo(HEAD "0: is 1 1000\nis 2 1000\nw\n1-2: r 0 1000\n", 0, 68.9, 48.9, 68.9, 0);
    expect_fifo(HEAD "0: m 1-3 1000\n1-3: r 0 1000\n", 0, 48.9, 48.9, 48.9, 48.9);
}
END_TEST

START_TEST(fifo_is_the_default)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = ccmod_parameters_default();

    expect_clocks(HEAD "0-1: s 2 1000\n2: ir 0 1000\nir 1 1000\nw\n", &calibration, &parameters,
                  (const double[]){48.9, 68.9, 68.9, 0});
}
END_TEST

/* Two packets of 29.2 us each; then 64 parts of 312.5 us, of 685 packets. */
START_TEST(in_fifo_packets_of_two_messages_take_turns)
{
    expect_fifo(HEAD "0-1: s 2 2920\n2: ir 0 2920\nir 1 2920\nw\n", 0, 116.5, 145.7, 145.7, 0);
    expect_fifo(HEAD "0-1: s 2 1000000\n2: ir 0 1000000\nir 1 1000000\nw\n", 0, 28.9 + 127 * 312.5,
                40028.9, 40028.9, 0);
}
END_TEST

/* With more than 4096 messages between other nodes; if messages took turns, rank 0's would end
 * at 60116.5 us. */
START_TEST(in_fifo_messages_among_thousands_are_not_split)
{
    expect_fifo(HEAD "3:\n@ 6000\nis 1 2920\n;\nw\n"
                     "1:\n@ 6000\nir 3 2920\n;\nc 60000\nis 2 2920\nw\n"
                     "0: c 60000\ns 2 2920\n2: ir 0 2920\nir 1 2920\nw\n",
                0, 60087.3, -1, 60145.7, -1);
}
END_TEST

/* A packet takes a share of the 60 us proportional to its bytes and a header of 78: the first of
 * 3 has 1460 of 3000 bytes. */
START_TEST(in_fifo_a_packet_occupies_its_link_for_its_bytes_and_header)
{
    const double first_us = 60 * (1460 + 78) / (3000 + 3 * 78.0);

    expect_fifo(HEAD "0: s 2 3000\n1: s 2 1000\n2: ir 0 3000\nir 1 1000\nw\n", 0, 108.9,
                28.9 + first_us + 20, 108.9, 0);
}
END_TEST

/* Rank 0's first message occupies its link from 15.9 us on and waits for its receiver's link
 * until 30.9; its second one has the sender's link from 35.9 us on. */
START_TEST(in_fifo_a_message_queued_at_its_receiver_frees_the_link_of_its_sender)
{
    expect_fifo(HEAD "0: c 5\nis 2 1000\nis 3 1000\nw\n1: s 2 1000\n2: ir 1 1000\nir 0 1000\nw\n"
                     "3: r 0 1000\n",
                0, 73.9, 48.9, 68.9, 73.9);
}
END_TEST

/* The first message needs the link at 1 us, and its latency of 18 us follows; the second one,
 * without latency, needs it at 2 us. */
START_TEST(in_fifo_messages_leave_a_node_in_the_order_of_their_sends)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);

    calibration.lines[0] = (ccmod_line){100, 1, 18, 0.02};
    calibration.lines[1] = (ccmod_line){UINT64_MAX, 1, 0, 0.02};
    calibration.line_count = 2;
    parameters.share = CCMOD_FIFO;
    expect_clocks(HEAD "0: is 1 100\nis 2 1000\nw\n1-2: r 0 %r*900-800\n", &calibration,
                  &parameters, (const double[]){23, 21, 23, 0});
}
END_TEST

START_TEST(in_fifo_a_wide_link_is_free_again_earlier)
{
    expect_fifo(HEAD "0: is 1 1000\nis 2 1000\nw\n1-2: r 0 1000\n", 1, 59.8, 48.9, 59.8, 0);
}
END_TEST

/* 20 us on the links alone; the two directions together take 1.5 times as long. */
START_TEST(in_fifo_two_directions_take_as_long_as_they_do_when_they_share)
{
    const char *text = HEAD "0-1: ir 1-%r 1000\nis 1-%r 1000\nw\n";
    const double expected[] = {58.9, 58.9, 0, 0};
    const ccmod_share rules[] = {CCMOD_FIFO, CCMOD_MAXMIN, CCMOD_BOTTLENECK};
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);

    calibration.duplex_contention = 1.5;
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        parameters.share = rules[i];
        expect_clocks(text, &calibration, &parameters, expected);
    }
}
END_TEST

START_TEST(in_fifo_lost_time_is_the_time_in_queues)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);
    ccmod_result *result;

    parameters.share = CCMOD_FIFO;
    result = evaluate(HEAD "0-2: s 3 1000\n3: ir 0 1000\nir 1 1000\nir 2 1000\nw\n", &calibration,
                      &parameters);
    ck_assert_uint_eq(result->bottleneck, 2 * 3 + CCMOD_OUTWARD);
    ck_assert_double_eq_tol(ccmod_result_cell(result, result->bottleneck).lost_us, 20 + 40, exact);
    ck_assert_uint_eq(ccmod_result_cell(result, result->bottleneck).peak, 3);
    ccmod_result_free(result);
}
END_TEST

/* Each of four packets of 29.2 us except the last delays the other message; packets of the same
 * message lose no time at their source. */
START_TEST(in_fifo_packets_lose_the_time_spent_waiting_for_others)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);
    ccmod_result *result;

    parameters.share = CCMOD_FIFO;
    result =
        evaluate(HEAD "0-1: s 2 2920\n2: ir 0 2920\nir 1 2920\nw\n", &calibration, &parameters);
    ck_assert_double_eq_tol(ccmod_result_cell(result, 2 * 0 + CCMOD_INWARD).lost_us, 0, exact);
    ck_assert_double_eq_tol(ccmod_result_cell(result, 2 * 2 + CCMOD_OUTWARD).lost_us, 3 * 29.2,
                            exact);
    ccmod_result_free(result);
}
END_TEST

/* Packets of 29.2 us. The short message finds one on the link, and a window of 10 in the queue. */
START_TEST(in_fifo_a_long_message_leaves_room_for_others_of_its_source)
{
    expect_fifo(HEAD "0: is 1 58400\nis 2 1460\nw\n1: r 0 58400\n2: r 0 1460\n", 0,
                28.9 + 41 * 29.2, 28.9 + 41 * 29.2, 28.9 + 12 * 29.2, 0);
}
END_TEST

/* The same after another long message, which left less than 200 ms ago, or before that. */
START_TEST(in_fifo_a_connection_in_use_holds_nothing_back)
{
    const double first_us = 28.9 + 40 * 29.2;

    expect_fifo(HEAD "0: s 1 58400\nc 150000\nis 1 58400\nis 2 1460\nw\n1:\n@ 2\nr 0 58400\n;\n"
                     "2: r 0 1460\n",
                0, first_us + 150028.9 + 41 * 29.2, first_us + 150028.9 + 40 * 29.2,
                first_us + 150028.9 + 41 * 29.2, 0);
    expect_fifo(HEAD "0: s 1 58400\nc 250000\nis 1 58400\nis 2 1460\nw\n1:\n@ 2\nr 0 58400\n;\n"
                     "2: r 0 1460\n",
                0, first_us + 250028.9 + 41 * 29.2, first_us + 250028.9 + 41 * 29.2,
                first_us + 250028.9 + 12 * 29.2, 0);
}
END_TEST

/* Rank 1 passes a message on when it has the first of two. */
START_TEST(in_fifo_messages_of_a_pair_stay_in_order)
{
    const double first_us = 28.9 + 40 * 29.2;
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);

    calibration.eager_bytes = UINT64_MAX;
    parameters.share = CCMOD_FIFO;
    expect_clocks(
        HEAD "0: s 1 58400\ns 1 1460\ns 1 29200\n"
             "1: r 0 58400\ns 2 1460\nr 0 1460\ns 3 1460\nr 0 29200\n"
             "2: r 1 1460\n3: r 1 1460\n",
        &calibration, &parameters,
        (const double[]){3 * 10.9, 28.9 + 61 * 29.2, first_us + 58.1, first_us + 29.2 + 58.1});
}
END_TEST

UNIT_PART(evaluation_fifo, fifo_is_the_default, in_fifo_a_link_serves_one_message_after_the_other,
          in_fifo_packets_of_two_messages_take_turns,
          in_fifo_messages_among_thousands_are_not_split,
          in_fifo_a_packet_occupies_its_link_for_its_bytes_and_header,
          in_fifo_a_message_queued_at_its_receiver_frees_the_link_of_its_sender,
          in_fifo_messages_leave_a_node_in_the_order_of_their_sends,
          in_fifo_a_wide_link_is_free_again_earlier,
          in_fifo_two_directions_take_as_long_as_they_do_when_they_share,
          in_fifo_lost_time_is_the_time_in_queues,
          in_fifo_packets_lose_the_time_spent_waiting_for_others,
          in_fifo_a_long_message_leaves_room_for_others_of_its_source,
          in_fifo_a_connection_in_use_holds_nothing_back, in_fifo_messages_of_a_pair_stay_in_order)
