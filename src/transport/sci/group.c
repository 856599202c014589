/* Groups: a receive is a loop of receives that starts behind the node that gave the last message.
 */
#include "transport/sci/internal.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "transport/group.h"

cb_status sci_group_create(transport_factory *base, transport_node *const *nodes, size_t count,
                           transport_node *root, bool multicast, transport_group **out)
{
    sci_group *group;
    cb_status status;

    if (multicast && (base->ops.capabilities & TRANSPORT_MULTICAST) == 0) {
        cb_error("cannot make a multicast group over sci: an SCI adapter of the job has no "
                 "multicast; use --multicast loop");
        return CB_ERROR_UNSUPPORTED;
    }
    group = cb_allocate(1, sizeof(*group), "a group");
    if (group == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(transport_group_initialise(&group->base, base, nodes, count, root, multicast));
    status = multicast ? sci_multicast_begin(group) : CB_OK;
    if (status != CB_OK)
        sci_group_destroy(&group->base);
    else
        *out = &group->base;
    return status;
}

void sci_group_destroy(transport_group *group)
{
    if (group->multicast)
        sci_multicast_end(sci_group_of(group));
    free(group->nodes);
    free(group);
}

/* Hot. */
cb_status sci_group_try_receive(transport_group *base, transport_buffer **out,
                                transport_node **from)
{
    sci_group *group = sci_group_of(base);
    size_t at = group->turn < base->count ? group->turn : 0;

    for (size_t i = 0; i < base->count; i++) {
        transport_node *node = base->nodes[at];
        cb_status status = sci_try_receive(node, out);

        at = at + 1 == base->count ? 0 : at + 1;
        if (status == CB_EMPTY)
            continue;
        group->turn = at;
        *from = node;
        return status;
    }
    return CB_EMPTY;
}

/* Hot. */
cb_status sci_group_receive(transport_group *base, transport_buffer **out, transport_node **from)
{
    sci_factory *factory = sci_factory_of(base->factory);
    cb_status status;

    for (uint64_t polls = 0; (status = sci_group_try_receive(base, out, from)) == CB_EMPTY; polls++)
        CB_TRY(sci_pause(factory, polls));
    return status;
}

/* Hot. */
cb_status sci_group_try_receive_root(transport_group *group, transport_buffer **out)
{
    return group->multicast ? sci_try_receive_multicast(sci_group_of(group), out)
                            : sci_try_receive(group->root, out);
}

/* Hot. */
cb_status sci_group_receive_root(transport_group *group, transport_buffer **out)
{
    sci_factory *factory = sci_factory_of(group->factory);
    cb_status status;

    for (uint64_t polls = 0; (status = sci_group_try_receive_root(group, out)) == CB_EMPTY; polls++)
        CB_TRY(sci_pause(factory, polls));
    return status;
}
