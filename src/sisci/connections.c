/* The table of connections of a segment, in its control block. */
#include "sisci/connections.h"

static uint32_t generation_of(const sisci_slot *slot)
{
    return atomic_load_explicit(&slot->generation, memory_order_acquire);
}

/* The release pairs with generation_of: a reader of the generation also sees the slot's contents.
 */
static void advance(sisci_control *control, sisci_slot *slot)
{
    uint32_t generation = generation_of(slot) + 1;

    slot->order[generation % 2] = atomic_fetch_add(&control->changes, 1);
    atomic_store_explicit(&slot->generation, generation, memory_order_release);
}

static bool is_odd(uint32_t number)
{
    return number % 2 == 1;
}

/* Whether a connection or disconnection has not yet been reported to the owner. */
static bool is_unreported(const sisci_slot *slot)
{
    return slot->reported != generation_of(slot);
}

sisci_connect_status sisci_connections_take(sisci_control *control, uint32_t node,
                                            const sisci_process *process, sisci_ticket *ticket)
{
    sisci_connect_status status = SISCI_CONNECT_FULL;

    sisci_shared_lock(&control->lock);
    if (control->removed)
        status = SISCI_CONNECT_REMOVED;
    else if (!control->available)
        status = SISCI_CONNECT_REFUSED;
    for (uint32_t i = 0; i < SISCI_CONNECTIONS && status == SISCI_CONNECT_FULL; i++) {
        sisci_slot *slot = &control->slots[i];

        if (is_odd(generation_of(slot)) || is_unreported(slot))
            continue;
        slot->node = node;
        slot->process = *process;
        advance(control, slot);
        *ticket = (sisci_ticket){
            .slot = i, .generation = generation_of(slot), .notices = atomic_load(&slot->notices)};
        status = SISCI_CONNECT_OK;
    }
    sisci_shared_unlock(&control->lock);
    return status;
}

bool sisci_connections_give(sisci_control *control, const sisci_ticket *ticket)
{
    sisci_slot *slot = &control->slots[ticket->slot];
    bool ours;

    sisci_shared_lock(&control->lock);
    ours = generation_of(slot) == ticket->generation;
    if (ours)
        advance(control, slot);
    sisci_shared_unlock(&control->lock);
    return ours;
}

bool sisci_connections_is_cut(const sisci_control *control, const sisci_ticket *ticket)
{
    return generation_of(&control->slots[ticket->slot]) != ticket->generation;
}

bool sisci_connections_was_asked(const sisci_control *control, sisci_ticket *ticket)
{
    uint32_t notices = atomic_load(&control->slots[ticket->slot].notices);
    bool asked = notices != ticket->notices;

    ticket->notices = notices;
    return asked;
}

/* The number of the slot's first unreported change; there are at most two. */
static uint32_t order_of(const sisci_slot *slot)
{
    return slot->order[(slot->reported + 1) % 2];
}

bool sisci_connections_next_change(sisci_control *control, uint32_t *slot, bool *connected)
{
    sisci_slot *oldest = NULL;

    for (uint32_t i = 0; i < SISCI_CONNECTIONS; i++) {
        sisci_slot *candidate = &control->slots[i];

        /* Numbers of changes wrap around, but are close to each other. */
        if (is_unreported(candidate) &&
            (oldest == NULL || (int32_t)(order_of(candidate) - order_of(oldest)) < 0))
            oldest = candidate;
    }
    if (oldest == NULL)
        return false;
    oldest->reported++;
    *slot = (uint32_t)(oldest - control->slots);
    *connected = is_odd(oldest->reported);
    return true;
}

bool sisci_connections_in_use(const sisci_control *control, uint32_t slot)
{
    return is_odd(generation_of(&control->slots[slot]));
}

void sisci_connections_cut(sisci_control *control, uint32_t slot)
{
    advance(control, &control->slots[slot]);
}

uint32_t sisci_connections_cut_ended(sisci_control *control)
{
    uint32_t in_use = 0;

    for (uint32_t i = 0; i < SISCI_CONNECTIONS; i++) {
        if (!sisci_connections_in_use(control, i))
            continue;
        if (sisci_process_alive(&control->slots[i].process))
            in_use++;
        else
            sisci_connections_cut(control, i);
    }
    return in_use;
}

void sisci_connections_ask_all(sisci_control *control)
{
    for (uint32_t i = 0; i < SISCI_CONNECTIONS; i++)
        if (sisci_connections_in_use(control, i))
            atomic_fetch_add(&control->slots[i].notices, 1);
}

void sisci_connections_cut_all(sisci_control *control)
{
    for (uint32_t i = 0; i < SISCI_CONNECTIONS; i++)
        if (sisci_connections_in_use(control, i))
            sisci_connections_cut(control, i);
}
