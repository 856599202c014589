/* One run of a program: what all of its measurements stand on, from the control plane to the
 * document. */
#ifndef ENGINE_SESSION_H
#define ENGINE_SESSION_H

#include <signal.h>

#include "base/context.h"
#include "control/control.h"
#include "engine/environment.h"
#include "engine/method.h"
#include "engine/program.h"
#include "host/host.h"
#include "host/work.h"
#include "report/report.h"

/* What makes a run fail that is complete; rank 0. */
typedef struct {
    bool verification_failed;
    bool search_failed; /* a deadline that no rate can hold */
    bool all_skipped;   /* nothing of the plan could be measured */
} session_verdict;

struct engine_session {
    engine_program *program;
    const benchmark *definition;
    const bench_options *options;
    const measurement_method *method; /* NULL: the plain passes are all */
    void *method_state;
    control *plane;
    size_t ranks;        /* of the job */
    control_clock clock; /* this rank's, against rank 0's */
    host *host;
    machines_of_job machines;
    cb_config *config;    /* of --config */
    cb_settings settings; /* of all ranks, from --config or derived */
    transport_factory *technology, *null;
    uint64_t counted[CB_COUNTERS_MOST]; /* by the technology here, what stands in rows already */
    transport_wait wait, effective_wait;
    host_work_rate work_rate;  /* of this rank's core, for algorithms */
    report_document *document; /* rank 0 alone */
    session_verdict verdict;
    bool started;            /* a failure ends the job from here on */
    uint64_t interrupted_ns; /* ranks other than 0: when a signal was seen; 0: none was */
};

/* Set by SIGINT and SIGTERM: the signal's number. Read between blocks. */
extern volatile sig_atomic_t session_signal_seen;

/* Start MPI, and read the configuration; collective over all ranks, whose options may differ: one
 * that a rank refuses is an error in all, the worst of them. From here to session_start all ranks
 * decide alike, and only rank 0 logs. *out has to be closed in any case. */
cb_status session_open(engine_session *out, engine_program *program);

/* Make the settings, open document and technologies for a plan, and describe the environment.
 * Collective. */
cb_status session_start(engine_session *session, const bench_plan *plan);

/* Finish the document and end the run, of which `status` came; what the program's exit status
 * follows from. A failure that other ranks may not know of ends the job here. */
cb_status session_close(engine_session *session, cb_status status);

/* When a signal was seen rank 0 finishes the document and ends; any other rank, if it is still
 * there three seconds later, ends the job. */
void session_leave_if_interrupted(engine_session *session);

#endif
