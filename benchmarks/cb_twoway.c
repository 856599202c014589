/* 1.2 two-way: two equal nodes.
 *
 * Every node times its block, and the longer counts.
 *
 *   exchange  both send a packet, then both receive one
 *   stream    both send packets one after another, as far ahead of those they receive as the window
 *             permits; ends with the last packet received */
#include "engine/traffic.h"
#include "engine/figures.h"
#include "occupation/method.h"

static cb_status exchange(bench_rank *me)
{
    CB_TRY(bench_send(me, 0));
    return bench_receive(me, 0);
}

static cb_status stream(bench_rank *me)
{
    return bench_stream_both_ways(me, 0);
}

const benchmark cb_twoway = {
    .name = "twoway",
    .id = "1.2",
    .label = "1.2 two-way",
    .title = "two equal nodes, both send and receive",
    .description = "Measures communication in both directions at the same time (ATLAS DAQ "
                   "note 48, benchmark 1.2). In mode exchange each of two nodes sends a "
                   "packet and receives one before the next. In mode stream both send one "
                   "packet after another, ahead of those that they receive by at most half "
                   "the window: the counterpart of the stream of 1.1.\n\nWithout --sizes it "
                   "adds a sweep to 1 MiB and fits Hockney's "
                   "line t(n) = t0 + n / r_inf to it in segments.",
    .group = "basic",
    .pattern = "exchange",
    .counted = &counted_pair,
    .overlap = &occupation_method,
    .usual = {{2}},
    .fit = &figures_hockney,
    .roles = {{"node", BENCH_COUNT, BENCH_OTHERS, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "exchange",
               .summary = "both send a packet and receive one",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "2",
               .roles = {{.step = exchange, .timed = true}}},
              {.name = "stream",
               .summary = "packets one after another in both directions, limited by the window",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "2",
               .roles = {{.step = stream, .finish = bench_receive_rest, .timed = true}}}},
    .figures = {{"round_us", "time of an exchange, or of a stream / packets of a node; at the "
                             "slower node"},
                {"frequency_Hz", "1 / time of an exchange; stream: packets of a node / time"},
                {"throughput_MBps", "both directions together: 2 x packets of a node x size / "
                                    "time"}},
    .plots = {{"round_us", "size_bytes"}, {"throughput_MBps", "size_bytes"}},
};
