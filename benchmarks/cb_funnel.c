/* 1.7 funnel: S sources to one destination.
 *
 *   event     one packet from each source makes an event; the destination starts the block and
 * times it to the last packet; sources are ahead by at most the window free      sources are not
 * synchronised: a step is any S packets; the share of a source is counted until the first source
 * has sent its whole block */
#include "engine/traffic.h"
#include "occupation/method.h"

/* Each block starts with another source, which fills its window before the others, so that no
 * source gets a larger share. */
static cb_status release_sources(bench_rank *me)
{
    for (size_t i = 0; i < me->peer_count; i++)
        CB_TRY(bench_signal(me, &me->peers[(me->blocks + i) % me->peer_count]));
    return CB_OK;
}

static cb_status await_release(bench_rank *me)
{
    return bench_await_signal(me, &me->peers[0]);
}

static cb_status feed(bench_rank *me)
{
    return bench_stream_send(me, 0);
}

static cb_status build_event(bench_rank *me)
{
    CB_TRY(bench_assemble(me));
    for (size_t peer = 0; peer < me->peer_count; peer++)
        CB_TRY(bench_acknowledge(me, &me->peers[peer]));
    return CB_OK;
}

static cb_status take_any(bench_rank *me)
{
    for (size_t i = 0; i < me->peer_count; i++) {
        const uint64_t lost = me->received.lost;
        bench_peer *from;

        CB_TRY(bench_receive_any(me, &from));
        bench_count_share(me, from, me->received.lost == lost);
        CB_TRY(bench_acknowledge(me, from));
    }
    return CB_OK;
}

const benchmark cb_funnel = {
    .name = "funnel",
    .id = "1.7",
    .label = "1.7 funnel",
    .title = "many sources, one destination",
    .description = "Measures event building, also known as incast (ATLAS DAQ note 48, "
                   "benchmark 1.7): the destination receives a packet from each source and"
                   " assembles them into an event. In mode free the sources are not "
                   "synchronised, and the share of each is reported. One source is "
                   "measured first, as the reference of the shortfall in packet rate.",
    .group = "basic",
    .pattern = "many-to-one",
    .counted = &counted_sources,
    .overlap = &occupation_method,
    .usual = {{4}, {8}, {16}},
    .ratio = {.column = REPORT_SHORTFALL_PCT,
              .meaning = "missing percentage of the packet rate at the reference",
              .formula = "100 * (1 - count / reference * reference_us / step_us)",
              .title = "Shortfall of a",
              .caption = "Percentage by which the packet rate at the destination is below that "
                         "from one source. No packet is lost by it.",
              .reference = 1},
    .fragments = BENCH_SECOND,
    .roles = {{"destination", BENCH_ONE, BENCH_ALL, BENCH_SECOND, BENCH_HEARS_ALL},
              {"source", BENCH_COUNT, BENCH_ALL, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes =
        {{.name = "event",
          .summary = "one packet from each source, assembled into an event",
          .figure = BENCH_ROUND,
          .divisor = 1,
          .packets = "count",
          .roles =
              {{.begin = release_sources,
                .step = build_event,
                .finish = bench_settle,
                .timed = true,
                .ends_before_finish = true},
               {.begin = await_release, .step = feed, .finish = bench_drain, .by_threads = true}}},
         {.name = "free",
          .summary = "any packets, whichever source they come from",
          .figure = BENCH_ROUND,
          .divisor = 1,
          .packets = "count",
          .roles =
              {{.begin = release_sources,
                .step = take_any,
                .finish = bench_settle,
                .timed = true,
                .ends_before_finish = true},
               {.begin = await_release, .step = feed, .finish = bench_drain, .by_threads = true}}}},
    .figures = {{"round_us",
                 "time of an event: one packet from each source; in mode free S packets"},
                {"frequency_Hz", "1 / time of an event"},
                {"throughput_MBps", "S x size / time of an event"},
                {"shortfall_pct", "missing percentage of the packet rate of one source"},
                {"shares", "mode free: packets of a source / packets, until the first source has "
                           "sent its block"}},
    .table = {"frequency_Hz", "throughput_MBps", "shortfall_pct"},
    .plots = {{"frequency_Hz", "sources"}, {"shortfall_pct", "sources"}},
};
