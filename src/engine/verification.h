/* The verifying pass (--verify): how it sends and receives, and what becomes of its findings. */
#ifndef ENGINE_VERIFICATION_H
#define ENGINE_VERIFICATION_H

#include "engine/benchmark.h"
#include "engine/outcome.h"

extern const bench_traffic verification_traffic;

/* The findings of all ranks, at index 0 of the team. Together. */
cb_status verification_sum(control_team *team, const checker_findings *found,
                           verification_result *out);

/* At rank 0: findings that are errors are logged, and fail the run when all is measured. */
void verification_note(engine_session *session, const verification_result *found);

#endif
