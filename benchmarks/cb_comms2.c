/* Parkbench COMMS2: two nodes send to each other at the same time, and return what they received.
 *
 *   exchange  four messages: one each way, and one each way back; every node times its block, the
 *             longer counts */
#include "engine/traffic.h"
#include "parkbench/method.h"

/* The returned message is a new one with the same bytes, since all messages of a timed pass have
 * the same content. */
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
    .description = "Measures communication in both directions at once as Parkbench's "
                   "COMMS2: each of two nodes sends a message of n bytes to the other and "
                   "returns the one it receives; t(n) is a quarter of the time. Fits t(n) "
                   "= (n + n_half) / r_inf, in two parts with --breakpoint; also reported "
                   "are t0 = n_half / r_inf and pi0 = 1 / t0.\n\nFirst TICK1 and TICK2 "
                   "check the clock; if they fail, nothing is measured. Without --sizes a "
                   "sweep to 1 MiB is added.",
    .group = "parkbench",
    .pattern = "exchange",
    .counted = &counted_pair,
    .usual = {{2}},
    .fit = &parkbench_fit,
    .method = &parkbench_method,
    .options = parkbench_own_options,
    .option_count = PARKBENCH_OWN_OPTIONS,
    .options_after = "correlation",
    .roles = {{"node", BENCH_COUNT, BENCH_OTHERS, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "exchange",
               .summary = "a message each way, both returned; the latency is a quarter of it",
               .figure = BENCH_LATENCY,
               .divisor = 4,
               .packets = "1",
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
                        "In an exchange of 1.2 each node sends one message and receives one. In"
                        " COMMS2 each node also returns the message, so a step is two "
                        "exchanges, and t is a quarter of its time: half of the exchange of "
                        "1.2. The figures of 1.2 are shown halved, as t, and should then be "
                        "equal; its t0 is halved and its r_inf doubled."},
};
