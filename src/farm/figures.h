/* Rows of a farm: frequency, event latency, accounts, and whether the farm is saturated. */
#ifndef FARM_FIGURES_H
#define FARM_FIGURES_H

#include "engine/outcome.h"
#include "farm/ledger.h"
#include "farm/loops.h"

/* Result of a search for the highest rate (--find-rate). */
typedef struct {
    double rate_hz;         /* highest rate that held; 0: no search */
    double low_hz, high_hz; /* every trial held at low_hz and failed at high_hz */
    size_t held, repeats;   /* trials that held, and all trials, at rate_hz */
} farm_found;

/* One row: a closed loop, or an open loop at one rate. */
typedef struct {
    row_base base;
    bool open;
    double offered_hz;
    uint64_t in_flight; /* limit */
    uint64_t block;     /* events per block */
    double *blocks_ns;  /* closed loop: time of each block */
    size_t block_count;
    const char *stopped_by;
    farm_tally tally;                      /* of all runs of the row */
    const stats_histogram *latencies;      /* by destination */
    const farm_account *accounts;          /* by destination, of all runs of the row */
    const stats_histogram *step_latencies; /* of rejected and accepted events; NULL: one step */
    size_t destinations;
    farm_found found;
    double frequency_hz; /* of the row, when it is made */
} farm_outcome;

/* Compute the row of an outcome. CB_ERROR_MEMORY, logged. */
cb_status farm_figures(const measurement_setting *setting, const farm_outcome *outcome,
                       report_row *row);

/* Fill in the offered load of an open loop, its accounts, and the result of a search. */
void farm_fill_load(const farm_outcome *outcome, report_row *row);

/* Whether an open loop did not keep its schedule: the last event was issued late by more than 1 %
 * of the run, and more events were waiting at the end than in the middle; or the farm filled up
 * (farm_fills_up). */
bool farm_saturated(const farm_outcome *outcome);

/* Whether a farm fills up although events can still be issued: decisions are late by more than 1 %
 * of the run, and at its end 1.5 to 4 times as many events are in flight as in its middle. Growth
 * beyond that is a disturbance near the end, which fills the farm at once; up to two events per
 * destination do not count. */
bool farm_fills_up(const farm_outcome *outcome);

#endif
