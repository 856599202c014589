/* Internals of the technology tcp, shared by its files. docs/reference/technologies.md has the
 * protocol.
 *
 * Threads: one receives. With `many_senders` any thread may send, create and release, and shared
 * state (the pool, the count of buffers held, the send side of the nodes) is guarded by the
 * factory's lock. The receive side of the nodes belongs to the receiving thread. */
#ifndef TRANSPORT_TCP_INTERNAL_H
#define TRANSPORT_TCP_INTERNAL_H

#include "transport/buffer.h"
#include "transport/common/technology.h"
#include "transport/tcp/wire.h"
#include "transport/transport.h"

enum { TCP_STAGING_BYTES = 8192 };

/* The parameters of one process (Context TCP). */
typedef struct {
    uint64_t port; /* 0: any; processes that share a host add their local rank to it */
    uint64_t socket_buffer_size; /* bytes, in each direction; 0: the system's default */
    uint64_t pacing_Bps;         /* most that a connection sends; 0: no limit */
    uint64_t silence_s;          /* a peer whose host has not answered for this long is lost */
} tcp_settings;

extern const cb_parameter_set tcp_parameters;

/* Payload is received directly into the buffer of its message. Exceptions go through `staging`: the
 * start of a message, whose size is unknown, and small messages, of which many arrive at once. */
typedef struct {
    unsigned char *staging;
    size_t first, filled;       /* staged bytes not yet parsed */
    transport_buffer *incoming; /* buffer of the message whose header was read; NULL: none */
    size_t got_bytes;           /* of its payload */
    uint32_t number;            /* number of the next message */
    bool large;                 /* the last message was large */
    bool readable;              /* a read may find data, as far as known */
    bool hung_up;   /* the peer closed the connection: reads find data until they find the end */
    bool shut_down; /* the shutdown message has arrived: no further message */
    bool ended;     /* while this process closes: the peer has closed its side */
} tcp_receiving;

/* Guarded by the factory's lock if several threads send. */
typedef struct {
    transport_queue queue; /* its sent_bytes include the header */
    uint32_t number;       /* number of the first queued message, or of the next message */
    size_t shutdown_bytes; /* bytes of the shutdown message sent so far */
} tcp_sending;

enum { TCP_COUNTERS = 10 };

typedef struct {
    transport_node base;
    int fd; /* -1: this process itself */
    bool in_use;
    cb_status lost; /* CB_OK, or the status that all further transfers return; atomic */
    struct sockaddr_in address;
    tcp_receiving receiving;
    tcp_sending sending;
    uint64_t counted_bytes;         /* sent over the connection at the last count */
    uint64_t counted[TCP_COUNTERS]; /* increasing counters at the last count */
} tcp_node;

typedef struct {
    transport_factory base;
    tcp_node *nodes; /* by rank; connected at open and kept until close */
    unsigned char *staging;
    transport_pool pool;
    int events; /* an edge-triggered epoll (EPOLLET) of all connections */
    uint64_t silence_ns;
    uint64_t looked_ns; /* when the connections were last checked */
    size_t queued;      /* number of queued messages; atomic */
    transport_lock lock;
    uint64_t counters[TCP_COUNTERS];      /* at the last count */
    bool uncounted;                       /* a connection could not be read, which was logged */
    cb_counter_worst worst[TCP_COUNTERS]; /* connection of each, since the count before */
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

/* connection.c. tcp_lose reports a lost peer once, with the cause (an errno, or 0 for a regular
 * end), and returns CB_ERROR_TRANSPORT. tcp_note_events waits at most `wait_ms` for events, marks
 * the connections that have some, and returns their number. tcp_pause follows each unsuccessful
 * poll, `polls` counted from 0: it waits as the policy says and occasionally checks that the hosts
 * of all peers still answer. */
cb_status tcp_lose(tcp_node *node, const char *attempt, int cause);
int tcp_note_events(tcp_factory *factory, int wait_ms);
void tcp_pause(tcp_factory *factory, uint64_t polls);

/* info.c */
extern const cb_counter_set tcp_counters;
void tcp_count(transport_factory *factory);

/* send.c. tcp_flush_queues sends what it can of all queues. */
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
