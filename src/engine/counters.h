/* What the technology counts: columns for it, and its sums over the ranks of a measurement. */
#ifndef ENGINE_COUNTERS_H
#define ENGINE_COUNTERS_H

#include "engine/passes.h"

/* Let results have columns for the counters of all technologies; before the first document is
 * begun. */
void bench_use_counters(void);

/* What the technology has counted since the last row, summed over the team, at its index 0.
 * Together. */
cb_status bench_sum_counters(bench_session *session, control_team *team, cb_counts *out);

/* Over an unreliable technology, the share of the packets of this pass that was lost. Together. */
cb_status bench_note_losses(const bench_passes *run);

#endif
