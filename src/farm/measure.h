/* What the passes of a farm's measurement give, one row after the other. */
#ifndef BENCH_FARM_MEASURE_H
#define BENCH_FARM_MEASURE_H

#include <math.h>

#include "engine/session.h"
#include "farm/loops.h"
#include "engine/pace.h"

/* What a search for the highest rate found. */
typedef struct {
    double rate_hz;         /* the highest that held; 0: none was searched for */
    double low_hz, high_hz; /* it held each time at the first, and failed each time at the other */
    size_t held, repeats;   /* at rate_hz */
} bench_found;

/* One row: a closed loop, or an open one at a rate. */
typedef struct {
    bool open;
    double offered_hz;
    uint64_t in_flight; /* at most */
    uint64_t block;     /* events */
    double *blocks_ns;  /* of a closed loop: the time of each block of events */
    size_t block_count;
    const char *stopped_by;
    bench_tally tally;                /* of all runs that the row stands on */
    const stats_histogram *latencies; /* one for each destination */
    const bench_account *accounts;    /* the same, of all these runs */
    size_t destinations;
    const int *ranks;         /* of all participants */
    double algorithm_true_us; /* negative: no algorithm ran */
    double skew_ns, touch_ns;
    bench_found found;
    bench_verification verification;
    report_datagrams datagrams;
} bench_farm_outcome;

/* A measurement under way, the same in all its participants but where only the supervisor knows. */
typedef struct {
    bench_session *session;
    const bench_measurement *measurement;
    control_team *team;
    bench_rank *me;
    const bench_actions *actions;
    bool supervisor, oversubscribed;
    uint64_t started_ns; /* supervisor: verification put off what it took */
    double limit_ns;     /* --max-time */
    double elapsed_ns;   /* since started_ns, when the last run was over; agreed */
    uint64_t next_event; /* the number with which the next run begins */
    uint64_t in_flight;  /* events at most, as asked for or chosen */
    uint64_t open_runs;  /* so far */
    double event_ns;     /* of a closed loop with so many; agreed */
    double skew_ns, touch_ns;
    bool verified; /* verification is reported with the first row */
    bench_verification verification;
    uint64_t algorithm_runs, algorithm_ns; /* of this rank, since the last row */
    stats_histogram *latencies;            /* supervisor: one for each destination, */
    bench_account *accounts;               /* and what each did since the last row */
} bench_farm_run;

static inline uint64_t bench_farm_destinations(const bench_farm_run *run)
{
    return run->me->farm->destinations;
}

/* How many events fill so much time, and at least how many shall be taken. */
static inline uint64_t bench_farm_events_in(double time_ns, double event_ns, uint64_t least)
{
    return (uint64_t)fmax((double)least, ceil(time_ns / fmax(event_ns, 1)));
}

/* farm_run.c. One run: all start together, and the supervisor's tally is everybody's. */
cb_status bench_farm_run_load(bench_farm_run *run, bench_load load,
                              const bench_fragments *fragments, uint64_t patience_ns,
                              bench_tally *tally);

/* Forget the latencies and accounts of earlier runs; give a row to the report. */
void bench_farm_forget(bench_farm_run *run);
cb_status bench_farm_row(bench_farm_run *run, bench_farm_outcome *outcome);

/* farm_run.c. The fragments of timed passes; how long to wait for what does not come; and how long
 * a farm may work without a word, should all destinations share a core. */
const bench_fragments *bench_farm_plain(const bench_farm_run *run);
uint64_t bench_farm_patience_ns(const bench_farm_run *run);
uint64_t bench_farm_working_ns(const bench_farm_run *run);

/* farm_closed.c: a closed loop with `count` blocks, behind a lead-in in which the farm fills; and
 * as many events more as may be in flight, so that it does not run empty in the last of them. Marks
 * are up to the caller: count + 1 are for blocks, and in_flight / block may come behind. */
bench_load bench_farm_closed_load(uint64_t in_flight, uint64_t block, size_t count);

/* farm_closed.c: whether blocks of so many events came out at less than half of the time that they
 * are wanted to take, with time left for enough longer ones. Of blocks shorter than what holds a
 * farm up now and then, the median would be the time between two such hold-ups. */
bool bench_farm_blocks_too_short(double event_ns, uint64_t block, double wanted_ns, double left_ns);

/* farm_closed.c: the row of a closed loop. */
cb_status bench_farm_measure_closed(bench_farm_run *run);

/* farm_timeline.c: the pass of --timeline, behind the first measurement's other passes: what
 * noting costs, and the notes of the first events, which are left in the session. */
cb_status bench_farm_record(bench_farm_run *run);

/* farm_open.c: an open loop at a rate, as the options shape it. The k-th of a measurement draws its
 * arrivals alike in every run with the same --seed. */
bench_load bench_farm_open_load(bench_farm_run *run, double rate_hz, uint64_t events);

/* farm_open.c: the rows of --rate, --load-curve and --find-rate. */
cb_status bench_farm_measure_open(bench_farm_run *run);

/* Whether the options ask for the closed loop's row. */
bool bench_farm_wants_closed(const bench_options *options);

/* Whether an open loop could not follow its schedule: the last event was issued late by more than
 * one per cent of the run, and more events were waiting at the end than in the middle; or events
 * pile up in the farm. */
bool bench_farm_saturated(const bench_farm_outcome *outcome);

/* Whether a farm that has room for what it cannot carry fills up: decisions come late by more than
 * one per cent of the run, and about twice as many events are in flight at its end as in its
 * middle. A disturbance near the end fills it at once, and a few for each destination are no pile.
 */
bool bench_farm_piles_up(const bench_farm_outcome *outcome);

/* farm_figures.c: from what was measured to what is reported. */
cb_status bench_farm_figures(const bench_session *session, const bench_measurement *measurement,
                             const bench_farm_outcome *outcome, bool oversubscribed,
                             report_row *row);

#endif
