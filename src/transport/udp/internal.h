/* Internals of the technology udp, shared by its files. docs/reference/technologies.md has the
 * protocol. One thread at a time uses a factory. */
#ifndef TRANSPORT_UDP_INTERNAL_H
#define TRANSPORT_UDP_INTERNAL_H

#include "base/random.h"
#include "transport/common/group.h"
#include "transport/buffer.h"
#include "transport/common/technology.h"
#include "transport/transport.h"
#include "transport/udp/order.h"
#include "transport/udp/wire.h"

/* The parameters of one process (Context UDP). */
typedef struct {
    uint64_t port; /* 0: any; processes that share a host add their local rank to it */
    uint64_t socket_buffer_size; /* bytes, in each direction; 0: the system's default */
    uint64_t timeout_ms;         /* a message that has not arrived after this time is lost */
    uint64_t fragment;           /* 1: IP fragments messages larger than a packet of the path */
} udp_settings;

extern const cb_parameter_set udp_parameters;

/* Counters, in the order in which a result has them. */
enum {
    UDP_LOST,
    UDP_LATE,
    UDP_DUPLICATE,
    UDP_REORDERED,
    UDP_OVERRUN,
    UDP_UNEXPECTED,
    UDP_UNSENT,
    UDP_SENT,
    UDP_RECEIVED,
    UDP_COUNTERS
};

/* Faults to inject. */
typedef struct {
    double loss, duplication, reordering; /* probabilities; the sum is at most 1 */
    cb_random random;
} udp_faults;

/* Incoming messages of one sender: to this process, or to a list. */
typedef struct {
    udp_order order;       /* of transport buffers */
    uint32_t epoch;        /* the sender's, from its last datagram */
    bool fresh;            /* nothing has arrived since this process prepared */
    uint64_t gap_since_ns; /* when a gap was first seen; 0: no gap */
    unsigned silences;     /* number of consecutive timeouts */
} udp_stream;

typedef struct {
    transport_node base;
    bool in_use;
    struct sockaddr_in address;
    uint32_t sent; /* number of messages in this epoch */
    udp_stream incoming;
} udp_node;

typedef struct udp_group udp_group;

struct udp_group {
    transport_group base;
    unsigned silences;
    /* For the technology's own multicast */
    udp_group *next; /* in the factory's list */
    uint64_t list;
    int fd; /* of a member; else -1 */
    struct sockaddr_in address;
    udp_stream incoming; /* of a member */
    uint32_t sent;       /* of the root: number of messages in this epoch */
    bool *joined;        /* of the root: by position in the list */
    size_t missing;      /* of the root: number of members that have not joined */
    bool welcome;        /* of a member: the root has answered */
};

/* Number of lists so far with these members and this root. */
typedef struct {
    uint64_t hash;
    uint64_t count;
} udp_list_count;

typedef struct {
    transport_factory base;
    udp_node *nodes; /* by rank */
    udp_group *groups;
    udp_list_count *lists;
    size_t list_count, list_room;
    transport_pool pool;
    transport_buffer *spare; /* for the next datagram */
    int fd;
    socket_key key;
    socket_interface interface;
    in_port_t multicast_port; /* in network order */
    uint64_t buffer_bytes;    /* of each socket; 0: the system's default */
    uint64_t timeout_ns;
    uint32_t epoch;
    uint64_t counters[UDP_COUNTERS];
    udp_faults faults;
    unsigned char *held_back; /* a datagram to be overtaken, for a reordering */
    size_t held_bytes;        /* 0: none */
    struct sockaddr_in held_address;
} udp_factory;

static inline udp_factory *udp_factory_of(transport_factory *factory)
{
    return (udp_factory *)factory;
}

static inline udp_node *udp_node_of(transport_node *node)
{
    return (udp_node *)node;
}

static inline udp_group *udp_group_of(transport_group *group)
{
    return (udp_group *)group;
}

/* datagram.c: send or receive one datagram. udp_put_datagram sends to the address `to`, that of
 * rank `receiver` or of a list. A datagram that the system rejects is counted as lost.
 * udp_take_datagram reads a datagram of this job from a socket; its payload is in *out, which the
 * caller owns. Datagrams of other origin are counted and dropped. CB_EMPTY: none has arrived. */
void udp_put_datagram(udp_factory *factory, const struct sockaddr_in *to, uint32_t receiver,
                      const udp_header *header, const transport_buffer *payload);
cb_status udp_take_datagram(udp_factory *factory, int fd, udp_header *header,
                            transport_buffer **out);

/* Parse faults such as "loss=0.01,double=0.001,reorder=0.02,seed=7", all parts optional; NULL:
 * none. Ranks draw different random numbers. CB_ERROR_USAGE, logged, for an invalid text. */
cb_status udp_faults_read(const char *text, int rank, udp_faults *out);

/* stream.c. udp_stream_restart drops all messages of an earlier epoch. udp_stream_put takes the
 * buffer. udp_stream_take returns the next message; CB_LOST if it was given up because later ones
 * have arrived; or CB_EMPTY. */
void udp_stream_restart(udp_factory *factory, udp_stream *stream);
void udp_stream_put(udp_factory *factory, udp_stream *stream, const udp_header *header,
                    transport_buffer *buffer);
cb_status udp_stream_take(udp_factory *factory, udp_stream *stream, transport_buffer **out);
void udp_stream_give_up(udp_factory *factory, udp_stream *stream);
void udp_stream_free(udp_factory *factory, udp_stream *stream);

/* receive.c. udp_read_socket reads the datagrams at the process's socket. udp_handle_list_message
 * and udp_send_list_message receive and send the messages that set up lists. udp_wait_on follows
 * each unsuccessful poll, with *since_ns 0 at the first: it waits as the policy says and returns
 * false after the timeout. udp_count_timeout counts a timeout and returns CB_LOST, or an error
 * after too many in a row. */
cb_status udp_read_socket(udp_factory *factory);
void udp_handle_list_message(udp_factory *factory, const udp_header *header);
void udp_send_list_message(udp_factory *factory, udp_kind kind, int rank, uint64_t list);
bool udp_wait_on(udp_factory *factory, int fd, uint64_t *since_ns);
cb_status udp_count_timeout(udp_factory *factory, unsigned *silences, const char *whom, int rank);
cb_status udp_receive(transport_node *node, transport_buffer **out);
cb_status udp_try_receive(transport_node *node, transport_buffer **out);
void udp_give_up(transport_node *node);

/* send.c */
cb_status udp_send(transport_node *node, transport_buffer *buffer);
cb_status udp_group_send(transport_group *group, transport_buffer *buffer);

/* group.c */
cb_status udp_group_create(transport_factory *factory, transport_node *const *nodes, size_t count,
                           transport_node *root, bool multicast, transport_group **out);
void udp_group_destroy(transport_group *group);
cb_status udp_group_receive(transport_group *group, transport_buffer **out, transport_node **from);
cb_status udp_group_try_receive(transport_group *group, transport_buffer **out,
                                transport_node **from);
cb_status udp_group_receive_root(transport_group *group, transport_buffer **out);
cb_status udp_group_try_receive_root(transport_group *group, transport_buffer **out);

/* multicast.c: root and members of a list set it up. */
cb_status udp_list_open(udp_factory *factory, udp_group *group);
void udp_list_close(udp_factory *factory, udp_group *group);

#endif
