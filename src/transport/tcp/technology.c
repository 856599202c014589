/* The technology tcp: messages over stream sockets, one connection per pair of ranks, opened at
 * open and shut down at close. A message is a header of eight bytes and its payload;
 * docs/reference/technologies.md has the format. */
#include "transport/tcp/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"

/* Parameters */

#define FIELD(name) offsetof(tcp_settings, name)

enum { ANY_NODE = CB_SCOPE_TOP | CB_SCOPE_NODE | CB_SCOPE_JOB };

static const cb_parameter rows[] = {
    {.name = "port",
     .scopes = ANY_NODE,
     .offset = FIELD(port),
     .maximum = 65535,
     .help = "The port at which a process listens while the job opens; processes that share a host "
             "add their local rank; 0: any free port"},
    {.name = "socket_buffer_size",
     .scopes = ANY_NODE,
     .kind = CB_PARAMETER_SIZE,
     .offset = FIELD(socket_buffer_size),
     .maximum = UINT64_C(1) << 30,
     .help = "The kernel's buffers of a connection, each way; 0: as the system has it, which "
             "adapts them"},
    {.name = "pacing_Bps",
     .scopes = ANY_NODE,
     .kind = CB_PARAMETER_SIZE,
     .offset = FIELD(pacing_Bps),
     .maximum = UINT64_C(1) << 40,
     .unit = "B/s",
     .help =
         "Most that a connection sends (SO_MAX_PACING_RATE): the kernel spreads packets evenly; "
         "0: no limit"},
    {.name = "silence_s",
     .scopes = ANY_NODE,
     .offset = FIELD(silence_s),
     .default_value = 20,
     .minimum = 1,
     .maximum = 86400,
     .unit = "s",
     .help = "A peer whose host has not answered for this time is lost"},
};

const cb_parameter_set tcp_parameters = {
    .context = "TCP",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .bytes = sizeof(tcp_settings),
};

/* Opening */

static cb_status allocate(tcp_factory *factory)
{
    const size_t ranks = (size_t)factory->base.size;

    factory->nodes = cb_allocate(ranks, sizeof(*factory->nodes), "the nodes");
    factory->staging = cb_allocate_aligned(CB_CACHE_LINE, ranks * TCP_STAGING_BYTES, "the nodes");
    if (factory->nodes == NULL || factory->staging == NULL)
        return CB_ERROR_MEMORY;
    for (size_t rank = 0; rank < ranks; rank++) {
        tcp_node *node = &factory->nodes[rank];

        node->fd = -1;
        node->base.rank = (int)rank;
        node->base.factory = &factory->base;
        node->receiving.staging = factory->staging + rank * TCP_STAGING_BYTES;
        node->sending.queue.queued = &factory->queued;
    }
    return CB_OK;
}

static void destroy(transport_factory *base)
{
    tcp_factory *factory = tcp_factory_of(base);

    for (int rank = 0; factory->nodes != NULL && rank < base->size; rank++)
        if (factory->nodes[rank].fd >= 0)
            close(factory->nodes[rank].fd);
    if (factory->events >= 0)
        close(factory->events);
    transport_pool_clear(&factory->pool);
    transport_lock_close(&factory->lock);
    free(factory->staging);
    free(factory->nodes);
    free(factory);
}

static cb_status set_up(transport_factory *base, const transport_bootstrap *bootstrap)
{
    tcp_factory *factory = tcp_factory_of(base);
    tcp_settings settings;

    factory->events = -1;
    factory->base.counters = factory->counters;
    factory->base.worst = factory->worst;
    transport_lock_open(&factory->lock, bootstrap->many_senders);
    transport_take_values(bootstrap, &tcp_parameters, &settings);
    factory->silence_ns = settings.silence_s * UINT64_C(1000000000);
    CB_TRY(allocate(factory));
    factory->events = epoll_create1(EPOLL_CLOEXEC);
    if (factory->events < 0) {
        cb_error("cannot make an epoll for the technology tcp: %m; raise the limit of open files");
        return CB_ERROR_SYSTEM;
    }
    return tcp_connect_all(factory, bootstrap, &settings);
}

static cb_status tcp_open(const transport_bootstrap *bootstrap, transport_factory **out)
{
    return transport_factory_make(bootstrap, sizeof(tcp_factory), "the technology tcp", set_up,
                                  destroy, out);
}

/* Closing: send what is queued, then a shutdown message; read and drop what other ranks still send
 * until all of them have shut down. Closing a connection with unread data would reset it, and the
 * peer would lose data that it has not read. */

static void send_shutdown(tcp_node *node)
{
    tcp_sending *to = &node->sending;
    unsigned char header[TCP_HEADER_BYTES];
    ssize_t now;

    tcp_header_write(header, (tcp_header){.bytes = TCP_SHUTDOWN, .number = to->number});
    now = send(node->fd, header + to->shutdown_bytes, TCP_HEADER_BYTES - to->shutdown_bytes,
               MSG_NOSIGNAL);
    if (now > 0)
        to->shutdown_bytes += (size_t)now;
    else if (errno != EAGAIN && errno != ENOBUFS && errno != EINTR)
        (void)tcp_lose(node, "shut down the connection to", errno);
    if (to->shutdown_bytes == TCP_HEADER_BYTES)
        shutdown(node->fd, SHUT_WR);
}

static bool is_shut_down(tcp_node *node)
{
    const tcp_sending *to = &node->sending;
    ssize_t now;

    if (node->fd < 0 || tcp_lost(node) != CB_OK)
        return true;
    if (to->queue.first == NULL && to->shutdown_bytes < TCP_HEADER_BYTES)
        send_shutdown(node);
    if (!node->receiving.ended) {
        do
            now = recv(node->fd, node->receiving.staging, TCP_STAGING_BYTES, 0);
        while (now > 0 || (now < 0 && errno == EINTR));
        node->receiving.ended = now == 0 || errno != EAGAIN;
    }
    return node->receiving.ended && to->shutdown_bytes == TCP_HEADER_BYTES;
}

/* An error if messages were queued for a peer that is lost. */
static cb_status tcp_close(transport_factory *base)
{
    tcp_factory *factory = tcp_factory_of(base);
    cb_status flushed = CB_OK;
    bool all = false;

    for (uint64_t polls = 0; !all; polls++) {
        cb_status now = tcp_flush_queues(factory);

        flushed = flushed == CB_OK ? now : flushed;
        all = true;
        for (int rank = 0; rank < base->size; rank++)
            all = is_shut_down(&factory->nodes[rank]) && all;
        if (!all)
            tcp_pause(factory, polls);
    }
    destroy(base);
    return flushed;
}

/* Buffers and nodes */

/* Whole messages in the staging area or in the kernel do not belong to the pool; a partly received
 * one does. */
static cb_status tcp_prepare(transport_factory *base, const transport_preparation *preparation)
{
    tcp_factory *factory = tcp_factory_of(base);

    if (preparation->message_bytes >= TCP_SHUTDOWN) {
        cb_error("cannot send messages of %zu bytes over tcp: the largest is %u; lower --sizes",
                 preparation->message_bytes, (unsigned)TCP_SHUTDOWN - 1);
        return CB_ERROR_UNSUPPORTED;
    }
    CB_TRY(tcp_flush(base));
    for (int rank = 0; rank < base->size; rank++)
        if (factory->nodes[rank].receiving.incoming != NULL) {
            cb_error("cannot announce messages over tcp while one of rank %d is arriving: receive "
                     "it before; this is a defect of the program",
                     rank);
            return CB_ERROR_TRANSPORT;
        }
    return transport_pool_prepare(&factory->pool, base, preparation);
}

/* Hot. */
static transport_buffer *tcp_buffer_create(transport_factory *base, size_t size)
{
    tcp_factory *factory = tcp_factory_of(base);
    transport_buffer *buffer;

    transport_lock_take(&factory->lock);
    buffer = transport_pool_take(&factory->pool);
    if (buffer != NULL) {
        buffer->size = size;
        base->held++;
    }
    transport_lock_give(&factory->lock);
    if (__builtin_expect(buffer == NULL, 0))
        (void)transport_noted(base, CB_ERROR_MEMORY);
    return buffer;
}

/* Hot. */
static void tcp_buffer_release(transport_buffer *buffer)
{
    tcp_factory *factory = tcp_factory_of(buffer->owner);

    transport_lock_take(&factory->lock);
    factory->base.held--;
    transport_pool_give(&factory->pool, buffer);
    transport_lock_give(&factory->lock);
}

/* Connections exist from open to close, so that queued data outlives a node. */
static cb_status tcp_node_create(transport_factory *base, int rank, transport_node **out)
{
    tcp_factory *factory = tcp_factory_of(base);

    CB_TRY(transport_check_rank(base, rank,
                                rank >= 0 && rank < base->size && factory->nodes[rank].in_use));
    factory->nodes[rank].in_use = true;
    factory->nodes[rank].base = (transport_node){.ops = &base->ops, .factory = base, .rank = rank};
    *out = &factory->nodes[rank].base;
    return CB_OK;
}

static void tcp_node_destroy(transport_node *node)
{
    tcp_node_of(node)->in_use = false;
}

const transport_technology transport_tcp = {
    .name = "tcp",
    .summary = "stream sockets",
    .capabilities = TRANSPORT_ORDERED | TRANSPORT_RELIABLE | TRANSPORT_CONCURRENT_SEND |
                    TRANSPORT_BLOCKING_WAIT | TRANSPORT_DELIVERS | TRANSPORT_INTERFACE,
    .parameters = &tcp_parameters,
    .counters = &tcp_counters,
    .losses = "tcp",
    .count = tcp_count,
    .probe = socket_probe,
    .open = tcp_open,
    .close = tcp_close,
    .prepare = tcp_prepare,
    .flush = tcp_flush,
    .node_create = tcp_node_create,
    .node_destroy = tcp_node_destroy,
    .buffer_create = tcp_buffer_create,
    .buffer_release = tcp_buffer_release,
    .send = tcp_send,
    .receive = tcp_receive,
    .try_receive = tcp_try_receive,
    .group_send = tcp_group_send,
    .group_receive = tcp_group_receive,
    .group_try_receive = tcp_group_try_receive,
};
