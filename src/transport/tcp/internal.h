/* Inside the technology tcp: what its files share. docs/sockets.md has the protocol.
 *
 * Threads: one receives; with `many_senders` any may send, create and release, and what they share
 * stands under the factory's lock: the pool, the count of buffers held, the send side of the nodes.
 * The receive side of the nodes is the receiving thread's alone. */
#ifndef TRANSPORT_TCP_INTERNAL_H
#define TRANSPORT_TCP_INTERNAL_H

#include <pthread.h>

#include "transport/pool.h"
#include "transport/tcp/wire.h"
#include "transport/transport.h"

enum { TCP_STAGING_BYTES = 8192 };

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
    bool said_goodbye;          /* nothing more will come */
    bool ended;                 /* as this process leaves: the peer's side is closed */
} tcp_receiving;

/* Under the factory's lock where many send. */
typedef struct {
    transport_buffer *first, *last; /* the queue; linked by `next` */
    size_t sent_bytes;              /* of its first, with its header */
    uint32_t number;                /* of that one, or of the next message */
    size_t goodbye_bytes;           /* of the goodbye, as this process leaves */
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
    transport_wait wait;
    uint64_t silence_ns;
    uint64_t looked_ns; /* when the connections were last looked at */
    size_t queued;      /* messages that wait in queues; atomic */
    bool many_senders;
    pthread_mutex_t lock;
} tcp_factory;

static inline tcp_factory *tcp_factory_of(transport_factory *factory)
{
    return (tcp_factory *)factory;
}

static inline tcp_node *tcp_node_of(transport_node *node)
{
    return (tcp_node *)node;
}

static inline void tcp_lock(tcp_factory *factory)
{
    if (factory->many_senders)
        pthread_mutex_lock(&factory->lock);
}

static inline void tcp_unlock(tcp_factory *factory)
{
    if (factory->many_senders)
        pthread_mutex_unlock(&factory->lock);
}

static inline bool tcp_has_queued(const tcp_factory *factory)
{
    return __atomic_load_n(&factory->queued, __ATOMIC_RELAXED) > 0;
}

static inline cb_status tcp_lost(const tcp_node *node)
{
    return __atomic_load_n(&node->lost, __ATOMIC_RELAXED);
}

/* connect.c: a connection to every other rank. Collective. */
cb_status tcp_connect_all(tcp_factory *factory, const transport_bootstrap *bootstrap,
                          const cb_tcp_settings *settings);

/* buffers.c. tcp_give_back wants the lock to be held; the others take it. */
cb_status tcp_prepare(transport_factory *factory, const transport_preparation *preparation);
transport_buffer *tcp_buffer_create(transport_factory *factory, size_t size);
void tcp_buffer_release(transport_buffer *buffer);
void tcp_give_back(tcp_factory *factory, transport_buffer *buffer);

/* node.c. A lost peer is reported once, with the cause (an errno, or 0 for a plain end), and
 * remembered; tcp_lose gives CB_ERROR_TRANSPORT. */
cb_status tcp_node_create(transport_factory *factory, int rank, transport_node **out);
void tcp_node_destroy(transport_node *node);
cb_status tcp_lose(tcp_node *node, const char *attempt, int cause);

/* send.c. tcp_flush_queues sends what can go of all queues. */
cb_status tcp_send(transport_node *node, transport_buffer *buffer);
cb_status tcp_send_to_each(transport_group *group, transport_buffer *buffer);
cb_status tcp_flush_queues(tcp_factory *factory);
cb_status tcp_flush(transport_factory *factory);

/* receive.c. tcp_poll gives the next message of a connected node; CB_EMPTY: there is none, and with
 * `ask` the connection has been asked. */
cb_status tcp_poll(tcp_node *node, bool ask, transport_buffer **out);
cb_status tcp_receive(transport_node *node, transport_buffer **out);
cb_status tcp_try_receive(transport_node *node, transport_buffer **out);

/* group.c */
cb_status tcp_group_create(transport_factory *factory, transport_node *const *nodes, size_t count,
                           transport_node *root, bool multicast, transport_group **out);
void tcp_group_destroy(transport_group *group);
cb_status tcp_group_receive(transport_group *group, transport_buffer **out, transport_node **from);
cb_status tcp_group_try_receive(transport_group *group, transport_buffer **out,
                                transport_node **from);
cb_status tcp_group_receive_root(transport_group *group, transport_buffer **out);
cb_status tcp_group_try_receive_root(transport_group *group, transport_buffer **out);

/* wait.c. tcp_note_events marks the connections of which the kernel has news, waits for some for
 * `wait_ms` at most, and gives their number. tcp_pause comes after each poll that found nothing,
 * with `polls` counted from 0: it waits as the policy has it, and looks at times whether the hosts
 * of all peers are still there. */
int tcp_note_events(tcp_factory *factory, int wait_ms);
void tcp_pause(tcp_factory *factory, uint64_t polls);
cb_status tcp_set_wait(transport_factory *factory, transport_wait wait, transport_wait *effective);

/* close.c: send what is queued, say goodbye to all, and read on until all others have; or are lost,
 * which is an error where messages were queued for them. */
cb_status tcp_take_leave(tcp_factory *factory);

#endif
