/* Event building: every node reads out a fragment of each event and builds every P-th event.
 *
 *   turn      a message from each readout to each builder, in the order of --schedule; every rank
 * times its block, the longest counts */
#include "engine/traffic.h"
#include "evb/method.h"
#include "evb/options.h"
#include "evb/schedules.h"
#include "evb/unit.h"

static const cb_option own_options[] = {
    {.name = "schedule",
     .type = CB_OPTION_TEXT,
     .offset = offsetof(evb_options, schedule),
     .argument = "HOW",
     .default_text = "shift",
     .key = "schedule",
     .help = "Order of messages: none, offset, shift, barrier, or credits:N",
     .more = "none: event after event, so that all sources send to the same builder. offset: the "
             "same, each source starting with its own builder. shift: in phase k source i sends to "
             "builder i + k, which grants it and acknowledges the message. barrier: "
             "the same phases, but all ranks meet after each. credits:N: builders ask for "
             "fragments, at most N at a time."},
    {.name = "folding",
     .type = CB_OPTION_CHOICE,
     .offset = offsetof(evb_options, folding),
     .argument = "HOW",
     .default_text = "one",
     .choices = evb_foldings,
     .key = "folding",
     .help = "Processes of a unit: one with readout and builder, or one for each",
     .more = "two: the first half of the processors are readouts, the second half builders."},
    {.name = "pack",
     .type = CB_OPTION_COUNT,
     .offset = offsetof(evb_options, pack),
     .argument = "E",
     .default_text = "1",
     .minimum = 1,
     .maximum = 65536,
     .key = "pack",
     .help = "Events in a message: it has the fragments of E events",
     .more = "--sizes gives the size of a fragment."},
    {.name = "ahead",
     .type = CB_OPTION_COUNT,
     .offset = offsetof(evb_options, ahead),
     .argument = "N",
     .default_text = "2",
     .minimum = 1,
     .maximum = 4096,
     .key = "ahead",
     .help = "Schedules none and offset: unacknowledged messages of a source",
     .more = "A builder acknowledges messages of its oldest incomplete turn and of the next one."},
};

const benchmark cb_evb = {
    .name = "evb",
    .id = "evb",
    .label = "event building",
    .title = "event building, all nodes to all nodes",
    .description =
        "Measures event building without a supervisor: every unit has a readout, which "
        "has a fragment of each event, and a builder, which gets all fragments of every "
        "N-th event, N being the number of units, and reads all of their bytes. "
        "--schedule chooses who sends when, which decides how much of the links is "
        "used. A fragment from the builder's own readout is read in place and does not "
        "cross the network.\n\nBy default turns follow each other. With --rate, "
        "--load-curve or --find-rate events fall due on a common schedule, and all units "
        "begin a turn when its last event is due; the latency of an event counts from "
        "its due time.",
    .group = "basic",
    .pattern = "event-building",
    .counted = &counted_processors,
    .method = &evb_method,
    .fragments = BENCH_FIRST,
    .usual = {{4}, {8}, {16}},
    .roles = {{"node", BENCH_COUNT, BENCH_OTHERS, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "closed",
               .summary = "a turn: one message from each readout to each builder",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .roles = {{.step = evb_run_turn, .finish = evb_complete_turns, .timed = true}}}},
    .set_up = evb_set_up,
    .tear_down = evb_tear_down,
    .units = &evb_units_of_ranks,
    .options = own_options,
    .option_count = sizeof(own_options) / sizeof(own_options[0]),
    .figures = {{"round_us", "time of a turn: one message from each readout to each builder"},
                {"frequency_Hz", "N x pack / time of a turn, with N units"},
                {"throughput_MBps", "N x N x pack x size / time of a turn"},
                {"per_node_MBps", "throughput / N"},
                {"per_link_MBps",
                 "the same without fragments of the own readout: (N - 1) x pack x size / time of a "
                 "turn in units of one process"},
                {"event_latency_us",
                 "time from the opening of an event at its builder, at a rate from its due time, "
                 "until all is read"},
                {"builder_fairness", "Jain's index of the builders' rates"},
                {"source_fairness", "Jain's index of the sources' messages"}},
    .table = {"frequency_Hz", "per_node_MBps", "per_link_MBps", "event_latency_us.p99",
              "builder_fairness"},
    .bounds = {{"pairs", "stream", "what the links carry", "count",
                "2 * pack / folding / (count / folding - 2 + folding)", false}},
    .plots = {{"per_node_MBps", "processors"},
              {"frequency_Hz", "processors"},
              {"event_latency_us", "offered_Hz"}},
};
