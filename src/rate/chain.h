/* A pipeline, or another benchmark without a supervisor, at a rate (--rate, --load-curve,
 * --find-rate).
 *
 * All sources issue event n when it is due on a schedule that they have in common, by clocks that
 * the job has compared. A source that is late, because its window is full or it has no core, issues
 * the due events as soon as it can. The last stage measures: the latency of an event counts from
 * its due time, and the pipeline is saturated if the number of due events that have not arrived
 * grows. */
#ifndef RATE_CHAIN_H
#define RATE_CHAIN_H

#include "control/control.h"
#include "engine/method.h"
#include "engine/outcome.h"
#include "engine/wait.h"
#include "rate/rates.h"

/* One run. Times and backlogs are those of the slowest rank. */
typedef struct {
    double issue_span_ns, due_span_ns, arrival_span_ns;
    double backlog_middle, backlog_end; /* due and not issued, when half and all were issued */
    double pending_middle, pending_end; /* due and not arrived, when half and all had arrived */
    double late_ns;                     /* start of the latest source, after the common start */
} chain_times;

typedef struct chain_method_parts chain_method_parts;
typedef struct chain_run chain_run;

/* A rank in an open loop. */
struct chain_run {
    rate_run base; /* first, so that a rate_run is this */
    const chain_method_parts *parts;
    const bench_traffic *traffic;
    bool source, last;        /* stage of this rank */
    stats_histogram *latency; /* since the last row; of this rank, then of all at the root */
};

/* What differs between benchmarks with an open loop and no supervisor; see rate_kind. */
struct chain_method_parts {
    /* Before the common start of a load; collective over the team. May be NULL. */
    cb_status (*before)(chain_run *run);
    /* Run all events from the common start of `schedule`, and set what this rank knows of *out. */
    cb_status (*run)(chain_run *run, const rate_load *load, rate_schedule schedule,
                     chain_times *out);
    /* May be NULL: nothing to gather; the columns of a pipeline. */
    cb_status (*gather)(rate_run *run);
    cb_status (*fill)(rate_run *run, rate_outcome *outcome, report_row *row);
};

/* `measure` of a method. */
cb_status chain_measure(const chain_method_parts *parts, const measurement_setting *setting);

/* For `fill`: the columns that all have; the rate of events after the first step; the mean size of
 * a packet. */
cb_status chain_fill(const chain_run *run, const rate_outcome *outcome, report_row *row);
double chain_frequency_hz(const chain_run *run, const rate_outcome *outcome);
double chain_packet_bytes(const chain_run *run, const rate_outcome *outcome);

/* A wait for a due time that yields or sleeps as --wait says, and ends after a signal. */
wait_terms chain_terms(const chain_run *run, uint64_t due_ns);

/* How a pipeline is measured: `method` of its definition. */
extern const measurement_method chain_method;

#endif
