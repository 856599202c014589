/* Leaving: what is queued goes out, then a goodbye; what others still send is read and forgotten
 * until all of them have said theirs. A connection that was closed with data unread would take away
 * from the peer what it has not read either. */
#include "transport/tcp/internal.h"

#include <errno.h>
#include <sys/socket.h>

/* Behind what is queued. */
static void say_goodbye(tcp_node *node)
{
    tcp_sending *to = &node->sending;
    unsigned char header[TCP_HEADER_BYTES];
    ssize_t now;

    tcp_header_write(header, (tcp_header){.bytes = TCP_GOODBYE, .number = to->number});
    now = send(node->fd, header + to->goodbye_bytes, TCP_HEADER_BYTES - to->goodbye_bytes,
               MSG_NOSIGNAL);
    if (now > 0)
        to->goodbye_bytes += (size_t)now;
    else if (errno != EAGAIN && errno != ENOBUFS && errno != EINTR)
        (void)tcp_lose(node, "take leave of", errno);
    if (to->goodbye_bytes == TCP_HEADER_BYTES)
        shutdown(node->fd, SHUT_WR);
}

static void read_to_the_end(tcp_node *node)
{
    ssize_t now;

    do
        now = recv(node->fd, node->receiving.staging, TCP_STAGING_BYTES, 0);
    while (now > 0 || (now < 0 && errno == EINTR));
    node->receiving.ended = now == 0 || errno != EAGAIN;
}

static bool has_left(tcp_node *node)
{
    const tcp_sending *to = &node->sending;

    if (node->fd < 0 || tcp_lost(node) != CB_OK)
        return true;
    if (to->first == NULL && to->goodbye_bytes < TCP_HEADER_BYTES)
        say_goodbye(node);
    if (!node->receiving.ended)
        read_to_the_end(node);
    return node->receiving.ended && to->goodbye_bytes == TCP_HEADER_BYTES;
}

cb_status tcp_take_leave(tcp_factory *factory)
{
    cb_status flushed = CB_OK;

    for (uint64_t polls = 0;; polls++) {
        cb_status now = tcp_flush_queues(factory);
        bool all_left = true;

        flushed = flushed == CB_OK ? now : flushed;
        for (int rank = 0; rank < factory->base.size; rank++)
            all_left = has_left(&factory->nodes[rank]) && all_left;
        if (all_left)
            return flushed;
        tcp_pause(factory, polls);
    }
}
