/* A victim beside an aggressor: src/congest. */
#include "congest/congest.h"
#include "engine/traffic.h"

static const cb_option own_options[] = {
    {.name = "victim",
     .type = CB_OPTION_TEXT,
     .offset = offsetof(congest_options, victim),
     .argument = "COMMAND",
     .key = "victim",
     .help = "The benchmark that is measured, and its options, as 'oneway --sizes 64'",
     .more =
         "A name without cb_, then options of that program; those that cb_congest has itself hold "
         "for both. Every measurement that they ask for is made; give --sizes and --mode to "
         "have one."},
    {.name = "aggressor",
     .type = CB_OPTION_TEXT,
     .offset = offsetof(congest_options, aggressor),
     .argument = "COMMAND",
     .key = "aggressor",
     .help = "The benchmark beside it, as 'funnel --sizes 64KiB --mode free'; or none, or busy",
     .more = "Of the measurements that its options ask for the last one, the largest, is repeated "
             "until "
             "the victim is measured. none: its ranks sleep. busy: they compute and send nothing."},
    {.name = "aggressor-placement",
     .type = CB_OPTION_CHOICE,
     .offset = offsetof(congest_options, placement),
     .argument = "HOW",
     .default_text = "interleaved",
     .choices = congest_placements,
     .key = "aggressor_placement",
     .help = "Its ranks: in turn with the victim's, or on other hosts",
     .more = "interleaved: in the launcher's order and in proportion to both numbers. apart: the "
             "victim "
             "has the first hosts, and the aggressor hosts without victims if these have enough "
             "ranks."},
    {.name = "victim-ranks",
     .type = CB_OPTION_COUNT,
     .offset = offsetof(congest_options, victim_ranks),
     .argument = "N",
     .minimum = 1,
     .maximum = 65535,
     .key = "victim_ranks",
     .help = "Number of ranks for the victim; default half of the job",
     .more = "The victim takes those of them that its options ask for; the others sleep."},
    {.name = "aggressor-ranks",
     .type = CB_OPTION_COUNT_LIST,
     .offset = offsetof(congest_options, aggressor_ranks),
     .argument = "LIST",
     .minimum = 1,
     .maximum = 65535,
     .key = "aggressor_ranks",
     .help = "Numbers of ranks for the aggressor; default all others",
     .more = "The victim is measured beside each number."},
    {.name = "aggressor-rate",
     .type = CB_OPTION_REAL,
     .offset = offsetof(congest_options, rate_hz),
     .argument = "HZ",
     .maximum = 1e9,
     .unit = "Hz",
     .key = "aggressor_rate_Hz",
     .help = "Rate at which the aggressor's steps fall due; default one after another",
     .more = "A step that is late follows at once. A farm has --rate for its events instead."},
    {.name = "aggressor-arrivals",
     .type = CB_OPTION_TEXT,
     .offset = offsetof(congest_options, arrivals),
     .argument = "PROCESS",
     .key = "aggressor_arrivals",
     .help = "How they fall due, as --arrivals of farms: bursts:100,0 is 100 at a time",
     .more = "periodic, poisson, gamma:SHAPE, bursts:LENGTH,GAP or train:FILE; default periodic."},
    {.name = "rounds",
     .type = CB_OPTION_COUNT,
     .offset = offsetof(congest_options, rounds),
     .argument = "N",
     .default_text = "5",
     .minimum = 1,
     .maximum = CONGEST_ROUNDS_MOST,
     .key = "rounds",
     .help = "Number of phases beside the aggressor, each between two phases alone",
     .more =
         "A phase is a whole measurement of the victim, of at most --max-time. The interval of an "
         "impact needs two."},
};

const benchmark cb_congest = {
    .name = "congest",
    .id = "congest",
    .label = "congestion",
    .title = "a benchmark beside another one",
    .description =
        "Measures how much a benchmark, the victim, suffers from another one, the aggressor, on "
        "other ranks of the same job: alone, beside the aggressor, and alone again, several times. "
        "The impact is the ratio of the victim's times beside the aggressor and alone, of the mean "
        "and "
        "of percentiles, with its interval.\n\nThe aggressor's throughput in that time is "
        "reported as well. A victim beside one that sends nothing (busy) shows what sharing cores "
        "costs.",
    .group = "congestion",
    .pattern = "congestion",
    .counted = &counted_job,
    .roles = {{"node", BENCH_COUNT, BENCH_OTHERS, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "impact",
               .summary = "the victim alone, beside the aggressor, and alone again",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "1"}},
    .figures = {{"impact_mean", "mean time of a step beside the aggressor / alone"},
                {"impact_p50", "the same of the median of steps or events"},
                {"impact_p99", "the same of the 99th percentile"},
                {"impact_p99_9", "the same of the 99.9th percentile"},
                {"aggressor_MBps", "payload of the aggressor / time beside the victim"}},
    .table = {"impact_mean", "impact_p50", "impact_p99", "impact_p99_9", "aggressor_MBps"},
    .plots = {{"impact_mean", "size_bytes"}},
    .options = own_options,
    .option_count = sizeof(own_options) / sizeof(own_options[0]),
};
