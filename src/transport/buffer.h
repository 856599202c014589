/* Messages, and the pools that they rest in: what has to be known of them wherever one is taken or
 * given back, since that is done by a few instructions in line. */
#ifndef TRANSPORT_BUFFER_H
#define TRANSPORT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

typedef struct transport_factory transport_factory;
typedef struct transport_buffer transport_buffer;
typedef struct transport_slab transport_slab;

/* A message. `data` and `size` are the user's between create or receive and send or release;
 * `size` may be lowered, never raised. */
struct transport_buffer {
    void *data;
    size_t size; /* payload in bytes */
    size_t capacity;
    transport_factory *owner;
    transport_buffer *next; /* of the pool, while nobody holds the buffer */
};

/* The coming messages, as prepare announces them. Nothing may be under way, and the caller may hold
 * no buffer. */
typedef struct {
    size_t message_bytes;   /* largest payload */
    size_t multicast_bytes; /* exact payload of a technology's own multicast; 0: message_bytes */
    size_t unanswered;      /* so many may come from a node before it waits for an answer */
    size_t buffers;         /* at least this many are made beforehand; more are made as needed */
    size_t footprint_bytes; /* the pool covers at least so much memory: for buffers out of cache */
    bool rotate;        /* give out the buffer that has rested longest; else the last released */
    bool try_multicast; /* members may receive multicasts without waiting; alike in all processes */
    void (*initialise)(void *data, size_t bytes); /* called once for each new buffer, or NULL */
} transport_preparation;

/* Equal buffers: made beforehand, given out hot (the last released first) or rotated (the longest
 * rested first), more of them made when none rests. For one thread: a technology in which several
 * send guards it by a lock. */
typedef struct {
    transport_factory *owner;
    transport_buffer *first; /* a list of the resting: taken from here, */
    transport_buffer *last;  /* and given back there where they rotate */
    transport_slab *slabs;
    size_t capacity; /* of each buffer */
    bool rotate;
    void (*initialise)(void *data, size_t bytes);
} transport_pool;

/* Not hot: more buffers, when none rests. */
__attribute__((cold)) cb_status transport_pool_grow(transport_pool *pool);

/* Hot. A buffer, whose size is that of its last message; NULL, with an error logged, when there is
 * no memory. */
static inline transport_buffer *transport_pool_take(transport_pool *pool)
{
    transport_buffer *buffer;

    if (__builtin_expect(pool->first == NULL, 0) && transport_pool_grow(pool) != CB_OK)
        return NULL;
    buffer = pool->first;
    pool->first = buffer->next;
    return buffer;
}

/* Hot. */
static inline void transport_pool_give(transport_pool *pool, transport_buffer *buffer)
{
    if (__builtin_expect(!pool->rotate, 1)) {
        buffer->next = pool->first;
        pool->first = buffer;
        return;
    }
    buffer->next = NULL;
    *(pool->first == NULL ? &pool->first : &pool->last->next) = buffer;
    pool->last = buffer;
}

/* What a technology does with its pool. (Re)make it as announced; all its buffers must be resting.
 */
cb_status transport_pool_prepare(transport_pool *pool, transport_factory *owner,
                                 const transport_preparation *preparation);

void transport_pool_clear(transport_pool *pool);

/* What has come into a buffer and is for nobody goes again: its first `bytes` (or all, where it has
 * fewer) are as `initialise` of the preparation made them. Not for hot paths. */
void transport_pool_restore(const transport_pool *pool, const transport_buffer *buffer,
                            size_t bytes);

#endif
