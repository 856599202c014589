/* The SVG elements that pictures of this project use. */
#include "report/svg.h"

#include <math.h>

#include "report/escape.h"

enum { TICK_PIXELS = 5, TICKS_BELOW = 10, TICKS_LEFT = 8 };

static const char common_style[] =
    "text{font:12px sans-serif;fill:#000}.axis{stroke:#000;stroke-width:1}"
    ".grid{stroke:#d0d0d0;stroke-width:0.6}.title{font-size:15px}";

void report_svg_begin(FILE *stream, double width, double height, const char *title,
                      const char *style)
{
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 "
            "%g %g\" role=\"img\">\n<title>",
            width, height, width, height);
    report_escape_xml(stream, title);
    fprintf(stream,
            "</title>\n<style>%s%s</style>\n<rect width=\"%g\" height=\"%g\" fill=\"#fff\"/>\n",
            common_style, style, width, height);
}

void report_svg_end(FILE *stream)
{
    fputs("</svg>\n", stream);
}

void report_svg_text(FILE *stream, double x, double y, const char *anchor, const char *class,
                     const char *text)
{
    fprintf(stream, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" class=\"%s\">", x, y, anchor,
            class);
    report_escape_xml(stream, text);
    fputs("</text>\n", stream);
}

void report_svg_line(FILE *stream, double x1, double y1, double x2, double y2, const char *class)
{
    fprintf(stream, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" class=\"%s\"/>\n", x1,
            y1, x2, y2, class);
}

void report_svg_box(FILE *stream, double x, double y, double width, double height,
                    const char *class)
{
    fprintf(stream, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" class=\"%s\"/>\n",
            x, y, width, height, class);
}

double report_axis_place(const report_axis *axis, double value)
{
    double span = axis->to - axis->from;

    return axis->low + (span > 0 ? (value - axis->from) / span * (axis->high - axis->low) : 0);
}

double report_axis_step(const report_axis *axis, unsigned most)
{
    static const double factors[] = {1, 2, 5, 10};
    double span = axis->to - axis->from;
    double power = span > 0 ? pow(10, floor(log10(span / most))) : 1;
    size_t i = 0;

    while (i < 3 && span / (factors[i] * power) > most)
        i++;
    return factors[i] * power;
}

/* The first multiple of the step on the axis; never -0, which would be printed as "-0". */
static double first_tick(const report_axis *axis, double step)
{
    return ceil(axis->from / step - 1e-9) + 0.0;
}

static double last_tick(const report_axis *axis, double step)
{
    return floor(axis->to / step + 1e-9);
}

void report_axis_draw_below(FILE *stream, const report_axis *axis, double y, double across,
                            const char *name)
{
    double step = report_axis_step(axis, TICKS_BELOW);

    for (double tick = first_tick(axis, step); tick <= last_tick(axis, step); tick++) {
        double x = report_axis_place(axis, tick * step);
        char number[32];

        snprintf(number, sizeof(number), "%.6g", tick * step);
        report_svg_line(stream, x, y, x, across, "grid");
        report_svg_line(stream, x, y, x, y + TICK_PIXELS, "axis");
        report_svg_text(stream, x, y + TICK_PIXELS + 13, "middle", "", number);
    }
    report_svg_line(stream, axis->low, y, axis->high, y, "axis");
    report_svg_text(stream, (axis->low + axis->high) / 2, y + TICK_PIXELS + 32, "middle", "", name);
}

void report_axis_draw_left(FILE *stream, const report_axis *axis, double x, double across,
                           const char *name)
{
    double step = report_axis_step(axis, TICKS_LEFT);

    for (double tick = first_tick(axis, step); tick <= last_tick(axis, step); tick++) {
        double y = report_axis_place(axis, tick * step);
        char number[32];

        snprintf(number, sizeof(number), "%.6g", tick * step);
        report_svg_line(stream, x, y, across, y, "grid");
        report_svg_line(stream, x, y, x - TICK_PIXELS, y, "axis");
        report_svg_text(stream, x - TICK_PIXELS - 3, y + 4, "end", "", number);
    }
    report_svg_line(stream, x, axis->low, x, axis->high, "axis");
    fprintf(stream,
            "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\" transform=\"rotate(-90 %.2f "
            "%.2f)\">",
            x - 62, (axis->low + axis->high) / 2, x - 62, (axis->low + axis->high) / 2);
    report_escape_xml(stream, name);
    fputs("</text>\n", stream);
}
