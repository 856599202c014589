/* A pipeline, or another benchmark without a supervisor, at a rate (--rate, --load-curve,
 * --find-rate).
 *
 * All sources issue event n when it is due on a schedule that they have in common, by clocks that
 * the job has compared. A source that is late, because its window is full or it has no core, issues
 * the due events as soon as it can. The last stage measures: the latency of an event counts from
 * its due time, and the pipeline is saturated if the number of due events that have not arrived
 * grows. */
#ifndef FARM_CHAIN_H
#define FARM_CHAIN_H

#include "control/control.h"
#include "engine/method.h"
#include "engine/outcome.h"
#include "farm/arrivals.h"

/* What a rank runs: `events` due at a rate, a whole number of steps. */
typedef struct {
    uint64_t events;
    double rate_hz;
    const farm_arrivals *arrivals;
    uint64_t seed;
} chain_load;

/* One run. Times and backlogs are those of the slowest rank. */
typedef struct {
    double issue_span_ns, due_span_ns, arrival_span_ns;
    double backlog_middle, backlog_end; /* due and not issued, when half and all were issued */
    double pending_middle, pending_end; /* due and not arrived, when half and all had arrived */
    double late_ns;                     /* start of the latest source, after the common start */
} chain_times;

/* A rank in an open loop. */
typedef struct {
    const measurement_setting *setting;
    bench_rank *me;
    const bench_actions *actions;
    bool source, last;        /* stage of this rank */
    stats_histogram *latency; /* since the last row, of this rank */
    uint64_t step_events;     /* in a step */
} chain_rank;

/* What differs between benchmarks with an open loop and no supervisor. */
typedef struct {
    /* Run all events from the common start of `schedule`, and set what this rank knows of *out. */
    cb_status (*run)(chain_rank *rank, const chain_load *load, farm_schedule schedule,
                     chain_times *out);
    /* Add accounts of the last run to the row (NULL: not the root). Collective over the team. May
     * be NULL. */
    cb_status (*fill)(chain_rank *rank, control_team *team, report_row *row);
} chain_kind;

/* `measure` of a method. */
cb_status chain_measure(const chain_kind *kind, const measurement_setting *setting);

/* Part of a wait for a due time that is not over: yields or sleeps, as --wait says. */
void chain_pause(const chain_rank *rank, uint64_t now_ns, uint64_t due_ns);

/* What a pipeline needs in its plain passes: `method` of its definition. */
extern const measurement_method chain_closed_method;

/* How a pipeline is measured with one of these options: `at_rate` of its definition. */
extern const measurement_method chain_method;

#endif
