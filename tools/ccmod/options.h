/* The options of all subcommands that evaluate a trace. */
#ifndef TOOLS_CCMOD_OPTIONS_H
#define TOOLS_CCMOD_OPTIONS_H

#include "tools/ccmod/tool.h"

enum { TOOL_OPTIONS = 48 };

/* The options, as they were given. */
typedef struct {
    const char *trace, *network, *calibration, *mode, *share, *background, *format, *output;
    double overhead_us, latency_us, bandwidth_MBps, hop_us, gap_us, barrier_us;
    double background_interval_us;
    double from_us, to_us;
    double until_us, precision_pct;
    uint64_t eager_bytes, seed, points, rate_of, rate_round;
    bool doubled, check;
} tool_settings;

extern const cb_option_table run_options, timeline_options, knee_options, signals_options;

#endif
