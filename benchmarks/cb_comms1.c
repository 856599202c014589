/* Parkbench COMMS1: ping-pong between a master and a slave.
 *
 *   pingpong  the master sends a message, the slave returns it at once */
#include "benchmarks/pair.h"
#include "parkbench/method.h"

const benchmark cb_comms1 = {
    .name = "comms1",
    .id = "COMMS1",
    .label = "Parkbench COMMS1",
    .title = "Parkbench: ping-pong between two nodes",
    .description = "Measures basic communication between two nodes as Parkbench's COMMS1: "
                   "a master sends a message of n bytes, a slave returns it at once, and "
                   "t(n) is half of the round trip. Fits t(n) = (n + n_half) / r_inf, in "
                   "two parts with --breakpoint; also reported are t0 = n_half / r_inf and"
                   " pi0 = 1 / t0.\n\nFirst TICK1 and TICK2 check the clock; if they fail,"
                   " nothing is measured. Without --sizes a sweep to 1 MiB is added.",
    .group = "parkbench",
    .pattern = "pair",
    .counted = &counted_pair,
    .usual = {{2}},
    .fit = &parkbench_fit,
    .method = &parkbench_method,
    .options = parkbench_own_options,
    .option_count = PARKBENCH_OWN_OPTIONS,
    .options_after = "correlation",
    .roles = {{"source", BENCH_ONE, BENCH_ALL, BENCH_SECOND, BENCH_HEARS_ALL},
              {"destination", BENCH_ONE, BENCH_ALL, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "pingpong",
               .summary = "a message sent there and back; the latency is half of it",
               .figure = BENCH_LATENCY,
               .divisor = 2,
               .packets = "1",
               .roles = {{.step = pair_ping, .timed = true}, {.step = pair_pong}}}},
    .figures = {{"latency_us", "t: time of a round trip / 2"},
                {"throughput_MBps", "n / t"},
                {"r_inf_MBps", "t(n) = (n + n_half) / r_inf"},
                {"overhead_us", "t0 = n_half / r_inf"},
                {"pi0_Hz", "pi0 = 1 / t0"}},
    .plots = {{"latency_us", "size_bytes"}, {"throughput_MBps", "size_bytes"}},
    .counterpart = {.benchmark = "oneway",
                    .mode = "pingpong",
                    .rate = "of one direction",
                    .relation =
                        "1.1 and COMMS1 measure the same: a message is sent and returned at "
                        "once, and t is half of the round trip. The time, the startup time t0 "
                        "and r_inf should be equal. The fit of 1.1 has as many lines as the "
                        "data show, COMMS1 has one, or two with --breakpoint: compare "
                        "parameters only where both lines cover the same sizes."},
};
