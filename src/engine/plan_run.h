/* Run the measurements of a plan: choose participants, skip what cannot be measured, fit curves. */
#ifndef ENGINE_PLAN_RUN_H
#define ENGINE_PLAN_RUN_H

#include "engine/session.h"

/* Calibrate the work of algorithms on this rank's core, if a measurement of the plan runs one, and
 * write the extreme rates. plan_carry_out does so, and checks for drift at the end. Collective over
 * the session's ranks. CB_ERROR_SYSTEM or the control plane's error, logged. */
cb_status plan_calibrate_work(engine_session *session, const bench_plan *plan);

/* Why a measurement cannot be made with this technology in this job; NULL if it can. */
const char *plan_obstacle(const engine_session *session, const bench_measurement *measurement);

/* Makes the plan of a session: session_plan, or what a program has in its place. */
typedef cb_status (*plan_maker)(engine_session *session, bench_plan *out);

/* Make the plan of a session that was opened with this status, run it, and close the session. What
 * cannot be measured is skipped, with the reason in the document; other errors end the run.
 * Collective over all ranks. */
cb_status plan_carry_out(engine_session *session, engine_job *job, cb_status status,
                         plan_maker make);

#endif
