/* Groups: a send is a loop of sends, a receive a loop of receives that starts behind the node that
 * gave the last message. */
#include "transport/sci/internal.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "transport/group.h"

typedef struct {
    transport_group base;
    size_t turn; /* the node to be asked first */
} sci_group;

cb_status sci_group_create(transport_factory *base, transport_node *const *nodes, size_t count,
                           transport_node *root, bool multicast, transport_group **out)
{
    sci_group *group;

    if (multicast) {
        cb_error("the technology sci has no multicast of its own; use --multicast loop");
        return CB_ERROR_UNSUPPORTED;
    }
    group = cb_allocate(1, sizeof(*group), "a group");
    if (group == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(transport_group_initialise(&group->base, base, nodes, count, root, false));
    *out = &group->base;
    return CB_OK;
}

void sci_group_destroy(transport_group *group)
{
    free(group->nodes);
    free(group);
}

/* Hot. */
cb_status sci_group_try_receive(transport_group *base, transport_buffer **out,
                                transport_node **from)
{
    sci_group *group = (sci_group *)base;
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

cb_status sci_group_receive_root(transport_group *group, transport_buffer **out)
{
    return sci_receive(group->root, out);
}

cb_status sci_group_try_receive_root(transport_group *group, transport_buffer **out)
{
    return sci_try_receive(group->root, out);
}
