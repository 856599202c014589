/* 1.3 all-to-all: each of P nodes sends to all others and receives from all others.
 *
 *   round     a node sends P - 1 packets, to the next node first, and receives one from each; every
 *             node times its block, the longest counts */
#include "engine/traffic.h"
#include "occupation/method.h"

typedef struct {
    uint64_t shifts; /* messages of a node per round of a trace; 0: to all others */
} alltoall_options;

static const cb_option own_options[] = {
    {.name = "trace-shifts",
     .type = CB_OPTION_COUNT,
     .offset = offsetof(alltoall_options, shifts),
     .argument = "N",
     .minimum = 1,
     .maximum = 65535,
     .help = "Messages of a node in a round of the trace; default to all others",
     .more = "They go to nodes that are spread evenly over the others."},
};

/* In a trace only: send to some of the other nodes, spread as evenly as possible. */
static __attribute__((cold)) cb_status exchange_with_some(bench_rank *me, size_t shifts)
{
    bench_peer *from;

    for (size_t i = 0; i < shifts; i++)
        CB_TRY(bench_send(me, i * me->peer_count / shifts));
    for (size_t i = 0; i < shifts; i++)
        CB_TRY(bench_receive_any(me, &from));
    return CB_OK;
}

static cb_status exchange_with_all(bench_rank *me)
{
    const alltoall_options *own = me->own_options;

    if (__builtin_expect(own->shifts > 0, 0))
        return exchange_with_some(me, (size_t)own->shifts);
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
    .counted = &counted_processors,
    .overlap = &occupation_method,
    .usual = {{4}, {8}, {16}},
    .ratio = {.column = REPORT_CONGESTION_RATIO,
              .meaning = "time per packet of a node / that at the reference",
              .formula = "step_us / (count - 1) / (reference_us / (reference - 1))",
              .title = "Congestion of",
              .caption = "Time per packet divided by the time between two nodes; 1 means no "
                         "congestion.",
              .reference = 2},
    .options_after = "trace-blocks",
    .options = own_options,
    .option_count = sizeof(own_options) / sizeof(own_options[0]),
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
