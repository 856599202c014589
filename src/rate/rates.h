/* Measurements that are made of loads: numbers of events that all ranks start together. Farms,
 * pipelines and event building at a rate have in common what is here: the state of such a
 * measurement, its rows, and the loads of --rate, --load-curve and --find-rate. */
#ifndef RATE_RATES_H
#define RATE_RATES_H

#include "engine/budget.h"
#include "engine/outcome.h"
#include "rate/arrivals.h"
#include "rate/outcome.h"

/* Check the options of an open loop. CB_ERROR_USAGE, logged. */
cb_status rate_check(const bench_options *options);

typedef struct rate_run rate_run;

/* An open loop: `events` due at a rate. */
typedef struct {
    uint64_t events;
    double rate_hz;
    const rate_arrivals *arrivals;
    uint64_t seed;
} rate_load;

/* What differs. All functions but the last two are collective over the team. */
typedef struct {
    const char *counted; /* what arrives or is lost: "events" */
    /* After rate_row_begin. Set the tally and the destinations in *out. */
    cb_status (*run_load)(rate_run *run, const rate_load *load, rate_outcome *out);
    /* The same for single events, each issued after the one before it. NULL: not known how. */
    cb_status (*run_single)(rate_run *run, uint64_t events, rate_outcome *out);
    /* Clear what a row collects, besides what is in rate_run. */
    void (*reset)(rate_run *run);
    /* Collect what other ranks have, before the row is filled. May be NULL. */
    cb_status (*gather)(rate_run *run);
    /* At the root: the quantile of the latencies since the row began; infinite if there are none.
     * Fill the row. */
    double (*latency_ns)(const rate_run *run, double quantile);
    cb_status (*fill)(rate_run *run, rate_outcome *outcome, report_row *row);
} rate_kind;

/* Equal in all participants, except what members say. */
struct rate_run {
    const rate_kind *kind;
    const measurement_setting *setting;
    bench_rank *me;
    const bench_actions *actions;
    bool root;           /* makes the rows */
    budget_mark started; /* of this rank; moved forward by what verification uses */
    double limit_ns;     /* --max-time */
    double elapsed_ns;   /* used since then, at the end of the last load; agreed on */
    double event_ns;     /* per event at the highest rate; agreed on */
    double messages_ns;  /* budget of the messages of an event, in the last load; agreed on */
    rate_arrivals arrivals;
    uint64_t open_runs;   /* so far */
    uint64_t step_events; /* a load is whole steps of N events; 0 and 1: any */
    row_base row;         /* under way; its verification is reported with the first row only */
};

/* Start a measurement: read --arrivals and create the rank's part. *run has its kind and setting,
 * and is zero otherwise. Collective over the team. Call rate_run_close in any case. */
cb_status rate_run_open(rate_run *run);
void rate_run_close(rate_run *run, cb_status status);

/* What an event uses of the limit at the highest rate. */
static inline double rate_event_used_ns(const rate_run *run)
{
    return run->event_ns > run->messages_ns ? run->event_ns : run->messages_ns;
}

/* Start a new row, and add it to the report. Collective over the team. */
void rate_row_begin(rate_run *run);
cb_status rate_row_add(rate_run *run, rate_outcome *outcome);

/* The next whole number of steps. Figures are those after the first step, so steps of several
 * events are at least four. */
uint64_t rate_whole_steps(const rate_run *run, uint64_t events);

/* The next open loop, with the arrivals of the options. The k-th of a measurement has the same ones
 * in every run with the same --seed. */
rate_load rate_next_load(rate_run *run, double rate_hz, uint64_t events);

/* Measure the open loops that the options ask for, if any. */
cb_status rate_measure(rate_run *run);

#endif
