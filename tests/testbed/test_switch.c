/* The switch in simulated time: the delay of a single frame, of competing frames, and each
 * fault. */
#include "tools/testbed/switch.h"

#include <string.h>

#include "tests/common/unit.h"
#include "tools/testbed/ecn.h"

enum { PORTS = 4, DATA = 1476, WIRE = 1500 };

/* 1500 bytes on the wire take 120 us at 100 Mbit/s. */
static const uint64_t cable_ns = 120000, delay_ns = 50000;

static switch_settings plain(void)
{
    return (switch_settings){.ports = PORTS, .bits_per_s = 100e6, .delay_ns = delay_ns, .seed = 7};
}

static network_switch opened(switch_settings settings)
{
    network_switch hub;

    ck_assert_int_eq(switch_open(&hub, &settings), CB_OK);
    return hub;
}

/* A frame of DATA bytes with a number, from one port to another, or to all if the port is PORTS. */
static void send_at(network_switch *hub, unsigned from, unsigned to, unsigned char number,
                    uint64_t now_ns)
{
    frame *sent = switch_frame(hub);

    ck_assert_ptr_nonnull(sent);
    memset(sent->data, 0xff, SWITCH_ADDRESS_BYTES);
    if (to < PORTS)
        switch_address(to, sent->data);
    sent->data[SWITCH_HEAD_BYTES] = number;
    sent->bytes = DATA;
    ck_assert_int_eq(switch_accept(hub, from, sent, now_ns), CB_OK);
}

/* The next frame delivered at any time: its number, port and time. */
static int next(network_switch *hub, unsigned *port, uint64_t *when_ns)
{
    frame *taken = switch_take(hub, UINT64_MAX - 1);
    int number;

    if (taken == NULL)
        return -1;
    number = taken->data[SWITCH_HEAD_BYTES];
    *port = taken->port;
    *when_ns = taken->due_ns;
    switch_release(hub, taken);
    return number;
}

static void expect_next(network_switch *hub, int number, unsigned port, uint64_t when_ns)
{
    unsigned at = PORTS;
    uint64_t then_ns = 0;

    ck_assert_int_eq(next(hub, &at, &then_ns), number);
    ck_assert_uint_eq(at, port);
    ck_assert_uint_eq(then_ns, when_ns);
}

static unsigned count_out(network_switch *hub)
{
    unsigned count = 0, port;
    uint64_t when_ns;

    while (next(hub, &port, &when_ns) >= 0)
        count++;
    return count;
}

START_TEST(a_single_frame_takes_the_delay_and_its_transmission_time_once)
{
    network_switch hub = opened(plain());

    send_at(&hub, 0, 1, 1, 1000);
    expect_next(&hub, 1, 1, 1000 + delay_ns + cable_ns);
    switch_close(&hub);
}
END_TEST

START_TEST(a_frame_is_not_delivered_early)
{
    network_switch hub = opened(plain());
    frame *taken;

    send_at(&hub, 0, 1, 1, 0);
    ck_assert_ptr_null(switch_take(&hub, delay_ns + cable_ns - 1));
    taken = switch_take(&hub, delay_ns + cable_ns);
    ck_assert_ptr_nonnull(taken);
    switch_release(&hub, taken);
    ck_assert_uint_eq(switch_next_ns(&hub), UINT64_MAX);
    switch_close(&hub);
}
END_TEST

START_TEST(frames_of_a_host_are_spaced_by_the_rate)
{
    network_switch hub = opened(plain());

    for (unsigned char number = 0; number < 3; number++)
        send_at(&hub, 0, 1, number, 0);
    for (unsigned char number = 0; number < 3; number++)
        expect_next(&hub, number, 1, delay_ns + (number + 1) * cable_ns);
    switch_close(&hub);
}
END_TEST

START_TEST(two_senders_share_the_cable_of_their_receiver)
{
    network_switch hub = opened(plain());

    send_at(&hub, 0, 2, 1, 0);
    send_at(&hub, 1, 2, 2, 10);
    expect_next(&hub, 1, 2, delay_ns + cable_ns);
    expect_next(&hub, 2, 2, delay_ns + 2 * cable_ns);
    switch_close(&hub);
}
END_TEST

START_TEST(different_receivers_do_not_delay_each_other)
{
    network_switch hub = opened(plain());

    send_at(&hub, 0, 2, 1, 0);
    send_at(&hub, 1, 3, 2, 0);
    expect_next(&hub, 1, 2, delay_ns + cable_ns);
    expect_next(&hub, 2, 3, delay_ns + cable_ns);
    switch_close(&hub);
}
END_TEST

START_TEST(a_full_queue_drops_frames_and_counts_them_at_the_receiver)
{
    switch_settings settings = plain();
    network_switch hub;

    settings.queue_bytes = 2 * DATA;
    hub = opened(settings);
    for (unsigned from = 0; from < 3; from++)
        send_at(&hub, from, 3, (unsigned char)from, 0);
    ck_assert_uint_eq(count_out(&hub), 2);
    ck_assert_uint_eq(hub.ports[3].counters.full, 1);
    ck_assert_uint_eq(hub.ports[3].counters.frames_out, 2);
    ck_assert_uint_eq(hub.ports[3].queued_bytes, 0);
    switch_close(&hub);
}
END_TEST

START_TEST(a_frame_keeps_its_room_until_its_transmission_has_ended)
{
    switch_settings settings = plain();
    network_switch hub;

    settings.queue_bytes = 2 * DATA - 1;
    hub = opened(settings);
    send_at(&hub, 0, 3, 1, 0);
    send_at(&hub, 1, 3, 2, cable_ns - 1);
    send_at(&hub, 2, 3, 3, cable_ns);
    expect_next(&hub, 1, 3, delay_ns + cable_ns);
    expect_next(&hub, 3, 3, delay_ns + 2 * cable_ns);
    ck_assert_uint_eq(hub.ports[3].counters.full, 1);
    ck_assert_uint_eq(hub.ports[3].counters.queue_max_bytes, DATA);
    switch_close(&hub);
}
END_TEST

/* N full queues hold alpha / (1 + N alpha) of the buffer each. */
START_TEST(queues_share_a_buffer_by_the_dynamic_threshold)
{
    static const struct {
        double alpha;
        unsigned queues, frames; /* of DATA bytes, in a buffer for 12 */
    } expected[] = {{1, 1, 6}, {1, 2, 4}, {1, 3, 3}, {2, 1, 8}, {5, 1, 10}, {0.5, 1, 4}};

    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        switch_settings settings = plain();
        network_switch hub;
        unsigned held = expected[i].frames * expected[i].queues;

        settings.bits_per_s = 1000;
        settings.buffer_bytes = (uint64_t)12 * DATA;
        settings.alpha = expected[i].alpha;
        hub = opened(settings);
        for (int sent = 0; sent < 12; sent++) {
            for (unsigned port = 0; port < expected[i].queues; port++) {
                hub.ports[PORTS - 1].sending_until_ns = 0; /* a cable without a rate */
                send_at(&hub, PORTS - 1, port, 0, 0);
            }
        }
        ck_assert_ptr_null(switch_take(&hub, delay_ns));
        for (unsigned port = 0; port < expected[i].queues; port++)
            ck_assert_msg(hub.ports[port].counters.queue_max_bytes ==
                              (uint64_t)expected[i].frames * DATA,
                          "case %zu, port %u: %lu bytes", i, port,
                          (unsigned long)hub.ports[port].counters.queue_max_bytes);
        ck_assert_uint_eq(hub.buffer_max_bytes, (uint64_t)held * DATA);
        ck_assert_uint_eq(count_out(&hub), held);
        ck_assert_uint_eq(hub.buffered_bytes, 0);
        switch_close(&hub);
    }
}
END_TEST

START_TEST(a_limit_of_each_queue_holds_in_a_shared_buffer_too)
{
    switch_settings settings = plain();
    network_switch hub;

    settings.queue_bytes = 2 * DATA;
    settings.buffer_bytes = (uint64_t)100 * DATA;
    settings.alpha = 1;
    hub = opened(settings);
    for (unsigned from = 0; from < 3; from++)
        send_at(&hub, from, 3, 0, 0);
    ck_assert_uint_eq(count_out(&hub), 2);
    ck_assert_uint_eq(hub.ports[3].counters.full, 1);
    switch_close(&hub);
}
END_TEST

/* The sum of a header with its checksum, in ones' complement, is all ones. */
static bool checksum_holds(const unsigned char *header)
{
    uint32_t sum = 0;

    for (int i = 0; i < 20; i += 2)
        sum += (uint32_t)header[i] << 8 | header[i + 1];
    while (sum > 0xffff)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum == 0xffff;
}

/* A header of IPv4 with a valid checksum. */
static void write_ipv4(unsigned char *data, unsigned char service, unsigned char number)
{
    unsigned char *header = data + SWITCH_HEAD_BYTES;
    uint32_t sum = 0;

    data[12] = 0x08;
    data[13] = 0;
    memset(header, 0, 20);
    header[0] = 0x45;
    header[1] = service;
    header[19] = number;
    for (int i = 0; i < 20; i += 2)
        sum += (uint32_t)header[i] << 8 | header[i + 1];
    sum = ~((sum & 0xffff) + (sum >> 16));
    header[10] = (unsigned char)(sum >> 8);
    header[11] = (unsigned char)sum;
}

START_TEST(a_marked_ipv4_packet_has_a_valid_checksum)
{
    unsigned char data[DATA] = {0};

    for (int service = 0; service < 256; service++) {
        for (int number = 0; number < 256; number++) {
            bool capable = (service & 3) == 1 || (service & 3) == 2;

            write_ipv4(data, (unsigned char)service, (unsigned char)number);
            UNIT_REQUIRE(checksum_holds(data + SWITCH_HEAD_BYTES), "before: %d", service);
            UNIT_REQUIRE(ecn_mark(data, sizeof(data)) == capable, "service %d", service);
            UNIT_REQUIRE(checksum_holds(data + SWITCH_HEAD_BYTES), "after: %d", service);
            UNIT_REQUIRE(data[SWITCH_HEAD_BYTES + 1] == (capable ? service | 3 : service),
                         "service %d became %d", service, data[SWITCH_HEAD_BYTES + 1]);
        }
    }
}
END_TEST

START_TEST(an_ipv6_packet_is_marked_in_its_traffic_class)
{
    static const unsigned char before[] = {0x0f, 0x1f, 0x2f, 0x3f},
                               after[] = {0x0f, 0x3f, 0x3f, 0x3f};

    for (size_t i = 0; i < sizeof(before); i++) {
        unsigned char data[DATA] = {[12] = 0x86, [13] = 0xdd, [14] = 0x6a, [15] = before[i]};

        ck_assert_int_eq(ecn_mark(data, sizeof(data)), before[i] != after[i]);
        ck_assert_uint_eq(data[14], 0x6a);
        ck_assert_uint_eq(data[15], after[i]);
    }
}
END_TEST

START_TEST(short_and_other_frames_are_not_marked)
{
    unsigned char data[DATA] = {0};

    write_ipv4(data, 2, 0);
    ck_assert(!ecn_mark(data, SWITCH_HEAD_BYTES + 19));
    ck_assert(!ecn_mark(data, 13));
    ck_assert(!ecn_mark(data, 0));
    data[13] = 6; /* ARP */
    ck_assert(!ecn_mark(data, sizeof(data)));
    data[12] = 0x86;
    data[13] = 0xdd;
    data[15] = 0x20;
    ck_assert(!ecn_mark(data, SWITCH_HEAD_BYTES + 39));
    ck_assert(ecn_mark(data, SWITCH_HEAD_BYTES + 40));
}
END_TEST

START_TEST(frames_above_the_threshold_of_a_queue_are_marked)
{
    switch_settings settings = plain();
    network_switch hub;
    unsigned marked = 0;
    frame *taken;

    settings.mark_bytes = DATA;
    hub = opened(settings);
    for (unsigned from = 0; from < 3; from++) {
        frame *sent = switch_frame(&hub);

        memset(sent->data, 0, DATA);
        switch_address(3, sent->data);
        write_ipv4(sent->data, 2, 0);
        sent->bytes = DATA;
        ck_assert_int_eq(switch_accept(&hub, from, sent, 0), CB_OK);
    }
    while ((taken = switch_take(&hub, UINT64_MAX - 1)) != NULL) {
        marked += (taken->data[SWITCH_HEAD_BYTES + 1] & 3) == 3;
        switch_release(&hub, taken);
    }
    ck_assert_uint_eq(marked, 1);
    ck_assert_uint_eq(hub.ports[3].counters.marked, 1);
    switch_close(&hub);
}
END_TEST

START_TEST(a_multicast_frame_reaches_all_but_its_sender)
{
    network_switch hub = opened(plain());
    bool reached[PORTS] = {false};
    unsigned port;
    uint64_t when_ns;

    send_at(&hub, 1, PORTS, 9, 0);
    while (next(&hub, &port, &when_ns) == 9) {
        ck_assert_msg(!reached[port], "port %d is reached twice", (int)port);
        reached[port] = true;
    }
    ck_assert(reached[0] && !reached[1] && reached[2] && reached[3]);
    switch_close(&hub);
}
END_TEST

START_TEST(a_frame_to_an_unknown_address_is_dropped)
{
    network_switch hub = opened(plain());
    frame *sent = switch_frame(&hub);

    memset(sent->data, 0, DATA);
    switch_address(PORTS, sent->data);
    sent->bytes = DATA;
    ck_assert_int_eq(switch_accept(&hub, 0, sent, 0), CB_OK);
    ck_assert_uint_eq(count_out(&hub), 0);
    switch_close(&hub);
}
END_TEST

START_TEST(a_host_is_throttled_when_its_cable_is_a_millisecond_behind)
{
    network_switch hub = opened(plain());

    ck_assert_uint_eq(switch_ready_ns(&hub, 0), 0);
    for (int i = 0; i < 20; i++)
        send_at(&hub, 0, 1, 0, 0);
    ck_assert_uint_eq(switch_ready_ns(&hub, 0), 20 * cable_ns - 1000000);
    ck_assert_uint_eq(switch_ready_ns(&hub, 1), 0);
    switch_close(&hub);
}
END_TEST

START_TEST(without_a_rate_a_frame_takes_only_the_delay)
{
    switch_settings settings = plain();
    network_switch hub;

    settings.bits_per_s = 0;
    hub = opened(settings);
    send_at(&hub, 0, 1, 1, 5);
    expect_next(&hub, 1, 1, 5 + delay_ns);
    switch_close(&hub);
}
END_TEST

START_TEST(small_frames_occupy_the_minimum_of_ethernet)
{
    ck_assert_uint_eq(switch_wire_bytes(14), 84);
    ck_assert_uint_eq(switch_wire_bytes(60), 84);
    ck_assert_uint_eq(switch_wire_bytes(DATA), WIRE);
}
END_TEST

START_TEST(jitter_is_bounded_and_keeps_the_order)
{
    switch_settings settings = plain();
    network_switch hub;
    uint64_t when_ns = 0, varied = 0;
    unsigned port;

    settings.faults.jitter_ns = 300000;
    settings.bits_per_s = 0;
    hub = opened(settings);
    for (unsigned char number = 0; number < 50; number++)
        send_at(&hub, 0, 1, number, number * 10000u);
    for (int number = 0; number < 50; number++) {
        uint64_t sent_ns = (uint64_t)number * 10000u;

        ck_assert_int_eq(next(&hub, &port, &when_ns), number);
        ck_assert_uint_ge(when_ns, sent_ns + delay_ns);
        ck_assert_uint_le(when_ns, sent_ns + delay_ns + 300000);
        varied += when_ns > sent_ns + delay_ns;
    }
    ck_assert_uint_gt(varied, 25);
    switch_close(&hub);
}
END_TEST

START_TEST(a_reordered_frame_is_overtaken)
{
    network_switch hub = opened(plain());

    hub.ports[0].faults.reorder = 1;
    send_at(&hub, 0, 1, 1, 0);
    hub.ports[0].faults.reorder = 0;
    send_at(&hub, 0, 1, 2, 0);
    expect_next(&hub, 2, 1, delay_ns + 2 * cable_ns);
    expect_next(&hub, 1, 1, delay_ns + 1000000 + cable_ns);
    ck_assert_uint_eq(hub.ports[0].counters.reordered, 1);
    switch_close(&hub);
}
END_TEST

START_TEST(a_duplicated_frame_arrives_twice)
{
    network_switch hub = opened(plain());

    hub.ports[0].faults.duplicate = 1;
    send_at(&hub, 0, 1, 1, 0);
    ck_assert_uint_eq(count_out(&hub), 2);
    ck_assert_uint_eq(hub.ports[0].counters.doubled, 1);
    switch_close(&hub);
}
END_TEST

START_TEST(the_loss_rate_is_that_requested)
{
    enum { SENT = 10000 };
    switch_settings settings = plain();
    network_switch hub;
    unsigned out;

    settings.bits_per_s = 0;
    settings.faults.loss = 0.1;
    hub = opened(settings);
    for (int i = 0; i < SENT; i++)
        send_at(&hub, 0, 1, 0, (uint64_t)i);
    out = count_out(&hub);
    ck_assert_uint_eq(hub.ports[0].counters.lost, SENT - out);
    /* five standard deviations; the seed is fixed */
    ck_assert_uint_gt(out, SENT * 9 / 10 - 150);
    ck_assert_uint_lt(out, SENT * 9 / 10 + 150);
    switch_close(&hub);
}
END_TEST

START_TEST(a_disconnected_host_neither_sends_nor_receives)
{
    network_switch hub = opened(plain());

    hub.ports[1].faults.cut = true;
    send_at(&hub, 1, 0, 1, 0);
    send_at(&hub, 0, 1, 2, 0);
    send_at(&hub, 0, 2, 3, 0);
    expect_next(&hub, 3, 2, delay_ns + 2 * cable_ns);
    ck_assert_uint_eq(count_out(&hub), 0);
    ck_assert_uint_eq(hub.ports[1].counters.lost, 2);
    switch_close(&hub);
}
END_TEST

START_TEST(a_slow_cable_delays_its_host_only_in_its_direction)
{
    network_switch hub = opened(plain());

    hub.ports[1].faults.in_bits_per_s = 10e6;
    hub.ports[2].faults.out_bits_per_s = 10e6;
    send_at(&hub, 0, 1, 1, 0);
    send_at(&hub, 1, 0, 2, 0);
    expect_next(&hub, 2, 0, delay_ns + cable_ns);
    expect_next(&hub, 1, 1, delay_ns + 10 * cable_ns);
    send_at(&hub, 2, 3, 3, 0);
    send_at(&hub, 2, 3, 4, 0);
    /* the last byte comes no earlier than it was sent */
    expect_next(&hub, 3, 3, delay_ns + 10 * cable_ns);
    expect_next(&hub, 4, 3, delay_ns + 20 * cable_ns);
    switch_close(&hub);
}
END_TEST

/* Two leaves of two ports, whose uplinks have a rate of their own. */
static network_switch with_leaves(double uplink_bits_per_s)
{
    switch_settings settings = plain();

    settings.leaf_ports = 2;
    settings.uplink_bits_per_s = uplink_bits_per_s;
    return opened(settings);
}

START_TEST(frames_between_leaves_share_the_uplink)
{
    network_switch hub = with_leaves(100e6);

    send_at(&hub, 0, 2, 1, 0);
    send_at(&hub, 1, 3, 2, 1);
    send_at(&hub, 2, 0, 3, 2); /* the other direction */
    expect_next(&hub, 1, 2, delay_ns + cable_ns);
    expect_next(&hub, 3, 0, 2 + delay_ns + cable_ns);
    expect_next(&hub, 2, 3, delay_ns + 2 * cable_ns);
    switch_close(&hub);
}
END_TEST

START_TEST(frames_within_a_leaf_do_not_use_its_uplink)
{
    network_switch hub = with_leaves(100e6);

    send_at(&hub, 0, 2, 1, 0);
    send_at(&hub, 1, 0, 2, 1);
    expect_next(&hub, 1, 2, delay_ns + cable_ns);
    expect_next(&hub, 2, 0, 1 + delay_ns + cable_ns);
    switch_close(&hub);
}
END_TEST

START_TEST(a_frame_takes_the_time_of_the_slowest_link_of_its_way)
{
    network_switch slow = with_leaves(10e6), fast = with_leaves(1e9);

    for (unsigned char number = 0; number < 2; number++) {
        send_at(&slow, 0, 2, number, 0);
        send_at(&fast, number, 2 + number, number, 0);
    }
    expect_next(&slow, 0, 2, delay_ns + 10 * cable_ns);
    expect_next(&slow, 1, 2, delay_ns + 20 * cable_ns);
    expect_next(&fast, 0, 2, delay_ns + cable_ns);
    /* a wide uplink is free again before the frame has left its cable */
    expect_next(&fast, 1, 3, delay_ns + cable_ns / 10 + cable_ns);
    switch_close(&slow);
    switch_close(&fast);
}
END_TEST

START_TEST(a_flapping_cable_loses_frames_only_while_it_is_down)
{
    network_switch hub = opened(plain());
    const uint64_t second_ns = 1000000000;

    hub.ports[1].faults.flap_period_ns = 5 * second_ns;
    hub.ports[1].faults.flap_down_ns = second_ns;
    send_at(&hub, 0, 1, 1, 10 * second_ns + second_ns / 2);
    send_at(&hub, 1, 0, 2, 10 * second_ns + second_ns / 2);
    ck_assert_uint_eq(count_out(&hub), 0);
    ck_assert_uint_eq(hub.ports[1].counters.lost, 2);
    send_at(&hub, 0, 1, 3, 12 * second_ns);
    send_at(&hub, 1, 0, 4, 12 * second_ns);
    ck_assert_uint_eq(count_out(&hub), 2);
    switch_close(&hub);
}
END_TEST

START_TEST(frames_are_delivered_in_order_of_time)
{
    network_switch hub = opened(plain());
    uint64_t last_ns = 0, when_ns;
    unsigned port, count = 0;

    for (unsigned i = 0; i < 3000; i++)
        send_at(&hub, i % PORTS, (i * i + 1 + i) % PORTS, 0, i * 997);
    for (; next(&hub, &port, &when_ns) >= 0; count++) {
        ck_assert_uint_ge(when_ns, last_ns);
        last_ns = when_ns;
    }
    ck_assert_uint_gt(count, 2000);
    switch_close(&hub);
}
END_TEST

UNIT_MAIN("switch", a_slow_cable_delays_its_host_only_in_its_direction,
          a_flapping_cable_loses_frames_only_while_it_is_down,
          a_single_frame_takes_the_delay_and_its_transmission_time_once,
          a_frame_is_not_delivered_early, frames_of_a_host_are_spaced_by_the_rate,
          two_senders_share_the_cable_of_their_receiver,
          different_receivers_do_not_delay_each_other,
          a_full_queue_drops_frames_and_counts_them_at_the_receiver,
          a_frame_keeps_its_room_until_its_transmission_has_ended,
          queues_share_a_buffer_by_the_dynamic_threshold,
          a_limit_of_each_queue_holds_in_a_shared_buffer_too,
          a_marked_ipv4_packet_has_a_valid_checksum, an_ipv6_packet_is_marked_in_its_traffic_class,
          short_and_other_frames_are_not_marked, frames_above_the_threshold_of_a_queue_are_marked,
          a_multicast_frame_reaches_all_but_its_sender, a_frame_to_an_unknown_address_is_dropped,
          a_host_is_throttled_when_its_cable_is_a_millisecond_behind,
          frames_between_leaves_share_the_uplink, frames_within_a_leaf_do_not_use_its_uplink,
          a_frame_takes_the_time_of_the_slowest_link_of_its_way,
          without_a_rate_a_frame_takes_only_the_delay, small_frames_occupy_the_minimum_of_ethernet,
          jitter_is_bounded_and_keeps_the_order, a_reordered_frame_is_overtaken,
          a_duplicated_frame_arrives_twice, the_loss_rate_is_that_requested,
          a_disconnected_host_neither_sends_nor_receives, frames_are_delivered_in_order_of_time)
