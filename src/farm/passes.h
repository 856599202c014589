/* The passes of a farm's measurement that give its rows: the closed loop's blocks and latencies,
 * and the open loops of --rate, --load-curve and --find-rate. */
#ifndef FARM_PASSES_H
#define FARM_PASSES_H

#include "farm/run.h"

cb_status farm_measure_closed(farm_run *run);

/* Nothing where the options ask for no open loop. */
cb_status farm_measure_open(farm_run *run);

/* A closed loop with `count` blocks, after a lead-in in which the farm fills; and as many events
 * more as may be in flight, so that it does not run empty in the last of them. Marks are up to the
 * caller: count + 1 are for blocks, and in_flight / block may come after them. */
farm_load farm_closed_load(uint64_t in_flight, uint64_t block, size_t count);

/* An open loop at a rate, as the options shape it. The k-th of a measurement draws its arrivals
 * alike in every run with the same --seed. */
farm_load farm_open_load(farm_run *run, double rate_hz, uint64_t events);

/* Whether blocks of `block` events came out at less than half of the time that they are wanted to
 * take, with time left for enough longer ones. Of blocks shorter than what holds a farm up now and
 * then, the median would be the time between two such hold-ups. */
bool farm_blocks_too_short(double event_ns, uint64_t block, double wanted_ns, double left_ns);

#endif
