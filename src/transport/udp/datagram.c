/* One datagram: header and payload in two parts, sent and received without a copy. */
#include "transport/udp/internal.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/log.h"

/* So many datagrams of others are read before a receive looks at its time-out again. */
enum { FOREIGN_MOST = 64 };

/* A full socket has room again as the interface takes what is in it. */
static bool await_room(int fd)
{
    const int patience_ms = 100;
    struct pollfd one = {.fd = fd, .events = POLLOUT};

    return poll(&one, 1, patience_ms) > 0;
}

/* Hot. */
static void emit(udp_factory *factory, const struct sockaddr_in *to, struct iovec *parts,
                 size_t count)
{
    struct sockaddr_in address = *to;
    const struct msghdr message = {.msg_name = &address,
                                   .msg_namelen = sizeof(address),
                                   .msg_iov = parts,
                                   .msg_iovlen = count};

    while (sendmsg(factory->fd, &message, MSG_NOSIGNAL) < 0)
        if (errno != EINTR && (errno != EAGAIN || !await_room(factory->fd))) {
            factory->base.datagrams.unsent++;
            return;
        }
    factory->base.datagrams.sent++;
}

static void hold_back(udp_factory *factory, const struct sockaddr_in *to, const struct iovec *parts)
{
    factory->held_address = *to;
    memcpy(factory->held_back, parts[0].iov_base, parts[0].iov_len);
    if (parts[1].iov_len > 0)
        memcpy(factory->held_back + parts[0].iov_len, parts[1].iov_base, parts[1].iov_len);
    factory->held_bytes = parts[0].iov_len + parts[1].iov_len;
}

static void emit_held_back(udp_factory *factory)
{
    struct iovec whole = {.iov_base = factory->held_back, .iov_len = factory->held_bytes};

    factory->held_bytes = 0;
    emit(factory, &factory->held_address, &whole, 1);
}

static void emit_with_fault(udp_factory *factory, const struct sockaddr_in *to, struct iovec *parts,
                            udp_fault fault)
{
    switch (fault) {
    case UDP_FAULT_LOSS:
        break;
    case UDP_FAULT_REORDER:
        if (factory->held_bytes == 0) {
            hold_back(factory, to, parts);
            return;
        }
        emit(factory, to, parts, 2);
        break;
    case UDP_FAULT_DOUBLE:
        emit(factory, to, parts, 2);
        emit(factory, to, parts, 2);
        break;
    case UDP_FAULT_NONE:
        emit(factory, to, parts, 2);
        break;
    }
    if (factory->held_bytes > 0)
        emit_held_back(factory);
}

/* Hot. */
void udp_put_datagram(udp_factory *factory, const struct sockaddr_in *to, const udp_header *header,
                      const transport_buffer *payload)
{
    unsigned char bytes[UDP_HEADER_BYTES];
    struct iovec parts[2] = {{.iov_base = bytes, .iov_len = sizeof(bytes)},
                             {.iov_base = payload != NULL ? payload->data : bytes,
                              .iov_len = payload != NULL ? payload->size : 0}};
    udp_fault fault = udp_faults_next(&factory->faults);

    udp_header_write(bytes, &factory->key, header);
    if (__builtin_expect(fault == UDP_FAULT_NONE && factory->held_bytes == 0, 1))
        emit(factory, to, parts, 2);
    else
        emit_with_fault(factory, to, parts, fault);
}

static bool is_ours(udp_factory *factory, const unsigned char *bytes, size_t got,
                    const struct msghdr *message, udp_header *header)
{
    const bool of_job = got >= UDP_HEADER_BYTES &&
                        udp_header_read(bytes, &factory->key, factory->base.size, header) &&
                        header->rank != (uint32_t)factory->base.rank;
    const bool whole = (message->msg_flags & MSG_TRUNC) == 0;

    factory->base.datagrams.foreign += !of_job;
    factory->base.datagrams.overrun += of_job && !whole;
    return of_job && whole;
}

/* The payload of a stranger is where that of the next message comes, or a message to be sent. */
static void forget(const udp_factory *factory, size_t got)
{
    if (got > UDP_HEADER_BYTES)
        transport_pool_restore(&factory->pool, factory->spare, got - UDP_HEADER_BYTES);
}

static bool has_spare(udp_factory *factory)
{
    if (factory->spare == NULL)
        factory->spare = transport_pool_take(&factory->pool);
    return factory->spare != NULL;
}

/* Hot. Errors of earlier datagrams, which some systems tell here, are losses. */
cb_status udp_take_datagram(udp_factory *factory, int fd, udp_header *header,
                            transport_buffer **out)
{
    unsigned char bytes[UDP_HEADER_BYTES];

    if (!has_spare(factory))
        return CB_ERROR_MEMORY;
    for (int foreign = 0; foreign < FOREIGN_MOST;) {
        struct iovec parts[2] = {
            {.iov_base = bytes, .iov_len = sizeof(bytes)},
            {.iov_base = factory->spare->data, .iov_len = factory->pool.capacity}};
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
        ssize_t got = recvmsg(fd, &message, 0);

        if (got < 0 && errno == EAGAIN)
            return CB_EMPTY;
        if (got < 0 && (errno == EBADF || errno == ENOMEM || errno == EFAULT)) {
            cb_error("cannot receive over udp: %m; this is a defect, or memory is short");
            return CB_ERROR_SYSTEM;
        }
        if (got < 0)
            continue;
        if (!is_ours(factory, bytes, (size_t)got, &message, header)) {
            forget(factory, (size_t)got);
            foreign++;
            continue;
        }
        factory->base.datagrams.received++;
        factory->spare->size = (size_t)got - UDP_HEADER_BYTES;
        *out = factory->spare;
        factory->spare = NULL;
        return CB_OK;
    }
    return CB_EMPTY;
}
