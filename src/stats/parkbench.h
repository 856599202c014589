/* Parkbench's description of a curve of message times: t(n) = (n + n_half) / r_inf by least
 * squares, in two parts where the protocol changes at a known size, and the highest observed rate.
 * The definitions are those of the Parkbench committee's Report-1 (1994), multi-processor
 * benchmarks COMMS1 to COMMS3. */
#ifndef STATS_PARKBENCH_H
#define STATS_PARKBENCH_H

#include <stddef.h>

#include "stats/fit.h"

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
