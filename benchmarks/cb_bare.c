/* Bare results: plain MPI beside 1.1, which note 48 accepts as a supplement.
 *
 *   pingpong  MPI_Send and MPI_Recv, there and back
 *   stream    a window of MPI_Isend, received by posted MPI_Irecv
 *
 * The steps are those of 1.1 through the transport, which is measured in turn. */
#include "bare/method.h"
#include "benchmarks/pair.h"

const benchmark cb_bare = {
    .name = "bare",
    .id = "bare",
    .label = "bare MPI",
    .title = "plain MPI between two ranks, beside 1.1",
    .description =
        "Measures a plain MPI loop between two ranks, without combench's transport: "
        "the bare results that ATLAS DAQ note 48 accepts in addition to those from "
        "user to user. The pattern of benchmark 1.1 runs in turn with it, block by block, "
        "and gives the ratio of the two times: what combench adds to MPI. --verify and "
        "--emit-trace concern the messages of 1.1.",
    .group = "basic",
    .pattern = "pair",
    .counted = &counted_pair,
    .method = &bare_method,
    .usual = {{2}},
    .roles = {{"source", BENCH_ONE, BENCH_ALL, BENCH_SECOND, BENCH_HEARS_ALL},
              {"destination", BENCH_ONE, BENCH_ALL, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "pingpong",
               .summary = "a packet sent there and back; the latency is half of it",
               .figure = BENCH_LATENCY,
               .divisor = 2,
               .packets = "1",
               .roles = {{.step = pair_ping, .timed = true}, {.step = pair_pong}}},
              {.name = "stream",
               .summary = "packets one after another, limited by the window",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "1",
               .roles = {{.step = pair_stream, .finish = bench_drain, .timed = true},
                         {.step = pair_take, .finish = bench_settle}}}},
    .figures = {{"latency_us", "time of a round trip / 2"},
                {"round_us", "time of a stream / packets"},
                {"frequency_Hz", "pingpong: 1 / latency; stream: packets / time"},
                {"throughput_MBps", "packets x size / time"},
                {"over_bare", "time through combench's transport / time of plain MPI"}},
    .plots = {{"over_bare", "size_bytes"}},
};
