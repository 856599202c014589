/* Recording the life of events. */
#include "bench/timeline.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"

cb_status bench_timeline_create(uint64_t first_event, uint64_t events, size_t room,
                                bench_timeline **out)
{
    bench_timeline *timeline = cb_allocate(1, sizeof(*timeline), "a timeline");

    if (timeline == NULL)
        return CB_ERROR_MEMORY;
    *timeline = (bench_timeline){.first_event = first_event, .events = events, .room = room};
    timeline->entries = cb_allocate(room, sizeof(*timeline->entries), "a timeline");
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

void bench_timeline_note(bench_timeline *timeline, bench_moment moment, size_t role, size_t index,
                         uint64_t event)
{
    if (event - timeline->first_event >= timeline->events || timeline->used == timeline->room)
        return;
    timeline->entries[timeline->used++] = (bench_timeline_entry){.at_ns = cb_now_ns(),
                                                                 .event = event,
                                                                 .moment = moment,
                                                                 .role = (uint32_t)role,
                                                                 .index = (uint32_t)index};
}
