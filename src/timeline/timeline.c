/* Record what a rank does with events. */
#include "timeline/timeline.h"

#include <stdlib.h>

#include "base/memory.h"

cb_status timeline_create(size_t room, timeline_recorder **out)
{
    timeline_recorder *recorder = cb_allocate(1, sizeof(*recorder), "a timeline");

    if (recorder == NULL)
        return CB_ERROR_MEMORY;
    recorder->room = room;
    recorder->entries =
        cb_allocate_aligned(CB_CACHE_LINE, room * sizeof(*recorder->entries), "a timeline");
    if (recorder->entries == NULL) {
        free(recorder);
        return CB_ERROR_MEMORY;
    }
    *out = recorder;
    return CB_OK;
}

void timeline_free(timeline_recorder *recorder)
{
    if (recorder == NULL)
        return;
    free(recorder->entries);
    free(recorder);
}

void timeline_restart(timeline_recorder *recorder, uint64_t first_event, uint64_t events)
{
    recorder->first_event = first_event;
    recorder->events = events;
    recorder->used = 0;
    recorder->dropped = 0;
    recorder->wraps = false;
}

void timeline_rehearse(timeline_recorder *recorder)
{
    timeline_restart(recorder, 0, UINT64_MAX);
    recorder->wraps = true;
}

void timeline_keep(timeline_recorder *recorder, const timeline_entry *entry)
{
    timeline_entry *place;

    if (entry->event - recorder->first_event >= recorder->events)
        return;
    if (recorder->used == recorder->room) {
        if (!recorder->wraps) {
            recorder->dropped++;
            return;
        }
        recorder->used = 0;
    }
    place = &recorder->entries[recorder->used++];
    *place = *entry;
    place->end_ns = cb_now_ns();
}
