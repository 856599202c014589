/* 2.1 push farm: the supervisor sends the destination of each event, in turn, to all sources. Each
 * source sends its fragment there. The destination collects the fragments, runs the algorithm on
 * each and sends a decision to the supervisor. */
#include "farm/farm.h"
#include "farm/options.h"

static cb_status push(bench_rank *me, size_t from, transport_buffer *buffer)
{
    farm_message message;

    CB_TRY(farm_read_message(me, from, buffer, &message));
    return farm_send_fragment(me, message.first, message.event);
}

static const cb_option own_options[] = {FARM_SUPERVISOR_ROW(
    "How the supervisor tells the sources of an event",
    "loop: by a loop of sends. multicast: by the technology's own multicast; rows then have "
    "multicast technology.")};

const benchmark cb_pushfarm = {
    .name = "pushfarm",
    .id = "2.1",
    .label = "2.1 push farm",
    .title = "push farm with supervisor",
    .description = "Measures a trigger farm, or event builder (ATLAS DAQ note 48, "
                   "benchmark 2.1): a supervisor sends the destination of each event, in "
                   "turn, to all sources; these send their data packets to it; it runs an "
                   "algorithm on each and sends a decision to the supervisor.\n\nA closed "
                   "loop (default) keeps --in-flight events in the farm and gives the "
                   "highest frequency. An open loop (--rate, --load-curve, --find-rate) "
                   "issues events on a schedule; the latency counts from the scheduled "
                   "time. Only the open loop is free of feedback, as note 48 has it: in the closed "
                   "loop a decision lets the supervisor issue the next event.",
    .group = "farm",
    .pattern = "push-farm",
    .counted = &farm_counted,
    .method = &farm_method,
    .usual = {{4, 4}, {6, 6}, {8, 8}},
    .fragments = BENCH_SECOND,
    .roles = {{"supervisor", BENCH_ONE, BENCH_ALL, BENCH_SECOND | BENCH_THIRD, BENCH_THIRD},
              {"source", BENCH_COUNT, BENCH_ALL, BENCH_FIRST | BENCH_THIRD, BENCH_FIRST},
              {"destination", BENCH_COUNT, BENCH_ALL, BENCH_FIRST | BENCH_SECOND, BENCH_SECOND}},
    .modes = {{.name = "closed",
               .summary = "one event, from its assignment to its decision",
               .packets = "count",
               .roles = {{.step = farm_send_assignment, .timed = true},
                         {.react = push},
                         {.react = farm_accept_fragment}}}},
    .options = own_options,
    .option_count = sizeof(own_options) / sizeof(own_options[0]),
    .figures = {{"frequency_Hz", "decisions / time"},
                {"throughput_MBps", "S x size x frequency"},
                {"event_latency_us",
                 "time from the issue, or from the scheduled time, to the decision, on "
                 "the supervisor's clock"},
                {"found_Hz", "--find-rate: the highest rate that holds the deadline"}},
    .table = {"frequency_Hz", "in_flight_limit", "limited_by", "event_latency_us.p99"},
    .plots = {{"frequency_Hz", "sources"}, {"event_latency_us", "offered_Hz"}},
    .bounds = {{"funnel", "event", "what the destinations can receive", "sources", "destinations",
                false},
               {"oneway", "stream", "what a source can send", "2", "1", false},
               {"outfarm", "stream", "what a supervisor can send to {sources} sources", "sources",
                "1", true}},
};
