/* How the ranks of a measurement are shared out, and which ones they are: pure functions of
 * definition, numbers and hosts. Ranks stand in stages, one after the other. For most benchmarks a
 * stage is a role; a pipeline may have several stages of one role. */
#ifndef ENGINE_SHAPE_H
#define ENGINE_SHAPE_H

#include "engine/definition.h"

/* Where a stage's ranks stand among the participants. */
typedef struct {
    size_t first, count;
} bench_span;

/* Shapes to measure, one after the other. */
enum { SHAPE_LIST_ROOM = 256 };
typedef struct bench_shape_list {
    bench_shape shapes[SHAPE_LIST_ROOM];
    size_t count;
} bench_shape_list;

/* How many ranks have role `role` at a count. */
size_t shape_role_size(const benchmark *definition, size_t role, size_t count);

/* The shape of a benchmark whose roles follow from one count. */
bench_shape shape_of_count(const benchmark *definition, size_t count);

/* A supervisor, its sources and its destinations. */
bench_shape shape_of_farm(size_t sources, size_t destinations);

/* "9-3-1": sources, and stages of which each is fed by whole numbers of ranks of the one before.
 * CB_ERROR_USAGE, logged, for a text that is not such a topology. */
cb_status shape_parse(const char *text, bench_shape *out);

/* The text of a shape, as shape_parse takes it. */
enum { SHAPE_TEXT = 64 };
void shape_text(const bench_shape *shape, char text[SHAPE_TEXT]);

size_t shape_ranks(const bench_shape *shape);
bench_span shape_span(const bench_shape *shape, size_t stage);

/* The stage that a participant is in. */
size_t shape_stage(const bench_shape *shape, size_t participant);

/* The role of a stage. Of a topology the first has the first role, the last the third, and all
 * others have the second. */
size_t shape_role(const benchmark *definition, const bench_shape *shape, size_t stage);

bool shape_same(const bench_shape *one, const bench_shape *other);

/* Append to a list. CB_ERROR_USAGE, logged, when it is full, or when the job has too few ranks for
 * the shape, which the message calls `what`. */
cb_status shape_list_add(bench_shape_list *list, const bench_shape *shape);
cb_status shape_fits(const bench_shape *shape, size_t job_ranks, const char *what);

/* Whom a participant talks to, as its role says: their places among the participants, in `peers`
 * (room for all of them), and in `heard` beside each whether it is received from. Their number. */
size_t shape_peers(const benchmark *definition, const bench_shape *shape, size_t participant,
                   size_t *peers, bool *heard);

/* The values of --placement, ended by NULL: block goes on to another host when one is full, cyclic
 * goes from host to host; spread shares each role out over the hosts in proportion to their ranks;
 * packed gives a role as few hosts as it can, and others than those of other roles where there are
 * such. */
extern const char *const shape_placements[];

/* Fill `ranks`, of which the shape says how many there are, stage after stage. Rank 0 is always the
 * first of them, since it writes the result. `hosts` are those of all ranks of the job, numbered
 * from 0 without gaps. CB_ERROR_MEMORY, logged. */
cb_status shape_place(const char *placement, const bench_shape *shape, const int *hosts,
                      size_t job_ranks, int *ranks);

#endif
