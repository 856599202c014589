/* A destination's events under construction: fragments are counted towards the events that they
 * belong to, several of which may be in progress. A destination numbers the events that are
 * assigned to it from 0, its sequence. Pure. */
#ifndef FARM_BUILDER_H
#define FARM_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/status.h"

typedef struct {
    uint64_t fragments;
    uint64_t duplicate;  /* of a source that has delivered, or of an event that was abandoned */
    uint64_t unexpected; /* of no source or event that there could be */
    uint64_t abandoned;  /* events given up because later ones needed their place */
} farm_builder_counts;

typedef struct {
    size_t sources;
    uint64_t mask;      /* of places: a power of two less one */
    uint64_t oldest;    /* events before it are complete or abandoned */
    uint64_t *places;   /* words of each: fragments that are awaited, then a bit for each source */
    size_t place_words; /* of one place */
    farm_builder_counts counts;
} farm_builder;

/* Room for `events` in progress of `sources` fragments each. */
cb_status farm_builder_create(size_t sources, uint64_t events, farm_builder *out);
void farm_builder_free(farm_builder *builder);

/* Give up all that is in progress, forget what was counted, and go on with event `sequence`. */
void farm_builder_restart(farm_builder *builder, uint64_t sequence);

typedef enum {
    FARM_PARTIAL,
    FARM_COMPLETE,
    FARM_FRAGMENT_DUPLICATE,
    FARM_FRAGMENT_UNEXPECTED
} farm_built;

/* Not hot. As farm_builder_add, for a fragment that has no place, or came before. */
farm_built farm_builder_add_odd(farm_builder *builder, size_t source, uint64_t sequence);

enum { FARM_BUILDER_WORD_BITS = 64 };

static inline uint64_t *farm_builder_place(const farm_builder *builder, uint64_t sequence)
{
    return &builder->places[(sequence & builder->mask) * builder->place_words];
}

/* Few farms have more sources than a word has bits. */
static inline void farm_builder_clear(const farm_builder *builder, uint64_t sequence)
{
    uint64_t *place = farm_builder_place(builder, sequence);

    place[0] = builder->sources;
    place[1] = 0;
    if (__builtin_expect(builder->place_words > 2, 0))
        memset(&place[2], 0, (builder->place_words - 2) * sizeof(*place));
}

/* The oldest event leaves its place to one of the next round. */
static inline void farm_builder_move_on(farm_builder *builder)
{
    farm_builder_clear(builder, builder->oldest);
    builder->oldest++;
}

/* Hot. Count a fragment of a source towards event `sequence`. One that is too far ahead for the
 * places there are makes the oldest events be abandoned; one more than 1024 times the places ahead
 * is unexpected, which bounds the work. */
static inline farm_built farm_builder_add(farm_builder *builder, size_t source, uint64_t sequence)
{
    uint64_t *place = farm_builder_place(builder, sequence), *word;
    uint64_t bit = UINT64_C(1) << source % FARM_BUILDER_WORD_BITS;

    if (__builtin_expect(source >= builder->sources || sequence - builder->oldest > builder->mask,
                         0))
        return farm_builder_add_odd(builder, source, sequence);
    word = &place[1 + source / FARM_BUILDER_WORD_BITS];
    if (__builtin_expect((*word & bit) != 0, 0))
        return farm_builder_add_odd(builder, source, sequence);
    *word |= bit;
    builder->counts.fragments++;
    if (--place[0] > 0)
        return FARM_PARTIAL;
    if (sequence != builder->oldest)
        return FARM_COMPLETE;
    do
        farm_builder_move_on(builder);
    while (*farm_builder_place(builder, builder->oldest) == 0);
    return FARM_COMPLETE;
}

#endif
