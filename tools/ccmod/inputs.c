/* Open the objects that options name: trace, network, calibration, background, output. */
#include "config.h"

#include "tools/ccmod/inputs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/units.h"
#include "base/output.h"

static const cb_output_use result_use = {
    .what = "the result", .option = "--output", .instead = ", or omit it for standard output"};

static const cb_output_use signals_use = {.what = "the signals", .option = "--signals"};

/* Values of options */

/* Only ccmod run evaluates three cases. */
static cb_status read_background(const cb_option_table *table, const char *option,
                                 tool_background *background)
{
    bool three = table == &run_options;
    char why[CB_WHY_BYTES];

    if (tool_parse_background(option, three, background, why))
        return CB_OK;
    cb_error("--background '%.64s': %s; write none, 0.3%s", option, why,
             three ? ", exp:0.3 or best-average-worst:0.3" : " or exp:0.3");
    return CB_ERROR_USAGE;
}

/* Progress */

static const uint64_t slow_ns = UINT64_C(5000000000);

/* On a terminal all the time; once elsewhere, if the rule is slow. */
static bool show_progress(void *context, const ccmod_progress *progress)
{
    tool_progress *shown = context;
    uint64_t passed_ns = cb_now_ns() - shown->start_ns;

    if (shown->terminal)
        fprintf(stderr, "\rccmod: %.6g s of model time, %llu messages, %zu ranks done ",
                progress->clock_us / 1e6, (unsigned long long)progress->messages, progress->ended);
    if (shown->slow_rule == NULL || passed_ns < slow_ns)
        return true;
    if (shown->terminal)
        fputc('\n', stderr);
    cb_warning("--share %s visits messages again whenever others come and go, which takes long "
               "with thousands at a time: %.6g s of model time and %llu messages in %.0f s; "
               "--share fifo does not",
               shown->slow_rule, progress->clock_us / 1e6, (unsigned long long)progress->messages,
               (double)passed_ns / 1e9);
    shown->slow_rule = NULL;
    return true;
}

static void set_progress(tool_progress *shown, ccmod_parameters *parameters)
{
    bool slow = parameters->share == CCMOD_BOTTLENECK || parameters->share == CCMOD_MAXMIN;

    *shown = (tool_progress){.start_ns = cb_now_ns(),
                             .terminal = isatty(STDERR_FILENO),
                             .slow_rule = slow ? ccmod_share_name(parameters->share) : NULL};
    if (!shown->terminal && !slow)
        return;
    parameters->progress = show_progress;
    parameters->progress_context = shown;
}

/* Parameters of an evaluation */

/* `name` must be a choice of the option. */
static ccmod_share find_share(const char *name)
{
    ccmod_share share = CCMOD_BOTTLENECK;

    while (share < CCMOD_TCP && strcmp(name, ccmod_share_name(share)) != 0)
        share++;
    return share;
}

static bool was_given(const cb_option_table *table, const bool *given, const char *name)
{
    for (size_t i = 0; i < table->option_count; i++) {
        if (given[i] && strcmp(table->options[i].name, name) == 0)
            return true;
    }
    return false;
}

/* --background-interval takes every value of --background-interval-us, and "evaluation". */
static cb_status set_interval(const cb_option_table *table, const tool_settings *settings,
                              const bool *given, ccmod_parameters *parameters)
{
    const char *text = settings->background_interval;
    char why[CB_WHY_BYTES];

    parameters->background_interval_us = settings->background_interval_us;
    if (text == NULL)
        return CB_OK;
    if (was_given(table, given, "background-interval-us")) {
        cb_error(
            "--background-interval and --background-interval-us both say when loads are drawn; "
            "give one of the two");
        return CB_ERROR_USAGE;
    }
    if (tool_parse_interval(text, &parameters->background_interval_us, why))
        return CB_OK;
    cb_error("--background-interval '%.64s': %s; write evaluation, or a time such as 1ms", text,
             why);
    return CB_ERROR_USAGE;
}

static cb_status set_buffer(const char *text, ccmod_parameters *parameters)
{
    ccmod_error error;

    if (text == NULL || ccmod_parameters_set_buffer(parameters, text, &error) == CCMOD_OK)
        return CB_OK;
    cb_error("--buffer '%.64s': %s; write 64KiB, or 1MB,shared:1", text, error.text);
    return CB_ERROR_USAGE;
}

static cb_status read_mask(const char *text, uint32_t *mask)
{
    char why[CB_WHY_BYTES];

    *mask = CCMOD_WANTS_ALL;
    if (text == NULL || tool_parse_mask(text, mask, why))
        return CB_OK;
    cb_error("--mask '%.64s': %s; write all, none, horizons, or names such as NEWSCOM,UPPR_END or "
             "-CREATEEVENT",
             text, why);
    return CB_ERROR_USAGE;
}

/* Set the limits that end the evaluation before the traces do. */
static cb_status set_stop(const cb_option_table *table, const tool_settings *settings,
                          const bool *given, ccmod_parameters *parameters)
{
    bool counted = was_given(table, given, "rate-of");

    if (settings->precision_pct > 0 && !counted) {
        cb_error(
            "--precision %g needs a rate; name the rank whose receives are counted with --rate-of",
            settings->precision_pct);
        return CB_ERROR_USAGE;
    }
    if (settings->doubled && settings->until_us > 0 && !counted) {
        cb_error("--double cannot compare end times fixed by --until-us; give --rate-of RANK to "
                 "compare rates, or omit one of the two");
        return CB_ERROR_USAGE;
    }
    parameters->until_us = settings->until_us;
    parameters->precision = settings->precision_pct / 100;
    parameters->rate_round = settings->rate_round;
    if (counted)
        parameters->rate_of = (uint32_t)settings->rate_of;
    return CB_OK;
}

/* One of the three numbers of the quiet network that the user gave, or NULL. */
static const char *find_line(const cb_option_table *table, const bool *given)
{
    static const char *const names[] = {"overhead-us", "latency-us", "bandwidth-MBps"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (was_given(table, given, names[i]))
            return names[i];
    }
    return NULL;
}

static cb_status load_calibration(const cb_option_table *table, const tool_settings *settings,
                                  const bool *given, ccmod_calibration *calibration)
{
    const char *line = find_line(table, given);
    ccmod_error error;

    if (line != NULL) {
        cb_error("--%s and --calibration '%s' both describe the quiet network; give one of the two",
                 line, settings->calibration);
        return CB_ERROR_USAGE;
    }
    if (ccmod_calibration_open(settings->calibration, calibration, &error) != CCMOD_OK)
        return tool_refuse(&error);
    return CB_OK;
}

/* Name those of the three numbers that the user did not give. */
static void note_assumed(const cb_option_table *table, const tool_settings *settings,
                         const bool *given, char assumed[TOOL_ASSUMED_BYTES])
{
    const struct {
        const char *name, *unit;
        double value;
    } numbers[] = {{"overhead-us", "us overhead", settings->overhead_us},
                   {"latency-us", "us latency", settings->latency_us},
                   {"bandwidth-MBps", "MB/s", settings->bandwidth_MBps}};
    size_t used = 0;

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (!was_given(table, given, numbers[i].name))
            used += (size_t)snprintf(assumed + used, TOOL_ASSUMED_BYTES - used, "%s%g %s",
                                     used > 0 ? ", " : "", numbers[i].value, numbers[i].unit);
    }
}

void tool_write_assumed(const tool_inputs *inputs, FILE *stream)
{
    if (inputs->assumed[0] != '\0')
        fprintf(stream,
                "quiet network assumed, not measured (%s; give --calibration): ", inputs->assumed);
}

void tool_write_factor(const tool_inputs *inputs, FILE *stream)
{
    const ccmod_parameters *parameters = &inputs->parameters;
    double load = parameters->background_load;

    if (parameters->background != CCMOD_BACKGROUND_EXPONENTIAL ||
        parameters->background_interval_us > 0)
        return;
    fprintf(stream,
            "background drawn at each evaluation: a lone message takes %.3g times as long in the "
            "mean on one link, %.3g times on two (a constant %g: %.3g times)\n",
            tool_background_factor(load, 1), tool_background_factor(load, 2), load, 1 / (1 - load));
}

/* From a file or the three numbers; options take precedence over the file. */
static cb_status set_calibration(const cb_option_table *table, const tool_settings *settings,
                                 const bool *given, tool_inputs *inputs)
{
    ccmod_calibration *calibration = &inputs->calibration;
    bool file = settings->calibration != NULL;

    *calibration = ccmod_calibration_line(settings->overhead_us, settings->latency_us,
                                          settings->bandwidth_MBps);
    if (file)
        CB_TRY(load_calibration(table, settings, given, calibration));
    else
        note_assumed(table, settings, given, inputs->assumed);
    if (!file || was_given(table, given, "eager-bytes"))
        calibration->eager_bytes = settings->eager_bytes;
    if (!file || was_given(table, given, "hop-us"))
        calibration->hop_us = settings->hop_us;
    if (!file || was_given(table, given, "gap-us"))
        calibration->gap_us = settings->gap_us;
    if (!file || was_given(table, given, "barrier-us")) {
        calibration->barrier_us = settings->barrier_us;
        calibration->barrier_round_us = 0;
    }
    return CB_OK;
}

/* As given; otherwise the article's rule in its mode, that of the calibration, or the default. */
static ccmod_share choose_share(const tool_settings *settings, ccmod_mode mode,
                                const ccmod_calibration *calibration)
{
    if (settings->share != NULL)
        return find_share(settings->share);
    if (mode == CCMOD_PAPER)
        return CCMOD_BOTTLENECK;
    if (calibration->share_rule > 0)
        return (ccmod_share)(calibration->share_rule - 1);
    return ccmod_parameters_default().share;
}

static cb_status open_network(const cb_option_table *table, const tool_settings *settings,
                              const bool *given, tool_inputs *inputs)
{
    ccmod_error error;

    if (ccmod_network_open(settings->network, ccmod_trace_ranks(inputs->trace), &inputs->network,
                           &error) != CCMOD_OK)
        return tool_refuse(&error);
    if (inputs->network->needs_calibration && settings->calibration == NULL &&
        find_line(table, given) == NULL) {
        cb_error("the network '%s' has no default for the quiet network; give --calibration, or "
                 "--overhead-us, --latency-us and --bandwidth-MBps as measured",
                 settings->network);
        return CB_ERROR_USAGE;
    }
    /* results have the whole time */
    inputs->calibration.barrier_us =
        ccmod_barrier_us(&inputs->calibration, ccmod_trace_ranks(inputs->trace));
    inputs->calibration.barrier_round_us = 0;
    ccmod_network_use_packets(&inputs->calibration, inputs->network);
    if (ccmod_network_share_ends(&inputs->calibration, &inputs->network, &error) != CCMOD_OK)
        return tool_fail(&error);
    return CB_OK;
}

/* `given` has TOOL_OPTIONS cells. *inputs may be closed in any case. */
static cb_status open_inputs(const cb_option_table *table, const tool_settings *settings,
                             const bool *given, tool_inputs *inputs)
{
    ccmod_error error;
    ccmod_parameters *parameters = &inputs->parameters;

    *inputs = (tool_inputs){0};
    CB_TRY(read_background(table, settings->background, &inputs->background));
    CB_TRY(read_mask(settings->mask, &inputs->mask));
    *parameters = ccmod_parameters_default();
    parameters->mode = strcmp(settings->mode, "paper") == 0 ? CCMOD_PAPER : CCMOD_SPLIT;
    parameters->background = inputs->background.kind;
    parameters->background_load = inputs->background.load;
    CB_TRY(set_interval(table, settings, given, parameters));
    CB_TRY(set_buffer(settings->buffer, parameters));
    parameters->seed = settings->seed;
    CB_TRY(set_stop(table, settings, given, &inputs->parameters));
    CB_TRY(set_calibration(table, settings, given, inputs));
    parameters->share = choose_share(settings, parameters->mode, &inputs->calibration);
    set_progress(&inputs->progress, parameters);
    if (settings->trace == NULL) {
        cb_error("the trace is missing; write %s, or see --help", table->synopsis);
        return CB_ERROR_USAGE;
    }
    if (ccmod_trace_open(settings->trace, &inputs->trace, &error) != CCMOD_OK)
        return tool_refuse(&error);
    return open_network(table, settings, given, inputs);
}

/* Evaluation */

tool_evaluation tool_plain_evaluation(const tool_inputs *inputs)
{
    return (tool_evaluation){.network = inputs->network,
                             .calibration = &inputs->calibration,
                             .parameters = &inputs->parameters};
}

cb_status tool_check(const tool_inputs *inputs)
{
    ccmod_workload *workload = NULL;
    ccmod_error error;
    ccmod_status status =
        ccmod_trace_workload(inputs->trace, inputs->parameters.seed, &workload, &error);

    if (status == CCMOD_OK)
        status = ccmod_check(workload, inputs->network, &inputs->calibration, &inputs->parameters,
                             &error);
    ccmod_workload_free(workload);
    return status == CCMOD_OK ? CB_OK : tool_refuse(&error);
}

cb_status tool_evaluate(const tool_inputs *inputs, const tool_evaluation *evaluation,
                        ccmod_result **out)
{
    ccmod_workload *workload = NULL, *wrapped;
    ccmod_error error;
    ccmod_status status =
        ccmod_trace_workload(inputs->trace, evaluation->parameters->seed, &workload, &error);

    wrapped = workload;
    if (status == CCMOD_OK && evaluation->wrap != NULL)
        wrapped = evaluation->wrap(workload, evaluation->wrap_context);
    if (status == CCMOD_OK)
        status = ccmod_evaluate(wrapped, evaluation->network, evaluation->calibration,
                                evaluation->parameters, evaluation->observer,
                                evaluation->observer != NULL, out, &error);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%70s\r", "");
    ccmod_workload_free(workload);
    return status == CCMOD_OK ? CB_OK : tool_fail(&error);
}

/* Output */

static cb_status open_target(const char *path, const cb_output_use *use, tool_target *target)
{
    *target = (tool_target){NULL, use};
    if (path == NULL)
        return CB_OK;
    target->path = cb_output_target(path, use);
    if (target->path == NULL || cb_output_check(target->path, use) != CB_OK)
        return CB_ERROR_USAGE;
    return CB_OK;
}

cb_status tool_open_target(const char *output, tool_target *target)
{
    return open_target(output, &result_use, target);
}

cb_status tool_open_signals(const char *path, tool_target *target)
{
    return open_target(path, &signals_use, target);
}

cb_status tool_write(const tool_target *target, void (*write)(FILE *stream, void *context),
                     void *context)
{
    if (target->path != NULL)
        return cb_output_replace(target->path, target->use, write, context);
    write(stdout, context);
    return tool_flush();
}

void tool_close_target(tool_target *target)
{
    free(target->path);
    target->path = NULL;
}

/* The whole subcommand */

/* Where the result is no text, whose first line has it, the log has what was assumed. */
static void log_assumed(const cb_option_table *table, const tool_settings *settings,
                        const tool_inputs *inputs)
{
    bool text = table == &run_options && settings->output != NULL;

    if (table == &run_options || table == &knee_options)
        text = text || settings->format == NULL || strcmp(settings->format, "text") == 0;
    if (!text && !settings->check && inputs->assumed[0] != '\0')
        cb_warning("the quiet network is assumed, not measured (%s); give --calibration",
                   inputs->assumed);
}

static cb_status work_on(const cb_option_table *table, tool_settings *settings, const bool *given,
                         tool_work *work)
{
    tool_target target = {NULL, NULL};
    tool_inputs inputs;
    cb_status status = open_inputs(table, settings, given, &inputs);

    settings->share = ccmod_share_name(inputs.parameters.share); /* in effect */
    if (status == CB_OK)
        status = tool_open_target(settings->output, &target);
    if (status == CB_OK)
        status = work(settings, &inputs, &target);
    if (status == CB_OK)
        log_assumed(table, settings, &inputs);
    tool_close_target(&target);
    ccmod_network_free(inputs.network);
    ccmod_trace_close(inputs.trace);
    return status;
}

int tool_carry_out(const cb_option_table *table, int argc, char **argv, tool_work *work)
{
    bool given[TOOL_OPTIONS], done = false;
    tool_settings settings;
    cb_status status = tool_parse(table, argc, argv, &settings, given, &done);

    if (status == CB_OK && !done)
        status = work_on(table, &settings, given, work);
    return tool_exit(status);
}
