/* What happens at a known time: a heap, and beside it a ring in ascending order for the starts of
 * flows, which come in order of time wherever all messages have the same overhead and latency.
 * Internal to src/model. */
#ifndef MODEL_EVALUATION_QUEUE_H
#define MODEL_EVALUATION_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    EVENT_RESUME, /* processor: its computing or its overhead is over */
    EVENT_FLOW,   /* message: its latency is over, its bytes enter the links */
    EVENT_ARRIVE, /* message without work for the links: it is there */
    EVENT_BARRIER /* all processors go on */
} event_kind;

/* 12 bytes: there may be one for every processor, and one for every message. */
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

/* False without memory. */
bool ccmod_queue_push(event_queue *queue, double time_us, event_kind kind, uint32_t subject);
double ccmod_queue_next(const event_queue *queue); /* infinite when it is empty */
/* The first event of a queue that is not empty. *coming is a message whose event will come soon, to
 * be fetched ahead, or any number. */
queue_event ccmod_queue_pop(event_queue *queue, uint32_t *coming);
void ccmod_queue_free(event_queue *queue);

#endif
