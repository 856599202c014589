/* What ccmod run evaluates, and the forms of its result. */
#ifndef TOOLS_CCMOD_RUN_PLAN_H
#define TOOLS_CCMOD_RUN_PLAN_H

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
static inline const run_case *run_average(const run_plan *plan)
{
    return &plan->cases[plan->case_count > 1 ? 1 : 0];
}

#endif
