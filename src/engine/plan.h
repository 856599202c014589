/* What a run measures, in which order: pure functions of the options and the number of ranks. */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include "engine/definition.h"
#include "engine/options.h"
#include "engine/shape.h"

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
