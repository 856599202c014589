/* Reduced bandwidth of links: ends of nodes shared by messages as the calibration says, and
 * background traffic. */
#include "tests/model/evaluation.h"

#include <math.h>

#include "tests/model/trace_text.h"

/* With contention constants for messages that leave a node, arrive at it, and pass it in both
 * directions. */
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

/* 28.9 us of start-up and 20 us of bytes; the record after a started send begins after 10.9 us. */
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

/* The first is alone for 400 us; both share the receiver's link until it ends. Each end is one
 * instant, and 400 us is one: the end at 1000 us, which the first would have had, is none. */
START_TEST(a_message_is_alone_until_another_joins)
{
    const char *text = HEAD "0: s 2 1000\n1: c 400\ns 2 1000\n2: ir 0 1000\nir 1 1000\nw\n";
    ccmod_calibration calibration = ccmod_calibration_line(0, 0, 1);
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);

    for (int plain = 0; plain < 2; plain++) {
        ccmod_result *result;

        parameters.plain = plain;
        expect_clocks(text, &calibration, &parameters, (const double[]){1600, 2000, 2000, 0});
        result = evaluate(text, &calibration, &parameters);
        ck_assert_uint_eq(result->cycles, 3);
        ccmod_result_free(result);
    }
}
END_TEST

/* The message of rank 0 is joined by one that takes no time, so that its end is rounded to just
 * before its void event, and the record of rank 2 that follows starts a message within that
 * instant. */
START_TEST(a_void_event_touches_no_other_message)
{
    const char *text = "%cct 1 ranks 10 unit us\n"
                       "0: s 2 2211008\n"
                       "1: c 32.4\ns 2 1\n"
                       "2: ir 0 2211008\nir 1 1\nir 8 1\nw\ns 3 100000\nc 50\nr 3 1000\n"
                       "3: r 2 100000\nc 5\ns 2 1000\n"
                       "4: c 32.4\ns 5 0\n5: r 4 0\n"
                       "6: c 82.3\ns 7 0\n7: r 6 0\n"
                       "8: c 82.3\ns 2 1\n"
                       "9: c 221.0998\n";
    ccmod_calibration calibration = ccmod_calibration_line(0, 0, 10000);
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);
    ccmod_result *result, *plain;

    result = evaluate(text, &calibration, &parameters);
    parameters.plain = true;
    plain = evaluate(text, &calibration, &parameters);
    ck_assert_uint_eq(result->messages, 7);
    ck_assert_double_eq_tol(result->end_us, 281.2, 0.01);
    for (size_t i = 0; i < 10; i++)
        ck_assert_double_eq_tol(ccmod_result_processor(result, i).compute_us,
                                ccmod_result_processor(plain, i).compute_us, 0.01);
    ccmod_result_free(result);
    ccmod_result_free(plain);
}
END_TEST

START_TEST(a_constant_background_reduces_the_bandwidth)
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

START_TEST(an_exponential_background_depends_on_the_seed)
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

/* In the first, third, ... interval node 0's link is free, in the others half used. */
static double alternate(const ccmod_network *network, uint32_t cell, uint64_t interval)
{
    (void)network;
    return cell == CCMOD_INWARD && interval % 2 == 1 ? 0.5 : 0;
}

/* Such loads, of intervals of this time, or with 0 of each evaluation of a link; the clock of
 * rank 1.
 */
static double clock_beside_others(const char *text, ccmod_mode mode, ccmod_share share,
                                  double interval_us)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(mode);
    ccmod_trace *trace = text_trace(text);
    ccmod_network_operations operations;
    ccmod_network *network = NULL;
    ccmod_workload *workload = NULL;
    ccmod_result *result = NULL;
    ccmod_error error;
    double clock_us;

    parameters.share = share;
    parameters.background_interval_us = interval_us;
    ck_assert_int_eq(ccmod_trace_workload(trace, 1, &workload, &error), CCMOD_OK);
    ck_assert_int_eq(ccmod_network_open("crossbar", 4, &network, &error), CCMOD_OK);
    operations = *network->operations;
    operations.background = alternate;
    network->operations = &operations;
    ck_assert_msg(ccmod_evaluate(workload, network, &calibration, &parameters, NULL, 0, &result,
                                 &error) == CCMOD_OK,
                  "%s", error.text);
    clock_us = clock_of(result, 1);
    ccmod_result_free(result);
    ccmod_network_free(network);
    ccmod_workload_free(workload);
    ccmod_trace_close(trace);
    return clock_us;
}

/* Rank 2 ends a horizon every 10 us: of 48.9 us of work, 10 and 5 are done in turn. */
START_TEST(a_background_may_be_drawn_at_each_horizon)
{
    const char *text = HEAD "0: s 1 1000\n1: r 0 1000\n2:\n@ 10\nc 10\n;\n";

    ck_assert_double_eq_tol(clock_beside_others(text, CCMOD_PAPER, CCMOD_BOTTLENECK, 0), 63.9,
                            exact);
    ck_assert_double_eq_tol(clock_beside_others(text, CCMOD_PAPER, CCMOD_MAXMIN, 0), 63.9, exact);
}
END_TEST

/* Three packets of 29.2 us each; the second one takes twice as long. */
START_TEST(in_fifo_a_background_may_be_drawn_for_each_packet)
{
    const char *text = HEAD "0: s 1 4380\n1: r 0 4380\n";

    ck_assert_double_eq_tol(clock_beside_others(text, CCMOD_SPLIT, CCMOD_FIFO, 0), 28.9 + 4 * 29.2,
                            exact);
}
END_TEST

/* 20 us of work begin at 10.9: 9.1 are done at 20, 10 more at 40, the rest at 40.9; 18 us of
 * latency follow. In the other rules the latency comes first: from 28.9 on 5.55 are done at 40, the
 * rest at 54.45. */
START_TEST(a_load_changes_while_a_packet_passes)
{
    const char *text = HEAD "0: s 1 1000\n1: r 0 1000\n";

    ck_assert_double_eq_tol(clock_beside_others(text, CCMOD_SPLIT, CCMOD_FIFO, 20), 58.9, exact);
    ck_assert_double_eq_tol(clock_beside_others(text, CCMOD_SPLIT, CCMOD_MAXMIN, 20), 54.45, exact);
    ck_assert_double_eq_tol(clock_beside_others(text, CCMOD_SPLIT, CCMOD_BOTTLENECK, 20), 54.45,
                            exact);
}
END_TEST

UNIT_PART(evaluation_sharing, messages_share_the_ends_of_links_as_the_constants_say,
          a_lone_multicast_shares_no_end, a_message_is_alone_until_another_joins,
          a_void_event_touches_no_other_message, a_constant_background_reduces_the_bandwidth,
          an_exponential_background_has_the_clipped_mean,
          an_exponential_background_depends_on_the_seed, a_background_may_be_drawn_at_each_horizon,
          in_fifo_a_background_may_be_drawn_for_each_packet, a_load_changes_while_a_packet_passes)
