/* ccmod run: evaluate a trace on a network, once or for three backgrounds, and say what limits it.
 */
#include "config.h"

#include "tools/ccmod/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Cases */

/* The load that only 5 % of the exponential distribution lie above. */
static double worst_load(double mean)
{
    return fmin(-log(0.05) * mean, 0.99);
}

static void add_case(run_plan *plan, const char *name, ccmod_background kind, double load)
{
    run_case *added = &plan->cases[plan->case_count++];

    added->name = name;
    added->parameters = plan->inputs.parameters;
    added->parameters.background = kind;
    added->parameters.background_load = load;
}

static void plan_cases(run_plan *plan)
{
    const tool_background *background = &plan->inputs.background;

    if (background->three)
        add_case(plan, "best", CCMOD_BACKGROUND_NONE, 0);
    add_case(plan, "average", background->kind, background->load);
    if (background->three)
        add_case(plan, "worst", CCMOD_BACKGROUND_CONSTANT, worst_load(background->load));
}

/* Evaluation */

static cb_status evaluate(const run_plan *plan, const ccmod_network *network,
                          const ccmod_parameters *parameters, ccmod_result **out)
{
    tool_evaluation evaluation = tool_plain_evaluation(&plan->inputs);

    evaluation.network = network;
    evaluation.parameters = parameters;
    return tool_evaluate(&plan->inputs, &evaluation, out);
}

/* The same network but for the bottleneck of the last case, which is twice as wide. */
static cb_status evaluate_doubled(run_plan *plan)
{
    const run_case *limited = run_average(plan);
    size_t cells = 2 * plan->inputs.network->links;
    double *widths = cb_allocate(cells, sizeof(*widths), "the widths of links");
    ccmod_network wider = *plan->inputs.network;
    cb_status status = CB_ERROR_MEMORY;

    if (limited->result->bottleneck == CCMOD_NO_CELL || widths == NULL) {
        free(widths);
        return widths == NULL ? CB_ERROR_MEMORY : CB_OK;
    }
    for (size_t i = 0; i < cells; i++)
        widths[i] = plan->inputs.network->widths != NULL ? plan->inputs.network->widths[i] : 1;
    widths[limited->result->bottleneck] *= 2;
    wider.widths = widths;
    status = evaluate(plan, &wider, &limited->parameters, &plan->doubled);
    free(widths);
    return status;
}

static cb_status evaluate_all(const tool_settings *settings, run_plan *plan)
{
    for (size_t i = 0; i < plan->case_count; i++)
        CB_TRY(evaluate(plan, plan->inputs.network, &plan->cases[i].parameters,
                        &plan->cases[i].result));
    return settings->doubled ? evaluate_doubled(plan) : CB_OK;
}

const run_case *run_average(const run_plan *plan)
{
    return &plan->cases[plan->case_count > 1 ? 1 : 0];
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

/* With a file the text goes to standard output besides. */
static cb_status write_result(const tool_settings *settings, run_plan *plan)
{
    bool json =
        settings->format != NULL ? strcmp(settings->format, "json") == 0 : settings->output != NULL;
    cb_status status = tool_write(&plan->target, json ? write_json : write_text, plan);

    if (plan->target.path == NULL)
        return status;
    write_text(stdout, plan);
    return status != CB_OK ? status : tool_flush();
}

static void close_all(run_plan *plan)
{
    for (size_t i = 0; i < plan->case_count; i++)
        ccmod_result_free(plan->cases[i].result);
    ccmod_result_free(plan->doubled);
    tool_close_target(&plan->target);
    tool_close_inputs(&plan->inputs);
}

static cb_status carry_out(const tool_settings *settings, run_plan *plan)
{
    plan_cases(plan);
    CB_TRY(evaluate_all(settings, plan));
    return write_result(settings, plan);
}

static cb_status run_plan_of(const tool_settings *settings, const bool *given)
{
    run_plan plan = {.settings = settings};
    cb_status status = tool_open_inputs(&run_options, settings, given, &plan.inputs);

    if (status == CB_OK)
        status = tool_open_target(settings->output, &plan.target);
    if (status == CB_OK)
        status = settings->check ? tool_check(&plan.inputs) : carry_out(settings, &plan);
    close_all(&plan);
    return status;
}

static int run(int argc, char **argv)
{
    bool given[TOOL_OPTIONS], done = false;
    tool_settings settings;
    cb_status status = tool_parse(&run_options, argc, argv, &settings, given, &done);

    if (status == CB_OK && !done)
        status = run_plan_of(&settings, given);
    return tool_exit(status);
}

const ccmod_command ccmod_command_run = {"run", "evaluate a trace on a network", run};
