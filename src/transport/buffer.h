/* Messages and their buffer pools. In a header, since taking and giving back a buffer takes a few
 * inlined instructions. */
#ifndef TRANSPORT_BUFFER_H
#define TRANSPORT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

typedef struct transport_factory transport_factory;
typedef struct transport_buffer transport_buffer;
typedef struct transport_slab transport_slab;

/* A message. `data` and `size` belong to the user from create or receive until send or release. The
 * user may lower `size`, never raise it. */
struct transport_buffer {
    void *data;
    size_t size; /* payload in bytes */
    size_t capacity;
    transport_factory *owner;
    transport_buffer *next; /* in the pool, while the buffer is free */
};

/* The messages to expect. When it is announced, no message may be in transit and the caller may
 * hold no buffer. */
typedef struct {
    size_t message_bytes;   /* largest payload */
    size_t multicast_bytes; /* exact payload of a technology's own multicast; 0: message_bytes */
    size_t unanswered; /* maximum number of messages from one node before it waits for an answer */
    size_t buffers;    /* minimum number allocated in advance; more are allocated as needed */
    size_t footprint_bytes; /* minimum memory covered by the pool, in bytes: for buffers out of
                               cache */
    bool rotate;        /* give out the least recently used buffer; otherwise the last released */
    bool try_multicast; /* members may receive multicasts without waiting; the same in all processes
                         */
    size_t content_bytes; /* bytes of a buffer that `initialise` fills; 0: message_bytes */
    void (*initialise)(void *data, size_t bytes); /* called once for each new buffer of a pool, or
                                                     NULL */
} transport_preparation;

/* A library that has to know the memory of buffers before it can send them. `remember` gives a
 * handle, which `forget` takes back. */
typedef struct {
    void *context;
    cb_status (*remember)(void *context, void *memory, size_t bytes, void **handle);
    void (*forget)(void *context, void *handle);
} transport_memory_user;

/* A pool of equal buffers, allocated in advance; more are allocated when none is free. Gives out
 * the last released buffer (hot in cache) or, rotating, the least recently released. For one
 * thread: a technology with several sending threads guards the pool by a lock. */
typedef struct {
    transport_factory *owner;
    transport_buffer *first; /* free buffers are taken from here */
    transport_buffer *last;  /* and given back here if they rotate */
    transport_slab *slabs;
    size_t capacity;      /* of each buffer */
    size_t content_bytes; /* the part of it that `initialise` fills */
    bool rotate;
    void (*initialise)(void *data, size_t bytes);
    /* Set once by a technology, before the first preparation; usually 0 and NULL. */
    size_t prefix_bytes; /* before each payload, for the technology: whole cache lines */
    const transport_memory_user *user; /* its handle for the memory of a buffer is stored at the
                                          beginning of the prefix */
} transport_pool;

/* Not hot. Allocate more buffers when none is free. */
__attribute__((cold)) cb_status transport_pool_grow(transport_pool *pool);

/* Hot. Returns a buffer whose size is that of its last message; NULL, with an error logged, if out
 * of memory. */
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

/* Make the pool (again) as announced. All its buffers must be free. */
cb_status transport_pool_prepare(transport_pool *pool, transport_factory *owner,
                                 const transport_preparation *preparation);

void transport_pool_clear(transport_pool *pool);

/* Restore the content that `initialise` gave a buffer, after it received a message of `bytes` that
 * is dropped. Not for hot paths. */
void transport_pool_restore(const transport_pool *pool, const transport_buffer *buffer,
                            size_t bytes);

#endif
