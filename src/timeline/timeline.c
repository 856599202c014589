/* Recording what a rank does with events. */
#include "timeline/timeline.h"

#include <stdlib.h>

#include "base/memory.h"
#include "farm/farm.h"

/* Of one event a supervisor sends one message and takes one, and so does a source. A destination
 * takes an assignment, for each source sends a request, takes a fragment and works on it, is
 * delayed, and sends the decision. */
enum { NOTES_OF_ONE = 2, NOTES_OF_A_SOURCE = 3, NOTES_OF_A_DECISION = 3 };

static size_t notes_of_destination(size_t sources)
{
    return NOTES_OF_A_SOURCE * sources + NOTES_OF_A_DECISION;
}

size_t bench_timeline_notes(size_t role, size_t sources, size_t destinations, size_t events)
{
    if (role != BENCH_DESTINATION)
        return NOTES_OF_ONE * events;
    return notes_of_destination(sources) * (events / destinations + 1);
}

size_t bench_timeline_notes_of_all(size_t sources, size_t events)
{
    return events * (NOTES_OF_ONE * (1 + sources) + notes_of_destination(sources));
}

cb_status bench_timeline_create(size_t room, bench_timeline **out)
{
    bench_timeline *timeline = cb_allocate(1, sizeof(*timeline), "a timeline");

    if (timeline == NULL)
        return CB_ERROR_MEMORY;
    timeline->room = room;
    timeline->entries =
        cb_allocate_aligned(CB_CACHE_LINE, room * sizeof(*timeline->entries), "a timeline");
    if (timeline->entries == NULL) {
        free(timeline);
        return CB_ERROR_MEMORY;
    }
    *out = timeline;
    return CB_OK;
}

void bench_timeline_free(bench_timeline *timeline)
{
    if (timeline == NULL)
        return;
    free(timeline->entries);
    free(timeline);
}

void bench_timeline_restart(bench_timeline *timeline, uint64_t first_event, uint64_t events)
{
    timeline->first_event = first_event;
    timeline->events = events;
    timeline->used = 0;
    timeline->dropped = 0;
    timeline->wraps = false;
}

void bench_timeline_rehearse(bench_timeline *timeline)
{
    bench_timeline_restart(timeline, 0, UINT64_MAX);
    timeline->wraps = true;
}

void bench_timeline_keep(bench_timeline *timeline, const bench_timeline_entry *entry)
{
    bench_timeline_entry *place;

    if (entry->event - timeline->first_event >= timeline->events)
        return;
    if (timeline->used == timeline->room) {
        if (!timeline->wraps) {
            timeline->dropped++;
            return;
        }
        timeline->used = 0;
    }
    place = &timeline->entries[timeline->used++];
    *place = *entry;
    place->end_ns = cb_now_ns();
}
