/* Sending: a message that has credit goes to the driver, with the header before its payload; others
 * wait in the queue of their node, in order. Long messages are sent in pieces, which are copies,
 * since a header has to be before each. */
#include "transport/remote/internal.h"

#include <string.h>

#include "base/log.h"

static inline bool has_credit(const remote_node *node)
{
    return node->number != node->room;
}

/* Hot. Give a message or piece that has credit to the driver; CB_EMPTY: it has no room. */
static inline cb_status hand_over(remote_factory *factory, remote_node *node,
                                  transport_buffer *buffer, uint32_t rest)
{
    const remote_header header = {.key = factory->key,
                                  .source = (uint16_t)factory->base.rank,
                                  .number = node->number,
                                  .granted = node->tail + factory->outstanding,
                                  .bytes = (uint32_t)buffer->size,
                                  .rest = rest};
    cb_status status;

    factory->in_flight++;
    status = factory->driver->send(factory, node->base.rank, &header, buffer);
    if (__builtin_expect(status == CB_OK, 1)) {
        node->number++;
        node->granted = header.granted;
        return CB_OK;
    }
    factory->in_flight--;
    if (status == CB_EMPTY && node->refused != node->number + 1) {
        node->refused = node->number + 1;
        factory->counts[REMOTE_QUEUE_FULL]++;
    }
    return status;
}

/* Send as many pieces from *sent on as have credit; CB_EMPTY: not all. A rank that has got a part
 * of a message must get no other after it. */
static cb_status send_pieces(remote_factory *factory, remote_node *node,
                             const transport_buffer *buffer, size_t *sent)
{
    while (*sent < buffer->size) {
        const size_t left = buffer->size - *sent;
        transport_buffer *piece;
        cb_status status;

        if (!has_credit(node))
            return CB_EMPTY;
        piece = transport_pool_take(&factory->pieces);
        if (piece == NULL && *sent > 0)
            return remote_lose(factory, node->base.rank, "send to",
                               "no memory for the rest of a message");
        if (piece == NULL)
            return CB_ERROR_MEMORY;
        piece->size = left < piece->capacity ? left : piece->capacity;
        memcpy(piece->data, (const unsigned char *)buffer->data + *sent, piece->size);
        *sent += piece->size;
        status = hand_over(factory, node, piece, (uint32_t)(left - piece->size));
        if (status != CB_OK) {
            *sent -= piece->size;
            remote_give_back(factory, piece);
            return status;
        }
    }
    return CB_OK;
}

/* Hot. Send all of a message, or what has credit, from *sent on. Takes the buffer if it returns
 * CB_OK. */
static inline cb_status transfer(remote_factory *factory, remote_node *node,
                                 transport_buffer *buffer, size_t *sent)
{
    cb_status status;

    if (__builtin_expect(buffer->size > factory->base.piece_bytes, 0)) {
        status = send_pieces(factory, node, buffer, sent);
        if (status == CB_OK)
            remote_give_back(factory, buffer);
        return status;
    }
    return has_credit(node) ? hand_over(factory, node, buffer, 0) : CB_EMPTY;
}

/* Queues */

static void drop_queue(remote_factory *factory, remote_node *node)
{
    while (node->queue.first != NULL)
        remote_give_back(factory, transport_queue_take(&node->queue));
}

static void return_to_queue(transport_queue *queue, transport_buffer *buffer, size_t sent)
{
    buffer->next = queue->first;
    if (queue->first == NULL)
        queue->last = buffer;
    queue->first = buffer;
    queue->sent_bytes = sent;
    __atomic_fetch_add(queue->queued, 1, __ATOMIC_RELAXED);
}

/* A message leaves the queue before it is sent, since the driver may use its link. */
static cb_status flush_node(remote_factory *factory, remote_node *node)
{
    cb_status status = node->lost;

    while (node->queue.first != NULL && status == CB_OK) {
        size_t sent = node->queue.sent_bytes;
        transport_buffer *buffer = transport_queue_take(&node->queue);

        status = transfer(factory, node, buffer, &sent);
        if (status != CB_OK)
            return_to_queue(&node->queue, buffer, sent);
    }
    if (status == CB_OK || status == CB_EMPTY)
        return CB_OK;
    if (node->queue.first == NULL)
        return CB_OK;
    drop_queue(factory, node);
    return transport_noted(&factory->base, status);
}

static cb_status flush_queues(remote_factory *factory)
{
    cb_status first = CB_OK;

    for (int rank = 0; rank < factory->base.size; rank++) {
        cb_status status = flush_node(factory, &factory->nodes[rank]);

        first = first == CB_OK ? status : first;
    }
    return first;
}

cb_status remote_progress(remote_factory *factory, int from)
{
    cb_status status = factory->driver->poll(factory, from);

    if (__builtin_expect(cb_is_error(status), 0))
        return transport_noted(&factory->base, status);
    status = CB_OK;
    if (__builtin_expect(transport_has_queued(&factory->queued), 0))
        status = flush_queues(factory);
    if (__builtin_expect(factory->urgent, 0))
        remote_pay_urgent(factory);
    return status;
}

bool remote_is_sent(const remote_factory *factory)
{
    return factory->in_flight == 0 && !transport_has_queued(&factory->queued);
}

/* Messages */

static cb_status refuse_itself(const remote_node *node)
{
    const remote_factory *factory = remote_factory_of(node->base.factory);

    cb_error("cannot send to rank %d over %s: it is this process, which has no connection to "
             "itself; send to another",
             node->base.rank, factory->driver->name);
    return transport_noted(node->base.factory, CB_ERROR_TRANSPORT);
}

/* Replace a slot by a buffer of the pool, so that it can be granted again. */
static cb_status replace_slot(remote_factory *factory, transport_buffer **buffer)
{
    transport_buffer *received = *buffer, *copy;

    if (received->size > factory->pool.capacity) {
        cb_error("cannot send a received message of %zu bytes over %s: at most %zu were announced; "
                 "announce its size",
                 received->size, factory->driver->name, factory->pool.capacity);
        return CB_ERROR_TRANSPORT;
    }
    copy = transport_pool_take(&factory->pool);
    if (copy == NULL)
        return CB_ERROR_MEMORY;
    memcpy(copy->data, received->data, received->size);
    copy->size = received->size;
    remote_give_back(factory, received);
    *buffer = copy;
    return CB_OK;
}

/* Whether a received message has to be copied before it can be sent: there is no place for a header
 * before its payload. */
static inline bool lacks_prefix(const remote_factory *factory, const transport_buffer *buffer)
{
    return remote_is_slot(factory, buffer) && !factory->header_apart &&
           !remote_is_in_slots(factory, buffer->data);
}

/* A queued message must not keep a slot: all ranks of a ring would wait for each other. */
static cb_status append(remote_factory *factory, remote_node *node, transport_buffer *buffer,
                        size_t sent)
{
    cb_status status = CB_OK;

    if (remote_is_slot(factory, buffer))
        status = replace_slot(factory, &buffer);
    if (status == CB_OK)
        transport_queue_append(&node->queue, buffer, sent);
    else
        remote_give_back(factory, buffer);
    return status;
}

/* Send what has just been queued, if a poll brings credit or room: this process may not call again
 * soon, and its receiver may wait. */
static cb_status push_queue(remote_factory *factory, remote_node *node)
{
    const int tries = 3;

    CB_TRY(remote_progress(factory, -1));
    for (int i = 1; i < tries && node->queue.first != NULL && has_credit(node); i++)
        CB_TRY(remote_progress(factory, -1));
    return CB_OK;
}

/* What becomes of a message that was not sent as a whole, but to `sent`. */
__attribute__((noinline)) static cb_status queue_or_drop(remote_factory *factory, remote_node *node,
                                                         transport_buffer *buffer, size_t sent,
                                                         cb_status status)
{
    if (status == CB_EMPTY) {
        status = append(factory, node, buffer, sent);
        return status == CB_OK ? push_queue(factory, node)
                               : transport_noted(&factory->base, status);
    }
    remote_give_back(factory, buffer);
    return transport_noted(&factory->base, status);
}

/* Messages before it, a lack of credit, a copy, or pieces. */
__attribute__((noinline)) static cb_status send_or_queue(remote_factory *factory, remote_node *node,
                                                         transport_buffer *buffer)
{
    size_t sent = 0;
    cb_status status = node->lost;

    if (status == CB_OK && lacks_prefix(factory, buffer))
        status = replace_slot(factory, &buffer);
    if (status == CB_OK && node->queue.first == NULL)
        status = transfer(factory, node, buffer, &sent);
    else if (status == CB_OK)
        status = CB_EMPTY;
    return status == CB_OK ? CB_OK : queue_or_drop(factory, node, buffer, sent, status);
}

/* Hot. Slots that were sent on are released here. */
static inline cb_status send_one(remote_factory *factory, remote_node *node,
                                 transport_buffer *buffer)
{
    cb_status status;

    factory->base.held--;
    if (__builtin_expect(node->queue.first == NULL && has_credit(node) && node->lost == CB_OK &&
                             buffer->size <= factory->base.piece_bytes &&
                             !lacks_prefix(factory, buffer),
                         1)) {
        status = hand_over(factory, node, buffer, 0);
        if (__builtin_expect(status != CB_OK, 0))
            status = queue_or_drop(factory, node, buffer, 0, status);
    } else {
        status = send_or_queue(factory, node, buffer);
    }
    if (__builtin_expect(factory->urgent, 0))
        remote_pay_urgent(factory);
    return status;
}

/* Hot. */
cb_status remote_send(transport_node *base, transport_buffer *buffer)
{
    remote_factory *factory = remote_factory_of(base->factory);
    remote_node *node = remote_node_of(base);
    cb_status status;

    if (__builtin_expect(base->rank == factory->base.rank, 0)) {
        remote_buffer_release(buffer);
        return refuse_itself(node);
    }
    transport_lock_take(&factory->lock);
    status = send_one(factory, node, buffer);
    transport_lock_give(&factory->lock);
    return status;
}
