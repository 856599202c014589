/* What the technology counts: columns for it, and its sums over the ranks of a measurement. */
#ifndef ENGINE_COUNTERS_H
#define ENGINE_COUNTERS_H

#include "engine/benchmark.h"
#include "engine/outcome.h"

/* Let results have columns for the counters of all technologies; before the first document is
 * begun. */
void counters_use_columns(void);

/* What the technology has counted since the last row, summed over the team, at its index 0.
 * Together. */
cb_status counters_sum(engine_session *session, control_team *team, cb_counts *out);

/* Over an unreliable technology, the share of the packets of this pass that was lost. Together. */
cb_status counters_lost_share(const measurement_setting *setting, const bench_rank *me,
                              double *share);

#endif
