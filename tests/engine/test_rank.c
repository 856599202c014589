/* The memory of a rank's part in a measurement: it grows with the rank's peers, not with the job.
 * The linker puts functions that count in place of those that allocate, so that arrays which are
 * freed at once count as well. */
#include "engine/rank.h"

#include <stdlib.h>

#include "benchmarks/registry.h"
#include "engine/plan.h"
#include "tests/common/unit.h"

extern const transport_technology transport_null;

static size_t allocated_bytes;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_reallocarray(void *memory, size_t count, size_t bytes);
int __real_posix_memalign(void **memory, size_t alignment, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_reallocarray(void *memory, size_t count, size_t bytes);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    allocated_bytes += bytes;
    return __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    allocated_bytes += count * bytes;
    return __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    allocated_bytes += bytes;
    return __real_realloc(memory, bytes);
}

void *__wrap_reallocarray(void *memory, size_t count, size_t bytes)
{
    allocated_bytes += count * bytes;
    return __real_reallocarray(memory, count, bytes);
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    allocated_bytes += bytes;
    return __real_posix_memalign(memory, alignment, bytes);
}

/* What is allocated to make and set up the part of the participant `self` in a job of `ranks`, all
 * of which take part. */
static size_t bytes_of_part(const benchmark *definition, const bench_measurement *measurement,
                            size_t ranks, size_t self)
{
    const bench_options options = {.mode = "default",
                                   .window = 64,
                                   .wait = "auto",
                                   .touch = "all",
                                   .buffers = "hot",
                                   .seed = 1};
    const transport_bootstrap bootstrap = {.rank = (int)self, .size = (int)ranks};
    int *all = calloc(ranks, sizeof(*all));
    rank_setting setting = {.definition = definition,
                            .options = &options,
                            .measurement = measurement,
                            .ranks = all,
                            .participants = ranks};
    transport_factory *factory;
    const bench_actions *actions;
    bench_rank *me;
    size_t before, bytes;

    for (size_t rank = 0; rank < ranks; rank++)
        all[rank] = (int)rank;
    ck_assert_int_eq(transport_open(&transport_null, &bootstrap, &factory), CB_OK);
    before = allocated_bytes;
    ck_assert_int_eq(rank_create(&setting, factory, &me, &actions), CB_OK);
    ck_assert_int_eq(rank_set_up(definition, me), CB_OK);
    bytes = allocated_bytes - before;
    ck_assert_uint_gt(me->peer_count, 0);
    rank_destroy(definition, me);
    ck_assert_int_eq(transport_close(factory), CB_OK);
    free(all);
    return bytes;
}

static size_t bytes_in_pairs(size_t ranks, size_t self)
{
    const bench_measurement measurement = {
        .mode = &cb_pairs.modes[0], .count = ranks, .size_bytes = 64};

    return bytes_of_part(&cb_pairs, &measurement, ranks, self);
}

static size_t bytes_in_pipeline(size_t ranks, size_t self)
{
    const bench_measurement measurement = {
        .mode = &cb_pipeline.modes[0],
        .count = ranks / 4,
        .shape = {.stages = {ranks / 2, ranks / 4, ranks / 4}, .stage_count = 3},
        .size_bytes = 64};

    return bytes_of_part(&cb_pipeline, &measurement, ranks, self);
}

START_TEST(a_rank_with_one_peer_needs_the_same_memory_in_a_job_of_any_size)
{
    ck_assert_uint_gt(bytes_in_pairs(64, 0), 0);
    ck_assert_uint_eq(bytes_in_pairs(4096, 0), bytes_in_pairs(64, 0));
    ck_assert_uint_eq(bytes_in_pairs(4096, 4095), bytes_in_pairs(64, 63));
}
END_TEST

START_TEST(a_rank_of_a_pipeline_needs_memory_for_its_neighbours_only)
{
    ck_assert_uint_eq(bytes_in_pipeline(4096, 7), bytes_in_pipeline(64, 7));
    ck_assert_uint_eq(bytes_in_pipeline(4096, 2048 + 7), bytes_in_pipeline(64, 32 + 7));
    ck_assert_uint_eq(bytes_in_pipeline(4096, 4095), bytes_in_pipeline(64, 63));
}
END_TEST

/* Nodes of participants are found again, in whatever order they are made. */
START_TEST(a_participant_has_one_node)
{
    enum { RANKS = 50, STEP = 7 };
    const bench_options options = {.mode = "default", .window = 1, .buffers = "hot"};
    const bench_measurement measurement = {.mode = &cb_pairs.modes[0], .count = RANKS};
    int all[RANKS];
    const rank_setting setting = {.definition = &cb_pairs,
                                  .options = &options,
                                  .measurement = &measurement,
                                  .ranks = all,
                                  .participants = RANKS};
    const transport_bootstrap bootstrap = {.size = RANKS};
    transport_node *nodes[RANKS], *again;
    transport_factory *factory;
    const bench_actions *actions;
    bench_rank *me;

    for (int rank = 0; rank < RANKS; rank++)
        all[rank] = (RANKS - rank) % RANKS;
    ck_assert_int_eq(transport_open(&transport_null, &bootstrap, &factory), CB_OK);
    ck_assert_int_eq(rank_create(&setting, factory, &me, &actions), CB_OK);
    for (size_t i = 0, at = 3; i < RANKS; i++, at = (at + STEP) % RANKS)
        ck_assert_int_eq(bench_node(me, at, &nodes[at]), CB_OK);
    for (size_t at = 0; at < RANKS; at++) {
        ck_assert_int_eq(nodes[at]->rank, all[at]);
        ck_assert_int_eq(bench_node(me, at, &again), CB_OK);
        ck_assert_ptr_eq(again, nodes[at]);
    }
    ck_assert_uint_eq(me->place.known_count, RANKS);
    ck_assert_ptr_eq(me->peers[0].node, nodes[RANKS / 2]);
    rank_destroy(&cb_pairs, me);
    ck_assert_int_eq(transport_close(factory), CB_OK);
}
END_TEST

UNIT_MAIN("rank", a_rank_with_one_peer_needs_the_same_memory_in_a_job_of_any_size,
          a_rank_of_a_pipeline_needs_memory_for_its_neighbours_only, a_participant_has_one_node)
