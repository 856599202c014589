/* Recorder of what a rank does with the first events of a run.
 *
 * Entries are in preallocated memory; each has two times of the rank's own clock, in ns. */
#ifndef TIMELINE_TIMELINE_H
#define TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/status.h"

/* Default number of recorded events, and the largest number of entries that rank 0 holds. */
enum { TIMELINE_EVENTS = 64, TIMELINE_ENTRIES = 1 << 20 };

/* What an entry is: sending a message; receiving one that has arrived; running the algorithm on a
 * fragment; the delay of --slow-us. */
typedef enum { TIMELINE_SENDS, TIMELINE_TAKES, TIMELINE_WORKS, TIMELINE_DELAYS } timeline_kind;

/* Index for a message to all ranks of a role. */
static const uint32_t timeline_all = UINT32_MAX;

/* Plain data; sent to rank 0 as is. */
typedef struct {
    uint64_t begin_ns, end_ns;
    uint64_t event;
    uint16_t kind, role; /* role and index of the peer ... */
    uint32_t index;      /* ... or of the sender of the fragment that is worked on */
} timeline_entry;

typedef struct {
    uint64_t first_event, events; /* events to record */
    size_t used, room;
    uint64_t dropped; /* entries that did not fit */
    bool wraps;       /* overwrite old entries: for a rehearsal, which is only timed */
    timeline_entry *entries;
} timeline_recorder;

/* Create a recorder for `room` > 0 entries, in memory that has been written to. CB_ERROR_MEMORY,
 * logged. Free with timeline_free. */
cb_status timeline_create(size_t room, timeline_recorder **out);
void timeline_free(timeline_recorder *recorder);

/* Drop all entries; from now on record `events` events starting with `first_event`. */
void timeline_restart(timeline_recorder *recorder, uint64_t first_event, uint64_t events);

/* Drop all entries; record any event, and overwrite old entries when the memory is full. */
void timeline_rehearse(timeline_recorder *recorder);

/* Hot. Add an entry that ends now, if its event is to be recorded and there is room. */
void timeline_keep(timeline_recorder *recorder, const timeline_entry *entry);

/* Hot. The start time of an entry; 0 without a recorder. */
static inline uint64_t timeline_begin(const timeline_recorder *recorder)
{
    return __builtin_expect(recorder != NULL, 0) ? cb_now_ns() : 0;
}

/* Hot. Record what has just ended; no effect without a recorder. `role` and `index` as in
 * timeline_entry. */
static inline void timeline_note(timeline_recorder *recorder, uint64_t begin_ns, timeline_kind kind,
                                 uint64_t event, size_t role, uint32_t index)
{
    if (__builtin_expect(recorder != NULL, 0))
        timeline_keep(recorder, &(timeline_entry){.begin_ns = begin_ns,
                                                  .event = event,
                                                  .kind = (uint16_t)kind,
                                                  .role = (uint16_t)role,
                                                  .index = index});
}

#endif
