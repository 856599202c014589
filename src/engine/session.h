/* One run of a program: what all ranks share, and what one rank has, from the control plane to the
 * document. */
#ifndef ENGINE_SESSION_H
#define ENGINE_SESSION_H

#include <signal.h>

#include "base/context.h"
#include "control/control.h"
#include "engine/budget.h"
#include "engine/environment.h"
#include "engine/meters.h"
#include "engine/method.h"
#include "engine/options.h"
#include "engine/plan.h"
#include "engine/program.h"
#include "engine/wait.h"
#include "host/host.h"
#include "host/work.h"
#include "report/report.h"

/* Reasons why a complete run fails; rank 0 only. */
typedef struct {
    bool verification_failed;
    bool nothing_arrived; /* in at least one measurement */
    bool search_failed;   /* no rate keeps the deadline */
    bool all_skipped;     /* no measurement of the plan could be made */
} session_verdict;

/* The participants of a measurement, kept for all sizes of its curve. */
typedef struct {
    size_t chosen_for; /* number of the first measurement of the curve, from 1; 0: none yet */
    int *ranks;
    size_t count;
    bool oversubscribed;
} job_participants;

/* Equal in all ranks, and constant once the run has started, but for the participants. */
struct engine_job {
    engine_program *program;
    const benchmark *definition;
    const bench_options *options;
    size_t ranks;
    machines_of_job machines;
    cb_config *config;         /* of --config, or NULL */
    cb_settings settings;      /* of all ranks, from --config or derived */
    const char *calibration;   /* text, of a model; NULL: the job is real */
    const engine_usage *usage; /* of a model; else NULL */
    job_participants who;      /* of the measurement under way */
};

/* Of a rank. */
struct engine_session {
    const engine_job *job;
    const measurement_method *method; /* NULL: plain passes only */
    void *method_state;
    control *plane;
    control_clock clock; /* this rank's clock relative to rank 0's */
    host *host;          /* NULL in a model (cb_virtual) */
    size_t cache_bytes;  /* of the largest cache of its host */
    transport_factory *technology, *null;
    counting counting; /* of the row under way */
    transport_wait wait, effective_wait;
    host_work_rate work_rate;  /* of this rank's core, for algorithms */
    report_document *document; /* rank 0 only, else NULL */
    session_verdict verdict;
    bool started;            /* from now on a failure ends the job */
    budget_mark row_begun;   /* rank 0 only: after the last row, or when the measurement began */
    uint64_t interrupted_ns; /* when this rank saw a signal; 0: none seen; not used at rank 0 */
};

/* The number of a SIGINT or SIGTERM that has arrived, else 0. Read between blocks, and between
 * steps that are timed one by one. */
extern volatile sig_atomic_t session_signal_seen;

/* Start MPI and read the configuration. Collective over all ranks, whose options may differ: if one
 * rank rejects them, all return the worst error. From here to session_start all ranks decide alike
 * and only rank 0 logs, unless the control plane fails. Call session_close in any case;
 * `job` has to live until then. */
cb_status session_open(engine_session *out, engine_job *job, engine_program *program);

/* The same of a rank in a model, whose job is complete but for its settings. Local. */
void session_open_in_model(engine_session *out, const engine_job *job, control *plane);

/* Note SIGINT and SIGTERM from here on. */
void session_catch_signals(void);

/* Free what the job has. */
void session_free_job(engine_job *job);

/* Whether the busy threads of a measurement's participants are more than the cores that they may
 * use. CB_ERROR_MEMORY, logged. */
cb_status session_oversubscribed(const engine_session *session,
                                 const bench_measurement *measurement, const int *ranks,
                                 size_t count, bool *out);

/* The worst status of making the plan, in all ranks, since a file that an option names may be
 * missing on some hosts. If rank 0 has made its plan, the first rank that has not logs its error.
 * Collective over all ranks. */
cb_status session_agree_on_plan(engine_session *session, cb_status mine);

/* Make the plan of the options. Collective over all ranks, with the same status; errors are logged.
 * The caller frees *out with plan_free. */
cb_status session_plan(engine_session *session, bench_plan *out);

/* Make the settings, open document and technologies for a plan, and write the environment: the job
 * is complete. Collective over all ranks; errors are logged. */
cb_status session_start(engine_session *session, engine_job *job, const bench_plan *plan);

/* Finish the document and end the run; `status` is the run's. Returns the status from
 * which the program's exit status follows. After a failure that other ranks may not know about,
 * this ends the job and does not return. */
cb_status session_close(engine_session *session, cb_status status);

/* If a signal has arrived, rank 0 finishes the document and ends the job. Any other rank ends the
 * job if it is still there three seconds later. */
void session_leave_if_interrupted(engine_session *session);

/* The same while a rank waits, or runs a long block. */
wait_watch session_watch(engine_session *session);

/* Settings of the technology, from files (--config) or derived from the job; and --group.
 *
 * Rank 0 reads the files and broadcasts them, so they need not exist on other hosts and all ranks
 * parse the same text. */

/* Read the files of a directory at rank 0 and parse them in all ranks. Collective; an error is
 * logged and returned in all ranks. The caller frees *out with cb_config_free. */
cb_status configuration_read(control *plane, const char *directory, cb_config **out);

/* Make the settings of the program's technology for a job whose largest message is `largest_bytes`:
 * from the files, or derived from the job if `config` is NULL. --parameter takes precedence. Local.
 * CB_ERROR_USAGE or CB_ERROR_MEMORY, logged. The caller frees *out with cb_settings_free. */
cb_status configuration_make_settings(const engine_program *program, const cb_config *config,
                                      size_t ranks, size_t largest_bytes, cb_settings *out);

/* Write the settings of the technology in use into the document: values that are equal in all ranks
 * once, others per rank. */
void configuration_put(report_document *document, const cb_settings *settings);

/* Replace --receivers by the members of --group, if given. Unless the options have numbers, the
 * size of the group also becomes --destinations or --sources. `config` is NULL without --config.
 * Local, with the same result in all ranks. CB_ERROR_USAGE, logged, if the group does not exist or
 * a member cannot take part. */
cb_status configuration_choose_group(const benchmark *definition, const cb_config *config,
                                     size_t ranks, bench_options *options);

#endif
