/* Sending, receiving and touching packets, windows and rounds, over queues inside the process.
 * Ping-pong is tested in test_bounce.c. */

#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "benchmarks/registry.h"
#include "engine/rank.h"
#include "engine/traffic.h"
#include "engine/verification.h"
#include "tests/engine/loop.h"
#include "tests/common/unit.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Touching */

/* The sum as the header defines it: of 64-bit words, the last one padded with zeros. */
static uint64_t plain_sum(const unsigned char *data, size_t size_bytes)
{
    uint64_t sum = 0;

    for (size_t at = 0; at < size_bytes; at += 8) {
        uint64_t word = 0;

        memcpy(&word, data + at, size_bytes - at < 8 ? size_bytes - at : 8);
        sum += word;
    }
    return sum;
}

static void fill_at_random(unsigned char *data, size_t size_bytes, uint64_t seed)
{
    cb_random random = cb_random_seed(seed);

    for (size_t i = 0; i < size_bytes; i++)
        data[i] = (unsigned char)cb_random_next(&random);
}

static void assert_flips_are_seen(unsigned char *data, size_t size_bytes, size_t stride)
{
    uint64_t sum = traffic_touch(data, size_bytes);

    for (size_t at = 0; at < size_bytes; at += stride)
        for (unsigned mask = 1; mask < 256; mask = 2 * mask + 1) {
            data[at] ^= (unsigned char)mask;
            UNIT_REQUIRE(traffic_touch(data, size_bytes) != sum,
                         "byte %zu of %zu is not referred to", at, size_bytes);
            data[at] ^= (unsigned char)mask;
        }
}

START_TEST(a_changed_byte_changes_the_sum)
{
    unsigned char data[301];

    fill_at_random(data, sizeof(data), 1);
    for (size_t size = 0; size <= 300; size++)
        assert_flips_are_seen(data, size, 1);
}
END_TEST

START_TEST(a_changed_byte_of_a_large_packet_changes_the_sum)
{
    static const size_t sizes[] = {4096, 65535, 65541, (1 << 20) + 7};
    unsigned char *data = malloc((1 << 20) + 7);

    fill_at_random(data, (1 << 20) + 7, 2);
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        assert_flips_are_seen(data, sizes[i], sizes[i] / 97 | 1);
        assert_flips_are_seen(data + sizes[i] - 40, 40, 1);
    }
    free(data);
}
END_TEST

START_TEST(touching_sums_words_at_any_alignment)
{
    unsigned char data[320];

    fill_at_random(data, sizeof(data), 3);
    for (size_t size = 0; size <= 300; size++)
        for (size_t offset = 0; offset < 9; offset++)
            ck_assert_uint_eq(traffic_touch(data + offset, size), plain_sum(data + offset, size));
}
END_TEST

START_TEST(touching_reads_nothing_after_the_packet)
{
    for (size_t size = 0; size <= 300; size++) {
        unsigned char *data =
            malloc(size > 0 ? size : 1); /* the address sanitizer detects reads after its end */

        fill_at_random(data, size, 4);
        ck_assert_uint_eq(traffic_touch(data, size), plain_sum(data, size));
        free(data);
    }
}
END_TEST

START_TEST(the_sum_of_filled_packets_is_known)
{
    static const size_t large[] = {4095, 4096, 65536, (4 << 20) + 1};
    unsigned char *data = malloc((4 << 20) + 1);

    traffic_fill(data, (4 << 20) + 1);
    for (size_t size = 0; size <= 600; size++)
        ck_assert_uint_eq(traffic_touch(data, size), traffic_expected_sum(size));
    for (size_t i = 0; i < LENGTH(large); i++)
        ck_assert_uint_eq(traffic_touch(data, large[i]), traffic_expected_sum(large[i]));
    free(data);
}
END_TEST

START_TEST(packets_filled_by_place_differ_and_have_the_known_sum)
{
    enum { PACKETS = 17, ROOM = 4096 };
    unsigned char *data = malloc(PACKETS * ROOM);
    static const size_t sizes[] = {0, 1, 8, 15, 16, 24, 31, 64, 256, 1000, 1024, ROOM};

    for (size_t k = 0; k < LENGTH(sizes); k++)
        for (size_t i = 0; i < PACKETS; i++) {
            unsigned char *packet = data + i * ROOM;

            cb_outfarm.fill(packet, sizes[k]);
            ck_assert_uint_eq(traffic_touch(packet, sizes[k]), traffic_expected_sum(sizes[k]));
            ck_assert_ptr_null(memchr(packet, 0, sizes[k]));
            for (size_t other = 0; other < i && sizes[k] >= 16; other++)
                ck_assert_int_ne(memcmp(packet, data + other * ROOM, sizes[k]), 0);
        }
    free(data);
}
END_TEST

START_TEST(sums_of_different_sizes_differ)
{
    for (size_t size = 1; size <= 600; size++)
        ck_assert_uint_ne(traffic_expected_sum(size), traffic_expected_sum(size - 1));
}
END_TEST

/* Sums */

typedef struct {
    side here;
    queue back;
} mirror;

/* Messages that a rank sends come back to it. */
static void make_mirror(mirror *m, const bench_traffic *traffic)
{
    *m = (mirror){0};
    make_side(&m->here, 1, 1);
    m->here.nodes[0].out = m->here.nodes[0].in = &m->back;
    m->here.me.size_bytes = 100;
    rank_reset(&m->here.me, traffic);
}

static void send_and_receive(mirror *m)
{
    UNIT_REQUIRE(bench_send(&m->here.me, 0) == CB_OK, "a packet is not sent");
    UNIT_REQUIRE(bench_receive(&m->here.me, 0) == CB_OK, "a packet is not received");
}

START_TEST(sums_of_correct_packets_match)
{
    mirror m;

    make_mirror(&m, &traffic_touching);
    for (int i = 0; i < 1000; i++)
        send_and_receive(&m);
    ck_assert_uint_eq(m.here.me.received.packets, 1000);
    ck_assert_int_eq(rank_check_sum(&m.here.me), CB_OK);
}
END_TEST

START_TEST(one_wrong_byte_in_many_packets_is_an_error)
{
    for (size_t byte = 0; byte < 100; byte++) {
        mirror m;

        make_mirror(&m, &traffic_touching);
        for (int i = 0; i < 10; i++)
            send_and_receive(&m);
        ck_assert_int_eq(bench_send(&m.here.me, 0), CB_OK);
        ((unsigned char *)m.back.first->data)[byte] ^= 4;
        ck_assert_int_eq(bench_receive(&m.here.me, 0), CB_OK);
        ck_assert_int_eq(rank_check_sum(&m.here.me), CB_ERROR_DATA);
    }
}
END_TEST

START_TEST(a_truncated_packet_is_an_error)
{
    mirror m;

    make_mirror(&m, &traffic_touching);
    ck_assert_int_eq(bench_send(&m.here.me, 0), CB_OK);
    m.back.first->size--;
    ck_assert_int_eq(bench_receive(&m.here.me, 0), CB_OK);
    ck_assert_int_eq(rank_check_sum(&m.here.me), CB_ERROR_DATA);
}
END_TEST

START_TEST(packets_that_are_not_touched_are_not_checked)
{
    mirror m;

    make_mirror(&m, &traffic_bare);
    send_and_receive(&m);
    ck_assert_uint_eq(m.here.me.received.sum, 0);
    ck_assert_int_eq(rank_check_sum(&m.here.me), CB_OK);
}
END_TEST

START_TEST(a_pass_starts_with_an_empty_sum)
{
    mirror m;

    make_mirror(&m, &traffic_touching);
    ck_assert_int_eq(bench_send(&m.here.me, 0), CB_OK);
    ((unsigned char *)m.back.first->data)[3] ^= 1;
    ck_assert_int_eq(bench_receive(&m.here.me, 0), CB_OK);
    rank_reset(&m.here.me, &traffic_touching);
    send_and_receive(&m);
    ck_assert_int_eq(rank_check_sum(&m.here.me), CB_OK);
}
END_TEST

/* The verification pass with each kind of receive; a packet that does not arrive is given up at
 * once. */

enum { VERIFIED = 5 };

static cb_status receive_one(bench_rank *me)
{
    return me->traffic->receive(me, &me->peers[0]);
}

static cb_status receive_any_one(bench_rank *me)
{
    bench_peer *from;

    return me->traffic->receive_any(me, &from);
}

static cb_status receive_broadcast(bench_rank *me)
{
    me->broadcasts++;
    return me->traffic->receive_multicast(me, me->group);
}

static cb_status receive_own_broadcast(bench_rank *me)
{
    me->lists.own_multicast = true;
    return receive_broadcast(me);
}

static cb_status send_one(bench_rank *me)
{
    return me->traffic->send(me, &me->peers[0]);
}

static cb_status broadcast(bench_rank *me)
{
    me->broadcasts++;
    return me->traffic->multicast(me, me->group);
}

static const struct {
    cb_status (*send)(bench_rank *me), (*receive)(bench_rank *me);
} ways[] = {{send_one, receive_one},
            {send_one, receive_any_one},
            {broadcast, receive_broadcast},
            {broadcast, receive_own_broadcast}};

/* Either all packets arrive, or all but one. */
static checker_findings verify_without(size_t way, uint64_t lost, cb_status *last)
{
    mirror m;
    transport_buffer *dropped;

    make_mirror(&m, &verification_traffic);
    for (uint64_t number = 0; number < VERIFIED; number++) {
        queue before = m.back;

        ck_assert_int_eq(ways[way].send(&m.here.me), CB_OK);
        if (number == lost) {
            dropped = before.first == NULL ? m.back.first : *before.end;
            m.back = before;
            loop_buffer_release(dropped);
            if (before.first != NULL)
                *before.end = NULL;
        }
    }
    m.here.me.broadcasts = 0;
    *last = CB_OK;
    for (uint64_t number = 0; number < VERIFIED && *last == CB_OK; number++)
        *last = ways[way].receive(&m.here.me);
    return m.here.me.verification.findings;
}

START_TEST(a_verified_stream_without_losses_is_clean)
{
    for (size_t way = 0; way < LENGTH(ways); way++) {
        cb_status last;
        checker_findings found = verify_without(way, VERIFIED, &last);

        ck_assert_int_eq(last, CB_OK);
        ck_assert_uint_eq(found.messages, VERIFIED);
        ck_assert_uint_eq(found.lost + found.duplicate + found.reordered + found.corrupted, 0);
    }
}
END_TEST

START_TEST(a_lost_packet_is_counted_once_without_further_waiting)
{
    for (size_t way = 0; way < LENGTH(ways); way++)
        for (uint64_t lost = 0; lost < VERIFIED; lost++) {
            cb_status last;
            checker_findings found = verify_without(way, lost, &last);

            ck_assert_int_eq(last, CB_ERROR_DATA);
            ck_assert_uint_eq(found.messages, VERIFIED - 1);
            ck_assert_uint_eq(found.lost, 1);
            ck_assert_uint_eq(found.duplicate + found.reordered + found.corrupted, 0);
        }
}
END_TEST

/* The machine is suspended between any two polls; a packet arrives after the last of them. */
typedef struct {
    mirror m;
    unsigned pauses_left;
} halting;

static void stand_still(void *context)
{
    halting *test = context;

    if (test->pauses_left-- == 0)
        ck_assert_int_eq(send_one(&test->m.here.me), CB_OK);
    else
        cb_sleep_ns(50000000);
}

START_TEST(a_suspended_machine_loses_no_packet)
{
    halting test = {.pauses_left = 6};

    make_mirror(&test.m, &verification_traffic);
    test.m.here.me.verification.timeout_ns = 200000000;
    test.m.here.factory.go_on = stand_still;
    test.m.here.factory.other = &test;
    ck_assert_int_eq(receive_one(&test.m.here.me), CB_OK);
    ck_assert_uint_eq(test.m.here.me.verification.findings.messages, 1);
    ck_assert_uint_eq(test.m.here.me.verification.findings.lost, 0);
}
END_TEST

/* Windows */

/* A stream from one side to the other. */
typedef struct {
    side source, destination;
    queue data, acknowledgements;
    uint64_t packets, received;
    uint64_t widest; /* maximum number of packets sent and not yet acknowledged */
    bool settled;
} stream;

/* The destination receives a packet, and settles after its last one. */
static void take_one(void *context)
{
    stream *s = context;

    UNIT_REQUIRE(!s->settled, "the source waits for an acknowledgement that will not come");
    if (s->received < s->packets) {
        UNIT_REQUIRE(s->data.first != NULL, "packet %llu is not there",
                     (unsigned long long)s->received);
        UNIT_REQUIRE(bench_stream_receive(&s->destination.me, 0) == CB_OK,
                     "packet %llu is not received", (unsigned long long)s->received);
        s->received++;
    }
    if (s->received == s->packets) {
        ck_assert_int_eq(bench_settle(&s->destination.me), CB_OK);
        s->settled = true;
    }
}

static void make_stream(stream *s, unsigned window, uint64_t packets)
{
    *s = (stream){.packets = packets};
    make_side(&s->source, 1, window);
    make_side(&s->destination, 1, window);
    s->source.nodes[0].out = s->destination.nodes[0].in = &s->data;
    s->source.nodes[0].in = s->destination.nodes[0].out = &s->acknowledgements;
    s->source.factory.go_on = take_one;
    s->source.factory.other = s;
}

/* Counted from the acknowledgements that the destination sent, not from those that the source
 * received. */
static void note_width(stream *s, uint64_t sent)
{
    uint64_t acknowledged = s->received - s->destination.peers[0].unacknowledged;

    if (sent - acknowledged > s->widest)
        s->widest = sent - acknowledged;
}

/* Run a block. Between two sends the destination runs for a random time that grows with `eager`. */
static void run_stream(stream *s, cb_random *eager)
{
    for (uint64_t i = 0; i < s->packets; i++) {
        ck_assert_int_eq(bench_stream_send(&s->source.me, 0), CB_OK);
        note_width(s, i + 1);
        while (eager != NULL && s->data.length > 0 && cb_random_below(eager, 2) == 0)
            take_one(s);
    }
    while (!s->settled)
        take_one(s);
    ck_assert_int_eq(bench_drain(&s->source.me), CB_OK);
}

static const unsigned windows[] = {1, 2, 3, 5, 64};

START_TEST(a_slow_destination_sees_at_most_a_full_window)
{
    for (size_t w = 0; w < LENGTH(windows); w++)
        for (uint64_t packets = 1; packets <= 200; packets++) {
            stream s;

            make_stream(&s, windows[w], packets);
            run_stream(&s, NULL);
            ck_assert_uint_eq(s.widest, packets < windows[w] ? packets : windows[w]);
        }
}
END_TEST

START_TEST(the_window_is_kept_under_any_interleaving)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
        for (size_t w = 0; w < LENGTH(windows); w++) {
            cb_random eager = cb_random_seed(seed);
            stream s;

            make_stream(&s, windows[w], 500);
            run_stream(&s, &eager);
            ck_assert_uint_le(s.widest, windows[w]);
            ck_assert_uint_eq(s.received, 500);
        }
}
END_TEST

START_TEST(a_block_ends_with_nothing_outstanding)
{
    for (size_t w = 0; w < LENGTH(windows); w++)
        for (uint64_t packets = 1; packets <= 200; packets++) {
            stream s;

            make_stream(&s, windows[w], packets);
            run_stream(&s, NULL);
            ck_assert_uint_eq(s.data.length + s.acknowledgements.length, 0);
            ck_assert_uint_eq(s.source.peers[0].outstanding, 0);
            ck_assert_uint_eq(s.destination.peers[0].unacknowledged, 0);
            ck_assert_uint_eq(s.source.factory.base.held + s.destination.factory.base.held, 0);
        }
}
END_TEST

/* Acknowledgements are counted where they are sent, at the destination only. */
static uint64_t acknowledgements_of(unsigned window, uint64_t packets)
{
    stream s;

    make_stream(&s, window, packets);
    for (uint64_t i = 0; i < packets; i++)
        ck_assert_int_eq(bench_acknowledge(&s.destination.me, &s.destination.peers[0]), CB_OK);
    ck_assert_int_eq(bench_settle(&s.destination.me), CB_OK);
    discard(&s.acknowledgements);
    return s.acknowledgements.length;
}

START_TEST(there_is_one_acknowledgement_for_each_half_window_and_one_for_the_rest)
{
    for (size_t w = 0; w < LENGTH(windows); w++)
        for (uint64_t packets = 0; packets <= 200; packets++) {
            uint64_t half = windows[w] > 1 ? windows[w] / 2 : 1;

            ck_assert_uint_eq(acknowledgements_of(windows[w], packets),
                              (packets + half - 1) / half);
        }
}
END_TEST

START_TEST(acknowledgements_are_empty_messages)
{
    stream s;

    make_stream(&s, 2, 1);
    ck_assert_int_eq(bench_acknowledge(&s.destination.me, &s.destination.peers[0]), CB_OK);
    ck_assert_uint_eq(s.acknowledgements.first->size, 0);
    discard(&s.acknowledgements);
}
END_TEST

START_TEST(settling_acknowledges_to_each_waiting_peer)
{
    queue out[3] = {{0}};
    side s;

    make_side(&s, 3, 64);
    for (size_t i = 0; i < 3; i++)
        s.nodes[i].out = &out[i];
    ck_assert_int_eq(bench_acknowledge(&s.me, &s.peers[0]), CB_OK);
    ck_assert_int_eq(bench_acknowledge(&s.me, &s.peers[2]), CB_OK);
    ck_assert_int_eq(bench_settle(&s.me), CB_OK);
    ck_assert_uint_eq(out[0].length, 1);
    ck_assert_uint_eq(out[1].length, 0);
    ck_assert_uint_eq(out[2].length, 1);
    for (size_t i = 0; i < 3; i++)
        discard(&out[i]);
}
END_TEST

/* A stream in both directions */

typedef struct {
    side sides[2];
    queue data[2]; /* to each side */
    uint64_t packets, steps[2];
    uint64_t widest; /* maximum number of packets on their way to a side */
} both_ways;

/* One step of a side, or its finish after the last. */
static void step_both_ways(both_ways *b, size_t self)
{
    if (b->steps[self] < b->packets) {
        b->steps[self]++;
        ck_assert_int_eq(bench_stream_both_ways(&b->sides[self].me, 0), CB_OK);
    } else {
        ck_assert_int_eq(bench_receive_rest(&b->sides[self].me), CB_OK);
    }
    for (size_t to = 0; to < 2; to++)
        if (b->data[to].length > b->widest)
            b->widest = b->data[to].length;
}

static void step_of_the_second(void *context)
{
    both_ways *b = context;

    ck_assert_msg(b->steps[1] < b->packets, "the first waits for a packet that will not come");
    step_both_ways(b, 1);
}

static void make_both_ways(both_ways *b, unsigned window, uint64_t packets)
{
    *b = (both_ways){.packets = packets};
    for (size_t i = 0; i < 2; i++)
        make_side(&b->sides[i], 1, window);
    for (size_t i = 0; i < 2; i++) {
        b->sides[i].nodes[0].out = &b->data[1 - i];
        b->sides[i].nodes[0].in = &b->data[i];
    }
    b->sides[0].factory.go_on = step_of_the_second;
    b->sides[0].factory.other = b;
}

/* The first runs ahead, and the second only when the first waits for it. */
static void run_both_ways(both_ways *b)
{
    while (b->steps[0] < b->packets)
        step_both_ways(b, 0);
    step_both_ways(b, 0);
    while (b->steps[1] < b->packets)
        step_both_ways(b, 1);
    step_both_ways(b, 1);
}

START_TEST(a_stream_in_both_directions_keeps_the_window_and_uses_it)
{
    for (size_t w = 0; w < LENGTH(windows); w++)
        for (uint64_t packets = 1; packets <= 200; packets++) {
            uint64_t half = windows[w] > 1 ? windows[w] / 2 : 1;
            both_ways b;

            make_both_ways(&b, windows[w], packets);
            run_both_ways(&b);
            ck_assert_uint_le(b.widest, windows[w]);
            ck_assert_uint_ge(b.widest, packets < half ? packets : half);
        }
}
END_TEST

START_TEST(a_stream_in_both_directions_ends_with_every_packet_received)
{
    for (size_t w = 0; w < LENGTH(windows); w++)
        for (uint64_t packets = 1; packets <= 200; packets++) {
            both_ways b;

            make_both_ways(&b, windows[w], packets);
            run_both_ways(&b);
            for (size_t i = 0; i < 2; i++) {
                ck_assert_uint_eq(b.sides[i].me.received.packets, packets);
                ck_assert_uint_eq(b.sides[i].peers[0].outstanding, 0);
                ck_assert_uint_eq(b.data[i].length, 0);
            }
        }
}
END_TEST

/* Packets of one's own */

/* The packets are taken before the first is sent, so that no technology can use one buffer for all.
 */
START_TEST(packets_of_a_step_are_in_memory_at_the_same_time)
{
    static const bench_traffic *const passes[] = {&traffic_touching, &traffic_bare,
                                                  &verification_traffic};

    for (size_t pass = 0; pass < LENGTH(passes); pass++) {
        queue out[3] = {{0}};
        side s;

        make_side(&s, 3, 64);
        s.me.traffic = passes[pass];
        for (size_t i = 0; i < 3; i++)
            s.nodes[i].out = &out[i];
        ck_assert_int_eq(bench_take_packets(&s.me), CB_OK);
        ck_assert_uint_eq(s.factory.base.held, 3);
        for (size_t i = 0; i < 3; i++) {
            transport_buffer *packet = s.peers[i].packet;

            ck_assert_int_eq(bench_send_taken(&s.me, i), CB_OK);
            ck_assert_ptr_eq(out[i].first, packet);
            ck_assert_uint_eq(out[i].length, 1);
            ck_assert_ptr_null(s.peers[i].packet);
            discard(&out[i]);
        }
    }
}
END_TEST

/* Rounds */

static uint64_t lead(const side *s, size_t peer)
{
    return s->peers[peer].ahead;
}

START_TEST(early_packets_are_queued_for_later_rounds)
{
    static const size_t arrivals[] = {0, 0, 0, 1, 2, /**/ 2, 1, /**/ 1, 2};
    side s;

    make_side(&s, 3, 1);
    s.factory.arrivals = arrivals;
    ck_assert_int_eq(bench_assemble(&s.me), CB_OK);
    ck_assert_uint_eq(s.me.received.packets, 5);
    ck_assert_uint_eq(lead(&s, 0), 2);
    ck_assert_int_eq(bench_assemble(&s.me), CB_OK);
    ck_assert_uint_eq(s.me.received.packets, 7);
    ck_assert_int_eq(bench_assemble(&s.me), CB_OK);
    ck_assert_uint_eq(s.me.received.packets, 9);
    ck_assert_uint_eq(lead(&s, 0) + lead(&s, 1) + lead(&s, 2), 0);
}
END_TEST

START_TEST(a_round_that_arrived_early_completes_without_a_receive)
{
    static const size_t arrivals[] = {0, 0, 1, 1, 2, /**/ 2};
    side s;

    make_side(&s, 3, 1);
    s.factory.arrivals = arrivals;
    ck_assert_int_eq(bench_assemble(&s.me), CB_OK);
    ck_assert_uint_eq(s.me.missing, 1);
    ck_assert_int_eq(bench_assemble(&s.me), CB_OK);
    ck_assert_uint_eq(s.me.received.packets, 6);
    ck_assert_uint_eq(s.me.missing, 3);
}
END_TEST

enum { ROUNDS = 50 };

/* Each peer sends ROUNDS times, in a random order. */
static void draw_arrivals(size_t *arrivals, size_t peers, uint64_t seed)
{
    cb_random random = cb_random_seed(seed);

    for (size_t i = 0; i < peers * ROUNDS; i++)
        arrivals[i] = i % peers;
    for (size_t i = peers * ROUNDS; i > 1; i--) {
        size_t other = (size_t)cb_random_below(&random, i), drawn = arrivals[other];

        arrivals[other] = arrivals[i - 1];
        arrivals[i - 1] = drawn;
    }
}

/* The number of leading packets that complete `rounds` of all peers. */
static size_t needed(const size_t *arrivals, size_t peers, size_t rounds)
{
    size_t counts[MOST_PEERS] = {0}, complete = 0, packets = 0;

    while (complete < peers)
        complete += ++counts[arrivals[packets++]] == rounds;
    return packets;
}

START_TEST(a_round_ends_at_the_packet_that_completes_it)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        size_t arrivals[MOST_PEERS * ROUNDS], peers = 1 + seed % MOST_PEERS;
        side s;

        draw_arrivals(arrivals, peers, seed);
        make_side(&s, peers, 1);
        s.factory.arrivals = arrivals;
        for (size_t round = 1; round <= ROUNDS; round++) {
            ck_assert_int_eq(bench_assemble(&s.me), CB_OK);
            ck_assert_uint_eq(s.me.received.packets, needed(arrivals, peers, round));
        }
    }
}
END_TEST

/* Shares */

START_TEST(shares_are_counted_until_one_source_has_delivered_its_block)
{
    static const size_t arrivals[] = {0, 1, 0, 0, 1, 1};
    side s;

    make_side(&s, 2, 1);
    s.factory.arrivals = arrivals;
    s.me.shares.block_steps = 3;
    for (size_t i = 0; i < LENGTH(arrivals); i++) {
        bench_peer *from;

        ck_assert_int_eq(bench_receive_any(&s.me, &from), CB_OK);
        bench_count_share(&s.me, from, true);
    }
    ck_assert_uint_eq(s.peers[0].share, 3);
    ck_assert_uint_eq(s.peers[1].share, 1);
}
END_TEST

/* It counts for the block of its source, which would not be complete otherwise. */
START_TEST(a_lost_packet_is_no_share_of_what_was_received)
{
    side s;

    make_side(&s, 2, 1);
    s.me.shares.block_steps = 2;
    bench_count_share(&s.me, &s.peers[0], true);
    bench_count_share(&s.me, &s.peers[0], false);
    ck_assert(s.me.shares.first_complete);
    ck_assert_uint_eq(s.peers[0].share, 1);
}
END_TEST

UNIT_MAIN("traffic", a_changed_byte_changes_the_sum,
          a_changed_byte_of_a_large_packet_changes_the_sum, touching_sums_words_at_any_alignment,
          touching_reads_nothing_after_the_packet, the_sum_of_filled_packets_is_known,
          packets_filled_by_place_differ_and_have_the_known_sum, sums_of_different_sizes_differ,
          sums_of_correct_packets_match, one_wrong_byte_in_many_packets_is_an_error,
          a_truncated_packet_is_an_error, packets_that_are_not_touched_are_not_checked,
          a_pass_starts_with_an_empty_sum, a_verified_stream_without_losses_is_clean,
          a_lost_packet_is_counted_once_without_further_waiting,
          a_suspended_machine_loses_no_packet, a_slow_destination_sees_at_most_a_full_window,
          the_window_is_kept_under_any_interleaving, a_block_ends_with_nothing_outstanding,
          a_stream_in_both_directions_keeps_the_window_and_uses_it,
          a_stream_in_both_directions_ends_with_every_packet_received,
          there_is_one_acknowledgement_for_each_half_window_and_one_for_the_rest,
          packets_of_a_step_are_in_memory_at_the_same_time, acknowledgements_are_empty_messages,
          settling_acknowledges_to_each_waiting_peer, early_packets_are_queued_for_later_rounds,
          a_round_that_arrived_early_completes_without_a_receive,
          a_round_ends_at_the_packet_that_completes_it,
          shares_are_counted_until_one_source_has_delivered_its_block,
          a_lost_packet_is_no_share_of_what_was_received)
