/* A benchmark as data: its roles, modes, options, figures and texts.
 *
 * Each file of benchmarks/ defines one `const benchmark cb_NAME`; benchmarks/registry.h lists them.
 * Options, plan, --help, manual page, completion, --describe and tests are made from these tables.
 */
#ifndef ENGINE_DEFINITION_H
#define ENGINE_DEFINITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/options.h"
#include "base/status.h"
#include "report/columns.h"
#include "transport/transport.h"

typedef struct bench_rank bench_rank;
typedef struct bench_options bench_options;
typedef struct bench_shape_list bench_shape_list;
typedef struct benchmark benchmark;
/* The value of --buffers that has its own traffic. */
#define BENCH_SEPARATE "separate"

typedef struct measurement_method measurement_method;
typedef struct bench_plan bench_plan;
typedef struct bench_measurement bench_measurement;
typedef struct engine_session engine_session;

/* Number of ranks in a role, as a function of the count that is measured (processors, sources or
 * destinations). BENCH_REST: all but two. */
typedef enum { BENCH_NONE, BENCH_ONE, BENCH_HALF, BENCH_COUNT, BENCH_REST } bench_share;

/* The peers of a rank. BENCH_ALL: all ranks of some roles, role by role. BENCH_TWIN: the rank with
 * the same index in a role. BENCH_OTHERS: the other ranks of its own role, starting with the next
 * one, so that no two ranks start with the same peer. BENCH_CHAIN: in a topology, the ranks that
 * send to it, then the rank that it sends to. */
typedef enum { BENCH_ALL, BENCH_TWIN, BENCH_OTHERS, BENCH_CHAIN } bench_peering;

/* Most peers that a benchmark may choose itself. */
enum { BENCH_CHOSEN_MOST = 130 };

/* Sets of roles. */
enum { BENCH_HEARS_ALL = 0, BENCH_FIRST = 1u << 0, BENCH_SECOND = 1u << 1, BENCH_THIRD = 1u << 2 };

enum { BENCH_ROLES = 3, BENCH_MODES = 9, BENCH_STAGES = 8 };

/* Number of ranks in each stage; see shape.h. */
typedef struct {
    size_t stages[BENCH_STAGES];
    size_t stage_count;
} bench_shape;

typedef struct {
    const char *name; /* source, destination or node */
    bench_share share;
    bench_peering peering;
    unsigned peer_roles; /* set of roles that its peers have */
    unsigned heard;      /* set of roles that it receives from, or BENCH_HEARS_ALL */
} bench_role;

typedef cb_status (*bench_action)(bench_rank *me);

/* Handle a message in a farm. `from` is the index of the sender in me->peers. The function owns the
 * buffer and has to send or release it. */
typedef cb_status (*bench_reaction)(bench_rank *me, size_t from, transport_buffer *buffer);

typedef struct {
    bench_action begin, step, finish; /* begin and finish may be NULL */
    bench_reaction react;             /* in place of step, for sources and destinations of a farm */
    bool timed;                       /* this role's clock is used; of several ranks, the longest
                                       * block counts */
    bool starts_after_begin;          /* timing starts after begin ... */
    bool ends_before_finish;          /* ... and ends with the last step, before finish */
    bool by_threads; /* --threads: several threads may share the steps; a step is bench_stream_send
                      * to the only peer, and finish is bench_drain */
} bench_actions;

typedef enum { BENCH_LATENCY, BENCH_ROUND } bench_figure;

typedef struct {
    const char *name;
    const char *summary; /* what a step is, for --help */
    size_t processors;   /* number of ranks, if each mode has its own; else 0 */
    bench_figure figure; /* the time of a step is reported as latency_us or round_us ... */
    unsigned divisor;    /* ... divided by this: 2 for a round trip */
    const char *packets; /* data packets that all destinations together receive in step / divisor: a
                          * formula of the count; in a topology count is the number of ranks that
                          * send to the last stage. NULL: those of the definition's `units` */
    bool counts_packets; /* frequency_Hz is packets/s, not steps/s */
    bool on_request;     /* measured only if --mode names it */
    const char *tells;   /* what ccmod calibrate learns from its rows; NULL: nothing */
    bench_actions roles[BENCH_ROLES];
} bench_mode;

/* What is counted, and which options give the counts or, with `choose`, the shapes. */
typedef struct {
    const char *column;     /* of the result */
    const char *options[3]; /* ended by NULL */
    uint32_t takes;         /* the engine's rows of these options: bench_scope */
    size_t list;            /* offset in bench_options of the list of counts; 0: none */
    const char *ranks;      /* in all; a formula of `count` or of what shapes have */
    /* Of shapes: ranks of each role, a formula or in words, and what stands between their numbers:
     * x of 4x4. */
    const char *of_roles[BENCH_ROLES], *separator;
    /* Choose the shapes to measure in a job of `ranks` from the options. Then there is no --mode,
     * and an algorithm runs on each packet (--algorithm). CB_ERROR_USAGE, logged, if the options do
     * not fit. Pure. NULL: counts. */
    cb_status (*choose)(const benchmark *definition, const bench_options *options, size_t ranks,
                        bench_shape_list *out);
} bench_counting;

/* Two processors, or as many as the mode or the job has: no option. The others have one. */
extern const bench_counting counted_pair, counted_job, counted_processors, counted_destinations,
    counted_sources;

/* How a list of destinations changes from one broadcast to the next. BENCH_NEW: as BENCH_RANDOM,
 * and the group is made for its broadcast and freed after it. */
typedef enum { BENCH_FIXED, BENCH_ROTATE, BENCH_RANDOM, BENCH_NEW } bench_list;

/* A ratio of a figure to that at a reference count. */
typedef struct {
    report_column column;
    const char *meaning;         /* in words */
    const char *formula;         /* of count, reference, and the time of a step at both: step_us,
                                  * reference_us */
    const char *title, *caption; /* of its picture */
    size_t reference;            /* this count is measured first; 0: no ratio */
} bench_ratio;

/* A column of the result, and its formula in words. */
typedef struct {
    const char *column, *formula;
} bench_formula;

/* A chart for reports: one column against another. */
typedef struct {
    const char *column, *against;
} bench_plot;

/* An upper bound on the rate of a farm or of event building from another benchmark: the rate of
 * `mode` at `count`, times `times`. Both are formulas of the farm's `sources`, `destinations` and
 * `fetched` (sources that have data of an event), or of `count` and own options. The rate is taken
 * at the farm's packet size or, for control messages, at the smallest size above 0 that all
 * benchmarks measure. */
typedef struct {
    const char *benchmark, *mode;
    const char *what; /* "what a source can send"; {sources} and {destinations} are replaced */
    const char *count, *times;
    bool control;
} bench_bound;

/* What a program of another suite is compared with: a mode of another benchmark. t, the time of one
 * message, is the time of a step divided by the packets of its mode. */
typedef struct {
    const char *benchmark, *mode;
    const char *rate;     /* what n / t is called */
    const char *relation; /* how the two definitions relate, in sentences */
} bench_counterpart;

/* The points of one curve, in ascending order of size. */
typedef struct {
    double *bytes, *figures_us; /* figures are latency_us or round_us */
    size_t count;
} bench_curve;

/* Parameters of a curve. */
typedef struct {
    const char *name;
    bool always; /* fit also the sizes of --sizes, and measure them in ascending order */
    /* Fit a curve, and add the parameters to the document. Called at rank 0 after its last point.
     * CB_ERROR_MEMORY, logged. */
    cb_status (*add)(const engine_session *session, const bench_measurement *measurement,
                     size_t participants, const bench_curve *points);
} bench_fit;

/* What messages and steps of a benchmark with `units` hold. A unit may be several ranks, and a
 * message several packets. */
typedef struct {
    size_t packed;      /* packets in a message */
    size_t events;      /* per step; frequency_Hz counts them */
    size_t packets;     /* per step, of all receivers together */
    size_t own_packets; /* of these, that never leave their rank */
    size_t converging;  /* that may be under way to one receiver at a time */
    size_t receivers;
} bench_scale;

/* A benchmark whose ranks form units. All functions are pure. */
typedef struct {
    /* The number that counts have to be multiples of with these options. */
    size_t (*multiple_of)(const bench_options *options);
    /* What steps and messages hold at a count. */
    bench_scale (*scale)(const bench_options *options, size_t count);
    /* The same as formulas of `count` and of the own options: numbers, or the place of a choice
     * from 1 on. */
    const char *packets, *events;
} bench_units;

enum { BENCH_TABLE = 8, BENCH_BOUNDS = 4 };
enum { BENCH_FORMULAS = 8, BENCH_PLOTS = 4, BENCH_USUAL = 4, BENCH_OWN_BYTES = 128 };

struct benchmark {
    const char *name;        /* without "cb_": oneway */
    const char *id;          /* section of note 48, such as 1.1, or of Parkbench */
    const char *label;       /* for headings of reports: 1.1 one-way; NULL: the name */
    const char *title;       /* one line */
    const char *description; /* paragraphs, for --help and the manual page */
    /* Chapter of docs/using/benchmarks.md: basic, farm, calibration, parkbench, replay or
     * congestion. */
    const char *group;
    /* Communication pattern, from which readers choose a diagram: pair, exchange, all-to-all,
     * pairs, one-to-many, many-to-one, push-farm, pull-farm, pipeline, calibration, replay,
     * ring, congestion.
     * Benchmarks may share one. */
    const char *pattern;
    const bench_counting *counted;
    /* Counts measured by default, ended by 0: one number each, for farms sources and destinations,
     * for topologies the stages. Empty: as many processors as the mode has. */
    size_t usual[BENCH_USUAL][BENCH_STAGES];
    bench_ratio ratio;
    const bench_fit *fit; /* add a sweep up to 1 MiB and fit it; NULL: fit only with --sweep */
    bool lists;           /* lists of destinations may change; own options are bench_list_options */
    unsigned fragments;   /* set of roles whose packets may vary in size (--fragments); 0: none */
    bench_role roles[BENCH_ROLES];
    bench_mode modes[BENCH_MODES];         /* ended by one without a name */
    bench_formula figures[BENCH_FORMULAS]; /* ended by one without a column, like plots */
    bench_plot plots[BENCH_PLOTS];
    /* Columns of the report's table, ended by NULL; a member is written as in event_latency_us.p99.
     * Empty: the columns of `figures`. */
    const char *table[BENCH_TABLE];
    bench_bound bounds[BENCH_BOUNDS]; /* of farms, event building; ended by one without benchmark */
    bench_counterpart counterpart;    /* .benchmark is NULL if there is none */
    /* Fill a new buffer, with content that has the sum of traffic_fill's. NULL: traffic_fill. */
    void (*fill)(void *data, size_t size_bytes);
    const bench_units *units; /* NULL: packets of the mode, multiples of bench_count_multiple */
    /* Rows of the benchmark's own options. Offsets are into a struct of at most BENCH_OWN_BYTES,
     * which steps find as me->own_options. Benchmarks may share a table; their rows stand after the
     * engine's row `options_after` (NULL: after those that choose what is measured). */
    const char *options_after;
    const cb_option *options;
    size_t option_count;
    /* The participants that a rank exchanges messages with, if they are fewer than its role names:
     * write their indices, in the order of BENCH_OTHERS, into `peers`, which has room for
     * BENCH_CHOSEN_MOST, and return their number; 0 without memory, logged. NULL: all. */
    size_t (*choose_peers)(const void *own_options, uint64_t seed, size_t participants, size_t self,
                           size_t *peers);
    /* Create and destroy what the mode needs besides peers, usually groups. May be NULL. If it has
     * lists, the times of both are reported per group. */
    cb_status (*set_up)(bench_rank *me);
    void (*tear_down)(bench_rank *me);
    /* How it is measured, if not by the plain passes only; and the same with --compute (NULL:
     * unsupported). */
    const measurement_method *method, *overlap;
};

/* Own options of a benchmark with lists; NULL: not given. */
typedef struct {
    const char *multicast, *list;
} bench_list_options;

/* The smallest count, and the number that counts are multiples of: 2 if ranks form pairs. */
size_t bench_count_least(const benchmark *definition);
size_t bench_count_multiple(const benchmark *definition);

/* Packets in a message with these options: 1, unless the benchmark packs. */
size_t bench_packed(const benchmark *definition, const bench_options *options);

/* The value of a formula of `count`, such as the packets of a mode; 0 if it is NULL. */
size_t bench_packets_of(const char *formula, size_t count);

/* Data packets of a step / divisor with these options. */
size_t bench_step_packets(const benchmark *definition, const bench_options *options,
                          const bench_mode *mode, size_t count);

/* The value of a ratio, from the times of a step at a count and at the reference. */
double bench_ratio_of(const bench_ratio *ratio, size_t count, double step_us, double reference_us);

/* Whether steps exchange messages: not if the program measures other benchmarks, or plays a trace.
 */
bool bench_has_steps(const benchmark *definition);

/* Whether timing starts at the end of the first step, as in a pipeline. */
bool bench_is_led_in(const bench_mode *mode);

/* Whether a role's steps may be shared by several threads (--threads) in any mode. */
bool bench_takes_threads(const benchmark *definition);

/* The mode of that name, or NULL. */
const bench_mode *bench_find_mode(const benchmark *definition, const char *name);

/* Ranks that run the computing task beside the communication (--compute): a set of sides. */
typedef enum {
    BENCH_UNOCCUPIED = 0,
    BENCH_OCCUPY_SOURCE = 1,
    BENCH_OCCUPY_DESTINATION = 2,
    BENCH_OCCUPY_BOTH = BENCH_OCCUPY_SOURCE | BENCH_OCCUPY_DESTINATION
} bench_occupation;

/* Sides that can run the computing task. */
typedef enum { BENCH_SIDE_SOURCE, BENCH_SIDE_DESTINATION, BENCH_SIDE_NODE, BENCH_SIDES } bench_side;

/* "none", "source", "destination", "both", and back. NULL (not given) and unknown names are
 * BENCH_UNOCCUPIED. */
const char *bench_occupation_name(bench_occupation occupation);
bench_occupation bench_occupation_named(const char *name);

/* The values of --compute for a benchmark, ended by NULL; NULL if it has none. Benchmarks with
 * sources and destinations have all four. Nodes, which are both at once, have only "none" and
 * "both". */
const char *const *bench_occupations(const benchmark *definition);

/* The side that a role is, or BENCH_SIDES if it cannot run the computing task; and the name of a
 * side, which is the name of its role. */
bench_side bench_side_of(const bench_role *role);
const char *bench_side_name(bench_side side);

/* Whether the ranks of a role run the computing task. */
bool bench_occupies(bench_occupation occupation, const bench_role *role);

/* Shapes: how many ranks each stage of a measurement has, and which ranks they are.
 *
 * Pure functions of definition, numbers and hosts. Stages follow each other in the list of
 * participants. In most benchmarks a stage is a role; a pipeline may have several stages of one
 * role. */

/* The participants of a stage. */
typedef struct {
    size_t first, count;
} bench_span;

/* Shapes to measure in this order. */
enum { SHAPE_LIST_ROOM = 256 };
typedef struct bench_shape_list {
    bench_shape shapes[SHAPE_LIST_ROOM];
    size_t count;
    bool own_multicast; /* measure them with the technology's group send */
} bench_shape_list;

/* Number of ranks in role `role` at a count. */
size_t shape_role_size(const benchmark *definition, size_t role, size_t count);

/* The shape of a benchmark whose roles follow from one count. */
bench_shape shape_of_count(const benchmark *definition, size_t count);

/* Parse a topology such as "9-3-1": sources, then stages; each rank of a stage receives from the
 * same number of ranks of the stage before. CB_ERROR_USAGE, logged. */
cb_status shape_parse(const char *text, bench_shape *out);

/* The text of a shape, as read by shape_parse. */
enum { SHAPE_TEXT = 64 };
void shape_text(const bench_shape *shape, char text[SHAPE_TEXT]);

size_t shape_ranks(const bench_shape *shape);
bench_span shape_span(const bench_shape *shape, size_t stage);

/* The stage of a participant. */
size_t shape_stage(const bench_shape *shape, size_t participant);

/* The role of a stage. The first stage has the first role and the last stage the last one; if there
 * are more stages than roles, those between share a role. */
size_t shape_role(const benchmark *definition, const bench_shape *shape, size_t stage);

bool shape_same(const bench_shape *one, const bench_shape *other);

/* What to do for a job of `ranks` ranks, for messages: "start it with mpirun -np 4 ...". */
enum { SHAPE_REMEDY = 96 };
const char *shape_remedy(size_t ranks, char text[SHAPE_REMEDY]);

/* Append a shape to a list, or check that a job has enough ranks for it; `what` names it in the
 * message. CB_ERROR_USAGE, logged, if the list is full or there are too few ranks. */
cb_status shape_list_add(bench_shape_list *list, const bench_shape *shape);
cb_status shape_fits(const bench_shape *shape, size_t job_ranks, const char *what);

/* The peers of a participant, by its role: write their participant indices into `peers` and whether
 * it receives from each into `heard`. Returns their number; with NULL it only counts them. */
size_t shape_peers(const benchmark *definition, const bench_shape *shape, size_t participant,
                   size_t *peers, bool *heard);

/* The values of --placement, ended by NULL. block: fill one host after another. cyclic: go from
 * host to host. spread: distribute each role over the hosts, in proportion to their ranks. packed:
 * use as few hosts per role as possible, and different hosts for different roles if possible. */
extern const char *const shape_placements[];

/* Choose the ranks of a shape, stage by stage. Rank 0 is always the first, since it writes the
 * result. `hosts` has the host of each rank of the job, numbered from 0 without gaps; `ranks` has
 * room for shape_ranks(shape). CB_ERROR_MEMORY, logged. */
cb_status shape_place(const char *placement, const bench_shape *shape, const int *hosts,
                      size_t job_ranks, int *ranks);

#endif
