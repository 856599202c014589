/* ccmod knee: the load at which a network limits a trace.
 *
 * Load is varied by computing times: all of them are multiplied by a factor, so that the processors
 * offer messages slower or faster. What they offer is measured on a network that takes no time, and
 * is in proportion to 1 / factor; what is carried at most is measured with factor 0. Both meet in
 * the knee. */
#include "config.h"

#include "tools/ccmod/knee_forms.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"

static const double largest_load = 2; /* of the knee's */

/* A trace whose computing times are multiplied. */
typedef struct {
    ccmod_workload workload;
    ccmod_workload *inner;
    double factor;
} scaled_workload;

static ccmod_status next_scaled(ccmod_workload *workload, uint32_t processor, ccmod_record *record,
                                ccmod_error *error)
{
    scaled_workload *scaled = workload->self;

    CCMOD_TRY(scaled->inner->next(scaled->inner, processor, record, error));
    if (record->kind == CCMOD_COMPUTE)
        record->time_us *= scaled->factor;
    return CCMOD_OK;
}

static ccmod_workload *scale(ccmod_workload *inner, void *context)
{
    scaled_workload *scaled = context;

    scaled->inner = inner;
    scaled->workload = (ccmod_workload){
        .name = inner->name, .processors = inner->processors, .next = next_scaled, .self = scaled};
    return &scaled->workload;
}

/* Evaluations */

static tool_evaluation prepare(const knee_result *result, const knee_curve *curve,
                               ccmod_parameters *parameters)
{
    tool_evaluation evaluation = tool_plain_evaluation(result->inputs);

    *parameters = result->inputs->parameters;
    if (curve == &result->curves[0])
        parameters->background = CCMOD_BACKGROUND_NONE;
    evaluation.parameters = parameters;
    return evaluation;
}

/* With computing times multiplied by `factor`. */
static cb_status evaluate(const knee_result *result, const knee_curve *curve, double factor,
                          ccmod_result **out)
{
    scaled_workload scaled = {.factor = factor};
    ccmod_parameters parameters;
    tool_evaluation evaluation = prepare(result, curve, &parameters);

    evaluation.wrap = scale;
    evaluation.wrap_context = &scaled;
    return tool_evaluate(result->inputs, &evaluation, out);
}

/* With a network that takes no time. */
static cb_status evaluate_alone(knee_result *result)
{
    static const ccmod_calibration nothing = {.lines = {{.to_bytes = UINT64_MAX}}, .line_count = 1};
    ccmod_parameters parameters;
    tool_evaluation evaluation = prepare(result, &result->curves[0], &parameters);
    ccmod_result *alone = NULL;

    evaluation.calibration = &nothing;
    CB_TRY(tool_evaluate(result->inputs, &evaluation, &alone));
    result->alone_us = alone->end_us;
    ccmod_result_free(alone);
    if (result->alone_us > 0)
        return CB_OK;
    cb_error("'%s' computes nothing, so that its load cannot be varied; put computing times into "
             "it, as 'c 10'",
             result->settings->trace);
    return CB_ERROR_USAGE;
}

static double rate_of(double packets, double us)
{
    return packets / us * 1e6;
}

static cb_status carry(const knee_result *result, const knee_curve *curve, double factor,
                       double *carried_Hz)
{
    ccmod_result *evaluated = NULL;

    CB_TRY(evaluate(result, curve, factor, &evaluated));
    *carried_Hz =
        rate_of((double)ccmod_result_cell(evaluated, result->cell).packets, evaluated->end_us);
    ccmod_result_free(evaluated);
    return CB_OK;
}

/* The cell with most packets, the first of them. */
static cb_status find_busiest(knee_result *result)
{
    ccmod_result *saturated = NULL;

    CB_TRY(evaluate(result, &result->curves[0], 0, &saturated));
    for (uint32_t cell = 0; cell < saturated->cells; cell++) {
        double packets = (double)ccmod_result_cell(saturated, cell).packets;

        if (packets > result->packets) {
            result->packets = packets;
            result->cell = cell;
        }
    }
    ccmod_result_free(saturated);
    if (result->packets > 0) {
        ccmod_link_name(result->inputs->network, result->cell / 2, result->link,
                        sizeof(result->link));
        return CB_OK;
    }
    cb_error("'%s' sends no message over a link, so that no link has a knee; put messages into it",
             result->settings->trace);
    return CB_ERROR_USAGE;
}

static cb_status fill_point(const knee_result *result, const knee_curve *curve, knee_point *point,
                            double offered_Hz)
{
    point->offered_Hz = offered_Hz;
    return carry(result, curve, rate_of(result->packets, result->alone_us) / offered_Hz,
                 &point->carried_Hz);
}

/* Loads are in proportion to the knee without background on both curves, so that rows can be
 * compared. */
static cb_status fill_curve(knee_result *result, knee_curve *curve)
{
    size_t count = result->settings->points;
    double step_Hz;

    CB_TRY(carry(result, curve, 0, &curve->capacity_Hz));
    CB_TRY(fill_point(result, curve, &curve->own, rate_of(result->packets, result->alone_us)));
    curve->points = cb_allocate(count, sizeof(*curve->points), "the points of the curve");
    if (curve->points == NULL)
        return CB_ERROR_MEMORY;
    step_Hz = largest_load * result->curves[0].capacity_Hz / (double)count;
    for (; curve->point_count < count; curve->point_count++)
        CB_TRY(fill_point(result, curve, &curve->points[curve->point_count],
                          step_Hz * (double)(curve->point_count + 1)));
    return CB_OK;
}

static cb_status find_knee(knee_result *result)
{
    const tool_background *background = &result->inputs->background;

    result->curves[1].background = background->load;
    result->curve_count = background->kind == CCMOD_BACKGROUND_NONE ? 1 : 2;
    CB_TRY(evaluate_alone(result));
    CB_TRY(find_busiest(result));
    for (size_t i = 0; i < result->curve_count; i++)
        CB_TRY(fill_curve(result, &result->curves[i]));
    return CB_OK;
}

/* Output */

static const struct {
    const char *name;
    void (*write)(FILE *stream, const knee_result *result);
} forms[] = {
    {"text", knee_write_text},
    {"csv", knee_write_csv},
    {"json", knee_write_json},
    {"svg", knee_write_svg},
};

static void write_form(FILE *stream, void *context)
{
    const knee_result *result = context;
    size_t i = 0;

    while (strcmp(forms[i].name, result->settings->format) != 0)
        i++;
    forms[i].write(stream, result);
}

static cb_status write_knee(const tool_settings *settings, const tool_inputs *inputs,
                            const tool_target *target)
{
    knee_result result = {.settings = settings, .inputs = inputs};
    cb_status status = find_knee(&result);

    if (status == CB_OK)
        status = tool_write(target, write_form, &result);
    for (size_t i = 0; i < KNEE_CURVES; i++)
        free(result.curves[i].points);
    return status;
}

static int run(int argc, char **argv)
{
    return tool_carry_out(&knee_options, argc, argv, write_knee);
}

const ccmod_command ccmod_command_knee = {"knee",
                                          "find the load at which the network limits a trace", run};
