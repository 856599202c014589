/* ccmod run: evaluate a trace on a network, once or for three backgrounds, and say what limits it.
 */
#include "config.h"

#include "tools/ccmod/run_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tools/ccmod/run_json.h"
#include "tools/ccmod/run_text.h"

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
    added->parameters = plan->inputs->parameters;
    added->parameters.background = kind;
    added->parameters.background_load = load;
}

static void plan_cases(run_plan *plan)
{
    const tool_background *background = &plan->inputs->background;

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
    tool_evaluation evaluation = tool_plain_evaluation(plan->inputs);

    evaluation.network = network;
    evaluation.parameters = parameters;
    return tool_evaluate(plan->inputs, &evaluation, out);
}

/* The same network but for the bottleneck of the last case, which is twice as wide. */
static cb_status evaluate_doubled(run_plan *plan)
{
    const run_case *limited = run_average(plan);
    size_t cells = 2 * plan->inputs->network->links;
    double *widths = cb_allocate(cells, sizeof(*widths), "the widths of links");
    ccmod_network wider = *plan->inputs->network;
    cb_status status = CB_ERROR_MEMORY;

    if (limited->result->bottleneck == CCMOD_NO_CELL || widths == NULL) {
        free(widths);
        return widths == NULL ? CB_ERROR_MEMORY : CB_OK;
    }
    for (size_t i = 0; i < cells; i++)
        widths[i] = plan->inputs->network->widths != NULL ? plan->inputs->network->widths[i] : 1;
    widths[limited->result->bottleneck] *= 2;
    wider.widths = widths;
    status = evaluate(plan, &wider, &limited->parameters, &plan->doubled);
    free(widths);
    return status;
}

static cb_status evaluate_all(const tool_settings *settings, run_plan *plan)
{
    for (size_t i = 0; i < plan->case_count; i++)
        CB_TRY(evaluate(plan, plan->inputs->network, &plan->cases[i].parameters,
                        &plan->cases[i].result));
    return settings->doubled ? evaluate_doubled(plan) : CB_OK;
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
static cb_status write_result(run_plan *plan, const tool_target *target)
{
    const char *format = plan->settings->format;
    bool json = format != NULL ? strcmp(format, "json") == 0 : target->path != NULL;
    cb_status status = tool_write(target, json ? write_json : write_text, plan);

    if (target->path == NULL)
        return status;
    write_text(stdout, plan);
    return status != CB_OK ? status : tool_flush();
}

static cb_status evaluate_and_write(const tool_settings *settings, const tool_inputs *inputs,
                                    const tool_target *target)
{
    run_plan plan = {.settings = settings, .inputs = inputs};
    cb_status status;

    if (settings->check)
        return tool_check(inputs);
    plan_cases(&plan);
    status = evaluate_all(settings, &plan);
    if (status == CB_OK)
        status = write_result(&plan, target);
    for (size_t i = 0; i < plan.case_count; i++)
        ccmod_result_free(plan.cases[i].result);
    ccmod_result_free(plan.doubled);
    return status;
}

static int run(int argc, char **argv)
{
    return tool_carry_out(&run_options, argc, argv, evaluate_and_write);
}

const ccmod_command ccmod_command_run = {"run", "evaluate a trace on a network", run};
