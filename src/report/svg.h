/* Pictures in SVG: axes with round numbers, text and a frame, readable on screens and paper.
 *
 * Coordinates are pixels from the upper left corner. Check the stream for errors at the end. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include <stdio.h>

/* `style` is CSS added to the common style (text 12 px sans-serif); `title` is for screen readers.
 */
void report_svg_begin(FILE *stream, double width, double height, const char *title,
                      const char *style);
void report_svg_end(FILE *stream);

/* `anchor`: start, middle or end; `class`: a class of the style, or "". */
void report_svg_text(FILE *stream, double x, double y, const char *anchor, const char *class,
                     const char *text);
void report_svg_line(FILE *stream, double x1, double y1, double x2, double y2, const char *class);
void report_svg_box(FILE *stream, double x, double y, double width, double height,
                    const char *class);

/* Values `from` to `to` are drawn at the pixels `low` to `high`; `high` may be less than `low`. */
typedef struct {
    double from, to;
    double low, high;
} report_axis;

double report_axis_place(const report_axis *axis, double value);

/* The smallest round step (1, 2 or 5 times a power of ten) that divides the axis into at most
 * `most` parts. */
double report_axis_step(const report_axis *axis, unsigned most);

/* Draw ticks with numbers, and a name, along a horizontal axis at height `y` or a vertical axis at
 * `x`. Grid lines extend to the pixel `across`. */
void report_axis_draw_below(FILE *stream, const report_axis *axis, double y, double across,
                            const char *name);
void report_axis_draw_left(FILE *stream, const report_axis *axis, double x, double across,
                           const char *name);

#endif
