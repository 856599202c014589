/* What became of the messages of a measurement over an unreliable technology. Over a reliable one
 * nothing is counted or agreed. */
#ifndef ENGINE_DATAGRAMS_H
#define ENGINE_DATAGRAMS_H

#include "engine/benchmark.h"
#include "engine/outcome.h"

/* What became of the datagrams since the last row, summed over the team, at its index 0; `done` is
 * false where the technology is reliable. Together. */
cb_status datagrams_sum(engine_session *session, control_team *team, report_datagrams *out);

/* The share of the packets of this pass that was lost. Together. */
cb_status datagrams_lost_share(const measurement_setting *setting, const bench_rank *me,
                               double *share);

#endif
