/* Parkbench COMMS2: two nodes send to each other at the same time, and return what they got.
 *
 * exchange  four messages: one each way, and one each way back; every node times its block, the
 *           longer counts */
#include "engine/benchmark.h"

/* What is returned is a message with the same bytes, as all messages of a timed pass have them. */
static cb_status exchange_and_return(bench_rank *me)
{
    CB_TRY(bench_send(me, 0));
    CB_TRY(bench_receive(me, 0));
    CB_TRY(bench_send(me, 0));
    return bench_receive(me, 0);
}

const benchmark cb_comms2 = {
    .name = "comms2",
    .id = "COMMS2",
    .label = "Parkbench COMMS2",
    .title = "Parkbench: two nodes exchange messages",
    .description =
        "Measures the communication of two nodes in both directions at once as Parkbench's COMMS2 "
        "does: each sends a message to the other and returns the one that it received. A quarter "
        "of the time of these four messages is the time t of a message of n bytes. t(n) = (n + "
        "n_half) / r_inf is fitted to the sizes, with a line on either side of --breakpoint where "
        "it is given; the startup time is t0 = n_half / r_inf, and pi0 = 1 / t0.\n\n"
        "TICK1 and TICK2, which try the resolution and the truth of the clock, come first, and "
        "nothing is measured where they fail. Without --sizes a short sweep to 1 MiB is added.",
    .group = BENCH_GROUP_PARKBENCH,
    .pattern = "exchange",
    .counted = BENCH_PAIR_ONLY,
    .usual = {{2}},
    .fit = true,
    .roles = {{"node", BENCH_COUNT, BENCH_OTHERS, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "exchange",
               .summary = "a message each way, and both returned; the latency is a quarter of it",
               .figure = BENCH_LATENCY,
               .divisor = 4,
               .packets = BENCH_PACKETS_ONE,
               .roles = {{.step = exchange_and_return, .timed = true}}}},
    .figures = {{"latency_us", "t: time of four messages / 4"},
                {"throughput_MBps", "n / t"},
                {"r_inf_MBps", "t(n) = (n + n_half) / r_inf"},
                {"overhead_us", "t0 = n_half / r_inf"},
                {"pi0_Hz", "pi0 = 1 / t0"}},
    .plots = {{"latency_us", "size_bytes"}, {"throughput_MBps", "size_bytes"}},
    .counterpart = {.benchmark = "twoway",
                    .mode = "exchange",
                    .rate = "of both directions together",
                    .relation =
                        "1.2 reports an exchange, in which each node sends one message and "
                        "receives one; COMMS2 has each return what it got, and t is a quarter of "
                        "the time of these four messages. Its step is two exchanges, so t is half "
                        "of the exchange of 1.2: the figures of 1.2 are shown halved, as t, and "
                        "should be equal then. Its t0 is halved and its r_inf doubled likewise."},
};
