/* Buffers. Send buffers come from a pool or from the heap, receive buffers are parts of the
 * segment. A received buffer can be sent on, so both kinds have the same release. */
#include "transport/sci/internal.h"

#include <stdlib.h>

#include "base/memory.h"

static bool is_receive_buffer(const sci_factory *factory, const transport_buffer *buffer)
{
    return buffer >= factory->receive_buffers &&
           buffer < factory->receive_buffers + factory->receive_count;
}

/* Receive buffers */

static inline void give_receive_buffer(sci_factory *factory, uint32_t number)
{
    uint32_t count = factory->receive_count, at;

    if (factory->preparation.rotate) {
        at = factory->free_first + factory->free_count;
    } else {
        at = factory->free_first + count - 1;
        factory->free_first = at < count ? at : at - count;
    }
    factory->free_ring[at < count ? at : at - count] = number;
    factory->free_count++;
}

cb_status sci_buffers_open(sci_factory *factory)
{
    const sci_settings *sci = sci_settings_of(factory->settings, (size_t)factory->base.rank);
    unsigned char *first = factory->segment.address + sci->header_area_size + sci->inline_area_size;

    factory->heap = !sci->use_send_pool;
    factory->pool.owner = &factory->base;
    factory->receive_buffers = cb_allocate((size_t)sci->recv_buffer_no,
                                           sizeof(*factory->receive_buffers), "receive buffers");
    factory->free_ring = cb_allocate((size_t)sci->recv_buffer_no, sizeof(*factory->free_ring),
                                     "the free receive buffers");
    if (factory->receive_buffers == NULL || factory->free_ring == NULL)
        return CB_ERROR_MEMORY;
    factory->receive_count = (uint32_t)sci->recv_buffer_no;
    for (uint32_t i = 0; i < factory->receive_count; i++) {
        factory->receive_buffers[i] = (transport_buffer){.data = first + i * sci->recv_buffer_size,
                                                         .capacity = (size_t)sci->recv_buffer_size,
                                                         .owner = &factory->base};
        factory->free_ring[i] = i;
    }
    factory->free_count = factory->receive_count;
    return CB_OK;
}

void sci_buffers_close(sci_factory *factory)
{
    transport_pool_clear(&factory->pool);
    free(factory->free_ring);
    free(factory->receive_buffers);
}

/* Send buffers */

/* Not filled, since this is timed. One byte of each page is written, as the first byte of any
 * content would be: a page that was only read is the kernel's page of zeros, which is always in the
 * cache. */
__attribute__((noinline)) static transport_buffer *make_on_heap(sci_factory *factory)
{
    const size_t page_bytes = 4096, capacity = factory->preparation.message_bytes;
    transport_buffer *buffer = cb_allocate_unset(
        CB_CACHE_LINE, CB_CACHE_LINE + capacity + CB_CACHE_LINE, "a message buffer");
    unsigned char *data = (unsigned char *)buffer + CB_CACHE_LINE;

    if (buffer == NULL)
        return NULL;
    *buffer = (transport_buffer){.data = data, .capacity = capacity, .owner = &factory->base};
    for (size_t at = 0; at < capacity; at += page_bytes)
        data[at] = 0;
    return buffer;
}

/* Hot. */
static inline transport_buffer *create(sci_factory *factory, size_t size)
{
    transport_buffer *buffer =
        factory->heap ? make_on_heap(factory) : transport_pool_take(&factory->pool);

    if (buffer != NULL)
        buffer->size = size;
    return buffer;
}

transport_buffer *sci_create_locked(sci_factory *factory, size_t size)
{
    return create(factory, size);
}

/* Hot. */
static inline void give_back(sci_factory *factory, transport_buffer *buffer)
{
    if (is_receive_buffer(factory, buffer))
        give_receive_buffer(factory, (uint32_t)(buffer - factory->receive_buffers));
    else if (factory->heap)
        free(buffer);
    else
        transport_pool_give(&factory->pool, buffer);
}

void sci_give_back_locked(sci_factory *factory, transport_buffer *buffer)
{
    give_back(factory, buffer);
}

void sci_give_back(sci_factory *factory, transport_buffer *buffer)
{
    if (buffer == NULL)
        return;
    sci_lock(factory);
    give_back(factory, buffer);
    sci_unlock(factory);
}

/* Hot. */
transport_buffer *sci_buffer_create(transport_factory *base, size_t size)
{
    sci_factory *factory = sci_factory_of(base);
    transport_buffer *buffer;

    sci_lock(factory);
    buffer = create(factory, size);
    base->held += buffer != NULL;
    sci_unlock(factory);
    if (__builtin_expect(buffer == NULL, 0))
        (void)transport_noted(base, CB_ERROR_MEMORY);
    return buffer;
}

/* Hot. With several senders this may run in any thread; the receiving thread then gives the credits
 * that waited for the buffer at its next empty poll. */
void sci_buffer_release(transport_buffer *buffer)
{
    sci_factory *factory = sci_factory_of(buffer->owner);

    sci_lock(factory);
    factory->base.held--;
    give_back(factory, buffer);
    sci_unlock(factory);
    if (!factory->lock.used && factory->starved > 0)
        (void)sci_relieve(factory);
}
