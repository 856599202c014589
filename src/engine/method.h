/* The methods by which something above the engine measures. */
#ifndef ENGINE_METHOD_H
#define ENGINE_METHOD_H

#include "engine/plan.h"
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
     * warm-up, blocks, single steps and verification. */
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

#endif
