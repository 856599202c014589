/* Internals of the technology sci, shared by its files. docs/reference/sci.md has the protocol.
 *
 * Threads: one receives. With `many_senders` any thread may send, create and release; shared state
 * (the send side of the nodes, the pool, the receive buffers) is guarded by the factory's lock. The
 * receive side of the nodes belongs to the receiving thread and needs no lock. */
#ifndef TRANSPORT_SCI_INTERNAL_H
#define TRANSPORT_SCI_INTERNAL_H

#include "transport/common/group.h"
#include "transport/buffer.h"
#include "transport/common/host.h"
#include "transport/common/technology.h"
#include "transport/sci/layout.h"
#include "transport/sci/sisci.h"
#include "transport/sci/parameters.h"
#include "transport/sci/word.h"
#include "transport/transport.h"

/* What each process publishes about itself at open. */
typedef struct {
    transport_host host;
    char job[72]; /* all processes use rank 0's */
    uint32_t node_id, segment_id, bell;
    bool has_multicast;
    cb_status status;
} sci_address;

/* The word that a poll tests for a node: no message has arrived while it is unchanged. Written by
 * the receiving thread. */
typedef struct {
    const uint32_t *word;
    uint32_t seen;
} sci_watch;

static inline bool sci_is_due(const sci_watch *watch)
{
    return __atomic_load_n(watch->word, __ATOMIC_RELAXED) != watch->seen;
}

/* The receive side of a node. Written by the receiving thread only. */
typedef struct {
    const uint64_t *line;    /* of the next message; NULL: notices are used */
    const uint64_t *lines;   /* all of them */
    const uint32_t *notices; /* all of them */
    uint64_t number;         /* of the next message */
    uint64_t credited;       /* credits given so far, which is the number of the next */
    uint32_t turn, turns;    /* position in the ring, and its length */
    uint32_t debt_limit;     /* this number of owed credits is written at once */
    uint32_t next_credit;    /* position of the next credit in the ring */
    uint32_t buffers[SCI_MAX_OUTSTANDING]; /* credited buffers, by position in the ring */
    volatile uint32_t *credits;            /* the peer's words, in its memory */
    sci_sequence sequence;
    transport_buffer *assembled; /* buffer in which pieces are assembled; NULL: none has arrived */
    uint32_t empty_polls;        /* since the last check that the node is alive */
    bool starved;                /* credits wait for the release of a receive buffer */
    bool indebted;               /* credits wait for an empty poll or the next message */
    sci_watch *watch;            /* the factory's, of this node */
} sci_receiving;

/* The send side. Guarded by the factory's lock if several threads send. */
typedef struct {
    const uint32_t *credits; /* in this process, written by the peer */
    uint64_t number;         /* of the next message */
    uint64_t known;          /* messages below this number have a known credit, in `buffers` */
    uint32_t turn, turns;
    uint32_t buffers[SCI_MAX_OUTSTANDING]; /* of the peer, by position */
    size_t excess_mask;                    /* data are written in multiples of this plus 1 */
    volatile unsigned char *lines;         /* in the peer's memory */
    volatile uint32_t *notices;            /* in the peer's memory */
    sci_layout layout;                     /* of the peer's segment */
    sci_sequence sequence;
    transport_queue queue;
} sci_sending;

/* State shared with a peer in multicast groups, of which one of the two is the root. */
typedef struct {
    const sci_row *here;     /* in this process, written by the peer */
    volatile sci_row *there; /* in the peer's memory */
    uint32_t announced,
        joined; /* number of groups so far: of this process, and of the peer that it joined */
} sci_groups_with;

typedef struct {
    transport_node base;
    bool in_use, connected;
    cb_status lost; /* CB_OK, or the status that all further transfers return; atomic */
    sci_receiving receiving;
    sci_sending sending;
    sci_remote remote;
    sci_bell_rope rope;
    sci_groups_with groups;
} sci_node;

/* A group. The members from `next` on are for the technology's own multicast: each member has a
 * segment, all with the same layout: lines, then the buffers of their pieces. */
typedef struct sci_group {
    transport_group base;
    uint32_t *ranks;           /* of the nodes, as of `version` */
    unsigned version;          /* version of the list of nodes that `ranks` matches; 0: none yet */
    unsigned version_in_order; /* the same if the ranks are consecutive, else 0 */
    const sci_watch *watches;  /* of the first of these ranks */
    uint32_t idle_polls;       /* since the last check that the nodes are alive */
    struct sci_group *next;    /* in the list of groups to which this process sends multicasts */
    uint32_t slot, generation;
    uint32_t piece_bytes;
    uint64_t number; /* of the next message, counting pieces */
    /* Of the root. Guarded by the factory's lock if several threads send, except for the first two
     */
    sci_remote remote;
    sci_sequence sequence;
    uint64_t room_until; /* messages below this number have room */
    transport_queue queue;
    cb_status lost;
    /* Of a member. Written by the receiving thread only */
    sci_local segment;
    uint64_t acknowledged;
    uint32_t empty_polls;        /* since the last check that the root is alive */
    transport_buffer *assembled; /* buffer in which pieces are assembled; NULL: none has arrived */
} sci_group;

typedef struct {
    transport_factory base;
    const cb_settings *settings; /* those of the bootstrap, or `derived` */
    cb_settings derived;
    sci_address *addresses; /* by rank */
    sci_device *devices;
    size_t device_count;
    sci_local segment;
    sci_bell bell;
    sci_node **nodes;     /* by rank; created once and kept until close */
    unsigned ordinal;     /* index of this factory among the open ones of its processes */
    sci_group *groups;    /* to which this process sends multicasts */
    uint32_t groups_made; /* number of these so far */
    bool library_started;
    transport_lock lock;
    size_t queued;            /* number of queued messages; atomic */
    size_t starved, indebted; /* number of nodes in that state; for the receiving thread */
    bool any_lost;            /* atomic */
    sci_watch *watches;       /* by rank */
    /* Send buffers */
    transport_pool pool;
    transport_preparation preparation;
    bool heap; /* each buffer is allocated when requested */
    /* Receive buffers: a ring of the free ones */
    transport_buffer *receive_buffers; /* by number */
    uint32_t *free_ring;
    uint32_t free_first, free_count, receive_count;
} sci_factory;

static inline sci_factory *sci_factory_of(transport_factory *factory)
{
    return (sci_factory *)factory;
}

static inline sci_node *sci_node_of(transport_node *node)
{
    return (sci_node *)node;
}

static inline sci_group *sci_group_of(transport_group *group)
{
    return (sci_group *)group;
}

static inline void sci_lock(sci_factory *factory)
{
    transport_lock_take(&factory->lock);
}

static inline void sci_unlock(sci_factory *factory)
{
    transport_lock_give(&factory->lock);
}

static inline bool sci_has_queued(const sci_factory *factory)
{
    return transport_has_queued(&factory->queued);
}

static inline cb_status sci_lost(const sci_node *node)
{
    return __atomic_load_n(&node->lost, __ATOMIC_RELAXED);
}

/* Record that the node is lost, permanently; returns the status. */
static inline cb_status sci_note_lost(sci_node *node, cb_status status)
{
    if (__builtin_expect(status != CB_OK, 0)) {
        __atomic_store_n(&node->lost, status, __ATOMIC_RELAXED);
        __atomic_store_n(&sci_factory_of(node->base.factory)->any_lost, true, __ATOMIC_RELAXED);
        (void)transport_noted(node->base.factory, status);
    }
    return status;
}

/* factory.c */
cb_status sci_open(const transport_bootstrap *bootstrap, transport_factory **out);
cb_status sci_close(transport_factory *factory);
void sci_abandon(void);
cb_status sci_prepare(transport_factory *factory, const transport_preparation *preparation);

/* buffers.c: send and receive buffers. Functions with `locked` in the name are called with the lock
 * held. */
cb_status sci_buffers_open(sci_factory *factory);
void sci_buffers_close(sci_factory *factory);
transport_buffer *sci_buffer_create(transport_factory *factory, size_t size);
void sci_buffer_release(transport_buffer *buffer);
transport_buffer *sci_create_locked(sci_factory *factory, size_t size);
void sci_give_back_locked(sci_factory *factory, transport_buffer *buffer);
void sci_give_back(sci_factory *factory, transport_buffer *buffer); /* NULL is ignored */

/* bootstrap.c: job, segment and addresses of all processes. */
cb_status sci_bootstrap(sci_factory *factory, const transport_bootstrap *bootstrap);

/* node.c */
cb_status sci_node_create(transport_factory *factory, int rank, transport_node **out);
void sci_node_destroy(transport_node *node);
void sci_node_close(sci_node *node);

/* Connect to every other process, before there are nodes for them. */
cb_status sci_connect_all(sci_factory *factory);

/* credit.c. sci_acknowledge gives the peer the credits it is owed, as far as receive buffers are
 * free; sci_relieve does so for all starved or indebted nodes. sci_pause follows an empty poll,
 * `polls` counted by the caller from 0: it pauses as the policy says, sends owed credits, and
 * occasionally checks that the nodes are alive. sci_probe checks one connected node by its
 * sequence; an error if it is lost. */
cb_status sci_acknowledge(sci_node *node);
cb_status sci_relieve(sci_factory *factory);
cb_status sci_pause(sci_factory *factory, uint64_t polls);
cb_status sci_probe(sci_node *node);

/* send.c. sci_flush_nodes sends what it can from the queues of all nodes; called with the lock
 * held. */
cb_status sci_send(transport_node *node, transport_buffer *buffer);
cb_status sci_send_to_each(transport_group *group, transport_buffer *buffer);
cb_status sci_flush_nodes(sci_factory *factory);

/* receive.c. sci_watch_first resets the node's watch to "no message has arrived". */
void sci_watch_first(sci_receiving *from);
cb_status sci_receive(transport_node *node, transport_buffer **out);
cb_status sci_try_receive(transport_node *node, transport_buffer **out);

/* group.c */
cb_status sci_group_create(transport_factory *factory, transport_node *const *nodes, size_t count,
                           transport_node *root, bool multicast, transport_group **out);
void sci_group_destroy(transport_group *group);
cb_status sci_group_send(transport_group *group, transport_buffer *buffer);
cb_status sci_group_receive(transport_group *group, transport_buffer **out, transport_node **from);
cb_status sci_group_try_receive(transport_group *group, transport_buffer **out,
                                transport_node **from);
cb_status sci_group_receive_root(transport_group *group, transport_buffer **out);
cb_status sci_group_try_receive_root(transport_group *group, transport_buffer **out);

/* membership.c: root and members together create and destroy a static group for multicasts. */
cb_status sci_multicast_begin(sci_group *group);
void sci_multicast_end(sci_group *group);

/* Whether the adapter has multicast, found by creating a segment. */
bool sci_has_multicast(const sci_factory *factory);

/* multicast.c. sci_flush_queues sends what it can from all queues, of nodes and of multicast
 * groups; sci_flush waits until they are empty. */
cb_status sci_multicast(sci_group *group, transport_buffer *buffer);
cb_status sci_flush_queues(sci_factory *factory);
cb_status sci_flush(transport_factory *factory);
cb_status sci_try_receive_multicast(sci_group *group, transport_buffer **out);

/* A member tells the root how much it has consumed, and whether it has left. */
cb_status sci_report_consumed(sci_group *group, bool left);

#endif
