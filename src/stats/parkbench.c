/* Parkbench's parameters from the fit of fit.c: a line for each part, the specific performance and
 * the observed maximum, which also shows a line that promises more than was observed. */
#include "stats/parkbench.h"

#include <math.h>

/* A point that is faster than the asymptote by more than this factor contradicts it. */
static const double surpassing_limit = 1.2;

static stats_parkbench describe_part(const double *bytes, const double *time_us, size_t count)
{
    stats_parkbench part = {
        .pi0_Hz = (double)NAN, .maximum_MBps = (double)NAN, .maximum_bytes = (double)NAN};
    size_t sizes = 0;

    for (size_t i = 0; i < count; i++) {
        double rate_MBps = bytes[i] / time_us[i]; /* bytes per us are MB/s */

        sizes += i == 0 || bytes[i] != bytes[i - 1];
        if (isfinite(rate_MBps) && rate_MBps > 0 && !(rate_MBps <= part.maximum_MBps)) {
            part.maximum_MBps = rate_MBps;
            part.maximum_bytes = bytes[i];
        }
    }
    if (stats_fit(bytes, time_us, count, 1, true, &part.line) == 0)
        part.line = (stats_segment){
            .last = count - 1,
            .from_bytes = bytes[0],
            .to_bytes = bytes[count - 1],
            .refusal = sizes < STATS_FIT_POINTS
                           ? "fewer than three sizes define no line: measure more of them, on each "
                             "side of a breakpoint"
                           : "a time or a size is not a number that a line can be fitted to",
        };
    if (part.line.refusal == NULL && part.maximum_MBps > surpassing_limit * part.line.r_inf_MBps)
        part.line.refusal = "a size was more than a fifth faster than r_inf, which no size can "
                            "exceed: these sizes have no common asymptote";
    if (part.line.refusal == NULL && part.line.overhead_us > 0)
        part.pi0_Hz = 1e6 / part.line.overhead_us;
    return part;
}

size_t stats_parkbench_fit(const double *bytes, const double *time_us, size_t count,
                           double breakpoint_bytes, stats_parkbench *parts)
{
    size_t below = 0, written = 0;

    while (below < count && bytes[below] < breakpoint_bytes)
        below++;
    if (below > 0)
        parts[written++] = describe_part(bytes, time_us, below);
    if (below < count) {
        parts[written] = describe_part(bytes + below, time_us + below, count - below);
        parts[written].line.first += below;
        parts[written++].line.last += below;
    }
    return written;
}
