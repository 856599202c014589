/* Sending: write the data to the buffer that a credit names, check the transfer, then write the
 * signed size; or all in one line. Messages without a credit wait in a queue, in order, and are
 * sent by later calls. */
#include "transport/sci/internal.h"

#include <string.h>

#include "base/log.h"

/* Hot. Read all credits that have arrived: one for each message from `known` on. They are cached
 * here, since the peer may write to their cache line at any time, and every read would then wait
 * for the line. Pairs with the release of the peer's store: the receiver finished reading the
 * buffer before. */
static bool learn_credits(sci_sending *to)
{
    uint32_t at = to->turn;

    for (uint32_t i = 0; i < to->turns; i++) {
        const uint32_t credit = __atomic_load_n(&to->credits[at], __ATOMIC_ACQUIRE);

        if (!sci_credit_is_due(credit, to->known))
            break;
        to->buffers[at] = sci_credit_buffer(credit);
        to->known++;
        at = at + 1 == to->turns ? 0 : at + 1;
    }
    return to->known > to->number;
}

/* Hot. The credit for the next message; false: there is none. */
static inline bool find_credit(sci_sending *to, uint32_t *buffer)
{
    if (to->known == to->number && !learn_credits(to))
        return false;
    *buffer = to->buffers[to->turn];
    return true;
}

/* A piece ends with its buffer's last line at most, here and at the receiver, so that there is
 * room for the excess. */
static inline cb_status store_data(sci_node *node, uint32_t buffer, const void *data, size_t bytes)
{
    sci_sending *to = &node->sending;
    const size_t offset = (size_t)sci_layout_buffer(&to->layout, buffer);
    const size_t whole = (bytes + to->excess_mask) & ~to->excess_mask;
    uint32_t tries = 0;
    cb_status status;

    do
        status = sci_remote_copy(&node->remote, &to->sequence, offset, data, whole);
    while (sci_sequence_tries_again(&to->sequence, &status, tries++));
    return status;
}

/* After this point only the notification may be retransmitted: the receiver may already have
 * credited the buffer to another sender. */
static inline cb_status announce_by_line(sci_sending *to, const sci_line *line, uint32_t bytes)
{
    volatile unsigned char *target = to->lines + to->turn * SCI_LINE_BYTES;
    uint32_t tries = 0;
    cb_status status;

    do {
        sci_line_store(target, line, bytes);
        status = sci_sequence_check(&to->sequence);
    } while (sci_sequence_tries_again(&to->sequence, &status, tries++));
    return status;
}

/* As above, where there are no lines. */
static cb_status announce_by_notice(sci_sending *to, sci_announcement what)
{
    uint32_t tries = 0;
    cb_status status;

    do {
        __atomic_store_n(&to->notices[to->turn], sci_notice(to->number, what), __ATOMIC_RELEASE);
        status = sci_sequence_check(&to->sequence);
    } while (sci_sequence_tries_again(&to->sequence, &status, tries++));
    return status;
}

static inline cb_status transfer_by_line(sci_node *node, uint32_t buffer, const void *data,
                                         sci_announcement what)
{
    sci_sending *to = &node->sending;
    sci_line line;

    if (what.bytes <= SCI_PAYLOAD_BYTES) {
        line = (sci_line){.words = {0}};
        memcpy(line.words, data, what.bytes);
    } else {
        CB_TRY(store_data(node, buffer, data, what.bytes));
    }
    line.words[SCI_PAYLOAD_WORDS] = sci_line_control(line.words, to->number, what);
    return announce_by_line(to, &line, what.bytes);
}

__attribute__((noinline)) static cb_status
transfer_by_notice(sci_node *node, uint32_t buffer, const void *data, sci_announcement what)
{
    if (what.bytes > 0)
        CB_TRY(store_data(node, buffer, data, what.bytes));
    return announce_by_notice(&node->sending, what);
}

/* Hot, and inlined: work between the arrival of a message and the sending of its reply overlaps the
 * arrival, as far as the processor can hold waiting instructions. Sends one message, or one piece,
 * for which there is a credit. */
__attribute__((always_inline)) static inline cb_status
transfer_piece(sci_node *node, uint32_t buffer, const void *data, sci_announcement what)
{
    sci_sending *to = &node->sending;

    CB_TRY(sci_note_lost(node, __builtin_expect(to->layout.has_lines, 1)
                                   ? transfer_by_line(node, buffer, data, what)
                                   : transfer_by_notice(node, buffer, data, what)));
    if (sci_factory_of(node->base.factory)->base.wait == TRANSPORT_WAIT_BLOCK)
        sci_bell_ring(&node->rope);
    to->number++;
    to->turn = to->turn + 1 == to->turns ? 0 : to->turn + 1;
    return CB_OK;
}

/* Send as many pieces from *sent on as there are credits for; CB_EMPTY: not all. An empty message
 * is also a piece. */
static cb_status transfer(sci_node *node, const transport_buffer *buffer, size_t *sent)
{
    const uint32_t most = node->sending.layout.piece_bytes;
    bool more;

    CB_TRY(sci_lost(node));
    do {
        size_t left = buffer->size - *sent;
        sci_announcement what;
        uint32_t number;

        if (!find_credit(&node->sending, &number))
            return CB_EMPTY;
        more = left > most;
        left = more ? most : left;
        what = (sci_announcement){.bytes = (uint32_t)left, .more = more};
        CB_TRY(transfer_piece(node, number, (const unsigned char *)buffer->data + *sent, what));
        *sent += left;
    } while (more);
    return CB_OK;
}

static cb_status transfer_rest(void *target, const transport_buffer *buffer, size_t *sent)
{
    return transfer(target, buffer, sent);
}

static void give_back(void *target, transport_buffer *buffer)
{
    sci_give_back_locked(sci_factory_of(((sci_node *)target)->base.factory), buffer);
}

static const transport_queue_user queue_user = {.transfer = transfer_rest, .give_back = give_back};

static cb_status report_send_to_itself(const sci_node *node)
{
    cb_error("cannot send to rank %d over sci: it is this process, which has no connection to "
             "itself; send to another",
             node->base.rank);
    return transport_noted(node->base.factory, CB_ERROR_TRANSPORT);
}

/* Takes the buffer. */
__attribute__((noinline)) static cb_status send_or_queue(sci_factory *factory, sci_node *node,
                                                         transport_buffer *buffer)
{
    cb_status status;

    if (!node->connected) {
        transport_buffer_release(buffer);
        return report_send_to_itself(node);
    }
    sci_lock(factory);
    factory->base.held--;
    status = transport_queue_send(&node->sending.queue, &queue_user, node, buffer);
    sci_unlock(factory);
    return status;
}

/* Hot. The case of one sending thread and a message that can be sent at once in one piece. */
cb_status sci_send(transport_node *base, transport_buffer *buffer)
{
    sci_factory *factory = sci_factory_of(base->factory);
    sci_node *node = sci_node_of(base);
    sci_sending *to = &node->sending;
    uint32_t number = 0;
    cb_status status;

    if (__builtin_expect(factory->lock.used || !node->connected || to->queue.first != NULL ||
                             buffer->size > to->layout.piece_bytes || sci_lost(node) != CB_OK ||
                             !find_credit(to, &number),
                         0))
        return send_or_queue(factory, node, buffer);
    status = transfer_piece(node, number, buffer->data,
                            (sci_announcement){.bytes = (uint32_t)buffer->size});
    factory->base.held--;
    sci_give_back_locked(factory, buffer);
    return status;
}

/* Queue a copy for a node that cannot take the message now. */
static cb_status send_copy(sci_factory *factory, sci_node *node, const transport_buffer *buffer)
{
    transport_buffer *copy = sci_create_locked(factory, buffer->size);

    if (copy == NULL)
        return transport_noted(&factory->base, CB_ERROR_MEMORY);
    memcpy(copy->data, buffer->data, buffer->size);
    return transport_queue_send(&node->sending.queue, &queue_user, node, copy);
}

static cb_status send_shared(sci_factory *factory, sci_node *node, const transport_buffer *buffer)
{
    size_t sent = 0;
    cb_status status;

    if (!node->connected)
        return report_send_to_itself(node);
    if (node->sending.queue.first != NULL || buffer->size > node->sending.layout.piece_bytes)
        return send_copy(factory, node, buffer);
    status = transfer(node, buffer, &sent);
    return status == CB_EMPTY ? send_copy(factory, node, buffer) : status;
}

cb_status sci_send_to_each(transport_group *group, transport_buffer *buffer)
{
    sci_factory *factory = sci_factory_of(group->factory);
    cb_status first = CB_OK;

    sci_lock(factory);
    for (size_t i = 0; i < group->count; i++) {
        cb_status status = send_shared(factory, sci_node_of(group->nodes[i]), buffer);

        first = first == CB_OK ? status : first;
    }
    factory->base.held--;
    sci_give_back_locked(factory, buffer);
    sci_unlock(factory);
    return first;
}

cb_status sci_flush_nodes(sci_factory *factory)
{
    cb_status first = CB_OK;

    for (int rank = 0; rank < factory->base.size; rank++) {
        sci_node *node = factory->nodes[rank];
        cb_status status =
            node != NULL ? transport_queue_flush(&node->sending.queue, &queue_user, node) : CB_OK;

        first = first == CB_OK ? status : first;
    }
    return first;
}
