/* The row of a closed loop: blocks of events, timed between marks in steady state, and a pass of
 * its own that records the latency of each event. */
#ifndef FARM_CLOSED_H
#define FARM_CLOSED_H

#include "farm/run.h"

cb_status farm_measure_closed(farm_run *run);

/* A closed loop with `count` blocks, after a lead-in in which the farm fills; and as many events
 * more as may be in flight, so that it does not run empty in the last of them. Marks are up to the
 * caller: count + 1 are for blocks, and in_flight / block may come after them. */
farm_load farm_closed_load(uint64_t in_flight, uint64_t block, size_t count);

/* Whether blocks of `block` events came out at less than half of the time that they are wanted to
 * take, with time left for enough longer ones. Of blocks shorter than what holds a farm up now and
 * then, the median would be the time between two such hold-ups. */
bool farm_blocks_too_short(double event_ns, uint64_t block, double wanted_ns, double left_ns);

#endif
