/* The cost of a message on the quiet network: lines by size, hops, the gap, packets and the
 * inverse; and networks by name. */
#include <string.h>

#include <ccmod/ccmod.h>

#include "tests/common/unit.h"

static const double exact = 1e-12;

static ccmod_network *crossbar(void)
{
    ccmod_network *network = NULL;
    ccmod_error error;

    ck_assert_int_eq(ccmod_network_open("crossbar:4", 4, &network, &error), CCMOD_OK);
    return network;
}

static double sum(ccmod_delay delay)
{
    return delay.overhead_us + delay.latency_us + delay.transfer_us;
}

START_TEST(a_line_has_overhead_latency_and_bandwidth)
{
    ccmod_calibration calibration = ccmod_calibration_line(2, 3, 100);
    ccmod_delay delay = ccmod_default_quiet_delay(&calibration, 2, 1000);

    ck_assert_double_eq_tol(delay.overhead_us, 2, exact);
    ck_assert_double_eq_tol(delay.latency_us, 3, exact);
    ck_assert_double_eq_tol(delay.transfer_us, 10, exact);
}
END_TEST

START_TEST(a_line_applies_up_to_its_size_and_the_last_above)
{
    ccmod_calibration calibration = ccmod_calibration_line(1, 0, 1000);

    calibration.lines[0].to_bytes = 100;
    calibration.lines[1] = (ccmod_line){200, 10, 0, 0};
    calibration.line_count = 2;
    ck_assert_double_eq_tol(sum(ccmod_default_quiet_delay(&calibration, 2, 100)), 1.1, exact);
    ck_assert_double_eq_tol(sum(ccmod_default_quiet_delay(&calibration, 2, 101)), 10, exact);
    ck_assert_double_eq_tol(sum(ccmod_default_quiet_delay(&calibration, 2, 1000)), 10, exact);
}
END_TEST

START_TEST(hops_beyond_the_second_add_latency)
{
    ccmod_calibration calibration = ccmod_calibration_line(1, 5, 1000);

    calibration.hop_us = 0.5;
    ck_assert_double_eq_tol(ccmod_default_quiet_delay(&calibration, 1, 0).latency_us, 5, exact);
    ck_assert_double_eq_tol(ccmod_default_quiet_delay(&calibration, 2, 0).latency_us, 5, exact);
    ck_assert_double_eq_tol(ccmod_default_quiet_delay(&calibration, 6, 0).latency_us, 7, exact);
}
END_TEST

START_TEST(the_gap_is_subtracted_from_the_latency)
{
    ccmod_calibration calibration = ccmod_calibration_line(1, 5, 100);

    calibration.gap_us = 3;
    ck_assert_double_eq_tol(ccmod_default_quiet_delay(&calibration, 2, 100).transfer_us, 3, exact);
    ck_assert_double_eq_tol(sum(ccmod_default_quiet_delay(&calibration, 2, 100)), 7, exact);
    ck_assert_double_eq_tol(ccmod_default_quiet_delay(&calibration, 2, 900).transfer_us, 9, exact);
}
END_TEST

START_TEST(a_hold_time_replaces_the_time_of_the_bytes_on_links)
{
    ccmod_calibration calibration = ccmod_calibration_line(1, 5, 100);
    ccmod_delay delay;

    calibration.gap_us = 1000;
    calibration.holds[0] = (ccmod_line){500, 0, 3, 0.02};
    calibration.holds[1] = (ccmod_line){UINT64_MAX, 0, 0, 0.03};
    calibration.hold_count = 2;
    delay = ccmod_default_quiet_delay(&calibration, 2, 100);
    ck_assert_double_eq_tol(delay.overhead_us, 1, exact);
    ck_assert_double_eq_tol(delay.transfer_us, 5, exact);
    ck_assert_double_eq_tol(sum(delay), 7, exact);
    /* longer than the whole message: the next one still has to wait for it */
    delay = ccmod_default_quiet_delay(&calibration, 2, 1000);
    ck_assert_double_eq_tol(delay.latency_us, 0, exact);
    ck_assert_double_eq_tol(delay.transfer_us, 30, exact);
}
END_TEST

START_TEST(full_duplex_ends_do_not_change_the_network)
{
    ccmod_calibration calibration = ccmod_calibration_line(1, 5, 100);
    ccmod_network *network = crossbar(), *before = network;
    ccmod_error error;

    calibration.out_contention = calibration.in_contention = 2;
    calibration.duplex_contention = 1;
    ck_assert_int_eq(ccmod_network_share_ends(&calibration, &network, &error), CCMOD_OK);
    ck_assert_ptr_eq(network, before);
    ccmod_network_free(network);
}
END_TEST

START_TEST(shared_ends_have_names_and_are_not_hops)
{
    ccmod_calibration calibration = ccmod_calibration_line(1, 5, 100);
    ccmod_network *network = crossbar();
    ccmod_error error;
    uint32_t cells[6];
    size_t count;
    char name[64];

    calibration.hop_us = 0.5;
    calibration.duplex_contention = 1.5;
    ck_assert_int_eq(ccmod_network_share_ends(&calibration, &network, &error), CCMOD_OK);
    count = network->operations->route(network, 1, 3, cells);
    ck_assert_uint_le(count, network->longest_route);
    ck_assert_double_eq_tol(ccmod_quiet_delay(network, &calibration, count, 0).latency_us, 5,
                            exact);
    ccmod_link_name(network, cells[2] / 2, name, sizeof(name));
    ck_assert_str_eq(name, "end of node 1");
    ccmod_link_name(network, cells[5] / 2, name, sizeof(name));
    ck_assert_str_eq(name, "both directions of node 3");
    ccmod_network_free(network);
}
END_TEST

START_TEST(every_message_has_at_least_one_packet)
{
    ccmod_network *network = crossbar();
    uint64_t payload = network->payload_bytes;

    ck_assert_uint_eq(ccmod_packets(network, 0), 1);
    ck_assert_uint_eq(ccmod_packets(network, payload), 1);
    ck_assert_uint_eq(ccmod_packets(network, payload + 1), 2);
    ck_assert_uint_eq(ccmod_packets(network, 10 * payload), 10);
    ck_assert_uint_eq(ccmod_packets(network, UINT64_MAX), UINT64_MAX / payload + 1);
    ccmod_network_free(network);
}
END_TEST

START_TEST(packets_are_consumed_after_the_start_up)
{
    ccmod_calibration calibration = ccmod_calibration_line(2, 3, 1000);
    ccmod_network *network = crossbar();
    uint64_t bytes = 10 * network->payload_bytes;
    double transfer_us = (double)bytes / 1000;

    ck_assert_double_eq(ccmod_quiet_packets(network, &calibration, 2, bytes, 4.9), 0);
    ck_assert_double_eq_tol(
        ccmod_quiet_packets(network, &calibration, 2, bytes, 5 + transfer_us / 2), 5, 1e-9);
    ck_assert_double_eq(ccmod_quiet_packets(network, &calibration, 2, bytes, 5 + transfer_us), 10);
    ck_assert_double_eq(ccmod_quiet_packets(network, &calibration, 2, 0, 4.9), 0);
    ck_assert_double_eq(ccmod_quiet_packets(network, &calibration, 2, 0, 5), 1);
    ccmod_network_free(network);
}
END_TEST

START_TEST(a_route_of_the_crossbar_has_two_links)
{
    ccmod_network *network = crossbar();
    uint32_t cells[2];
    char name[32];

    ck_assert_uint_eq(network->operations->route(network, 1, 3, cells), 2);
    ck_assert_uint_eq(cells[0], 2 * 1 + CCMOD_INWARD);
    ck_assert_uint_eq(cells[1], 2 * 3 + CCMOD_OUTWARD);
    ccmod_link_name(network, 3, name, sizeof(name));
    ck_assert_str_eq(name, "node 3");
    ccmod_network_free(network);
}
END_TEST

static void expect_refusal(const char *text, const char *says)
{
    ccmod_network *network = NULL;
    ccmod_error error;

    ck_assert_int_eq(ccmod_network_open(text, 4, &network, &error), CCMOD_ERROR_USAGE);
    ck_assert_msg(strstr(error.text, says) != NULL, "'%s' does not say '%s'", error.text, says);
    ck_assert_ptr_null(network);
}

START_TEST(an_invalid_network_is_refused)
{
    expect_refusal("moebius", "use one of crossbar[:NODES]");
    expect_refusal("cross", "no such kind");
    expect_refusal("crossbar:", "number of nodes");
    expect_refusal("crossbar:0", "number of nodes");
    expect_refusal("crossbar:x", "number of nodes");
    expect_refusal("crossbar:3", "3 nodes, but the workload 4");
    expect_refusal("crossbar:99999999999", "number of nodes");
}
END_TEST

UNIT_MAIN("calibration", a_line_has_overhead_latency_and_bandwidth,
          a_line_applies_up_to_its_size_and_the_last_above, hops_beyond_the_second_add_latency,
          the_gap_is_subtracted_from_the_latency,
          a_hold_time_replaces_the_time_of_the_bytes_on_links,
          full_duplex_ends_do_not_change_the_network, shared_ends_have_names_and_are_not_hops,
          every_message_has_at_least_one_packet, packets_are_consumed_after_the_start_up,
          a_route_of_the_crossbar_has_two_links, an_invalid_network_is_refused)
