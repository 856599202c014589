/* 1.2 two-way: two equal nodes.
 *
 *   exchange  both send a packet, then both receive one; every node times its block, the longer
 * counts
 */
#include "engine/benchmark.h"
#include "occupation/method.h"

static cb_status exchange(bench_rank *me)
{
    CB_TRY(bench_send(me, 0));
    return bench_receive(me, 0);
}

const benchmark cb_twoway = {
    .name = "twoway",
    .id = "1.2",
    .label = "1.2 two-way",
    .title = "two equal nodes, both send and receive",
    .description = "Measures communication in both directions at the same time (ATLAS DAQ "
                   "note 48, benchmark 1.2): each of two nodes sends a packet and receives"
                   " one.\n\nWithout --sizes it adds a sweep to 1 MiB and fits Hockney's "
                   "line t(n) = t0 + n / r_inf to it in segments.",
    .group = BENCH_GROUP_BASIC,
    .pattern = "exchange",
    .counted = BENCH_PAIR_ONLY,
    .overlap = &occupation_method,
    .usual = {{2}},
    .fit = true,
    .roles = {{"node", BENCH_COUNT, BENCH_OTHERS, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "exchange",
               .summary = "both send a packet and receive one",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = BENCH_PACKETS_TWO,
               .roles = {{.step = exchange, .timed = true}}}},
    .figures = {{"round_us", "time of an exchange, at the slower node"},
                {"frequency_Hz", "1 / time of an exchange"},
                {"throughput_MBps", "both directions together: 2 x size / time of an exchange"}},
    .plots = {{"round_us", "size_bytes"}, {"throughput_MBps", "size_bytes"}},
};
