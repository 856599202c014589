/* What a run measures, in which order: pure functions of options and number of ranks. */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include "engine/definition.h"
#include "engine/options.h"

/* One measurement. */
struct bench_measurement {
    const bench_mode *mode;
    size_t count;              /* processors, destinations or sources; in a topology, ranks
                                * that send to the last stage */
    bench_shape shape;         /* of farms and pipelines; otherwise derived from count */
    char topology[SHAPE_TEXT]; /* shape of a pipeline, as text */
    double algorithm_us;       /* on each packet; if the benchmark chooses shapes */
    size_t size_bytes;
    bool varied;        /* --fragments: size_bytes is the largest size, ... */
    size_t least_bytes; /* ... this the smallest, ... */
    double mean_bytes;  /* ... and this the mean */
    bench_list list;
    bool own_multicast;
    bench_occupation occupation;
};

struct bench_plan {
    bench_measurement *measurements;
    size_t count;
    size_t largest_bytes;
};

/* The size of a packet, or the mean if sizes vary. */
static inline size_t plan_typical_bytes(const bench_measurement *measurement)
{
    return measurement->varied ? (size_t)(measurement->mean_bytes + 0.5) : measurement->size_bytes;
}

/* Make the plan for a job of `ranks`. CB_ERROR_USAGE, logged, if options and ranks do not fit;
 * CB_ERROR_MEMORY. The caller frees *out with plan_free. */
cb_status plan_make(const benchmark *definition, const bench_options *options, size_t ranks,
                    bench_plan *out);
void plan_free(bench_plan *plan);

/* Write the sizes that the options choose into `sizes` (room for PLAN_SIZES), in the order of
 * measuring. Returns their number. */
enum { PLAN_SIZES = CB_LIST_MAXIMUM };
size_t plan_sizes(const benchmark *definition, const bench_options *options, uint64_t *sizes);

/* Default values of --algorithm, in us. */
enum { PLAN_USUAL_ALGORITHMS = 3 };
extern const uint64_t plan_usual_algorithms_us[PLAN_USUAL_ALGORITHMS];

/* The number of destinations that the lists of a measurement are chosen from in a job of
 * `job_ranks`: those of the list or, if it changes, all that the job has or --receivers names. */
size_t plan_candidates(const bench_options *options, const bench_measurement *measurement,
                       size_t job_ranks);

/* The shape of all participants: that of the measurement or, for a list that changes, with all
 * destinations that the list chooses from. */
bench_shape plan_layout(const benchmark *definition, const bench_options *options,
                        const bench_measurement *measurement, size_t job_ranks);

/* Write the ranks that take part in a measurement into `ranks` (room for the whole job), ordered by
 * role. Returns their number. */
size_t plan_participants(const benchmark *definition, const bench_options *options,
                         const bench_measurement *measurement, size_t job_ranks, int *ranks);

/* As plan_participants, in the order that --placement gives ranks on these hosts (by rank).
 * CB_ERROR_MEMORY. */
cb_status plan_place(const benchmark *definition, const bench_options *options,
                     const bench_measurement *measurement, const int *hosts, size_t job_ranks,
                     int *ranks, size_t *count);

/* Write the rank of each busy thread of the participants into `busy` (room for `count` times
 * options->threads): a source that sends with several threads occurs once for each. Returns their
 * number. */
size_t plan_busy_threads(const benchmark *definition, const bench_options *options,
                         const bench_measurement *measurement, size_t job_ranks, const int *ranks,
                         size_t count, int *busy);

/* How a benchmark is measured with these options; NULL: by the plain passes. */
const measurement_method *plan_method(const benchmark *definition, const bench_options *options);

/* "fixed", "rotate", "random", "new", ended by NULL. */
extern const char *const bench_list_names[];

#endif
