/* The method of replays: a trace is played on the network. */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "engine/plan.h"
#include "engine/session.h"

/* Own options. */
typedef struct {
    const char *path;        /* the trace; NULL: not given */
    const char *calibration; /* file of the quiet network; NULL: not given */
    uint64_t records_most;   /* of one rank */
} replay_options;

/* Load the trace that the options name, make the session measure it, and make the plan, which the
 * caller frees. CB_ERROR_USAGE, logged, if the job or the technology cannot play it. Collective
 * over all ranks, with the same status. The session frees the trace. */
cb_status replay_plan(engine_session *session, bench_plan *out);

#endif
