/* The common part of a group: its own list of nodes, fixed for a static group, growing and
 * shrinking for a dynamic one. */
#include "transport/group.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"

cb_status transport_group_initialise(transport_group *group, transport_factory *factory,
                                     transport_node *const *nodes, size_t count,
                                     transport_node *root, bool multicast)
{
    group->nodes =
        cb_allocate((size_t)factory->size, sizeof(*group->nodes), "the nodes of a group");
    if (group->nodes == NULL) {
        free(group);
        return CB_ERROR_MEMORY;
    }
    if (count > 0)
        memcpy(group->nodes, nodes, count * sizeof(*group->nodes));
    group->ops = &factory->ops;
    group->factory = factory;
    group->count = count;
    group->version = 1;
    group->root = root;
    group->multicast = multicast;
    return CB_OK;
}

static size_t position(const transport_group *group, const transport_node *node)
{
    size_t i = 0;

    while (i < group->count && group->nodes[i] != node)
        i++;
    return i;
}

static cb_status refuse(const char *attempt, const transport_node *node, const char *cause)
{
    cb_error("cannot %s node %d: %s", attempt, node->rank, cause);
    return CB_ERROR_USAGE;
}

cb_status transport_group_add(transport_group *group, transport_node *node)
{
    if (group->multicast)
        return refuse("add to a group", node, "the group is static; make a new one");
    if (position(group, node) < group->count)
        return refuse("add to a group", node, "it is a member already");
    group->nodes[group->count++] = node;
    group->version++;
    return CB_OK;
}

cb_status transport_group_remove(transport_group *group, transport_node *node)
{
    size_t found = position(group, node);

    if (group->multicast)
        return refuse("remove from a group", node, "the group is static; make a new one");
    if (found == group->count)
        return refuse("remove from a group", node, "it is not a member");
    group->count--;
    memmove(&group->nodes[found], &group->nodes[found + 1],
            (group->count - found) * sizeof(*group->nodes));
    group->version++;
    return CB_OK;
}
