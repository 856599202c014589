/* Callbacks by which modules above the engine measure: farms and the computing task. */
#ifndef ENGINE_METHOD_H
#define ENGINE_METHOD_H

#include "engine/definition.h"
#include "report/report.h"

typedef struct engine_job engine_job;                   /* of session.h */
typedef struct measurement_setting measurement_setting; /* of outcome.h */
typedef struct measurement_passes measurement_passes;   /* of measurement.h */

/* Size of the source and the event that a packet carries, if they fit. */
enum { BENCH_LABEL_BYTES = 16 };

/* Traffic of a measurement that goes on, in turns, until its user stops it. */
typedef struct method_load method_load;
struct method_load {
    double turn_ns; /* wanted length of a turn */
    /* Call after each turn: data packets that all destinations received in it, and its time by this
     * rank's clock. Collective over the team, with the same *goes_on in all ranks. */
    cb_status (*end_turn)(method_load *load, double packets, double elapsed_ns, bool *goes_on);
};

/* How a benchmark is measured if not by the plain passes only. The definition names the table; the
 * engine knows nothing else about the method. Any slot may be empty. */
struct measurement_method {
    bool makes_threads;      /* MPI is initialised for several threads */
    bool several_unanswered; /* a rank may receive several messages before it answers */
    bool no_harness;         /* a step of the benchmark over null is not in its figures */
    bool plain_traffic;      /* steps send as without a method: all values of --buffers */
    bool timed_traces; /* in traces, messages from any are received as a network would deliver them
                        */
    bool labels;       /* smaller packets than BENCH_LABEL_BYTES need a TRANSPORT_STREAM */
    unsigned needs;    /* capabilities of a technology, of any packets */
    size_t control_message_bytes; /* size of control messages, which may be larger than packets */
    uint32_t takes;               /* rows of engine/options.c for it: a set of bench_scope */

    /* The method with --rate, --load-curve or --find-rate; NULL: this one. */
    const measurement_method *at_rate;

    /* Check the options before the plan is made: CB_ERROR_USAGE, logged. Pure. */
    cb_status (*check)(const bench_options *options);

    /* Before the document is opened: whether this job can be measured. Collective over all ranks,
     * with the same status, logged. *state is that of `open`. */
    cb_status (*check_job)(engine_session *session, void **state);
    /* After the document is opened, in each rank; it may fail in one rank only. *state is passed to
     * the other callbacks; it may stay NULL. `close` is always called. */
    cb_status (*open)(engine_session *session, void **state);
    void (*close)(void *state);
    /* After the environment is known and written, the last that may change the job. Collective over
     * all ranks, with the same status. */
    cb_status (*start)(void *state, engine_session *session, engine_job *job);

    /* By the participants, collective over the team: either the whole measurement with its rows, or
     * a replacement for warm-up, blocks, single steps and verification. */
    cb_status (*measure)(void *state, const measurement_setting *setting);
    cb_status (*run_passes)(void *state, measurement_passes *run);

    /* The traffic of a measurement as a load beside another one, without a row. Collective over the
     * team. A method with `measure` and without it cannot be one. */
    cb_status (*load)(const measurement_setting *setting, method_load *load);

    /* By the participants, collective over the team: a pass after the plain ones. */
    cb_status (*after_passes)(void *state, measurement_passes *run);

    /* Why options exclude a technology with these capabilities, which has what `needs` says; NULL:
     * they do not. Pure. */
    const char *(*obstacle)(const bench_options *options, unsigned capabilities);

    /* At rank 0: add what the method's passes have found to the row. */
    void (*fill_row)(const void *state, const measurement_setting *setting, report_row *row);

    /* After each measurement, collective over all ranks, including those that took no part. */
    cb_status (*conclude)(void *state, engine_session *session, const bench_measurement *planned);
};

/* Size of the largest message of a measurement with packets of this size. */
static inline size_t method_message_bytes(const measurement_method *method, size_t size_bytes)
{
    return method != NULL && method->control_message_bytes > size_bytes
               ? method->control_message_bytes
               : size_bytes;
}

/* Whether traces are made in the order of a modelled network. */
static inline bool method_keeps_time(const measurement_method *method)
{
    return method != NULL && method->timed_traces;
}

#endif
