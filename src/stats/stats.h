/* Pure functions over samples: medians with non-parametric intervals, when to stop, quantiles, and
 * histograms. No function here reads a clock, prints, or keeps state. */
#ifndef STATS_STATS_H
#define STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Summary of a figure's blocks, in the unit of the values. count == 0: not measured, and all else
 * is 0. The interval is that of the mean if there is one, otherwise of the median. Below
 * STATS_INTERVAL_MINIMUM values it is the whole range. */
typedef struct {
    size_t count;
    double median, ci95_low, ci95_high, minimum, maximum;
    double mean; /* where it is the figure, which is then not the median; otherwise 0 */
} stats_summary;

enum {
    STATS_INTERVAL_MINIMUM = 6
}; /* minimum number of values for a 95 % interval of the median */

/* Quantile q of `count` ascending finite values, linear between order statistics (type 7). NaN,
 * which a report omits, for no values or a q outside [0, 1]. */
double stats_quantile(const double *sorted, size_t count, double q);

/* Ranks (from 0) of the order statistics that bound the median with at least 95 % coverage, by the
 * binomial distribution with p = 1/2: the closest symmetric pair. Returns false if count <
 * STATS_INTERVAL_MINIMUM; then low = 0 and high = count - 1 (the whole range, with less than 95 %
 * coverage), or both 0 for no values. */
bool stats_median_ranks(size_t count, size_t *low, size_t *high);

/* Summary of `count` values; sorts them in place. A value that is NaN or infinite makes the figure
 * "not measured" and leaves the order unchanged: a median of the rest would hide the defect. */
stats_summary stats_summarize(double *values, size_t count);

/* The same with the mean as the figure and, by Student's t over the values, its interval. For
 * positive values, of which rare large ones count. */
stats_summary stats_summarize_mean(double *values, size_t count);

/* The mean or the median, whichever is the figure. */
static inline double stats_figure(const stats_summary *summary)
{
    return summary->mean > 0 ? summary->mean : summary->median;
}

/* Half width of the interval in per cent of the figure; infinity for fewer than
 * STATS_INTERVAL_MINIMUM values or a figure that is not positive. */
double stats_precision_pct(const stats_summary *summary);

/* A log-linear histogram of durations in whole nanoseconds: fixed memory, at most 1 % relative
 * error, no allocation, merged by adding cells. Exact below 256 ns, then 128 cells per octave. */
enum {
    /* 2^7 cells per octave: a cell is at most 1/128 of its values wide. */
    STATS_HISTOGRAM_BITS = 7,
    /* 2^40 ns, about 18 minutes; longer values are dropped and counted. */
    STATS_HISTOGRAM_LIMIT = 40,
    STATS_HISTOGRAM_OCTAVES = STATS_HISTOGRAM_LIMIT - STATS_HISTOGRAM_BITS + 1,
    STATS_HISTOGRAM_CELLS = STATS_HISTOGRAM_OCTAVES << STATS_HISTOGRAM_BITS
};

/* Plain data without pointers, so that ranks can exchange it as bytes. All zeros: empty. */
typedef struct {
    uint64_t counts[STATS_HISTOGRAM_CELLS];
    uint64_t samples; /* recorded; excludes dropped values */
    uint64_t dropped;
    uint64_t maximum_ns; /* of the recorded values, exact */
} stats_histogram;

/* Cell of a value below 2^STATS_HISTOGRAM_LIMIT. */
static inline size_t stats_histogram_cell(uint64_t value_ns)
{
    unsigned exponent;

    if (value_ns < (2u << STATS_HISTOGRAM_BITS))
        return (size_t)value_ns;
    exponent = 63u - (unsigned)__builtin_clzll(value_ns) - STATS_HISTOGRAM_BITS;
    return ((size_t)exponent << STATS_HISTOGRAM_BITS) + (size_t)(value_ns >> exponent);
}

/* Hot path. */
static inline void stats_histogram_record(stats_histogram *histogram, uint64_t value_ns)
{
    if (value_ns >> STATS_HISTOGRAM_LIMIT) {
        histogram->dropped++;
        return;
    }
    histogram->counts[stats_histogram_cell(value_ns)]++;
    histogram->samples++;
    if (value_ns > histogram->maximum_ns)
        histogram->maximum_ns = value_ns;
}

/* First value of a cell, in ns; the cell ends before stats_histogram_bound(cell + 1). `cell` <=
 * STATS_HISTOGRAM_CELLS; the bound of that is the limit of the histogram. */
uint64_t stats_histogram_bound(size_t cell);

void stats_histogram_merge(stats_histogram *into, const stats_histogram *from);

/* Quantile q in ns: the middle of the cell that holds the sample of rank ceil(q * samples), at most
 * the maximum, and the maximum itself for the highest rank. NaN, which a report omits, without
 * samples or for a q outside [0, 1]. */
double stats_histogram_quantile(const stats_histogram *histogram, double q);

#endif
