/* A ring of slots for events in progress; it moves on with the oldest event. */
#include "farm/builder.h"

#include <stdlib.h>

#include "base/memory.h"

enum { FURTHEST_RINGS = 1024 };

cb_status farm_builder_create(size_t sources, uint64_t events, farm_builder *out)
{
    uint64_t slots = 1;

    while (slots < events)
        slots *= 2;
    *out = (farm_builder){.sources = sources,
                          .mask = slots - 1,
                          .slot_words =
                              1 + (sources + FARM_BUILDER_WORD_BITS - 1) / FARM_BUILDER_WORD_BITS};
    out->slots =
        cb_allocate(slots, out->slot_words * sizeof(*out->slots), "events under construction");
    if (out->slots == NULL)
        return CB_ERROR_MEMORY;
    for (uint64_t slot = 0; slot < slots; slot++)
        farm_builder_clear(out, slot);
    return CB_OK;
}

void farm_builder_free(farm_builder *builder)
{
    free(builder->slots);
    *builder = (farm_builder){0};
}

void farm_builder_restart(farm_builder *builder, uint64_t sequence)
{
    for (uint64_t slot = 0; slot <= builder->mask; slot++)
        farm_builder_clear(builder, slot);
    builder->oldest = sequence;
    builder->counts = (farm_builder_counts){0};
}

static void make_room(farm_builder *builder, uint64_t sequence)
{
    while (sequence - builder->oldest > builder->mask) {
        builder->counts.abandoned += *farm_builder_slot(builder, builder->oldest) > 0;
        farm_builder_move_on(builder);
    }
}

farm_built farm_builder_add_slow(farm_builder *builder, size_t source, uint64_t sequence)
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
