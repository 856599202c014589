/* Inside the technology tcp: what its files share. docs/reference/technologies.md has the protocol.
 *
 * Threads: one receives; with `many_senders` any may send, create and release, and what they share
 * stands under the factory's lock: the pool, the count of buffers held, the send side of the nodes.
 * The receive side of the nodes is the receiving thread's alone. */
#ifndef TRANSPORT_TCP_INTERNAL_H
#define TRANSPORT_TCP_INTERNAL_H

#include "transport/buffer.h"
#include "transport/common/technology.h"
#include "transport/tcp/wire.h"
#include "transport/transport.h"

enum { TCP_STAGING_BYTES = 8192 };

/* The Context TCP of one process. */
typedef struct {
    uint64_t port;               /* 0: any; processes that share a host add their rank on it */
    uint64_t socket_buffer_size; /* bytes, in each direction; 0: as the system has it */
    uint64_t silence_s;          /* a peer whose host answers nothing for so long is lost */
} tcp_settings;

extern const cb_parameter_set tcp_parameters;

/* What arrives goes straight into the buffer of its message; but the beginning of a message, whose
 * size is not known, and small messages, of which many come at once, through `staging`. */
typedef struct {
    unsigned char *staging;
    size_t first, filled;       /* staged bytes that were not looked at yet */
    transport_buffer *incoming; /* of the message whose header was read; NULL: none */
    size_t got_bytes;           /* of its payload */
    uint32_t number;            /* of the next message */
    bool large;                 /* the last message was */
    bool readable;              /* a read may find something, for all that is known */
    bool hung_up;               /* so will every read, until it finds the end */
    bool shut_down;             /* no message will come any more */
    bool ended;                 /* while this process closes: the peer's side is closed */
} tcp_receiving;

/* Under the factory's lock where many send. */
typedef struct {
    transport_queue queue; /* sent_bytes include the header */
    uint32_t number;       /* of the first in the queue, or of the next message */
    size_t shutdown_bytes; /* of the shutdown message that have gone */
} tcp_sending;

typedef struct {
    transport_node base;
    int fd; /* -1: this process itself */
    bool in_use;
    cb_status lost; /* CB_OK, or what every further transfer is answered with; atomic */
    struct sockaddr_in address;
    tcp_receiving receiving;
    tcp_sending sending;
} tcp_node;

typedef struct {
    transport_factory base;
    tcp_node *nodes; /* by rank; connected at open, and kept until close */
    unsigned char *staging;
    transport_pool pool;
    int events; /* an epoll of all connections, which tells changes (EPOLLET) */
    uint64_t silence_ns;
    uint64_t looked_ns; /* when the connections were last looked at */
    size_t queued;      /* messages that wait in queues; atomic */
    transport_lock lock;
} tcp_factory;

static inline tcp_factory *tcp_factory_of(transport_factory *factory)
{
    return (tcp_factory *)factory;
}

static inline tcp_node *tcp_node_of(transport_node *node)
{
    return (tcp_node *)node;
}

static inline cb_status tcp_lost(const tcp_node *node)
{
    return __atomic_load_n(&node->lost, __ATOMIC_RELAXED);
}

/* connect.c: a connection to every other rank. Collective. */
cb_status tcp_connect_all(tcp_factory *factory, const transport_bootstrap *bootstrap,
                          const tcp_settings *settings);

/* connection.c. A lost peer is reported once, with the cause (an errno, or 0 for a plain end), and
 * remembered; tcp_lose gives CB_ERROR_TRANSPORT. tcp_note_events marks the connections of which the
 * kernel has news, waits for some for `wait_ms` at most, and gives their number. tcp_pause comes
 * after each poll that found nothing, with `polls` counted from 0: it waits as the policy has it,
 * and looks at times whether the hosts of all peers are still there. */
cb_status tcp_lose(tcp_node *node, const char *attempt, int cause);
int tcp_note_events(tcp_factory *factory, int wait_ms);
void tcp_pause(tcp_factory *factory, uint64_t polls);

/* send.c. tcp_flush_queues sends what can go of all queues. */
cb_status tcp_send(transport_node *node, transport_buffer *buffer);
cb_status tcp_group_send(transport_group *group, transport_buffer *buffer);
cb_status tcp_flush_queues(tcp_factory *factory);
cb_status tcp_flush(transport_factory *factory);

/* receive.c */
cb_status tcp_receive(transport_node *node, transport_buffer **out);
cb_status tcp_try_receive(transport_node *node, transport_buffer **out);
cb_status tcp_group_receive(transport_group *group, transport_buffer **out, transport_node **from);
cb_status tcp_group_try_receive(transport_group *group, transport_buffer **out,
                                transport_node **from);

#endif
