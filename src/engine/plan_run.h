/* Run the measurements of a plan: choose participants, skip what cannot be measured, fit curves. */
#ifndef ENGINE_PLAN_RUN_H
#define ENGINE_PLAN_RUN_H

#include "engine/session.h"

/* Collective over all ranks. What cannot be measured is skipped, with the reason in the document;
 * other errors end the run. */
cb_status plan_run(engine_session *session, const bench_plan *plan);

/* Calibrate the work of algorithms on this rank's core, if a measurement of the plan runs one, and
 * write the extreme rates. plan_run does so, and checks for drift at the end. Collective over the
 * session's ranks. CB_ERROR_SYSTEM or the control plane's error, logged. */
cb_status plan_calibrate_work(engine_session *session, const bench_plan *plan);

/* Why a measurement cannot be made with this technology in this job; NULL if it can. */
const char *plan_obstacle(const engine_session *session, const bench_measurement *measurement);

#endif
