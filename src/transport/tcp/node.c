/* Nodes: the connections to the other ranks, made at open and kept until close, so that what is
 * queued or on its way outlives a node. */
#include "transport/tcp/internal.h"

#include <string.h>

#include "base/log.h"

cb_status tcp_node_create(transport_factory *base, int rank, transport_node **out)
{
    tcp_factory *factory = tcp_factory_of(base);
    const bool exists = rank >= 0 && rank < base->size;

    if (!exists || factory->nodes[rank].in_use) {
        cb_error("cannot make a node for rank %d: %s", rank,
                 exists ? "it has one already" : "there is no such rank");
        return CB_ERROR_TRANSPORT;
    }
    factory->nodes[rank].in_use = true;
    factory->nodes[rank].base = (transport_node){.ops = &base->ops, .factory = base, .rank = rank};
    *out = &factory->nodes[rank].base;
    return CB_OK;
}

void tcp_node_destroy(transport_node *node)
{
    tcp_node_of(node)->in_use = false;
}

/* Sending and receiving threads may find it at one time: the first reports. */
__attribute__((cold)) cb_status tcp_lose(tcp_node *node, const char *attempt, int cause)
{
    char text[SOCKET_TEXT_BYTES];
    cb_status whole = CB_OK;

    if (__atomic_compare_exchange_n(&node->lost, &whole, CB_ERROR_TRANSPORT, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        cb_error("cannot %s rank %d over tcp at %s: %s; see what that rank says, and whether its "
                 "host is there",
                 attempt, node->base.rank, socket_text(&node->address, text),
                 cause != 0 ? strerror(cause) : "its end of the connection was closed");
    return CB_ERROR_TRANSPORT;
}
