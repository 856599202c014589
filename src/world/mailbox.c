#include "world/mailbox.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/memory.h"

static uint32_t *find_slot(const mailbox *box, uint32_t sender)
{
    size_t at = sender & (box->slot_count - 1);

    while (box->slots[at] != 0 && box->channels[box->slots[at] - 1].sender != sender)
        at = (at + 1) & (box->slot_count - 1);
    return &box->slots[at];
}

/* NULL if no message has come from this sender yet. */
static mailbox_channel *find_channel(const mailbox *box, uint32_t sender)
{
    uint32_t number = box->slot_count > 0 ? *find_slot(box, sender) : 0;

    return number > 0 ? &box->channels[number - 1] : NULL;
}

/* Keeps at least half of the slots free. CB_ERROR_MEMORY, logged. */
static cb_status add_channel(mailbox *box, uint32_t sender)
{
    mailbox_channel *channels = cb_grow(box->channels, box->count, &box->room, sizeof(*channels));

    if (channels == NULL) {
        cb_error("cannot store the messages of a rank: out of memory; trace fewer ranks");
        return CB_ERROR_MEMORY;
    }
    box->channels = channels;
    if (box->slot_count < 2 * box->room) {
        uint32_t *slots = cb_allocate(2 * box->room, sizeof(*slots), "the messages of a rank");

        if (slots == NULL)
            return CB_ERROR_MEMORY;
        free(box->slots);
        box->slots = slots;
        box->slot_count = 2 * box->room;
        for (size_t i = 0; i < box->count; i++)
            *find_slot(box, channels[i].sender) = (uint32_t)i + 1;
    }
    channels[box->count] = (mailbox_channel){.sender = sender};
    *find_slot(box, sender) = (uint32_t)++box->count;
    return CB_OK;
}

static void channel_put(mailbox *box, mailbox_channel *into, mailbox_item *put)
{
    const uint32_t sender = into->sender;

    if (put->number > 0)
        into->number = put->number;
    put->next = NULL;
    put->before = box->newest;
    put->after = NULL;
    *(box->newest != NULL ? &box->newest->after : &box->oldest) = put;
    box->newest = put;
    if (into->first == NULL) {
        into->first = put;
        if (box->ready != NULL)
            box->ready[sender / 64] |= UINT64_C(1) << sender % 64;
        box->ready_count++;
    } else {
        into->last->next = put;
    }
    into->last = put;
}

/* The next message of a channel among those that came early; NULL if there is none. */
static mailbox_item *take_early(mailbox *box, const mailbox_channel *of)
{
    for (mailbox_item **at = &box->early; *at != NULL; at = &(*at)->next) {
        mailbox_item *one = *at;

        if (one->sender == of->sender && one->number == of->number + 1) {
            *at = one->next;
            return one;
        }
    }
    return NULL;
}

cb_status mailbox_put(mailbox *box, uint32_t sender, mailbox_item *put)
{
    mailbox_channel *into = find_channel(box, sender);

    if (into == NULL) {
        CB_TRY(add_channel(box, sender));
        into = &box->channels[box->count - 1];
    }
    put->sender = sender;
    if (put->number > into->number + 1) {
        put->next = box->early;
        box->early = put;
        return CB_OK;
    }
    do
        channel_put(box, into, put);
    while (put->number > 0 && (put = take_early(box, into)) != NULL);
    return CB_OK;
}

static mailbox_item *channel_take(mailbox *box, mailbox_channel *from)
{
    mailbox_item *taken = from->first;

    *(taken->before != NULL ? &taken->before->after : &box->oldest) = taken->after;
    *(taken->after != NULL ? &taken->after->before : &box->newest) = taken->before;
    from->first = taken->next;
    if (from->first == NULL) {
        if (box->ready != NULL)
            box->ready[from->sender / 64] &= ~(UINT64_C(1) << from->sender % 64);
        box->ready_count--;
    }
    return taken;
}

mailbox_item *mailbox_next(const mailbox *box, uint32_t sender)
{
    const mailbox_channel *from = find_channel(box, sender);

    return from != NULL ? from->first : NULL;
}

mailbox_item *mailbox_take(mailbox *box, uint32_t sender)
{
    mailbox_channel *from = find_channel(box, sender);

    return from != NULL && from->first != NULL ? channel_take(box, from) : NULL;
}

mailbox_item *mailbox_take_oldest(mailbox *box)
{
    mailbox_item *early = box->early;

    if (box->oldest != NULL)
        return mailbox_take(box, box->oldest->sender);
    if (early != NULL)
        box->early = early->next;
    return early;
}

static bool has_bit(const uint64_t *bits, size_t at)
{
    return (bits[at / 64] >> at % 64 & 1) != 0;
}

/* Give a turn to members among the channels from `begin` on, except those that always go first. */
static void make_due(mailbox *box, const mailbox_order *order, size_t begin)
{
    for (size_t i = begin; i < box->count; i++) {
        size_t sender = box->channels[i].sender;

        if (order->members[sender] != NULL && sender >= order->heard_first) {
            box->due[sender / 64] |= UINT64_C(1) << sender % 64;
            box->due_count++;
        }
    }
    box->considered = box->count;
}

/* The first sender with messages that goes first or has its turn; the number of ranks if there is
 * none. */
static size_t find_sender(const mailbox *box, const mailbox_order *order)
{
    for (size_t word = 0; word * 64 < order->ranks; word++) {
        uint64_t bits = box->ready[word];

        if (word * 64 >= order->heard_first)
            bits &= box->due[word];
        for (; bits != 0; bits &= bits - 1) {
            size_t at = word * 64 + (size_t)__builtin_ctzll(bits);

            if (order->members[at] != NULL && (at < order->heard_first || has_bit(box->due, at)))
                return at;
        }
    }
    return order->ranks;
}

mailbox_item *mailbox_take_any(mailbox *box, const mailbox_order *order, uint32_t *sender)
{
    size_t found;

    if (box->considered < box->count)
        make_due(box, order, box->considered);
    found = find_sender(box, order);
    if (found == order->ranks && box->ready_count > 0 && (box->due_count == 0 || order->stuck) &&
        (order->heard_first == 0 || box->round_turn < order->turn)) {
        memset(box->due, 0, (order->ranks / 64 + 1) * sizeof(*box->due));
        box->due_count = 0;
        make_due(box, order, 0);
        found = find_sender(box, order);
    }
    if (found == order->ranks)
        return NULL;
    if (found >= order->heard_first) {
        box->due[found / 64] &= ~(UINT64_C(1) << found % 64);
        box->due_count--;
        box->round_turn = order->turn;
    }
    *sender = (uint32_t)found;
    return mailbox_take(box, *sender);
}

mailbox_item *mailbox_oldest(const mailbox *box, transport_node *const *members)
{
    for (mailbox_item *one = box->oldest; one != NULL; one = one->after)
        if (members[one->sender] != NULL)
            return one;
    return NULL;
}

cb_status mailbox_keep_rounds(mailbox *box, size_t ranks)
{
    box->ready = cb_allocate(ranks / 64 + 1, sizeof(*box->ready), "a mailbox");
    box->due = cb_allocate(ranks / 64 + 1, sizeof(*box->due), "a mailbox");
    return box->ready != NULL && box->due != NULL ? CB_OK : CB_ERROR_MEMORY;
}

void mailbox_close(mailbox *box)
{
    free(box->channels);
    free(box->slots);
    free(box->ready);
    free(box->due);
}
