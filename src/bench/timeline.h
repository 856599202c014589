/* The life of the first events of a run, as every rank sees it: notes into memory that is there
 * beforehand, each an instant of the rank's own clock. */
#ifndef BENCH_TIMELINE_H
#define BENCH_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* A message was sent or taken; the algorithm on a fragment has ended. */
typedef enum { BENCH_SENT, BENCH_TAKEN, BENCH_DONE } bench_moment;

typedef struct {
    uint64_t at_ns, event;
    uint32_t moment, role, index; /* role and index of the other side; of none for BENCH_DONE */
} bench_timeline_entry;

typedef struct {
    uint64_t first_event, events; /* those that are noted */
    size_t used, room;
    bench_timeline_entry *entries;
} bench_timeline;

cb_status bench_timeline_create(uint64_t first_event, uint64_t events, size_t room,
                                bench_timeline **out);
void bench_timeline_free(bench_timeline *timeline);

/* Hot. Note a moment of an event, where it is one of those and there is room. */
void bench_timeline_note(bench_timeline *timeline, bench_moment moment, size_t role, size_t index,
                         uint64_t event);

/* Hot. The same, and nothing where no timeline is recorded. */
static inline void bench_timeline_sent(bench_timeline *timeline, size_t role, size_t index,
                                       uint64_t event)
{
    if (__builtin_expect(timeline != NULL, 0))
        bench_timeline_note(timeline, BENCH_SENT, role, index, event);
}

static inline void bench_timeline_taken(bench_timeline *timeline, size_t role, size_t index,
                                        uint64_t event)
{
    if (__builtin_expect(timeline != NULL, 0))
        bench_timeline_note(timeline, BENCH_TAKEN, role, index, event);
}

static inline void bench_timeline_done(bench_timeline *timeline, uint64_t event)
{
    if (__builtin_expect(timeline != NULL, 0))
        bench_timeline_note(timeline, BENCH_DONE, 0, 0, event);
}

#endif
