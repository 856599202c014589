/* The knee of a trace on a network: what its busiest link carries against what is offered to it. */
#ifndef TOOLS_CCMOD_KNEE_FORMS_H
#define TOOLS_CCMOD_KNEE_FORMS_H

#include "tools/ccmod/inputs.h"

enum { KNEE_CURVES = 2 };

/* Rates are packets/s on the busiest link. */
typedef struct {
    double offered_Hz; /* with a network that takes no time */
    double carried_Hz;
} knee_point;

typedef struct {
    double background;  /* load; 0 on the first curve */
    double capacity_Hz; /* carried when the processors compute nothing: the knee */
    knee_point own;     /* of the trace as it stands */
    knee_point *points; /* by ascending load */
    size_t point_count;
} knee_curve;

typedef struct {
    const tool_settings *settings;
    const tool_inputs *inputs;
    uint32_t cell;   /* the busiest: with most packets */
    char link[128];  /* its name */
    double packets;  /* that it carries in one evaluation */
    double alone_us; /* the end with a network that takes no time */
    knee_curve curves[KNEE_CURVES];
    size_t curve_count;
} knee_result;

/* The forms of --format. */
void knee_write_text(FILE *stream, const knee_result *result);
void knee_write_csv(FILE *stream, const knee_result *result);
void knee_write_json(FILE *stream, const knee_result *result); /* schema combench-knee/1 */
void knee_write_svg(FILE *stream, const knee_result *result);

#endif
