/* Rows of a farm: frequency, event latency, accounts, and whether the farm is saturated. */
#ifndef FARM_FIGURES_H
#define FARM_FIGURES_H

#include "engine/outcome.h"
#include "farm/ledger.h"
#include "rate/outcome.h"

/* One row. */
typedef struct {
    const rate_outcome *rate;
    uint64_t in_flight;                    /* limit */
    const stats_histogram *latencies;      /* by destination */
    const farm_account *accounts;          /* by destination, of all runs of the row */
    const stats_histogram *step_latencies; /* of rejected and accepted events; NULL: one step */
} farm_outcome;

/* Compute the row of an outcome. CB_ERROR_MEMORY, logged. */
cb_status farm_figures(const measurement_setting *setting, const farm_outcome *outcome,
                       report_row *row);

#endif
