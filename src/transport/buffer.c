/* Slabs of buffers. Descriptors are separate from the payloads, so that payloads are adjacent on
 * their own cache lines and walking the pool's list touches no payload. */
#include "transport/buffer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"

struct transport_slab {
    transport_slab *next;
    transport_buffer *buffers;
    unsigned char *memory;             /* prefixes and payloads */
    const transport_memory_user *user; /* who has to forget the memory; NULL: none */
    void *handle;
};

/* Distance between two payloads: whole cache lines, at least one, and the prefix. */
static size_t stride_bytes(const transport_pool *pool, size_t capacity)
{
    size_t lines = (capacity + CB_CACHE_LINE - 1) / CB_CACHE_LINE;

    return (lines > 0 ? lines : 1) * CB_CACHE_LINE + pool->prefix_bytes;
}

static void slab_free(transport_slab *slab)
{
    if (slab->user != NULL)
        slab->user->forget(slab->user->context, slab->handle);
    free(slab->memory);
    free(slab->buffers);
    free(slab);
}

static transport_slab *slab_create(const transport_memory_user *user, size_t buffers, size_t stride)
{
    transport_slab *slab;

    if (buffers > SIZE_MAX / stride)
        return NULL;
    slab = cb_allocate(1, sizeof(*slab), "a slab of message buffers");
    if (slab == NULL)
        return NULL;
    slab->buffers = cb_allocate(buffers, sizeof(*slab->buffers), "message buffer descriptors");
    slab->memory = cb_allocate_aligned(4096, buffers * stride, "message buffers");
    if (slab->buffers == NULL || slab->memory == NULL)
        goto failed;
    if (user != NULL &&
        user->remember(user->context, slab->memory, buffers * stride, &slab->handle) != CB_OK)
        goto failed;
    slab->user = user;
    return slab;
failed:
    slab_free(slab);
    return NULL;
}

static cb_status add_buffers(transport_pool *pool, size_t buffers)
{
    size_t stride = stride_bytes(pool, pool->capacity);
    transport_slab *slab = slab_create(pool->user, buffers, stride);

    if (slab == NULL) {
        cb_error("cannot make %zu more message buffers of %zu bytes; lower --window or the sizes",
                 buffers, pool->capacity);
        return CB_ERROR_MEMORY;
    }
    for (size_t i = buffers; i-- > 0;) {
        transport_buffer *buffer = &slab->buffers[i];

        *buffer = (transport_buffer){.data = slab->memory + i * stride + pool->prefix_bytes,
                                     .capacity = pool->capacity,
                                     .owner = pool->owner};
        if (slab->user != NULL)
            memcpy(slab->memory + i * stride, &slab->handle, sizeof(slab->handle));
        if (pool->initialise != NULL)
            pool->initialise(buffer->data, pool->content_bytes);
        transport_pool_give(pool, buffer);
    }
    slab->next = pool->slabs;
    pool->slabs = slab;
    return CB_OK;
}

/* Small buffers are added several at a time, so that growing is rare; large ones one at a time. */
cb_status transport_pool_grow(transport_pool *pool)
{
    const size_t most = 16, bytes = 1u << 20;
    size_t fitting = bytes / stride_bytes(pool, pool->capacity);

    return add_buffers(pool, fitting == 0 ? 1 : fitting < most ? fitting : most);
}

void transport_pool_clear(transport_pool *pool)
{
    while (pool->slabs != NULL) {
        transport_slab *slab = pool->slabs;

        pool->slabs = slab->next;
        slab_free(slab);
    }
    *pool = (transport_pool){
        .owner = pool->owner, .prefix_bytes = pool->prefix_bytes, .user = pool->user};
}

cb_status transport_pool_prepare(transport_pool *pool, transport_factory *owner,
                                 const transport_preparation *preparation)
{
    size_t covering = preparation->footprint_bytes / stride_bytes(pool, preparation->message_bytes);
    size_t buffers = preparation->buffers > covering ? preparation->buffers : covering;

    transport_pool_clear(pool);
    *pool = (transport_pool){.owner = owner,
                             .capacity = preparation->message_bytes,
                             .content_bytes = preparation->content_bytes > 0
                                                  ? preparation->content_bytes
                                                  : preparation->message_bytes,
                             .rotate = preparation->rotate,
                             .initialise = preparation->initialise,
                             .prefix_bytes = pool->prefix_bytes,
                             .user = pool->user};
    return add_buffers(pool, buffers > 0 ? buffers : 1);
}

void transport_pool_restore(const transport_pool *pool, const transport_buffer *buffer,
                            size_t bytes)
{
    if (pool->initialise != NULL && bytes > 0)
        pool->initialise(buffer->data, pool->content_bytes);
}
