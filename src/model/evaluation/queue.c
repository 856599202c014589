#include "model/evaluation/queue.h"

#include <stdlib.h>

enum { FIRST_ROOM = 64 };

/* The old ring is laid out from its first event on, in one twice as large. */
bool ccmod_queue_widen_run(event_queue *queue)
{
    size_t room = queue->run_room > 0 ? 2 * queue->run_room : FIRST_ROOM;
    queue_event *wider = malloc(room * sizeof(*wider));

    if (wider == NULL)
        return false;
    for (size_t i = 0; i < queue->run_count; i++)
        wider[i] = queue->run[(queue->run_first + i) & (queue->run_room - 1)];
    free(queue->run);
    queue->run = wider;
    queue->run_first = 0;
    queue->run_room = room;
    return true;
}

void ccmod_queue_free(event_queue *queue)
{
    free(queue->heap);
    free(queue->run);
}
