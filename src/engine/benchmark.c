/* What step functions do with a packet beside sending it: algorithms, rounds, signals, streams. */
#include "engine/benchmark.h"

#include "base/clock.h"
#include "host/work.h"

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
