/* The curves of ccmod knee as text, CSV, JSON and a picture. */
#include "config.h"

#include "tools/ccmod/knee_forms.h"

#include <math.h>

#include "report/stream.h"
#include "report/svg.h"

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

void knee_write_text(FILE *stream, const knee_result *result)
{
    char name[NAME_BYTES];

    fprintf(stream, "%s on %s: packets/s on the busiest link, %s %s\n", result->settings->trace,
            result->inputs->network->name, result->link, direction_of(result));
    fprintf(stream, "%.0f packets; the processors alone would need %.6g us\n", result->packets,
            result->alone_us);
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

void knee_write_csv(FILE *stream, const knee_result *result)
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

void knee_write_json(FILE *stream, const knee_result *result)
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

/* Lines are told apart by dashes, points by their shapes, where colours are not seen. */
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

static void draw_legend(const knee_page *page, const knee_result *result)
{
    for (size_t i = 0; i < result->curve_count; i++) {
        char name[NAME_BYTES], text[TITLE_BYTES];
        double x = LEFT + 320.0 * (double)i;

        name_curve(result, i, name, sizeof(name));
        snprintf(text, sizeof(text), "%s, knee at %.5g packets/s", name,
                 result->curves[i].capacity_Hz);
        report_svg_line(page->stream, x, 50, x + 30, 50, classes[i].line);
        draw_point(page, i, x + 15, 50);
        report_svg_text(page->stream, x + 38, 54, "start", "", text);
    }
}

/* What is offered is carried up to the knee, in the ideal. */
static void draw_ideal(const knee_page *page, const knee_result *result)
{
    double capacity_Hz = result->curves[0].capacity_Hz;

    report_svg_line(page->stream, x_of(page, 0), y_of(page, 0), x_of(page, capacity_Hz),
                    y_of(page, capacity_Hz), "ideal");
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

void knee_write_svg(FILE *stream, const knee_result *result)
{
    knee_page page = lay_out(stream, result);
    char title[TITLE_BYTES];

    snprintf(title, sizeof(title), "%.200s on %s: %s %s", result->settings->trace,
             result->inputs->network->name, result->link, direction_of(result));
    report_svg_begin(stream, WIDTH, HEIGHT, title, style);
    report_svg_text(stream, LEFT, 24, "start", "title", title);
    report_axis_draw_below(stream, &page.offered, page.carried.low, page.carried.high,
                           "offered load in 1000 packets/s");
    report_axis_draw_left(stream, &page.carried, page.offered.low, page.offered.high,
                          "carried by the busiest link in 1000 packets/s");
    draw_ideal(&page, result);
    draw_legend(&page, result);
    mark_own_load(&page, result);
    for (size_t i = result->curve_count; i-- > 0;)
        draw_curve(&page, result, i);
    report_svg_end(stream);
}
