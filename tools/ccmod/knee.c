/* ccmod knee: find the load at which a network limits a trace, as text, CSV, JSON (schema
 * combench-knee/1) or a picture.
 *
 * The load is varied by multiplying all computing times by a factor, so that the processors offer
 * messages more slowly or faster. The offered load is evaluated on an ideal network that takes no
 * time, and is proportional to 1 / factor; the maximum carried is evaluated with factor 0. The knee
 * is where both are equal. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "report/stream.h"
#include "report/svg.h"
#include "tools/ccmod/inputs.h"

enum { KNEE_CURVES = 2 };

/* Rates are in packets/s on the busiest link. */
typedef struct {
    double offered_Hz; /* on the ideal network */
    double carried_Hz;
} knee_point;

typedef struct {
    double background;  /* load; 0 for the first curve */
    double capacity_Hz; /* carried if processors do not compute: the knee */
    knee_point own;     /* of the unchanged trace */
    knee_point *points; /* in order of increasing load */
    size_t point_count;
} knee_curve;

typedef struct {
    const tool_settings *settings;
    const tool_inputs *inputs;
    uint32_t cell;   /* the busiest one, with most packets */
    char link[128];  /* its name */
    double packets;  /* carried in one evaluation */
    double alone_us; /* end of the evaluation on the ideal network */
    knee_curve curves[KNEE_CURVES];
    size_t curve_count;
} knee_result;

enum {
    WIDTH = 760,
    HEIGHT = 520,
    LEFT = 100,
    RIGHT = 30,
    TOP = 80,
    BOTTOM = 60,
    NAME_BYTES = 96,
    TITLE_BYTES = 512
};

/* "no background", "background 30 % in the mean" */
static void name_curve(const knee_result *result, size_t curve, char *text, size_t bytes)
{
    bool drawn = result->inputs->background.kind == CCMOD_BACKGROUND_EXPONENTIAL;

    if (curve == 0)
        snprintf(text, bytes, "no background");
    else
        snprintf(text, bytes, "background %.3g %%%s", 100 * result->curves[curve].background,
                 drawn ? " in the mean" : "");
}

static const char *const directions[] = {[CCMOD_INWARD] = "inward", [CCMOD_OUTWARD] = "outward"};

static const char *direction_of(const knee_result *result)
{
    return directions[result->cell % 2];
}

/* Text */

static void write_rows(FILE *stream, const knee_result *result)
{
    char name[NAME_BYTES];

    fprintf(stream, "\n%10s  %16s", "of knee %", "offered /s");
    for (size_t i = 0; i < result->curve_count; i++) {
        name_curve(result, i, name, sizeof(name));
        fprintf(stream, "  %28s", name);
    }
    fputc('\n', stream);
    for (size_t k = 0; k < result->curves[0].point_count; k++) {
        double offered_Hz = result->curves[0].points[k].offered_Hz;

        fprintf(stream, "%10.1f  %16.1f", 100 * offered_Hz / result->curves[0].capacity_Hz,
                offered_Hz);
        for (size_t i = 0; i < result->curve_count; i++)
            fprintf(stream, "  %28.1f", result->curves[i].points[k].carried_Hz);
        fputc('\n', stream);
    }
}

/* The forms of --format. */
static void knee_write_text(FILE *stream, const knee_result *result)
{
    char name[NAME_BYTES];

    tool_write_assumed(result->inputs, stream);
    fprintf(stream, "%s on %s: packets/s on the busiest link, %s %s\n", result->settings->trace,
            result->inputs->network->name, result->link, direction_of(result));
    fprintf(stream, "%.0f packets; the processors alone would need %.6g us\n", result->packets,
            result->alone_us);
    tool_write_factor(result->inputs, stream);
    write_rows(stream, result);
    fputc('\n', stream);
    for (size_t i = 0; i < result->curve_count; i++) {
        const knee_curve *curve = &result->curves[i];

        name_curve(result, i, name, sizeof(name));
        fprintf(
            stream,
            "With %s the knee is at %.6g packets/s; as it stands the trace offers %.6g, %.3g %% "
            "of it, and %.6g are carried.\n",
            name, curve->capacity_Hz, curve->own.offered_Hz,
            100 * curve->own.offered_Hz / curve->capacity_Hz, curve->own.carried_Hz);
    }
}

/* CSV */

static void knee_write_csv(FILE *stream, const knee_result *result)
{
    fputs("background,capacity_Hz,offered_Hz,carried_Hz\n", stream);
    for (size_t i = 0; i < result->curve_count; i++) {
        const knee_curve *curve = &result->curves[i];

        for (size_t k = 0; k < curve->point_count; k++)
            fprintf(stream, "%.15g,%.15g,%.15g,%.15g\n", curve->background, curve->capacity_Hz,
                    curve->points[k].offered_Hz, curve->points[k].carried_Hz);
    }
}

/* JSON */

static void put_curve(report_stream *out, const knee_curve *curve)
{
    report_stream_object(out, NULL);
    report_stream_number(out, "background", curve->background);
    report_stream_number(out, "capacity_Hz", curve->capacity_Hz);
    report_stream_number(out, "own_offered_Hz", curve->own.offered_Hz);
    report_stream_number(out, "own_carried_Hz", curve->own.carried_Hz);
    report_stream_array(out, "points");
    for (size_t i = 0; i < curve->point_count; i++) {
        report_stream_object(out, NULL);
        report_stream_number(out, "offered_Hz", curve->points[i].offered_Hz);
        report_stream_number(out, "carried_Hz", curve->points[i].carried_Hz);
        report_stream_end(out);
    }
    report_stream_end(out);
    report_stream_end(out);
}

/* schema combench-knee/1 */
static void knee_write_json(FILE *stream, const knee_result *result)
{
    report_stream out = report_stream_begin(stream);

    report_stream_text(&out, "schema", "combench-knee/1");
    report_stream_text(&out, "version", CB_VERSION);
    report_stream_text(&out, "trace", result->settings->trace);
    report_stream_text(&out, "network", result->inputs->network->name);
    report_stream_text(&out, "link", result->link);
    report_stream_text(&out, "direction", direction_of(result));
    report_stream_number(&out, "packets", result->packets);
    report_stream_number(&out, "alone_us", result->alone_us);
    report_stream_array(&out, "curves");
    for (size_t i = 0; i < result->curve_count; i++)
        put_curve(&out, &result->curves[i]);
    report_stream_end(&out);
    report_stream_end(&out);
}

/* Picture */

/* Lines differ by dashes and points by shape, for readers who do not see colours. */
static const char style[] =
    ".c0{fill:none;stroke:#0072b2;stroke-width:2}.p0{fill:#0072b2}"
    ".c1{fill:none;stroke:#d55e00;stroke-width:2;stroke-dasharray:8 4}.p1{fill:#d55e00}"
    ".ideal{stroke:#777;stroke-width:1;stroke-dasharray:2 4}"
    ".k0{stroke:#0072b2;stroke-width:1}.k1{stroke:#d55e00;stroke-width:1;stroke-dasharray:8 4}"
    ".own{stroke:#000;stroke-width:1.5}";

static const struct {
    const char *line, *point, *knee;
} classes[KNEE_CURVES] = {{"c0", "p0", "k0"}, {"c1", "p1", "k1"}};

typedef struct {
    FILE *stream;
    report_axis offered, carried; /* in k packets/s */
} knee_page;

static knee_page lay_out(FILE *stream, const knee_result *result)
{
    const knee_curve *first = &result->curves[0];
    double highest_Hz = first->points[first->point_count - 1].offered_Hz;
    double carried_Hz = fmax(first->capacity_Hz, first->points[first->point_count - 1].carried_Hz);

    return (knee_page){stream,
                       {0, highest_Hz / 1e3, LEFT, WIDTH - RIGHT},
                       {0, 1.1 * carried_Hz / 1e3, HEIGHT - BOTTOM, TOP}};
}

static double x_of(const knee_page *page, double offered_Hz)
{
    return report_axis_place(&page->offered, offered_Hz / 1e3);
}

static double y_of(const knee_page *page, double carried_Hz)
{
    return report_axis_place(&page->carried, carried_Hz / 1e3);
}

/* Circles on the first curve, squares on the second. */
static void draw_point(const knee_page *page, size_t curve, double x, double y)
{
    if (curve == 0)
        fprintf(page->stream, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3.5\" class=\"%s\"/>\n", x, y,
                classes[curve].point);
    else
        report_svg_box(page->stream, x - 3.5, y - 3.5, 7, 7, classes[curve].point);
}

static void draw_curve(const knee_page *page, const knee_result *result, size_t number)
{
    const knee_curve *curve = &result->curves[number];

    fprintf(page->stream, "<polyline class=\"%s\" points=\"%.2f,%.2f", classes[number].line,
            x_of(page, 0), y_of(page, 0));
    for (size_t i = 0; i < curve->point_count; i++)
        fprintf(page->stream, " %.2f,%.2f", x_of(page, curve->points[i].offered_Hz),
                y_of(page, curve->points[i].carried_Hz));
    fputs("\"/>\n", page->stream);
    for (size_t i = 0; i < curve->point_count; i++)
        draw_point(page, number, x_of(page, curve->points[i].offered_Hz),
                   y_of(page, curve->points[i].carried_Hz));
    report_svg_line(page->stream, page->offered.low, y_of(page, curve->capacity_Hz),
                    page->offered.high, y_of(page, curve->capacity_Hz), classes[number].knee);
}

static void mark_own_load(const knee_page *page, const knee_result *result)
{
    const knee_point *own = &result->curves[0].own;
    double x = x_of(page, own->offered_Hz);

    if (x > page->offered.high)
        return;
    report_svg_line(page->stream, x, page->carried.low, x, y_of(page, own->carried_Hz), "own");
    report_svg_text(page->stream, x + 5, page->carried.low - 8, "start", "", "the trace as it is");
}

static void knee_write_svg(FILE *stream, const knee_result *result)
{
    knee_page page = lay_out(stream, result);
    char title[TITLE_BYTES];
    double capacity_Hz = result->curves[0].capacity_Hz;

    snprintf(title, sizeof(title), "%.200s on %s: %s %s", result->settings->trace,
             result->inputs->network->name, result->link, direction_of(result));
    report_svg_begin(stream, WIDTH, HEIGHT, title, style);
    report_svg_text(stream, LEFT, 24, "start", "title", title);
    report_axis_draw_below(stream, &page.offered, page.carried.low, page.carried.high,
                           "offered load in 1000 packets/s");
    report_axis_draw_left(stream, &page.carried, page.offered.low, page.offered.high,
                          "carried by the busiest link in 1000 packets/s");
    /* ideally, offered packets are carried up to the knee */
    report_svg_line(page.stream, x_of(&page, 0), y_of(&page, 0), x_of(&page, capacity_Hz),
                    y_of(&page, capacity_Hz), "ideal");
    for (size_t i = 0; i < result->curve_count; i++) {
        char name[NAME_BYTES], text[TITLE_BYTES];
        double x = LEFT + 320.0 * (double)i;

        name_curve(result, i, name, sizeof(name));
        snprintf(text, sizeof(text), "%s, knee at %.5g packets/s", name,
                 result->curves[i].capacity_Hz);
        report_svg_line(page.stream, x, 50, x + 30, 50, classes[i].line);
        draw_point(&page, i, x + 15, 50);
        report_svg_text(page.stream, x + 38, 54, "start", "", text);
    }
    mark_own_load(&page, result);
    for (size_t i = result->curve_count; i-- > 0;)
        draw_curve(&page, result, i);
    report_svg_end(stream);
}

static const double largest_load = 2; /* as a multiple of the knee */

/* A trace with scaled computing times. */
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

/* On the ideal network. */
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
    cb_error("'%s' has no computing times, which vary the load; add some, as 'c 10'",
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

/* The first cell with most packets. */
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
    cb_error("'%s' sends no message over a link, so no link has a knee; add messages",
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

/* Loads of both curves are multiples of the knee without background, so that rows are comparable.
 */
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
