/* 2.3 pipeline: sources, then stages that wait for a packet from each input, run the algorithm on
 * each packet, and send one packet of the same size on; the last stage only receives.
 *
 *   event  one packet from each source has reached the last stage; timed there, from the first
 * event of a block to its last */
#include "engine/traffic.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "engine/options.h"
#include "engine/definition.h"
#include "rate/chain.h"
#include "rate/rates.h"

static cb_status feed(bench_rank *me)
{
    return bench_stream_send(me, 0);
}

/* Receive one packet from each input; acknowledge them when the event is complete. */
static cb_status receive_event(bench_rank *me)
{
    CB_TRY(bench_assemble(me));
    for (size_t input = 0; input < me->heard; input++)
        CB_TRY(bench_acknowledge(me, &me->peers[input]));
    return CB_OK;
}

static cb_status pass_event_on(bench_rank *me)
{
    CB_TRY(receive_event(me));
    return bench_stream_send(me, me->heard);
}

typedef struct {
    const char *topologies;
} pipeline_options;

static const cb_option own_options[] = {
    {.name = "topology",
     .type = CB_OPTION_TEXT,
     .offset = offsetof(pipeline_options, topologies),
     .argument = "LIST",
     .key = "topology",
     .help = "Processors of each stage, as 4-2-1,8-4-2-1",
     .more = "One measurement for each topology; default those of 4-2-1, 6-2-1 and 9-3-1 that fit "
             "the job."},
};

/* Add the default topologies that fit; the first one has to. */
static cb_status add_usual(const benchmark *definition, size_t ranks, bench_shape_list *out)
{
    for (size_t i = 0; i < BENCH_USUAL && definition->usual[i][0] > 0; i++) {
        bench_shape shape = {.stage_count = 0};

        while (shape.stage_count < BENCH_STAGES && definition->usual[i][shape.stage_count] > 0) {
            shape.stages[shape.stage_count] = definition->usual[i][shape.stage_count];
            shape.stage_count++;
        }
        if (i == 0)
            CB_TRY(shape_fits(&shape, ranks, "the smallest default topology, 4-2-1,"));
        if (shape_ranks(&shape) <= ranks)
            CB_TRY(shape_list_add(out, &shape));
    }
    return CB_OK;
}

static cb_status choose_topologies(const benchmark *definition, const bench_options *options,
                                   size_t ranks, bench_shape_list *out)
{
    const pipeline_options *own = (const void *)options->own;
    const char *at = own->topologies;

    out->count = 0;
    CB_TRY(rate_check(options));
    if (at == NULL)
        return add_usual(definition, ranks, out);
    for (;;) {
        char one[SHAPE_TEXT], what[SHAPE_TEXT + 16];
        size_t length = strcspn(at, ",");
        bench_shape shape;

        if (length >= sizeof(one)) {
            cb_error("--topology '%s': an element is too long; write it like 4-2-1,9-3-1", at);
            return CB_ERROR_USAGE;
        }
        snprintf(one, sizeof(one), "%.*s", (int)length, at);
        snprintf(what, sizeof(what), "topology %s", one);
        CB_TRY(shape_parse(one, &shape));
        CB_TRY(shape_fits(&shape, ranks, what));
        for (size_t i = 0; i < out->count; i++)
            if (shape_same(&shape, &out->shapes[i])) {
                cb_error("--topology '%s': an element is repeated; give each topology once",
                         own->topologies);
                return CB_ERROR_USAGE;
            }
        CB_TRY(shape_list_add(out, &shape));
        if (at[length] == '\0')
            return CB_OK;
        at += length + 1;
    }
}

static const bench_counting topologies = {
    .column = "topology",
    .options = {"topology"},
    .ranks = "sum(stages)",
    .of_roles = {"the first stage", "stages between", "the last stage"},
    .separator = "-",
    .choose = choose_topologies,
};

const benchmark cb_pipeline = {
    .name = "pipeline",
    .id = "2.3",
    .label = "2.3 pipeline",
    .title = "data-driven pipeline of stages",
    .description =
        "Measures a data-driven architecture (ATLAS DAQ note 48, benchmark "
        "2.3): sources send to a first stage. Each processor of a stage waits "
        "for one packet from each of its inputs, runs an algorithm on every "
        "packet and sends one of the same size to the next stage. The result is"
        " the frequency of events at the last stage.\n\nBy default sources send as fast as "
        "the window allows. With --rate, --load-curve or --find-rate all sources issue "
        "events on a common schedule; the latency of an event counts from its scheduled "
        "time to its arrival at the last stage.",
    .group = "farm",
    .pattern = "pipeline",
    .counted = &topologies,
    .usual = {{4, 2, 1}, {6, 2, 1}, {9, 3, 1}},
    .fragments = BENCH_FIRST | BENCH_SECOND,
    .roles = {{"source", BENCH_COUNT, BENCH_CHAIN, 0, 0},
              {"stage", BENCH_COUNT, BENCH_CHAIN, 0, 0},
              {"last stage", BENCH_COUNT, BENCH_CHAIN, 0, 0}},
    .modes = {{.name = "event",
               .summary = "one packet from each source, through all stages",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "count",
               .roles = {{.begin = feed, .step = feed, .finish = bench_drain},
                         {.begin = pass_event_on, .step = pass_event_on, .finish = bench_relay},
                         {.begin = receive_event,
                          .step = receive_event,
                          .finish = bench_settle,
                          .timed = true,
                          .starts_after_begin = true,
                          .ends_before_finish = true}}}},
    .method = &chain_method,
    .options = own_options,
    .option_count = sizeof(own_options) / sizeof(own_options[0]),
    .figures = {{"frequency_Hz", "events / time, at the last stage"},
                {"round_us", "time from one event to the next"},
                {"throughput_MBps",
                 "packets that the last stage receives per event x size x frequency"},
                {"event_latency_us",
                 "at a rate: time from the scheduled time of an event to its arrival at the last "
                 "stage"},
                {"found_Hz", "--find-rate: the highest rate that holds the deadline"}},
    .table = {"frequency_Hz", "event_latency_us.p99"},
    .plots = {{"frequency_Hz", "topology"}, {"event_latency_us", "offered_Hz"}},
};
