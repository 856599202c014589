/* The part of the log-linear histogram that is not hot: bounds, merging, quantiles. Cells below
 * 256 ns are one nanosecond wide; above, each octave is divided into 128 cells of equal width, so
 * that the middle of a cell differs by at most 1/256 from every value recorded in it. */
#include "stats/histogram.h"

#include <float.h>
#include <math.h>

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
    const double samples = (double)histogram->samples;
    uint64_t seen = 0, first_ns, last_ns;
    size_t cell = 0;
    double rank; /* of the sample, from 1 */

    if (histogram->samples == 0 || !(q >= 0 && q <= 1))
        return (double)NAN;
    /* 0.07 * 100 is 7.000000000000001 in binary, and must not become rank 8: the product is lowered
     * by more than its own rounding before it is rounded up. */
    rank = fmax(1, ceil(q * samples * (1 - 2 * DBL_EPSILON)));
    if (rank >= samples)
        return (double)histogram->maximum_ns;
    for (; cell + 1 < STATS_HISTOGRAM_CELLS; cell++) {
        seen += histogram->counts[cell];
        if (seen >= (uint64_t)rank)
            break;
    }
    /* The middle of its first and its last whole nanosecond: a cell of one value gives that value.
     */
    first_ns = stats_histogram_bound(cell);
    last_ns = stats_histogram_bound(cell + 1) - 1;
    return fmin(((double)first_ns + (double)last_ns) / 2, (double)histogram->maximum_ns);
}
