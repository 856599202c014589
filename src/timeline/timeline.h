/* What a rank does with the first events of a run: entries in memory that is there beforehand, each
 * with two instants of the rank's own clock. */
#ifndef TIMELINE_TIMELINE_H
#define TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/status.h"

/* How many events are recorded by default, and how many entries of all ranks rank 0 will hold. */
enum { TIMELINE_EVENTS = 64, TIMELINE_ENTRIES = 1 << 20 };

/* It sends a message; takes one, which is there by then; runs the algorithm on a fragment; works
 * longer for --slow-us. */
typedef enum { TIMELINE_SENDS, TIMELINE_TAKES, TIMELINE_WORKS, TIMELINE_DELAYS } timeline_kind;

/* The index of a message that goes to all of a role. */
static const uint32_t timeline_all = UINT32_MAX;

/* Plain data: it is sent to rank 0 as it is. */
typedef struct {
    uint64_t begin_ns, end_ns;
    uint64_t event;
    uint16_t kind, role; /* the role and the index of the other side ... */
    uint32_t index;      /* ... or of who sent the fragment that is worked on */
} timeline_entry;

typedef struct {
    uint64_t first_event, events; /* those that are recorded */
    size_t used, room;
    uint64_t dropped; /* entries for which there was no room */
    bool wraps;       /* old entries make room for new ones: of a rehearsal, which is only timed */
    timeline_entry *entries;
} timeline_recorder;

/* Room for `room` > 0 entries, in memory that has been written to. The caller frees it. */
cb_status timeline_create(size_t room, timeline_recorder **out);
void timeline_free(timeline_recorder *recorder);

/* Forget all entries; from now on record `events` from `first_event` on. */
void timeline_restart(timeline_recorder *recorder, uint64_t first_event, uint64_t events);

/* The same of any event, each entry in the place of an old one. */
void timeline_rehearse(timeline_recorder *recorder);

/* Hot. Keep an entry that ends now, of an event that is recorded, where there is room. */
void timeline_keep(timeline_recorder *recorder, const timeline_entry *entry);

/* Hot. When something begins that will be recorded; 0 where no recorder is. */
static inline uint64_t timeline_begin(const timeline_recorder *recorder)
{
    return __builtin_expect(recorder != NULL, 0) ? cb_now_ns() : 0;
}

/* Hot. Record what has just ended; nothing where no recorder is. `role` and `index` are as an entry
 * has them. */
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
