/* State of a farm's measurement: single runs, which all ranks start together, and the rows made
 * from them. */
#ifndef FARM_RUN_H
#define FARM_RUN_H

#include <math.h>

#include "engine/fragments.h"
#include "engine/outcome.h"
#include "engine/pass.h"
#include "farm/arrivals.h"
#include "farm/figures.h"
#include "farm/messages.h"

/* Equal in all participants, except members marked supervisor. */
typedef struct {
    const measurement_setting *setting;
    bench_rank *me;
    const bench_actions *actions;
    const farm_fragments *fragments; /* of timed passes */
    bool supervisor;
    uint64_t started_ns;    /* supervisor: moved forward by the time of verification */
    double limit_ns;        /* --max-time */
    double elapsed_ns;      /* since started_ns, at the end of the last run; agreed on */
    uint64_t next_event;    /* number of the first event of the next run */
    uint64_t in_flight;     /* limit, given or found by search */
    farm_arrivals arrivals; /* of open loops */
    uint64_t open_runs;     /* so far */
    double event_ns;        /* time per event of a closed loop with that limit; agreed on */
    double skew_ns, touch_ns;
    verification_result verification; /* reported with the first row only */
    meters meters;
    fragments_arrived arrived;             /* at this rank, if sizes vary, since the last row */
    uint64_t algorithm_runs, algorithm_ns; /* of this rank, since the last row */
    stats_histogram *latencies;            /* supervisor: by destination, */
    farm_account *accounts;                /* and the accounts since the last row; */
    stats_histogram *step_latencies;       /* with two steps, of rejected and accepted events */
} farm_run;

static inline uint64_t farm_destinations(const farm_run *run)
{
    return run->setting->planned->shape.stages[FARM_DESTINATION];
}

/* Number of events that fill `time_ns`, but at least `least`. */
static inline uint64_t farm_events_in(double time_ns, double event_ns, uint64_t least)
{
    return (uint64_t)fmax((double)least, ceil(time_ns / fmax(event_ns, 1)));
}

/* Run a load with the fragments of timed passes. All ranks start together; all get the supervisor's
 * tally. Collective over the team. */
cb_status farm_run_load(farm_run *run, farm_load load, farm_tally *tally);

/* The same with verified fragments. */
cb_status farm_run_verifying(farm_run *run, farm_load load, farm_tally *tally);

/* Start a new row: reset latencies and accounts. */
void farm_row_begin(farm_run *run);

/* Add a row to the report. Collective over the team. */
cb_status farm_row(farm_run *run, farm_outcome *outcome);

#endif
