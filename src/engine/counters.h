/* What the technology counted in a measurement, for the row; and what part of the payload of an
 * unreliable technology was delivered. */
#ifndef ENGINE_COUNTERS_H
#define ENGINE_COUNTERS_H

#include "engine/benchmark.h"
#include "engine/outcome.h"

/* Since the counters were last read, summed over the team, at its index 0. Together. */
cb_status counters_sum(engine_session *session, control_team *team, cb_counts *out);

/* The share of the packets of this pass that was lost; over a reliable technology *share stays as
 * it is. Together. */
cb_status counters_lost_share(const measurement_setting *setting, const bench_rank *me,
                              double *share);

#endif
