/* Hockney's line t(n) = overhead + n / r_inf, fitted piecewise by least squares; the breaks are
 * found by dynamic programming. One fit for the benchmarks, Parkbench and the model. */
#ifndef STATS_FIT_H
#define STATS_FIT_H

#include <stdbool.h>
#include <stddef.h>

enum { STATS_FIT_POINTS = 3, STATS_FIT_SEGMENTS = 8 }; /* least points, most segments */

typedef struct {
    size_t first, last; /* indices of the points that it covers, inclusive */
    double from_bytes, to_bytes;
    double overhead_us;       /* t0 */
    double slope_us_per_byte; /* 1 / r_inf */
    double r_inf_MBps;        /* asymptotic throughput, 1 MB = 10^6 bytes; 0 for a slope <= 0 */
    double n_half_bytes;      /* overhead * r_inf: half of r_inf is reached at this size */
    double rms_residual_us;   /* the largest sizes dominate it */
    double rms_residual_pct;  /* of each point's time: what the fit makes small */
    const char *refusal;      /* NULL, or why the parameters must not be printed as a fit */
} stats_segment;

/* Fit at most `limit` (1 to STATS_FIT_SEGMENTS; more counts as that) segments to `count` points
 * with ascending sizes; repeated sizes are several measurements of one and stay in one segment, and
 * a segment has at least STATS_FIT_POINTS different sizes. Least squares of relative residuals
 * (weight 1/t^2): a timing error is a share of the time, and unweighted only the largest sizes
 * would decide. The number of segments is the one with the lowest penalised cost (BIC over the
 * residual degrees of freedom, see fit.c). `fixed` true: exactly `limit` segments, or as many as
 * the points allow.
 *
 * Returns the number of segments written to `segments`; 0 when there are fewer than
 * STATS_FIT_POINTS sizes, when sizes descend or are negative, when a time is not positive, when
 * anything is not finite, or when there is no memory for the search. A segment is refused when its
 * slope is not positive by more than its uncertainty, its overhead is negative, or its rms residual
 * exceeds a fifth, be it of the mean time or of the points' own times. */
size_t stats_fit(const double *bytes, const double *time_us, size_t count, size_t limit, bool fixed,
                 stats_segment *segments);

/* Parkbench's description of a curve of message times: t(n) = (n + n_half) / r_inf by least
 * squares, in two parts where the protocol changes at a known size, and the highest observed rate.
 * The definitions are those of the Parkbench committee's Report-1 (1994), multi-processor
 * benchmarks COMMS1 to COMMS3. */
enum { STATS_PARKBENCH_PARTS = 2 };

typedef struct {
    stats_segment line;   /* its overhead is the startup time t0 = n_half / r_inf */
    double pi0_Hz;        /* specific performance 1 / t0 = r_inf / n_half; NaN: refused, or t0 0 */
    double maximum_MBps;  /* highest size / time of a measured point; NaN without any */
    double maximum_bytes; /* the smallest size at which it was observed */
} stats_parkbench;

/* Describe `count` points with ascending sizes, each with the time of one message. A breakpoint of
 * 0 gives one line through all of them; otherwise the sizes below it have one line, and the other
 * sizes another.
 *
 * Returns how many parts were written: 1, or 2 where both sides of the breakpoint have points; 0
 * without points. A part is refused (line.refusal) for what stats_fit refuses, when it has fewer
 * than STATS_FIT_POINTS sizes or unusable values, and when a point was more than a fifth faster
 * than r_inf, which no size can exceed by its definition. The maximum is set in any case. */
size_t stats_parkbench_fit(const double *bytes, const double *time_us, size_t count,
                           double breakpoint_bytes, stats_parkbench *parts);

#endif
