/* A log-linear histogram of durations in whole nanoseconds: fixed memory, at most 1 % relative
 * error, no allocation, merged by adding cells. Exact below 256 ns, then 128 cells an octave. */
#ifndef STATS_HISTOGRAM_H
#define STATS_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum {
    /* 2^7 cells an octave: a cell is at most 1/128 of its values wide. */
    STATS_HISTOGRAM_BITS = 7,
    /* 2^40 ns, about 18 minutes; what is as long or longer is dropped, and counted. */
    STATS_HISTOGRAM_LIMIT = 40,
    STATS_HISTOGRAM_OCTAVES = STATS_HISTOGRAM_LIMIT - STATS_HISTOGRAM_BITS + 1,
    STATS_HISTOGRAM_CELLS = STATS_HISTOGRAM_OCTAVES << STATS_HISTOGRAM_BITS
};

/* Plain data without pointers, so that ranks can exchange it as bytes. Zero-initialised = empty. */
typedef struct {
    uint64_t counts[STATS_HISTOGRAM_CELLS];
    uint64_t samples; /* recorded, without the dropped */
    uint64_t dropped;
    uint64_t maximum_ns; /* of the recorded, exact */
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

/* Hot. */
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

/* First value of a cell, in ns; the cell ends before stats_histogram_bound(cell + 1).
 * `cell` <= STATS_HISTOGRAM_CELLS, whose bound is the limit itself. */
uint64_t stats_histogram_bound(size_t cell);

void stats_histogram_merge(stats_histogram *into, const stats_histogram *from);

/* Quantile q in ns: the middle of the cell that holds the sample of rank ceil(q * samples), never
 * above the maximum, and the maximum itself for the highest rank. NaN, which a report leaves out,
 * when there are no samples or q is outside [0, 1]. */
double stats_histogram_quantile(const stats_histogram *histogram, double q);

#endif
