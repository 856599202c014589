/* Parkbench COMMS3: each of p processors sends to all others at the same time.
 *
 *   saturate  a processor sends p - 1 messages, to the next one first, and receives one from each;
 *             every processor times its block, the longest counts */
#include "engine/traffic.h"
#include "parkbench/method.h"

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
    .description = "Measures the capacity of a network as Parkbench's COMMS3: each of p "
                   "processors sends a message of n bytes to every other and receives one "
                   "from each; t(n) is the time of a round / (p (p - 1)). Fits t(n) = (n +"
                   " n_half) / r_inf, in two parts with --breakpoint; r_inf is the total "
                   "saturation bandwidth. Also reported are the largest observed rate, and"
                   " both per processor.\n\nFirst TICK1 and TICK2 check the clock; if they"
                   " fail, nothing is measured. Without --sizes a sweep to 1 MiB is added.",
    .group = "parkbench",
    .pattern = "all-to-all",
    .counted = &counted_processors,
    .usual = {{4}, {8}, {16}},
    .fit = &parkbench_fit,
    .method = &parkbench_method,
    .options = parkbench_own_options,
    .option_count = PARKBENCH_OWN_OPTIONS,
    .options_after = "correlation",
    .roles = {{"node", BENCH_COUNT, BENCH_OTHERS, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "saturate",
               .summary = "a message to every other processor and one from each",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "count * (count - 1)",
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
                    .rate = "of the whole network; its limit is the total saturation bandwidth",
                    .relation =
                        "1.3 and COMMS3 do the same: each of p processors sends a message to "
                        "every other. 1.3 reports the time of a round, COMMS3 the time of one "
                        "of its p (p - 1) messages; both are shown as t and should be equal. "
                        "The r_inf of COMMS3 is the total saturation bandwidth; divided by p it"
                        " is the bandwidth per processor. The congestion ratio of 1.3 has no "
                        "counterpart."},
};
