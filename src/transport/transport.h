/* The transport shim: the message passing layer of the ATLAS Level-2 Reference Software (Bogaerts,
 * "Implementation of the Message Passing Software Layer over SCI", sections 3, 6, 7, 8), in C.
 *
 *   Factory  one technology, opened; makes nodes, groups and buffers, and owns what they share
 *   Node     another process: buffers are sent to it and received from it
 *   Group    a set of nodes: a buffer is sent to all of them, or received from any of them
 *   Buffer   contiguous memory that is transferred and never interpreted
 *
 * A technology is one const table of operations (struct transport_technology). The engine opens a
 * factory by name; from then on calls go through the factory's table and test no type. Slots that a
 * technology leaves empty are filled with common ones where these can be built on others, else with
 * functions that give CB_ERROR_UNSUPPORTED.
 *
 * Threads: one at a time is in a factory, unless TRANSPORT_CONCURRENT_SEND is declared. Then, while
 * one thread receives or flushes, any others may create and release buffers and send them, to nodes
 * and to groups that are there. All else is done while no other thread is in the factory.
 * Errors: logged where they are found, returned as a status; nothing here exits.
 */
#ifndef TRANSPORT_TRANSPORT_H
#define TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/parameters.h"
#include "base/settings.h"
#include "base/status.h"
#include "transport/buffer.h"

typedef struct transport_node transport_node;
typedef struct transport_group transport_group;
typedef struct transport_technology transport_technology;

/* What a technology promises, truthfully: the conformance test holds it to each. */
enum {
    TRANSPORT_ORDERED = 1u << 0, /* messages of a thread to a node arrive in the order of sending */
    TRANSPORT_RELIABLE = 1u << 1,        /* each arrives once, whole, or an error is returned */
    TRANSPORT_CONCURRENT_SEND = 1u << 2, /* several threads may send at a time */
    TRANSPORT_MULTICAST = 1u << 3,     /* static groups have a group send of the technology's own */
    TRANSPORT_BLOCKING_WAIT = 1u << 4, /* a waiting receive sleeps until a message wakes it */
    TRANSPORT_DELIVERS = 1u << 5,      /* what is sent arrives; the null technology lacks it */
    TRANSPORT_INTERFACE = 1u << 6,     /* can be told which network interface to use */
    /* A send to a node may wait until its target calls a function of the technology. It never waits
     * for a receive of the message itself. Without this a send returns whatever its target does. */
    TRANSPORT_SEND_WAITS = 1u << 7
};

/* How a receive waits for a message that has not come yet. */
typedef enum {
    TRANSPORT_WAIT_SPIN,  /* poll without a pause */
    TRANSPORT_WAIT_YIELD, /* poll, and offer the core to others between two polls */
    TRANSPORT_WAIT_BLOCK  /* sleep */
} transport_wait;

/* "spin", "yield", "block". */
const char *transport_wait_name(transport_wait wait);

/* What a technology needs from the job to start: no more, so that it knows no control plane. The
 * callbacks are collective over all `size` processes and may only be called during open. The
 * settings are those of all processes, `size` nodes by rank, made for the technology's own set of
 * parameters, and live as long as the factory; NULL: the technology takes its defaults. */
typedef struct {
    int rank, size;
    bool many_senders; /* several threads will send; without it a technology need not lock */
    bool connect_all;  /* to every process at open; else to each with its first node, where a
                          technology has connections at all */
    const cb_settings *settings;
    void *context;
    /* Give `bytes` at `mine`, get size * bytes at `all`, in order of rank. */
    cb_status (*exchange)(void *context, const void *mine, size_t bytes, void *all);
} transport_bootstrap;

/* One const table for each technology, in the list of registry.c. Each slot has the contract of the
 * function transport_<slot> below; empty slots are allowed except open, close and prepare. Where
 * open names a pool, buffers need no slots; where there is try_receive, so do receive and set_wait:
 * a receive then polls, and pauses by the factory's `wait`; where there is node_create, so do
 * groups (common/group.h), with multicast where that is declared and has its own slots. A
 * technology without open is known by its name and its Context, but this build lacks it.
 *
 * With TRANSPORT_CONCURRENT_SEND a technology makes buffer_create, buffer_release, send and
 * group_send safe against each other, each in several threads, and against a receive or a flush in
 * one more. It guards what they share: the common pool (buffer.h) and the factory's count `held`
 * are for one thread, and change under a lock of the technology's, or give way to its own. `held`
 * has to be right whenever no thread is in the factory. */
struct transport_technology {
    const char *name;
    const char *summary; /* what moves the data, a phrase in lower case: for --help */
    unsigned capabilities;
    const cb_parameter_set *parameters; /* what can be configured; NULL: nothing */
    const cb_counter_set *counters;     /* what it counts; NULL: nothing */
    bool is_default_of_files; /* configuration files that name no technology mean this one */
    cb_status (*open)(const transport_bootstrap *bootstrap, transport_factory **out);
    cb_status (*close)(transport_factory *factory);
    cb_status (*prepare)(transport_factory *factory, const transport_preparation *preparation);
    cb_status (*set_wait)(transport_factory *factory, transport_wait wait,
                          transport_wait *effective);
    cb_status (*flush)(transport_factory *factory);
    cb_status (*node_create)(transport_factory *factory, int rank, transport_node **out);
    void (*node_destroy)(transport_node *node);
    cb_status (*group_create)(transport_factory *factory, transport_node *const *nodes,
                              size_t count, transport_node *root, bool multicast,
                              transport_group **out);
    void (*group_destroy)(transport_group *group);
    transport_buffer *(*buffer_create)(transport_factory *factory, size_t size);
    void (*buffer_release)(transport_buffer *buffer);
    cb_status (*send)(transport_node *node, transport_buffer *buffer);
    cb_status (*receive)(transport_node *node, transport_buffer **out);
    cb_status (*try_receive)(transport_node *node, transport_buffer **out);
    void (*give_up)(transport_node *node);
    cb_status (*group_send)(transport_group *group, transport_buffer *buffer);
    cb_status (*group_receive)(transport_group *group, transport_buffer **out,
                               transport_node **from);
    cb_status (*group_try_receive)(transport_group *group, transport_buffer **out,
                                   transport_node **from);
    cb_status (*group_receive_root)(transport_group *group, transport_buffer **out);
    cb_status (*group_try_receive_root)(transport_group *group, transport_buffer **out);
    void (*abandon)(transport_factory *factory);
};

/* Technology-specific objects begin with these. */
struct transport_factory {
    transport_technology ops; /* a copy with the empty slots filled; set_wait may exchange slots */
    int rank, size;
    transport_pool *pool; /* where the user's buffers come from, and go to, in line; set by open;
                             NULL: they are made and released by the slots */
    size_t held;          /* buffers that the user has and has not given back: a leak shows here */
    unsigned lacking;   /* capabilities that open, in all processes, found missing: not declared */
    size_t piece_bytes; /* a longer message to a node travels in pieces, which are put together by a
                           copy; set by open; 0: none does */
    transport_wait wait;    /* the policy in effect */
    bool polls_yield;       /* a receive that finds no message has given the core away already */
    size_t largest_message; /* in bytes; 0: as large as you like */
    const cb_settings *settings; /* of the bootstrap, or NULL */
    const uint64_t *counters;    /* so far, in the order of the set's rows; set by open where the
                                    technology has such a set */
    char network[64];            /* the network interface in use and its address, or empty */
    size_t rejected_connections; /* that lacked the key of the job, dropped at open */
};

struct transport_node {
    const transport_technology *ops; /* the factory's */
    transport_factory *factory;
    int rank;
    size_t label; /* free for the user: what this node is to it */
};

struct transport_group {
    const transport_technology *ops;
    transport_factory *factory;
    transport_node **nodes; /* owned by the group, with room for all nodes; the nodes are not */
    size_t count;
    unsigned version;     /* changes with the list of nodes */
    bool multicast;       /* static: made for the technology's own group send */
    transport_node *root; /* who sends to the group; NULL where that is this process */
    size_t turn;          /* for the technology: the node to be asked first */
};

/* All technologies that are known, ended by NULL; in registry.c. */
extern const transport_technology *const transport_technologies[];

/* Whether this build has the technology, or knows only its name. */
static inline bool transport_is_built_in(const transport_technology *technology)
{
    return technology->open != NULL;
}

/* The technology of that name, or NULL; built in. */
const transport_technology *transport_find(const char *name);

/* What technologies count, each set once, up to `room` of them; gives their number. */
size_t transport_counter_sets(const cb_counter_set **sets, size_t room);

/* The names of the technologies that are built in and have all these capabilities: "mpi, tcp". */
void transport_list(unsigned capabilities, char *text, size_t bytes);

/* Open a technology; collective over all processes of the bootstrap. The caller closes it. */
cb_status transport_open(const transport_technology *technology,
                         const transport_bootstrap *bootstrap, transport_factory **out);

/* Destroy a factory whose nodes and groups are destroyed, once what it sent is flushed; NULL is
 * ignored. Collective. A buffer still held by the user is an error, logged and returned; the
 * factory is gone all the same. */
cb_status transport_close(transport_factory *factory);

static inline unsigned transport_capabilities(const transport_factory *factory)
{
    return factory->ops.capabilities;
}

/* Announce the coming messages. Local: no rank waits for another. */
static inline cb_status transport_prepare(transport_factory *factory,
                                          const transport_preparation *preparation)
{
    return factory->ops.prepare(factory, preparation);
}

/* Ask for a way of waiting, the same in all processes; *effective is what will happen, read back
 * where the technology can. Without TRANSPORT_BLOCKING_WAIT, block is a poll with sleeps that grow.
 */
static inline cb_status transport_set_wait(transport_factory *factory, transport_wait wait,
                                           transport_wait *effective)
{
    return factory->ops.set_wait(factory, wait, effective);
}

/* Remove what would outlast a process that ends without transport_close. The factory can still be
 * used, but no process can connect to this one any more. Async-signal-safe; NULL does nothing. */
static inline void transport_abandon(transport_factory *factory)
{
    if (factory != NULL)
        factory->ops.abandon(factory);
}

/* Wait until nothing that this process sent is queued here any more: for the receivers, where they
 * have no room for it before they receive. */
static inline cb_status transport_flush(transport_factory *factory)
{
    return factory->ops.flush(factory);
}

/* A node for the process `rank`; one for each rank at most. Local. */
static inline cb_status transport_node_create(transport_factory *factory, int rank,
                                              transport_node **out)
{
    return factory->ops.node_create(factory, rank, out);
}

/* What was sent to it, alone or in a group, still goes out. */
static inline void transport_node_destroy(transport_node *node)
{
    if (node != NULL)
        node->ops->node_destroy(node);
}

/* A group of `count` nodes. `root` NULL: the caller sends to the nodes, or receives from them. With
 * `multicast`, the technology's own group send is set up, which is collective over the root and all
 * the members and wants TRANSPORT_MULTICAST: the root passes the members as nodes and root NULL; a
 * member passes the same nodes in the same order, itself as a node of its own rank, and the root.
 */
static inline cb_status transport_group_create(transport_factory *factory,
                                               transport_node *const *nodes, size_t count,
                                               transport_node *root, bool multicast,
                                               transport_group **out)
{
    return factory->ops.group_create(factory, nodes, count, root, multicast, out);
}

/* As transport_group_create, of the members of the group `name` of network.conf, in the order of
 * the file. `nodes` is by rank, with room for all of the job: a member that has no node there gets
 * one, which is the caller's to destroy, also after an error. Without multicast this process
 * itself, where it is a member, is left out, since none sends to itself. CB_ERROR_USAGE, logged,
 * where the settings have no such group, or a member that is beyond the job. Local, or collective
 * as transport_group_create is. */
cb_status transport_group_create_named(transport_factory *factory, const char *name,
                                       transport_node **nodes, transport_node *root, bool multicast,
                                       transport_group **out);

/* Dynamic groups (made without multicast): one more node, or one less. CB_ERROR_USAGE, logged, for
 * a node that is there already, or is not. */
cb_status transport_group_add(transport_group *group, transport_node *node);
cb_status transport_group_remove(transport_group *group, transport_node *node);

/* Collective where the creation was. What the root has sent and a member has not received is lost;
 * a member's last try to receive may have found nothing. */
static inline void transport_group_destroy(transport_group *group)
{
    if (group != NULL)
        group->ops->group_destroy(group);
}

/* Hot. A buffer of `size` bytes, not above the prepared message_bytes; its content is whatever it
 * last held. NULL, with an error logged, when there is no memory. */
static inline transport_buffer *transport_buffer_create(transport_factory *factory, size_t size)
{
    transport_pool *pool = factory->pool;
    transport_buffer *buffer;

    if (__builtin_expect(pool == NULL || pool->first == NULL, 0))
        return factory->ops.buffer_create(factory, size);
    buffer = transport_pool_take(pool);
    buffer->size = size;
    factory->held++;
    return buffer;
}

/* Hot. */
static inline void transport_buffer_release(transport_buffer *buffer)
{
    transport_factory *factory = buffer->owner;

    if (__builtin_expect(factory->pool == NULL, 0)) {
        factory->ops.buffer_release(buffer);
        return;
    }
    factory->held--;
    transport_pool_give(factory->pool, buffer);
}

/* Hot. Send without blocking, and take the buffer, also when an error is returned. A received
 * buffer can be sent on as it is. */
static inline __attribute__((always_inline)) cb_status transport_send(transport_node *node,
                                                                      transport_buffer *buffer)
{
    return node->ops->send(node, buffer);
}

/* Hot. Wait for the next message from `node`; the caller owns *out, which means nothing after an
 * error.
 *
 * Without TRANSPORT_RELIABLE no receive waits for ever: CB_LOST says that a message was lost, for
 * others came behind it, or it did not come within the technology's time-out. It is given up, and
 * the next receive is for the next one: so there are as many receives as sends, whatever is lost,
 * and both sides of an exchange stay in step. A message that comes later is dropped. */
static inline cb_status transport_receive(transport_node *node, transport_buffer **out)
{
    return node->ops->receive(node, out);
}

/* Hot. CB_EMPTY when no message has come. What is lost is passed over by all receives that do not
 * wait. */
static inline cb_status transport_try_receive(transport_node *node, transport_buffer **out)
{
    return node->ops->try_receive(node, out);
}

/* Give up the next message from `node`, where a receive from a group has found that one is lost
 * and could not say whose. Without effect in a reliable technology. */
static inline void transport_give_up(transport_node *node)
{
    node->ops->give_up(node);
}

/* Hot. Send to all nodes of the group, and take the buffer; by the technology's own multicast where
 * the group was made for it, else one after the other. */
static inline cb_status transport_group_send(transport_group *group, transport_buffer *buffer)
{
    return group->ops->group_send(group, buffer);
}

/* Hot. Wait for a message from any node of the group; *from is who sent it. With CB_LOST, *from is
 * whose message was given up; or NULL when nothing has come from anybody within the time-out: then
 * the caller knows whose is missing, and gives it up by transport_give_up. Fair: a node whose
 * message was given waits until all others with a message have had their turn. From a group of one
 * it is a receive from that node. */
static inline cb_status transport_group_receive(transport_group *group, transport_buffer **out,
                                                transport_node **from)
{
    if (group->count == 1) {
        *from = group->nodes[0];
        return transport_receive(*from, out);
    }
    return group->ops->group_receive(group, out, from);
}

/* Hot. As transport_group_receive, CB_EMPTY when no message has come. */
static inline cb_status transport_group_try_receive(transport_group *group, transport_buffer **out,
                                                    transport_node **from)
{
    return group->ops->group_try_receive(group, out, from);
}

/* Hot. A member's receive of what the root sends to a static group: where the technology's own
 * multicast needs its receivers to know the root. */
static inline cb_status transport_group_receive_root(transport_group *group, transport_buffer **out)
{
    return group->ops->group_receive_root(group, out);
}

/* Hot. As transport_group_receive_root, CB_EMPTY when no message has come: the receive is then
 * under way, and must have given a message, or the group be destroyed, before the next preparation.
 * Wants try_multicast to be announced, since MPI's root has to send in another form to members that
 * do not wait; CB_ERROR_TRANSPORT, logged, where a technology needs it and it was not. */
static inline cb_status transport_group_try_receive_root(transport_group *group,
                                                         transport_buffer **out)
{
    return group->ops->group_try_receive_root(group, out);
}

#endif
