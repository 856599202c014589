/* The rows of a farm: frequency, latency of events, accounts; and whether it is saturated. */
#ifndef FARM_FIGURES_H
#define FARM_FIGURES_H

#include "engine/outcome.h"
#include "farm/ledger.h"
#include "farm/loops.h"

/* What a search for the highest rate found. */
typedef struct {
    double rate_hz;         /* the highest that held; 0: none was searched for */
    double low_hz, high_hz; /* it held each time at the first, and failed each time at the other */
    size_t held, repeats;   /* at rate_hz */
} farm_found;

/* One row: a closed loop, or an open one at a rate. */
typedef struct {
    bool open;
    double offered_hz;
    uint64_t in_flight; /* at most */
    uint64_t block;     /* events */
    double *blocks_ns;  /* of a closed loop: the time of each block of events */
    size_t block_count;
    const char *stopped_by;
    farm_tally tally;                 /* of all runs that the row stands on */
    const stats_histogram *latencies; /* one for each destination */
    const farm_account *accounts;     /* the same, of all these runs */
    size_t destinations;
    double algorithm_true_us; /* negative: no algorithm ran */
    double skew_ns, touch_ns;
    farm_found found;
    verification_result verification;
    cb_counts counters;
} farm_outcome;

/* From what was measured to what is reported. */
cb_status farm_figures(const measurement_setting *setting, const farm_outcome *outcome,
                       report_row *row);

/* Whether an open loop could not follow its schedule: the last event was issued late by more than
 * one per cent of the run, and more events were waiting at the end than in the middle; or events
 * pile up in the farm. */
bool farm_saturated(const farm_outcome *outcome);

/* Whether a farm that has room for what it cannot carry fills up: decisions come late by more than
 * one per cent of the run, and about twice as many events are in flight at its end as in its
 * middle. A disturbance near the end fills it at once, and a few for each destination are no pile.
 */
bool farm_piles_up(const farm_outcome *outcome);

#endif
