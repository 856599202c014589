/* The values of options with a syntax of their own: background loads, their intervals, and masks of
 * signals. Parsers are pure: on failure they return false and write the reason, a phrase,
 * to `why` (CB_WHY_BYTES). */
#ifndef TOOLS_CCMOD_VALUES_H
#define TOOLS_CCMOD_VALUES_H

#include <ccmod/ccmod.h>

#include "base/units.h"

/* The value of --background. */
typedef struct {
    ccmod_background kind;
    double load;
    bool three; /* best, average and worst: `kind` and `load` are those of the average */
} tool_background;

/* As ccmod_parameters_set_background or, with `three_allowed`, best-average-worst:LOAD. */
bool tool_parse_background(const char *text, bool three_allowed, tool_background *background,
                           char *why);

/* How many times as long a message takes in the mean that is alone on this number of links, if each
 * has one load of CCMOD_BACKGROUND_EXPONENTIAL with this mean all the time. */
double tool_background_factor(double mean, unsigned links);

/* A time of at least 1 us, or "evaluation", which is 0. */
bool tool_parse_interval(const char *text, double *interval_us, char *why);

/* Signals by name, comma-separated; "all", "none" and "horizons" are sets; a word after "-" is
 * removed, from all signals if it is the first one. */
bool tool_parse_mask(const char *text, uint32_t *mask, char *why);

#endif
