/* One run of a program: what all of its measurements stand on, from the control plane to the
 * document. */
#ifndef ENGINE_SESSION_H
#define ENGINE_SESSION_H

#include <signal.h>

#include "base/context.h"
#include "control/control.h"
#include "engine/environment.h"
#include "engine/plan.h"
#include "engine/program.h"
#include "host/host.h"
#include "host/work.h"
#include "report/report.h"

typedef struct engine_session engine_session;
typedef struct measurement_setting measurement_setting; /* of outcome.h */
typedef struct measurement_passes measurement_passes;   /* of measurement.h */

/* How a benchmark is measured where the engine's plain passes are not all of it: farms, and the
 * communication beside a computing task. The engine calls these functions and knows nothing else of
 * them; a benchmark's definition names the table. Slots may be empty. */
struct measurement_method {
    bool makes_threads;           /* MPI is started for a process of several threads */
    bool several_unanswered;      /* a rank may get several messages before it answers */
    size_t control_message_bytes; /* of messages of its own, which may be larger than packets */

    /* When the document is open, in each rank, which may fail alone. *state, which may stay NULL,
     * is handed to the others, and closed in any case. */
    cb_status (*open)(engine_session *session, void **state);
    void (*close)(void *state);
    /* When the environment is known, and in the document. Collective over all; the same status. */
    cb_status (*start)(void *state, engine_session *session);

    /* By the participants, together: the whole measurement with its rows; or what comes in place of
     * warm-up, blocks and single steps. */
    cb_status (*measure)(void *state, const measurement_setting *setting);
    cb_status (*run_passes)(void *state, measurement_passes *run);

    /* At rank 0: what run_passes has found besides, into the row. */
    void (*fill_row)(const void *state, const measurement_setting *setting, report_row *row);

    /* After each measurement. Collective over all, also those without a part in it. */
    cb_status (*conclude)(void *state, engine_session *session, const bench_measurement *planned);
};

/* The largest message of a measurement with packets of this size. */
static inline size_t method_message_bytes(const measurement_method *method, size_t size_bytes)
{
    return method != NULL && method->control_message_bytes > size_bytes
               ? method->control_message_bytes
               : size_bytes;
}

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
    cb_config *config;    /* of --config, until the settings are made */
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
 * that a rank refuses is CB_ERROR_USAGE in all. From here to session_start all ranks decide alike,
 * and only rank 0 logs. *out has to be closed in any case. */
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
