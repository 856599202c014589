/* Which sources hold the data of an event: all of them, or some that are drawn for each event, as a
 * region of interest touches a part of the readout (--fetch). Also the control messages that name
 * them. Pure: a draw depends only on seed and event number, so all ranks agree on it. */
#ifndef FARM_FETCH_H
#define FARM_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* A control message has 16 bytes: the event, the first of the named sources, and a bitmap of this
 * many sources from it on. */
enum { FARM_NAMED = 32, FARM_SOURCES_MOST = 65535 };

/* Number of words of a set with a bit for each source. */
static inline size_t farm_set_words(size_t sources)
{
    return (sources + 63) / 64;
}

static inline bool farm_set_has(const uint64_t *set, size_t source)
{
    return (set[source / 64] >> source % 64 & 1) != 0;
}

/* The number of sources that `text` ("all", a number, or a fraction with a decimal point) means in
 * a farm of `sources`: at least 1. CB_ERROR_USAGE, logged, if it is invalid or more than there are.
 */
cb_status farm_fetch_count(const char *text, size_t sources, size_t *out);

/* Draw `count` of `sources` for an event into `set` (farm_set_words(sources) words). All sets of
 * that size are equally likely. */
void farm_fetch_draw(uint64_t seed, uint64_t event, size_t sources, size_t count, uint64_t *set);

/* The bitmap of the control message that names the sources of `set` from *first on. *first becomes
 * its first source. 0: no source is left. */
uint32_t farm_fetch_names(const uint64_t *set, size_t sources, size_t *first);

/* The bitmap of `count` sources, at most FARM_NAMED. */
static inline uint32_t farm_bitmap_of(size_t count)
{
    return (uint32_t)(((uint64_t)1 << count) - 1);
}

/* Largest number of control messages that name the sources of an event. */
static inline size_t farm_fetch_messages(size_t sources)
{
    return (sources + FARM_NAMED - 1) / FARM_NAMED;
}

#endif
