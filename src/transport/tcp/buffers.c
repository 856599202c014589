/* Buffers come from the common pool, for sending and for receiving alike. */
#include "transport/tcp/internal.h"

#include "base/log.h"

void tcp_give_back(tcp_factory *factory, transport_buffer *buffer)
{
    transport_pool_give(&factory->pool, buffer);
}

/* Hot. */
transport_buffer *tcp_buffer_create(transport_factory *base, size_t size)
{
    tcp_factory *factory = tcp_factory_of(base);
    transport_buffer *buffer;

    tcp_lock(factory);
    buffer = transport_pool_take(&factory->pool);
    if (buffer != NULL) {
        buffer->size = size;
        base->held++;
    }
    tcp_unlock(factory);
    return buffer;
}

/* Hot. */
void tcp_buffer_release(transport_buffer *buffer)
{
    tcp_factory *factory = tcp_factory_of(buffer->owner);

    tcp_lock(factory);
    factory->base.held--;
    transport_pool_give(&factory->pool, buffer);
    tcp_unlock(factory);
}

/* Whole messages that wait in the staging area or in the kernel are no part of the pool; one that
 * has arrived in part is. */
static cb_status check_idle(const tcp_factory *factory)
{
    for (int rank = 0; rank < factory->base.size; rank++)
        if (factory->nodes[rank].receiving.incoming != NULL) {
            cb_error("cannot announce messages over tcp while one of rank %d is arriving: receive "
                     "it before; this is a defect of the program",
                     rank);
            return CB_ERROR_TRANSPORT;
        }
    return CB_OK;
}

cb_status tcp_prepare(transport_factory *base, const transport_preparation *preparation)
{
    tcp_factory *factory = tcp_factory_of(base);

    if (preparation->message_bytes >= TCP_GOODBYE) {
        cb_error("cannot send messages of %zu bytes over tcp: the largest is %u; lower --sizes",
                 preparation->message_bytes, (unsigned)TCP_GOODBYE - 1);
        return CB_ERROR_UNSUPPORTED;
    }
    CB_TRY(tcp_flush(base));
    CB_TRY(check_idle(factory));
    return transport_pool_prepare(&factory->pool, base, preparation);
}
