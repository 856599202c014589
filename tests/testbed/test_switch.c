/* The switch in simulated time: the delay of a single frame, of competing frames, and each
 * fault. */
#include "tools/testbed/switch.h"

#include <string.h>

#include "tests/common/unit.h"

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
    expect_next(&hub, 3, 3, delay_ns + cable_ns);
    expect_next(&hub, 4, 3, delay_ns + 11 * cable_ns);
    switch_close(&hub);
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
          a_multicast_frame_reaches_all_but_its_sender, a_frame_to_an_unknown_address_is_dropped,
          a_host_is_throttled_when_its_cable_is_a_millisecond_behind,
          without_a_rate_a_frame_takes_only_the_delay, small_frames_occupy_the_minimum_of_ethernet,
          jitter_is_bounded_and_keeps_the_order, a_reordered_frame_is_overtaken,
          a_duplicated_frame_arrives_twice, the_loss_rate_is_that_requested,
          a_disconnected_host_neither_sends_nor_receives, frames_are_delivered_in_order_of_time)
