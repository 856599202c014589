/* ccmod timeline and ccmod signals: evaluate a trace and write what an observer receives: the
 * space-time diagram after the evaluation, or every signal as it occurs. */
#include "config.h"

#include "tools/ccmod/observe.h"

#include <string.h>

/* Timeline */

/* An output format, its input, and its result. */
typedef struct {
    const ccmod_timeline_form *form;
    const ccmod_timeline *timeline;
    ccmod_status status;
    ccmod_error error;
} timeline_output;

static void write_timeline(FILE *stream, void *context)
{
    timeline_output *output = context;

    output->status = output->form->write(output->timeline, stream, &output->error);
}

static cb_status collect(const tool_inputs *inputs, ccmod_timeline *timeline)
{
    tool_evaluation evaluation = tool_plain_evaluation(inputs);
    ccmod_observer observer = ccmod_timeline_observer(timeline);
    ccmod_result *result = NULL;
    cb_status status;

    evaluation.observer = &observer;
    status = tool_evaluate(inputs, &evaluation, &result);
    ccmod_result_free(result);
    return status;
}

static cb_status write_form(const tool_settings *settings, const tool_target *target,
                            const ccmod_timeline *timeline)
{
    timeline_output output = {.form = ccmod_timeline_forms[0], .timeline = timeline};
    cb_status status;

    /* every choice of --format has a format */
    for (size_t i = 0; ccmod_timeline_forms[i] != NULL; i++) {
        if (strcmp(ccmod_timeline_forms[i]->name, settings->format) == 0)
            output.form = ccmod_timeline_forms[i];
    }
    status = tool_write(target, write_timeline, &output);
    return output.status != CCMOD_OK ? tool_fail(&output.error) : status;
}

static cb_status make_timeline(const tool_settings *settings, const tool_inputs *inputs,
                               const tool_target *target)
{
    ccmod_timeline *timeline = NULL;
    ccmod_error error;
    cb_status status;

    if (ccmod_timeline_create(settings->from_us, settings->to_us, &timeline, &error) != CCMOD_OK)
        return tool_refuse(&error);
    status = collect(inputs, timeline);
    if (status == CB_OK)
        status = write_form(settings, target, timeline);
    ccmod_timeline_free(timeline);
    return status;
}

static int run_timeline(int argc, char **argv)
{
    return tool_carry_out(&timeline_options, argc, argv, make_timeline);
}

const ccmod_command ccmod_command_timeline = {
    "timeline", "write what happens when, as a space-time diagram", run_timeline};

/* Signals */

/* The output is written during the evaluation. */
typedef struct {
    const tool_inputs *inputs;
    tool_evaluation evaluation;
    ccmod_result **out;
    cb_status status;
} signals_output;

static void print_signals(FILE *stream, void *context)
{
    signals_output *output = context;
    ccmod_printer printer = {.stream = stream};
    ccmod_observer observer = ccmod_printer_observer(&printer, output->inputs->mask);

    output->evaluation.observer = &observer;
    output->status = tool_evaluate(output->inputs, &output->evaluation, output->out);
}

/* If the evaluation failed because of standard output, no second message is needed. */
cb_status tool_evaluate_signalled(const tool_inputs *inputs, const tool_evaluation *evaluation,
                                  const tool_target *target, ccmod_result **out)
{
    signals_output output = {.inputs = inputs, .evaluation = *evaluation, .out = out};
    cb_status status = CB_OK;

    if (target->path != NULL)
        status = tool_write(target, print_signals, &output);
    else
        print_signals(stdout, &output);
    if (output.status != CB_OK || status != CB_OK)
        return output.status != CB_OK ? output.status : status;
    return target->path != NULL ? CB_OK : tool_flush();
}

static cb_status write_signals(const tool_settings *settings, const tool_inputs *inputs,
                               const tool_target *target)
{
    tool_evaluation evaluation = tool_plain_evaluation(inputs);
    ccmod_result *result = NULL;
    cb_status status = tool_evaluate_signalled(inputs, &evaluation, target, &result);

    (void)settings;
    ccmod_result_free(result);
    return status;
}

static int run_signals(int argc, char **argv)
{
    return tool_carry_out(&signals_options, argc, argv, write_signals);
}

const ccmod_command ccmod_command_signals = {"signals", "print every signal of an evaluation",
                                             run_signals};
