/* Parkbench COMMS3: each of p processors sends to all others at the same time.
 *
 * saturate  a processor sends p - 1 messages, to the next one first, and receives one from each;
 *           every processor times its block, the longest counts */
#include "engine/benchmark.h"

static cb_status send_to_all_and_receive(bench_rank *me)
{
    for (size_t peer = 0; peer < me->peer_count; peer++)
        CB_TRY(bench_send(me, peer));
    return bench_assemble(me);
}

const benchmark cb_comms3 = {
    .name = "comms3",
    .id = "COMMS3",
    .label = "Parkbench COMMS3",
    .title = "Parkbench: total saturation bandwidth of p processors",
    .description =
        "Measures what a network carries in all as Parkbench's COMMS3 does: each of p processors "
        "sends a message to every other and waits for those of all others. A round is p (p - 1) "
        "messages, and the time of a round divided by their number is the time t of a message of "
        "n bytes. t(n) = (n + n_half) / r_inf is fitted to the sizes, with a line on either side "
        "of --breakpoint where it is given: r_inf is the total saturation bandwidth. The maximum "
        "that was observed stands beside it, and both also for one processor.\n\n"
        "TICK1 and TICK2, which try the resolution and the truth of the clock, come first, and "
        "nothing is measured where they fail. Without --sizes a short sweep to 1 MiB is added.",
    .group = BENCH_GROUP_PARKBENCH,
    .pattern = "all-to-all",
    .counted = BENCH_PROCESSORS,
    .usual = {{4}, {8}, {16}},
    .fit = true,
    .roles = {{"node", BENCH_COUNT, BENCH_OTHERS, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "saturate",
               .summary = "a message to every other processor and one from each",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = BENCH_PACKETS_AMONG_ALL,
               .roles = {{.step = send_to_all_and_receive, .timed = true}}}},
    .figures = {{"round_us", "time of a round of p (p - 1) messages, each of time t"},
                {"throughput_MBps", "n / t"},
                {"per_node_MBps", "throughput / p"},
                {"r_inf_MBps", "t(n) = (n + n_half) / r_inf: the total saturation bandwidth"},
                {"overhead_us", "t0 = n_half / r_inf"},
                {"pi0_Hz", "pi0 = 1 / t0"}},
    .table = {"round_us", "throughput_MBps"},
    .plots = {{"throughput_MBps", "size_bytes"}},
    .counterpart = {.benchmark = "alltoall",
                    .mode = "round",
                    .rate = "of the whole network: towards the total saturation bandwidth",
                    .relation =
                        "1.3 and COMMS3 do the same: each of p processors sends a message to every "
                        "other. 1.3 reports the time of a round, COMMS3 that of one of its p (p - "
                        "1) messages; both are shown as t and should be equal. The r_inf of COMMS3 "
                        "is the total saturation bandwidth; a p-th of it belongs to one processor. "
                        "The congestion ratio of 1.3 has no counterpart."},
};
