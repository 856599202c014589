/* The part of the log-linear histogram that is not hot: bounds, merging, quantiles. Cells below 256
 * ns are one nanosecond wide; from there each octave is divided into 128 cells of equal width, so
 * that the middle of a cell is never further than 1/256 from what was recorded in it. */
#include "stats/histogram.h"

#include <float.h>
#include <math.h>

/* Rank, from 1, of quantile q. 0.07 * 100 is 7.000000000000001 in binary, and must not become rank
 * 8: the product is lowered by more than its own rounding before it is rounded up. */
static uint64_t rank_of(double q, uint64_t samples)
{
    double rank = ceil(q * (double)samples * (1 - 2 * DBL_EPSILON));

    if (rank < 1)
        return 1;
    return rank >= (double)samples ? samples : (uint64_t)rank;
}

/* The cell that holds the sample of a rank that exists. */
static size_t cell_of_rank(const stats_histogram *histogram, uint64_t rank)
{
    uint64_t seen = 0;
    size_t cell = 0;

    for (; cell + 1 < STATS_HISTOGRAM_CELLS; cell++) {
        seen += histogram->counts[cell];
        if (seen >= rank)
            break;
    }
    return cell;
}

/* Between its first and its last whole nanosecond: a cell of one value gives that value. */
static double middle_ns(size_t cell)
{
    uint64_t first = stats_histogram_bound(cell), last = stats_histogram_bound(cell + 1) - 1;

    return ((double)first + (double)last) / 2;
}

uint64_t stats_histogram_bound(size_t cell)
{
    size_t exponent;

    if (cell < (2u << STATS_HISTOGRAM_BITS))
        return cell;
    exponent = (cell >> STATS_HISTOGRAM_BITS) - 1;
    return (uint64_t)(cell - (exponent << STATS_HISTOGRAM_BITS)) << exponent;
}

void stats_histogram_merge(stats_histogram *into, const stats_histogram *from)
{
    for (size_t cell = 0; cell < STATS_HISTOGRAM_CELLS; cell++)
        into->counts[cell] += from->counts[cell];
    into->samples += from->samples;
    into->dropped += from->dropped;
    if (from->maximum_ns > into->maximum_ns)
        into->maximum_ns = from->maximum_ns;
}

double stats_histogram_quantile(const stats_histogram *histogram, double q)
{
    uint64_t rank;

    if (histogram->samples == 0 || !(q >= 0 && q <= 1))
        return (double)NAN;
    rank = rank_of(q, histogram->samples);
    if (rank == histogram->samples)
        return (double)histogram->maximum_ns;
    return fmin(middle_ns(cell_of_rank(histogram, rank)), (double)histogram->maximum_ns);
}
