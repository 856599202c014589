/* Sending: a datagram for each message. */
#include "transport/udp/internal.h"

#include "base/log.h"

static cb_status report_send_to_itself(const transport_node *node)
{
    cb_error("cannot send to rank %d over udp: it is this process; send to another", node->rank);
    return transport_noted(node->factory, CB_ERROR_TRANSPORT);
}

static void put_message(udp_factory *factory, udp_node *node, const transport_buffer *buffer)
{
    const udp_header header = {.kind = UDP_MESSAGE,
                               .rank = (uint32_t)factory->base.rank,
                               .epoch = factory->epoch,
                               .number = node->sent++};

    udp_put_datagram(factory, &node->address, (uint32_t)node->base.rank, &header, buffer);
}

/* Hot. */
cb_status udp_send(transport_node *base, transport_buffer *buffer)
{
    udp_factory *factory = udp_factory_of(base->factory);
    const bool to_itself = base->rank == factory->base.rank;

    if (__builtin_expect(!to_itself, 1))
        put_message(factory, udp_node_of(base), buffer);
    transport_buffer_release(buffer);
    return to_itself ? report_send_to_itself(base) : CB_OK;
}

static cb_status put_to_each(udp_factory *factory, const transport_group *group,
                             const transport_buffer *buffer)
{
    cb_status status = CB_OK;

    for (size_t i = 0; i < group->count; i++)
        if (group->nodes[i]->rank == factory->base.rank)
            status = report_send_to_itself(group->nodes[i]);
        else
            put_message(factory, udp_node_of(group->nodes[i]), buffer);
    return status;
}

/* Hot. */
cb_status udp_group_send(transport_group *base, transport_buffer *buffer)
{
    udp_factory *factory = udp_factory_of(base->factory);
    udp_group *group = udp_group_of(base);
    cb_status status = CB_OK;

    if (base->multicast) {
        const udp_header header = {.kind = UDP_MULTICAST,
                                   .rank = (uint32_t)factory->base.rank,
                                   .epoch = factory->epoch,
                                   .number = group->sent++,
                                   .list = group->list};

        udp_put_datagram(factory, &group->address, UINT32_MAX, &header, buffer);
    } else {
        status = put_to_each(factory, base, buffer);
    }
    transport_buffer_release(buffer);
    return status;
}
