/* A farm's measurement under way: single runs, each of which all ranks start together, and the row
 * that some of them give. */
#ifndef FARM_RUN_H
#define FARM_RUN_H

#include <math.h>

#include "engine/meters.h"
#include "engine/pace.h"
#include "farm/figures.h"
#include "farm/messages.h"

/* The same in all participants but where only the supervisor knows. */
typedef struct {
    const measurement_setting *setting;
    bench_rank *me;
    const bench_actions *actions;
    const farm_fragments *fragments; /* of timed passes */
    bool supervisor;
    uint64_t started_ns; /* supervisor: verification put off what it took */
    double limit_ns;     /* --max-time */
    double elapsed_ns;   /* since started_ns, when the last run was over; agreed */
    uint64_t next_event; /* the number with which the next run begins */
    uint64_t in_flight;  /* events at most, as asked for or chosen */
    uint64_t open_runs;  /* so far */
    double event_ns;     /* of a closed loop with that many; agreed */
    double skew_ns, touch_ns;
    verification_result verification; /* reported with the first row, and not again */
    meters meters;
    uint64_t algorithm_runs, algorithm_ns; /* of this rank, since the last row */
    stats_histogram *latencies;            /* supervisor: one for each destination, */
    farm_account *accounts;                /* and what each did since the last row */
} farm_run;

static inline uint64_t farm_destinations(const farm_run *run)
{
    return run->setting->planned->shape.stages[FARM_DESTINATION];
}

/* How many events fill `time_ns`, and at least `least`. */
static inline uint64_t farm_events_in(double time_ns, double event_ns, uint64_t least)
{
    return (uint64_t)fmax((double)least, ceil(time_ns / fmax(event_ns, 1)));
}

/* One run with the fragments of timed passes: all start together, each does its part, and the
 * supervisor's tally is everybody's. */
cb_status farm_run_load(farm_run *run, farm_load load, farm_tally *tally);

/* The same with fragments that are verified. */
cb_status farm_run_verifying(farm_run *run, farm_load load, farm_tally *tally);

/* A new row begins: forget the latencies and accounts of earlier runs. */
void farm_forget(farm_run *run);

/* Give a row to the report. Together. */
cb_status farm_row(farm_run *run, farm_outcome *outcome);

#endif
