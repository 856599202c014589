/* Steps of a rank with one peer, or with its first peer only: ping-pong and stream. Inline, as what
 * they call is, so that each benchmark has its own copy with the functions of benchmark.h inside.
 */
#ifndef BENCHMARKS_PAIR_H
#define BENCHMARKS_PAIR_H

#include "engine/traffic.h"

static inline cb_status pair_ping(bench_rank *me)
{
    return bench_serve(me, 0);
}

static inline cb_status pair_pong(bench_rank *me)
{
    return bench_bounce(me, 0);
}

static inline cb_status pair_stream(bench_rank *me)
{
    return bench_stream_send(me, 0);
}

static inline cb_status pair_take(bench_rank *me)
{
    return bench_stream_receive(me, 0);
}

#endif
