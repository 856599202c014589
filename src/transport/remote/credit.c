/* Slots that are released, and the grants that tell senders so. A grant goes with each message in
 * the other direction. Without one it goes alone: at an empty poll if half of the slots are owed,
 * and at once if three quarters are, so that a sender always has credit while this process holds
 * none of its messages. */
#include "transport/remote/internal.h"

static uint32_t owed(const remote_factory *factory, const remote_node *node)
{
    return node->tail + factory->outstanding - node->granted;
}

static uint32_t at_least_one(uint32_t slots)
{
    return slots > 0 ? slots : 1;
}

/* Its sender may soon have no credit. */
static bool is_urgent(const remote_factory *factory, const remote_node *node)
{
    return owed(factory, node) >= at_least_one(factory->outstanding - factory->outstanding / 4);
}

__attribute__((noinline)) static void note_debt(remote_factory *factory, remote_node *node)
{
    if (!node->indebted)
        factory->indebted++;
    node->indebted = true;
    factory->urgent = factory->urgent || is_urgent(factory, node);
}

/* Hot. Slots are released in any order, and granted in the order of their messages. */
void remote_release_slot(remote_factory *factory, remote_slot *slot)
{
    remote_node *node = remote_source_of(factory, slot);
    const uint32_t mask = factory->outstanding - 1;

    if (slot->backing != NULL)
        factory->driver->release(factory, slot);
    slot->held = false;
    factory->freed = slot;
    while (node->tail != node->next && !node->slots[node->tail & mask].held)
        node->tail++;
    if (__builtin_expect(owed(factory, node) >= at_least_one(factory->outstanding / 2), 0))
        note_debt(factory, node);
}

/* Tried again at once, since this process may not poll soon. After an error, which the driver has
 * logged, transfers to the node fail; a receive returns what has arrived before. */
__attribute__((noinline)) static cb_status tell_grant(remote_factory *factory, remote_node *node)
{
    const uint32_t value = node->tail + factory->outstanding;
    cb_status status = factory->driver->tell(factory, node->base.rank, REMOTE_GRANT, value);

    if (status == CB_EMPTY) {
        CB_TRY(factory->driver->poll(factory, -1));
        status = factory->driver->tell(factory, node->base.rank, REMOTE_GRANT, value);
    }
    if (status == CB_OK)
        node->granted = value;
    return status == CB_EMPTY ? CB_OK : status;
}

cb_status remote_pay(remote_factory *factory, remote_node *node, bool all)
{
    const uint32_t soon = at_least_one(factory->outstanding / 2);

    if (owed(factory, node) >= soon && node->lost == CB_OK && node->closing < 2) {
        if (!all && !is_urgent(factory, node))
            return CB_OK;
        CB_TRY(tell_grant(factory, node));
        if (owed(factory, node) >= soon)
            return CB_OK;
    }
    if (node->indebted)
        factory->indebted--;
    node->indebted = false;
    return CB_OK;
}

/* A rank that is lost by its grant fails transfers with it, and not those with others. */
cb_status remote_pay_all(remote_factory *factory)
{
    cb_status first = CB_OK;

    for (int rank = 0; rank < factory->base.size && factory->indebted > 0; rank++) {
        remote_node *node = &factory->nodes[rank];
        cb_status status = node->indebted ? remote_pay(factory, node, true) : CB_OK;

        if (first == CB_OK && node->lost == CB_OK)
            first = status;
    }
    return first;
}

__attribute__((noinline)) void remote_pay_urgent(remote_factory *factory)
{
    factory->urgent = false;
    for (int rank = 0; rank < factory->base.size && factory->indebted > 0; rank++) {
        remote_node *node = &factory->nodes[rank];

        if (!node->indebted)
            continue;
        (void)remote_pay(factory, node, false);
        factory->urgent = factory->urgent || (node->indebted && is_urgent(factory, node));
    }
}
