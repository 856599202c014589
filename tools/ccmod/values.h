/* The values of options with a syntax of their own: background loads, their intervals, buffers, and
 * masks of signals. Parsers are pure: on failure they return false and write the reason, a phrase,
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

/* none, LOAD, exp:LOAD or, with `three_allowed`, best-average-worst:LOAD. LOAD is a share of a
 * link, 0 to 0.99, or MEAN/MAXIMUMpackets/s. */
bool tool_parse_background(const char *text, bool three_allowed, tool_background *background,
                           char *why);

/* How many times as long a message takes in the mean that is alone on this number of links, if each
 * has one load of CCMOD_BACKGROUND_EXPONENTIAL with this mean all the time. */
double tool_background_factor(double mean, unsigned links);

/* A time of at least 1 us, or "evaluation", which is 0. */
bool tool_parse_interval(const char *text, double *interval_us, char *why);

/* BYTES, or BYTES,shared:ALPHA; *alpha is 0 without. */
bool tool_parse_buffer(const char *text, uint64_t *bytes, double *alpha, char *why);

/* Signals by name, comma-separated; "all", "none" and "horizons" are sets; a word after "-" is
 * removed, from all signals if it is the first one. */
bool tool_parse_mask(const char *text, uint32_t *mask, char *why);

#endif
