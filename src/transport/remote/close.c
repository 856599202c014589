/* Closing: each rank tells the others that no message will follow, drops what still comes, and
 * leaves when no other writes to it any more. */
#include "transport/remote/internal.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"

static const uint64_t closing_ns = UINT64_C(3000000000);

/* The pools are cleared before the driver is closed, which knows their memory; but not under
 * messages to a lost rank that the library still has. */
void remote_destroy(remote_factory *factory)
{
    for (int rank = 0; factory->nodes != NULL && rank < factory->base.size; rank++)
        if (factory->nodes[rank].presence >= 0)
            close(factory->nodes[rank].presence);
    if (factory->in_flight == 0) {
        transport_pool_clear(&factory->pool);
        transport_pool_clear(&factory->pieces);
    }
    factory->driver->close(factory);
    transport_lock_close(&factory->lock);
    free(factory->allocated);
    free(factory->slots);
    free(factory->nodes);
    free((void *)(uintptr_t)factory->settings);
    free(factory);
}

static void drop_arrived(remote_factory *factory, remote_node *node)
{
    remote_slot *slot;

    while ((slot = remote_next_slot(factory, node))->arrived) {
        slot->arrived = false;
        node->next++;
        factory->ready--;
        remote_release_slot(factory, slot);
    }
}

/* 1: no message will follow; the rank that learns it needs no more grants, once it has said the
 * same. 2: so nothing will follow, and that rank may free what this one writes to. */
static bool is_closed(remote_factory *factory, remote_node *node)
{
    const int rank = node->base.rank;

    if (rank == factory->base.rank || node->lost != CB_OK)
        return true;
    drop_arrived(factory, node);
    if (node->closing == 0 && remote_is_sent(factory) &&
        factory->driver->tell(factory, rank, REMOTE_CLOSE, 1) == CB_OK)
        node->closing = 1;
    if (node->closing == 1 && node->closed >= 1 &&
        factory->driver->tell(factory, rank, REMOTE_CLOSE, 2) == CB_OK)
        node->closing = 2;
    return node->closing == 2 && node->closed == 2;
}

static bool are_closed(remote_factory *factory)
{
    bool all = true;

    for (int rank = 0; rank < factory->base.size; rank++)
        all = is_closed(factory, &factory->nodes[rank]) && all;
    return all;
}

/* What is queued for lost ranks, and messages that came after the words of the closing. */
static void give_back_all(remote_factory *factory)
{
    const size_t count = (size_t)factory->base.size * factory->outstanding;

    for (int rank = 0; rank < factory->base.size; rank++)
        while (factory->nodes[rank].queue.first != NULL)
            remote_give_back(factory, transport_queue_take(&factory->nodes[rank].queue));
    for (size_t i = 0; i < count; i++)
        if (factory->slots[i].arrived)
            remote_release_slot(factory, &factory->slots[i]);
}

/* If a rank is lost, others may wait for it, and buffers may stay with the driver. An error if that
 * was found here, or if messages were queued for it. */
cb_status remote_close(transport_factory *base)
{
    remote_factory *factory = remote_factory_of(base);
    const bool was_lost = factory->any_lost;
    uint64_t lost_ns = 0;
    cb_status first = CB_OK;

    factory->closing = true;
    for (uint64_t polls = 0; !are_closed(factory); polls++) {
        cb_status status = remote_progress(factory, -1);

        if (status == CB_OK)
            status = remote_find_nothing(factory);
        if (status != CB_EMPTY && first == CB_OK)
            first = status;
        if ((factory->any_lost || first != CB_OK) && lost_ns == 0)
            lost_ns = cb_now_ns();
        if (lost_ns != 0 && cb_now_ns() - lost_ns > closing_ns)
            break;
        remote_pause(factory, polls);
    }
    if (first == CB_OK && factory->any_lost && !was_lost)
        first = CB_ERROR_TRANSPORT;
    give_back_all(factory);
    remote_destroy(factory);
    return first;
}
