/* Buffers: those to send come from a pool, which the library knows; received ones are slots, or
 * come from the pool if pieces were put together. Any of them may be sent. */
#include "transport/remote/internal.h"

/* The buffers of the two pools differ by their capacity: there are pieces only of messages that are
 * longer. */
void remote_give_back(remote_factory *factory, transport_buffer *buffer)
{
    if (remote_is_slot(factory, buffer))
        remote_release_slot(factory, remote_slot_of(buffer));
    else
        transport_pool_give(
            buffer->capacity == factory->pool.capacity ? &factory->pool : &factory->pieces, buffer);
}

/* Hot. */
transport_buffer *remote_buffer_create(transport_factory *base, size_t size)
{
    remote_factory *factory = remote_factory_of(base);
    transport_buffer *buffer;

    transport_lock_take(&factory->lock);
    buffer = transport_pool_take(&factory->pool);
    if (__builtin_expect(buffer != NULL, 1)) {
        buffer->size = size;
        base->held++;
    }
    transport_lock_give(&factory->lock);
    if (__builtin_expect(buffer == NULL, 0))
        (void)transport_noted(base, CB_ERROR_MEMORY);
    return buffer;
}

/* Hot. An error in sending a grant is found again by the next transfer. */
void remote_buffer_release(transport_buffer *buffer)
{
    remote_factory *factory = remote_factory_of(buffer->owner);

    transport_lock_take(&factory->lock);
    factory->base.held--;
    remote_give_back(factory, buffer);
    if (__builtin_expect(factory->indebted > 0, 0) && remote_is_slot(factory, buffer))
        (void)remote_pay(factory, remote_source_of(factory, remote_slot_of(buffer)), false);
    transport_lock_give(&factory->lock);
}

void remote_sent(remote_factory *factory, transport_buffer *buffer)
{
    factory->in_flight--;
    remote_give_back(factory, buffer);
}
