/* Places for events in progress, in a ring that moves on with the oldest event. */
#include "bench/builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { WORD_BITS = 64, FURTHEST_RINGS = 1024 };

static void clear_place(bench_builder *builder, uint64_t sequence)
{
    uint64_t place = sequence & builder->mask;

    builder->missing[place] = builder->sources;
    memset(&builder->seen[place * builder->seen_words], 0,
           builder->seen_words * sizeof(*builder->seen));
}

cb_status bench_builder_create(size_t sources, uint64_t events, bench_builder *out)
{
    uint64_t places = 1;

    while (places < events)
        places *= 2;
    *out = (bench_builder){.sources = sources,
                           .mask = places - 1,
                           .seen_words = (sources + WORD_BITS - 1) / WORD_BITS};
    out->missing = cb_allocate(places, sizeof(*out->missing), "events under construction");
    out->seen =
        cb_allocate(places * out->seen_words, sizeof(*out->seen), "events under construction");
    if (out->missing == NULL || out->seen == NULL) {
        bench_builder_free(out);
        return CB_ERROR_MEMORY;
    }
    for (uint64_t place = 0; place < places; place++)
        clear_place(out, place);
    return CB_OK;
}

void bench_builder_free(bench_builder *builder)
{
    free(builder->missing);
    free(builder->seen);
    *builder = (bench_builder){0};
}

void bench_builder_restart(bench_builder *builder, uint64_t sequence)
{
    for (uint64_t place = 0; place <= builder->mask; place++)
        clear_place(builder, place);
    builder->oldest = sequence;
    builder->counts = (bench_builder_counts){0};
}

/* The oldest event leaves its place to one of the next round. */
static void move_on(bench_builder *builder)
{
    clear_place(builder, builder->oldest);
    builder->oldest++;
}

static void make_room(bench_builder *builder, uint64_t sequence)
{
    while (sequence - builder->oldest > builder->mask) {
        builder->counts.abandoned += builder->missing[builder->oldest & builder->mask] > 0;
        move_on(builder);
    }
}

static bool sees_again(bench_builder *builder, size_t source, uint64_t place)
{
    uint64_t *word = &builder->seen[place * builder->seen_words + source / WORD_BITS];
    uint64_t bit = UINT64_C(1) << source % WORD_BITS;
    bool again = (*word & bit) != 0;

    *word |= bit;
    return again;
}

bench_built bench_builder_add(bench_builder *builder, size_t source, uint64_t sequence)
{
    uint64_t place = sequence & builder->mask;

    builder->counts.fragments++;
    if (source >= builder->sources ||
        (sequence >= builder->oldest &&
         sequence - builder->oldest > FURTHEST_RINGS * (builder->mask + 1))) {
        builder->counts.foreign++;
        return BENCH_FRAGMENT_FOREIGN;
    }
    if (sequence >= builder->oldest)
        make_room(builder, sequence);
    if (sequence < builder->oldest || sees_again(builder, source, place)) {
        builder->counts.doubled++;
        return BENCH_FRAGMENT_DOUBLED;
    }
    if (--builder->missing[place] > 0)
        return BENCH_PARTIAL;
    while (builder->missing[builder->oldest & builder->mask] == 0)
        move_on(builder);
    return BENCH_COMPLETE;
}
