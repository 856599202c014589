/* Counters: what the kernel knows of the connections (TCP_INFO). Increases are sums over all
 * connections of this process. Readings are of the connections that have sent since the last one.
 *
 * Foreign headers of this folder: linux/sock_diag.h, linux/tcp.h. It may be older than the kernel:
 * a value is taken if it is among the bytes that the kernel returns, and left out if not. */
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include "base/log.h"
#include "transport/tcp/internal.h"

enum {
    RETRANSMITTED,
    SPURIOUS,
    TIMEOUTS,
    OUT_OF_ORDER,
    ECN_MARKS,
    DROPPED,
    LEAST_RTT,
    RTT,
    WINDOW,
    DELIVERY
};

static const cb_counter rows[TCP_COUNTERS] = {
    [RETRANSMITTED] = {.key = "retransmitted",
                       .unit = "segments",
                       .meaning = "sent again",
                       .heading = "again",
                       .is_marked = true},
    [SPURIOUS] = {.key = "spurious",
                  .unit = "segments",
                  .meaning = "of these, sent again although they had arrived, as their receivers "
                             "reported (D-SACK)"},
    [TIMEOUTS] = {.key = "timeouts",
                  .unit = "timeouts",
                  .meaning =
                      "of retransmission, after which a connection starts slowly; from Linux "
                      "6.7 on",
                  .is_marked = true},
    [OUT_OF_ORDER] = {.key = "out_of_order",
                      .unit = "segments",
                      .meaning = "received before an earlier one"},
    [ECN_MARKS] = {.key = "ecn_marks",
                   .unit = "segments",
                   .meaning = "that a switch marked, as their receivers reported (ECN)",
                   .is_marked = true},
    [DROPPED] = {.key = "dropped",
                 .unit = "segments",
                 .meaning = "received and dropped by the socket: no room, or received before"},
    [LEAST_RTT] = {.key = "least_rtt_us",
                   .unit = "us",
                   .meaning = "shortest round trip of the last minutes, of any connection",
                   .kind = CB_COUNTER_LEAST},
    [RTT] = {.key = "rtt_us",
             .unit = "us",
             .meaning = "smoothed round trip of the slowest connection, at the end of the row",
             .kind = CB_COUNTER_MOST},
    [WINDOW] = {.key = "window",
                .unit = "segments",
                .meaning = "smallest congestion window of a connection, at the end of the row",
                .kind = CB_COUNTER_LEAST},
    [DELIVERY] = {.key = "delivery_Bps",
                  .unit = "B/s",
                  .meaning =
                      "lowest rate that a connection delivered, as last measured by the kernel",
                  .kind = CB_COUNTER_LEAST},
};

const cb_counter_set tcp_counters = {
    .group = "connections", .rows = rows, .count = TCP_COUNTERS, .in_timed_only = true};

/* Where a value is in what the kernel returns, and of how many bytes. */
typedef struct {
    size_t offset, bytes;
} place;

#define PLACE(field)                                                                               \
    {                                                                                              \
        offsetof(struct tcp_info, field), sizeof(((struct tcp_info *)NULL)->field)                 \
    }

/* tcpi_total_rto is not in all headers. */
static const place places[TCP_COUNTERS] = {[RETRANSMITTED] = PLACE(tcpi_total_retrans),
                                           [SPURIOUS] = PLACE(tcpi_dsack_dups),
                                           [TIMEOUTS] = {240, 2},
                                           [OUT_OF_ORDER] = PLACE(tcpi_rcv_ooopack),
                                           [ECN_MARKS] = PLACE(tcpi_delivered_ce),
                                           [LEAST_RTT] = PLACE(tcpi_min_rtt),
                                           [RTT] = PLACE(tcpi_rtt),
                                           [WINDOW] = PLACE(tcpi_snd_cwnd),
                                           [DELIVERY] = PLACE(tcpi_delivery_rate)};

static const place sent_bytes = PLACE(tcpi_bytes_sent);

enum { INFO_BYTES = 512 };

typedef struct {
    unsigned char data[INFO_BYTES];
    socklen_t bytes;
} info;

static uint64_t value_at(const info *told, const place *where)
{
    uint64_t wide = 0;
    uint32_t word = 0;
    uint16_t half = 0;

    if (where->offset + where->bytes > told->bytes)
        return CB_COUNTER_ABSENT;
    if (where->bytes == sizeof(wide)) {
        memcpy(&wide, told->data + where->offset, sizeof(wide));
        return wide;
    }
    if (where->bytes == sizeof(half)) {
        memcpy(&half, told->data + where->offset, sizeof(half));
        return half;
    }
    memcpy(&word, told->data + where->offset, sizeof(word));
    return word == UINT32_MAX ? CB_COUNTER_ABSENT : word;
}

static uint64_t combined(cb_counter_kind kind, uint64_t before, uint64_t value)
{
    if (value == CB_COUNTER_ABSENT)
        return kind == CB_COUNTER_INCREASE ? value : before;
    if (before == CB_COUNTER_ABSENT)
        return kind == CB_COUNTER_INCREASE ? before : value;
    if (kind == CB_COUNTER_INCREASE)
        return before + value;
    return (kind == CB_COUNTER_LEAST) == (value < before) ? value : before;
}

/* What the kernel knows of a connection now. */
static void read_connection(int fd, const info *told, uint64_t values[TCP_COUNTERS])
{
    uint32_t memory[SK_MEMINFO_VARS] = {0};
    socklen_t bytes = sizeof(memory);

    for (size_t i = 0; i < TCP_COUNTERS; i++)
        values[i] = places[i].bytes > 0 ? value_at(told, &places[i]) : CB_COUNTER_ABSENT;
    if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, memory, &bytes) == 0 &&
        bytes > SK_MEMINFO_DROPS * sizeof(*memory))
        values[DROPPED] = memory[SK_MEMINFO_DROPS];
}

/* The increase since the last count. */
static uint64_t increase(uint64_t *before, uint64_t now)
{
    const uint64_t then = *before;

    *before = now;
    return now == CB_COUNTER_ABSENT || then == CB_COUNTER_ABSENT || now < then ? CB_COUNTER_ABSENT
                                                                               : now - then;
}

/* A sum without one of the connections would be too small. */
static void leave_out_increases(tcp_factory *factory, const tcp_node *node)
{
    if (!factory->uncounted)
        cb_warning(
            "cannot read TCP_INFO of the connection with rank %d: %m; rows lack the counters of "
            "connections that are sums",
            node->base.rank);
    factory->uncounted = true;
    for (size_t i = 0; i < TCP_COUNTERS; i++)
        if (rows[i].kind == CB_COUNTER_INCREASE)
            factory->counters[i] = CB_COUNTER_ABSENT;
}

static void add_connection(tcp_factory *factory, tcp_node *node)
{
    info told = {.bytes = INFO_BYTES};
    uint64_t sent, values[TCP_COUNTERS];
    bool has_sent;

    if (getsockopt(node->fd, IPPROTO_TCP, TCP_INFO, told.data, &told.bytes) != 0) {
        leave_out_increases(factory, node);
        return;
    }
    sent = value_at(&told, &sent_bytes);
    has_sent = sent == CB_COUNTER_ABSENT || sent != node->counted_bytes;
    node->counted_bytes = sent;
    read_connection(node->fd, &told, values);
    for (size_t i = 0; i < TCP_COUNTERS; i++) {
        const cb_counter_kind kind = rows[i].kind;
        uint64_t value = values[i];

        /* A reading of 0: the kernel has none yet. */
        if (kind != CB_COUNTER_INCREASE && (!has_sent || value == 0))
            value = CB_COUNTER_ABSENT;
        factory->counters[i] = combined(kind, factory->counters[i], value);
        if (kind == CB_COUNTER_INCREASE)
            value = increase(&node->counted[i], value);
        if (cb_counter_is_worse(kind, value, factory->worst[i].value))
            factory->worst[i] = (cb_counter_worst){
                .value = value, .rank = factory->base.rank, .peer = node->base.rank};
    }
}

void tcp_count(transport_factory *base)
{
    tcp_factory *factory = tcp_factory_of(base);

    for (size_t i = 0; i < TCP_COUNTERS; i++) {
        factory->counters[i] = rows[i].kind == CB_COUNTER_INCREASE ? 0 : CB_COUNTER_ABSENT;
        factory->worst[i].value = CB_COUNTER_ABSENT;
    }
    for (int rank = 0; rank < base->size; rank++)
        if (factory->nodes[rank].fd >= 0)
            add_connection(factory, &factory->nodes[rank]);
}
