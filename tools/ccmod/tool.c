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
    "The workload cannot end (a deadlock, a message that nobody receives), or the system refused "
    "something; the reason is on standard error.",
    "2",
    "Wrong before the evaluation: an option, the trace, the network.",
    NULL,
};

cb_status tool_flush(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return CB_OK;
    cb_error("cannot write to standard output: %s; make room where it goes, or direct it to "
             "another place",
             strerror(errno));
    return CB_ERROR_SYSTEM;
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
static const char *const shares[] = {"bottleneck", "maxmin", "fifo", NULL};
static const char *const run_formats[] = {"text", "json", NULL};
static const char *const timeline_formats[] = {"perfetto", "paje", "svg", NULL};
static const char *const knee_formats[] = {"text", "csv", "json", "svg", NULL};

/* clang-format off */
static const cb_option rows[] = {
    {.name = "TRACE",
     .type = CB_OPTION_OPERAND,
     .offset = FIELD(trace),
     .argument = "TRACE",
     .key = "trace",
     .help = "The trace, a file in the format .cct; - is standard input"},
    {.name = "network",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(network),
     .argument = "NETWORK",
     .default_text = "crossbar",
     .key = "network",
     .help = "The network; ccmod info lists those that are known"},
    {.name = "calibration",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(calibration),
     .argument = "FILE",
     .key = "calibration",
     .help = "The quiet network, as ccmod calibrate writes it; hop-us, gap-us, eager-bytes and "
             "barrier-us, where given, go before what the file says"},
    {.name = "overhead-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(overhead_us),
     .argument = "X",
     .default_text = "1",
     .maximum = 1e9,
     .unit = "us",
     .key = "overhead_us",
     .help = "A message on the quiet network takes X + Y + bytes / Z: what its sender spends on it"},
    {.name = "latency-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(latency_us),
     .argument = "Y",
     .default_text = "1",
     .maximum = 1e9,
     .unit = "us",
     .key = "latency_us",
     .help = "the latency"},
    {.name = "bandwidth-MBps",
     .type = CB_OPTION_REAL,
     .offset = FIELD(bandwidth_MBps),
     .argument = "Z",
     .default_text = "1000",
     .minimum = 1e-6,
     .maximum = 1e12,
     .key = "bandwidth_MBps",
     .help = "and the bandwidth in MB/s. Measure them: cb_oneway fits all three; the defaults are "
             "round numbers"},
    {.name = "eager-bytes",
     .type = CB_OPTION_SIZE,
     .offset = FIELD(eager_bytes),
     .argument = "BYTES",
     .default_text = "0",
     .maximum = 0x1p53,
     .key = "eager_bytes",
     .help = "In mode split a send of fewer bytes does not wait for its receive"},
    {.name = "hop-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(hop_us),
     .argument = "US",
     .default_text = "0",
     .maximum = 1e9,
     .unit = "us",
     .key = "hop_us",
     .help = "Latency added for each link of a route beyond the second"},
    {.name = "gap-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(gap_us),
     .argument = "US",
     .default_text = "0",
     .maximum = 1e9,
     .unit = "us",
     .key = "gap_us",
     .help = "A message occupies its links for so long at least"},
    {.name = "barrier-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(barrier_us),
     .argument = "US",
     .default_text = "0",
     .maximum = 1e9,
     .unit = "us",
     .key = "barrier_us",
     .help = "A barrier's time from the last arrival to the release"},
    {.name = "mode",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(mode),
     .argument = "MODE",
     .default_text = "split",
     .choices = modes,
     .key = "mode",
     .help = "paper stretches all of a message's time by contention, as the article does; split "
             "stretches the bytes alone"},
    {.name = "share",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(share),
     .argument = "RULE",
     .default_text = "bottleneck",
     .choices = shares,
     .key = "share",
     .help = "How messages share links: by the article's rule, in which the most contended link "
             "decides, by max-min fairness, or one packet after the other (fifo)"},
    {.name = "background",
     .type = CB_OPTION_TEXT,
     .scope = RUN,
     .offset = FIELD(background),
     .argument = "LOAD",
     .default_text = "none",
     .key = "background",
     .help = "Load of others on each link, 0 to 0.99: none; 0.3; exp:0.3, drawn anew for each link "
             "and interval with this mean; best-average-worst:0.3, three evaluations"},
    {.name = "background",
     .type = CB_OPTION_TEXT,
     .scope = TIMELINE | SIGNALS,
     .offset = FIELD(background),
     .argument = "LOAD",
     .default_text = "none",
     .key = "background",
     .help = "Load of others on each link, 0 to 0.99: none; 0.3; exp:0.3, drawn anew for each link "
             "and interval with this mean"},
    {.name = "background",
     .type = CB_OPTION_TEXT,
     .scope = KNEE,
     .offset = FIELD(background),
     .argument = "LOAD",
     .default_text = "0.3",
     .key = "background",
     .help = "The load of others that the second curve is with, 0 to 0.99: 0.3; exp:0.3, drawn anew "
             "for each link and interval with this mean; none, for the first curve alone"},
    {.name = "background-interval-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(background_interval_us),
     .argument = "US",
     .default_text = "1000",
     .minimum = 1,
     .maximum = 1e12,
     .unit = "us",
     .key = "background_interval_us",
     .help = "How long a drawn load stays"},
    {.name = "seed",
     .type = CB_OPTION_COUNT,
     .offset = FIELD(seed),
     .argument = "N",
     .default_text = "1",
     .maximum = 4294967295.0,
     .key = "seed",
     .help = "Seed of drawn loads, and of the trace's distributions"},
    {.name = "until-us",
     .type = CB_OPTION_REAL,
     .scope = RUN,
     .offset = FIELD(until_us),
     .argument = "US",
     .minimum = 1e-3,
     .maximum = 1e15,
     .unit = "us",
     .key = "until_us",
     .help = "End the evaluation at this time of the model; without it, with the trace"},
    {.name = "rate-of",
     .type = CB_OPTION_COUNT,
     .scope = RUN,
     .offset = FIELD(rate_of),
     .argument = "RANK",
     .maximum = 4294967294.0,
     .help = "Say how many messages a second this rank receives, with its 95 % interval"},
    {.name = "round",
     .type = CB_OPTION_COUNT,
     .scope = RUN,
     .offset = FIELD(rate_round),
     .argument = "N",
     .default_text = "1",
     .minimum = 1,
     .maximum = 1e9,
     .key = "round",
     .help = "The receives of --rate-of come in rounds of so many, as decisions do from a farm's "
             "destinations; the interval is made of whole rounds"},
    {.name = "precision",
     .type = CB_OPTION_REAL,
     .scope = RUN,
     .offset = FIELD(precision_pct),
     .argument = "PCT",
     .minimum = 0.01,
     .maximum = 50,
     .unit = "%",
     .key = "precision_pct",
     .help = "End the evaluation once the interval of --rate-of reaches so far to either side; not "
             "before that rank has received 1000 messages, and 4 for each rank of the trace"},
    {.name = "double",
     .type = CB_OPTION_FLAG,
     .scope = RUN,
     .offset = FIELD(doubled),
     .key = "double",
     .help = "Evaluate once more with the bottleneck twice as wide, and say what that gains"},
    {.name = "check",
     .type = CB_OPTION_FLAG,
     .scope = RUN,
     .offset = FIELD(check),
     .help = "Evaluate nothing and print nothing: only say what is wrong with the options, with what "
             "they name, and with how the trace is written. What shows as records are carried "
             "out, such as sizes that differ or a deadlock, is not seen. Status 0: nothing is "
             "wrong; 2: something"},
    {.name = "format",
     .type = CB_OPTION_CHOICE,
     .scope = RUN,
     .offset = FIELD(format),
     .argument = "FORM",
     .choices = run_formats,
     .help = "Form of the result: text, or json (combench-model/1); without it text, or json with "
             "--output"},
    {.name = "format",
     .type = CB_OPTION_CHOICE,
     .scope = TIMELINE,
     .offset = FIELD(format),
     .argument = "FORM",
     .default_text = "perfetto",
     .choices = timeline_formats,
     .help = "Form of the timeline: perfetto, for ui.perfetto.dev; paje, for ViTE; svg, a picture"},
    {.name = "format",
     .type = CB_OPTION_CHOICE,
     .scope = KNEE,
     .offset = FIELD(format),
     .argument = "FORM",
     .default_text = "text",
     .choices = knee_formats,
     .help = "Form of the curves: text, csv, json (combench-knee/1), or svg, a picture"},
    {.name = "from-us",
     .type = CB_OPTION_REAL,
     .scope = TIMELINE,
     .offset = FIELD(from_us),
     .argument = "US",
     .default_text = "0",
     .maximum = 1e15,
     .unit = "us",
     .help = "Begin the timeline there"},
    {.name = "to-us",
     .type = CB_OPTION_REAL,
     .scope = TIMELINE,
     .offset = FIELD(to_us),
     .argument = "US",
     .default_text = "1e15",
     .maximum = 1e15,
     .unit = "us",
     .help = "End the timeline there, or with the last processor. What is outside is left out"},
    {.name = "points",
     .type = CB_OPTION_COUNT,
     .scope = KNEE,
     .offset = FIELD(points),
     .argument = "N",
     .default_text = "20",
     .minimum = 2,
     .maximum = 1000,
     .key = "points",
     .help = "Evaluate so many loads, up to twice the knee"},
    {.name = "output",
     .type = CB_OPTION_TEXT,
     .scope = RUN,
     .offset = FIELD(output),
     .argument = "FILE",
     .help = "Write the result there, and the text form to standard output"},
    {.name = "output",
     .type = CB_OPTION_TEXT,
     .scope = TIMELINE | KNEE | SIGNALS,
     .offset = FIELD(output),
     .argument = "FILE",
     .help = "Write there instead of to standard output"},
    {.name = "help", .type = CB_OPTION_ACTION, .help = "Print this text"},
    {.name = "manual", .type = CB_OPTION_ACTION, .help = "Print the manual page's source"},
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
        "Evaluates what the processors of TRACE do on a network, and prints the clock of each at "
        "the end of its trace, how it spent its time, how far the links are used, and which one "
        "limits the whole.\n\n"
        "The quiet network is described by a calibration file or by three numbers; they must be "
        "fitted to measurements, never taken from a data sheet.",
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
        "Evaluates TRACE as ccmod run does, and writes what every processor does from the "
        "beginning to the end (compute, send, receive, wait; idle, when others go on), and each "
        "message from its start to its arrival with the contention that it met: as a trace for a "
        "viewer, or as a picture.",
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
        "Evaluates TRACE again and again, with all of its computing times shortened or stretched, "
        "so that the processors offer the network more or less, and prints what the busiest link "
        "carries then, in packets/s. While the processors limit, it carries what is offered; when "
        "they compute nothing, it carries all that the network can: the knee is where both "
        "meet.\n\n"
        "A second curve shows the same with the background load of others.",
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
        "Evaluates TRACE as ccmod run does, horizon by horizon, and prints all signals on the way, "
        "one a line: the clock in us, the signal's name, and what it says. The fifteen signals are "
        "described in docs/model.md.",
    .synopsis = "ccmod signals [OPTION]... TRACE",
    .exit_statuses = tool_exit_statuses,
    .options = rows,
    .option_count = ROWS,
    .mask = SIGNALS,
    .name_owners = name_owners,
};
