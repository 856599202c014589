/* A pool of equal buffers for technologies: made beforehand, given out hot (the last released
 * first) or rotated (the longest rested first), grown when it runs dry. For one thread: a
 * technology in which several send guards it by a lock. */
#ifndef TRANSPORT_POOL_H
#define TRANSPORT_POOL_H

#include "transport/transport.h"

typedef struct transport_slab transport_slab;

typedef struct {
    transport_factory *owner;
    transport_buffer *first, *last; /* a list of the resting: taken from the first */
    transport_slab *slabs;
    size_t capacity; /* of each buffer */
    bool rotate;
    void (*initialise)(void *data, size_t bytes);
} transport_pool;

/* (Re)make the pool as announced; all its buffers must be resting. */
cb_status transport_pool_prepare(transport_pool *pool, transport_factory *owner,
                                 const transport_preparation *preparation);

void transport_pool_clear(transport_pool *pool);

/* Not hot: more buffers, when none rests. */
__attribute__((cold)) cb_status transport_pool_grow(transport_pool *pool);

/* Hot. A buffer with size = capacity; NULL, with an error logged, when there is no memory. */
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
    if (pool->rotate && pool->first != NULL) {
        buffer->next = NULL;
        pool->last->next = buffer;
    } else {
        buffer->next = pool->first;
        pool->first = buffer;
        if (buffer->next != NULL)
            return;
    }
    pool->last = buffer;
}

#endif
