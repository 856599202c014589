/* Queues with messages are in a doubly linked list; one that was served goes to its end. */
#include "emit/mailbox.h"

#include <stdlib.h>

#include "base/memory.h"

struct emit_channel {
    int from;
    transport_buffer *first, *last;
    emit_channel *before, *after;
};

static void join_turns(emit_mailbox *box, emit_channel *joining)
{
    joining->before = box->last;
    joining->after = NULL;
    if (box->last == NULL)
        box->next = joining;
    else
        box->last->after = joining;
    box->last = joining;
}

static void leave_turns(emit_mailbox *box, const emit_channel *leaving)
{
    if (leaving->before == NULL)
        box->next = leaving->after;
    else
        leaving->before->after = leaving->after;
    if (leaving->after == NULL)
        box->last = leaving->before;
    else
        leaving->after->before = leaving->before;
}

static emit_channel *channel_from(emit_mailbox *box, int sender)
{
    emit_channel **place;

    if (box->channels == NULL)
        box->channels = cb_allocate(box->size, sizeof(*box->channels), "queues");
    if (box->channels == NULL)
        return NULL;
    place = &box->channels[sender];
    if (*place == NULL) {
        *place = cb_allocate(1, sizeof(**place), "a queue");
        if (*place != NULL)
            (*place)->from = sender;
    }
    return *place;
}

cb_status emit_mailbox_put(emit_mailbox *box, int sender, transport_buffer *message)
{
    emit_channel *into = channel_from(box, sender);

    if (into == NULL)
        return CB_ERROR_MEMORY;
    message->next = NULL;
    if (into->first == NULL) {
        into->first = message;
        join_turns(box, into);
    } else {
        into->last->next = message;
    }
    into->last = message;
    return CB_OK;
}

/* The first message of a queue, which has had its turn then. */
static transport_buffer *take(emit_mailbox *box, emit_channel *from)
{
    transport_buffer *taken = from->first;

    from->first = taken->next;
    leave_turns(box, from);
    if (from->first != NULL)
        join_turns(box, from);
    return taken;
}

transport_buffer *emit_mailbox_take(emit_mailbox *box, int sender)
{
    emit_channel *from = box->channels != NULL ? box->channels[sender] : NULL;

    return from != NULL && from->first != NULL ? take(box, from) : NULL;
}

transport_buffer *emit_mailbox_take_any(emit_mailbox *box, transport_node *const *members,
                                        int *sender)
{
    emit_channel *from = box->next;

    while (from != NULL && members[from->from] == NULL)
        from = from->after;
    if (from == NULL)
        return NULL;
    *sender = from->from;
    return take(box, from);
}

void emit_mailbox_clear(emit_mailbox *box, void (*release)(transport_buffer *message))
{
    while (box->next != NULL)
        release(take(box, box->next));
    for (size_t sender = 0; box->channels != NULL && sender < box->size; sender++)
        free(box->channels[sender]);
    free(box->channels);
    *box = (emit_mailbox){.size = box->size};
}
