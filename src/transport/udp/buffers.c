/* A preparation remakes the pool of buffers, and begins a new epoch. */
#include "transport/udp/internal.h"

#include "base/log.h"

/* What is left in a socket is of messages that nobody waits for any more. */
static cb_status drain(udp_factory *factory, int fd)
{
    transport_buffer *buffer;
    udp_header header;
    cb_status status;

    while ((status = udp_take_datagram(factory, fd, &header, &buffer)) == CB_OK) {
        transport_pool_give(&factory->pool, buffer);
        if (header.kind == UDP_JOINED || header.kind == UDP_WELCOME)
            udp_list_hear(factory, &header);
        else
            factory->base.datagrams.late++;
    }
    return status == CB_EMPTY ? CB_OK : status;
}

static cb_status begin_epoch(udp_factory *factory)
{
    CB_TRY(drain(factory, factory->fd));
    for (int rank = 0; rank < factory->base.size; rank++) {
        udp_stream_restart(factory, &factory->nodes[rank].incoming);
        factory->nodes[rank].sent = 0;
    }
    for (udp_group *group = factory->groups; group != NULL; group = group->next) {
        if (group->fd >= 0)
            CB_TRY(drain(factory, group->fd));
        udp_stream_restart(factory, &group->incoming);
        group->sent = 0;
    }
    factory->epoch++;
    return CB_OK;
}

cb_status udp_prepare(transport_factory *base, const transport_preparation *preparation)
{
    udp_factory *factory = udp_factory_of(base);

    if (preparation->message_bytes > base->largest_message) {
        cb_error("cannot send messages of %zu bytes over udp: a datagram on the path between the "
                 "ranks takes %zu; lower --sizes, or let IP cut datagrams (fragment = 1 in the "
                 "Context UDP)",
                 preparation->message_bytes, base->largest_message);
        return CB_ERROR_UNSUPPORTED;
    }
    CB_TRY(begin_epoch(factory));
    if (factory->spare != NULL)
        transport_pool_give(&factory->pool, factory->spare);
    factory->spare = NULL;
    return transport_pool_prepare(&factory->pool, base, preparation);
}
