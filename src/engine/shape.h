/* Shapes: how many ranks each stage of a measurement has, and which ranks they are.
 *
 * Pure functions of definition, numbers and hosts. Stages follow each other in the list of
 * participants. In most benchmarks a stage is a role; a pipeline may have several stages of one
 * role. */
#ifndef ENGINE_SHAPE_H
#define ENGINE_SHAPE_H

#include "engine/definition.h"

/* The participants of a stage. */
typedef struct {
    size_t first, count;
} bench_span;

/* Shapes to measure in this order. */
enum { SHAPE_LIST_ROOM = 256 };
typedef struct bench_shape_list {
    bench_shape shapes[SHAPE_LIST_ROOM];
    size_t count;
    bool own_multicast; /* measure them with the technology's group send */
} bench_shape_list;

/* Number of ranks in role `role` at a count. */
size_t shape_role_size(const benchmark *definition, size_t role, size_t count);

/* The shape of a benchmark whose roles follow from one count. */
bench_shape shape_of_count(const benchmark *definition, size_t count);

/* The shape of a farm: one supervisor, sources, destinations. */
bench_shape shape_of_farm(size_t sources, size_t destinations);

/* Parse a topology such as "9-3-1": sources, then stages; each rank of a stage receives from the
 * same number of ranks of the stage before. CB_ERROR_USAGE, logged. */
cb_status shape_parse(const char *text, bench_shape *out);

/* The text of a shape, as read by shape_parse. */
enum { SHAPE_TEXT = 64 };
void shape_text(const bench_shape *shape, char text[SHAPE_TEXT]);

size_t shape_ranks(const bench_shape *shape);
bench_span shape_span(const bench_shape *shape, size_t stage);

/* The stage of a participant. */
size_t shape_stage(const bench_shape *shape, size_t participant);

/* The role of a stage. In a topology the first stage has the first role, the last stage the third,
 * and all others the second. */
size_t shape_role(const benchmark *definition, const bench_shape *shape, size_t stage);

bool shape_same(const bench_shape *one, const bench_shape *other);

/* Append a shape to a list, or check that a job has enough ranks for it; `what` names it in the
 * message. CB_ERROR_USAGE, logged, if the list is full or there are too few ranks. */
cb_status shape_list_add(bench_shape_list *list, const bench_shape *shape);
cb_status shape_fits(const bench_shape *shape, size_t job_ranks, const char *what);

/* The peers of a participant, by its role: write their participant indices into `peers` and whether
 * it receives from each into `heard`. Returns their number; with NULL it only counts them. */
size_t shape_peers(const benchmark *definition, const bench_shape *shape, size_t participant,
                   size_t *peers, bool *heard);

/* The values of --placement, ended by NULL. block: fill one host after another. cyclic: go from
 * host to host. spread: distribute each role over the hosts, in proportion to their ranks. packed:
 * use as few hosts per role as possible, and different hosts for different roles if possible. */
extern const char *const shape_placements[];

/* Choose the ranks of a shape, stage by stage. Rank 0 is always the first, since it writes the
 * result. `hosts` has the host of each rank of the job, numbered from 0 without gaps; `ranks` has
 * room for shape_ranks(shape). CB_ERROR_MEMORY, logged. */
cb_status shape_place(const char *placement, const bench_shape *shape, const int *hosts,
                      size_t job_ranks, int *ranks);

#endif
