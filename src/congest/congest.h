/* A victim beside an aggressor: two benchmarks on different ranks of one job. */
#ifndef CONGEST_CONGEST_H
#define CONGEST_CONGEST_H

#include "congest/impact.h"
#include "congest/members.h"
#include "engine/plan.h"
#include "engine/session.h"

/* Own options. */
typedef struct {
    const char *victim, *aggressor; /* a benchmark and its options; NULL: not given */
    const char *placement;
    uint64_t victim_ranks;   /* 0: half of the job */
    cb_list aggressor_ranks; /* empty: all others */
    uint64_t rounds;
    double rate_hz; /* of the aggressor's steps; 0: one after another */
    const char *arrivals;
} congest_options;

/* Parse victim and aggressor, make the session measure them, and make the plan, which the caller
 * frees. CB_ERROR_USAGE, logged. Collective over all ranks, with the same status. The session frees
 * the rest.
 */
cb_status congest_plan(engine_session *session, bench_plan *out);

#endif
