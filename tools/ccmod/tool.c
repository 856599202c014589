/* Shared by all subcommands: start, errors and end; and the options of those that evaluate a trace.
 */
#include "config.h"

#include "tools/ccmod/tool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

const char *const tool_exit_statuses[] = {
    "0",
    "Done.",
    "1",
    "The workload cannot end (a deadlock, a message that no rank receives), or a system call "
    "failed; "
    "standard error has the reason.",
    "2",
    "An error before the evaluation: in an option, the trace or the network.",
    NULL,
};

cb_status tool_flush(void)
{
    return cb_streams_flush(stdout, "the output", "");
}

cb_status tool_parse(const cb_option_table *which, int argc, char **argv, void *parameters,
                     bool *given, bool *done)
{
    const cb_option *action = NULL;

    CB_TRY(cb_options_defaults(which, parameters));
    CB_TRY(cb_options_parse(which, argc, argv, parameters, given, &action));
    *done = action != NULL;
    if (action == NULL)
        return CB_OK;
    if (strcmp(action->name, "help") == 0)
        cb_options_help(which, stdout);
    else if (strcmp(action->name, "manual") == 0)
        cb_options_manual(which, CB_VERSION, CB_DATE, stdout);
    else
        printf("%s (combench) %s\n", which->program, CB_VERSION);
    return tool_flush();
}

cb_status tool_status(ccmod_status status)
{
    static const cb_status statuses[] = {
        [CCMOD_OK] = CB_OK,
        [CCMOD_ERROR_USAGE] = CB_ERROR_USAGE,
        [CCMOD_ERROR_MEMORY] = CB_ERROR_MEMORY,
        [CCMOD_ERROR_SYSTEM] = CB_ERROR_SYSTEM,
        [CCMOD_ERROR_DATA] = CB_ERROR_DATA,
        [CCMOD_ERROR_INTERRUPTED] = CB_ERROR_INTERRUPTED,
    };

    return statuses[status];
}

cb_status tool_fail(const ccmod_error *error)
{
    cb_error("%s", error->text);
    return tool_status(error->status);
}

cb_status tool_refuse(const ccmod_error *error)
{
    return tool_fail(error) == CB_ERROR_MEMORY ? CB_ERROR_MEMORY : CB_ERROR_USAGE;
}

int tool_exit(cb_status status)
{
    return cb_status_exit(status);
}

#define FIELD(name) offsetof(tool_settings, name)

enum { RUN = 1, TIMELINE = 2, KNEE = 4, SIGNALS = 8 };

static const char *const modes[] = {"split", "paper", NULL};
static const char *const shares[] = {"bottleneck", "maxmin", "fifo", "tcp", NULL};
static const char *const run_formats[] = {"text", "json", NULL};
static const char *const timeline_formats[] = {"perfetto", "paje", "svg", NULL};
static const char *const knee_formats[] = {"text", "csv", "json", "svg", NULL};

/* clang-format off */
static const cb_option rows[] = {
    {.name = "TRACE",
     .type = CB_OPTION_OPERAND,
     .offset = FIELD(trace),
     .file = CB_FILE_READ,
     .argument = "TRACE",
     .key = "trace",
     .help = "Trace in the format .cct; - for standard input"},
    {.name = "network",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(network),
     .file = CB_FILE_READ,
     .argument = "NETWORK",
     .default_text = "crossbar",
     .key = "network",
     .help = "Network; ccmod info lists those that are known"},
    {.name = "calibration",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(calibration),
     .file = CB_FILE_READ,
     .argument = "FILE",
     .key = "calibration",
     .help = "Quiet network, as written by ccmod calibrate",
     .more = "Options --hop-us, --gap-us, --eager-bytes and --barrier-us take precedence over the file."},
    {.name = "overhead-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(overhead_us),
     .argument = "X",
     .default_text = "1",
     .maximum = 1e9,
     .unit = "us",
     .key = "overhead_us",
     .help = "Time that the sender spends on a message",
     .more = "A message on the quiet network takes overhead + latency + bytes / bandwidth. cb_oneway measures all three; the defaults are round numbers."},
    {.name = "latency-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(latency_us),
     .argument = "Y",
     .default_text = "1",
     .maximum = 1e9,
     .unit = "us",
     .key = "latency_us",
     .help = "Latency of the quiet network, without the overhead"},
    {.name = "bandwidth-MBps",
     .type = CB_OPTION_REAL,
     .offset = FIELD(bandwidth_MBps),
     .argument = "Z",
     .default_text = "1000",
     .minimum = 1e-6,
     .maximum = 1e12,
     .key = "bandwidth_MBps",
     .help = "Bandwidth of the quiet network"},
    {.name = "eager-bytes",
     .type = CB_OPTION_SIZE,
     .offset = FIELD(eager_bytes),
     .argument = "BYTES",
     .default_text = "0",
     .maximum = 0x1p53,
     .key = "eager_bytes",
     .help = "Smallest send that waits for its receive, in mode split"},
    {.name = "hop-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(hop_us),
     .argument = "US",
     .default_text = "0",
     .maximum = 1e9,
     .unit = "us",
     .key = "hop_us",
     .help = "Latency of each link of a route beyond the second"},
    {.name = "gap-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(gap_us),
     .argument = "US",
     .default_text = "0",
     .maximum = 1e9,
     .unit = "us",
     .key = "gap_us",
     .help = "Shortest time that a message occupies its links"},
    {.name = "barrier-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(barrier_us),
     .argument = "US",
     .default_text = "0",
     .maximum = 1e9,
     .unit = "us",
     .key = "barrier_us",
     .help = "Time of a barrier from the last arrival to the release"},
    {.name = "mode",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(mode),
     .argument = "MODE",
     .default_text = "split",
     .choices = modes,
     .key = "mode",
     .help = "Part of a message's time that contention stretches",
     .more = "paper: all of it, as in the article. split: only the time of its bytes."},
    {.name = "share",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(share),
     .argument = "RULE",
     .choices = shares,
     .key = "share",
     .help = "Rule for sharing links; default fifo, in mode paper bottleneck",
     .more = "fifo: one packet after the other, as switches do. bottleneck: the article's rule, in which the most contended link decides. maxmin: max-min fairness. These two are slow with thousands of messages at a time. tcp: frames of TCP connections, which switches drop when their buffers are full (--buffer). A calibration may set another default."},
    {.name = "buffer",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(buffer),
     .argument = "BYTES[,shared:ALPHA]",
     .key = "buffer",
     .help = "With --share tcp, buffer of each port of a switch; default no limit",
     .more = "shared:ALPHA: all ports of the only switch share the buffer, and the queue of a port may hold up to ALPHA times what is free (dynamic threshold)."},
    {.name = "background",
     .type = CB_OPTION_TEXT,
     .scope = RUN,
     .offset = FIELD(background),
     .argument = "LOAD",
     .default_text = "none",
     .key = "background",
     .help = "Load of others on each link, 0 to 0.99; none, 0.3 or exp:0.3",
     .more = "exp:0.3 draws the load of each link and interval from an exponential distribution with this mean; see --background-interval for what that costs a message. A load may also be the mean and the maximum of a link, as exp:7000/25000packets/s. best-average-worst:0.3 makes three evaluations."},
    {.name = "background",
     .type = CB_OPTION_TEXT,
     .scope = TIMELINE | SIGNALS,
     .offset = FIELD(background),
     .argument = "LOAD",
     .default_text = "none",
     .key = "background",
     .help = "Load of others on each link, 0 to 0.99; none, 0.3 or exp:0.3",
     .more = "exp:0.3 draws the load of each link and interval from an exponential distribution with this mean; see --background-interval for what that costs a message. A load may also be the mean and the maximum of a link, as exp:7000/25000packets/s."},
    {.name = "background",
     .type = CB_OPTION_TEXT,
     .scope = KNEE,
     .offset = FIELD(background),
     .argument = "LOAD",
     .default_text = "0.3",
     .key = "background",
     .help = "Load of others in the second curve, 0 to 0.99; none, 0.3, exp:0.3",
     .more = "exp:0.3 draws the load of each link and interval from an exponential distribution with this mean; see --background-interval for what that costs a message. A load may also be the mean and the maximum of a link, as exp:7000/25000packets/s. none leaves the second curve out."},
    {.name = "background-interval-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(background_interval_us),
     .argument = "US",
     .default_text = "1000",
     .minimum = 1,
     .maximum = 1e12,
     .unit = "us",
     .key = "background_interval_us",
     .help = "Time after which a drawn load is drawn again"},
    {.name = "background-interval",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(background_interval),
     .argument = "WHEN",
     .key = "background_interval",
     .help = "When a drawn load is drawn again: evaluation, or a time such as 1ms",
     .more = "evaluation: at each evaluation of a link, as in the article, which is each event horizon or, with --share fifo, each packet served. The load then stays until the packet has passed, so that exp:0.3 slows a packet down 5.5 times on one link, 9.6 times on two; the result has the factor. A time is the same as --background-interval-us."},
    {.name = "seed",
     .type = CB_OPTION_COUNT,
     .offset = FIELD(seed),
     .argument = "N",
     .default_text = "1",
     .maximum = 4294967295.0,
     .key = "seed",
     .help = "Seed of drawn loads and of the trace's distributions"},
    {.name = "until-us",
     .type = CB_OPTION_REAL,
     .scope = RUN,
     .offset = FIELD(until_us),
     .argument = "US",
     .minimum = 1e-3,
     .maximum = 1e15,
     .unit = "us",
     .key = "until_us",
     .help = "End the evaluation at this time of the model"},
    {.name = "rate-of",
     .type = CB_OPTION_COUNT,
     .scope = RUN,
     .offset = FIELD(rate_of),
     .argument = "RANK",
     .maximum = 4294967294.0,
     .help = "Print the messages per second that this rank receives",
     .more = "With the 95 % interval."},
    {.name = "round",
     .type = CB_OPTION_COUNT,
     .scope = RUN,
     .offset = FIELD(rate_round),
     .argument = "N",
     .default_text = "1",
     .minimum = 1,
     .maximum = 1e9,
     .key = "round",
     .help = "Receives of --rate-of in a round",
     .more = "Decisions of a farm come in rounds over its destinations; the interval is made of whole rounds."},
    {.name = "precision",
     .type = CB_OPTION_REAL,
     .scope = RUN,
     .offset = FIELD(precision_pct),
     .argument = "PCT",
     .minimum = 0.01,
     .maximum = 50,
     .unit = "%",
     .key = "precision_pct",
     .help = "End when the interval of --rate-of is within +-PCT",
     .more = "Not before that rank has received 1000 messages, and 4 for each rank of the trace."},
    {.name = "double",
     .type = CB_OPTION_FLAG,
     .scope = RUN,
     .offset = FIELD(doubled),
     .key = "double",
     .help = "Evaluate again with the bottleneck twice as wide",
     .more = "Prints what that gains."},
    {.name = "check",
     .type = CB_OPTION_FLAG,
     .scope = RUN,
     .offset = FIELD(check),
     .help = "Check the options, their files and the trace; evaluate nothing",
     .more = "Errors that show only during an evaluation are not found: sizes that differ, a deadlock. Exit status 0: no error; 2: an error."},
    {.name = "format",
     .type = CB_OPTION_CHOICE,
     .scope = RUN,
     .offset = FIELD(format),
     .argument = "FORM",
     .choices = run_formats,
     .help = "Form of the result; default text, or json with --output",
     .more = "json is combench-model/1."},
    {.name = "format",
     .type = CB_OPTION_CHOICE,
     .scope = TIMELINE,
     .offset = FIELD(format),
     .argument = "FORM",
     .default_text = "perfetto",
     .choices = timeline_formats,
     .help = "Form of the timeline",
     .more = "perfetto for ui.perfetto.dev, paje for ViTE, svg for a picture."},
    {.name = "format",
     .type = CB_OPTION_CHOICE,
     .scope = KNEE,
     .offset = FIELD(format),
     .argument = "FORM",
     .default_text = "text",
     .choices = knee_formats,
     .help = "Form of the curves",
     .more = "json is combench-knee/1, svg a picture."},
    {.name = "from-us",
     .type = CB_OPTION_REAL,
     .scope = TIMELINE,
     .offset = FIELD(from_us),
     .argument = "US",
     .default_text = "0",
     .maximum = 1e15,
     .unit = "us",
     .help = "Start of the timeline"},
    {.name = "to-us",
     .type = CB_OPTION_REAL,
     .scope = TIMELINE,
     .offset = FIELD(to_us),
     .argument = "US",
     .default_text = "1e15",
     .maximum = 1e15,
     .unit = "us",
     .help = "End of the timeline; default the end of the last processor"},
    {.name = "points",
     .type = CB_OPTION_COUNT,
     .scope = KNEE,
     .offset = FIELD(points),
     .argument = "N",
     .default_text = "20",
     .minimum = 2,
     .maximum = 1000,
     .key = "points",
     .help = "Number of loads to evaluate, up to twice the knee"},
    {.name = "output",
     .type = CB_OPTION_TEXT,
     .scope = RUN,
     .offset = FIELD(output),
     .file = CB_FILE_WRITTEN,
     .argument = "FILE",
     .help = "Write the result to FILE",
     .more = "The text form goes to standard output."},
    {.name = "signals",
     .type = CB_OPTION_TEXT,
     .scope = RUN,
     .offset = FIELD(signals),
     .file = CB_FILE_WRITTEN,
     .argument = "FILE",
     .help = "Also write every signal of the evaluation to FILE, as ccmod signals does",
     .more = "This is the article's output trace. Of three evaluations of --background, the average one is written."},
    {.name = "mask",
     .type = CB_OPTION_TEXT,
     .scope = RUN | SIGNALS,
     .offset = FIELD(mask),
     .argument = "NAME,...",
     .help = "Signals to print; default all. none, horizons, or names; -NAME omits one",
     .more = "Words apply from left to right, for example NEWSCOM,UPPR_END or -CREATEEVENT,-NEWPROC. Without those of horizons the evaluation is faster. In ccmod run this applies to --signals."},
    {.name = "output",
     .type = CB_OPTION_TEXT,
     .scope = TIMELINE | KNEE | SIGNALS,
     .offset = FIELD(output),
     .file = CB_FILE_WRITTEN,
     .argument = "FILE",
     .help = "Write to FILE; default standard output"},
    {.name = "help", .type = CB_OPTION_ACTION, .help = "Print this text"},
    {.name = "manual", .type = CB_OPTION_ACTION, .help = "Print the source of the manual page"},
    {.name = "version", .type = CB_OPTION_ACTION, .help = "Print the version"},
};
/* clang-format on */

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
_Static_assert((size_t)ROWS <= (size_t)TOOL_OPTIONS, "an array `given` has room for all options");

/* List the subcommands that take an option given to another one. */
static void name_owners(const cb_option_table *table, const char *name, char *text, size_t bytes)
{
    static const struct {
        uint32_t scope;
        const char *names;
    } groups[] = {
        {RUN, "ccmod run"},
        {TIMELINE, "ccmod timeline"},
        {KNEE, "ccmod knee"},
        {~0u, "another subcommand"},
    };
    uint32_t scope = 0;
    size_t group = 0;

    for (size_t i = 0; i < table->option_count; i++)
        if (strcmp(table->options[i].name, name) == 0)
            scope |= table->options[i].scope;
    while ((scope & groups[group].scope) == 0)
        group++;
    snprintf(text, bytes, "%s", groups[group].names);
}

const cb_option_table run_options = {
    .program = "ccmod-run",
    .summary = "evaluate a trace on a network",
    .description =
        "Evaluates TRACE on a network and prints the clock of each rank at the end, how it spent "
        "its time, the use of the links, and the link that limits.\n\n"
        "The cost of a message on the quiet network comes from a calibration file or from three "
        "numbers. Fit them to measurements; do not take them from a data sheet.",
    .synopsis = "ccmod run [OPTION]... TRACE",
    .exit_statuses = tool_exit_statuses,
    .options = rows,
    .option_count = ROWS,
    .mask = RUN,
    .name_owners = name_owners,
};

const cb_option_table timeline_options = {
    .program = "ccmod-timeline",
    .summary = "write what happens when, as a space-time diagram",
    .description =
        "Evaluates TRACE as ccmod run does, and writes what every rank does (compute, send, "
        "receive, wait, idle) and each message from start to arrival with the contention that it "
        "met: for a trace viewer, or as a picture.",
    .synopsis = "ccmod timeline [OPTION]... TRACE",
    .exit_statuses = tool_exit_statuses,
    .options = rows,
    .option_count = ROWS,
    .mask = TIMELINE,
    .name_owners = name_owners,
};

const cb_option_table knee_options = {
    .program = "ccmod-knee",
    .summary = "find the load at which the network limits a trace",
    .description =
        "Evaluates TRACE with all of its computing times multiplied by factors, and prints what "
        "the busiest link carries, in packets/s, against what the ranks offer. At low load it "
        "carries what is offered; with no computing at all it carries as much as the network can. "
        "The knee is where both meet.\n\n"
        "A second curve has a background load of other traffic.",
    .synopsis = "ccmod knee [OPTION]... TRACE",
    .exit_statuses = tool_exit_statuses,
    .options = rows,
    .option_count = ROWS,
    .mask = KNEE,
    .name_owners = name_owners,
};

const cb_option_table signals_options = {
    .program = "ccmod-signals",
    .summary = "print every signal of an evaluation",
    .description =
        "Evaluates TRACE as ccmod run does, and prints every signal, one per line: the clock in "
        "us, the signal's name and its contents. docs/reference/model.md describes the fifteen "
        "signals.",
    .synopsis = "ccmod signals [OPTION]... TRACE",
    .exit_statuses = tool_exit_statuses,
    .options = rows,
    .option_count = ROWS,
    .mask = SIGNALS,
    .name_owners = name_owners,
};
