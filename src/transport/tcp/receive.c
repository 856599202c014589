/* Receiving: headers through a staging area, payloads directly into the buffers of the pool. */
#include "transport/tcp/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/log.h"
#include "transport/common/group.h"

/* From this size on only headers are staged, since staged payload has to be copied. The next
 * message is assumed to be like the last. */
enum { LARGE_BYTES = 2048 };

static transport_buffer *take_buffer(tcp_factory *factory)
{
    transport_buffer *buffer;

    transport_lock_take(&factory->lock);
    buffer = transport_pool_take(&factory->pool);
    transport_lock_give(&factory->lock);
    return buffer;
}

static cb_status refuse_header(tcp_node *node, tcp_header header, size_t capacity)
{
    const uint32_t expected = node->receiving.number;

    if (header.number != expected)
        cb_error("rank %d sent an invalid message (number %u instead of %u)", node->base.rank,
                 header.number, expected);
    else
        cb_error(
            "rank %d sent a message of %u bytes, but at most %zu were announced; announce its size",
            node->base.rank, header.bytes, capacity);
    return tcp_lose(node, "receive from", EPROTO);
}

/* Parse the next staged header and copy the staged part of its payload; CB_EMPTY: the header is
 * incomplete. */
static cb_status begin_message(tcp_node *node)
{
    tcp_factory *factory = tcp_factory_of(node->base.factory);
    tcp_receiving *from = &node->receiving;
    const size_t staged = from->filled - from->first;
    tcp_header header;

    if (staged < TCP_HEADER_BYTES)
        return CB_EMPTY;
    header = tcp_header_read(from->staging + from->first);
    if (header.bytes == TCP_SHUTDOWN) {
        from->shut_down = true;
        return CB_EMPTY;
    }
    if (__builtin_expect(header.number != from->number || header.bytes > factory->pool.capacity, 0))
        return refuse_header(node, header, factory->pool.capacity);
    from->incoming = take_buffer(factory);
    if (from->incoming == NULL)
        return transport_noted(&factory->base, CB_ERROR_MEMORY);
    from->incoming->size = header.bytes;
    from->large = header.bytes >= LARGE_BYTES;
    from->got_bytes = staged - TCP_HEADER_BYTES;
    if (from->got_bytes > header.bytes)
        from->got_bytes = header.bytes;
    memcpy(from->incoming->data, from->staging + from->first + TCP_HEADER_BYTES, from->got_bytes);
    from->first += TCP_HEADER_BYTES + from->got_bytes;
    return CB_OK;
}

/* Where the next bytes go; returns how many may be read. While a message is arriving nothing more
 * is staged; between two messages less than a header is. */
static size_t lay_out(tcp_receiving *from, struct iovec parts[2])
{
    const size_t staged = from->filled - from->first;

    memmove(from->staging, from->staging + from->first, staged);
    from->first = 0;
    from->filled = staged;
    parts[0] = (struct iovec){.iov_base = NULL, .iov_len = 0};
    if (from->incoming != NULL)
        parts[0] =
            (struct iovec){.iov_base = (unsigned char *)from->incoming->data + from->got_bytes,
                           .iov_len = from->incoming->size - from->got_bytes};
    parts[1] =
        (struct iovec){.iov_base = from->staging + staged,
                       .iov_len = (from->large ? TCP_HEADER_BYTES : TCP_STAGING_BYTES) - staged};
    return parts[0].iov_len + parts[1].iov_len;
}

static cb_status find_end(tcp_node *node)
{
    tcp_receiving *from = &node->receiving;

    if (!from->shut_down)
        return tcp_lose(node, "receive from", 0);
    from->readable = false;
    return CB_EMPTY;
}

/* Hot. Read the connection once. */
static cb_status read_more(tcp_node *node)
{
    tcp_receiving *from = &node->receiving;
    struct iovec parts[2];
    const size_t asked = lay_out(from, parts), rest = parts[0].iov_len;
    size_t now;
    ssize_t got = rest == 0 ? recv(node->fd, parts[1].iov_base, parts[1].iov_len, 0)
                            : readv(node->fd, parts, 2);

    if (got == 0)
        return find_end(node);
    if (got < 0) {
        if (errno == EINTR)
            return CB_OK;
        if (errno != EAGAIN)
            return tcp_lose(node, "receive from", errno);
        from->readable = false;
        return CB_EMPTY;
    }
    now = (size_t)got < rest ? (size_t)got : rest;
    from->got_bytes += now;
    from->filled += (size_t)got - now;
    from->readable = (size_t)got == asked || from->hung_up;
    return CB_OK;
}

static cb_status hand_over(tcp_node *node, transport_buffer **out)
{
    tcp_factory *factory = tcp_factory_of(node->base.factory);

    *out = node->receiving.incoming;
    node->receiving.incoming = NULL;
    node->receiving.number++;
    transport_lock_take(&factory->lock);
    factory->base.held++;
    transport_lock_give(&factory->lock);
    return CB_OK;
}

/* Hot. The next message of a connected node; CB_EMPTY: there is none, and with `ask` the connection
 * was read. Messages that have arrived are delivered even if the peer was lost since. */
static cb_status poll_node(tcp_node *node, bool ask, transport_buffer **out)
{
    tcp_receiving *from = &node->receiving;

    for (;;) {
        cb_status status = from->incoming == NULL ? begin_message(node) : CB_OK;

        if (status == CB_OK && from->got_bytes == from->incoming->size)
            return hand_over(node, out);
        if (status != CB_OK && status != CB_EMPTY)
            return status;
        CB_TRY(tcp_lost(node));
        if (!ask && !from->readable)
            return CB_EMPTY;
        CB_TRY(read_more(node));
        ask = from->readable;
    }
}

/* Hot. */
static inline cb_status flush_and_poll(transport_node *base, bool ask, transport_buffer **out)
{
    tcp_factory *factory = tcp_factory_of(base->factory);
    tcp_node *node = tcp_node_of(base);
    cb_status status;

    if (__builtin_expect(transport_has_queued(&factory->queued), 0))
        CB_TRY(tcp_flush_queues(factory));
    if (__builtin_expect(node->fd < 0, 0))
        return CB_EMPTY;
    status = poll_node(node, ask, out);
    if (__builtin_expect(node->receiving.shut_down, 0) && status == CB_EMPTY)
        return tcp_lose(node, "receive from", 0);
    return status;
}

cb_status tcp_try_receive(transport_node *base, transport_buffer **out)
{
    return flush_and_poll(base, true, out);
}

/* Hot. With the yield policy, learns of events from epoll before it yields the core. */
cb_status tcp_receive(transport_node *base, transport_buffer **out)
{
    tcp_factory *factory = tcp_factory_of(base->factory);
    const bool ask = factory->base.wait != TRANSPORT_WAIT_YIELD;
    cb_status status;

    for (uint64_t polls = 0; (status = flush_and_poll(base, ask, out)) == CB_EMPTY; polls++)
        tcp_pause(factory, polls);
    return status;
}

/* Groups: ask the kernel once per round which connections have events. */

static cb_status poll_noted(transport_node *base, transport_buffer **out)
{
    tcp_node *node = tcp_node_of(base);

    return node->fd >= 0 ? poll_node(node, false, out) : CB_EMPTY;
}

/* Fail only if no peer of the group can send any more. */
static cb_status check_anybody_left(const transport_group *group)
{
    tcp_node *node = NULL;

    for (size_t i = 0; i < group->count; i++) {
        node = tcp_node_of(group->nodes[i]);
        if (!node->receiving.shut_down)
            return CB_EMPTY;
    }
    return node == NULL ? CB_EMPTY : tcp_lose(node, "receive from", 0);
}

/* Hot. */
cb_status tcp_group_try_receive(transport_group *group, transport_buffer **out,
                                transport_node **from)
{
    tcp_factory *factory = tcp_factory_of(group->factory);
    cb_status status;

    if (__builtin_expect(transport_has_queued(&factory->queued), 0))
        CB_TRY(tcp_flush_queues(factory));
    status = transport_group_ask(group, poll_noted, out, from);
    if (status != CB_EMPTY)
        return status;
    group->turn = 0;
    tcp_note_events(factory, 0);
    status = transport_group_ask(group, poll_noted, out, from);
    return status != CB_EMPTY ? status : check_anybody_left(group);
}

/* Hot. */
cb_status tcp_group_receive(transport_group *group, transport_buffer **out, transport_node **from)
{
    tcp_factory *factory = tcp_factory_of(group->factory);
    cb_status status;

    for (uint64_t polls = 0; (status = tcp_group_try_receive(group, out, from)) == CB_EMPTY;
         polls++)
        tcp_pause(factory, polls);
    return status;
}
