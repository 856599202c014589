/* Sending: header and payload in one call. What the kernel has no room for waits in a queue, in
 * order, and goes with later calls. */
#include "transport/tcp/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/log.h"

/* Up to here a copy costs less than a call with two parts. */
enum { SMALL_BYTES = 512 };

static ssize_t write_small(int fd, const unsigned char *header, const transport_buffer *buffer)
{
    unsigned char frame[TCP_HEADER_BYTES + SMALL_BYTES];

    memcpy(frame, header, TCP_HEADER_BYTES);
    memcpy(frame + TCP_HEADER_BYTES, buffer->data, buffer->size);
    return send(fd, frame, TCP_HEADER_BYTES + buffer->size, MSG_NOSIGNAL);
}

static ssize_t write_rest(int fd, unsigned char *header, const transport_buffer *buffer,
                          size_t sent)
{
    const size_t of_header = sent < TCP_HEADER_BYTES ? sent : TCP_HEADER_BYTES;
    const size_t of_payload = sent - of_header;
    struct iovec parts[2] = {
        {.iov_base = header + of_header, .iov_len = TCP_HEADER_BYTES - of_header},
        {.iov_base = (unsigned char *)buffer->data + of_payload,
         .iov_len = buffer->size - of_payload}};
    const struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

    return sendmsg(fd, &message, MSG_NOSIGNAL);
}

/* Hot. The rest of a message, of which *sent bytes have gone; CB_EMPTY: the kernel has no room for
 * all of it. */
static cb_status transfer(tcp_node *node, const transport_buffer *buffer, size_t *sent)
{
    const size_t whole = TCP_HEADER_BYTES + buffer->size;
    unsigned char header[TCP_HEADER_BYTES];

    CB_TRY(tcp_lost(node));
    tcp_header_write(header,
                     (tcp_header){.bytes = (uint32_t)buffer->size, .number = node->sending.number});
    while (*sent < whole) {
        ssize_t now = *sent == 0 && buffer->size <= SMALL_BYTES
                          ? write_small(node->fd, header, buffer)
                          : write_rest(node->fd, header, buffer, *sent);

        if (now >= 0)
            *sent += (size_t)now;
        else if (errno == EAGAIN || errno == ENOBUFS)
            return CB_EMPTY;
        else if (errno != EINTR)
            return tcp_lose(node, "send to", errno);
    }
    node->sending.number++;
    return CB_OK;
}

/* Queues */

static void append(tcp_factory *factory, tcp_sending *to, transport_buffer *buffer)
{
    buffer->next = NULL;
    if (to->first != NULL)
        to->last->next = buffer;
    else
        to->first = buffer;
    to->last = buffer;
    __atomic_fetch_add(&factory->queued, 1, __ATOMIC_RELAXED);
}

static void drop_first(tcp_factory *factory, tcp_sending *to)
{
    transport_buffer *buffer = to->first;

    to->first = buffer->next;
    to->sent_bytes = 0;
    __atomic_fetch_sub(&factory->queued, 1, __ATOMIC_RELAXED);
    tcp_give_back(factory, buffer);
}

/* What waits for a lost node goes nowhere any more. */
static cb_status flush_queue(tcp_factory *factory, tcp_node *node)
{
    tcp_sending *to = &node->sending;
    cb_status status = CB_OK;

    while (to->first != NULL) {
        status = transfer(node, to->first, &to->sent_bytes);
        if (status == CB_EMPTY)
            return CB_OK;
        drop_first(factory, to);
    }
    return status;
}

/* Takes the buffer. */
static cb_status send_locked(tcp_factory *factory, tcp_node *node, transport_buffer *buffer,
                             size_t sent)
{
    tcp_sending *to = &node->sending;
    cb_status status = CB_EMPTY;

    if (__builtin_expect(to->first != NULL, 0))
        status = flush_queue(factory, node) == CB_OK ? CB_EMPTY : CB_ERROR_TRANSPORT;
    if (to->first == NULL && status == CB_EMPTY)
        status = transfer(node, buffer, &sent);
    if (status == CB_EMPTY) {
        if (to->first == NULL)
            to->sent_bytes = sent;
        append(factory, to, buffer);
        return CB_OK;
    }
    tcp_give_back(factory, buffer);
    return status;
}

static cb_status refuse_itself(const tcp_node *node)
{
    cb_error("cannot send to rank %d over tcp: it is this process, and a process has no connection "
             "to itself; send to another",
             node->base.rank);
    return CB_ERROR_TRANSPORT;
}

/* Hot. */
cb_status tcp_send(transport_node *base, transport_buffer *buffer)
{
    tcp_factory *factory = tcp_factory_of(base->factory);
    tcp_node *node = tcp_node_of(base);
    cb_status status;

    if (__builtin_expect(node->fd < 0, 0)) {
        tcp_buffer_release(buffer);
        return refuse_itself(node);
    }
    tcp_lock(factory);
    factory->base.held--;
    status = send_locked(factory, node, buffer, 0);
    tcp_unlock(factory);
    return status;
}

/* To a node whose connection has no room now, or not for all, goes a copy that waits for it. */
static cb_status send_shared(tcp_factory *factory, tcp_node *node, const transport_buffer *buffer)
{
    transport_buffer *copy;
    cb_status status = CB_EMPTY;
    size_t sent = 0;

    if (node->fd < 0)
        return refuse_itself(node);
    if (node->sending.first == NULL)
        status = transfer(node, buffer, &sent);
    if (status != CB_EMPTY)
        return status;
    copy = transport_pool_take(&factory->pool);
    if (copy == NULL)
        return CB_ERROR_MEMORY;
    memcpy(copy->data, buffer->data, buffer->size);
    copy->size = buffer->size;
    return send_locked(factory, node, copy, sent);
}

cb_status tcp_send_to_each(transport_group *group, transport_buffer *buffer)
{
    tcp_factory *factory = tcp_factory_of(group->factory);
    cb_status first = CB_OK;

    tcp_lock(factory);
    for (size_t i = 0; i < group->count; i++) {
        cb_status status = send_shared(factory, tcp_node_of(group->nodes[i]), buffer);

        first = first == CB_OK ? status : first;
    }
    factory->base.held--;
    tcp_give_back(factory, buffer);
    tcp_unlock(factory);
    return first;
}

cb_status tcp_flush_queues(tcp_factory *factory)
{
    cb_status first = CB_OK;

    tcp_lock(factory);
    for (int rank = 0; rank < factory->base.size; rank++) {
        cb_status status = flush_queue(factory, &factory->nodes[rank]);

        first = first == CB_OK ? status : first;
    }
    tcp_unlock(factory);
    return first;
}

cb_status tcp_flush(transport_factory *base)
{
    tcp_factory *factory = tcp_factory_of(base);

    for (uint64_t polls = 0; tcp_has_queued(factory); polls++) {
        CB_TRY(tcp_flush_queues(factory));
        if (tcp_has_queued(factory))
            tcp_pause(factory, polls);
    }
    return CB_OK;
}
