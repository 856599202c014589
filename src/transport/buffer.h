/* Messages, and the pools that they rest in: what has to be known of them wherever one is taken or
 * given back, since that is done by a few instructions in line. Users include transport.h, and
 * technologies pool.h. */
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

#endif
