/* Measurement after measurement of a plan: who takes part, what is skipped, fits of curves. */
#ifndef ENGINE_PLAN_RUN_H
#define ENGINE_PLAN_RUN_H

#include "engine/session.h"

/* Collective over all. */
cb_status plan_run(engine_session *session, const bench_plan *plan);

#endif
