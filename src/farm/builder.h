/* Event building at a destination: counts the fragments of each event in progress and, if it asks
 * for them one by one, the sources that it has asked.
 *
 * A destination numbers the events that are assigned to it from 0; this number is the event's
 * `sequence`. Several events may be in progress. Pure: no clock, no messages. */
#ifndef FARM_BUILDER_H
#define FARM_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct {
    uint64_t fragments;
    uint64_t duplicate;  /* of a source that has delivered, or of an abandoned event */
    uint64_t unexpected; /* of a source or event that does not exist, or of a source not asked */
    uint64_t abandoned;  /* events given up because later events needed their slots */
} farm_builder_counts;

typedef struct {
    size_t sources, fragments; /* fragments of an event; fewer than sources if it asks */
    uint64_t mask;             /* number of slots - 1; the number is a power of two, and grows */
    uint64_t most;             /* up to this one, minus 1: then old events are abandoned */
    uint64_t oldest;           /* all events before it are complete or abandoned */
    uint64_t *slots;   /* per slot: number of missing fragments, then a bit for each source */
    size_t slot_words; /* words per slot */
    size_t asked_word; /* in a slot: number of sources to ask, then a bit for each asked one; 0: all
                        * sources send without being accounted as asked */
    farm_builder_counts counts;
} farm_builder;

/* A builder of up to `events` events in progress with `fragments` fragments, each of another
 * source. It begins with room for a few and takes more when they are in progress. If `asks`, only
 * sources that farm_builder_ask has counted may deliver. CB_ERROR_MEMORY, logged. Free with
 * farm_builder_free. */
cb_status farm_builder_create(size_t sources, size_t fragments, bool asks, uint64_t events,
                              farm_builder *out);
void farm_builder_free(farm_builder *builder);

/* Drop all events in progress, reset the counts, and continue with event `sequence`. */
void farm_builder_restart(farm_builder *builder, uint64_t sequence);

typedef enum {
    FARM_PARTIAL,
    FARM_COMPLETE,
    FARM_FRAGMENT_DUPLICATE,
    FARM_FRAGMENT_UNEXPECTED
} farm_built;

/* Not hot. Continuation of farm_builder_add for a fragment without a slot, that has come before, or
 * of a source that was not asked. */
farm_built farm_builder_add_slow(farm_builder *builder, size_t source, uint64_t sequence);

/* Count a source as asked for its fragment of event `sequence`: FARM_COMPLETE if all fragments of
 * the event have been asked for, else FARM_PARTIAL. FARM_FRAGMENT_DUPLICATE: it has been asked, or
 * the event is over. FARM_FRAGMENT_UNEXPECTED: no such source, the event has all of its sources, or
 * it is too far ahead. */
farm_built farm_builder_ask(farm_builder *builder, size_t source, uint64_t sequence);

/* For a builder that asks: give the event a slot, if it is not over and not too far ahead, and let
 * it have `more` fragments than others, for which sources are asked by farm_builder_ask_more. Call
 * it before each ask; after the first one it changes nothing. */
void farm_builder_extend(farm_builder *builder, uint64_t sequence, size_t more);

/* Count a source as asked in addition to the sources of farm_builder_ask. False: it has been asked.
 * The event has a slot. */
bool farm_builder_ask_more(farm_builder *builder, size_t source, uint64_t sequence);

enum { FARM_BUILDER_WORD_BITS = 64 };

static inline uint64_t *farm_builder_slot(const farm_builder *builder, uint64_t sequence)
{
    return &builder->slots[(sequence & builder->mask) * builder->slot_words];
}

/* Whether a source has been asked for its fragment of an event that has a slot. */
static inline bool farm_builder_has_asked(const farm_builder *builder, size_t source,
                                          uint64_t sequence)
{
    const uint64_t *slot = farm_builder_slot(builder, sequence);

    return (slot[builder->asked_word + 1 + source / FARM_BUILDER_WORD_BITS] >>
                source % FARM_BUILDER_WORD_BITS &
            1) != 0;
}

/* Hot. The oldest event is complete: reuse its slot, and those of events after it that are, for
 * later events. Returns FARM_COMPLETE. */
farm_built farm_builder_move_on(farm_builder *builder);

/* Hot. Count a fragment of a source for event `sequence`. If the event is too far ahead for all
 * slots that the builder may have, or memory for them is missing, the oldest events are abandoned.
 * If it is more than 1024 times that number ahead, the fragment counts as unexpected, which bounds
 * the work. */
static inline farm_built farm_builder_add(farm_builder *builder, size_t source, uint64_t sequence)
{
    uint64_t *slot = farm_builder_slot(builder, sequence), *word;
    uint64_t bit = UINT64_C(1) << source % FARM_BUILDER_WORD_BITS;

    if (__builtin_expect(source >= builder->sources || sequence - builder->oldest > builder->mask,
                         0))
        return farm_builder_add_slow(builder, source, sequence);
    word = &slot[1 + source / FARM_BUILDER_WORD_BITS];
    if (__builtin_expect((*word & bit) != 0 || (builder->asked_word > 0 &&
                                                !farm_builder_has_asked(builder, source, sequence)),
                         0))
        return farm_builder_add_slow(builder, source, sequence);
    *word |= bit;
    builder->counts.fragments++;
    if (--slot[0] > 0)
        return FARM_PARTIAL;
    return sequence == builder->oldest ? farm_builder_move_on(builder) : FARM_COMPLETE;
}

#endif
