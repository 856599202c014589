/* What an evaluation gives: the article's figures, what each kind of record costs, accounts,
 * errors, observers, and that the same input gives the same result. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/model/trace_text.h"
#include "tests/unit/unit.h"

#define HEAD "%cct 1 ranks 4 unit us\n"

static const double exact = 1e-9;

static ccmod_parameters in_mode(ccmod_mode mode)
{
    ccmod_parameters parameters = ccmod_parameters_default();

    parameters.mode = mode;
    return parameters;
}

/* T_quiet(1000 bytes) is the article's 48.9 us. */
static ccmod_calibration article(void)
{
    return ccmod_calibration_line(10.9, 18, 50);
}

static ccmod_result *evaluate(const char *text, const ccmod_calibration *calibration,
                              const ccmod_parameters *parameters)
{
    ccmod_result *result = NULL;
    ccmod_error error;
    cb_status status = text_evaluate(text, calibration, parameters, &result, &error);

    ck_assert_msg(status == CB_OK, "%s", error.text);
    return result;
}

static double clock_of(const ccmod_result *result, size_t processor)
{
    return ccmod_result_processor(result, processor).clock_us;
}

/* Clocks of ranks 0 to 3; negative: any. */
static void expect_clocks(const char *text, const ccmod_calibration *calibration,
                          const ccmod_parameters *parameters, const double expected[4])
{
    ccmod_result *result = evaluate(text, calibration, parameters);

    for (size_t i = 0; i < 4; i++) {
        if (expected[i] >= 0)
            ck_assert_msg(fabs(clock_of(result, i) - expected[i]) <= exact,
                          "clock %zu is %.12g, not %.12g, for:\n%s", i, clock_of(result, i),
                          expected[i], text);
    }
    ccmod_result_free(result);
}

static void expect_paper(const char *text, double a, double b, double c, double d)
{
    const double expected[] = {a, b, c, d};
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_PAPER);

    expect_clocks(text, &calibration, &parameters, expected);
    parameters.plain = true;
    expect_clocks(text, &calibration, &parameters, expected);
}

static void expect_split(const char *text, uint64_t eager_bytes, double a, double b, double c,
                         double d)
{
    const double expected[] = {a, b, c, d};
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);

    calibration.eager_bytes = eager_bytes;
    expect_clocks(text, &calibration, &parameters, expected);
    parameters.plain = true;
    expect_clocks(text, &calibration, &parameters, expected);
}

/* The article */

START_TEST(a_lone_message_takes_the_quiet_time_in_both_modes)
{
    expect_paper(HEAD "0: s 1 1000\n1: r 0 1000\n", 48.9, 48.9, 0, 0);
    expect_split(HEAD "0: s 1 1000\n1: r 0 1000\n", 0, 48.9, 48.9, 0, 0);
    expect_paper(HEAD "0: s 1 0\n1: r 0 0\n", 28.9, 28.9, 0, 0);
    expect_split(HEAD "0: s 1 0\n1: r 0 0\n", 0, 28.9, 28.9, 0, 0);
}
END_TEST

START_TEST(two_messages_through_one_link_take_twice_as_long)
{
    expect_paper(HEAD "0-1: s 2 1000\n2: ir 0 1000\nir 1 1000\nw\n", 97.8, 97.8, 97.8, 0);
}
END_TEST

START_TEST(the_event_horizon_ends_where_the_traffic_changes)
{
    expect_paper(HEAD "0: s 2 1000\n1: c 24.45\ns 2 1000\n2: ir 0 1000\nir 1 1000\nw\n", 73.35,
                 97.8, 97.8, 0);
}
END_TEST

START_TEST(links_are_full_duplex)
{
    expect_paper(HEAD "0: is 1 1000\nr 1 1000\nw\n1: is 0 1000\nr 0 1000\nw\n", 48.9, 48.9, 0, 0);
}
END_TEST

START_TEST(in_mode_split_the_start_up_is_not_stretched)
{
    /* 28.9 of overhead and latency, and twice 20 us of bytes */
    expect_split(HEAD "0-1: s 2 1000\n2: ir 0 1000\nir 1 1000\nw\n", 0, 68.9, 68.9, 68.9, 0);
}
END_TEST

/* Records */

START_TEST(a_blocking_send_waits_for_its_receive)
{
    expect_paper(HEAD "0: s 1 1000\n1: c 100\nr 0 1000\n", 148.9, 148.9, 0, 0);
    expect_split(HEAD "0: s 1 1000\n1: c 100\nr 0 1000\n", 0, 148.9, 148.9, 0, 0);
    expect_split(HEAD "0: s 1 1000\n1: c 100\nr 0 1000\n", 1000, 148.9, 148.9, 0, 0);
}
END_TEST

START_TEST(below_the_eager_threshold_a_send_returns_after_its_overhead)
{
    expect_split(HEAD "0: s 1 1000\n1: c 100\nr 0 1000\n", 1001, 10.9, 100, 0, 0);
    expect_split(HEAD "0: s 1 1000\n1: c 40\nr 0 1000\n", 1001, 10.9, 48.9, 0, 0);
    expect_split(HEAD "0: is 1 1000\nw\n1: c 40\nr 0 1000\n", 1001, 10.9, 48.9, 0, 0);
}
END_TEST

START_TEST(a_started_send_goes_on_and_a_wait_waits)
{
    expect_paper(HEAD "0: is 1 1000\nc 10\n1: r 0 1000\n", 10, 48.9, 0, 0);
    expect_paper(HEAD "0: is 1 1000\nc 10\nw\n1: r 0 1000\n", 48.9, 48.9, 0, 0);
    expect_paper(HEAD "0: s 1 1000\n1: ir 0 1000\nc 10\nw\nc 1\n", 48.9, 49.9, 0, 0);
    expect_split(HEAD "0: is 1 1000\nc 10\n1: r 0 1000\n", 0, 20.9, 48.9, 0, 0);
}
END_TEST

START_TEST(messages_of_a_pair_are_matched_first_in_first_out)
{
    /* of two sizes: in another order they would not match at all */
    expect_paper(HEAD "0: is 1 1000\nis 1 0\nw\n1: c 1\nir 0 1000\nir 0 0\nw\n", -1, -1, 0, 0);
}
END_TEST

START_TEST(a_receive_from_any_takes_the_earliest_and_of_equals_the_lowest_rank)
{
    expect_paper(HEAD "0: c 50\nr any 1000\nr any 1000\nr any 1000\n"
                      "1: c 9\ns 0 1000\n2-3: c 5\ns 0 1000\n",
                 196.7, 196.7, 98.9, 147.8);
}
END_TEST

/* Their sizes tell them apart: another order is refused. */
START_TEST(sends_that_wait_are_taken_in_their_order_by_pair_and_from_any)
{
    const char *text = HEAD "0: c 50\nr 2 2\nr any 1\nr any 3\nr 1 4\nc 50\nr any 5\nr 3 6\n"
                            "1: is 0 1\nc 9\nis 0 4\nw\nis 0 5\nw\n"
                            "2: c 1\nis 0 2\nw\n3: c 2\nis 0 3\nw\nc 99\nis 0 6\nw\n";
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);

    ccmod_result_free(evaluate(text, &calibration, &parameters));
    calibration.eager_bytes = 100;
    ccmod_result_free(evaluate(text, &calibration, &parameters));
}
END_TEST

START_TEST(a_receive_posted_earlier_is_served_earlier_also_from_any)
{
    expect_paper(HEAD "0: ir any 1000\nir 1 0\nw\n1: c 1\nis 0 1000\nis 0 0\nw\n", -1, -1, 0, 0);
}
END_TEST

START_TEST(a_multicast_counts_once_on_each_link)
{
    expect_paper(HEAD "0: m 1-3 1000\n1-3: r 0 1000\n", 48.9, 48.9, 48.9, 48.9);
    expect_paper(HEAD "0: m 1-3 1000\n1-2: r 0 1000\n3: c 10\nr 0 1000\n", 58.9, 58.9, 58.9, 58.9);
    expect_split(HEAD "0: m 1-3 1000\n1-2: r 0 1000\n3: c 70\nr 0 1000\n", 1001, 10.9, 48.9, 48.9,
                 70);
}
END_TEST

START_TEST(a_barrier_releases_all_when_the_last_has_come)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_PAPER);
    const double expected[] = {37, 37, 37, 38};

    expect_paper(HEAD "*: c %r*10\nb\n", 30, 30, 30, 30);
    calibration.barrier_us = 7;
    expect_clocks(HEAD "*: c %r*10\nb\n3: c 1\n", &calibration, &parameters, expected);
}
END_TEST

START_TEST(a_message_occupies_its_links_for_the_gap_at_least)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);
    const double expected[] = {43.9, 43.9, 43.9, 0};

    /* alone it takes 28.9; two of them share the receiver's link for 15 us each */
    calibration.gap_us = 15;
    expect_clocks(HEAD "0-1: s 2 0\n2: ir 0 0\nir 1 0\nw\n", &calibration, &parameters, expected);
}
END_TEST

START_TEST(the_line_is_chosen_by_the_size)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_PAPER);
    const double expected[] = {48.9 + 7, 48.9 + 7, 0, 0};

    calibration.lines[0].to_bytes = 1000;
    calibration.lines[1] = (ccmod_line){UINT64_MAX, 3, 3.5, 0.0005};
    calibration.line_count = 2;
    expect_clocks(HEAD "0: s 1 1000\ns 1 1001\n1: r 0 1000\nr 0 1001\n", &calibration, &parameters,
                  (const double[]){48.9 + 7.0005, 48.9 + 7.0005, 0, 0});
    calibration.lines[0].to_bytes = 999;
    expect_clocks(HEAD "0: s 1 999\ns 1 1000\n1: r 0 999\nr 0 1000\n", &calibration, &parameters,
                  (const double[]){expected[0] - 0.02, expected[1] - 0.02, 0, 0});
}
END_TEST

/* Accounts */

START_TEST(each_microsecond_is_accounted_for)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_PAPER);
    ccmod_result *result = evaluate(HEAD "0: c 5\ns 1 1000\n1: c 15\nr 0 1000\nc 2\n*: b\n",
                                    &calibration, &parameters);
    ccmod_processor sender = ccmod_result_processor(result, 0);
    ccmod_processor receiver = ccmod_result_processor(result, 1);

    ck_assert_double_eq_tol(sender.compute_us, 5, exact);
    ck_assert_double_eq_tol(sender.wait_us, 12, exact);
    ck_assert_double_eq_tol(sender.send_us, 48.9, exact);
    ck_assert_double_eq_tol(sender.clock_us, 65.9, exact);
    ck_assert_double_eq_tol(receiver.compute_us, 17, exact);
    ck_assert_double_eq_tol(receiver.receive_us, 48.9, exact);
    ck_assert_double_eq_tol(receiver.wait_us, 0, exact);
    ck_assert_double_eq_tol(result->end_us, 65.9, exact);
    ccmod_result_free(result);
}
END_TEST

START_TEST(measured_times_are_compared_line_by_line)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_PAPER);
    ccmod_result *result =
        evaluate(HEAD "0: c 10 t=12\ns 1 1000 t=40\nc 3\n1: r 0 1000\n", &calibration, &parameters);

    ck_assert_uint_eq(result->comparison.records, 2);
    ck_assert_double_eq_tol(result->comparison.measured_us, 52, exact);
    ck_assert_double_eq_tol(result->comparison.predicted_us, 58.9, exact);
    ck_assert_double_eq_tol(result->comparison.worst_error, 8.9 / 40, exact);
    ck_assert_uint_eq(result->comparison.worst_line, 3);
    ccmod_result_free(result);
}
END_TEST

START_TEST(the_bottleneck_of_a_funnel_is_its_receivers_link)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_PAPER);
    ccmod_result *result = evaluate(HEAD "1-3: s 0 1000\n0: ir 1 1000\nir 2 1000\nir 3 1000\nw\n",
                                    &calibration, &parameters);
    ccmod_cell cell = ccmod_result_cell(result, 2 * 0 + CCMOD_OUTWARD);

    ck_assert_uint_eq(result->bottleneck, 2 * 0 + CCMOD_OUTWARD);
    ck_assert_uint_eq(cell.peak, 3);
    ck_assert_uint_eq(cell.packets, 3);
    ck_assert_double_eq_tol(cell.work_us, 3 * 48.9, exact);
    ck_assert_double_eq_tol(cell.lost_us, 3 * (2 * 48.9), 1e-6);
    ck_assert_double_eq_tol(ccmod_result_cell(result, 2 * 1 + CCMOD_INWARD).lost_us, 0, exact);
    ccmod_result_free(result);
}
END_TEST

/* Background */

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

/* Two packets of 29.2 us each; then 64 parts of 312.5 us, of 685 packets. */
START_TEST(in_fifo_packets_of_two_messages_take_turns)
{
    expect_fifo(HEAD "0-1: s 2 2920\n2: ir 0 2920\nir 1 2920\nw\n", 0, 116.5, 145.7, 145.7, 0);
    expect_fifo(HEAD "0-1: s 2 1000000\n2: ir 0 1000000\nir 1 1000000\nw\n", 0, 28.9 + 127 * 312.5,
                40028.9, 40028.9, 0);
}
END_TEST

/* Beside more than 4096 messages between other nodes; in turns rank 0's would end at 60116.5 us. */
START_TEST(in_fifo_messages_of_a_crowd_are_not_cut)
{
    expect_fifo(HEAD "3:\n@ 6000\nis 1 2920\n;\nw\n"
                     "1:\n@ 6000\nir 3 2920\n;\nc 60000\nis 2 2920\nw\n"
                     "0: c 60000\ns 2 2920\n2: ir 0 2920\nir 1 2920\nw\n",
                0, 60087.3, -1, 60145.7, -1);
}
END_TEST

/* A packet has its share of 60 us, by its bytes and a head of 78: the first of 3 has 1460 of 3000
 * bytes. */
START_TEST(in_fifo_a_packet_keeps_its_link_for_its_bytes_and_its_head)
{
    const double first_us = 60 * (1460 + 78) / (3000 + 3 * 78.0);

    expect_fifo(HEAD "0: s 2 3000\n1: s 2 1000\n2: ir 0 3000\nir 1 1000\nw\n", 0, 108.9,
                28.9 + first_us + 20, 108.9, 0);
}
END_TEST

/* Rank 0's first message is on its link from 15.9 us on and waits for its receiver's until 30.9;
 * its second one has the sender's link from 35.9 us on. */
START_TEST(in_fifo_a_message_that_waits_at_its_receiver_has_left_its_sender)
{
    expect_fifo(HEAD "0: c 5\nis 2 1000\nis 3 1000\nw\n1: s 2 1000\n2: ir 1 1000\nir 0 1000\nw\n"
                     "3: r 0 1000\n",
                0, 73.9, 48.9, 68.9, 73.9);
}
END_TEST

/* The first message asks for the link at 1 us, and its latency of 18 us comes later; the second
 * one, without latency, at 2 us. */
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

START_TEST(in_fifo_what_was_lost_is_the_time_in_queues)
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

/* Each of four packets of 29.2 us but the last keeps the other message waiting; those of its own
 * message, at its source, lose nothing. */
START_TEST(in_fifo_packets_lose_what_they_wait_for_others)
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

START_TEST(acknowledgements_of_a_stream_hinder_nobody)
{
    expect_acknowledged(HEAD "0: is 1 1000\nis 1 1000\nw\n1: ir 0 1000\nir 0 1000\nw\n", 68.9, 68.9,
                        0);
}
END_TEST

/* Rank 0's message arrives at 48.9 us. When 40 ms have passed rank 1's link is free, and wanted at
 * 40050 us; or it serves a message from 40045 to 40065 us, behind which another one waits. */
START_TEST(what_a_receiver_sends_to_others_comes_behind_its_acknowledgement)
{
    expect_acknowledged(HEAD "0: s 1 1000\n1: r 0 1000\nc 39990.2\nis 2 1000\nw\n2: r 1 1000\n",
                        48.9, 40091.9, 40091.9);
    expect_acknowledged(HEAD "0: s 1 1000\n1: r 0 1000\nc 39985.2\nis 2 1000\nis 2 1000\nw\n"
                             "2: ir 1 1000\nir 1 1000\nw\n",
                        48.9, 40108, 40108);
}
END_TEST

/* The same, but that rank 1 has sent something to rank 0 in the meantime, or before. */
START_TEST(what_goes_to_the_sender_within_40_ms_carries_the_acknowledgement)
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

/* 200 answers within 40 ms, 29.1 us each; the last one arrives at 5820 us, and rank 0's link is
 * wanted when it is acknowledged. */
START_TEST(of_many_answers_the_last_one_is_acknowledged)
{
    expect_acknowledged(HEAD "0:\n@ 100\nis 1 10\nr 1 10\n;\nc 39990.1\nis 2 1000\nw\n"
                             "1:\n@ 100\nr 0 10\nis 0 10\n;\n2: r 0 1000\n",
                        45863, -1, 45863);
}
END_TEST

/* How long rank 1's link to the switch has worked; an acknowledgement takes 5 us. */
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

/* The first message could have been answered; with the second one it is known that none is. */
START_TEST(who_does_not_answer_acknowledges_each_message_at_once)
{
    expect_sent(HEAD "0:\n@ 200\nis 1 10\n;\nw\n1:\n@ 200\nr 0 10\n;\n", 199 * 5);
}
END_TEST

/* Rank 1 answers the first message; of three more it has an acknowledgement for the second. */
START_TEST(who_answers_acknowledges_the_second_of_two_messages_at_once)
{
    expect_sent(HEAD "0: s 1 10\nr 1 10\n@ 3\nis 1 10\n;\nw\n"
                     "1: r 0 10\nis 0 10\n@ 3\nr 0 10\n;\n",
                0.2 + 5);
}
END_TEST

/* Four packets of 29.2 us, from 28.9 us on, so that the second is there at 87.3 us; rank 1's link
 * is wanted at 86.3 us, and at 88.3 us. */
START_TEST(two_packets_are_acknowledged_while_the_next_ones_come)
{
    expect_acknowledged(HEAD "0: s 1 5840\n1: ir 0 5840\nc 57.4\nis 2 10\nw\n2: r 1 10\n", 145.7,
                        145.7, 86.5);
    expect_acknowledged(HEAD "0: s 1 5840\n1: ir 0 5840\nc 59.4\nis 2 10\nw\n2: r 1 10\n", 145.7,
                        145.7, 92.5);
}
END_TEST

/* The same packets; rank 1's link has a message from 52 to 72 us, and another one in line from 62.9
 * us on, when the acknowledgement comes. Rank 2 acknowledges both, which delays the last packet. */
START_TEST(an_acknowledgement_stands_in_line_like_a_packet)
{
    expect_acknowledged(HEAD "0: s 1 5840\n1: ir 0 5840\nc 41.1\nis 2 1000\nis 2 1000\nw\n"
                             "2: ir 1 1000\nir 1 1000\nw\n",
                        150.7, 150.7, 110);
}
END_TEST

/* Those of the first three messages come after 40 ms, and that of the last one at once. */
START_TEST(a_link_has_worked_for_acknowledgements)
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

/* With contention constants of what leaves a node, comes to it and passes it both ways. */
static void expect_ends(const char *text, double out, double in, double duplex, double a, double b,
                        double c, double d)
{
    const double expected[] = {a, b, c, d};
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);

    calibration.out_contention = out;
    calibration.in_contention = in;
    calibration.duplex_contention = duplex;
    expect_clocks(text, &calibration, &parameters, expected);
    parameters.plain = true;
    expect_clocks(text, &calibration, &parameters, expected);
}

/* 28.9 us of start-up and 20 us of bytes; behind a started send the next record comes after 10.9
 * us.
 */
START_TEST(messages_share_the_ends_of_links_as_the_constants_say)
{
    const char *out = HEAD "0: is 1 1000\nis 2 1000\nw\n1-2: r 0 1000\n";
    const char *in = HEAD "0-1: s 2 1000\n2: ir 0 1000\nir 1 1000\nw\n";
    const char *both = HEAD "0: is 1 1000\nr 1 1000\nw\n1: is 0 1000\nr 0 1000\nw\n";

    expect_ends(out, 2, 2, 1, 68.9, 58, 68.9, 0);
    expect_ends(out, 1, 2, 1, 59.8, 48.9, 59.8, 0);
    expect_ends(in, 2, 2, 1, 68.9, 68.9, 68.9, 0);
    expect_ends(in, 2, 1.5, 1, 58.9, 58.9, 58.9, 0);
    expect_ends(both, 2, 2, 1, 59.8, 59.8, 0, 0);
    expect_ends(both, 2, 2, 1.5, 69.8, 69.8, 0, 0);
    expect_ends(both, 2, 2, 2, 79.8, 79.8, 0, 0);
}
END_TEST

START_TEST(a_lone_multicast_shares_no_end)
{
    expect_ends(HEAD "0: m 1-3 1000\n1-3: r 0 1000\n", 2, 2, 2, 48.9, 48.9, 48.9, 48.9);
}
END_TEST

START_TEST(a_constant_background_takes_its_share)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_PAPER);

    parameters.background = CCMOD_BACKGROUND_CONSTANT;
    parameters.background_load = 0.25;
    expect_clocks(HEAD "0: s 1 1000\n1: r 0 1000\n", &calibration, &parameters,
                  (const double[]){48.9 / 0.75, 48.9 / 0.75, 0, 0});
}
END_TEST

/* The mean of min(exp of mean m, 0.99) is m (1 - e^(-0.99 / m)); a message that lasts for many
 * intervals sees, on two links, the load of the one with the higher. On one link with a second
 * message of half the way it is the mean itself; so two messages share the receiver's link. */
START_TEST(an_exponential_background_has_the_clipped_mean)
{
    ccmod_calibration calibration = ccmod_calibration_line(0, 0, 1);
    ccmod_parameters parameters = in_mode(CCMOD_PAPER);
    ccmod_result *result;
    double load;

    parameters.background = CCMOD_BACKGROUND_EXPONENTIAL;
    parameters.background_load = 0.3;
    parameters.background_interval_us = 10;
    result = evaluate(HEAD "0-1: s 2 500000\n2: ir 0 500000\nir 1 500000\nw\n", &calibration,
                      &parameters);
    load = 1 - 1e6 / result->end_us;
    /* 100000 intervals: the standard error is 0.001 */
    ck_assert_double_eq_tol(load, 0.3 * (1 - exp(-0.99 / 0.3)), 0.005);
    ccmod_result_free(result);
}
END_TEST

START_TEST(an_exponential_background_is_a_matter_of_the_seed)
{
    const char *text = HEAD "0: s 1 100000\n1: r 0 100000\n";
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);
    double end_us[3];

    parameters.background = CCMOD_BACKGROUND_EXPONENTIAL;
    parameters.background_load = 0.3;
    for (size_t i = 0; i < 3; i++) {
        ccmod_result *result;

        parameters.seed = i < 2 ? 1 : 2;
        result = evaluate(text, &calibration, &parameters);
        end_us[i] = result->end_us;
        ccmod_result_free(result);
    }
    ck_assert_double_eq(end_us[0], end_us[1]);
    ck_assert_double_ne(end_us[0], end_us[2]);
}
END_TEST

/* Determinism */

static const char busy[] = HEAD "*:\n@ 200\nis (%r+1+%i%3)%%n 100+%i\nir (%r-1-%i%3)%%n 100+%i\n"
                                "c exp(5)\nw\n;\n";

/* All results of an evaluation, for comparison bit by bit. */
typedef struct {
    double end_us, lost_us;
    ccmod_processor processors[4];
} all_figures;

static all_figures figures_of(uint64_t seed)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);
    ccmod_result *result;
    all_figures figures;

    memset(&figures, 0, sizeof(figures));
    parameters.seed = seed;
    result = evaluate(busy, &calibration, &parameters);
    figures.end_us = result->end_us;
    figures.lost_us = ccmod_result_cell(result, result->bottleneck).lost_us;
    for (size_t i = 0; i < 4; i++)
        figures.processors[i] = ccmod_result_processor(result, i);
    ccmod_result_free(result);
    return figures;
}

START_TEST(the_same_input_gives_the_same_result_bit_for_bit)
{
    all_figures first = figures_of(1), again = figures_of(1), other = figures_of(2);

    ck_assert_mem_eq(&first, &again, sizeof(first));
    ck_assert_mem_ne(&first, &other, sizeof(first));
}
END_TEST

static void *evaluate_in_thread(void *out)
{
    *(all_figures *)out = figures_of(1);
    return NULL;
}

START_TEST(evaluations_run_side_by_side)
{
    all_figures alone = figures_of(1), found[3];
    pthread_t threads[3];

    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, evaluate_in_thread, &found[i]), 0);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert_mem_eq(&found[i], &alone, sizeof(alone));
    }
}
END_TEST

/* Observers */

typedef struct {
    uint64_t seen[CCMOD_SIGNALS];
    double covered_us[4]; /* up to where the intervals of a processor go */
    double packets;       /* consumed */
    double horizon_us;    /* sum */
    uint64_t fail_after;  /* messages; 0: never */
} witness;

static cb_status witness_signal(void *self, const ccmod_signal *signal, ccmod_error *error)
{
    witness *seen = self;

    seen->seen[signal->kind]++;
    if (signal->kind == CCMOD_SIGNAL_UPPR_PROC) {
        uint32_t processor = signal->of.interval.processor;

        ck_assert_double_eq_tol(signal->of.interval.since_us, seen->covered_us[processor], exact);
        ck_assert(signal->clock_us > signal->of.interval.since_us);
        seen->covered_us[processor] = signal->clock_us;
    }
    if (signal->kind == CCMOD_SIGNAL_UPPR_PCNS)
        seen->packets += signal->of.message.consumed_packets;
    if (signal->kind == CCMOD_SIGNAL_EVENTHORIZON)
        seen->horizon_us += signal->of.horizon.duration_us;
    if (signal->kind == CCMOD_SIGNAL_UPPR_END && signal->of.message.id + 1 == seen->fail_after)
        return ccmod_fail(error, CB_ERROR_SYSTEM, NULL, 0, "the witness has had enough");
    return CB_OK;
}

static cb_status observe(witness *seen, uint32_t wanted, ccmod_result **result, ccmod_error *error)
{
    ccmod_observer observer = {wanted, witness_signal, seen};
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);
    ccmod_trace *trace = text_trace(busy);
    ccmod_workload *workload = NULL;
    ccmod_network *network = NULL;
    cb_status status;

    ck_assert_int_eq(ccmod_trace_workload(trace, 1, &workload, error), CB_OK);
    ck_assert_int_eq(ccmod_network_open("crossbar", 4, &network, error), CB_OK);
    status =
        ccmod_evaluate(workload, network, &calibration, &parameters, &observer, 1, result, error);
    ccmod_network_free(network);
    ccmod_workload_free(workload);
    ccmod_trace_close(trace);
    return status;
}

START_TEST(all_fifteen_signals_come_and_add_up)
{
    witness seen = {.fail_after = 0};
    ccmod_result *result = NULL;
    ccmod_error error;

    ck_assert_int_eq(observe(&seen, CCMOD_WANTS_ALL, &result, &error), CB_OK);
    for (size_t i = 0; i < CCMOD_SIGNALS; i++)
        ck_assert_msg(seen.seen[i] > 0, "no signal %s", ccmod_signal_name((ccmod_signal_kind)i));
    ck_assert_uint_eq(seen.seen[CCMOD_SIGNAL_NEWSCOM], result->messages);
    ck_assert_uint_eq(seen.seen[CCMOD_SIGNAL_UPPR_END], result->messages);
    ck_assert_uint_eq(seen.seen[CCMOD_SIGNAL_MSGCONT], seen.seen[CCMOD_SIGNAL_UPPR_PCNS]);
    ck_assert_double_eq_tol(seen.horizon_us, result->end_us, 1e-6);
    /* one packet a message; an instant of each may be left when it ends */
    ck_assert_double_eq_tol(seen.packets, (double)result->messages, 0.5);
    for (size_t i = 0; i < 4; i++)
        ck_assert_double_eq_tol(seen.covered_us[i], clock_of(result, i), exact);
    ccmod_result_free(result);
}
END_TEST

START_TEST(observers_do_not_change_the_result)
{
    const uint32_t wishes[] = {CCMOD_WANTS_ALL, CCMOD_WANTS_ALL & ~CCMOD_WANTS_HORIZONS};
    all_figures alone = figures_of(1);

    for (size_t i = 0; i < 2; i++) {
        witness seen = {.fail_after = 0};
        ccmod_result *result = NULL;
        ccmod_error error;

        ck_assert_int_eq(observe(&seen, wishes[i], &result, &error), CB_OK);
        ck_assert_double_eq_tol(result->end_us, alone.end_us, 1e-6);
        ccmod_result_free(result);
    }
}
END_TEST

START_TEST(an_observer_that_fails_ends_the_evaluation)
{
    witness seen = {.fail_after = 10};
    ccmod_result *result = NULL;
    ccmod_error error;

    ck_assert_int_eq(observe(&seen, CCMOD_WANTS_ALL, &result, &error), CB_ERROR_SYSTEM);
    ck_assert_str_eq(error.text, "the witness has had enough");
}
END_TEST

static bool stop_at_once(void *context, const ccmod_progress *progress)
{
    ck_assert(progress->clock_us > 0);
    ++*(int *)context;
    return false;
}

START_TEST(progress_is_told_and_may_end_the_evaluation)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);
    ccmod_result *result = NULL;
    ccmod_error error;
    int asked = 0;

    parameters.progress = stop_at_once;
    parameters.progress_context = &asked;
    /* without an end of its own: thousands of years */
    ck_assert_int_eq(text_evaluate(HEAD "*:\n@ 1000000000000000\nc 100\nb\n;\n", &calibration,
                                   &parameters, &result, &error),
                     CB_ERROR_INTERRUPTED);
    ck_assert_int_eq(asked, 1);
}
END_TEST

START_TEST(parameters_out_of_range_are_refused)
{
    ccmod_calibration calibration = ccmod_calibration_line(1, -1, 1);
    ccmod_parameters parameters = ccmod_parameters_default();
    ccmod_result *result = NULL;
    ccmod_error error;

    ck_assert_int_eq(text_evaluate(HEAD, &calibration, &parameters, &result, &error),
                     CB_ERROR_USAGE);
    calibration = ccmod_calibration_line(1, 1, 0); /* endless bytes */
    ck_assert_int_eq(text_evaluate(HEAD, &calibration, &parameters, &result, &error),
                     CB_ERROR_USAGE);
    calibration = article();
    parameters.background_load = 1;
    ck_assert_int_eq(text_evaluate(HEAD, &calibration, &parameters, &result, &error),
                     CB_ERROR_USAGE);
}
END_TEST

UNIT_MAIN("evaluation", a_lone_message_takes_the_quiet_time_in_both_modes,
          two_messages_through_one_link_take_twice_as_long,
          the_event_horizon_ends_where_the_traffic_changes, links_are_full_duplex,
          in_mode_split_the_start_up_is_not_stretched, a_blocking_send_waits_for_its_receive,
          below_the_eager_threshold_a_send_returns_after_its_overhead,
          a_started_send_goes_on_and_a_wait_waits,
          messages_of_a_pair_are_matched_first_in_first_out,
          a_receive_from_any_takes_the_earliest_and_of_equals_the_lowest_rank,
          sends_that_wait_are_taken_in_their_order_by_pair_and_from_any,
          a_receive_posted_earlier_is_served_earlier_also_from_any,
          a_multicast_counts_once_on_each_link, a_barrier_releases_all_when_the_last_has_come,
          a_message_occupies_its_links_for_the_gap_at_least, the_line_is_chosen_by_the_size,
          each_microsecond_is_accounted_for, measured_times_are_compared_line_by_line,
          the_bottleneck_of_a_funnel_is_its_receivers_link, a_constant_background_takes_its_share,
          messages_share_the_ends_of_links_as_the_constants_say, a_lone_multicast_shares_no_end,
          in_fifo_a_link_serves_one_message_after_the_other,
          in_fifo_packets_of_two_messages_take_turns, in_fifo_messages_of_a_crowd_are_not_cut,
          in_fifo_a_packet_keeps_its_link_for_its_bytes_and_its_head,
          in_fifo_a_message_that_waits_at_its_receiver_has_left_its_sender,
          in_fifo_messages_leave_a_node_in_the_order_of_their_sends,
          in_fifo_a_wide_link_is_free_again_earlier,
          in_fifo_two_directions_take_as_long_as_they_do_when_they_share,
          in_fifo_what_was_lost_is_the_time_in_queues,
          in_fifo_packets_lose_what_they_wait_for_others,
          acknowledgements_of_a_stream_hinder_nobody,
          what_a_receiver_sends_to_others_comes_behind_its_acknowledgement,
          what_goes_to_the_sender_within_40_ms_carries_the_acknowledgement,
          of_many_answers_the_last_one_is_acknowledged,
          who_does_not_answer_acknowledges_each_message_at_once,
          who_answers_acknowledges_the_second_of_two_messages_at_once,
          two_packets_are_acknowledged_while_the_next_ones_come,
          an_acknowledgement_stands_in_line_like_a_packet, a_link_has_worked_for_acknowledgements,
          an_exponential_background_has_the_clipped_mean,
          an_exponential_background_is_a_matter_of_the_seed,
          the_same_input_gives_the_same_result_bit_for_bit, evaluations_run_side_by_side,
          all_fifteen_signals_come_and_add_up, observers_do_not_change_the_result,
          an_observer_that_fails_ends_the_evaluation, progress_is_told_and_may_end_the_evaluation,
          parameters_out_of_range_are_refused)
