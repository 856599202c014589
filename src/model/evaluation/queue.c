#include "model/evaluation/queue.h"

#include <stdlib.h>

enum { FIRST_ROOM = 64 };

/* The old ring is laid out from its first event on, in one twice as large. */
bool ccmod_ring_widen(event_ring *ring)
{
    size_t room = ring->room > 0 ? 2 * ring->room : FIRST_ROOM;
    queue_event *wider = malloc(room * sizeof(*wider));

    if (wider == NULL)
        return false;
    for (size_t i = 0; i < ring->count; i++)
        wider[i] = ring->events[(ring->first + i) & (ring->room - 1)];
    free(ring->events);
    ring->events = wider;
    ring->first = 0;
    ring->room = room;
    return true;
}

void ccmod_queue_open(event_queue *queue)
{
    *queue = (event_queue){.rings = {{.next_us = HUGE_VAL}, {.next_us = HUGE_VAL}}};
}

void ccmod_queue_free(event_queue *queue)
{
    free(queue->heap);
    for (size_t i = 0; i < sizeof(queue->rings) / sizeof(queue->rings[0]); i++)
        free(queue->rings[i].events);
}
