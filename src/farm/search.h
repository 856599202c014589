/* The search for the highest rate that a farm holds: which rates are tried, how often, and when to
 * stop. The caller provides trials and clock, so the search can be tested without a farm. */
#ifndef FARM_SEARCH_H
#define FARM_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "farm/figures.h"

/* Result of a trial at one rate. */
typedef struct {
    bool holds;
    bool silent;   /* no event was decided */
    double now_ns; /* time after the trial, on the clock of farm_search.now_ns */
} farm_trial;

typedef cb_status farm_try_rate(void *context, double rate_hz, farm_trial *out);

/* Values here and in farm_trial are equal in all ranks, so that all make the same trials. */
typedef struct {
    farm_try_rate *try_rate;
    void *context;
    double limit_ns; /* --max-time */
    double event_ns; /* time per event at the highest frequency */
    uint64_t events; /* fewest events of a trial */
    double now_ns;
    /* Set by the search */
    double end_ns;    /* no trial starts that would end later */
    bool silent;      /* no event was decided in the last trial */
    bool out_of_time; /* the search ended at end_ns without a result */
} farm_search;

/* Fewest events of a trial that tells a quantile (0.99): ten are beyond it. */
uint64_t farm_search_events(double quantile);

/* Length of a trial, if it has room for more than the fewest events. */
double farm_search_trial_ns(const farm_search *search);

/* Time limit of a search: all steps with trials of farm_search_trial_ns; if the fewest events take
 * longer, fewer steps with longer trials. A trial that takes longer than expected may exceed it. */
double farm_search_limit_ns(const farm_search *search);

/* Run the search. found->repeats is 0 if there is no result. Returns the first error of a trial. */
cb_status farm_search_highest(farm_search *search, farm_found *found);

#endif
