/* What a run measures, in which order: pure functions of the options and the number of ranks; and
 * the methods by which something above the engine measures. */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include "engine/definition.h"
#include "engine/options.h"
#include "engine/shape.h"
#include "report/report.h"

typedef struct engine_session engine_session;
typedef struct measurement_setting measurement_setting; /* of outcome.h */
typedef struct measurement_passes measurement_passes;   /* of measurement.h */

/* One measurement. */
typedef struct {
    const bench_mode *mode;
    size_t count;              /* processors, destinations, sources, or what a last stage takes */
    bench_shape shape;         /* of farms and pipelines; elsewhere it follows from the count */
    char topology[SHAPE_TEXT]; /* the shape of a pipeline */
    double algorithm_us;       /* of the farm group */
    size_t size_bytes;
    bench_list list;
    bool own_multicast;
    bench_occupation occupation;
} bench_measurement;

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

typedef struct {
    bench_measurement *measurements;
    size_t count;
    size_t largest_bytes;
} bench_plan;

/* Make the plan for a job of `ranks`. CB_ERROR_USAGE, logged, when options and ranks do not go
 * together. The caller frees it with plan_free. */
cb_status plan_make(const benchmark *definition, const bench_options *options, size_t ranks,
                    bench_plan *out);
void plan_free(bench_plan *plan);

/* The sizes that options leave, in the order of measuring, in `sizes`: room for PLAN_SIZES. Their
 * number. */
enum { PLAN_SIZES = CB_LIST_MAXIMUM };
size_t plan_sizes(const benchmark *definition, const bench_options *options, uint64_t *sizes);

/* The times of the algorithm that the farm group takes without --algorithm, in us. */
extern const cb_list plan_usual_algorithms_us;

/* Lists that change are measured at this size alone, unless --list asks for one. */
enum { PLAN_CHANGING_LIST_BYTES = 64 };

/* How the participants are laid out: as the measurement says or, for a list that changes, with all
 * destinations that there are to choose from. */
bench_shape plan_layout(const benchmark *definition, const bench_options *options,
                        const bench_measurement *measurement, size_t job_ranks);

/* The ranks that take part in a measurement, role after role, in `ranks` (room for all of the job);
 * their number. */
size_t plan_participants(const benchmark *definition, const bench_options *options,
                         const bench_measurement *measurement, size_t job_ranks, int *ranks);

/* "fixed", "rotate", "random", ended by NULL. */
extern const char *const bench_list_names[];

#endif
