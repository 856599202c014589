/* Sending: header and payload in one call. Data that the kernel has no room for waits in a queue,
 * in order, and is sent by later calls. */
#include "transport/tcp/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/log.h"

/* Up to this size a copy costs less than a call with two parts. */
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

/* Hot. The rest of a message, of which *sent bytes have been sent; CB_EMPTY: the kernel has no room
 * for all of it. */
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

static cb_status transfer_rest(void *target, const transport_buffer *buffer, size_t *sent)
{
    return transfer(target, buffer, sent);
}

static void give_back(void *target, transport_buffer *buffer)
{
    tcp_node *node = target;

    transport_pool_give(&tcp_factory_of(node->base.factory)->pool, buffer);
}

static const transport_queue_user queue_user = {.transfer = transfer_rest, .give_back = give_back};

static cb_status refuse_itself(const tcp_node *node)
{
    cb_error("cannot send to rank %d over tcp: it is this process, which has no connection to "
             "itself; send to another",
             node->base.rank);
    return transport_noted(node->base.factory, CB_ERROR_TRANSPORT);
}

/* Hot. */
cb_status tcp_send(transport_node *base, transport_buffer *buffer)
{
    tcp_factory *factory = tcp_factory_of(base->factory);
    tcp_node *node = tcp_node_of(base);
    cb_status status;

    if (__builtin_expect(node->fd < 0, 0)) {
        transport_buffer_release(buffer);
        return refuse_itself(node);
    }
    transport_lock_take(&factory->lock);
    factory->base.held--;
    status = transport_queue_send(&node->sending.queue, &queue_user, node, buffer);
    transport_lock_give(&factory->lock);
    return status;
}

/* A node whose connection has no room for the whole message gets a queued copy. */
static cb_status send_shared(tcp_factory *factory, tcp_node *node, const transport_buffer *buffer)
{
    transport_buffer *copy;
    cb_status status = CB_EMPTY;
    size_t sent = 0;

    if (node->fd < 0)
        return refuse_itself(node);
    if (node->sending.queue.first == NULL)
        status = transfer(node, buffer, &sent);
    if (status != CB_EMPTY)
        return status;
    copy = transport_pool_take(&factory->pool);
    if (copy == NULL)
        return transport_noted(&factory->base, CB_ERROR_MEMORY);
    memcpy(copy->data, buffer->data, buffer->size);
    copy->size = buffer->size;
    transport_queue_append(&node->sending.queue, copy, sent);
    return CB_OK;
}

cb_status tcp_group_send(transport_group *group, transport_buffer *buffer)
{
    tcp_factory *factory = tcp_factory_of(group->factory);
    cb_status first = CB_OK;

    transport_lock_take(&factory->lock);
    for (size_t i = 0; i < group->count; i++) {
        cb_status status = send_shared(factory, tcp_node_of(group->nodes[i]), buffer);

        first = first == CB_OK ? status : first;
    }
    factory->base.held--;
    transport_pool_give(&factory->pool, buffer);
    transport_lock_give(&factory->lock);
    return first;
}

cb_status tcp_flush_queues(tcp_factory *factory)
{
    cb_status first = CB_OK;

    transport_lock_take(&factory->lock);
    for (int rank = 0; rank < factory->base.size; rank++) {
        tcp_node *node = &factory->nodes[rank];
        cb_status status = transport_queue_flush(&node->sending.queue, &queue_user, node);

        first = first == CB_OK ? status : first;
    }
    transport_lock_give(&factory->lock);
    return first;
}

cb_status tcp_flush(transport_factory *base)
{
    tcp_factory *factory = tcp_factory_of(base);

    for (uint64_t polls = 0; transport_has_queued(&factory->queued); polls++) {
        CB_TRY(tcp_flush_queues(factory));
        if (transport_has_queued(&factory->queued))
            tcp_pause(factory, polls);
    }
    return CB_OK;
}
