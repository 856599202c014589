/* The plan: each measurement of the victim beside each number of aggressors. */
#ifndef CONGEST_PLAN_H
#define CONGEST_PLAN_H

#include "congest/run.h"

/* Parse victim and aggressor, and check the options of both and the numbers of ranks.
 * CB_ERROR_USAGE, logged. */
cb_status congest_plan_parse(const engine_session *session, congest_run *run);

/* Make the plan, and room for the teams. CB_ERROR_USAGE or CB_ERROR_MEMORY, logged. */
cb_status congest_plan_make(const engine_session *session, congest_run *run, bench_plan *out);

#endif
