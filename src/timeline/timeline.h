/* What a rank does with the first events of a run: notes into memory that is there beforehand, each
 * with two instants of the rank's own clock. */
#ifndef BENCH_TIMELINE_H
#define BENCH_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/status.h"

/* How many events are noted by default, and how many notes of all ranks rank 0 will hold. */
enum { BENCH_TIMELINE_EVENTS = 64, BENCH_TIMELINE_NOTES = 1 << 20 };

/* It sends a message; takes one, which is there by then; runs the algorithm on a fragment; works
 * longer for --slow-us. */
typedef enum { BENCH_SENDS, BENCH_TAKES, BENCH_WORKS, BENCH_DELAYS } bench_deed;

/* The index of a message that goes to all of a role. */
static const uint32_t bench_timeline_all = UINT32_MAX;

/* Plain data: it is sent to rank 0 as it is. */
typedef struct {
    uint64_t begin_ns, end_ns;
    uint64_t event;
    uint16_t deed, role; /* the role and the index of the other side ... */
    uint32_t index;      /* ... or of who sent the fragment that is worked on */
} bench_timeline_entry;

typedef struct {
    uint64_t first_event, events; /* those that are noted */
    size_t used, room;
    uint64_t dropped; /* notes for which there was no room */
    bool wraps;       /* old notes make room for new ones: of a rehearsal, which is only timed */
    bench_timeline_entry *entries;
} bench_timeline;

/* How many notes a rank makes at most of so many events in a row, where each message comes once;
 * and all ranks together. */
size_t bench_timeline_notes(size_t role, size_t sources, size_t destinations, size_t events);
size_t bench_timeline_notes_of_all(size_t sources, size_t events);

/* Room for `room` > 0 notes, in memory that has been written to. The caller frees it. */
cb_status bench_timeline_create(size_t room, bench_timeline **out);
void bench_timeline_free(bench_timeline *timeline);

/* Forget all notes; from now on note `events` from `first_event` on. */
void bench_timeline_restart(bench_timeline *timeline, uint64_t first_event, uint64_t events);

/* The same of any event, each note in the place of an old one. */
void bench_timeline_rehearse(bench_timeline *timeline);

/* Hot. Keep a note that ends now, of an event that is noted, where there is room. */
void bench_timeline_keep(bench_timeline *timeline, const bench_timeline_entry *entry);

/* Hot. When something begins that will be noted; 0 where no timeline is recorded. */
static inline uint64_t bench_timeline_now(const bench_timeline *timeline)
{
    return __builtin_expect(timeline != NULL, 0) ? cb_now_ns() : 0;
}

/* Hot. Note what has just ended, and nothing where no timeline is recorded. */
static inline void bench_timeline_note(bench_timeline *timeline, bench_timeline_entry entry)
{
    if (__builtin_expect(timeline != NULL, 0))
        bench_timeline_keep(timeline, &entry);
}

#endif
