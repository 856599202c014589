/* The hot paths of the benchmarks: one packet sent, one received and referred to. The three forms
 * of a receive differ in what they do with the data, which is decided once, in set-up. */
#include "engine/traffic.h"

#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "engine/patience.h"
#include "host/work.h"

/* Two words that are added at once, in a register that every processor of the last decades has. */
typedef uint64_t word_pair __attribute__((vector_size(16)));

/* Hot. Four sums of pairs, so that additions do not wait for each other. */
uint64_t bench_touch(const void *data, size_t size_bytes)
{
    const unsigned char *at = data;
    word_pair sums[4] = {{0}}, pairs[4];
    uint64_t sum = 0, word = 0;

    for (; size_bytes >= sizeof(pairs); size_bytes -= sizeof(pairs), at += sizeof(pairs)) {
        memcpy(pairs, at, sizeof(pairs));
        sums[0] += pairs[0];
        sums[1] += pairs[1];
        sums[2] += pairs[2];
        sums[3] += pairs[3];
    }
    for (; size_bytes >= sizeof(word); size_bytes -= sizeof(word), at += sizeof(word)) {
        memcpy(&word, at, sizeof(word));
        sum += word;
    }
    word = 0;
    for (size_t i = 0; i < size_bytes; i++)
        ((unsigned char *)&word)[i] = at[i];
    sums[0] += sums[1] + sums[2] + sums[3];
    return sum + word + sums[0][0] + sums[0][1];
}

/* Word k of a packet in timed passes. No byte is zero, so that one that is missing changes the sum.
 */
static uint64_t content_word(uint64_t k)
{
    return cb_mix64(k) | 0x0101010101010101u;
}

void bench_fill(void *data, size_t size_bytes)
{
    unsigned char *bytes = data;

    for (size_t at = 0; at < size_bytes; at += 8) {
        uint64_t content = content_word(at / 8);

        memcpy(bytes + at, &content, size_bytes - at < 8 ? size_bytes - at : 8);
    }
}

uint64_t bench_expected_sum(size_t size_bytes)
{
    uint64_t sum = 0;

    for (size_t at = 0; at < size_bytes; at += 8) {
        uint64_t content = content_word(at / 8), kept = 0;

        memcpy(&kept, &content, size_bytes - at < 8 ? size_bytes - at : 8);
        sum += kept;
    }
    return sum;
}

/* What is done with an arrived packet before its buffer is released */

typedef cb_status (*inspection)(bench_rank *me, bench_peer *from, const transport_buffer *buffer);

static inline cb_status touch(bench_rank *me, bench_peer *from, const transport_buffer *buffer)
{
    (void)from;
    me->sum += bench_touch(buffer->data, buffer->size);
    return CB_OK;
}

static inline cb_status look_away(bench_rank *me, bench_peer *from, const transport_buffer *buffer)
{
    (void)me;
    (void)from;
    (void)buffer;
    return CB_OK;
}

static inline cb_status check(bench_rank *me, bench_peer *from, const transport_buffer *buffer)
{
    bench_check(&from->incoming, buffer->data, buffer->size, me->size_bytes, &me->findings);
    return CB_OK;
}

static inline cb_status accept(bench_rank *me, bench_peer *from, transport_buffer *buffer,
                               inspection inspect)
{
    cb_status status = inspect(me, from, buffer);

    me->packets++;
    transport_buffer_release(buffer);
    return status;
}

static inline cb_status send_as_it_is(bench_rank *me, bench_peer *peer)
{
    transport_buffer *buffer = transport_buffer_create(me->factory, me->size_bytes);

    return buffer != NULL ? transport_send(peer->node, buffer) : CB_ERROR_MEMORY;
}

static inline cb_status multicast_as_it_is(bench_rank *me, transport_group *group)
{
    transport_buffer *buffer = transport_buffer_create(me->factory, me->size_bytes);

    return buffer != NULL ? transport_group_send(group, buffer) : CB_ERROR_MEMORY;
}

/* A packet that an unreliable technology has given up takes its place in the pattern, and is
 * counted: the step goes on without it. */
__attribute__((cold, noinline)) static cb_status miss(bench_rank *me, cb_status status)
{
    if (status != CB_LOST)
        return status;
    me->lost++;
    return CB_OK;
}

static inline cb_status receive_from(bench_rank *me, bench_peer *peer, inspection inspect)
{
    transport_buffer *buffer;
    cb_status status = transport_receive(peer->node, &buffer);

    if (__builtin_expect(status != CB_OK, 0))
        return miss(me, status);
    return accept(me, peer, buffer, inspect);
}

/* Of the peers that are heard, the one of which fewest packets have come in this pass: all send
 * equally many, so that it is one of its packets that is missing. */
static bench_peer *hindmost(bench_rank *me)
{
    bench_peer *last = NULL;

    for (size_t i = 0; i < me->group->count; i++) {
        bench_peer *peer = &me->peers[me->group->nodes[i]->label];

        if (last == NULL || peer->taken < last->taken)
            last = peer;
    }
    return last;
}

__attribute__((cold, noinline)) static cb_status miss_next(bench_rank *me, bench_peer **from,
                                                           transport_node *node, cb_status status)
{
    if (status != CB_LOST)
        return status;
    *from = node != NULL ? &me->peers[node->label] : hindmost(me);
    if (node == NULL)
        transport_give_up((*from)->node);
    (*from)->taken++;
    return miss(me, status);
}

static inline cb_status receive_next(bench_rank *me, bench_peer **from, inspection inspect)
{
    transport_buffer *buffer;
    transport_node *node;
    cb_status status = transport_group_receive(me->group, &buffer, &node);

    if (__builtin_expect(status != CB_OK, 0))
        return miss_next(me, from, node, status);
    *from = &me->peers[node->label];
    (*from)->taken++;
    return accept(me, *from, buffer, inspect);
}

static inline cb_status receive_root(bench_rank *me, transport_group *group, inspection inspect)
{
    transport_buffer *buffer;
    cb_status status = transport_group_receive_root(group, &buffer);

    if (__builtin_expect(status != CB_OK, 0))
        return miss(me, status);
    return accept(me, &me->peers[0], buffer, inspect);
}

/* A packet to pass on: the one just received, which rests in the same buffer, or, where buffers
 * rotate, another. */
static inline transport_buffer *next_packet(const bench_rank *me, transport_buffer *last)
{
    if (__builtin_expect(last != NULL && !me->rotate, 1))
        return last;
    if (last != NULL)
        transport_buffer_release(last);
    return transport_buffer_create(me->factory, me->size_bytes);
}

/* *out is NULL after a loss. */
static inline cb_status take(bench_rank *me, bench_peer *peer, transport_buffer **out,
                             inspection inspect)
{
    cb_status status = transport_receive(peer->node, out);

    if (__builtin_expect(status != CB_OK, 0)) {
        *out = NULL;
        return miss(me, status);
    }
    me->packets++;
    return inspect(me, peer, *out);
}

static inline cb_status serve(bench_rank *me, bench_peer *peer, inspection inspect)
{
    transport_buffer *buffer = next_packet(me, me->in_hand);

    me->in_hand = NULL;
    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(transport_send(peer->node, buffer));
    return take(me, peer, &me->in_hand, inspect);
}

static inline cb_status bounce(bench_rank *me, bench_peer *peer, inspection inspect)
{
    transport_buffer *buffer;

    CB_TRY(take(me, peer, &buffer, inspect));
    buffer = next_packet(me, buffer);
    return buffer != NULL ? transport_send(peer->node, buffer) : CB_ERROR_MEMORY;
}

static cb_status await_signal(bench_rank *me, bench_peer *peer)
{
    transport_buffer *buffer;
    cb_status status = transport_receive(peer->node, &buffer);

    (void)me;
    if (__builtin_expect(status != CB_OK, 0))
        return status == CB_LOST ? CB_OK : status; /* what it allows is allowed */
    transport_buffer_release(buffer);
    return CB_OK;
}

static cb_status receive_touching(bench_rank *me, bench_peer *peer)
{
    return receive_from(me, peer, touch);
}

static cb_status receive_any_touching(bench_rank *me, bench_peer **from)
{
    return receive_next(me, from, touch);
}

static cb_status receive_root_touching(bench_rank *me, transport_group *group)
{
    return receive_root(me, group, touch);
}

static cb_status serve_touching(bench_rank *me, bench_peer *peer)
{
    return serve(me, peer, touch);
}

static cb_status bounce_touching(bench_rank *me, bench_peer *peer)
{
    return bounce(me, peer, touch);
}

static cb_status serve_bare(bench_rank *me, bench_peer *peer)
{
    return serve(me, peer, look_away);
}

static cb_status bounce_bare(bench_rank *me, bench_peer *peer)
{
    return bounce(me, peer, look_away);
}

static cb_status receive_bare(bench_rank *me, bench_peer *peer)
{
    return receive_from(me, peer, look_away);
}

static cb_status receive_any_bare(bench_rank *me, bench_peer **from)
{
    return receive_next(me, from, look_away);
}

static cb_status receive_root_bare(bench_rank *me, transport_group *group)
{
    return receive_root(me, group, look_away);
}

const bench_traffic bench_touching = {
    .send = send_as_it_is,
    .receive = receive_touching,
    .receive_any = receive_any_touching,
    .multicast = multicast_as_it_is,
    .receive_multicast = receive_root_touching,
    .serve = serve_touching,
    .bounce = bounce_touching,
    .await_signal = await_signal,
};

const bench_traffic bench_bare = {
    .send = send_as_it_is,
    .receive = receive_bare,
    .receive_any = receive_any_bare,
    .multicast = multicast_as_it_is,
    .receive_multicast = receive_root_bare,
    .serve = serve_bare,
    .bounce = bounce_bare,
    .await_signal = await_signal,
};

/* The verifying pass: every packet is stamped and checked, and none is waited for for ever, so that
 * a lost one is reported and not a hang. */

/* Between two polls: false when patience is at its end. */
static bool wait_on(const bench_rank *me, bench_waiting *so_far)
{
    if (bench_waiting_on(so_far, cb_now_ns()) > me->patience_ns)
        return false;
    bench_yield(me->factory);
    return true;
}

static cb_status give_up(const bench_rank *me, const char *whom, int rank)
{
    cb_error(
        "no packet came from %s %d for %.1f s in the verifying pass: it is lost; see the counts "
        "in the result",
        whom, rank, (double)me->patience_ns / 1e9);
    return CB_ERROR_DATA;
}

static cb_status send_stamped(bench_rank *me, bench_peer *peer)
{
    transport_buffer *buffer = transport_buffer_create(me->factory, me->size_bytes);

    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    bench_stamp(buffer->data, buffer->size, (uint64_t)me->ranks[me->self], peer->sent++);
    return transport_send(peer->node, buffer);
}

static cb_status receive_patiently(const bench_rank *me, const bench_peer *peer,
                                   transport_buffer **out)
{
    bench_waiting so_far = bench_waiting_begin(cb_now_ns());
    cb_status status;

    while ((status = transport_try_receive(peer->node, out)) == CB_EMPTY)
        if (!wait_on(me, &so_far))
            return give_up(me, "rank", peer->node->rank);
    return status;
}

static cb_status receive_root_patiently(const bench_rank *me, transport_group *group,
                                        transport_buffer **out)
{
    bench_waiting so_far = bench_waiting_begin(cb_now_ns());
    cb_status status;

    while ((status = transport_group_try_receive_root(group, out)) == CB_EMPTY)
        if (!wait_on(me, &so_far))
            return give_up(me, "the multicasting rank", me->peers[0].node->rank);
    return status;
}

/* After a gap one packet less will come than is waited for: that one is counted already. */
static void note_absence(bench_rank *me, const bench_peer *peers, size_t count)
{
    uint64_t lost = 0;

    for (size_t i = 0; i < count; i++)
        lost += peers[i].incoming.lost;
    me->findings.lost += lost == 0;
}

static cb_status check_or_miss(bench_rank *me, bench_peer *peer, transport_buffer *buffer,
                               cb_status received)
{
    if (received == CB_ERROR_DATA)
        note_absence(me, peer, 1);
    return received == CB_OK ? accept(me, peer, buffer, check) : received;
}

static cb_status receive_checked(bench_rank *me, bench_peer *peer)
{
    transport_buffer *buffer = NULL;
    cb_status received = receive_patiently(me, peer, &buffer);

    return check_or_miss(me, peer, buffer, received);
}

static cb_status receive_root_checked(bench_rank *me, transport_group *group)
{
    transport_buffer *buffer = NULL;
    cb_status received = receive_root_patiently(me, group, &buffer);

    return check_or_miss(me, &me->peers[0], buffer, received);
}

static cb_status serve_checked(bench_rank *me, bench_peer *peer)
{
    CB_TRY(send_stamped(me, peer));
    return receive_checked(me, peer);
}

static cb_status bounce_checked(bench_rank *me, bench_peer *peer)
{
    CB_TRY(receive_checked(me, peer));
    return send_stamped(me, peer);
}

static cb_status await_signal_patiently(bench_rank *me, bench_peer *peer)
{
    transport_buffer *buffer;

    CB_TRY(receive_patiently(me, peer, &buffer));
    transport_buffer_release(buffer);
    return CB_OK;
}

static cb_status receive_any_checked(bench_rank *me, bench_peer **from)
{
    bench_waiting so_far = bench_waiting_begin(cb_now_ns());
    transport_buffer *buffer;
    transport_node *node;
    cb_status status;

    while ((status = transport_group_try_receive(me->group, &buffer, &node)) == CB_EMPTY)
        if (!wait_on(me, &so_far)) {
            note_absence(me, me->peers, me->peer_count);
            return give_up(me, "any of the peers of rank", me->ranks[me->self]);
        }
    CB_TRY(status);
    *from = &me->peers[node->label];
    return accept(me, *from, buffer, check);
}

/* All destinations get the same packet, whose number counts the broadcasts. */
static cb_status multicast_stamped(bench_rank *me, transport_group *group)
{
    transport_buffer *buffer = transport_buffer_create(me->factory, me->size_bytes);

    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    bench_stamp(buffer->data, buffer->size, (uint64_t)me->ranks[me->self], me->broadcasts - 1);
    return transport_group_send(group, buffer);
}

static bool is_for_me(const bench_rank *me, uint64_t broadcast)
{
    return me->member[broadcast % me->group_count];
}

/* Of a list that changes, the broadcasts to others are neither waited for nor lost. With groups of
 * their own, the lists do not wait for each other: after a loss, what comes later in the list that
 * missed it was overtaken by the others, and counts as reordered beside the one that is lost. */
static cb_status receive_multicast_checked(bench_rank *me, transport_group *group)
{
    bench_checker *incoming = &me->peers[0].incoming;
    uint64_t next = incoming->expected;

    while (!is_for_me(me, next))
        next++;
    bench_check_skip(incoming, next);
    CB_TRY(me->own_multicast ? receive_root_checked(me, group)
                             : receive_checked(me, &me->peers[0]));
    for (; next + 1 < incoming->expected; next++)
        if (!is_for_me(me, next)) {
            incoming->lost--;
            me->findings.lost--;
        }
    return CB_OK;
}

const bench_traffic bench_verifying = {
    .send = send_stamped,
    .receive = receive_checked,
    .receive_any = receive_any_checked,
    .multicast = multicast_stamped,
    .receive_multicast = receive_multicast_checked,
    .serve = serve_checked,
    .bounce = bounce_checked,
    .await_signal = await_signal_patiently,
};

void bench_yield(const transport_factory *factory)
{
    if (!factory->polls_yield)
        sched_yield();
}

cb_status bench_run_algorithm(bench_algorithm *algorithm)
{
    uint64_t start_ns;

    if (algorithm->units == 0)
        return CB_OK;
    if (__builtin_expect(algorithm->instead != NULL, 0))
        return algorithm->instead(algorithm->context);
    start_ns = cb_now_ns();
    algorithm->state = host_work_on(algorithm->state, algorithm->units);
    algorithm->elapsed_ns += cb_now_ns() - start_ns;
    algorithm->runs++;
    return CB_OK;
}

/* Rounds, signals and streams */

cb_status bench_assemble(bench_rank *me)
{
    while (me->missing > 0) {
        bench_peer *from;

        CB_TRY(bench_receive_any(me, &from));
        CB_TRY(bench_run_algorithm(&me->algorithm));
        me->missing -= from->ahead++ == 0;
    }
    for (size_t peer = 0; peer < me->heard; peer++)
        me->missing += --me->peers[peer].ahead == 0;
    return CB_OK;
}

cb_status bench_signal(bench_rank *me, bench_peer *peer)
{
    transport_buffer *buffer = transport_buffer_create(me->factory, 0);

    return buffer != NULL ? transport_send(peer->node, buffer) : CB_ERROR_MEMORY;
}

cb_status bench_await_acknowledgement(bench_rank *me, bench_peer *peer)
{
    CB_TRY(bench_await_signal(me, peer));
    peer->outstanding -= peer->outstanding < me->half_window ? peer->outstanding : me->half_window;
    return CB_OK;
}

cb_status bench_drain(bench_rank *me)
{
    for (size_t peer = 0; peer < me->peer_count; peer++)
        while (me->peers[peer].outstanding > 0)
            CB_TRY(bench_await_acknowledgement(me, &me->peers[peer]));
    return CB_OK;
}

cb_status bench_settle(bench_rank *me)
{
    for (size_t peer = 0; peer < me->peer_count; peer++)
        if (me->peers[peer].unacknowledged > 0) {
            me->peers[peer].unacknowledged = 0;
            CB_TRY(bench_signal(me, &me->peers[peer]));
        }
    return CB_OK;
}

cb_status bench_relay(bench_rank *me)
{
    CB_TRY(bench_settle(me));
    return bench_drain(me);
}
