/* Groups: a send is a loop of sends. A receive goes round the nodes, beginning behind the one that
 * gave the last message, and asks the kernel once a round which connections have news. */
#include "transport/tcp/internal.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "transport/group.h"

typedef struct {
    transport_group base;
    size_t turn; /* the node to be asked first */
} tcp_group;

cb_status tcp_group_create(transport_factory *base, transport_node *const *nodes, size_t count,
                           transport_node *root, bool multicast, transport_group **out)
{
    tcp_group *group;

    if (multicast) {
        cb_error("the technology tcp has no multicast of its own; use --multicast loop");
        return CB_ERROR_UNSUPPORTED;
    }
    group = cb_allocate(1, sizeof(*group), "a group");
    if (group == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(transport_group_initialise(&group->base, base, nodes, count, root, false));
    *out = &group->base;
    return CB_OK;
}

void tcp_group_destroy(transport_group *group)
{
    free(group->nodes);
    free(group);
}

/* Hot. The nodes from the turn on, up to the end of the list. */
static cb_status ask_to_the_end(tcp_group *group, transport_buffer **out, transport_node **from)
{
    while (group->turn < group->base.count) {
        transport_node *node = group->base.nodes[group->turn++];
        cb_status status = CB_EMPTY;

        if (tcp_node_of(node)->fd >= 0)
            status = tcp_poll(tcp_node_of(node), false, out);
        *from = node;
        if (status != CB_EMPTY)
            return status;
    }
    return CB_EMPTY;
}

/* Only a group of which nobody can send any more waits for nothing. */
static cb_status check_anybody_left(const transport_group *group)
{
    tcp_node *node = NULL;

    for (size_t i = 0; i < group->count; i++) {
        node = tcp_node_of(group->nodes[i]);
        if (!node->receiving.said_goodbye)
            return CB_EMPTY;
    }
    return node == NULL ? CB_EMPTY : tcp_lose(node, "receive from", 0);
}

/* Hot. */
cb_status tcp_group_try_receive(transport_group *base, transport_buffer **out,
                                transport_node **from)
{
    tcp_factory *factory = tcp_factory_of(base->factory);
    tcp_group *group = (tcp_group *)base;
    cb_status status;

    if (__builtin_expect(tcp_has_queued(factory), 0))
        CB_TRY(tcp_flush_queues(factory));
    status = ask_to_the_end(group, out, from);
    if (status != CB_EMPTY)
        return status;
    group->turn = 0;
    tcp_note_events(factory, 0);
    status = ask_to_the_end(group, out, from);
    if (status != CB_EMPTY)
        return status;
    return check_anybody_left(base);
}

/* Hot. */
cb_status tcp_group_receive(transport_group *base, transport_buffer **out, transport_node **from)
{
    tcp_factory *factory = tcp_factory_of(base->factory);
    cb_status status;

    for (uint64_t polls = 0; (status = tcp_group_try_receive(base, out, from)) == CB_EMPTY; polls++)
        tcp_pause(factory, polls);
    return status;
}

cb_status tcp_group_receive_root(transport_group *group, transport_buffer **out)
{
    return tcp_receive(group->root, out);
}

cb_status tcp_group_try_receive_root(transport_group *group, transport_buffer **out)
{
    return tcp_try_receive(group->root, out);
}
