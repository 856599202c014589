/* Pure functions over samples: medians with non-parametric intervals, when to stop, and quantiles.
 * No function here reads a clock, prints, or keeps state. */
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* What a figure's blocks say. count == 0: not measured, and all else is 0. Any unit: that of the
 * values. Below STATS_INTERVAL_MINIMUM values the interval is the whole range. */
typedef struct {
    size_t count;
    double median, ci95_low, ci95_high, minimum, maximum;
} stats_summary;

enum { STATS_INTERVAL_MINIMUM = 6 }; /* fewer values give no 95 % interval of the median */

/* Quantile q of `count` ascending finite values, linear between order statistics (type 7). NaN,
 * which a report leaves out, for no values or a q outside [0, 1]. */
double stats_quantile(const double *sorted, size_t count, double q);

/* Ranks (from 0) of the order statistics that bound the median with at least 95 % coverage, by the
 * binomial distribution with p = 1/2; symmetric, and the closest such pair. False when
 * count < STATS_INTERVAL_MINIMUM; then low = 0 and high = count - 1 (the whole range, its coverage
 * below 95 %), or both 0 for no values. */
bool stats_median_ranks(size_t count, size_t *low, size_t *high);

/* Summary of `count` values; sorts them in place. A value that is NaN or infinite makes the figure
 * "not measured", and the order stays: a median of the rest would hide that something broke. */
stats_summary stats_summarize(double *values, size_t count);

/* Half width of the interval in per cent of the median; infinity below STATS_INTERVAL_MINIMUM
 * values or for a median that is not positive. */
double stats_precision_pct(const stats_summary *summary);

#endif
