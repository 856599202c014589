/* The search for the highest rate that is kept: which rates are tried, how often, and when to stop.
 * The caller provides trials and clock, so the search can be tested without ranks. */
#ifndef RATE_SEARCH_H
#define RATE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "rate/outcome.h"

/* Result of a trial at one rate. */
typedef struct {
    bool holds;
    bool silent;   /* no event was decided */
    double now_ns; /* time after the trial, on the clock of rate_search.now_ns */
} rate_trial;

typedef cb_status rate_try(void *context, double rate_hz, rate_trial *out);

/* Values here and in rate_trial are equal in all ranks, so that all make the same trials. */
typedef struct {
    rate_try *try_rate;
    void *context;
    double limit_ns; /* --max-time */
    double event_ns; /* time per event at the highest frequency */
    uint64_t events; /* fewest events of a trial */
    double now_ns;
    /* Set by the search */
    double end_ns;    /* no trial starts that would end later */
    bool silent;      /* no event was decided in the last trial */
    bool out_of_time; /* the search ended at end_ns without a result */
} rate_search;

/* Fewest events of a trial that tells a quantile (0.99): ten are beyond it. */
uint64_t rate_search_events(double quantile);

/* Length of a trial, if it has room for more than the fewest events. */
double rate_search_trial_ns(const rate_search *search);

/* Time limit of a search: all steps with trials of rate_search_trial_ns; if the fewest events take
 * longer, fewer steps with longer trials. A trial that takes longer than expected may exceed it. */
double rate_search_limit_ns(const rate_search *search);

/* Run the search. found->repeats is 0 if there is no result. Returns the first error of a trial. */
cb_status rate_search_highest(rate_search *search, rate_found *found);

#endif
