/* The options of the benchmark programs, as rows, and the structure that they fill. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include "base/options.h"
#include "base/units.h"
#include "engine/benchmark.h"

typedef struct {
    const char *technology;
    cb_list sizes;
    bool sweep;
    cb_list processors, destinations, sources, receivers;
    const char *group;
    uint64_t breakpoint_bytes; /* 0: none */
    const char *mode;
    double precision_pct, max_time_s;
    uint64_t window;
    const char *wait, *touch, *connect, *buffers;
    const char *placement; /* NULL: in the launcher's order */
    const char *multicast, *list;
    const char *compute;
    uint64_t in_flight; /* 0: searched for */
    cb_list algorithms_us;
    double rate_hz;
    const char *arrivals, *load_curve;
    bool find_rate;
    double deadline_us;
    const char *quantile;
    double slow_us;
    const char *timeline;
    uint64_t timeline_events; /* 0: not given */
    const char *topologies;
    uint64_t seed;
    bool verify;
    const char *format, *output;
    const char *config;
    const char *interface;
    const char *parameter; /* NAME=VALUE,... of the technology; NULL: none are given */
    const char *emit_trace;
    uint64_t trace_steps, trace_ranks; /* ranks 0: as many as take part */
} bench_options;

enum { BENCH_OPTION_ROWS = 50 }; /* room for what was given, row by row */

/* Which options a benchmark has. */
typedef enum {
    BENCH_TAKES_PROCESSORS = 1u << 0,
    BENCH_TAKES_DESTINATIONS = 1u << 1,
    BENCH_TAKES_SOURCES = 1u << 2,
    BENCH_TAKES_LISTS = 1u << 3,
    BENCH_TAKES_WINDOW = 1u << 4,
    BENCH_TAKES_MODES = 1u << 5,
    BENCH_TAKES_FARM = 1u << 6,
    BENCH_TAKES_TOPOLOGY = 1u << 7,
    BENCH_TAKES_ALGORITHM = 1u << 8,
    BENCH_TAKES_SIDES = 1u << 9, /* --compute on the side of sources, of destinations, or of both */
    BENCH_TAKES_NODES = 1u << 10, /* --compute on all nodes, which are both */
    BENCH_TAKES_PARKBENCH = 1u << 11
} bench_scope;

/* The table for a benchmark; program names are static. */
cb_option_table bench_option_table(const bench_definition *definition, const char *program,
                                   const char *synopsis);

/* Whether a window bounds what is sent in a mode: its sender drains it. */
bool bench_is_stream(const bench_mode *mode);

/* Whether it is timed from the end of its first step on, as a pipeline is. */
bool bench_is_led_in(const bench_mode *mode);

/* The mode of that name, or NULL. */
const bench_mode *bench_find_mode(const bench_definition *definition, const char *name);

#endif
