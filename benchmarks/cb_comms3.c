/* Parkbench COMMS3: each of p processors sends to all others at the same time.
 *
 * saturate  a processor sends p - 1 messages, to the next one first, and receives one from each;
 *           every processor times its block, the longest counts; t = time of a round / (p (p - 1))
 *
 * t(n) = (n + n_half) / r_inf, where r_inf is the total saturation bandwidth; startup t0 = n_half /
 * r_inf, pi0 = 1 / t0; throughput = n / t, the highest of which is the maximum observed; a
 * processor's share of r_inf and of the maximum is a p-th */
#include "engine/benchmark.h"

static cb_status send_to_all_and_receive(bench_rank *me)
{
    for (size_t peer = 0; peer < me->peer_count; peer++)
        CB_TRY(bench_send(me, peer));
    return bench_assemble(me);
}

static const bench_definition comms3 = {
    .name = "comms3",
    .id = "COMMS3",
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
    .counted = BENCH_PROCESSORS,
    .fit = true,
    .parkbench = true,
    .roles = {{"node", BENCH_COUNT, BENCH_OTHERS, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "saturate",
               .summary = "a message to every other processor and one from each",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = bench_packets_among_all,
               .roles = {{.step = send_to_all_and_receive, .timed = true}}}},
};

int main(int argc, char **argv)
{
    return bench_main(&comms3, argc, argv);
}
