/* 1.4 pairs: P/2 sources to P/2 destinations, each source to its own destination.
 *
 *   stream    a step is one packet in every pair; every source times its block, from its first send
 * to the last acknowledgement, and the longest counts */
#include "benchmarks/pair.h"
#include "occupation/method.h"

const benchmark cb_pairs = {
    .name = "pairs",
    .id = "1.4",
    .label = "1.4 pairs",
    .title = "half of the nodes stream to the other half, in pairs",
    .description = "Measures how a network scales without contention (ATLAS DAQ note 48, "
                   "benchmark 1.4): each of P/2 sources streams to its own destination. "
                   "One pair is measured first, as the reference of the scaling "
                   "efficiency.",
    .group = "basic",
    .pattern = "pairs",
    .counted = &counted_processors,
    .overlap = &occupation_method,
    .usual = {{4}, {8}, {16}},
    .ratio = {.column = REPORT_SCALING_EFFICIENCY,
              .meaning = "frequency per pair / that at the reference",
              .formula = "reference_us / step_us",
              .title = "Scaling efficiency of",
              .caption = "Throughput divided by the number of pairs times the throughput of one "
                         "pair; 1 is ideal.",
              .reference = 2},
    .roles = {{"source", BENCH_HALF, BENCH_TWIN, BENCH_SECOND, BENCH_HEARS_ALL},
              {"destination", BENCH_HALF, BENCH_TWIN, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes =
        {{.name = "stream",
          .summary = "each source to its own destination, limited by the window",
          .figure = BENCH_ROUND,
          .divisor = 1,
          .packets = "count / 2",
          .counts_packets = true,
          .roles = {{.step = pair_stream, .finish = bench_drain, .timed = true, .by_threads = true},
                    {.step = pair_take, .finish = bench_settle}}}},
    .figures = {{"round_us", "time of a packet in every pair, at the slowest source"},
                {"frequency_Hz", "packets of all pairs / time: P/2 / time of a step"},
                {"throughput_MBps", "P/2 x size / time of a step"},
                {"per_node_MBps", "throughput / (P/2)"},
                {"scaling_efficiency", "frequency per pair / that of one pair"}},
    .table = {"frequency_Hz", "throughput_MBps", "scaling_efficiency"},
    .plots = {{"frequency_Hz", "processors"}, {"scaling_efficiency", "processors"}},
};
