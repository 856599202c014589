/* A pipeline at a rate (--rate, --load-curve, --find-rate).
 *
 * All sources issue event n when it is due on a schedule that they have in common, by clocks that
 * the job has compared. A source that is late, because its window is full or it has no core, issues
 * the due events as soon as it can. The last stage measures: the latency of an event counts from
 * its due time, and the pipeline is saturated if the number of due events that have not arrived
 * grows. */
#ifndef FARM_CHAIN_H
#define FARM_CHAIN_H

#include "engine/method.h"

/* How a pipeline is measured with one of these options: `at_rate` of its definition. */
extern const measurement_method chain_method;

#endif
