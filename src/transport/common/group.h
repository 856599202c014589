/* The common part of every group, and the operations of a plain group, which uses those of its
 * nodes. */
#ifndef TRANSPORT_COMMON_GROUP_H
#define TRANSPORT_COMMON_GROUP_H

#include "transport/transport.h"

/* Set up the common part of a zeroed group, with a copy of `nodes`. On failure the group is freed.
 */
cb_status transport_group_initialise(transport_group *group, transport_factory *factory,
                                     transport_node *const *nodes, size_t count,
                                     transport_node *root, bool multicast);

/* Hot. Ask the nodes from the turn to the end of the list for a message; `ask` returns CB_EMPTY if
 * a node has none. The next search begins after the node that had one, which makes receiving fair;
 * a caller that found nothing sets the turn to 0. */
static inline cb_status transport_group_ask(transport_group *group,
                                            cb_status (*ask)(transport_node *node,
                                                             transport_buffer **out),
                                            transport_buffer **out, transport_node **from)
{
    while (group->turn < group->count) {
        transport_node *node = group->nodes[group->turn++];
        cb_status status = ask(node, out);

        *from = node;
        if (status != CB_EMPTY)
            return status;
    }
    return CB_EMPTY;
}

/* Operations of a plain group, for the slots of transport_technology. A send is a loop of sends, of
 * copies except for the last; a receive polls the nodes in turn by try_receive. No multicast. */
cb_status transport_plain_create(transport_factory *factory, transport_node *const *nodes,
                                 size_t count, transport_node *root, bool multicast,
                                 transport_group **out);
void transport_plain_destroy(transport_group *group);
cb_status transport_plain_send(transport_group *group, transport_buffer *buffer);
cb_status transport_plain_receive(transport_group *group, transport_buffer **out,
                                  transport_node **from);
cb_status transport_plain_try_receive(transport_group *group, transport_buffer **out,
                                      transport_node **from);
cb_status transport_plain_receive_root(transport_group *group, transport_buffer **out);
cb_status transport_plain_try_receive_root(transport_group *group, transport_buffer **out);

#endif
