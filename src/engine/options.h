/* Options of the benchmark programs: the rows, and the struct that they fill. */
#ifndef ENGINE_OPTIONS_H
#define ENGINE_OPTIONS_H

#include <stdalign.h>

#include "base/fragments.h"
#include "base/options.h"
#include "base/units.h"
#include "engine/definition.h"

struct bench_options {
    const char *technology;
    cb_list sizes;
    bool sweep;
    const char *fragments; /* NULL: not given */
    double correlation;
    cb_fragments sizes_of_fragments; /* made from these two; law_count 0: sizes do not vary */
    cb_list processors, destinations, sources, receivers;
    const char *group;
    const char *mode;
    double precision_pct, max_time_s;
    uint64_t window;
    uint64_t threads; /* that send in each source; 0 as 1 */
    const char *wait, *touch, *connect, *buffers;
    const char *placement; /* NULL: order of the launcher */
    const char *compute;
    uint64_t in_flight; /* 0: find it by search */
    cb_list algorithms_us;
    double rate_hz;
    const char *arrivals, *load_curve;
    bool find_rate;
    double deadline_us;
    const char *quantile;
    double slow_us;
    const char *timeline;
    uint64_t timeline_events; /* 0: not given */
    uint64_t seed;
    bool verify;
    const char *format, *output;
    const char *config;
    const char *interface;
    const char *parameter;                  /* NAME=VALUE,...; NULL: not given */
    const char *model, *network, *share;    /* model NULL: a real run */
    const char *switch_buffer, *background; /* of the model; NULL: not given */
    const char *group_send;                 /* one of those below; NULL: not given */
    uint64_t model_ranks;                   /* 0: as many as the counts need */
    uint64_t messages;                      /* of a row in a model, at most */
    const char *emit_trace;
    uint64_t trace_steps, trace_blocks;
    uint64_t trace_ranks; /* 0: as many as take part */
    double trace_pace_us;
    const char *trace_group_send;
    alignas(max_align_t) unsigned char own[BENCH_OWN_BYTES]; /* struct of the benchmark's own
                                                              * options */
};

/* --group-send */
#define BENCH_GROUP_SEND_NETWORK "network"
#define BENCH_GROUP_SEND_TREE "tree"

enum { OPTIONS_THREADS_MOST = 64 }; /* --threads */

enum { OPTIONS_ROWS = 96 }; /* room for the rows of the engine and of all benchmarks */

/* What a technology has to declare for --threads above 1. */
enum { OPTIONS_THREADS_NEED = TRANSPORT_CONCURRENT_SEND | TRANSPORT_RELIABLE };

/* Which of the engine's options a benchmark takes; derived from its definition. */
typedef enum {
    BENCH_TAKES_PROCESSORS = 1u << 0,
    BENCH_TAKES_DESTINATIONS = 1u << 1,
    BENCH_TAKES_SOURCES = 1u << 2,
    BENCH_TAKES_LOAD = 1u << 3, /* events may be due at a rate */
    BENCH_TAKES_WINDOW = 1u << 4,
    BENCH_TAKES_MODES = 1u << 5,
    BENCH_TAKES_FARM = 1u << 6,
    BENCH_TAKES_ALGORITHM = 1u << 8,
    BENCH_TAKES_SIDES = 1u << 9,    /* --compute for sources, destinations or both */
    BENCH_TAKES_NODES = 1u << 10,   /* --compute for all nodes, which are both */
    BENCH_TAKES_BLOCKS = 1u << 13,  /* it is measured in blocks of steps */
    BENCH_TAKES_THREADS = 1u << 14, /* its sources may send with several threads */
    BENCH_TAKES_FRAGMENTS = 1u << 15,
    BENCH_TAKES_PACKETS = 1u << 16, /* its messages follow from options, not from a trace */
    BENCH_TAKES_TIMELINE = 1u << 7,
    BENCH_TAKES_OWN = 1u << 31 /* option of another benchmark */
} bench_scope;

/* The option table of one program. It has pointers into itself: do not copy. */
typedef struct {
    cb_option_table table;
    cb_option rows[OPTIONS_ROWS];
    const benchmark *const *registry;
    char program[64], synopsis[96];
} options_table;

/* Make the table for a benchmark of a registry (an array ended by NULL). Cannot fail. */
void options_table_make(const benchmark *definition, const benchmark *const *registry,
                        options_table *out);

#endif
