/* ccmod, the command line of the communication model: one file per subcommand, and shared parts
 * with the options of those that evaluate a trace. */
#ifndef TOOLS_CCMOD_TOOL_H
#define TOOLS_CCMOD_TOOL_H

#include <ccmod/ccmod.h>

#include "base/options.h"

/* A subcommand. argv[0] is its name; the result is the exit status. */
typedef struct {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
} ccmod_command;

extern const ccmod_command ccmod_command_calibrate, ccmod_command_convert, ccmod_command_generate,
    ccmod_command_info, ccmod_command_knee, ccmod_command_run, ccmod_command_signals,
    ccmod_command_timeline;

/* The exit statuses of all subcommands, for their tables of options. */
extern const char *const tool_exit_statuses[];

/* Parse with the defaults. --help, --manual and --version are executed; *done is then set. */
cb_status tool_parse(const cb_option_table *table, int argc, char **argv, void *parameters,
                     bool *given, bool *done);

/* The project's status for one of the library. */
cb_status tool_status(ccmod_status status);

/* Log the error of the library and return its status. */
cb_status tool_fail(const ccmod_error *error);

/* The same for errors found before the evaluation, including unreadable files: CB_ERROR_USAGE, or
 * CB_ERROR_MEMORY. */
cb_status tool_refuse(const ccmod_error *error);

/* The exit status: 0; 2 for wrong input; 77 unsupported; 1 for anything else, including a workload
 * that cannot end. */
int tool_exit(cb_status status);

/* Flush standard output; CB_ERROR_SYSTEM, logged, if that fails. */
cb_status tool_flush(void);

enum { TOOL_OPTIONS = 48 };

/* The values of the options. */
typedef struct {
    const char *trace, *network, *calibration, *mode, *share, *background, *background_interval;
    const char *format, *output, *signals, *mask, *buffer;
    double overhead_us, latency_us, bandwidth_MBps, hop_us, gap_us, barrier_us;
    double background_interval_us;
    double from_us, to_us;
    double until_us, precision_pct;
    uint64_t eager_bytes, seed, points, rate_of, rate_round;
    bool doubled, check;
} tool_settings;

extern const cb_option_table run_options, timeline_options, knee_options, signals_options;

#endif
