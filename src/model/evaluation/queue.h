/* Events at known times: a heap, and a ring in ascending order for the starts of flows, which are
 * in order of time if all messages have the same overhead and latency. Internal to src/model. */
#ifndef MODEL_EVALUATION_QUEUE_H
#define MODEL_EVALUATION_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    EVENT_RESUME, /* processor: its computing or overhead ends */
    EVENT_FLOW,   /* message: its latency ends and it enters the links */
    EVENT_ARRIVE, /* message without work on links: it arrives */
    EVENT_BARRIER /* all processors continue */
} event_kind;

/* 12 bytes: there may be one for every processor and every message. */
typedef struct __attribute__((packed, aligned(4))) {
    double time_us;
    uint32_t kind : 2;
    uint32_t subject : 30;
} queue_event;

typedef struct {
    queue_event *heap;
    size_t count, room;
    queue_event *run;                      /* the ring */
    size_t run_first, run_count, run_room; /* run_room is a power of two */
} event_queue;

/* False if out of memory. */
bool ccmod_queue_push(event_queue *queue, double time_us, event_kind kind, uint32_t subject);
double ccmod_queue_next(const event_queue *queue); /* infinite if empty */
/* Remove the first event of a queue that is not empty. *coming is a message whose event will come
 * soon, to be prefetched, or any number. */
queue_event ccmod_queue_pop(event_queue *queue, uint32_t *coming);
void ccmod_queue_free(event_queue *queue);

#endif
