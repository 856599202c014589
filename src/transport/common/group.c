/* The common part of a group: its own list of nodes, fixed in a static group, changing in a dynamic
 * one; plain groups; groups named in the configuration. */
#include "transport/common/group.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/memory.h"
#include "transport/common/technology.h"

cb_status transport_group_initialise(transport_group *group, transport_factory *factory,
                                     transport_node *const *nodes, size_t count,
                                     transport_node *root, bool multicast)
{
    group->nodes = cb_allocate(count, sizeof(*group->nodes), "the nodes of a group");
    if (group->nodes == NULL) {
        free(group);
        return CB_ERROR_MEMORY;
    }
    if (count > 0)
        memcpy(group->nodes, nodes, count * sizeof(*group->nodes));
    group->ops = &factory->ops;
    group->factory = factory;
    group->count = group->room = count;
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

static cb_status report_group_error(const char *attempt, const transport_node *node,
                                    const char *cause)
{
    cb_error("cannot %s node %d: %s", attempt, node->rank, cause);
    return CB_ERROR_USAGE;
}

/* Whether a group of the factory may have the node; otherwise logged. */
static cb_status check_factory(const transport_factory *factory, const transport_node *node)
{
    if (node->factory == factory)
        return CB_OK;
    cb_error("cannot make node %d of another factory (technology %s) a member of a group over %s: "
             "create the node with the factory of the group",
             node->rank, node->factory->ops.name, factory->ops.name);
    return CB_ERROR_USAGE;
}

static cb_status create_group(transport_factory *factory, transport_node *const *nodes,
                              size_t count, transport_node *root, bool multicast,
                              transport_group **out)
{
    for (size_t i = 0; i < count; i++)
        CB_TRY(check_factory(factory, nodes[i]));
    if (root != NULL)
        CB_TRY(check_factory(factory, root));
    return factory->ops.group_create(factory, nodes, count, root, multicast, out);
}

cb_status transport_group_create(transport_factory *factory, transport_node *const *nodes,
                                 size_t count, transport_node *root, bool multicast,
                                 transport_group **out)
{
    return transport_noted(factory, create_group(factory, nodes, count, root, multicast, out));
}

static cb_status add_node(transport_group *group, transport_node *node)
{
    transport_node **grown;

    CB_TRY(check_factory(group->factory, node));
    if (group->multicast)
        return report_group_error("add to a group", node, "the group is static; make a new one");
    if (position(group, node) < group->count)
        return report_group_error("add to a group", node, "it is already a member");
    grown = cb_grow(group->nodes, group->count, &group->room, sizeof(*grown));
    if (grown == NULL) {
        (void)report_group_error("add to a group", node, "out of memory; free memory on this host");
        return CB_ERROR_MEMORY;
    }
    group->nodes = grown;
    group->nodes[group->count++] = node;
    group->version++;
    return CB_OK;
}

cb_status transport_group_add(transport_group *group, transport_node *node)
{
    return transport_noted(group->factory, add_node(group, node));
}

static cb_status remove_node(transport_group *group, transport_node *node)
{
    size_t found = position(group, node);

    if (group->multicast)
        return report_group_error("remove from a group", node,
                                  "the group is static; make a new one");
    if (found == group->count)
        return report_group_error("remove from a group", node, "it is not a member");
    group->count--;
    memmove(&group->nodes[found], &group->nodes[found + 1],
            (group->count - found) * sizeof(*group->nodes));
    group->version++;
    return CB_OK;
}

cb_status transport_group_remove(transport_group *group, transport_node *node)
{
    return transport_noted(group->factory, remove_node(group, node));
}

/* Plain groups */

cb_status transport_plain_create(transport_factory *factory, transport_node *const *nodes,
                                 size_t count, transport_node *root, bool multicast,
                                 transport_group **out)
{
    transport_group *group;

    if (multicast && (factory->ops.capabilities & TRANSPORT_MULTICAST) == 0) {
        cb_error("the technology %s has no multicast of its own; use --multicast loop",
                 factory->ops.name);
        return CB_ERROR_UNSUPPORTED;
    }
    group = cb_allocate(1, sizeof(*group), "a group");
    if (group == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(transport_group_initialise(group, factory, nodes, count, root, multicast));
    *out = group;
    return CB_OK;
}

void transport_plain_destroy(transport_group *group)
{
    free(group->nodes);
    free(group);
}

cb_status transport_plain_send(transport_group *group, transport_buffer *buffer)
{
    cb_status first = CB_OK;

    for (size_t i = 0; i + 1 < group->count; i++) {
        transport_buffer *copy = transport_buffer_create(group->factory, buffer->size);
        cb_status status = CB_ERROR_MEMORY;

        if (copy != NULL) {
            memcpy(copy->data, buffer->data, buffer->size);
            status = transport_send(group->nodes[i], copy);
        }
        first = first == CB_OK ? status : first;
    }
    if (group->count > 0) {
        cb_status status = transport_send(group->nodes[group->count - 1], buffer);

        return first == CB_OK ? status : first;
    }
    transport_buffer_release(buffer);
    return CB_OK;
}

/* Ask from the turn to the end, then from the start to the end, so that no node is left out. */
cb_status transport_plain_try_receive(transport_group *group, transport_buffer **out,
                                      transport_node **from)
{
    cb_status status = transport_group_ask(group, group->ops->try_receive, out, from);

    if (status != CB_EMPTY)
        return status;
    group->turn = 0;
    return transport_group_ask(group, group->ops->try_receive, out, from);
}

cb_status transport_plain_receive(transport_group *group, transport_buffer **out,
                                  transport_node **from)
{
    cb_status status;

    for (uint64_t polls = 0; (status = group->ops->group_try_receive(group, out, from)) == CB_EMPTY;
         polls++)
        transport_pause(group->factory->wait, polls);
    return status;
}

cb_status transport_plain_receive_root(transport_group *group, transport_buffer **out)
{
    return transport_receive(group->root, out);
}

cb_status transport_plain_try_receive_root(transport_group *group, transport_buffer **out)
{
    return transport_try_receive(group->root, out);
}

/* Named groups */

static cb_status find_group(const transport_factory *factory, const char *name,
                            const cb_group_settings **out)
{
    const cb_settings *settings = factory->settings;
    const cb_group_settings *group = settings != NULL ? cb_settings_group(settings, name) : NULL;

    if (group == NULL) {
        cb_error("cannot make the group '%s': %s", name,
                 settings != NULL && settings->configured
                     ? "network.conf has no group of that name; add it, or name another"
                     : "groups have their names in network.conf, but the job was started without "
                       "configuration files; use --config");
        return CB_ERROR_USAGE;
    }
    for (size_t i = 0; i < group->count; i++)
        if (group->members[i] >= (size_t)factory->size) {
            cb_error("cannot make the group '%s': a member is the node of rank %zu, but the job "
                     "has %d ranks; start more, or remove the member from network.conf",
                     name, group->members[i], factory->size);
            return CB_ERROR_USAGE;
        }
    *out = group;
    return CB_OK;
}

/* The nodes of the members, in `members`; created if they do not exist. */
static cb_status find_nodes(transport_factory *factory, const cb_group_settings *group,
                            transport_node **nodes, bool with_itself, transport_node **members,
                            size_t *count)
{
    for (size_t i = 0; i < group->count; i++) {
        const size_t rank = group->members[i];

        if (!with_itself && rank == (size_t)factory->rank)
            continue;
        if (nodes[rank] == NULL)
            CB_TRY(transport_node_create(factory, (int)rank, &nodes[rank]));
        members[(*count)++] = nodes[rank];
    }
    return CB_OK;
}

static cb_status create_named(transport_factory *factory, const char *name, transport_node **nodes,
                              transport_node *root, bool multicast, transport_group **out)
{
    const cb_group_settings *group;
    transport_node **members;
    size_t count = 0;
    cb_status status;

    CB_TRY(find_group(factory, name, &group));
    members = cb_allocate(group->count, sizeof(*members), "the members of a group");
    if (members == NULL)
        return CB_ERROR_MEMORY;
    status = find_nodes(factory, group, nodes, multicast, members, &count);
    if (status == CB_OK)
        status = transport_group_create(factory, members, count, root, multicast, out);
    free(members);
    return status;
}

cb_status transport_group_create_named(transport_factory *factory, const char *name,
                                       transport_node **nodes, transport_node *root, bool multicast,
                                       transport_group **out)
{
    return transport_noted(factory, create_named(factory, name, nodes, root, multicast, out));
}
