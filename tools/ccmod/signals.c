/* ccmod signals: evaluate a trace and print every signal of the evaluation as it comes. */
#include "config.h"

#include "tools/ccmod/inputs.h"

/* The evaluation takes place while its output is written. */
typedef struct {
    const tool_inputs *inputs;
    cb_status status;
} signals_output;

static void print_signals(FILE *stream, void *context)
{
    signals_output *output = context;
    ccmod_printer printer = {.stream = stream};
    ccmod_observer observer = ccmod_printer_observer(&printer, CCMOD_WANTS_ALL);
    tool_evaluation evaluation = tool_plain_evaluation(output->inputs);
    ccmod_result *result = NULL;

    evaluation.observer = &observer;
    output->status = tool_evaluate(output->inputs, &evaluation, &result);
    ccmod_result_free(result);
}

/* An evaluation that fails leaves the signals up to there: they are what one looks for then. One
 * that failed because standard output did needs no second message. */
static cb_status write_signals(const tool_settings *settings, const tool_inputs *inputs,
                               const tool_target *target)
{
    signals_output output = {.inputs = inputs};
    cb_status status = CB_OK;

    (void)settings;
    if (target->path != NULL)
        status = tool_write(target, print_signals, &output);
    else
        print_signals(stdout, &output);
    if (output.status != CB_OK || status != CB_OK)
        return output.status != CB_OK ? output.status : status;
    return target->path != NULL ? CB_OK : tool_flush();
}

static int run(int argc, char **argv)
{
    return tool_carry_out(&signals_options, argc, argv, write_signals);
}

const ccmod_command ccmod_command_signals = {"signals", "print every signal of an evaluation", run};
