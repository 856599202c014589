/* Timed passes of a farm's closed loop: blocks and latencies. */
#ifndef FARM_PASSES_H
#define FARM_PASSES_H

#include "farm/run.h"

cb_status farm_measure_closed(farm_run *run);

/* A closed loop with a lead-in in which the farm fills, `count` blocks, and `in_flight` more
 * events, so that the farm does not run empty in the last block. The caller provides marks: count +
 * 1 for the blocks, and room for in_flight / block more. */
farm_load farm_closed_load(uint64_t in_flight, uint64_t block, size_t count);

/* Whether blocks of `block` events took less than half of the intended time, with time left for
 * enough longer ones. If blocks are shorter than the interval between occasional delays, their
 * median does not include the delays. */
bool farm_blocks_too_short(double event_ns, uint64_t block, double wanted_ns, double left_ns);

#endif
