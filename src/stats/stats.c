/* Medians, their intervals, quantiles. The interval of a median uses ranks only: each value is
 * below the true median with probability 1/2, whatever the distribution, so the number of values
 * below it is binomial, and two order statistics enclose the median with a known probability.
 *
 * Histogram cells below 256 ns are one nanosecond wide; above, each octave has 128 cells of equal
 * width, so that the middle of a cell differs by at most 1/256 from every value in it. */
#include "stats/stats.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "stats/student.h"

static const double coverage = 0.95;

/* Weights below this share of the central one cannot change a sum in double precision. */
static const double negligible_weight = 1e-20;

/* Widen the set [k, count - k] of a binomial variable (p = 1/2) from its centre until its mass
 * reaches `enough`; returns k. The mass is in units of the central probability and each weight
 * follows from its neighbour, so that neither 2^-count nor a factorial occurs: no underflow for any
 * count, and at most about 10 sqrt(count) / 2 steps. */
static size_t widen(size_t count, double enough, double *mass)
{
    size_t k = count / 2;
    double weight = 1;

    *mass = count % 2 == 0 ? 1 : 2;
    while (*mass < enough && k > 0 && weight > negligible_weight) {
        weight *= (double)k / (double)(count - k + 1);
        k--;
        *mass += 2 * weight;
    }
    return k;
}

double stats_quantile(const double *sorted, size_t count, double q)
{
    double position, fraction;
    size_t below;

    if (count == 0 || !(q >= 0 && q <= 1))
        return (double)NAN;
    position = q * (double)(count - 1);
    below = (size_t)position;
    fraction = position - (double)below;
    if (fraction <= 0)
        return sorted[below];
    return fmin(sorted[below] + fraction * (sorted[below + 1] - sorted[below]), sorted[below + 1]);
}

bool stats_median_ranks(size_t count, size_t *low, size_t *high)
{
    double total, mass;

    *low = 0;
    *high = count > 0 ? count - 1 : 0;
    if (count < STATS_INTERVAL_MINIMUM)
        return false;
    widen(count, (double)INFINITY, &total);
    /* With k to count - k values below it, the median lies between the k-th value and the k-th from
     * the top, counted from 1. */
    *low = widen(count, coverage * total, &mass) - 1;
    *high = count - 1 - *low;
    return true;
}

stats_summary stats_summarize(double *values, size_t count)
{
    stats_summary summary = {0};
    size_t low, high;

    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return summary;
    if (count == 0)
        return summary;
    qsort(values, count, sizeof(*values), cb_ascending_reals);
    stats_median_ranks(count, &low, &high);
    return (stats_summary){.count = count,
                           .median = stats_quantile(values, count, 0.5),
                           .ci95_low = values[low],
                           .ci95_high = values[high],
                           .minimum = values[0],
                           .maximum = values[count - 1]};
}

stats_summary stats_summarize_mean(double *values, size_t count)
{
    stats_summary summary = stats_summarize(values, count);
    double squares = 0, half;

    for (size_t i = 0; i < summary.count; i++)
        summary.mean += values[i] / (double)count;
    if (summary.count < STATS_INTERVAL_MINIMUM)
        return summary;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - summary.mean) * (values[i] - summary.mean);
    half = stats_student_95(count - 1) * sqrt(squares / (double)(count - 1) / (double)count);
    summary.ci95_low = fmax(0, summary.mean - half);
    summary.ci95_high = summary.mean + half;
    return summary;
}

double stats_precision_pct(const stats_summary *summary)
{
    const double figure = stats_figure(summary);

    if (summary->count < STATS_INTERVAL_MINIMUM || !(figure > 0))
        return (double)INFINITY;
    return 100 * (summary->ci95_high - summary->ci95_low) / 2 / figure;
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
    const double samples = (double)histogram->samples;
    uint64_t seen = 0, first_ns, last_ns;
    size_t cell = 0;
    double rank; /* of the sample, from 1 */

    if (histogram->samples == 0 || !(q >= 0 && q <= 1))
        return (double)NAN;
    /* 0.07 * 100 is 7.000000000000001 in binary and must not become rank 8: lower the product by
     * more than its rounding error before rounding up. */
    rank = fmax(1, ceil(q * samples * (1 - 2 * DBL_EPSILON)));
    if (rank >= samples)
        return (double)histogram->maximum_ns;
    for (; cell + 1 < STATS_HISTOGRAM_CELLS; cell++) {
        seen += histogram->counts[cell];
        if (seen >= (uint64_t)rank)
            break;
    }
    /* The middle between its first and its last whole nanosecond, so that a cell of one value gives
     * that value. */
    first_ns = stats_histogram_bound(cell);
    last_ns = stats_histogram_bound(cell + 1) - 1;
    return fmin(((double)first_ns + (double)last_ns) / 2, (double)histogram->maximum_ns);
}
