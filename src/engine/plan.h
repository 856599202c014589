/* What a run measures, in which order: pure functions of the options and the number of ranks. */
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "occupation/occupation.h"
#include "engine/options.h"
#include "engine/shape.h"

/* One measurement. */
typedef struct {
    const bench_mode *mode;
    size_t count;      /* processors, destinations, sources, or what a last stage takes */
    bench_shape shape; /* of farms and pipelines; elsewhere it follows from the count */
    char topology[BENCH_SHAPE_TEXT]; /* the shape of a pipeline */
    double algorithm_us;             /* of group 2 */
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
 * together. The caller frees it with bench_plan_free. */
cb_status bench_plan_make(const bench_definition *definition, const bench_options *options,
                          size_t ranks, bench_plan *out);
void bench_plan_free(bench_plan *plan);

/* How the participants are laid out: as the measurement says or, for a list that changes, with all
 * destinations that there are to choose from. */
bench_shape bench_layout(const bench_definition *definition, const bench_options *options,
                         const bench_measurement *measurement, size_t job_ranks);

/* The ranks that take part in a measurement, role after role, in `ranks` (room for all of the job);
 * their number. */
size_t bench_participants(const bench_definition *definition, const bench_options *options,
                          const bench_measurement *measurement, size_t job_ranks, int *ranks);

/* "fixed", "rotate", "random". */
const char *bench_list_name(bench_list list);

#endif
