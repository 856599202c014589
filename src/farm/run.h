/* State of a farm's measurement: single runs, which all ranks start together, and the rows made
 * from them. */
#ifndef FARM_RUN_H
#define FARM_RUN_H

#include <math.h>

#include "farm/loops.h"
#include "farm/messages.h"
#include "rate/rates.h"

typedef struct {
    rate_run base; /* first, so that a rate_run is this; its root is the supervisor */
    const farm_fragments *fragments; /* of timed passes */
    uint64_t next_event;             /* number of the first event of the next run */
    uint64_t in_flight;              /* limit, given or found by search */
    stats_histogram *latencies;      /* supervisor: by destination, */
    farm_account *accounts;          /* and the accounts since the last row; */
    stats_histogram *step_latencies; /* with two steps, of rejected and accepted events */
} farm_run;

/* What rows and open loops of a farm have of their own. */
extern const rate_kind farm_rate_kind;

static inline uint64_t farm_destinations(const farm_run *run)
{
    return run->base.setting->planned->shape.stages[FARM_DESTINATION];
}

/* Number of events that fill `time_ns`, but at least `least`. */
static inline uint64_t farm_events_in(double time_ns, double event_ns, uint64_t least)
{
    return (uint64_t)fmax((double)least, ceil(time_ns / fmax(event_ns, 1)));
}

/* Run a load with the fragments of timed passes. All ranks start together; all get the supervisor's
 * tally. Collective over the team. */
cb_status farm_run_load(farm_run *run, farm_load load, rate_tally *tally);

/* The same with verified fragments. */
cb_status farm_run_verifying(farm_run *run, farm_load load, rate_tally *tally);

/* An open loop in terms of a farm. */
farm_load farm_open_load(const farm_run *run, const rate_load *load);

#endif
