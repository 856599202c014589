/* ccmod run: evaluate a trace on a network, once or for three backgrounds, and say what limits it.
 */
#include "config.h"

#include "tools/ccmod/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/units.h"
#include "report/file.h"

#define FIELD(name) offsetof(run_settings, name)

static const report_file_use prediction_use = {.what = "the prediction",
                                               .option = "--output",
                                               .instead = ", or leave it away for standard output"};

static const char *const modes[] = {"split", "paper", NULL};
static const char *const shares[] = {"bottleneck", "maxmin", NULL};
static const char *const formats[] = {"text", "json", NULL};

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
    {.name = "overhead-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(overhead_us),
     .argument = "X",
     .default_text = "1",
     .maximum = 1e9,
     .key = "overhead_us",
     .help = "A message on the quiet network takes X + Y + bytes / Z: what its sender spends on it"},
    {.name = "latency-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(latency_us),
     .argument = "Y",
     .default_text = "1",
     .maximum = 1e9,
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
     .key = "hop_us",
     .help = "Latency added for each link of a route beyond the second"},
    {.name = "gap-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(gap_us),
     .argument = "US",
     .default_text = "0",
     .maximum = 1e9,
     .key = "gap_us",
     .help = "A message occupies its links for so long at least"},
    {.name = "barrier-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(barrier_us),
     .argument = "US",
     .default_text = "0",
     .maximum = 1e9,
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
             "decides, or by max-min fairness"},
    {.name = "background",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(background),
     .argument = "LOAD",
     .default_text = "none",
     .key = "background",
     .help = "Load of others on each link, 0 to 0.99: none; 0.3; exp:0.3, drawn anew for each link "
             "and interval with this mean; best-average-worst:0.3, three evaluations"},
    {.name = "background-interval-us",
     .type = CB_OPTION_REAL,
     .offset = FIELD(background_interval_us),
     .argument = "US",
     .default_text = "1000",
     .minimum = 1,
     .maximum = 1e12,
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
    {.name = "double",
     .type = CB_OPTION_FLAG,
     .offset = FIELD(doubled),
     .key = "double",
     .help = "Evaluate once more with the bottleneck twice as wide, and say what that gains"},
    {.name = "format",
     .type = CB_OPTION_CHOICE,
     .offset = FIELD(format),
     .argument = "FORM",
     .choices = formats,
     .help = "Form of the result: text, or json (combench-model/1); without it text, or json with "
             "--output"},
    {.name = "output",
     .type = CB_OPTION_TEXT,
     .offset = FIELD(output),
     .argument = "FILE",
     .help = "Write the result there, and the text form to standard output"},
    {.name = "help", .type = CB_OPTION_ACTION, .help = "Print this text"},
    {.name = "manual", .type = CB_OPTION_ACTION, .help = "Print the manual page's source"},
    {.name = "version", .type = CB_OPTION_ACTION, .help = "Print the version"},
};
/* clang-format on */

const cb_option_table run_options = {
    .program = "ccmod-run",
    .summary = "evaluate a trace on a network",
    .description =
        "Evaluates what the processors of TRACE do on a network, and prints the clock of each at "
        "the end of its trace, how it spent its time, how far the links are used, and which one "
        "limits the whole.\n\n"
        "The quiet network is described by three numbers, or by what the network brings along; "
        "they must be fitted to measurements, never taken from a data sheet.",
    .synopsis = "ccmod run [OPTION]... TRACE",
    .exit_statuses = tool_exit_statuses,
    .options = rows,
    .option_count = sizeof(rows) / sizeof(rows[0]),
};

/* Background: what the option says */

static bool take_prefix(const char **text, const char *prefix)
{
    size_t length = strlen(prefix);

    if (strncmp(*text, prefix, length) != 0)
        return false;
    *text += length;
    return true;
}

/* The load that only 5 % of the exponential distribution lie above. */
static double worst_load(double mean)
{
    return fmin(-log(0.05) * mean, 0.99);
}

static void add_case(run_plan *plan, const char *name, ccmod_background kind, double load)
{
    run_case *added = &plan->cases[plan->case_count++];

    added->name = name;
    added->parameters.background = kind;
    added->parameters.background_load = load;
}

static cb_status plan_background(run_plan *plan, const char *option)
{
    const char *text = option;
    bool exponential = take_prefix(&text, "exp:");
    bool three = !exponential && take_prefix(&text, "best-average-worst:");
    char why[CB_WHY_BYTES];
    double load;

    if (strcmp(text, "none") == 0 && text == option) {
        add_case(plan, "average", CCMOD_BACKGROUND_NONE, 0);
        return CB_OK;
    }
    if (!cb_parse_real(text, 0, 0.99, NULL, &load, why)) {
        cb_error("--background '%.64s': %s; write none, 0.3, exp:0.3 or best-average-worst:0.3",
                 option, why);
        return CB_ERROR_USAGE;
    }
    if (three)
        add_case(plan, "best", CCMOD_BACKGROUND_NONE, 0);
    add_case(plan, "average",
             exponential ? CCMOD_BACKGROUND_EXPONENTIAL : CCMOD_BACKGROUND_CONSTANT, load);
    if (three)
        add_case(plan, "worst", CCMOD_BACKGROUND_CONSTANT, worst_load(load));
    return CB_OK;
}

/* Progress, for who sits before a terminal */

static bool show_progress(void *context, const ccmod_progress *progress)
{
    (void)context;
    fprintf(stderr, "\rccmod: %.6g s of model time, %llu messages, %zu ranks done ",
            progress->clock_us / 1e6, (unsigned long long)progress->messages, progress->ended);
    return true;
}

static void clear_progress(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%70s\r", "");
}

/* Evaluation */

static void fill_parameters(const run_settings *settings, run_plan *plan)
{
    for (size_t i = 0; i < RUN_CASES; i++) {
        ccmod_parameters *parameters = &plan->cases[i].parameters;

        *parameters = ccmod_parameters_default();
        parameters->mode = strcmp(settings->mode, "paper") == 0 ? CCMOD_PAPER : CCMOD_SPLIT;
        parameters->share =
            strcmp(settings->share, "maxmin") == 0 ? CCMOD_MAXMIN : CCMOD_BOTTLENECK;
        parameters->background_interval_us = settings->background_interval_us;
        parameters->seed = settings->seed;
        if (isatty(STDERR_FILENO))
            parameters->progress = show_progress;
    }
}

static cb_status evaluate(const run_plan *plan, const ccmod_network *network,
                          const ccmod_parameters *parameters, ccmod_result **out)
{
    ccmod_workload *workload = NULL;
    ccmod_error error;
    cb_status status = ccmod_trace_workload(plan->trace, parameters->seed, &workload, &error);

    if (status == CB_OK)
        status =
            ccmod_evaluate(workload, network, &plan->calibration, parameters, NULL, 0, out, &error);
    clear_progress();
    ccmod_workload_free(workload);
    return status == CB_OK ? CB_OK : tool_fail(&error);
}

/* The same network but for the bottleneck of the last case, which is twice as wide. */
static cb_status evaluate_doubled(run_plan *plan)
{
    const run_case *limited = run_average(plan);
    size_t cells = 2 * plan->network->links;
    double *widths = cb_allocate(cells, sizeof(*widths), "the widths of links");
    ccmod_network wider = *plan->network;
    cb_status status = CB_ERROR_MEMORY;

    if (limited->result->bottleneck == CCMOD_NO_CELL || widths == NULL) {
        free(widths);
        return widths == NULL ? CB_ERROR_MEMORY : CB_OK;
    }
    for (size_t i = 0; i < cells; i++)
        widths[i] = plan->network->widths != NULL ? plan->network->widths[i] : 1;
    widths[limited->result->bottleneck] *= 2;
    wider.widths = widths;
    status = evaluate(plan, &wider, &limited->parameters, &plan->doubled);
    free(widths);
    return status;
}

static cb_status evaluate_all(const run_settings *settings, run_plan *plan)
{
    for (size_t i = 0; i < plan->case_count; i++)
        CB_TRY(evaluate(plan, plan->network, &plan->cases[i].parameters, &plan->cases[i].result));
    return settings->doubled ? evaluate_doubled(plan) : CB_OK;
}

const run_case *run_average(const run_plan *plan)
{
    return &plan->cases[plan->case_count > 1 ? 1 : 0];
}

/* What is needed first */

/* Whether the user gave one of the three numbers of the quiet network. */
static bool gave_line(const bool *given)
{
    static const char *const names[] = {"overhead-us", "latency-us", "bandwidth-MBps"};

    for (size_t i = 0; i < run_options.option_count; i++) {
        for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
            if (given[i] && strcmp(rows[i].name, names[k]) == 0)
                return true;
        }
    }
    return false;
}

static cb_status open_inputs(const run_settings *settings, const bool *given, run_plan *plan)
{
    ccmod_error error;

    if (settings->trace == NULL) {
        cb_error("no trace is named; write ccmod run TRACE, or see ccmod run --help");
        return CB_ERROR_USAGE;
    }
    if (ccmod_trace_open(settings->trace, &plan->trace, &error) != CB_OK)
        return tool_refuse(&error);
    if (ccmod_network_open(settings->network, ccmod_trace_ranks(plan->trace), &plan->network,
                           &error) != CB_OK)
        return tool_refuse(&error);
    if (plan->network->needs_calibration && !gave_line(given)) {
        cb_error("the network '%s' has no default for the quiet network; give --overhead-us, "
                 "--latency-us and --bandwidth-MBps as measured",
                 settings->network);
        return CB_ERROR_USAGE;
    }
    return CB_OK;
}

static void set_calibration(const run_settings *settings, run_plan *plan)
{
    plan->calibration = ccmod_calibration_line(settings->overhead_us, settings->latency_us,
                                               settings->bandwidth_MBps);
    plan->calibration.eager_bytes = settings->eager_bytes;
    plan->calibration.hop_us = settings->hop_us;
    plan->calibration.gap_us = settings->gap_us;
    plan->calibration.barrier_us = settings->barrier_us;
}

/* Output */

static void write_json(FILE *stream, void *context)
{
    run_write_json(stream, context);
}

static void write_text(FILE *stream, void *context)
{
    run_write_text(stream, context);
}

static cb_status write_result(const run_settings *settings, run_plan *plan)
{
    bool json =
        settings->format != NULL ? strcmp(settings->format, "json") == 0 : settings->output != NULL;
    void (*write)(FILE * stream, void *context) = json ? write_json : write_text;
    cb_status status = CB_OK;

    if (plan->target == NULL) {
        write(stdout, plan);
        return tool_flush();
    }
    status = report_file_replace(plan->target, &prediction_use, write, plan);
    write_text(stdout, plan);
    return status != CB_OK ? status : tool_flush();
}

/* An output that cannot be written is known before the evaluation. */
static cb_status open_output(const run_settings *settings, run_plan *plan)
{
    if (settings->output == NULL)
        return CB_OK;
    plan->target = report_file_target(settings->output, &prediction_use);
    if (plan->target == NULL || report_file_check(plan->target, &prediction_use) != CB_OK)
        return CB_ERROR_USAGE;
    return CB_OK;
}

static void close_all(run_plan *plan)
{
    free(plan->target);
    for (size_t i = 0; i < plan->case_count; i++)
        ccmod_result_free(plan->cases[i].result);
    ccmod_result_free(plan->doubled);
    ccmod_network_free(plan->network);
    ccmod_trace_close(plan->trace);
}

static cb_status run_plan_of(const run_settings *settings, const bool *given)
{
    run_plan plan = {.settings = settings};
    cb_status status;

    fill_parameters(settings, &plan);
    set_calibration(settings, &plan);
    status = plan_background(&plan, settings->background);
    if (status == CB_OK)
        status = open_inputs(settings, given, &plan);
    if (status == CB_OK)
        status = open_output(settings, &plan);
    if (status == CB_OK)
        status = evaluate_all(settings, &plan);
    if (status == CB_OK)
        status = write_result(settings, &plan);
    close_all(&plan);
    return status;
}

static int run(int argc, char **argv)
{
    bool given[sizeof(rows) / sizeof(rows[0])], done = false;
    run_settings settings;
    cb_status status = tool_parse(&run_options, argc, argv, &settings, given, &done);

    if (status == CB_OK && !done)
        status = run_plan_of(&settings, given);
    return tool_exit(status);
}

const ccmod_command ccmod_command_run = {"run", "evaluate a trace on a network", run};
