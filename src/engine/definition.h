/* A benchmark as data: everything that anybody must know about it, in one constant.
 *
 * Each file of benchmarks/ defines one `const benchmark cb_NAME`; benchmarks/registry.h lists them.
 * Options, plan, help, manual page, completion, the JSON of --describe and the tests take what they
 * know from here. */
#ifndef ENGINE_DEFINITION_H
#define ENGINE_DEFINITION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/options.h"
#include "base/status.h"
#include "transport/transport.h"

typedef struct bench_rank bench_rank;
typedef struct bench_options bench_options;
typedef struct bench_shape_list bench_shape_list;
typedef struct benchmark benchmark;
typedef struct measurement_method measurement_method;

/* Which chapter of docs/using/benchmarks.md it belongs to. Farms and pipelines run an algorithm on
 * each packet and have no modes to choose from; programs of Parkbench try their clock first (TICK1
 * and TICK2), take --breakpoint, and each of their curves has Parkbench's parameters. */
typedef enum {
    BENCH_GROUP_BASIC,
    BENCH_GROUP_FARM,
    BENCH_GROUP_CALIBRATION,
    BENCH_GROUP_PARKBENCH
} bench_group;

/* How many ranks have a role, of the count that is measured (processors, sources, destinations).
 * BENCH_REST: those that two roles of one rank each leave. */
typedef enum { BENCH_NONE, BENCH_ONE, BENCH_HALF, BENCH_COUNT, BENCH_REST } bench_share;

/* Whom a rank talks to: all of some roles, role after role; the one with the same index in a role;
 * the others of its own role, the next one first, so that no two begin with the same; in a topology
 * those that feed it and after them the one that it feeds. */
typedef enum { BENCH_ALL, BENCH_TWIN, BENCH_OTHERS, BENCH_CHAIN } bench_peering;

/* Sets of roles. */
enum { BENCH_HEARS_ALL = 0, BENCH_FIRST = 1u << 0, BENCH_SECOND = 1u << 1, BENCH_THIRD = 1u << 2 };

enum { BENCH_ROLES = 3, BENCH_MODES = 8, BENCH_STAGES = 8 };

/* How many ranks are in each stage; see shape.h. */
typedef struct {
    size_t stages[BENCH_STAGES];
    size_t stage_count;
} bench_shape;

typedef struct {
    const char *name; /* source, destination, node */
    bench_share share;
    bench_peering peering;
    unsigned peer_roles; /* the roles that the peers have */
    unsigned heard;      /* those of them that it receives from, or BENCH_HEARS_ALL */
} bench_role;

typedef cb_status (*bench_action)(bench_rank *me);

/* What a rank of a farm does about a message: `from` is the place of its sender among the peers,
 * and the buffer is the action's to send or release. */
typedef cb_status (*bench_reaction)(bench_rank *me, size_t from, transport_buffer *buffer);

typedef struct {
    bench_action begin, step, finish; /* begin and finish may be NULL */
    bench_reaction react;             /* in place of a step, of a farm's sources and destinations */
    bool timed;                       /* this role's clock counts; of several the longest block */
    bool starts_after_begin;          /* its block begins after begin ... */
    bool ends_before_finish;          /* ... and ends with the last step, not with finish */
} bench_actions;

typedef enum { BENCH_LATENCY, BENCH_ROUND } bench_figure;

/* Data packets that all destinations together receive in a step / divisor, by what is counted. */
typedef enum {
    BENCH_PACKETS_ONE,
    BENCH_PACKETS_TWO,
    BENCH_PACKETS_EACH, /* one for each of the count; of a topology what its last stage takes */
    BENCH_PACKETS_EACH_PAIR, /* one for every two */
    BENCH_PACKETS_AMONG_ALL  /* one from each to all others */
} bench_packets;

typedef struct {
    const char *name;
    const char *summary; /* what a step is, for --help */
    size_t processors;   /* of BENCH_BY_MODE: how many take part */
    bench_figure figure; /* the time of a step is reported as latency_us or round_us ... */
    unsigned divisor;    /* ... divided by this: 2 for a round trip */
    bench_packets packets;
    bool counts_packets; /* frequency_Hz counts packets, not steps */
    bool on_request;     /* only with --mode */
    const char *tells;   /* what ccmod calibrate learns of messages from its rows; NULL: nothing */
    bench_actions roles[BENCH_ROLES];
} bench_mode;

/* What the list of counts counts, and thereby which option gives it. */
typedef enum {
    BENCH_PAIR_ONLY,
    BENCH_BY_MODE, /* each mode says how many processors it has */
    BENCH_PROCESSORS,
    BENCH_DESTINATIONS,
    BENCH_SOURCES,
    BENCH_FARM,    /* sources and destinations, and a supervisor */
    BENCH_TOPOLOGY /* --topology: stages of ranks */
} bench_counted;

/* How a list of destinations changes from one broadcast to the next. */
typedef enum { BENCH_FIXED, BENCH_ROTATE, BENCH_RANDOM } bench_list;

/* What the figure at the reference count serves for. */
typedef enum {
    BENCH_NO_RATIO,
    BENCH_CONGESTION, /* time per packet of a node / that of the reference: 1.3 */
    BENCH_EFFICIENCY, /* frequency per pair / that of the reference: 1.4 */
    BENCH_LOSS        /* per cent of the reference's packet rate that is missing: 1.7 */
} bench_ratio;

/* A column of the result that says what was measured, and its formula in words. */
typedef struct {
    const char *column, *formula;
} bench_formula;

/* A picture that a report should have: one column against another. */
typedef struct {
    const char *column, *against;
} bench_plot;

/* An upper bound on the rate of a farm, by what another benchmark measured: the rate of a mode at a
 * `count`, times `times`, both formulas of the farm's `sources` and `destinations`; at the farm's
 * packet size or, for control messages, at the least size above 0 that all benchmarks measure. */
typedef struct {
    const char *benchmark, *mode;
    const char *what; /* "what a source can send"; {sources} and {destinations} are replaced */
    const char *count, *times;
    bool control;
} bench_bound;

/* What a program of Parkbench is compared with: a mode of another benchmark. The time of a step of
 * either, divided by the packets of its mode, is t, the time of one message. */
typedef struct {
    const char *benchmark, *mode;
    const char *rate;     /* what n / t is the rate of */
    const char *relation; /* how the two definitions agree, in sentences */
} bench_counterpart;

enum { BENCH_TABLE = 8, BENCH_BOUNDS = 4 };
enum { BENCH_FORMULAS = 8, BENCH_PLOTS = 4, BENCH_USUAL = 4, BENCH_OWN_BYTES = 128 };

struct benchmark {
    const char *name;        /* oneway */
    const char *id;          /* in note 48, 1.1, or in Parkbench */
    const char *label;       /* for the headings of reports: 1.1 one-way; NULL: the name */
    const char *title;       /* one line */
    const char *description; /* paragraphs, for --help and the manual page */
    bench_group group;
    /* For whoever chooses a diagram: pair, exchange, all-to-all, pairs, one-to-many, many-to-one,
     * push-farm, pull-farm, pipeline, calibration. Benchmarks may have a pattern in common. */
    const char *pattern;
    bench_counted counted;
    /* The usual counts, ended by a 0: one number each; of farms sources and destinations; of
     * topologies the stages. Without any: as many processors as a mode has. */
    size_t usual[BENCH_USUAL][BENCH_STAGES];
    bench_ratio ratio;
    size_t reference; /* the count that the ratio refers to, measured first; 0 without ratio */
    bool fit;         /* a short sweep to 1 MiB is added, for Hockney's parameters */
    bool lists;       /* of destinations that may change; its own options are bench_list_options */
    bool shares;      /* modes with more than one peer report each peer's share */
    bool part_rounds; /* its steps send only me->shifts messages where that is not 0: in traces */
    bench_role roles[BENCH_ROLES];
    bench_mode modes[BENCH_MODES];         /* ended by one without a name */
    bench_formula figures[BENCH_FORMULAS]; /* ended by one without a column, as the plots */
    bench_plot plots[BENCH_PLOTS];
    /* The columns that a report's table shows, ended by NULL; of one with parts a member, as in
     * event_latency_us.p99. Without any: those of its figures. */
    const char *table[BENCH_TABLE];
    bench_bound bounds[BENCH_BOUNDS]; /* of a farm; ended by one without a benchmark */
    bench_counterpart counterpart;    /* without a benchmark: there is none */
    /* Of the farm group: choose the shapes to measure in a job of `ranks`, by its options.
     * CB_ERROR_USAGE, logged, where options or ranks do not go together. Pure. */
    cb_status (*choose_shapes)(const benchmark *definition, const bench_options *options,
                               size_t ranks, bench_shape_list *out);
    /* Of the farm group: whether its options ask for the technology's own group send. NULL: never.
     */
    bool (*uses_multicast)(const bench_options *options);
    /* Options of this benchmark alone: rows whose offsets are into a struct of its own, of at most
     * BENCH_OWN_BYTES, which its steps find as me->own_options. */
    const cb_option *options;
    size_t option_count;
    /* Make what the mode needs beside peers, and unmake it; both may be NULL. The time of set_up is
     * reported for each group that it makes. */
    cb_status (*set_up)(bench_rank *me);
    void (*tear_down)(bench_rank *me);
    /* How it is measured, where the plain passes are not all of it; and the same with --compute,
     * NULL where no rank can be occupied. */
    const measurement_method *method, *overlap;
};

/* The own options of a benchmark with lists; NULL is not given. */
typedef struct {
    const char *multicast, *list;
} bench_list_options;

/* "basic", "farm", "calibration", "parkbench" */
const char *bench_group_name(bench_group group);

/* What is counted: "processors", "destinations", "sources" or "topology". The least count, and the
 * number that each is a multiple of: 2 where ranks make pairs. */
const char *bench_counted_name(bench_counted counted);
size_t bench_count_least(const benchmark *definition);
size_t bench_count_multiple(const benchmark *definition);

/* Packets of a step / divisor at a count. */
size_t bench_packets_of(bench_packets packets, size_t count);

/* The same as a formula of `count`: "count * (count - 1)". */
const char *bench_packets_formula(bench_packets packets);

/* Whether a mode is timed from the end of its first step on, as a pipeline is. */
bool bench_is_led_in(const bench_mode *mode);

/* The mode of that name, or NULL. */
const bench_mode *bench_find_mode(const benchmark *definition, const char *name);

/* Which ranks compute beside the communication (--compute), as a set of sides. */
typedef enum {
    BENCH_UNOCCUPIED = 0,
    BENCH_OCCUPY_SOURCE = 1,
    BENCH_OCCUPY_DESTINATION = 2,
    BENCH_OCCUPY_BOTH = BENCH_OCCUPY_SOURCE | BENCH_OCCUPY_DESTINATION
} bench_occupation;

/* Sides of a measurement that can compute beside the communication. */
typedef enum { BENCH_SIDE_SOURCE, BENCH_SIDE_DESTINATION, BENCH_SIDE_NODE, BENCH_SIDES } bench_side;

/* "none", "source", "destination", "both", and back; NULL (not given) and any other text are none.
 */
const char *bench_occupation_name(bench_occupation occupation);
bench_occupation bench_occupation_named(const char *name);

/* The names of what a benchmark's ranks can be occupied with, ended by NULL; NULL where it has no
 * method for it. Where its roles are sides (source, destination) there are all four; nodes,
 * which are source and destination at once, compute under both or not at all. */
const char *const *bench_occupations(const benchmark *definition);

/* The side that a role is, where it can be occupied; BENCH_SIDES otherwise. And its name, which is
 * that of the role. */
bench_side bench_side_of(const bench_role *role);
const char *bench_side_name(bench_side side);

/* Whether ranks of a role compute. */
bool bench_occupies(bench_occupation occupation, const bench_role *role);

#endif
