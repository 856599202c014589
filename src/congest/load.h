/* The aggressors' part: traffic, or none, in turns until rank 0 stops it. */
#ifndef CONGEST_LOAD_H
#define CONGEST_LOAD_H

#include "congest/command.h"
#include "congest/notes.h"
#include "engine/outcome.h"
#include "rate/arrivals.h"

/* Of all aggressors. */
typedef struct {
    control *job;                /* the plane of all ranks, for notes */
    engine_session session;      /* of the aggressors: their plane, definition and options */
    measurement_setting setting; /* the measurement whose traffic is the load */
    const congest_command *command;
    const rate_arrivals *arrivals;
    double rate_hz; /* of steps, that fall due as `arrivals` says; 0: one after the other */
} congest_load;

/* Carry the load until the note CONGEST_STOP; send CONGEST_RUNNING and a tally. Collective over the
 * aggressors. An error is that of the benchmark, logged. */
cb_status congest_load_run(congest_load *load);

#endif
