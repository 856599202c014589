/* The instants of a timeline on one clock, rank 0's: each rank's clock was compared with it before
 * and after the events that are noted. Pure. */
#ifndef TIMELINE_CLOCK_H
#define TIMELINE_CLOCK_H

#include "control/control.h"

typedef struct {
    control_clock before, after; /* two estimates of one clock; their drift is not looked at */
} timeline_clock;

/* An instant of the clock as one of rank 0's: on the line through both estimates. */
uint64_t timeline_reference(const timeline_clock *clock, uint64_t local_ns);

/* Between the estimates the line is wrong by no more than this, if the drift is steady. */
double timeline_bound_ns(const timeline_clock *clock);

/* Ranks of one host read one clock: of each rank, the rank whose estimate counts for it in
 * clock_of. It is the one of its host that is known best, rank 0's on that host, unless its own
 * estimates say that the two cannot be the same clock. */
void timeline_share_clocks(const timeline_clock *clocks, const int *hosts, size_t ranks,
                           size_t *clock_of);

#endif
