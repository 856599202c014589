/* 1.4 pairs: P/2 sources to P/2 destinations, each source to its own destination.
 *
 * stream    a step is one packet in every pair; every source times its block, from its first send
 *           to the last acknowledgement, and the longest counts
 *
 * throughput = P/2 x size / time of a step; efficiency = frequency per pair / that of one pair
 * alone */
#include "engine/benchmark.h"
#include "occupation/method.h"

static cb_status stream(bench_rank *me)
{
    return bench_stream_send(me, 0);
}

static cb_status take(bench_rank *me)
{
    return bench_stream_receive(me, 0);
}

static size_t one_each_pair(size_t count)
{
    return count / 2;
}

static const bench_definition pairs = {
    .name = "pairs",
    .id = "1.4",
    .title = "half of the nodes stream to the other half, in pairs",
    .description =
        "Measures how a network scales without contention (ATLAS DAQ note 48, benchmark 1.4): an "
        "even number of processors is split into sources and destinations, and each source streams "
        "to its own destination. One pair is measured first; the scaling efficiency compares the "
        "packet rate of a pair with its rate.",
    .counted = BENCH_PROCESSORS,
    .overlap = &occupation_method,
    .ratio = BENCH_EFFICIENCY,
    .reference = 2,
    .roles = {{"source", BENCH_HALF, BENCH_TWIN, BENCH_SECOND, BENCH_HEARS_ALL},
              {"destination", BENCH_HALF, BENCH_TWIN, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "stream",
               .summary = "each source to its own destination, bounded by the window",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = one_each_pair,
               .counts_packets = true,
               .roles = {{.step = stream, .finish = bench_drain, .timed = true},
                         {.step = take, .finish = bench_settle}}}},
};

int main(int argc, char **argv)
{
    return bench_main(&pairs, argc, argv);
}
