/* What the harness itself costs: the loop of a benchmark over the technology null, and the touching
 * of a packet. Both run in one process, with no partner. */
#ifndef ENGINE_HARNESS_H
#define ENGINE_HARNESS_H

#include "engine/rank.h"

/* A step over null, by blocks that take at most `budget_ns` together. Local. */
cb_status harness_step_ns(const rank_setting *setting, transport_factory *null,
                          const bench_traffic *traffic, double budget_ns, double *step_ns);

/* The touching of a packet that is in cache, as it is after a hot receive; negative, with an error
 * logged, when there is no memory. */
double harness_touch_ns(size_t size_bytes);

#endif
