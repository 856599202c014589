/* The technology null: a send releases its buffer, a receive returns at once a buffer of the
 * announced size. It measures the cost of the harness; no data is transferred. */
#include <stdlib.h>

#include "base/memory.h"
#include "transport/buffer.h"
#include "transport/transport.h"

typedef struct {
    transport_factory base;
    transport_pool pool;
} null_factory;

static null_factory *factory_of(transport_factory *factory)
{
    return (null_factory *)factory;
}

static cb_status null_open(const transport_bootstrap *bootstrap, transport_factory **out)
{
    null_factory *factory = cb_allocate(1, sizeof(*factory), "the null technology");

    (void)bootstrap;
    if (factory == NULL)
        return CB_ERROR_MEMORY;
    factory->base.pool = &factory->pool;
    *out = &factory->base;
    return CB_OK;
}

static cb_status null_close(transport_factory *base)
{
    transport_pool_clear(&factory_of(base)->pool);
    free(base);
    return CB_OK;
}

static cb_status null_prepare(transport_factory *base, const transport_preparation *preparation)
{
    return transport_pool_prepare(&factory_of(base)->pool, base, preparation);
}

static cb_status null_node_create(transport_factory *base, int rank, transport_node **out)
{
    transport_node *node = cb_allocate(1, sizeof(*node), "a node");

    if (node == NULL)
        return CB_ERROR_MEMORY;
    *node = (transport_node){.ops = &base->ops, .factory = base, .rank = rank};
    *out = node;
    return CB_OK;
}

static void null_node_destroy(transport_node *node)
{
    free(node);
}

static cb_status null_send(transport_node *node, transport_buffer *buffer)
{
    (void)node;
    transport_buffer_release(buffer);
    return CB_OK;
}

static cb_status give_buffer(transport_factory *base, transport_buffer **out)
{
    *out = transport_buffer_create(base, factory_of(base)->pool.capacity);
    return *out != NULL ? CB_OK : CB_ERROR_MEMORY;
}

static cb_status null_receive(transport_node *node, transport_buffer **out)
{
    return give_buffer(node->factory, out);
}

static cb_status null_group_send(transport_group *group, transport_buffer *buffer)
{
    (void)group;
    transport_buffer_release(buffer);
    return CB_OK;
}

static cb_status null_group_receive(transport_group *group, transport_buffer **out,
                                    transport_node **from)
{
    if (group->turn >= group->count)
        group->turn = 0;
    *from = group->nodes[group->turn++];
    return null_receive(*from, out);
}

/* A member need not know the other members: its group may have no node. */
static cb_status null_group_receive_root(transport_group *group, transport_buffer **out)
{
    return give_buffer(group->factory, out);
}

const transport_technology transport_null = {
    .name = "null",
    .summary = "nothing: the cost of the harness itself",
    .capabilities = TRANSPORT_ORDERED | TRANSPORT_RELIABLE | TRANSPORT_MULTICAST,
    .open = null_open,
    .close = null_close,
    .prepare = null_prepare,
    .node_create = null_node_create,
    .node_destroy = null_node_destroy,
    .send = null_send,
    .receive = null_receive,
    .try_receive = null_receive,
    .group_send = null_group_send,
    .group_receive = null_group_receive,
    .group_try_receive = null_group_receive,
    .group_receive_root = null_group_receive_root,
    .group_try_receive_root = null_group_receive_root,
};
