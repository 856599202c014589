/* What the subcommands that evaluate a trace have in common: their options, and what these name. */
#ifndef TOOLS_CCMOD_INPUTS_H
#define TOOLS_CCMOD_INPUTS_H

#include <stdio.h>

#include "tools/ccmod/tool.h"

/* What --background says. */
typedef struct {
    ccmod_background kind;
    double load;
    bool three; /* best, average and worst: `kind` and `load` are the average */
} tool_background;

typedef struct {
    ccmod_trace *trace;
    ccmod_network *network;
    ccmod_calibration calibration;
    ccmod_parameters parameters; /* with the background, of three cases the average */
    tool_background background;
} tool_inputs;

/* One evaluation, on another network than that of the inputs where one wants. A workload is made of
 * the trace, and given to `wrap` (unless NULL), which may put its own around it. Errors are logged.
 */
typedef ccmod_workload *tool_wrap(ccmod_workload *workload, void *context);
typedef struct {
    const ccmod_network *network;
    const ccmod_calibration *calibration;
    const ccmod_parameters *parameters;
    const ccmod_observer *observer; /* or NULL */
    tool_wrap *wrap;
    void *wrap_context;
} tool_evaluation;

/* Of the inputs as they are. */
tool_evaluation tool_plain_evaluation(const tool_inputs *inputs);
cb_status tool_evaluate(const tool_inputs *inputs, const tool_evaluation *evaluation,
                        ccmod_result **out);

/* Whether they can be evaluated, as far as that is known without doing so. Errors are logged. */
cb_status tool_check(const tool_inputs *inputs);

/* Where a result goes: a file, which is replaced as a whole, or standard output. */
typedef struct {
    char *path; /* NULL: standard output */
} tool_target;

/* An output that cannot be written is known before the evaluation. Closed in any case. */
cb_status tool_open_target(const char *output, tool_target *target);
cb_status tool_write(const tool_target *target, void (*write)(FILE *stream, void *context),
                     void *context);
void tool_close_target(tool_target *target);

/* What a subcommand does with what its options name. Errors are logged. */
typedef cb_status tool_work(const tool_settings *settings, const tool_inputs *inputs,
                            const tool_target *target);

/* A subcommand that evaluates a trace, from its command line to its exit status. What is wrong with
 * the inputs, and an output that cannot be written, are known before the work begins. */
int tool_carry_out(const cb_option_table *table, int argc, char **argv, tool_work *work);

#endif
