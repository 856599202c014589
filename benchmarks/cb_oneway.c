/* 1.1 one-way: one source, one destination.
 *
 *   pingpong  the source sends a packet, the destination sends one back
 *   stream    the source sends packets as fast as the window permits; timed from its first send to
 * the last acknowledgement */
#include "benchmarks/pair.h"
#include "engine/figures.h"
#include "occupation/method.h"

const benchmark cb_oneway = {
    .name = "oneway",
    .id = "1.1",
    .label = "1.1 one-way",
    .title = "one source, one destination",
    .description = "Measures communication in one direction (ATLAS DAQ note 48, benchmark "
                   "1.1). Mode pingpong sends a packet there and back and halves the time;"
                   " mode stream sends packets one after another, limited by the "
                   "window.\n\nWithout --sizes it adds a sweep to 1 MiB and fits Hockney's"
                   " line t(n) = t0 + n / r_inf to it in segments.",
    .group = "basic",
    .pattern = "pair",
    .counted = &counted_pair,
    .overlap = &occupation_method,
    .usual = {{2}},
    .fit = &figures_hockney,
    .roles = {{"source", BENCH_ONE, BENCH_ALL, BENCH_SECOND, BENCH_HEARS_ALL},
              {"destination", BENCH_ONE, BENCH_ALL, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "pingpong",
               .summary = "a packet sent there and back; the latency is half of it",
               .figure = BENCH_LATENCY,
               .divisor = 2,
               .packets = "1",
               .tells = "a lone message",
               .roles = {{.step = pair_ping, .timed = true}, {.step = pair_pong}}},
              {.name = "stream",
               .summary = "packets one after another, limited by the window",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "1",
               .tells = "rate of small consecutive messages",
               .roles = {{.step = pair_stream, .finish = bench_drain, .timed = true},
                         {.step = pair_take, .finish = bench_settle}}}},
    .figures = {{"latency_us", "time of a round trip / 2"},
                {"round_us", "time of a stream / packets"},
                {"frequency_Hz", "pingpong: 1 / latency; stream: packets / time"},
                {"throughput_MBps", "packets x size / time"}},
    .plots = {{"latency_us", "size_bytes"}, {"throughput_MBps", "size_bytes"}},
};
