/* 2.2 pull farm: the supervisor assigns the sources of each event to a destination, in turn. The
 * destination requests the fragments, collects them, runs the algorithm on each and sends a
 * decision to the supervisor. It accepts further assignments while it waits for fragments. */
#include "farm/farm.h"
#include "farm/options.h"

static cb_status assign(bench_rank *me)
{
    return farm_send_message(me, FARM_DESTINATION, farm_next_destination(me),
                             (farm_message){.event = farm_next_event(me),
                                            .first = 0,
                                            .count = (uint32_t)farm_source_count(me)});
}

static cb_status answer(bench_rank *me, size_t from, transport_buffer *buffer)
{
    farm_message message;

    CB_TRY(farm_read_message(me, from, buffer, &message));
    return farm_send_fragment(me, farm_index_of(me, from, FARM_DESTINATION), message.event);
}

static cb_status fetch(bench_rank *me, size_t from, transport_buffer *buffer)
{
    farm_message message;

    CB_TRY(farm_read_assignment(me, from, buffer, &message));
    for (uint32_t source = message.first; source < message.first + message.count; source++)
        CB_TRY(farm_send_message(me, FARM_SOURCE, source, (farm_message){.event = message.event}));
    return CB_OK;
}

/* The supervisor is the first of the peers. */
static cb_status fetch_or_collect(bench_rank *me, size_t from, transport_buffer *buffer)
{
    return from == 0 ? fetch(me, from, buffer) : farm_accept_fragment(me, from, buffer);
}

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
                   "scheduled time.",
    .group = BENCH_GROUP_FARM,
    .pattern = "pull-farm",
    .counted = BENCH_FARM,
    .method = &farm_method,
    .usual = {{4, 4}, {6, 6}, {8, 8}},
    .roles = {{"supervisor", BENCH_ONE, BENCH_ALL, BENCH_THIRD, BENCH_THIRD},
              {"source", BENCH_COUNT, BENCH_ALL, BENCH_THIRD, BENCH_THIRD},
              {"destination", BENCH_COUNT, BENCH_ALL, BENCH_FIRST | BENCH_SECOND,
               BENCH_FIRST | BENCH_SECOND}},
    .modes = {{.name = "closed",
               .summary = "one event, from its assignment to its decision",
               .packets = BENCH_PACKETS_EACH,
               .roles = {{.step = assign, .timed = true},
                         {.react = answer},
                         {.react = fetch_or_collect}}}},
    .choose_shapes = farm_choose_shapes,
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
               {"oneway", "stream", "what a source can send", "2", "1", false}},
};
