/* Places for events in progress, in a ring that moves on with the oldest event. */
#include "farm/builder.h"

#include <stdlib.h>

#include "base/memory.h"

enum { FURTHEST_RINGS = 1024 };

cb_status farm_builder_create(size_t sources, uint64_t events, farm_builder *out)
{
    uint64_t places = 1;

    while (places < events)
        places *= 2;
    *out = (farm_builder){.sources = sources,
                          .mask = places - 1,
                          .place_words =
                              1 + (sources + FARM_BUILDER_WORD_BITS - 1) / FARM_BUILDER_WORD_BITS};
    out->places =
        cb_allocate(places, out->place_words * sizeof(*out->places), "events under construction");
    if (out->places == NULL)
        return CB_ERROR_MEMORY;
    for (uint64_t place = 0; place < places; place++)
        farm_builder_clear(out, place);
    return CB_OK;
}

void farm_builder_free(farm_builder *builder)
{
    free(builder->places);
    *builder = (farm_builder){0};
}

void farm_builder_restart(farm_builder *builder, uint64_t sequence)
{
    for (uint64_t place = 0; place <= builder->mask; place++)
        farm_builder_clear(builder, place);
    builder->oldest = sequence;
    builder->counts = (farm_builder_counts){0};
}

static void make_room(farm_builder *builder, uint64_t sequence)
{
    while (sequence - builder->oldest > builder->mask) {
        builder->counts.abandoned += *farm_builder_place(builder, builder->oldest) > 0;
        farm_builder_move_on(builder);
    }
}

farm_built farm_builder_add_odd(farm_builder *builder, size_t source, uint64_t sequence)
{
    builder->counts.fragments++;
    if (source >= builder->sources ||
        (sequence >= builder->oldest &&
         sequence - builder->oldest > FURTHEST_RINGS * (builder->mask + 1))) {
        builder->counts.unexpected++;
        return FARM_FRAGMENT_UNEXPECTED;
    }
    if (sequence < builder->oldest || sequence - builder->oldest <= builder->mask) {
        builder->counts.duplicate++;
        return FARM_FRAGMENT_DUPLICATE;
    }
    make_room(builder, sequence);
    builder->counts.fragments--;
    return farm_builder_add(builder, source, sequence);
}
