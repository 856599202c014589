/* 1.3 all-to-all: each of P nodes sends to all others and receives from all others.
 *
 *   round     a node sends P - 1 packets, to the next node first, and receives one from each; every
 *             node times its block, the longest counts */
#include "engine/benchmark.h"
#include "occupation/method.h"

/* In a trace only: send to some of the other nodes, spread as evenly as possible. */
static __attribute__((cold)) cb_status exchange_with_some(bench_rank *me)
{
    bench_peer *from;

    for (size_t i = 0; i < me->shifts; i++)
        CB_TRY(bench_send(me, i * me->peer_count / me->shifts));
    for (size_t i = 0; i < me->shifts; i++)
        CB_TRY(bench_receive_any(me, &from));
    return CB_OK;
}

static cb_status exchange_with_all(bench_rank *me)
{
    if (__builtin_expect(me->shifts > 0, 0))
        return exchange_with_some(me);
    for (size_t peer = 0; peer < me->peer_count; peer++)
        CB_TRY(bench_send(me, peer));
    return bench_assemble(me);
}

const benchmark cb_alltoall = {
    .name = "alltoall",
    .id = "1.3",
    .label = "1.3 all-to-all",
    .title = "every node to all others",
    .description = "Measures network congestion and scaling (ATLAS DAQ note 48, benchmark "
                   "1.3). In each round every node sends a packet to every other node, in "
                   "rotated order, and receives one from each. Two nodes are measured "
                   "first, as the reference of the congestion ratio.",
    .group = "basic",
    .pattern = "all-to-all",
    .counted = BENCH_PROCESSORS,
    .overlap = &occupation_method,
    .usual = {{4}, {8}, {16}},
    .ratio = {.column = REPORT_CONGESTION_RATIO,
              .meaning = "time per packet of a node / that at the reference",
              .formula = "step_us / (count - 1) / (reference_us / (reference - 1))",
              .title = "Congestion of",
              .caption = "Time per packet divided by the time between two nodes; 1 means no "
                         "congestion.",
              .reference = 2},
    .takes = BENCH_TAKES_SHIFTS,
    .roles = {{"node", BENCH_COUNT, BENCH_OTHERS, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "round",
               .summary = "a packet to every other node and one from each",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "count * (count - 1)",
               .roles = {{.step = exchange_with_all, .timed = true}}}},
    .figures = {{"round_us", "time of a round, at the slowest node"},
                {"frequency_Hz", "1 / time of a round"},
                {"throughput_MBps", "P (P - 1) x size / time of a round"},
                {"per_node_MBps", "throughput / P"},
                {"congestion_ratio", "(time of a round / (P - 1)) / that of two nodes"}},
    .table = {"frequency_Hz", "per_node_MBps", "throughput_MBps", "congestion_ratio"},
    .plots = {{"frequency_Hz", "processors"}, {"congestion_ratio", "processors"}},
};
