/* Ping-pong between two queues inside the process: which buffer holds the packet, who owns it at
 * the end, and how a lost or changed packet is found. */

#include "base/log.h"
#include "engine/rank.h"
#include "engine/traffic.h"
#include "engine/verification.h"
#include "tests/engine/loop.h"
#include "tests/common/unit.h"

enum { ROUND_TRIPS = 50, BYTES = 100 };

/* A fault that is injected into a packet. */
typedef void (*mishap)(queue *way);

typedef struct {
    side source, destination;
    queue ping, pong;
    uint64_t step;           /* steps of the destination, from 0 */
    uint64_t hit;            /* the step in which the fault occurs */
    mishap to_ping, to_pong; /* or NULL */
    cb_status bounced;       /* result of the destination's last step */
    const void *seen;        /* the packet sent in that step */
    bool separate;           /* whether the next packet of the source has to be in hand */
} rally;

static void nothing_happens(queue *way)
{
    (void)way;
}

static void drop(queue *way)
{
    discard(way);
    *way = (queue){0};
}

static void corrupt(queue *way)
{
    ((unsigned char *)way->first->data)[BYTES - 1] ^= 8;
}

/* The destination answers while the source waits, until a step fails. */
static void answer(void *context)
{
    rally *r = context;
    mishap none = nothing_happens;

    if (r->bounced != CB_OK)
        return;
    (r->step == r->hit && r->to_ping != NULL ? r->to_ping : none)(&r->ping);
    r->seen = r->ping.first;
    if (r->separate) {
        ck_assert_ptr_nonnull(r->source.me.in_hand);
        ck_assert_ptr_ne(r->source.me.in_hand, r->seen);
    }
    r->bounced = bench_bounce(&r->destination.me, 0);
    (r->step == r->hit && r->to_pong != NULL ? r->to_pong : none)(&r->pong);
    r->step++;
}

static void make_rally(rally *r, const bench_traffic *traffic, bool rotate)
{
    side *sides[2] = {&r->source, &r->destination};

    *r = (rally){.hit = UINT64_MAX};
    for (size_t i = 0; i < 2; i++) {
        make_side(sides[i], 1, 1);
        sides[i]->me.size_bytes = BYTES;
        sides[i]->me.rotate = rotate;
        rank_reset(&sides[i]->me, traffic);
    }
    r->destination.peers[0].incoming.source = (uint64_t)r->source.me.place.ranks[0];
    r->source.nodes[0].out = r->destination.nodes[0].in = &r->ping;
    r->source.nodes[0].in = r->destination.nodes[0].out = &r->pong;
    r->source.factory.go_on = answer;
    r->source.factory.other = r;
}

static void play(rally *r, uint64_t round_trips)
{
    for (uint64_t i = 0; i < round_trips; i++)
        ck_assert_int_eq(bench_serve(&r->source.me, 0), CB_OK);
}

static void put_down(rally *r)
{
    if (r->source.me.in_hand != NULL)
        loop_buffer_release(r->source.me.in_hand);
}

static void expect_sums(rally *r, cb_status source, cb_status destination)
{
    ck_assert_int_eq(rank_check_sum(&r->source.me), source);
    ck_assert_int_eq(rank_check_sum(&r->destination.me), destination);
}

/* Buffers */

START_TEST(a_hot_pool_uses_one_buffer_for_all_round_trips)
{
    static const bench_traffic *const plain[] = {&traffic_touching, &traffic_bare};

    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        const void *first;
        rally r;

        make_rally(&r, plain[i], false);
        play(&r, 1);
        first = r.source.me.in_hand;
        ck_assert_ptr_eq(r.seen, first);
        for (int k = 0; k < ROUND_TRIPS; k++) {
            play(&r, 1);
            ck_assert_ptr_eq(r.seen, first);
            ck_assert_ptr_eq(r.source.me.in_hand, first);
        }
        ck_assert_uint_eq(r.source.factory.created, 1);
        ck_assert_uint_eq(r.destination.factory.created, 0);
        put_down(&r);
    }
}
END_TEST

START_TEST(a_rotating_pool_uses_another_buffer_for_each_message)
{
    static const bench_traffic *const plain[] = {&traffic_touching, &traffic_bare};

    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        rally r;

        make_rally(&r, plain[i], true);
        play(&r, ROUND_TRIPS);
        ck_assert_uint_eq(r.source.factory.created, ROUND_TRIPS);
        ck_assert_uint_eq(r.destination.factory.created, ROUND_TRIPS);
        put_down(&r);
    }
}
END_TEST

/* A technology takes memory for what arrives from the pool, which cannot have the packet in hand.
 */
START_TEST(a_separate_packet_is_in_hand_whenever_one_is_received)
{
    static const char *const touch[] = {"all", "none"};

    for (size_t i = 0; i < sizeof(touch) / sizeof(touch[0]); i++) {
        rally r;

        make_rally(&r, traffic_named(touch[i], BENCH_SEPARATE), false);
        r.separate = true;
        play(&r, ROUND_TRIPS);
        expect_sums(&r, CB_OK, CB_OK);
        ck_assert_uint_eq(r.source.factory.created, ROUND_TRIPS + 1);
        ck_assert_uint_eq(r.destination.factory.created, ROUND_TRIPS + 1);
        ck_assert_uint_eq(r.source.factory.base.held + r.destination.factory.base.held, 2);
        loop_buffer_release(r.destination.me.in_hand);
        put_down(&r);
    }
}
END_TEST

START_TEST(one_buffer_is_held_between_round_trips)
{
    for (int rotate = 0; rotate < 2; rotate++) {
        rally r;

        make_rally(&r, &traffic_touching, rotate);
        play(&r, ROUND_TRIPS);
        ck_assert_uint_eq(r.source.factory.base.held + r.destination.factory.base.held, 1);
        put_down(&r);
        ck_assert_uint_eq(r.source.factory.base.held + r.destination.factory.base.held, 0);
    }
}
END_TEST

/* A heap copy of the source, as rank_create() makes it. */
static bench_rank *on_the_heap(const rally *r)
{
    bench_rank *me = malloc(sizeof(*me));

    *me = r->source.me;
    me->peers = malloc(sizeof(*me->peers));
    me->peers[0] = r->source.peers[0];
    me->group = NULL;
    return me;
}

START_TEST(destroying_a_rank_releases_its_held_buffer)
{
    static const benchmark without_groups = {.name = "rally"};
    rally r;
    bench_rank *me;

    make_rally(&r, &traffic_touching, false);
    me = on_the_heap(&r);
    ck_assert_int_eq(bench_serve(me, 0), CB_OK);
    ck_assert_ptr_nonnull(me->in_hand);
    rank_destroy(&without_groups, me);
    ck_assert_uint_eq(r.source.factory.base.held + r.destination.factory.base.held, 0);
}
END_TEST

START_TEST(no_buffer_is_held_while_an_answer_is_missing)
{
    rally r;

    make_rally(&r, &traffic_touching, false);
    play(&r, 1);
    r.source.factory.broken = CB_ERROR_TRANSPORT;
    ck_assert_int_eq(bench_serve(&r.source.me, 0), CB_ERROR_TRANSPORT);
    ck_assert_ptr_null(r.source.me.in_hand);
    discard(&r.ping);
}
END_TEST

/* Sums */

START_TEST(both_sides_touch_every_packet)
{
    rally r;

    make_rally(&r, &traffic_touching, false);
    play(&r, ROUND_TRIPS);
    ck_assert_uint_eq(r.source.me.received.packets, ROUND_TRIPS);
    ck_assert_uint_eq(r.destination.me.received.packets, ROUND_TRIPS);
    ck_assert_uint_eq(r.source.me.received.sum, ROUND_TRIPS * traffic_expected_sum(BYTES));
    expect_sums(&r, CB_OK, CB_OK);
    put_down(&r);
}
END_TEST

START_TEST(without_touching_packets_are_only_counted)
{
    rally r;

    make_rally(&r, &traffic_bare, false);
    play(&r, ROUND_TRIPS);
    ck_assert_uint_eq(r.source.me.received.packets, ROUND_TRIPS);
    ck_assert_uint_eq(r.destination.me.received.packets, ROUND_TRIPS);
    ck_assert_uint_eq(r.source.me.received.sum + r.destination.me.received.sum, 0);
    put_down(&r);
}
END_TEST

/* Only the last packet is changed, so that the wrong byte is not sent back to the other side. */
START_TEST(a_wrong_byte_changes_the_sum_of_its_receiver)
{
    rally r;

    cb_log_silence(1);
    make_rally(&r, &traffic_touching, false);
    r.hit = ROUND_TRIPS - 1;
    r.to_pong = corrupt;
    play(&r, ROUND_TRIPS);
    expect_sums(&r, CB_ERROR_DATA, CB_OK);
    put_down(&r);
    make_rally(&r, &traffic_touching, true);
    r.hit = ROUND_TRIPS - 1;
    r.to_ping = corrupt;
    play(&r, ROUND_TRIPS);
    expect_sums(&r, CB_OK, CB_ERROR_DATA);
    put_down(&r);
}
END_TEST

/* The verification pass: a packet that does not arrive is given up at once. */

static void expect_findings(const side *s, uint64_t messages, uint64_t lost, uint64_t corrupted)
{
    const checker_findings *found = &s->me.verification.findings;

    ck_assert_uint_eq(found->messages, messages);
    ck_assert_uint_eq(found->lost, lost);
    ck_assert_uint_eq(found->corrupted, corrupted);
    ck_assert_uint_eq(found->duplicate + found->reordered, 0);
}

static void make_verified(rally *r, mishap to_ping, mishap to_pong)
{
    cb_log_silence(1);
    make_rally(r, &verification_traffic, false);
    r->hit = 3;
    r->to_ping = to_ping;
    r->to_pong = to_pong;
}

START_TEST(verified_round_trips_without_faults_are_clean)
{
    rally r;

    make_verified(&r, NULL, NULL);
    play(&r, ROUND_TRIPS);
    expect_findings(&r.source, ROUND_TRIPS, 0, 0);
    expect_findings(&r.destination, ROUND_TRIPS, 0, 0);
    ck_assert_uint_eq(r.source.factory.base.held + r.destination.factory.base.held, 0);
}
END_TEST

START_TEST(both_sides_give_up_a_lost_ping)
{
    rally r;

    make_verified(&r, drop, NULL);
    play(&r, 3);
    ck_assert_int_eq(bench_serve(&r.source.me, 0), CB_ERROR_DATA);
    ck_assert_int_eq(r.bounced, CB_ERROR_DATA);
    expect_findings(&r.source, 3, 1, 0);
    expect_findings(&r.destination, 3, 1, 0);
}
END_TEST

START_TEST(the_source_gives_up_a_lost_pong)
{
    rally r;

    make_verified(&r, NULL, drop);
    play(&r, 3);
    ck_assert_int_eq(bench_serve(&r.source.me, 0), CB_ERROR_DATA);
    expect_findings(&r.source, 3, 1, 0);
    ck_assert_uint_eq(r.destination.me.verification.findings.messages, 4);
}
END_TEST

START_TEST(a_corrupted_ping_is_counted_and_answered_with_correct_data)
{
    rally r;

    make_verified(&r, corrupt, NULL);
    play(&r, ROUND_TRIPS);
    expect_findings(&r.source, ROUND_TRIPS, 0, 0);
    expect_findings(&r.destination, ROUND_TRIPS, 0, 1);
}
END_TEST

START_TEST(a_corrupted_pong_is_counted_by_the_source)
{
    rally r;

    make_verified(&r, NULL, corrupt);
    play(&r, ROUND_TRIPS);
    expect_findings(&r.source, ROUND_TRIPS, 0, 1);
    expect_findings(&r.destination, ROUND_TRIPS, 0, 0);
}
END_TEST

UNIT_MAIN("bounce", a_hot_pool_uses_one_buffer_for_all_round_trips,
          a_rotating_pool_uses_another_buffer_for_each_message,
          a_separate_packet_is_in_hand_whenever_one_is_received,
          one_buffer_is_held_between_round_trips, destroying_a_rank_releases_its_held_buffer,
          no_buffer_is_held_while_an_answer_is_missing, both_sides_touch_every_packet,
          without_touching_packets_are_only_counted, a_wrong_byte_changes_the_sum_of_its_receiver,
          verified_round_trips_without_faults_are_clean, both_sides_give_up_a_lost_ping,
          the_source_gives_up_a_lost_pong,
          a_corrupted_ping_is_counted_and_answered_with_correct_data,
          a_corrupted_pong_is_counted_by_the_source)
