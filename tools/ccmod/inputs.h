/* Shared by the subcommands that evaluate a trace: their options and the objects that these name.
 */
#ifndef TOOLS_CCMOD_INPUTS_H
#define TOOLS_CCMOD_INPUTS_H

#include <stdio.h>

#include "base/output.h"
#include "tools/ccmod/tool.h"
#include "tools/ccmod/values.h"

/* What is shown during an evaluation. */
typedef struct {
    uint64_t start_ns;
    bool terminal;
    const char *slow_rule; /* a share rule to warn of; NULL: none, or done */
} tool_progress;

enum { TOOL_ASSUMED_BYTES = 128 };

typedef struct {
    ccmod_trace *trace;
    ccmod_network *network;
    ccmod_calibration calibration;
    ccmod_parameters parameters; /* with the background; of three cases, the average */
    tool_background background;
    uint32_t mask; /* of signals to print */
    tool_progress progress;
    char assumed[TOOL_ASSUMED_BYTES]; /* what of the quiet network was not given, in words, or "" */
} tool_inputs;

/* The beginning of the first line of a text: "quiet network assumed, not measured (...): ", or "".
 */
void tool_write_assumed(const tool_inputs *inputs, FILE *stream);

/* A line on what the mean of drawn loads means for a message, if each stays until it has passed; or
 * nothing. */
void tool_write_factor(const tool_inputs *inputs, FILE *stream);

/* One evaluation, optionally on another network. A workload is made from the trace and passed to
 * `wrap` (unless NULL), which may wrap it. Errors are logged. */
typedef ccmod_workload *tool_wrap(ccmod_workload *workload, void *context);
typedef struct {
    const ccmod_network *network;
    const ccmod_calibration *calibration;
    const ccmod_parameters *parameters;
    const ccmod_observer *observer; /* or NULL */
    tool_wrap *wrap;
    void *wrap_context;
} tool_evaluation;

/* An evaluation of the inputs without changes. */
tool_evaluation tool_plain_evaluation(const tool_inputs *inputs);
cb_status tool_evaluate(const tool_inputs *inputs, const tool_evaluation *evaluation,
                        ccmod_result **out);

/* The checks of an evaluation without evaluating. Errors are logged. */
cb_status tool_check(const tool_inputs *inputs);

/* Destination of a result: a file, which is replaced as a whole, or standard output. */
typedef struct {
    char *path; /* NULL: standard output */
    const cb_output_use *use;
} tool_target;

/* Open the output, so that an error is found before the evaluation. May be closed in any case. */
cb_status tool_open_target(const char *output, tool_target *target);
/* The same for the file of --signals, for which NULL is none. */
cb_status tool_open_signals(const char *path, tool_target *target);
cb_status tool_write(const tool_target *target, void (*write)(FILE *stream, void *context),
                     void *context);
void tool_close_target(tool_target *target);

/* The work of a subcommand with the objects of its options. Errors are logged. */
typedef cb_status tool_work(const tool_settings *settings, const tool_inputs *inputs,
                            const tool_target *target);

/* Run a subcommand that evaluates a trace, from command line to exit status. Errors of inputs and
 * output are found before the work begins. */
int tool_carry_out(const cb_option_table *table, int argc, char **argv, tool_work *work);

#endif
