/* Opening connections: each rank connects to the lower ranks and accepts connections of the higher
 * ones. The first bytes carry the key of the job; a connection without it is rejected and counted.
 * A rank sends its hello to all peers before it waits for any answer, which avoids circular waits.
 */
#include "transport/tcp/internal.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

static const uint64_t timeout_ns = UINT64_C(30000000000);

/* State shared by the steps of opening. */
typedef struct {
    tcp_factory *factory;
    const tcp_settings *settings;
    socket_place place;
    uint64_t deadline_ns;
    int listener;
} opening;

static int left_ms(const opening *open)
{
    const uint64_t now_ns = cb_now_ns();

    return now_ns < open->deadline_ns ? (int)((open->deadline_ns - now_ns) / 1000000) + 1 : 0;
}

static cb_status report_failure(const char *attempt, const tcp_node *node, int cause)
{
    char text[SOCKET_TEXT_BYTES];

    cb_error("cannot %s rank %d over tcp at %s: %s; check for a firewall or a limit of open files, "
             "or choose another --interface",
             attempt, node->base.rank, socket_text(&node->address, text), strerror(cause));
    return CB_ERROR_SYSTEM;
}

/* Descriptors for a connection to each rank and for other files. */
static void raise_limit_of_files(int ranks)
{
    const rlim_t wanted = (rlim_t)ranks + 256;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static cb_status listen_here(opening *open, struct sockaddr_in *mine)
{
    char text[SOCKET_TEXT_BYTES];
    unsigned port;

    CB_TRY(socket_port("tcp", open->settings->port, open->place.local_rank, &port));
    CB_TRY(socket_bind("tcp", SOCK_STREAM, &open->place.interface, port, &open->listener, mine));
    socket_set_buffers(open->listener, open->settings->socket_buffer_size);
    if (listen(open->listener, SOMAXCONN) == 0)
        return CB_OK;
    cb_error("cannot listen for tcp at %s: %m; configure another port, or 0 for any",
             socket_text(mine, text));
    return CB_ERROR_SYSTEM;
}

/* Wait until the socket is writable or, with POLLIN, readable. Returns an errno, or 0. */
static int wait_for_socket(const opening *open, int fd, short events)
{
    struct pollfd one = {.fd = fd, .events = events};
    int ready;

    do
        ready = poll(&one, 1, left_ms(open));
    while (ready < 0 && errno == EINTR);
    return ready > 0 ? 0 : ready == 0 ? ETIMEDOUT : errno;
}

static int finish_connect(const opening *open, int fd)
{
    int cause = wait_for_socket(open, fd, POLLOUT);
    socklen_t bytes = sizeof(cause);

    if (cause == 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &cause, &bytes) != 0)
        cause = errno;
    return cause;
}

static cb_status greet(const opening *open, tcp_node *node)
{
    const transport_factory *base = &open->factory->base;
    unsigned char hello[TCP_HELLO_BYTES];
    struct sockaddr_in own;
    int cause = 0;

    CB_TRY(socket_bind("tcp", SOCK_STREAM, &open->place.interface, 0, &node->fd, &own));
    socket_set_buffers(node->fd, open->settings->socket_buffer_size);
    if (connect(node->fd, (const struct sockaddr *)&node->address, sizeof(node->address)) != 0)
        cause = errno == EINPROGRESS ? finish_connect(open, node->fd) : errno;
    tcp_hello_write(hello, &open->place.key, base->rank, base->size);
    if (cause == 0 && send(node->fd, hello, sizeof(hello), MSG_NOSIGNAL) != sizeof(hello))
        cause = errno;
    return cause == 0 ? CB_OK : report_failure("connect to", node, cause);
}

static cb_status await_answer(const opening *open, tcp_node *node)
{
    unsigned char hello[TCP_HELLO_BYTES];
    size_t got = 0;

    while (got < sizeof(hello)) {
        int cause = wait_for_socket(open, node->fd, POLLIN);
        ssize_t now = cause == 0 ? recv(node->fd, hello + got, sizeof(hello) - got, 0) : -1;

        if (now > 0)
            got += (size_t)now;
        else if (now == 0)
            return report_failure("get an answer of", node, ECONNRESET);
        else if (cause != 0 || (errno != EAGAIN && errno != EINTR))
            return report_failure("get an answer of", node, cause != 0 ? cause : errno);
    }
    return tcp_hello_read(hello, &open->place.key, open->factory->base.size) == node->base.rank
               ? CB_OK
               : report_failure("get an answer of", node, EPROTO);
}

/* Pending connections: accepted, but not yet known to belong to a rank of the job. A slow or silent
 * one does not delay the others. */

/* When the list is full, a new connection replaces the oldest. */
enum { PENDING_MOST = 256 };

typedef struct {
    int fd;
    size_t got;
    unsigned char hello[TCP_HELLO_BYTES];
} pending_connection;

typedef struct {
    pending_connection waiting[PENDING_MOST];
    size_t count, rejected;
} pending_connections;

static void remove_pending(pending_connections *pending, size_t index)
{
    pending->count--;
    memmove(&pending->waiting[index], &pending->waiting[index + 1],
            (pending->count - index) * sizeof(pending->waiting[0]));
}

static void reject(pending_connections *pending, size_t index)
{
    close(pending->waiting[index].fd);
    pending->rejected++;
    remove_pending(pending, index);
}

/* Whether the hello is from an expected rank. If so, answer it and make the connection that rank's.
 */
static bool accept_hello(const opening *open, const pending_connection *from)
{
    tcp_factory *factory = open->factory;
    unsigned char hello[TCP_HELLO_BYTES];
    int rank = tcp_hello_read(from->hello, &open->place.key, factory->base.size);

    if (rank <= factory->base.rank || factory->nodes[rank].fd >= 0)
        return false;
    tcp_hello_write(hello, &open->place.key, factory->base.rank, factory->base.size);
    if (send(from->fd, hello, sizeof(hello), MSG_NOSIGNAL) != sizeof(hello))
        return false;
    factory->nodes[rank].fd = from->fd;
    return true;
}

static void read_hello(const opening *open, pending_connections *pending, size_t index)
{
    pending_connection *from = &pending->waiting[index];
    ssize_t now = recv(from->fd, from->hello + from->got, sizeof(from->hello) - from->got, 0);

    if (now < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (now > 0)
        from->got += (size_t)now;
    if (now > 0 && from->got < sizeof(from->hello))
        return;
    if (now > 0 && accept_hello(open, from))
        remove_pending(pending, index);
    else
        reject(pending, index);
}

static cb_status accept_pending(const opening *open, pending_connections *pending)
{
    int fd = accept4(open->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd < 0) {
        /* The other errors concern connections that ended before they were accepted. */
        if (errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS)
            return CB_OK;
        cb_error("cannot accept a connection over tcp: %m; raise the limit of open files");
        return CB_ERROR_SYSTEM;
    }
    if (pending->count == PENDING_MOST)
        reject(pending, 0);
    pending->waiting[pending->count++] = (pending_connection){.fd = fd};
    return CB_OK;
}

/* Wait for input until the deadline, and read it. */
static cb_status await_pending(const opening *open, pending_connections *pending)
{
    struct pollfd watched[PENDING_MOST + 1];
    const size_t count = pending->count;

    for (size_t i = 0; i < count; i++)
        watched[i] = (struct pollfd){.fd = pending->waiting[i].fd, .events = POLLIN};
    watched[count] = (struct pollfd){.fd = open->listener, .events = POLLIN};
    if (poll(watched, (nfds_t)count + 1, left_ms(open)) <= 0)
        return CB_OK;
    for (size_t i = count; i-- > 0;)
        if (watched[i].revents != 0)
            read_hello(open, pending, i);
    return watched[count].revents != 0 ? accept_pending(open, pending) : CB_OK;
}

static cb_status accept_ranks(const opening *open)
{
    tcp_factory *factory = open->factory;
    pending_connections pending = {.count = 0};
    cb_status status = CB_OK;

    for (int rank = factory->base.rank + 1; rank < factory->base.size && status == CB_OK;)
        if (factory->nodes[rank].fd >= 0)
            rank++;
        else if (left_ms(open) == 0)
            status = report_failure("be reached by", &factory->nodes[rank], ETIMEDOUT);
        else
            status = await_pending(open, &pending);
    while (pending.count > 0)
        reject(&pending, 0);
    factory->base.rejected_connections = pending.rejected;
    if (pending.rejected > 0)
        cb_warning("%zu connections lacked the key of the job and were dropped; something else "
                   "is scanning ports of this host",
                   pending.rejected);
    return status;
}

/* Connections of the job */

/* Keepalive detects a host that is lost while no data is in transit to it. The kernel paces without
 * a queueing discipline, from Linux 4.13 on. */
static cb_status configure_connection(const opening *open, tcp_node *node)
{
    const int on = 1, probes = 3, seconds = (int)open->settings->silence_s,
              interval_s = seconds / 4 > 0 ? seconds / 4 : 1;
    const uint64_t pacing_Bps = open->settings->pacing_Bps;
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                                .data.u32 = (uint32_t)node->base.rank};

    setsockopt(node->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(node->fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    setsockopt(node->fd, IPPROTO_TCP, TCP_KEEPIDLE, &interval_s, sizeof(interval_s));
    setsockopt(node->fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof(interval_s));
    setsockopt(node->fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
    if (pacing_Bps > 0 &&
        setsockopt(node->fd, SOL_SOCKET, SO_MAX_PACING_RATE, &pacing_Bps, sizeof(pacing_Bps)) != 0)
        return report_failure("pace the connection to", node, errno);
    node->receiving.readable = true;
    return epoll_ctl(open->factory->events, EPOLL_CTL_ADD, node->fd, &event) == 0
               ? CB_OK
               : report_failure("watch the connection to", node, errno);
}

static cb_status connect_and_accept(opening *open)
{
    tcp_factory *factory = open->factory;

    open->deadline_ns = cb_now_ns() + timeout_ns;
    for (int rank = 0; rank < factory->base.rank; rank++)
        CB_TRY(greet(open, &factory->nodes[rank]));
    CB_TRY(accept_ranks(open));
    for (int rank = 0; rank < factory->base.rank; rank++)
        CB_TRY(await_answer(open, &factory->nodes[rank]));
    for (int rank = 0; rank < factory->base.size; rank++)
        if (rank != factory->base.rank)
            CB_TRY(configure_connection(open, &factory->nodes[rank]));
    return CB_OK;
}

static cb_status learn_addresses(opening *open, const transport_bootstrap *bootstrap)
{
    tcp_factory *factory = open->factory;
    struct sockaddr_in mine = {0};
    struct sockaddr_in *all =
        cb_allocate((size_t)bootstrap->size, sizeof(*all), "the addresses of all ranks");
    cb_status status = all != NULL ? listen_here(open, &mine) : CB_ERROR_MEMORY;

    if (all == NULL)
        return CB_ERROR_MEMORY;
    status = socket_exchange_addresses(bootstrap, status, &mine, all);
    for (int rank = 0; rank < bootstrap->size; rank++)
        factory->nodes[rank].address = all[rank];
    free(all);
    return status;
}

cb_status tcp_connect_all(tcp_factory *factory, const transport_bootstrap *bootstrap,
                          const tcp_settings *settings)
{
    opening open = {.factory = factory, .settings = settings, .listener = -1};
    cb_status status;

    raise_limit_of_files(bootstrap->size);
    CB_TRY(socket_meet(bootstrap, "the technology tcp", &open.place));
    socket_describe(&open.place.interface, factory->base.network, sizeof(factory->base.network));
    status = learn_addresses(&open, bootstrap);
    if (status == CB_OK)
        status = socket_agree(bootstrap, connect_and_accept(&open));
    if (open.listener >= 0)
        close(open.listener);
    return status;
}
