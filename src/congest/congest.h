/* A victim beside an aggressor: two benchmarks on different ranks of one job. */
#ifndef CONGEST_CONGEST_H
#define CONGEST_CONGEST_H

#include "congest/impact.h"
#include "congest/members.h"
#include "congest/options.h"
#include "engine/plan.h"
#include "engine/session.h"

/* Parse victim and aggressor, make the session measure them, and make the plan, which the caller
 * frees. CB_ERROR_USAGE, logged. Collective over all ranks, with the same status. The session frees
 * the rest.
 */
cb_status congest_plan(engine_session *session, bench_plan *out);

#endif
