/* Acknowledgements. For each received message the sender gets a credit: the number of a receive
 * buffer for a later message. Credits are words in the header that the peer has for this process.
 * They are written several at a time, and always before the peer runs out of them. Also the pause
 * after an empty poll: it sends owed credits and checks the peers. */
#include "transport/sci/internal.h"

#include <sched.h>

enum {
    PROBE_POLLS = 1 << 16, /* of spinning or yielding, between two checks of the nodes */
    PROBE_SLEEPS = 16,
    FREE_POLLS = 64, /* before the first sleep */
    SLEEP_MS = 20,
    SHORT_SLEEP_MS = 1 /* while waiting for a credit, which does not trigger an interrupt */
};

/* The number of a free receive buffer; false if there is none. */
static bool take_receive_buffer(sci_factory *factory, uint32_t *number)
{
    bool any;

    sci_lock(factory);
    any = factory->free_count > 0;
    if (any) {
        *number = factory->free_ring[factory->free_first++];
        factory->free_count--;
        if (factory->free_first == factory->receive_count)
            factory->free_first = 0;
    }
    sci_unlock(factory);
    return any;
}

static uint64_t owed(const sci_receiving *from)
{
    return from->number + from->turns - from->credited;
}

static void set_starved(sci_factory *factory, sci_receiving *from, bool starved)
{
    if (from->starved != starved)
        factory->starved += starved ? 1 : (size_t)-1;
    from->starved = starved;
}

/* Store the last `count` credits; may be repeated, since the words are the same. */
static void store_last(const sci_receiving *from, uint64_t count)
{
    for (uint64_t number = from->credited - count; number < from->credited; number++) {
        uint32_t at = (uint32_t)(number % from->turns);

        __atomic_store_n(&from->credits[at], sci_credit(number, from->buffers[at]),
                         __ATOMIC_RELEASE);
    }
}

cb_status sci_acknowledge(sci_node *node)
{
    sci_factory *factory = sci_factory_of(node->base.factory);
    sci_receiving *from = &node->receiving;
    uint64_t due = owed(from), given = 0;
    uint32_t number, tries = 0;
    cb_status status;

    for (; given < due && take_receive_buffer(factory, &number); given++) {
        from->buffers[from->next_credit] = number;
        from->next_credit = from->next_credit + 1 == from->turns ? 0 : from->next_credit + 1;
        from->credited++;
    }
    set_starved(factory, from, given < due);
    if (from->indebted)
        factory->indebted--;
    from->indebted = false;
    if (given == 0)
        return CB_OK;
    do {
        store_last(from, given);
        status = sci_sequence_check(&from->sequence);
    } while (sci_sequence_tries_again(&from->sequence, &status, tries++));
    CB_TRY(sci_note_lost(node, status));
    if (factory->base.wait == TRANSPORT_WAIT_BLOCK && given == from->turns)
        sci_bell_ring(&node->rope);
    return CB_OK;
}

cb_status sci_relieve(sci_factory *factory)
{
    for (int rank = 0; rank < factory->base.size && factory->starved + factory->indebted > 0;
         rank++) {
        sci_node *node = factory->nodes[rank];

        if (node != NULL && (node->receiving.starved || node->receiving.indebted))
            CB_TRY(sci_acknowledge(node));
    }
    return CB_OK;
}

/* Between polls */

cb_status sci_probe(sci_node *node)
{
    cb_status status;

    while ((status = sci_sequence_check(&node->receiving.sequence)) == CB_EMPTY)
        continue;
    return sci_note_lost(node, status);
}

static cb_status probe_all(sci_factory *factory)
{
    for (int rank = 0; rank < factory->base.size; rank++) {
        sci_node *node = factory->nodes[rank];

        if (node != NULL && node->connected && sci_lost(node) == CB_OK)
            CB_TRY(sci_probe(node));
    }
    return CB_OK;
}

static bool is_time_to_probe(const sci_factory *factory, uint64_t polls)
{
    if (factory->base.wait == TRANSPORT_WAIT_BLOCK && polls > FREE_POLLS)
        return polls % PROBE_SLEEPS == 0;
    return polls % PROBE_POLLS == PROBE_POLLS - 1;
}

cb_status sci_pause(sci_factory *factory, uint64_t polls)
{
    if (factory->starved > 0)
        CB_TRY(sci_relieve(factory));
    if (is_time_to_probe(factory, polls))
        CB_TRY(probe_all(factory));
    if (factory->base.wait == TRANSPORT_WAIT_YIELD)
        sched_yield();
    else if (factory->base.wait == TRANSPORT_WAIT_BLOCK && polls >= FREE_POLLS)
        sci_bell_wait(&factory->bell,
                      transport_has_queued(&factory->queued) ? SHORT_SLEEP_MS : SLEEP_MS);
    return CB_OK;
}
