/* 2.2 pull farm: the supervisor sends the addresses of the sources of each event to a destination,
 * in turn. The destination requests the fragments, collects them, runs the algorithm on each and
 * sends a decision to the supervisor. It accepts further addresses while it waits for fragments.
 *
 * The supervisor talks to one destination at a time, so the group send that --supervisor multicast
 * chooses is the destination's: its request to all sources. */
#include "farm/farm.h"
#include "farm/options.h"

static cb_status answer(bench_rank *me, size_t from, transport_buffer *buffer)
{
    farm_message message;

    CB_TRY(farm_read_message(me, from, buffer, &message));
    return farm_send_fragment(me, farm_index_of(me, from, FARM_DESTINATION), message.event);
}

/* The supervisor is the first of the peers. */
static cb_status fetch_or_collect(bench_rank *me, size_t from, transport_buffer *buffer)
{
    return from == 0 ? farm_request_fragments(me, from, buffer)
                     : farm_accept_fragment(me, from, buffer);
}

static const cb_option own_options[] = {
    FARM_SUPERVISOR_ROW(
        "How a destination, told by the supervisor, asks the sources of an event",
        "loop: by a loop of sends. multicast: by the technology's own multicast to all sources; "
        "rows "
        "then have multicast technology. The supervisor itself tells one destination at a time."),
    {.name = "fetch",
     .type = CB_OPTION_TEXT,
     .offset = offsetof(farm_own_options, fetch),
     .argument = "N",
     .key = "fetch",
     .help = "Sources that have data of an event: all (default), a number, or a fraction as 0.25",
     .more = "Fewer than all are drawn for each event by --seed, as a region of interest touches a "
             "part of the readout. The supervisor names the sources in control messages of 16 "
             "bytes, 32 of them in one."},
    {.name = "accept",
     .type = CB_OPTION_TEXT,
     .offset = offsetof(farm_own_options, accept),
     .argument = "F",
     .key = "accept",
     .help = "Request an event in two steps; a fraction F of events goes on to the second",
     .more = "The first step requests the data of the sources that --fetch draws, by default a "
             "quarter of them. If the first part of the event is accepted, which --seed draws with "
             "the probability F, the destination requests the data of all other sources. It runs "
             "the algorithm on each packet and decides after the last step."},
};

const benchmark cb_pullfarm = {
    .name = "pullfarm",
    .id = "2.2",
    .label = "2.2 pull farm",
    .title = "pull farm with supervisor",
    .description = "Measures a trigger farm, or event builder (ATLAS DAQ note 48, "
                   "benchmark 2.2): a supervisor assigns each event to a destination, in "
                   "turn; the destination requests the data packets of its sources, runs "
                   "an algorithm on each and sends a decision to the supervisor.\n\nA "
                   "closed loop (default) keeps --in-flight events in the farm and gives "
                   "the highest frequency. An open loop (--rate, --load-curve, "
                   "--find-rate) issues events on a schedule; the latency counts from the "
                   "scheduled time. Only the open loop is free of feedback, as note 48 has it: in "
                   "the closed loop a decision lets the supervisor issue the next event.",
    .group = "farm",
    .pattern = "pull-farm",
    .counted = &farm_counted,
    .method = &farm_method,
    .usual = {{4, 4}, {6, 6}, {8, 8}},
    .fragments = BENCH_SECOND,
    .roles = {{"supervisor", BENCH_ONE, BENCH_ALL, BENCH_THIRD, BENCH_THIRD},
              {"source", BENCH_COUNT, BENCH_ALL, BENCH_THIRD, BENCH_THIRD},
              {"destination", BENCH_COUNT, BENCH_ALL, BENCH_FIRST | BENCH_SECOND,
               BENCH_FIRST | BENCH_SECOND}},
    .modes = {{.name = "closed",
               .summary = "one event, from its assignment to its decision",
               .packets = "count",
               .roles = {{.step = farm_send_addresses, .timed = true},
                         {.react = answer},
                         {.react = fetch_or_collect}}}},
    .options = own_options,
    .option_count = sizeof(own_options) / sizeof(own_options[0]),
    .figures =
        {{"frequency_Hz", "decisions / time"},
         {"throughput_MBps",
          "S x size x frequency; with --fetch, of the sources of an event; with --accept, of "
          "their mean number"},
         {"event_latency_us",
          "time from the issue, or from the scheduled time, to the decision, on "
          "the supervisor's clock"},
         {"found_Hz", "--find-rate: the highest rate that holds the deadline"}},
    .table = {"frequency_Hz", "in_flight_limit", "limited_by", "event_latency_us.p99"},
    .plots = {{"frequency_Hz", "sources"}, {"event_latency_us", "offered_Hz"}},
    .bounds = {{"funnel", "event", "what the destinations can receive", "fetched", "destinations",
                false},
               {"oneway", "stream", "what a source can send", "2", "sources / fetched", false}},
};
