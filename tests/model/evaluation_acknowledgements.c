/* Acknowledgements on the links of share rule fifo: when they are sent, and which messages wait
 * for them. */
#include "tests/model/evaluation.h"

/* Acknowledgements of 5 us. */
static void expect_acknowledged(const char *text, double a, double b, double c)
{
    const double expected[] = {a, b, c, 0};
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);

    calibration.acknowledgement_us = 5;
    parameters.share = CCMOD_FIFO;
    expect_clocks(text, &calibration, &parameters, expected);
}

START_TEST(acknowledgements_of_a_stream_delay_no_message)
{
    expect_acknowledged(HEAD "0: is 1 1000\nis 1 1000\nw\n1: ir 0 1000\nir 0 1000\nw\n", 68.9, 68.9,
                        0);
}
END_TEST

/* Rank 0's message arrives at 48.9 us. 40 ms later rank 1's link is either free, and the next
 * message needs it at 40050 us, or it carries a message from 40045 to 40065 us, after which
 * another one is queued. */
START_TEST(messages_of_a_receiver_to_others_queue_after_its_acknowledgement)
{
    expect_acknowledged(HEAD "0: s 1 1000\n1: r 0 1000\nc 39990.2\nis 2 1000\nw\n2: r 1 1000\n",
                        48.9, 40091.9, 40091.9);
    expect_acknowledged(HEAD "0: s 1 1000\n1: r 0 1000\nc 39985.2\nis 2 1000\nis 2 1000\nw\n"
                             "2: ir 1 1000\nir 1 1000\nw\n",
                        48.9, 40108, 40108);
}
END_TEST

/* Links are half used by others: rank 0's message arrives at 68.9 us, its acknowledgement has rank
 * 1's link for 10 us from 40068.9 us on, and the next message, which needs it at 40070 us, for 40
 * us. */
START_TEST(acknowledgements_share_links_with_the_background)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);

    calibration.acknowledgement_us = 5;
    parameters.share = CCMOD_FIFO;
    parameters.background = CCMOD_BACKGROUND_CONSTANT;
    parameters.background_load = 0.5;
    expect_clocks(HEAD "0: s 1 1000\n1: r 0 1000\nc 39990.2\nis 2 1000\nw\n2: r 1 1000\n",
                  &calibration, &parameters, (const double[]){68.9, 40136.9, 40136.9, 0});
}
END_TEST

/* The same, but rank 1 sent a message to rank 0 before or in the meantime. */
START_TEST(a_message_to_the_sender_within_40_ms_carries_the_acknowledgement)
{
    expect_acknowledged(HEAD "0: s 1 1000\nr 1 50\n"
                             "1: r 0 1000\nc 100\nis 0 50\nc 39879.3\nis 2 1000\nw\n"
                             "2: r 1 1000\n",
                        178.8, 40088, 40088);
    expect_acknowledged(HEAD "0: ir 1 50\nis 1 1000\nw\n"
                             "1: ir 0 1000\nis 0 50\nc 40028.2\nis 2 1000\nw\n2: r 1 1000\n",
                        48.9, 40091.9, 40091.9);
}
END_TEST

/* 200 answers within 40 ms, 29.1 us each. The last one arrives at 5820 us, and rank 0's link is
 * used when it is acknowledged. */
START_TEST(only_the_last_of_many_answers_is_acknowledged_separately)
{
    expect_acknowledged(HEAD "0:\n@ 100\nis 1 10\nr 1 10\n;\nc 39990.1\nis 2 1000\nw\n"
                             "1:\n@ 100\nr 0 10\nis 0 10\n;\n2: r 0 1000\n",
                        45863, -1, 45863);
}
END_TEST

/* Busy time of rank 1's link to the switch; an acknowledgement takes 5 us. */
static void expect_sent(const char *text, double work_us)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);
    ccmod_result *result;

    calibration.acknowledgement_us = 5;
    parameters.share = CCMOD_FIFO;
    result = evaluate(text, &calibration, &parameters);
    ck_assert_double_eq_tol(ccmod_result_cell(result, 2 * 1 + CCMOD_INWARD).work_us, work_us,
                            exact);
    ccmod_result_free(result);
}

/* The first message might have been answered; at the second one it is known that no answer
 * follows. */
START_TEST(a_receiver_that_never_answers_acknowledges_each_message_at_once)
{
    expect_sent(HEAD "0:\n@ 200\nis 1 10\n;\nw\n1:\n@ 200\nr 0 10\n;\n", 199 * 5);
}
END_TEST

/* Rank 1 answers the first message; of the next three the second one is acknowledged. */
START_TEST(a_receiver_that_answers_acknowledges_the_second_of_two_messages_at_once)
{
    expect_sent(HEAD "0: s 1 10\nr 1 10\n@ 3\nis 1 10\n;\nw\n"
                     "1: r 0 10\nis 0 10\n@ 3\nr 0 10\n;\n",
                0.2 + 5);
}
END_TEST

/* Four packets of 29.2 us start at 28.9 us, so the second one arrives at 87.3 us; rank 1's link
 * is used at 86.3 us and at 88.3 us. */
START_TEST(two_packets_are_acknowledged_while_the_next_ones_come)
{
    expect_acknowledged(HEAD "0: s 1 5840\n1: ir 0 5840\nc 57.4\nis 2 10\nw\n2: r 1 10\n", 145.7,
                        145.7, 86.5);
    expect_acknowledged(HEAD "0: s 1 5840\n1: ir 0 5840\nc 59.4\nis 2 10\nw\n2: r 1 10\n", 145.7,
                        145.7, 92.5);
}
END_TEST

/* The same packets; rank 1's link carries a message from 52 to 72 us, and another one is queued
 * at 62.9 us, when the acknowledgement arrives. Rank 2 acknowledges both, which delays the last
 * packet. */
START_TEST(an_acknowledgement_queues_like_a_packet)
{
    expect_acknowledged(HEAD "0: s 1 5840\n1: ir 0 5840\nc 41.1\nis 2 1000\nis 2 1000\nw\n"
                             "2: ir 1 1000\nir 1 1000\nw\n",
                        150.7, 150.7, 110);
}
END_TEST

/* Those of the first three messages follow after 40 ms, that of the last one at once. */
START_TEST(acknowledgements_count_as_busy_time_of_a_link)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);
    ccmod_result *result;

    calibration.acknowledgement_us = 5;
    parameters.share = CCMOD_FIFO;
    result = evaluate(HEAD "0-2: s 3 1000\n3: ir 0 1000\nir 1 1000\nir 2 1000\nw\nr 0 1000\n"
                           "0: c 50000\ns 3 1000\n",
                      &calibration, &parameters);
    ck_assert_double_eq_tol(ccmod_result_cell(result, 2 * 3 + CCMOD_INWARD).work_us, 4 * 5, exact);
    ck_assert_double_eq_tol(ccmod_result_cell(result, 2 * 0 + CCMOD_OUTWARD).work_us, 2 * 5, exact);
    ccmod_result_free(result);
}
END_TEST

UNIT_PART(evaluation_acknowledgements, acknowledgements_of_a_stream_delay_no_message,
          messages_of_a_receiver_to_others_queue_after_its_acknowledgement,
          acknowledgements_share_links_with_the_background,
          a_message_to_the_sender_within_40_ms_carries_the_acknowledgement,
          only_the_last_of_many_answers_is_acknowledged_separately,
          a_receiver_that_never_answers_acknowledges_each_message_at_once,
          a_receiver_that_answers_acknowledges_the_second_of_two_messages_at_once,
          two_packets_are_acknowledged_while_the_next_ones_come,
          an_acknowledgement_queues_like_a_packet, acknowledgements_count_as_busy_time_of_a_link)
