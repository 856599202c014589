/* ccmod timeline: evaluate a trace and write its space-time diagram. */
#include "config.h"

#include "tools/ccmod/inputs.h"

#include <string.h>

/* A form, what it is to write, and what came of it. */
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

/* All choices of --format have one. */
static const ccmod_timeline_form *find_form(const char *name)
{
    size_t i = 0;

    while (ccmod_timeline_forms[i + 1] != NULL && strcmp(ccmod_timeline_forms[i]->name, name) != 0)
        i++;
    return ccmod_timeline_forms[i];
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
    timeline_output output = {.form = find_form(settings->format), .timeline = timeline};
    cb_status status = tool_write(target, write_timeline, &output);

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

static int run(int argc, char **argv)
{
    return tool_carry_out(&timeline_options, argc, argv, make_timeline);
}

const ccmod_command ccmod_command_timeline = {
    "timeline", "write what happens when, as a space-time diagram", run};
