/* The hot paths: send one packet, receive one packet and read it, and what step functions do
 * beside. Set-up chooses one of the traffics, so a step does not test --touch. */
#include "engine/traffic.h"

#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "host/work.h"

/* Two words in one SSE2 or NEON register. */
typedef uint64_t word_pair __attribute__((vector_size(16)));

/* Hot. Four independent sums, so that additions do not wait for each other. */
uint64_t traffic_touch(const void *data, size_t size_bytes)
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

/* Word k of a packet in timed passes. No byte is zero, so that a missing byte changes the sum. */
static uint64_t content_word(uint64_t k)
{
    return cb_mix64(k) | 0x0101010101010101u;
}

uint64_t traffic_content_word(uint64_t k, size_t bytes)
{
    uint64_t content = content_word(k), kept = 0;

    memcpy(&kept, &content, bytes);
    return kept;
}

void traffic_fill(void *data, size_t size_bytes)
{
    unsigned char *bytes = data;

    for (size_t at = 0; at < size_bytes; at += 8) {
        uint64_t content = content_word(at / 8);

        memcpy(bytes + at, &content, size_bytes - at < 8 ? size_bytes - at : 8);
    }
}

uint64_t traffic_expected_sum(size_t size_bytes)
{
    uint64_t sum = 0;

    for (size_t at = 0; at < size_bytes; at += 8)
        sum += traffic_content_word(at / 8, size_bytes - at < 8 ? size_bytes - at : 8);
    return sum;
}

/* Handling of a received packet before its buffer is released */

typedef cb_status (*inspection)(bench_rank *me, bench_peer *from, const transport_buffer *buffer);

static inline cb_status touch(bench_rank *me, bench_peer *from, const transport_buffer *buffer)
{
    (void)from;
    me->received.sum += traffic_touch(buffer->data, buffer->size);
    return CB_OK;
}

static inline cb_status ignore_data(bench_rank *me, bench_peer *from,
                                    const transport_buffer *buffer)
{
    (void)me;
    (void)from;
    (void)buffer;
    return CB_OK;
}

static inline cb_status count_size(bench_rank *me, bench_peer *from, const transport_buffer *buffer)
{
    (void)from;
    me->received.bytes += buffer->size;
    if (buffer->size > me->received.largest)
        me->received.largest = buffer->size;
    return CB_OK;
}

static inline cb_status count_and_touch(bench_rank *me, bench_peer *from,
                                        const transport_buffer *buffer)
{
    (void)count_size(me, from, buffer);
    return touch(me, from, buffer);
}

static inline cb_status accept_packet(bench_rank *me, bench_peer *from, transport_buffer *buffer,
                                      inspection inspect)
{
    cb_status status = inspect(me, from, buffer);

    me->received.packets++;
    transport_buffer_release(buffer);
    return status;
}

static inline cb_status send_packet(bench_rank *me, bench_peer *peer)
{
    transport_buffer *buffer = transport_buffer_create(me->factory, me->size_bytes);

    return buffer != NULL ? transport_send(peer->node, buffer) : CB_ERROR_MEMORY;
}

static cb_status send_varied_packet(bench_rank *me, bench_peer *peer)
{
    bench_ring *ring = &me->ring;
    transport_buffer *buffer = transport_buffer_create(me->factory, ring->sizes[ring->at]);

    if (++ring->at == ring->period)
        ring->at = 0;
    return buffer != NULL ? transport_send(peer->node, buffer) : CB_ERROR_MEMORY;
}

static inline cb_status send_taken_packet(bench_rank *me, bench_peer *peer)
{
    transport_buffer *packet = peer->packet;

    (void)me;
    peer->packet = NULL;
    return transport_send(peer->node, packet);
}

static inline cb_status multicast_packet(bench_rank *me, transport_group *group)
{
    transport_buffer *buffer = transport_buffer_create(me->factory, me->size_bytes);

    return buffer != NULL ? transport_group_send(group, buffer) : CB_ERROR_MEMORY;
}

/* A lost packet is counted in place of a received one, and the step goes on. */
__attribute__((cold, noinline)) static cb_status count_loss(bench_rank *me, cb_status status)
{
    if (status != CB_LOST)
        return status;
    me->received.lost++;
    return CB_OK;
}

static inline cb_status plain_receive(bench_rank *me, bench_peer *peer, inspection inspect)
{
    transport_buffer *buffer;
    cb_status status = transport_receive(peer->node, &buffer);

    if (__builtin_expect(status != CB_OK, 0))
        return count_loss(me, status);
    return accept_packet(me, peer, buffer, inspect);
}

/* The peer from which this pass has received the fewest packets. All peers send equally many, so
 * the missing packet is one of this peer's. */
static bench_peer *slowest_peer(bench_rank *me)
{
    bench_peer *slowest = NULL;

    for (size_t i = 0; i < me->group->count; i++) {
        bench_peer *peer = &me->peers[me->group->nodes[i]->label];

        if (slowest == NULL || peer->taken < slowest->taken)
            slowest = peer;
    }
    return slowest;
}

__attribute__((cold, noinline)) static cb_status
count_loss_of_any(bench_rank *me, bench_peer **from, transport_node *node, cb_status status)
{
    if (status != CB_LOST)
        return status;
    *from = node != NULL ? &me->peers[node->label] : slowest_peer(me);
    if (node == NULL)
        transport_give_up((*from)->node);
    (*from)->taken++;
    return count_loss(me, status);
}

static inline cb_status plain_receive_any(bench_rank *me, bench_peer **from, inspection inspect)
{
    transport_buffer *buffer;
    transport_node *node;
    cb_status status = transport_group_receive(me->group, &buffer, &node);

    if (__builtin_expect(status != CB_OK, 0))
        return count_loss_of_any(me, from, node, status);
    *from = &me->peers[node->label];
    (*from)->taken++;
    return accept_packet(me, *from, buffer, inspect);
}

static inline cb_status receive_root(bench_rank *me, transport_group *group, inspection inspect)
{
    transport_buffer *buffer;
    cb_status status = transport_group_receive_root(group, &buffer);

    if (__builtin_expect(status != CB_OK, 0))
        return count_loss(me, status);
    return accept_packet(me, &me->peers[0], buffer, inspect);
}

/* The packet to send next: the received buffer or, if buffers rotate, a new one. */
static inline transport_buffer *next_packet(const bench_rank *me, transport_buffer *last)
{
    if (__builtin_expect(last != NULL && !me->rotate, 1))
        return last;
    if (last != NULL)
        transport_buffer_release(last);
    return transport_buffer_create(me->factory, me->size_bytes);
}

/* *out is NULL after a loss. */
static inline cb_status receive_packet(bench_rank *me, bench_peer *peer, transport_buffer **out,
                                       inspection inspect)
{
    cb_status status = transport_receive(peer->node, out);

    if (__builtin_expect(status != CB_OK, 0)) {
        *out = NULL;
        return count_loss(me, status);
    }
    me->received.packets++;
    return inspect(me, peer, *out);
}

static inline cb_status plain_serve(bench_rank *me, bench_peer *peer, inspection inspect)
{
    transport_buffer *buffer = next_packet(me, me->in_hand);

    me->in_hand = NULL;
    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(transport_send(peer->node, buffer));
    return receive_packet(me, peer, &me->in_hand, inspect);
}

static inline cb_status plain_bounce(bench_rank *me, bench_peer *peer, inspection inspect)
{
    transport_buffer *buffer;

    CB_TRY(receive_packet(me, peer, &buffer, inspect));
    buffer = next_packet(me, buffer);
    return buffer != NULL ? transport_send(peer->node, buffer) : CB_ERROR_MEMORY;
}

/* --buffers separate: the next packet to send is in hand whenever one is received, so that the pool
 * cannot give its memory to the other. */

static inline cb_status keep_packet(bench_rank *me)
{
    if (me->in_hand == NULL)
        me->in_hand = transport_buffer_create(me->factory, me->size_bytes);
    return me->in_hand != NULL ? CB_OK : CB_ERROR_MEMORY;
}

static cb_status send_kept(bench_rank *me, bench_peer *peer)
{
    transport_buffer *buffer;

    CB_TRY(keep_packet(me));
    buffer = me->in_hand;
    me->in_hand = NULL;
    CB_TRY(transport_send(peer->node, buffer));
    return keep_packet(me);
}

static inline cb_status beside_receive(bench_rank *me, bench_peer *peer, inspection inspect)
{
    CB_TRY(keep_packet(me));
    return plain_receive(me, peer, inspect);
}

static inline cb_status beside_receive_any(bench_rank *me, bench_peer **from, inspection inspect)
{
    CB_TRY(keep_packet(me));
    return plain_receive_any(me, from, inspect);
}

static inline cb_status beside_serve(bench_rank *me, bench_peer *peer, inspection inspect)
{
    CB_TRY(send_kept(me, peer));
    return plain_receive(me, peer, inspect);
}

static inline cb_status beside_bounce(bench_rank *me, bench_peer *peer, inspection inspect)
{
    CB_TRY(beside_receive(me, peer, inspect));
    return send_kept(me, peer);
}

static cb_status await_signal(bench_rank *me, bench_peer *peer)
{
    transport_buffer *buffer;
    cb_status status = transport_receive(peer->node, &buffer);

    if (__builtin_expect(status != CB_OK, 0)) {
        me->received.unacknowledged += status == CB_LOST;
        return status == CB_LOST ? CB_OK : status; /* a lost acknowledgement counts as received */
    }
    transport_buffer_release(buffer);
    return CB_OK;
}

/* The functions of a traffic, and their table. `way` says which buffers are used, `inspect` what is
 * done with received data; both are constants, and what they name is inlined. `storage` is empty or
 * static. */
#define TRAFFIC(storage, name, way, send_one, inspect)                                             \
    static cb_status name##_receive(bench_rank *me, bench_peer *peer)                              \
    {                                                                                              \
        return way##_receive(me, peer, inspect);                                                   \
    }                                                                                              \
    static cb_status name##_receive_any(bench_rank *me, bench_peer **from)                         \
    {                                                                                              \
        return way##_receive_any(me, from, inspect);                                               \
    }                                                                                              \
    static cb_status name##_receive_multicast(bench_rank *me, transport_group *group)              \
    {                                                                                              \
        return receive_root(me, group, inspect);                                                   \
    }                                                                                              \
    static cb_status name##_serve(bench_rank *me, bench_peer *peer)                                \
    {                                                                                              \
        return way##_serve(me, peer, inspect);                                                     \
    }                                                                                              \
    static cb_status name##_bounce(bench_rank *me, bench_peer *peer)                               \
    {                                                                                              \
        return way##_bounce(me, peer, inspect);                                                    \
    }                                                                                              \
    static cb_status name##_accept(bench_rank *me, bench_peer *from, transport_buffer *buffer)     \
    {                                                                                              \
        return accept_packet(me, from, buffer, inspect);                                           \
    }                                                                                              \
    storage const bench_traffic name = {                                                           \
        .send = send_one,                                                                          \
        .send_taken = send_taken_packet,                                                           \
        .receive = name##_receive,                                                                 \
        .receive_any = name##_receive_any,                                                         \
        .multicast = multicast_packet,                                                             \
        .receive_multicast = name##_receive_multicast,                                             \
        .serve = name##_serve,                                                                     \
        .bounce = name##_bounce,                                                                   \
        .await_signal = await_signal,                                                              \
        .accept = name##_accept,                                                                   \
    }

TRAFFIC(, traffic_touching, plain, send_packet, touch);
TRAFFIC(, traffic_bare, plain, send_packet, ignore_data);
TRAFFIC(static, separate_touching, beside, send_kept, touch);
TRAFFIC(static, separate_bare, beside, send_kept, ignore_data);
TRAFFIC(, traffic_varied_touching, plain, send_varied_packet, count_and_touch);
TRAFFIC(, traffic_varied_bare, plain, send_varied_packet, count_size);

bool traffic_touches(const bench_traffic *traffic)
{
    return traffic == &traffic_touching || traffic == &separate_touching ||
           traffic == &traffic_varied_touching;
}

const bench_traffic *traffic_named(const char *touch, const char *buffers)
{
    const bool touches = strcmp(touch, "all") == 0;

    if (buffers != NULL && strcmp(buffers, BENCH_SEPARATE) == 0)
        return touches ? &separate_touching : &separate_bare;
    return touches ? &traffic_touching : &traffic_bare;
}

bool traffic_is_stream(const bench_mode *mode)
{
    for (size_t role = 0; role < BENCH_ROLES; role++) {
        bench_action finish = mode->roles[role].finish;

        if (finish == bench_drain || finish == bench_relay || finish == bench_receive_rest)
            return true;
    }
    return false;
}

/* The algorithm */

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

cb_status bench_take_packets(bench_rank *me)
{
    for (size_t peer = 0; peer < me->peer_count; peer++) {
        me->peers[peer].packet = transport_buffer_create(me->factory, me->size_bytes);
        if (me->peers[peer].packet == NULL)
            return CB_ERROR_MEMORY;
    }
    return CB_OK;
}

cb_status bench_signal(bench_rank *me, bench_peer *peer)
{
    transport_buffer *buffer = transport_buffer_create(me->factory, 0);

    return buffer != NULL ? transport_send(peer->node, buffer) : CB_ERROR_MEMORY;
}

static void count_acknowledgement(const bench_rank *me, bench_peer *peer)
{
    peer->outstanding -= peer->outstanding < me->half_window ? peer->outstanding : me->half_window;
}

cb_status bench_await_acknowledgement(bench_rank *me, bench_peer *peer)
{
    CB_TRY(bench_await_signal(me, peer));
    count_acknowledgement(me, peer);
    return CB_OK;
}

cb_status bench_try_acknowledgement(bench_rank *me, bench_peer *peer)
{
    transport_buffer *buffer;

    CB_TRY(transport_try_receive(peer->node, &buffer));
    transport_buffer_release(buffer);
    count_acknowledgement(me, peer);
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

cb_status bench_receive_rest(bench_rank *me)
{
    for (size_t peer = 0; peer < me->peer_count; peer++)
        for (; me->peers[peer].outstanding > 0; me->peers[peer].outstanding--)
            CB_TRY(bench_receive(me, peer));
    return CB_OK;
}
