/* A ring of slots for events in progress; it moves on with the oldest event. */
#include "farm/builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { FURTHEST_RINGS = 1024, FIRST_SLOTS = 8 };

static __attribute__((noinline)) void clear_more(const farm_builder *builder, uint64_t *slot)
{
    memset(&slot[2], 0, (builder->slot_words - 2) * sizeof(*slot));
    if (builder->asked_word > 0)
        slot[builder->asked_word] = builder->fragments;
}

/* Only more than 64 sources, or asked ones, have more than two words. */
static inline void clear_slot(const farm_builder *builder, uint64_t *slot)
{
    slot[0] = builder->fragments;
    slot[1] = 0;
    if (builder->slot_words > 2)
        clear_more(builder, slot);
}

/* Move the events in progress to twice as many slots, or more, so that `sequence` has one. Without
 * memory, which is logged, there are as many as before. */
static void grow(farm_builder *builder, uint64_t sequence)
{
    const farm_builder old = *builder;
    uint64_t slots = old.mask + 1;

    while (slots <= builder->most && slots <= sequence - old.oldest)
        slots *= 2;
    builder->slots =
        cb_allocate(slots, old.slot_words * sizeof(*old.slots), "events under construction");
    if (builder->slots == NULL) {
        *builder = old;
        return;
    }
    builder->mask = slots - 1;
    for (uint64_t slot = 0; slot < slots; slot++)
        if (slot <= old.mask)
            memcpy(farm_builder_slot(builder, old.oldest + slot),
                   farm_builder_slot(&old, old.oldest + slot), old.slot_words * sizeof(*old.slots));
        else
            clear_slot(builder, farm_builder_slot(builder, old.oldest + slot));
    free(old.slots);
}

cb_status farm_builder_create(size_t sources, size_t fragments, bool asks, uint64_t events,
                              farm_builder *out)
{
    const size_t set_words = (sources + FARM_BUILDER_WORD_BITS - 1) / FARM_BUILDER_WORD_BITS;
    uint64_t most = 1, slots;

    while (most < events)
        most *= 2;
    slots = most < FIRST_SLOTS ? most : FIRST_SLOTS;
    *out = (farm_builder){.sources = sources,
                          .fragments = fragments,
                          .mask = slots - 1,
                          .most = most - 1,
                          .slot_words = (asks ? 2 : 1) * (1 + set_words),
                          .asked_word = asks ? 1 + set_words : 0};
    out->slots =
        cb_allocate(slots, out->slot_words * sizeof(*out->slots), "events under construction");
    if (out->slots == NULL)
        return CB_ERROR_MEMORY;
    farm_builder_restart(out, 0);
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
        clear_slot(builder, farm_builder_slot(builder, slot));
    builder->oldest = sequence;
    builder->counts = (farm_builder_counts){0};
}

farm_built farm_builder_move_on(farm_builder *builder)
{
    uint64_t *slot = farm_builder_slot(builder, builder->oldest);

    do {
        clear_slot(builder, slot);
        slot = farm_builder_slot(builder, ++builder->oldest);
    } while (slot[0] == 0);
    return FARM_COMPLETE;
}

static void make_room(farm_builder *builder, uint64_t sequence)
{
    if (sequence - builder->oldest > builder->mask && builder->mask < builder->most)
        grow(builder, sequence);
    while (sequence - builder->oldest > builder->mask) {
        uint64_t *slot = farm_builder_slot(builder, builder->oldest);

        builder->counts.abandoned += slot[0] > 0;
        clear_slot(builder, slot);
        builder->oldest++;
    }
}

static bool is_too_far(const farm_builder *builder, uint64_t sequence)
{
    return sequence >= builder->oldest &&
           sequence - builder->oldest > FURTHEST_RINGS * (builder->most + 1);
}

/* An event that has no slot yet has asked for nothing. */
static bool was_not_asked(const farm_builder *builder, size_t source, uint64_t sequence)
{
    return builder->asked_word > 0 && sequence >= builder->oldest &&
           (sequence - builder->oldest > builder->mask ||
            !farm_builder_has_asked(builder, source, sequence));
}

farm_built farm_builder_add_slow(farm_builder *builder, size_t source, uint64_t sequence)
{
    builder->counts.fragments++;
    if (source >= builder->sources || is_too_far(builder, sequence) ||
        was_not_asked(builder, source, sequence)) {
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

farm_built farm_builder_ask(farm_builder *builder, size_t source, uint64_t sequence)
{
    uint64_t *asked, *word, bit = UINT64_C(1) << source % FARM_BUILDER_WORD_BITS;

    if (source >= builder->sources || is_too_far(builder, sequence))
        return FARM_FRAGMENT_UNEXPECTED;
    if (sequence < builder->oldest)
        return FARM_FRAGMENT_DUPLICATE;
    make_room(builder, sequence);
    asked = farm_builder_slot(builder, sequence) + builder->asked_word;
    word = &asked[1 + source / FARM_BUILDER_WORD_BITS];
    if ((*word & bit) != 0)
        return FARM_FRAGMENT_DUPLICATE;
    if (asked[0] == 0)
        return FARM_FRAGMENT_UNEXPECTED;
    *word |= bit;
    return --asked[0] == 0 ? FARM_COMPLETE : FARM_PARTIAL;
}

void farm_builder_extend(farm_builder *builder, uint64_t sequence, size_t more)
{
    uint64_t *slot;

    if (sequence < builder->oldest || is_too_far(builder, sequence))
        return;
    make_room(builder, sequence);
    slot = farm_builder_slot(builder, sequence);
    if (slot[builder->asked_word] == builder->fragments)
        slot[0] = builder->fragments + more;
}

bool farm_builder_ask_more(farm_builder *builder, size_t source, uint64_t sequence)
{
    uint64_t *asked = farm_builder_slot(builder, sequence) + builder->asked_word;
    uint64_t *word = &asked[1 + source / FARM_BUILDER_WORD_BITS];
    uint64_t bit = UINT64_C(1) << source % FARM_BUILDER_WORD_BITS;

    if ((*word & bit) != 0)
        return false;
    *word |= bit;
    return true;
}
