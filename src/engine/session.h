/* The engine's own view of a run; benchmarks see bench.h alone. */
#ifndef BENCH_ENGINE_H
#define BENCH_ENGINE_H

#include <signal.h>

#include "base/context.h"
#include "engine/benchmark.h"
#include "engine/options.h"
#include "engine/plan.h"
#include "engine/sides.h"
#include "timeline/timeline.h"
#include "control/control.h"
#include "host/host.h"
#include "host/task.h"
#include "host/work.h"
#include "report/report.h"
#include "stats/stats.h"

/* The figure of one measurement at the reference count. */
typedef struct {
    const bench_mode *mode;
    size_t size_bytes;
    double step_us;
} bench_reference;

/* How many ranks of a role are on each host, in the order of environment.hosts. */
typedef struct {
    const char *name; /* NULL: there is no such role */
    size_t *ranks;
} bench_host_counts;

/* What a pass that checks every byte found. */
typedef struct {
    uint64_t messages, lost, doubled, reordered, corrupted;
    bool done;
} bench_verification;

/* What TICK1 and TICK2 found, of the worst clock each. */
typedef struct {
    double tick1_ns, tick2_error_pct, tick2_bound_pct;
} bench_ticks;

/* What one measurement left behind for --timeline. */
typedef struct {
    bool due;              /* it was asked for, and no measurement has been behind us yet */
    char *path;            /* where it goes; rank 0 alone */
    bench_timeline *notes; /* of this rank; NULL where it took no part */
    uint64_t events;
    bool open;
    uint64_t in_flight;
    stats_summary cost_pct; /* by which an event takes longer while it is noted, pair by pair */
} bench_recording;

typedef struct {
    const benchmark *definition;
    const bench_options *options;
    control *plane;
    cb_settings settings; /* of all ranks, from --config or derived */
    transport_factory *technology, *null;
    uint64_t counted[CB_COUNTERS_MOST]; /* by the technology here, what stands in rows already */
    host *machine;
    size_t cache_bytes;  /* of the largest cache here */
    control_clock clock; /* this rank's, against rank 0's */
    transport_wait effective_wait;
    report_document *document; /* rank 0 alone */
    int *hosts;                /* of each rank, the index of its host */
    size_t host_count;
    bench_host_counts roles[BENCH_ROLES]; /* rank 0 alone: of the measurement under way, by host */
    int *machines;   /* of each rank, the first rank whose host shares its cores with this one */
    unsigned *cores; /* of each rank: how many it may run on */
    char (*bindings)[HOST_TEXT]; /* of each rank, as host_binding gives it */
    unsigned *host_cores;        /* of each host */
    host_task *task;             /* of --compute, else NULL, and without the two below */
    double task_unit_ns;         /* of its work on this rank's core */
    double tick_ns;              /* the longest of the hosts */
    bench_reference *references; /* rank 0 alone; room for every measurement of the plan */
    size_t reference_count;
    host_work_rate work; /* of this rank's core, for algorithms */
    bench_recording recording;
    uint64_t interrupted_ns;  /* other ranks: when a signal was seen; 0: none was */
    bench_ticks ticks;        /* of Parkbench's programs alone */
    bool verification_failed; /* rank 0 alone */
    bool shares_left_out;     /* of a row; who timed it alone, rank 0 */
    bool search_failed;       /* rank 0 alone: a deadline that no rate can hold */
    bool all_skipped;         /* nothing of the plan could be measured */
} bench_session;

/* A block of what the passes of one measurement gave, agreed among its participants. */
typedef struct {
    bool oversubscribed;
    double *blocks_ns; /* in the order of measuring */
    size_t block_count, block_room;
    uint64_t steps;             /* of a block */
    unsigned window;            /* of a pipeline's links; 0: it is none */
    const char *stopped_by;     /* precision or max-time */
    double skew_ns;             /* of the starts, the largest */
    double group_create_ns;     /* for each group made; negative without */
    stats_histogram *histogram; /* of single steps, merged */
    double harness_ns;          /* a step over null; negative when not measured */
    double touch_ns;            /* one packet; negative when not measured, or without touching */
    double *shares;
    size_t share_count;
    double algorithm_true_us;           /* negative: no algorithm ran */
    double alone_step_ns;               /* without the computing task; 0 where there is none */
    bench_side_work sides[BENCH_SIDES]; /* what it did; at rank 0 alone */
    bench_verification verification;
    cb_counts counters;
    double lost_share; /* of the packets of all blocks */
} bench_outcome;

/* Set by SIGINT and SIGTERM: the signal's number. Read between blocks. */
extern volatile sig_atomic_t bench_signal_seen;

/* rank.c: make a rank's part in a measurement over a factory, and unmake it. `ranks` are the
 * participants and must live as long. *actions are those of its role. */
cb_status bench_rank_create(const bench_session *session, const bench_measurement *measurement,
                            transport_factory *factory, const int *ranks, size_t participants,
                            bench_rank **out, const bench_actions **actions);
void bench_rank_destroy(const benchmark *definition, bench_rank *me);

/* Announce me->preparation to the factory; all its buffers are as new. Nothing may be under way.
 * Done by bench_rank_create, and again where the preparation changes or buffers hold other content.
 */
cb_status bench_rank_prepare(bench_rank *me);

/* What the benchmark makes for itself, groups above all; unmade again by bench_rank_destroy. */
cb_status bench_rank_set_up(const benchmark *definition, bench_rank *me);
void bench_rank_tear_down(const benchmark *definition, bench_rank *me);

/* How many packets to a peer may be unacknowledged; alike in all participants, and when none is. */
void bench_rank_set_window(bench_rank *me, unsigned window);

/* Empty counters and sums at the beginning of a pass. */
void bench_rank_reset(bench_rank *me, const bench_traffic *traffic, uint64_t steps);

/* The sum of all that was touched in the pass is what it must be, else CB_ERROR_DATA, logged. */
cb_status bench_rank_check_sum(const bench_rank *me);

/* How many buffers are made beforehand where `wanted` may be in use at a time: of large ones few,
 * of which two always. */
size_t bench_buffers_beforehand(size_t size_bytes, size_t wanted);

/* start.c: all of a team start at an instant of rank 0's clock, far enough ahead to be known to all
 * by then; *late_ns is by how much this rank missed it. */
cb_status bench_start_together(const bench_session *session, control_team *team,
                               bool oversubscribed, double *late_ns);

/* When a signal was seen rank 0 finishes the document and ends; any other rank, if it is still
 * there three seconds later, ends the job. */
void bench_leave_if_interrupted(bench_session *session);

/* measure.c: all passes of one measurement; called by its participants. */
cb_status bench_measure(bench_session *session, const bench_measurement *measurement,
                        const int *ranks, size_t participants, control_team *team,
                        bench_outcome *out);
void bench_outcome_free(bench_outcome *outcome);

/* harness.c: what a step costs over null, and what touching a packet costs; local. */
cb_status bench_measure_harness(const bench_session *session, const bench_measurement *measurement,
                                const int *ranks, size_t participants, double budget_ns,
                                double *step_ns);
double bench_measure_touch(size_t size_bytes);

/* farm_measure.c: the same of a farm, with its rows. */
cb_status bench_measure_farm(bench_session *session, const bench_measurement *measurement,
                             const int *ranks, size_t participants, control_team *team);

/* timeline_write.c: gather what all ranks have noted, turn it into rank 0's clock and write the
 * trace; collective over all, also over those who took no part. The notes are freed. */
cb_status bench_write_timeline(bench_session *session, const bench_measurement *measurement);

/* algorithm.c: calibrate the work of algorithms where the plan has any; collective over all. Check
 * it again at the end, and note by how much it drifted. */
cb_status bench_calibrate_algorithm(bench_session *session, const bench_plan *plan);
cb_status bench_check_algorithm(const bench_session *session);

/* algorithm.c: calibrate this rank's core once more, and tell how many units take `us` at the
 * fastest rate that was found so far; none, and no calibration, for a time that is not above 0. */
cb_status bench_algorithm_units(bench_session *session, double us, uint64_t *units);

/* figures.c: what all rows have, by whatever passes they came about. */
typedef struct {
    const char *mode;
    size_t participants;
    bool oversubscribed;
    double skew_ns;
    double touch_ns, algorithm_true_us; /* negative: not measured */
    const bench_verification *verification;
    const cb_counts *counters;
} bench_common;

void bench_fill_common(const bench_session *session, const bench_measurement *measurement,
                       const bench_common *common, report_row *row);

/* A figure with the times of its blocks in the order of measuring, both in us, and the number of
 * steps in them; the summary may have another median than that of the blocks. */
void bench_fill_blocks(report_column figure, const stats_summary *summary, const double *blocks_us,
                       size_t count, uint64_t steps, report_row *row);

/* figures.c: from what was measured to what is reported. */
cb_status bench_figures(bench_session *session, const bench_measurement *measurement,
                        size_t participants, const bench_outcome *outcome, report_row *row);

/* The column of a mode's figure. */
report_column bench_figure_column(const bench_mode *mode);

/* The summary of values, which keep their order. */
cb_status bench_summarize(const double *values, size_t count, stats_summary *out);

/* Whether the most loaded host has more busy ranks than cores. */
bool bench_oversubscribed(const bench_session *session, const int *ranks, size_t participants);

/* run.c: log what a verifying pass found; all measurements of a plan, and their fits. */
void bench_note_verification(bench_session *session, const bench_verification *found);
cb_status bench_run_plan(bench_session *session, const bench_plan *plan);

/* progress.c: on a terminal, what is being measured and about how long the rest takes. */
typedef struct {
    size_t done, total;
    uint64_t started_ns;
    bool shown;
} bench_progress;

bench_progress bench_progress_start(const bench_session *session, size_t total);
void bench_progress_show(bench_progress *progress, const bench_session *session,
                         const bench_measurement *measurement, size_t participants);
void bench_progress_clear(const bench_progress *progress);

/* configuration.c: read the files of a directory at rank 0, and parse them in all ranks.
 * Collective; all fail alike. The caller frees *out. */
cb_status bench_read_config(control *plane, const char *directory, cb_config **out);

/* The settings of a run of the plan over a technology: from the files where `config` is not NULL,
 * else derived; what `given` has of --parameter takes precedence, NULL: nothing. */
cb_status bench_make_settings(bench_session *session, const transport_technology *technology,
                              const cb_config *config, const cb_override *given,
                              const bench_plan *plan);

/* Write the settings of the technology in use into the document: those that are alike for all ranks
 * once, the others for each. */
void bench_put_settings(const bench_session *session);

/* environment.c: gather hosts, bindings, clocks and noise from all ranks; fill the document. */
cb_status bench_describe(bench_session *session, const cb_option_table *table, int argc,
                         char **argv);

#endif
