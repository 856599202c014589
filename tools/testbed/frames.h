/* Frames on their way through the switch: a heap in order of time, and a pool of used ones. */
#ifndef TOOLS_TESTBED_FRAMES_H
#define TOOLS_TESTBED_FRAMES_H

#include <stddef.h>
#include <stdint.h>

enum { FRAME_BYTES = 9216 };

typedef struct frame {
    uint64_t due_ns;    /* when something happens to it next */
    uint64_t order;     /* of equals, the one that was put in first comes out first */
    unsigned port;      /* where it leaves */
    int queued;         /* it waits at that port, or is sent there; else it is still on its way */
    size_t bytes;       /* of data */
    struct frame *next; /* of the pool */
    unsigned char data[FRAME_BYTES];
} frame;

typedef struct {
    frame **heap;
    size_t count, room;
    uint64_t entered;
    frame *pool;
} frames;

/* An unused frame; NULL, logged, without memory. It is given to frames_put or frames_release. */
frame *frames_new(frames *all);
void frames_release(frames *all, frame *used);

/* Take a frame in whose due_ns is set; 0, logged and the frame released, without memory. */
int frames_put(frames *all, frame *entering);

/* The earliest frame, which stays; NULL where there is none. */
const frame *frames_first(const frames *all);

/* The earliest frame, for the caller; there must be one. */
frame *frames_take(frames *all);

void frames_free(frames *all);

#endif
