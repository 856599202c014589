/* Acknowledgements: for each message that was received the sender gets a credit, the number of a
 * receive buffer for a later one. Credits are words of the header that the peer has for this
 * process; they are written some at a time, and always before the peer runs out of them. */
#include "transport/sci/internal.h"

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

/* The last `count` credits given, once more if need be: the words of a repetition are the same. */
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

    for (; given < due && sci_take_receive_buffer(factory, &number); given++) {
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
    if (factory->wait == TRANSPORT_WAIT_BLOCK && given == from->turns)
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
