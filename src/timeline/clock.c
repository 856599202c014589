/* Clocks of ranks, by interpolation between two comparisons with rank 0's. */
#include "timeline/clock.h"

#include <math.h>

static double offset_at(const timeline_clock *clock, uint64_t local_ns)
{
    const control_clock *before = &clock->before, *after = &clock->after;
    double elapsed_ns = (double)(int64_t)(after->at_ns - before->at_ns);

    if (elapsed_ns <= 0)
        return after->offset_ns;
    return before->offset_ns + (after->offset_ns - before->offset_ns) / elapsed_ns *
                                   (double)(int64_t)(local_ns - before->at_ns);
}

uint64_t timeline_reference(const timeline_clock *clock, uint64_t local_ns)
{
    return local_ns + (uint64_t)(int64_t)llround(offset_at(clock, local_ns));
}

double timeline_bound_ns(const timeline_clock *clock)
{
    return fmax(clock->before.bound_ns, clock->after.bound_ns);
}

/* Whether an estimate of a clock is possible for `other` as well; one ns for rounding. */
static bool agrees(const control_clock *estimate, const timeline_clock *other)
{
    double apart_ns = fabs(estimate->offset_ns - offset_at(other, estimate->at_ns));

    return apart_ns <= estimate->bound_ns + timeline_bound_ns(other) + 1;
}

static size_t best_of_host(const timeline_clock *clocks, const int *hosts, size_t ranks, int host)
{
    size_t best = ranks;

    for (size_t rank = 0; rank < ranks; rank++)
        if (hosts[rank] == host &&
            (best == ranks || timeline_bound_ns(&clocks[rank]) < timeline_bound_ns(&clocks[best])))
            best = rank;
    return best;
}

void timeline_share_clocks(const timeline_clock *clocks, const int *hosts, size_t ranks,
                           size_t *clock_of)
{
    for (size_t rank = 0; rank < ranks; rank++) {
        size_t best = best_of_host(clocks, hosts, ranks, hosts[rank]);
        bool same = agrees(&clocks[rank].before, &clocks[best]) &&
                    agrees(&clocks[rank].after, &clocks[best]);

        clock_of[rank] = same ? best : rank;
    }
}
