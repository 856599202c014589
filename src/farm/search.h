/* The search for the highest rate that a farm holds: which rates are tried, how often, and when to
 * stop. The trials and the clock are the caller's, so that the search needs no farm. */
#ifndef FARM_SEARCH_H
#define FARM_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "farm/figures.h"

/* A trial at one rate. */
typedef struct {
    bool holds;
    bool silent;   /* nothing was decided */
    double now_ns; /* after the trial, on the clock of farm_search.now_ns */
} farm_trial;

typedef cb_status farm_try_rate(void *context, double rate_hz, farm_trial *out);

/* All ranks have the same values here and in farm_trial, so that they make the same trials. */
typedef struct {
    farm_try_rate *try_rate;
    void *context;
    double limit_ns; /* --max-time */
    double event_ns; /* of the closed loop */
    uint64_t events; /* of a trial, at least */
    double now_ns;
    /* Set by the search */
    double end_ns;    /* no trial begins that would end later */
    bool silent;      /* nothing was decided in the last trial */
    bool out_of_time; /* end_ns came before a result */
} farm_search;

/* The time of a trial in which more events fit than the fewest. */
double farm_search_trial_ns(const farm_search *search);

/* How long a search may take: the trials of a search in which every step is needed, at the time of
 * a trial above; and where the fewest events take longer, fewer trials of that length. A trial that
 * takes longer than expected can end later. */
double farm_search_limit_ns(const farm_search *search);

/* found->repeats is 0 if there is no result. */
cb_status farm_search_highest(farm_search *search, farm_found *found);

#endif
