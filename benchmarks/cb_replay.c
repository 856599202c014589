/* A trace played on the network: src/replay. */
#include "engine/traffic.h"
#include "replay/replay.h"

static const cb_option own_options[] = {
    {.name = "trace",
     .type = CB_OPTION_OPERAND,
     .scope = BENCH_TAKES_OWN,
     .offset = offsetof(replay_options, path),
     .file = CB_FILE_READ,
     .argument = "FILE",
     .key = "trace",
     .help = "The trace to play (.cct)",
     .more = "Read by rank 0, and sent to the others before the first play."},
    {.name = "calibration",
     .type = CB_OPTION_TEXT,
     .scope = BENCH_TAKES_OWN,
     .offset = offsetof(replay_options, calibration),
     .file = CB_FILE_READ,
     .argument = "FILE",
     .key = "calibration",
     .help = "Report slowdowns of messages against this quiet network",
     .more = "A file of ccmod calibrate."},
    {.name = "records",
     .type = CB_OPTION_COUNT,
     .scope = BENCH_TAKES_OWN,
     .offset = offsetof(replay_options, records_most),
     .argument = "N",
     .default_text = "16777216",
     .minimum = 1,
     .maximum = 4294967295.0,
     .key = "records_most",
     .help = "Maximum number of records of a rank, with loops unrolled",
     .more = "A record takes 16 bytes."},
};

const benchmark cb_replay = {
    .name = "replay",
    .id = "replay",
    .label = "replay",
    .title = "a trace played on the network",
    .description =
        "Plays the messages, the computing and the barriers of a trace (.cct) on the network: of a "
        "trace by --emit-trace, recorded from an MPI program, or written by hand. "
        "Reports "
        "the time of a play, the times of its messages, and, where the trace has recorded times, "
        "how they compare.\n\nStart as many ranks as the trace has. A trace that cannot be played "
        "is refused before anything is sent: rank 0 evaluates it first.",
    .group = "replay",
    .pattern = "replay",
    .counted = &counted_job,
    .roles = {{"node", BENCH_COUNT, BENCH_OTHERS, BENCH_FIRST, BENCH_HEARS_ALL}},
    .modes = {{.name = "play",
               .summary = "all records of the trace, once",
               .figure = BENCH_ROUND,
               .divisor = 1,
               .packets = "1"}},
    .figures = {{"play_us", "time of the slowest rank from the common start to its last record"},
                {"message_us", "end of the receive - beginning of the send, on one clock"},
                {"message_slowdown", "message_us / time on the quiet network of --calibration"},
                {"throughput_MBps", "bytes of all messages / play_us"}},
    .plots = {{"play_us", "size_bytes"}},
    .table = {"play_us", "message_us.p50", "message_us.p99", "throughput_MBps"},
    .options = own_options,
    .option_count = sizeof(own_options) / sizeof(own_options[0]),
};
