/* Inside the technology sci: what its files share. docs/sci.md has the protocol.
 *
 * Threads: one receives; with `many_senders` any may send, create and release, and what they share
 * stands under the factory's lock: the send side of the nodes, the pool, the receive buffers. What
 * only the receiving thread has, the receive side of the nodes, never does. */
#ifndef TRANSPORT_SCI_INTERNAL_H
#define TRANSPORT_SCI_INTERNAL_H

#include "transport/common/group.h"
#include "transport/buffer.h"
#include "transport/common/technology.h"
#include "transport/sci/layout.h"
#include "transport/sci/sisci.h"
#include "transport/sci/parameters.h"
#include "transport/sci/word.h"
#include "transport/transport.h"

/* What each process tells the others of itself at open. */
typedef struct {
    char host[64];
    char job[72]; /* rank 0's is taken by all */
    uint32_t node_id, segment_id, bell;
    bool has_multicast;
    cb_status status;
} sci_address;

/* What a poll looks at for a node: nothing has come while the word is what it was. Written by the
 * receiving thread. */
typedef struct {
    const uint32_t *word;
    uint32_t seen;
} sci_watch;

static inline bool sci_is_due(const sci_watch *watch)
{
    return __atomic_load_n(watch->word, __ATOMIC_RELAXED) != watch->seen;
}

/* The receive side of a node: written by the receiving thread alone. */
typedef struct {
    const uint64_t *line;                  /* of the next message; NULL: there are notices */
    const uint64_t *lines;                 /* all of them */
    const uint32_t *notices;               /* all of them, or the one */
    bool counted;                          /* there is one, the number of messages so far */
    uint64_t number;                       /* of the next message */
    uint64_t credited;                     /* credits given so far: the number of the next one */
    uint32_t turn, turns;                  /* position in the ring, and its length */
    uint32_t next_credit;                  /* position of the next credit in the ring */
    uint32_t buffers[SCI_MAX_OUTSTANDING]; /* that were credited, by position */
    volatile uint32_t *credits;            /* the peer's words, there */
    sci_sequence sequence;
    transport_buffer *assembled; /* of pieces; NULL: none has come */
    uint32_t empty_polls;        /* since the node was looked at, whether it is still there */
    bool starved;                /* credits wait for a receive buffer to be released */
    bool indebted;               /* credits wait for an empty poll or the next message */
    sci_watch *watch;            /* the factory's, of this node */
} sci_receiving;

/* The send side: under the factory's lock where many send. */
typedef struct {
    const uint32_t *credits; /* here, written by the peer */
    uint64_t number;         /* of the next message */
    uint64_t known;          /* messages below this number have a credit in `buffers` */
    uint32_t turn, turns;
    uint32_t buffers[SCI_MAX_OUTSTANDING]; /* of the peer, by position */
    volatile unsigned char *lines;         /* there */
    volatile uint32_t *notices;            /* there */
    sci_layout layout;                     /* of the peer's segment */
    sci_sequence sequence;
    transport_queue queue;
} sci_sending;

/* What a process has to do with a peer in multicast groups: one of both is the root. */
typedef struct {
    const sci_group_row *here;     /* written by the peer */
    volatile sci_group_row *there; /* the peer reads it */
    uint32_t announced, joined;    /* groups so far: of this process, and of the peer's */
} sci_groups_with;

typedef struct {
    transport_node base;
    bool in_use, connected;
    cb_status lost; /* CB_OK, or what every further transfer is answered with; atomic */
    sci_receiving receiving;
    sci_sending sending;
    sci_remote remote;
    sci_bell_rope rope;
    sci_groups_with groups;
} sci_node;

/* A group. From `next` on the members belong to the technology's own multicast: a segment of each
 * member, all of one layout: lines, and after them the buffers of their pieces. */
typedef struct sci_group {
    transport_group base;
    uint32_t *ranks;           /* of the nodes, as of `version` */
    unsigned version;          /* of the list of nodes; 0: none yet */
    unsigned version_in_order; /* the same where the ranks follow each other, else 0 */
    const sci_watch *watches;  /* of the first of them */
    uint32_t idle_polls;       /* since the nodes were looked at, whether they are still there */
    struct sci_group *next;    /* of the groups that this process sends multicasts to */
    uint32_t slot, generation;
    uint32_t piece_bytes;
    uint64_t number; /* of the next message; pieces are counted */
    /* Of the root; but for the first two under the factory's lock where many send */
    sci_remote remote;
    sci_sequence sequence;
    uint64_t room_until; /* messages below this number have a place */
    transport_queue queue;
    cb_status lost;
    /* Of a member: written by the receiving thread alone */
    sci_local segment;
    uint64_t acknowledged;
    uint32_t empty_polls;        /* since the root was looked at, whether it is still there */
    transport_buffer *assembled; /* of pieces; NULL: none has come */
} sci_group;

typedef struct {
    transport_factory base;
    const cb_settings *settings; /* the bootstrap's, or `derived` */
    cb_settings derived;
    sci_address *addresses; /* by rank */
    sci_device *devices;
    size_t device_count;
    sci_local segment;
    sci_bell bell;
    sci_node **nodes;     /* by rank; made once, and kept until close */
    unsigned ordinal;     /* of this factory among those of its processes that are open */
    sci_group *groups;    /* that this process sends multicasts to */
    uint32_t groups_made; /* of these, so far */
    bool library_started;
    transport_lock lock;
    size_t queued;            /* messages that wait in queues; atomic */
    size_t starved, indebted; /* nodes that are; of the receiving thread */
    bool any_lost;            /* atomic */
    sci_watch *watches;       /* by rank */
    /* Send buffers */
    transport_pool pool;
    transport_preparation preparation;
    bool heap; /* each is made when it is asked for */
    /* Receive buffers: a ring of those that are free */
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

/* Gives the status back; any error is for good. */
static inline cb_status sci_note_lost(sci_node *node, cb_status status)
{
    if (__builtin_expect(status != CB_OK, 0)) {
        __atomic_store_n(&node->lost, status, __ATOMIC_RELAXED);
        __atomic_store_n(&sci_factory_of(node->base.factory)->any_lost, true, __ATOMIC_RELAXED);
    }
    return status;
}

/* factory.c */
cb_status sci_open(const transport_bootstrap *bootstrap, transport_factory **out);
cb_status sci_close(transport_factory *factory);
void sci_abandon(transport_factory *factory);
cb_status sci_prepare(transport_factory *factory, const transport_preparation *preparation);

/* buffers.c: send and receive buffers. Those with `locked` in the name need the lock to be held. */
cb_status sci_buffers_open(sci_factory *factory);
void sci_buffers_close(sci_factory *factory);
transport_buffer *sci_buffer_create(transport_factory *factory, size_t size);
void sci_buffer_release(transport_buffer *buffer);
transport_buffer *sci_create_locked(sci_factory *factory, size_t size);
void sci_give_back_locked(sci_factory *factory, transport_buffer *buffer);
void sci_give_back(sci_factory *factory, transport_buffer *buffer); /* NULL is ignored */

/* bootstrap.c: job, segment and addresses of all. */
cb_status sci_bootstrap(sci_factory *factory, const transport_bootstrap *bootstrap);

/* node.c */
cb_status sci_node_create(transport_factory *factory, int rank, transport_node **out);
void sci_node_destroy(transport_node *node);
void sci_node_close(sci_node *node);

/* To every other process, before there are nodes for them. */
cb_status sci_connect_all(sci_factory *factory);

/* credit.c. sci_acknowledge gives the peer what credits it is owed, as far as there are receive
 * buffers; sci_relieve does so for all nodes that are starved or indebted. sci_pause comes after an
 * empty poll, with `polls` counted by the caller from 0: it pauses as the policy has it, gives what
 * is owed, and looks at times whether the nodes are still there. sci_probe looks at one connected
 * node, of which its sequence knows; an error where it is lost. */
cb_status sci_acknowledge(sci_node *node);
cb_status sci_relieve(sci_factory *factory);
cb_status sci_pause(sci_factory *factory, uint64_t polls);
cb_status sci_probe(sci_node *node);

/* send.c. sci_flush_nodes sends what can go of the queues of all nodes, with the lock held. */
cb_status sci_send(transport_node *node, transport_buffer *buffer);
cb_status sci_send_to_each(transport_group *group, transport_buffer *buffer);
cb_status sci_flush_nodes(sci_factory *factory);

/* receive.c. sci_watch_first says in the node's watch that no message has come yet. */
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

/* membership.c: a static group for multicasts is made and ended by its root and its members
 * together. */
cb_status sci_multicast_begin(sci_group *group);
void sci_multicast_end(sci_group *group);

/* Whether the adapter has multicast, which is found out by a segment. */
bool sci_has_multicast(const sci_factory *factory);

/* multicast.c. sci_flush_queues sends what can go of all queues, those to nodes and those to
 * multicast groups; sci_flush waits until they are empty. */
cb_status sci_multicast(sci_group *group, transport_buffer *buffer);
cb_status sci_flush_queues(sci_factory *factory);
cb_status sci_flush(transport_factory *factory);
cb_status sci_try_receive_multicast(sci_group *group, transport_buffer **out);

/* Of a member, to the root: what it has consumed, and whether it has left. */
cb_status sci_tell_consumed(sci_group *group, bool left);

#endif
