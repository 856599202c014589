/* One datagram: header and payload in two parts, sent and received without a copy. Faults can be
 * injected when sending, at random: losses, duplicates and reorderings, for tests and to show their
 * effect on a benchmark over a network without faults. */
#include "transport/udp/internal.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/log.h"
#include "base/units.h"

/* Maximum number of unexpected datagrams read before a receive checks its timeout. */
enum { UNEXPECTED_MOST = 64 };

/* Faults */

typedef enum { UDP_FAULT_NONE, UDP_FAULT_LOSS, UDP_FAULT_DUPLICATE, UDP_FAULT_REORDER } udp_fault;

enum { TEXT_BYTES = 128 };

static cb_status report_bad_faults(const char *text, const char *part, const char *why)
{
    cb_error("cannot read the faults '%s' of COMBENCH_UDP_FAULTS: '%s' %s; write for example "
             "loss=0.01,double=0.001,reorder=0.02,seed=7",
             text, part, why);
    return CB_ERROR_USAGE;
}

static bool read_part(char *part, udp_faults *out, uint64_t *seed, char *why)
{
    const struct {
        const char *name;
        double *value;
    } shares[] = {
        {"loss", &out->loss}, {"double", &out->duplication}, {"reorder", &out->reordering}};
    char *value = strchr(part, '=');

    snprintf(why, CB_WHY_BYTES, "is not a fault");
    if (value == NULL)
        return false;
    *value++ = '\0';
    if (strcmp(part, "seed") == 0)
        return cb_parse_count(value, 0, UINT32_MAX, seed, why);
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
        if (strcmp(part, shares[i].name) == 0)
            return cb_parse_real(value, 0, 1, NULL, shares[i].value, why);
    return false;
}

cb_status udp_faults_read(const char *text, int rank, udp_faults *out)
{
    char copy[TEXT_BYTES], why[CB_WHY_BYTES], *rest = copy;
    uint64_t seed = 1;

    *out = (udp_faults){0};
    if (text == NULL || text[0] == '\0')
        return CB_OK;
    if (strlen(text) >= sizeof(copy))
        return report_bad_faults(text, text, "is too long");
    memcpy(copy, text, strlen(text) + 1);
    for (char *part = strtok_r(copy, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest))
        if (!read_part(part, out, &seed, why))
            return report_bad_faults(text, part, why);
    if (out->loss + out->duplication + out->reordering > 1)
        return report_bad_faults(text, text, "adds up to more than 1");
    out->random = cb_random_seed(cb_mix64(seed) + (uint64_t)rank);
    return CB_OK;
}

/* Hot. The fault to inject into the next datagram. */
static inline udp_fault next_fault(udp_faults *faults)
{
    double drawn;

    if (__builtin_expect(faults->loss + faults->duplication + faults->reordering <= 0, 1))
        return UDP_FAULT_NONE;
    drawn = cb_random_unit(&faults->random);
    if (drawn < faults->loss)
        return UDP_FAULT_LOSS;
    if (drawn < faults->loss + faults->duplication)
        return UDP_FAULT_DUPLICATE;
    return drawn < faults->loss + faults->duplication + faults->reordering ? UDP_FAULT_REORDER
                                                                           : UDP_FAULT_NONE;
}

/* Sending */

/* Wait until the interface has made room in a full socket. */
static bool wait_for_room(int fd)
{
    const int timeout_ms = 100;
    struct pollfd one = {.fd = fd, .events = POLLOUT};

    return poll(&one, 1, timeout_ms) > 0;
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
        if (errno != EINTR && (errno != EAGAIN || !wait_for_room(factory->fd))) {
            factory->counters[UDP_UNSENT]++;
            return;
        }
    factory->counters[UDP_SENT]++;
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
    case UDP_FAULT_DUPLICATE:
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
void udp_put_datagram(udp_factory *factory, const struct sockaddr_in *to, uint32_t receiver,
                      const udp_header *header, const transport_buffer *payload)
{
    unsigned char bytes[UDP_HEADER_BYTES];
    struct iovec parts[2] = {{.iov_base = bytes, .iov_len = sizeof(bytes)},
                             {.iov_base = payload != NULL ? payload->data : bytes,
                              .iov_len = payload != NULL ? payload->size : 0}};
    udp_fault fault = next_fault(&factory->faults);

    udp_header_write(bytes, &factory->key, receiver, parts[1].iov_len, header);
    if (__builtin_expect(fault == UDP_FAULT_NONE && factory->held_bytes == 0, 1))
        emit(factory, to, parts, 2);
    else
        emit_with_fault(factory, to, parts, fault);
}

/* Receiving */

/* A datagram comes from the address of the rank that it names: another process of a host cannot
 * send from there. */
static bool is_from(const udp_factory *factory, const struct msghdr *message, uint32_t rank)
{
    const struct sockaddr_in *from = message->msg_name, *known = &factory->nodes[rank].address;

    return from->sin_addr.s_addr == known->sin_addr.s_addr && from->sin_port == known->sin_port;
}

/* `got` counts what a truncated datagram had, too (MSG_TRUNC). */
static bool is_of_job(udp_factory *factory, const unsigned char *bytes, size_t got,
                      const struct msghdr *message, udp_header *header)
{
    const uint32_t self = (uint32_t)factory->base.rank;
    const bool of_job = got >= UDP_HEADER_BYTES &&
                        udp_header_read(bytes, &factory->key, self, got - UDP_HEADER_BYTES,
                                        factory->base.size, header) &&
                        header->rank != self && is_from(factory, message, header->rank);
    const bool whole = (message->msg_flags & MSG_TRUNC) == 0;

    factory->counters[UDP_UNEXPECTED] += !of_job;
    factory->counters[UDP_OVERRUN] += of_job && !whole;
    return of_job && whole;
}

/* Restore the buffer after a datagram that is not a message of this job, or does not fit. */
static void restore_spare(const udp_factory *factory, size_t got)
{
    const size_t room = factory->pool.capacity;

    if (got > UDP_HEADER_BYTES)
        transport_pool_restore(&factory->pool, factory->spare,
                               got - UDP_HEADER_BYTES < room ? got - UDP_HEADER_BYTES : room);
}

static bool has_spare(udp_factory *factory)
{
    if (factory->spare == NULL)
        factory->spare = transport_pool_take(&factory->pool);
    return factory->spare != NULL;
}

/* Hot. Errors of earlier datagrams, which some systems report here, count as losses. */
cb_status udp_take_datagram(udp_factory *factory, int fd, udp_header *header,
                            transport_buffer **out)
{
    unsigned char bytes[UDP_HEADER_BYTES];

    if (!has_spare(factory))
        return transport_noted(&factory->base, CB_ERROR_MEMORY);
    for (int unexpected = 0; unexpected < UNEXPECTED_MOST;) {
        struct iovec parts[2] = {
            {.iov_base = bytes, .iov_len = sizeof(bytes)},
            {.iov_base = factory->spare->data, .iov_len = factory->pool.capacity}};
        struct sockaddr_in from = {0};
        struct msghdr message = {
            .msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = parts, .msg_iovlen = 2};
        ssize_t got = recvmsg(fd, &message, MSG_TRUNC);

        if (got < 0 && errno == EAGAIN)
            return CB_EMPTY;
        if (got < 0 && (errno == EBADF || errno == ENOMEM || errno == EFAULT)) {
            cb_error("cannot receive over udp: %m; this is a defect, or memory is short");
            return transport_noted(&factory->base, CB_ERROR_SYSTEM);
        }
        if (got < 0)
            continue;
        if (!is_of_job(factory, bytes, (size_t)got, &message, header)) {
            restore_spare(factory, (size_t)got);
            unexpected++;
            continue;
        }
        factory->counters[UDP_RECEIVED]++;
        factory->spare->size = (size_t)got - UDP_HEADER_BYTES;
        *out = factory->spare;
        factory->spare = NULL;
        return CB_OK;
    }
    return CB_EMPTY;
}
