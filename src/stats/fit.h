/* Hockney's line t(n) = overhead + n / r_inf, fitted piecewise by least squares with breaks found
 * by dynamic programming. Used by the benchmarks, Parkbench and the model. */
#ifndef STATS_FIT_H
#define STATS_FIT_H

#include <stdbool.h>
#include <stddef.h>

enum {
    STATS_FIT_POINTS = 3,
    STATS_FIT_SEGMENTS = 8
}; /* minimum number of points, maximum number of segments */

typedef struct {
    size_t first, last; /* indices of the points that it covers, inclusive */
    double from_bytes, to_bytes;
    double overhead_us;       /* t0 */
    double slope_us_per_byte; /* 1 / r_inf */
    double r_inf_MBps;        /* asymptotic throughput, 1 MB = 10^6 bytes; 0 for a slope <= 0 */
    double n_half_bytes;      /* overhead * r_inf: half of r_inf is reached at this size */
    double rms_residual_us;   /* dominated by the largest sizes */
    double rms_residual_pct;  /* of each point's time; the fit minimises this */
    const char *refusal;      /* NULL, or the reason not to report the parameters */
} stats_segment;

/* Fit at most `limit` (1 to STATS_FIT_SEGMENTS) segments to `count` points with ascending sizes.
 * Repeated sizes are repeated measurements and stay in one segment; a segment has at least
 * STATS_FIT_POINTS different sizes. Least squares of relative residuals (weight 1/t^2): timing
 * errors are proportional to the time, and unweighted only the largest sizes would count. The
 * number of segments has the lowest penalised cost (BIC over the residual degrees of freedom, see
 * fit.c); with `fixed` it is `limit`, or as many as the points allow.
 *
 * Returns the number of segments written to `segments`; 0 if there are fewer than STATS_FIT_POINTS
 * sizes, sizes descend or are negative, a time is not positive, a value is not finite, or memory is
 * short. A segment has a refusal if its slope is not significantly positive, its overhead is
 * negative, or its rms residual exceeds a fifth of the mean time or of the points' own times. */
size_t stats_fit(const double *bytes, const double *time_us, size_t count, size_t limit, bool fixed,
                 stats_segment *segments);

/* Parkbench's description of a curve of message times: t(n) = (n + n_half) / r_inf by least
 * squares, in two parts if the protocol changes at a known size, and the highest observed rate.
 * Definitions: Parkbench committee, Report-1 (1994), multi-processor benchmarks COMMS1 to COMMS3.
 */
enum { STATS_PARKBENCH_PARTS = 2 };

typedef struct {
    stats_segment line; /* its overhead is the startup time t0 = n_half / r_inf */
    double pi0_Hz; /* specific performance 1 / t0 = r_inf / n_half; NaN if refused or t0 is 0 */
    double maximum_MBps;  /* highest size / time of a measured point; NaN without points */
    double maximum_bytes; /* the smallest size at which it was observed */
} stats_parkbench;

/* Describe `count` points with ascending sizes, each with the time of one message. A breakpoint of
 * 0 gives one line through all points; otherwise sizes below it have one line, and the other sizes
 * another.
 *
 * Returns the number of parts written: 1, or 2 if both sides of the breakpoint have points; 0
 * without points. A part has a refusal (line.refusal) in the cases of stats_fit, if it has fewer
 * than STATS_FIT_POINTS sizes or unusable values, and if a point was more than a fifth faster than
 * r_inf, which by definition no size can exceed. The maximum is set in any case. */
size_t stats_parkbench_fit(const double *bytes, const double *time_us, size_t count,
                           double breakpoint_bytes, stats_parkbench *parts);

#endif
