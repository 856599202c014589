/* Parkbench COMMS1: ping-pong between a master and a slave.
 *
 * pingpong  the master sends a message, the slave returns it at once */
#include "engine/benchmark.h"

static cb_status send_and_await(bench_rank *me)
{
    return bench_serve(me, 0);
}

static cb_status send_back(bench_rank *me)
{
    return bench_bounce(me, 0);
}

const benchmark cb_comms1 = {
    .name = "comms1",
    .id = "COMMS1",
    .label = "Parkbench COMMS1",
    .title = "Parkbench: ping-pong between two nodes",
    .description =
        "Measures the basic communication of two nodes as Parkbench's COMMS1 does: a message goes "
        "from a master to a slave, which returns it at once, and half of the round trip is the "
        "time t of a message of n bytes. t(n) = (n + n_half) / r_inf is fitted to the sizes, with "
        "a line on either side of --breakpoint where it is given; the startup time is t0 = n_half "
        "/ r_inf, and pi0 = 1 / t0.\n\n"
        "TICK1 and TICK2, which try the resolution and the truth of the clock, come first, and "
        "nothing is measured where they fail. Without --sizes a short sweep to 1 MiB is added.",
    .group = BENCH_GROUP_PARKBENCH,
    .pattern = "pair",
    .counted = BENCH_PAIR_ONLY,
    .usual = {{2}},
    .fit = true,
    .roles = {{"source", BENCH_ONE, BENCH_ALL, BENCH_SECOND, BENCH_HEARS_ALL},
              {"destination", BENCH_ONE, BENCH_ALL, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "pingpong",
               .summary = "a message there and back; the latency is half of it",
               .figure = BENCH_LATENCY,
               .divisor = 2,
               .packets = BENCH_PACKETS_ONE,
               .roles = {{.step = send_and_await, .timed = true}, {.step = send_back}}}},
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
                        "1.1 and COMMS1 agree: a message goes there and comes back at once, and t "
                        "is half of the round trip. The time, the startup t0 and r_inf should be "
                        "equal. 1.1 takes as many lines for its fit as the data show, COMMS1 one, "
                        "or two with --breakpoint: parameters can only agree where both have the "
                        "same sizes below a line."},
};
