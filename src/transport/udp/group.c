/* Groups. A receive polls the nodes in turn, starting after the one that had the last message, and
 * reads the socket once per round. A member of a list receives at the socket of that list. */
#include "transport/udp/internal.h"

#include <stdlib.h>

#include "base/memory.h"

cb_status udp_group_create(transport_factory *base, transport_node *const *nodes, size_t count,
                           transport_node *root, bool multicast, transport_group **out)
{
    udp_factory *factory = udp_factory_of(base);
    udp_group *group = cb_allocate(1, sizeof(*group), "a group");
    cb_status status;

    if (group == NULL)
        return CB_ERROR_MEMORY;
    group->fd = -1;
    CB_TRY(transport_group_initialise(&group->base, base, nodes, count, root, multicast));
    status = multicast ? udp_list_open(factory, group) : CB_OK;
    if (status != CB_OK) {
        udp_group_destroy(&group->base);
        return status;
    }
    *out = &group->base;
    return CB_OK;
}

void udp_group_destroy(transport_group *base)
{
    udp_factory *factory = udp_factory_of(base->factory);
    udp_group *group = udp_group_of(base);

    if (base->multicast)
        udp_list_close(factory, group);
    udp_stream_free(factory, &group->incoming);
    free(group->joined);
    free(base->nodes);
    free(base);
}

/* Hot. */
static cb_status take_next(transport_node *node, transport_buffer **out)
{
    return udp_stream_take(udp_factory_of(node->factory), &udp_node_of(node)->incoming, out);
}

/* Hot. */
static cb_status poll_group(transport_group *group, transport_buffer **out, transport_node **from)
{
    cb_status status = transport_group_ask(group, take_next, out, from);

    if (status != CB_EMPTY)
        return status;
    group->turn = 0;
    CB_TRY(udp_read_socket(udp_factory_of(group->factory)));
    return transport_group_ask(group, take_next, out, from);
}

/* Hot. On a timeout, only the user can know which node's message is missing. */
cb_status udp_group_receive(transport_group *base, transport_buffer **out, transport_node **from)
{
    udp_factory *factory = udp_factory_of(base->factory);
    udp_group *group = udp_group_of(base);
    uint64_t since_ns = 0;
    cb_status status;

    while ((status = poll_group(base, out, from)) == CB_EMPTY)
        if (!udp_wait_on(factory, factory->fd, &since_ns)) {
            *from = NULL;
            return udp_count_timeout(factory, &group->silences, "a group of rank",
                                     base->factory->rank);
        }
    group->silences = 0;
    return status;
}

/* Hot. Skips lost messages. */
cb_status udp_group_try_receive(transport_group *base, transport_buffer **out,
                                transport_node **from)
{
    cb_status status;

    do
        status = poll_group(base, out, from);
    while (status == CB_LOST);
    return status;
}

static cb_status read_list(udp_factory *factory, udp_group *group)
{
    transport_buffer *buffer;
    udp_header header;
    cb_status status = udp_take_datagram(factory, group->fd, &header, &buffer);

    if (status != CB_OK)
        return status;
    if (header.kind == UDP_MULTICAST && header.list == group->list &&
        header.rank == (uint32_t)group->base.root->rank) {
        udp_stream_put(factory, &group->incoming, &header, buffer);
    } else {
        transport_pool_give(&factory->pool, buffer);
        factory->counters[UDP_UNEXPECTED]++;
    }
    return CB_OK;
}

/* Hot. */
static cb_status poll_list(udp_factory *factory, udp_group *group, transport_buffer **out)
{
    for (;;) {
        cb_status status = udp_stream_take(factory, &group->incoming, out);

        if (status != CB_EMPTY)
            return status;
        CB_TRY(read_list(factory, group));
    }
}

/* Hot. */
cb_status udp_group_receive_root(transport_group *base, transport_buffer **out)
{
    udp_factory *factory = udp_factory_of(base->factory);
    udp_group *group = udp_group_of(base);
    uint64_t since_ns = 0;
    cb_status status;

    if (!base->multicast)
        return udp_receive(base->root, out);
    while ((status = poll_list(factory, group, out)) == CB_EMPTY)
        if (!udp_wait_on(factory, group->fd, &since_ns)) {
            udp_stream_give_up(factory, &group->incoming);
            return udp_count_timeout(factory, &group->incoming.silences, "the multicasting rank",
                                     base->root->rank);
        }
    return status;
}

/* Hot. Skips lost messages. */
cb_status udp_group_try_receive_root(transport_group *base, transport_buffer **out)
{
    cb_status status;

    if (!base->multicast)
        return udp_try_receive(base->root, out);
    do
        status = poll_list(udp_factory_of(base->factory), udp_group_of(base), out);
    while (status == CB_LOST);
    return status;
}
