/* The two steps of an event of a pull farm (--accept): the sources of the first step are those of
 * --fetch; the others are asked if the first part of the event is accepted. Pure: whether it is
 * depends only on seed and event number, so all ranks agree on it.
 *
 * A destination asks a source for events in any order, since the second step of one follows the
 * first step of later ones. It keeps that order, in which a source answers. */
#ifndef FARM_ACCEPT_H
#define FARM_ACCEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* --fetch with --accept, if it is not given. */
extern const char farm_first_part[];

/* Parse a value of --accept, 0 to 1. CB_ERROR_USAGE, logged. */
cb_status farm_accept_parse(const char *text, double *fraction);

/* Hot. Whether the first part of an event is accepted: true for `fraction` of the events. */
bool farm_accepts(uint64_t seed, uint64_t event, double fraction);

/* The events that each source has been asked for and has not delivered, by their sequence. */
typedef struct {
    size_t sources;
    uint64_t mask;         /* of a ring; the number of its cells is a power of two */
    uint64_t *cells;       /* a ring for each source */
    uint64_t *first, *end; /* by source */
} farm_asked;

/* Make room for `events` events of each source. CB_ERROR_MEMORY, logged. */
cb_status farm_asked_create(size_t sources, uint64_t events, farm_asked *out);
void farm_asked_free(farm_asked *asked);

/* Forget all. */
void farm_asked_restart(farm_asked *asked);

/* Hot. Add an event; if there is no room, the oldest one is forgotten. */
static inline void farm_asked_add(farm_asked *asked, size_t source, uint64_t sequence)
{
    uint64_t at = asked->end[source]++;

    asked->cells[source * (asked->mask + 1) + (at & asked->mask)] = sequence;
    if (asked->end[source] - asked->first[source] > asked->mask + 1)
        asked->first[source]++;
}

/* Hot. The event that the source delivers next; UINT64_MAX: none. */
static inline uint64_t farm_asked_next(const farm_asked *asked, size_t source)
{
    uint64_t at = asked->first[source];

    return at < asked->end[source] ? asked->cells[source * (asked->mask + 1) + (at & asked->mask)]
                                   : UINT64_MAX;
}

/* Hot. Remove an event and those before it, which the source has not delivered in order. False, and
 * nothing changes, if it is not among them. */
static inline bool farm_asked_remove(farm_asked *asked, size_t source, uint64_t sequence)
{
    for (uint64_t at = asked->first[source]; at < asked->end[source]; at++)
        if (asked->cells[source * (asked->mask + 1) + (at & asked->mask)] == sequence) {
            asked->first[source] = at + 1;
            return true;
        }
    return false;
}

#endif
