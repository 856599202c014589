/* Places for events in progress, in a ring that moves on with the oldest event. */
#include "farm/builder.h"

#include <stdlib.h>

#include "base/memory.h"

enum { FURTHEST_RINGS = 1024 };

cb_status bench_builder_create(size_t sources, uint64_t events, bench_builder *out)
{
    uint64_t places = 1;

    while (places < events)
        places *= 2;
    *out = (bench_builder){.sources = sources,
                           .mask = places - 1,
                           .place_words = 1 + (sources + BENCH_BUILDER_WORD_BITS - 1) /
                                                  BENCH_BUILDER_WORD_BITS};
    out->places =
        cb_allocate(places, out->place_words * sizeof(*out->places), "events under construction");
    if (out->places == NULL)
        return CB_ERROR_MEMORY;
    for (uint64_t place = 0; place < places; place++)
        bench_builder_clear(out, place);
    return CB_OK;
}

void bench_builder_free(bench_builder *builder)
{
    free(builder->places);
    *builder = (bench_builder){0};
}

void bench_builder_restart(bench_builder *builder, uint64_t sequence)
{
    for (uint64_t place = 0; place <= builder->mask; place++)
        bench_builder_clear(builder, place);
    builder->oldest = sequence;
    builder->counts = (bench_builder_counts){0};
}

static void make_room(bench_builder *builder, uint64_t sequence)
{
    while (sequence - builder->oldest > builder->mask) {
        builder->counts.abandoned += *bench_builder_place(builder, builder->oldest) > 0;
        bench_builder_move_on(builder);
    }
}

bench_built bench_builder_add_odd(bench_builder *builder, size_t source, uint64_t sequence)
{
    builder->counts.fragments++;
    if (source >= builder->sources ||
        (sequence >= builder->oldest &&
         sequence - builder->oldest > FURTHEST_RINGS * (builder->mask + 1))) {
        builder->counts.foreign++;
        return BENCH_FRAGMENT_FOREIGN;
    }
    if (sequence < builder->oldest || sequence - builder->oldest <= builder->mask) {
        builder->counts.doubled++;
        return BENCH_FRAGMENT_DOUBLED;
    }
    make_room(builder, sequence);
    builder->counts.fragments--;
    return bench_builder_add(builder, source, sequence);
}
