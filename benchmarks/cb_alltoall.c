/* 1.3 all-to-all: P nodes, each sends to all others and receives from all others.
 *
 * round     a node sends P - 1 packets, to the next node first, and receives one from each; every
 *           node times its block, the longest counts
 *
 * throughput = P (P - 1) x size / time of a round; congestion = (time of a round / (P - 1)) / that
 * of two nodes */
#include "engine/benchmark.h"
#include "occupation/method.h"

static cb_status exchange_with_all(bench_rank *me)
{
    for (size_t peer = 0; peer < me->peer_count; peer++)
        CB_TRY(bench_send(me, peer));
    return bench_assemble(me);
}

static const bench_definition alltoall = {
    .name = "alltoall",
    .id = "1.3",
    .title = "every node to all others",
    .description =
        "Measures switch congestion and scaling (ATLAS DAQ note 48, benchmark 1.3): in every round "
        "each of P nodes sends a packet to every other, in rotated order, and receives one from "
        "every other. Two nodes are measured first; the congestion ratio compares the time per "
        "packet with theirs.",
    .counted = BENCH_PROCESSORS,
    .overlap = &occupation_method,
    .ratio = BENCH_CONGESTION,
    .reference = 2,
    .roles = {{"node", BENCH_COUNT, BENCH_OTHERS, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "round",
               .summary = "a packet to every other node and one from each",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = bench_packets_among_all,
               .roles = {{.step = exchange_with_all, .timed = true}}}},
};

int main(int argc, char **argv)
{
    return bench_main(&alltoall, argc, argv);
}
