/* 2.3 pipeline: sources send to stages that each synchronise what they get, run the algorithm on
 * every packet and send a packet of the same size on; the last stage only takes.
 *
 * event  one packet from each source has made its way to the last stage; timed there, from the
 * first event of a block to its last
 *
 * frequency = events per second; throughput = packets that the last stage takes for an event x size
 * x frequency */
#include "engine/benchmark.h"

static cb_status feed(bench_rank *me)
{
    return bench_stream_send(me, 0);
}

/* One packet from each input; acknowledged when the event is complete. */
static cb_status take_event(bench_rank *me)
{
    CB_TRY(bench_assemble(me));
    for (size_t input = 0; input < me->heard; input++)
        CB_TRY(bench_acknowledge(me, &me->peers[input]));
    return CB_OK;
}

static cb_status pass_event_on(bench_rank *me)
{
    CB_TRY(take_event(me));
    return bench_stream_send(me, me->heard);
}

static const bench_definition pipeline = {
    .name = "pipeline",
    .id = "2.3",
    .title = "data-driven pipeline of synchronising stages",
    .description =
        "Measures a data-driven architecture (ATLAS DAQ note 48, benchmark 2.3): sources send to a "
        "first stage, whose processors wait for one packet from each of theirs, run an algorithm "
        "on every packet and forward one of the same size; and so on to the last stage. Only the "
        "overall frequency is measured.",
    .counted = BENCH_TOPOLOGY,
    .roles = {{"source", BENCH_COUNT, BENCH_CHAIN, 0, 0},
              {"stage", BENCH_COUNT, BENCH_CHAIN, 0, 0},
              {"last stage", BENCH_COUNT, BENCH_CHAIN, 0, 0}},
    .modes = {{.name = "event",
               .summary = "one packet from each source, through all stages",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = bench_packet_each, /* of a topology: what the last stage takes */
               .roles = {{.begin = feed, .step = feed, .finish = bench_drain},
                         {.begin = pass_event_on, .step = pass_event_on, .finish = bench_relay},
                         {.begin = take_event,
                          .step = take_event,
                          .finish = bench_settle,
                          .timed = true,
                          .starts_after_begin = true,
                          .ends_before_finish = true}}}},
};

int main(int argc, char **argv)
{
    return bench_main(&pipeline, argc, argv);
}
