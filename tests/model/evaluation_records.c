/* The figures of the article, the cost of each kind of record, and the results that an
 * evaluation reports. */
#include <stdio.h>

#include "tests/model/evaluation.h"

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

START_TEST(an_event_horizon_ends_when_the_traffic_changes)
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

START_TEST(a_synchronous_send_waits_for_its_receive_at_any_size)
{
    expect_paper(HEAD "0: ss 1 1000\n1: c 100\nr 0 1000\n", 148.9, 148.9, 0, 0);
    expect_split(HEAD "0: ss 1 1000\n1: c 100\nr 0 1000\n", 1001, 148.9, 148.9, 0, 0);
    expect_split(HEAD "0: iss 1 1000\nc 1\nw\n1: c 100\nr 0 1000\n", 1001, 148.9, 148.9, 0, 0);
    expect_split(HEAD "0: iss 1 1000\nc 1\n1: c 100\nr 0 1000\n", 1001, 11.9, 148.9, 0, 0);
}
END_TEST

START_TEST(a_buffered_send_waits_for_no_receive_at_any_size)
{
    expect_split(HEAD "0: bs 1 1000\nw\n1: c 100\nr 0 1000\n", 0, 10.9, 100, 0, 0);
    expect_split(HEAD "0: bs 1 1000\n1: c 40\nr 0 1000\n", 0, 10.9, 48.9, 0, 0);
    expect_paper(HEAD "0: bs 1 1000\n1: c 40\nr 0 1000\n", 0, 48.9, 0, 0);
}
END_TEST

START_TEST(a_started_send_continues_until_its_wait)
{
    expect_paper(HEAD "0: is 1 1000\nc 10\n1: r 0 1000\n", 10, 48.9, 0, 0);
    expect_paper(HEAD "0: is 1 1000\nc 10\nw\n1: r 0 1000\n", 48.9, 48.9, 0, 0);
    expect_paper(HEAD "0: s 1 1000\n1: ir 0 1000\nc 10\nw\nc 1\n", 48.9, 49.9, 0, 0);
    expect_split(HEAD "0: is 1 1000\nc 10\n1: r 0 1000\n", 0, 20.9, 48.9, 0, 0);
}
END_TEST

START_TEST(messages_of_a_pair_are_matched_first_in_first_out)
{
    /* two sizes: matched in another order they would be an error */
    expect_paper(HEAD "0: is 1 1000\nis 1 0\nw\n1: c 1\nir 0 1000\nir 0 0\nw\n", -1, -1, 0, 0);
}
END_TEST

START_TEST(a_receive_of_any_size_takes_the_message_that_is_next)
{
    expect_paper(HEAD "0: s 1 1000\ns 1 0\n1: r 0 *\nr any *\n", -1, -1, 0, 0);
    expect_paper(HEAD "0: is 1 1000\nc 10\n1: r 0 *\n", 10, 48.9, 0, 0);
    expect_paper(HEAD "0: s 1 1000\n1: ir any *\nc 10\nw\nc 1\n", 48.9, 49.9, 0, 0);
    expect_paper(HEAD "0: m 1,2 1000\n1: c 1\nr 0 *\n2: r any *\n", -1, -1, -1, 0);
}
END_TEST

START_TEST(a_receive_from_any_takes_the_earliest_and_of_equals_the_lowest_rank)
{
    expect_paper(HEAD "0: c 50\nr any 1000\nr any 1000\nr any 1000\n"
                      "1: c 9\ns 0 1000\n2-3: c 5\ns 0 1000\n",
                 196.7, 196.7, 98.9, 147.8);
}
END_TEST

/* Their sizes differ: another order of matching is refused. */
START_TEST(waiting_sends_are_matched_in_order_by_receives_of_both_kinds)
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

/* From 3 to 15 sends wait at once, before the first receive or after it has blocked, twice. */
START_TEST(few_and_many_waiting_sends_are_matched_in_order)
{
    const unsigned counts[] = {1, 2, 5}, computing_us[] = {0, 50};
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);
    char text[512];

    for (size_t i = 0; i < 6; i++) {
        snprintf(text, sizeof(text),
                 "%%cct 1 ranks 4 unit us\n1-3:\n@ 2\nc %%r\n@ %u\nis 0 %%r*100+%%i\n;\nw\n;\n"
                 "0:\n@ 2\nc %u\n@ %u\nr 3 300+%%i\nr 1 100+%%i\nr 2 200+%%i\n;\n;\n",
                 counts[i / 2], computing_us[i % 2], counts[i / 2]);
        ccmod_result_free(evaluate(text, &calibration, &parameters));
    }
}
END_TEST

START_TEST(receives_of_both_kinds_are_matched_in_the_order_of_posting)
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

START_TEST(a_barrier_releases_all_when_the_last_rank_arrives)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_PAPER);
    const double expected[] = {37, 37, 37, 38}, of_two_rounds[] = {41, 41, 41, 41};

    expect_paper(HEAD "*: c %r*10\nb\n", 30, 30, 30, 30);
    calibration.barrier_us = 7;
    expect_clocks(HEAD "*: c %r*10\nb\n3: c 1\n", &calibration, &parameters, expected);
    calibration.barrier_round_us = 2;
    expect_clocks(HEAD "*: c %r*10\nb\n", &calibration, &parameters, of_two_rounds);
    ck_assert_double_eq(ccmod_barrier_us(&calibration, 5), 13);
    ck_assert_double_eq(ccmod_barrier_us(&calibration, 1), 7);
}
END_TEST

START_TEST(a_message_occupies_its_links_for_at_least_the_gap)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);
    const double expected[] = {43.9, 43.9, 43.9, 0};

    /* alone it takes 28.9; two of them share the receiver's link for 15 us each */
    calibration.gap_us = 15;
    expect_clocks(HEAD "0-1: s 2 0\n2: ir 0 0\nir 1 0\nw\n", &calibration, &parameters, expected);
}
END_TEST

START_TEST(the_size_of_a_message_selects_its_line)
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

START_TEST(measured_times_are_compared_for_each_line)
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

UNIT_PART(evaluation_records, a_lone_message_takes_the_quiet_time_in_both_modes,
          two_messages_through_one_link_take_twice_as_long,
          an_event_horizon_ends_when_the_traffic_changes, links_are_full_duplex,
          in_mode_split_the_start_up_is_not_stretched, a_blocking_send_waits_for_its_receive,
          below_the_eager_threshold_a_send_returns_after_its_overhead,
          a_synchronous_send_waits_for_its_receive_at_any_size,
          a_buffered_send_waits_for_no_receive_at_any_size, a_started_send_continues_until_its_wait,
          messages_of_a_pair_are_matched_first_in_first_out,
          a_receive_of_any_size_takes_the_message_that_is_next,
          a_receive_from_any_takes_the_earliest_and_of_equals_the_lowest_rank,
          waiting_sends_are_matched_in_order_by_receives_of_both_kinds,
          few_and_many_waiting_sends_are_matched_in_order,
          receives_of_both_kinds_are_matched_in_the_order_of_posting,
          a_multicast_counts_once_on_each_link, a_barrier_releases_all_when_the_last_rank_arrives,
          a_message_occupies_its_links_for_at_least_the_gap, the_size_of_a_message_selects_its_line,
          each_microsecond_is_accounted_for, measured_times_are_compared_for_each_line,
          the_bottleneck_of_a_funnel_is_its_receivers_link)
