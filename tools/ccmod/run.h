/* What ccmod run evaluates, and the forms of its result. */
#ifndef TOOLS_CCMOD_RUN_H
#define TOOLS_CCMOD_RUN_H

#include "tools/ccmod/inputs.h"

enum { RUN_CASES = 3 };

/* One evaluation: the only one, or one of best, average and worst. */
typedef struct {
    const char *name;
    ccmod_parameters parameters;
    ccmod_result *result;
} run_case;

typedef struct {
    const tool_settings *settings;
    const tool_inputs *inputs;
    run_case cases[RUN_CASES];
    size_t case_count;
    ccmod_result
        *doubled; /* with the bottleneck twice as wide; NULL where that was not asked for */
} run_plan;

/* The case that the figures of a result belong to. */
const run_case *run_average(const run_plan *plan);

/* "node 3, outward". */
enum { RUN_NAME_BYTES = 96, RUN_SENTENCE_BYTES = 512 };
void run_name_cell(const run_plan *plan, uint32_t cell, char text[RUN_NAME_BYTES]);

/* Which link limits, by how much, and, where it was evaluated, what doubling it gains. */
void run_describe_bottleneck(const run_plan *plan, char text[RUN_SENTENCE_BYTES]);

/* How far a cell is used: its work, over width and time; 0 to about 1. */
double run_use_of(const run_plan *plan, uint32_t cell);

void run_write_text(FILE *stream, const run_plan *plan);
void run_write_json(FILE *stream, const run_plan *plan); /* schema combench-model/1 */

#endif
