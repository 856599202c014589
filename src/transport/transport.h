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
 * Errors: logged where they are found, returned as a status; nothing here exits. The text of the
 * last one can be read with transport_last_error.
 * Membership: nodes, groups and buffers are used with the factory that made them. A group with the
 * node of another factory, and a send of the buffer of another, are CB_ERROR_USAGE, logged.
 */
#ifndef TRANSPORT_TRANSPORT_H
#define TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"
#include "base/parameters.h"
#include "base/settings.h"
#include "base/status.h"
#include "transport/buffer.h"

typedef struct transport_node transport_node;
typedef struct transport_group transport_group;
typedef struct transport_technology transport_technology;

/* The capabilities that a technology declares. The conformance test checks each. */
enum {
    TRANSPORT_ORDERED = 1u << 0,  /* messages of a thread to a node arrive in the order sent */
    TRANSPORT_RELIABLE = 1u << 1, /* each message arrives once, complete, or an error is returned */
    TRANSPORT_CONCURRENT_SEND = 1u << 2, /* several threads may send at a time */
    TRANSPORT_MULTICAST = 1u << 3,       /* static groups use the technology's own multicast */
    TRANSPORT_BLOCKING_WAIT = 1u << 4,   /* a waiting receive sleeps until a message arrives */
    TRANSPORT_DELIVERS = 1u << 5,        /* messages are delivered; not so in the null technology */
    TRANSPORT_INTERFACE = 1u << 6,       /* --interface selects the network interface */
    /* A send to a node may wait until its target calls a function of the technology, but never for
     * the receive of the message itself. Without this flag a send never waits for its target. */
    TRANSPORT_SEND_WAITS = 1u << 7,
    /* Members forward the technology's own multicast to each other, as MPI's broadcast does.
     * Without this flag the network copies it. */
    TRANSPORT_MULTICAST_RELAYED = 1u << 8,
    TRANSPORT_STREAM = TRANSPORT_ORDERED | TRANSPORT_RELIABLE
};

/* How a receive waits for a message that has not arrived. */
typedef enum {
    TRANSPORT_WAIT_SPIN,  /* poll without a pause */
    TRANSPORT_WAIT_YIELD, /* poll, and offer the core to others between two polls */
    TRANSPORT_WAIT_BLOCK  /* sleep */
} transport_wait;

/* "spin", "yield", "block". */
const char *transport_wait_name(transport_wait wait);

/* What a technology needs from the job to start. It is all that a technology knows of the job. The
 * callbacks are collective over all `size` processes and may only be called during open. The
 * settings are those of all processes (`size` nodes by rank), made for the technology's own set of
 * parameters; they live as long as the factory. NULL: the technology uses its defaults. */
typedef struct {
    int rank, size;
    bool many_senders; /* several threads will send; otherwise a technology need not lock */
    bool connect_all; /* connect to every process at open; otherwise to each with its first node, if
                         the technology has connections */
    const cb_settings *settings;
    void *context;
    /* Contribute `bytes` at `mine`, get size * bytes at `all`, in order of rank. */
    cb_status (*exchange)(void *context, const void *mine, size_t bytes, void *all);
} transport_bootstrap;

/* One const table per technology, listed in registry.c. The function transport_<slot> below
 * documents each slot. All slots except open, close and prepare may be empty. If open sets a pool,
 * the buffer slots are not needed; with try_receive, receive and set_wait are not: a receive then
 * polls and pauses by the factory's `wait`; with node_create, the group slots are not
 * (common/group.h), unless multicast is declared. A technology without open is known by name,
 * Context and capabilities, but is not in this build; `needs` says what it needs.
 *
 * With TRANSPORT_CONCURRENT_SEND, buffer_create, buffer_release, send and group_send must be safe
 * in several threads each, and against a receive or flush in one more. The common pool (buffer.h)
 * and the factory's count `held` are not thread-safe: the technology guards them by a lock of its
 * own or replaces them. `held` has to be exact whenever no thread is inside the factory. */
struct transport_technology {
    const char *name;
    const char *summary; /* what carries the data, a phrase in lower case, for --help */
    unsigned capabilities;
    const cb_parameter_set *parameters; /* its parameters; NULL: none */
    const cb_counter_set *counters;     /* its counters; NULL: none */
    const char *losses; /* share rule of ccmod that models its losses at full buffers; NULL: none */
    bool is_default_of_files; /* used for configuration files that name no technology */
    const char *needs;        /* without open: how to get a build that has it, as a request */
    /* Find out whether the technology can be used on this host, without opening it and before MPI
     * starts. `text` gets what it would use, a phrase, or remains empty. An error, logged, says why
     * it cannot be used. Not called for a technology without open; empty: it can always be used. */
    cb_status (*probe)(char *text, size_t bytes);
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
    void (*abandon)(void);
    void (*count)(transport_factory *factory);
};

/* Technology-specific objects begin with these. */
struct transport_factory {
    transport_technology ops; /* a copy with the empty slots filled; set_wait may change slots */
    int rank, size;
    transport_pool *pool; /* source of the user's buffers, used inline; set by open; NULL: the slots
                             create and release buffers */
    size_t held;          /* buffers that the user has not given back; shows leaks */
    unsigned lacking;     /* declared capabilities that open found missing in all processes */
    size_t piece_bytes;   /* a longer message to a node is sent in pieces and reassembled by a copy;
                             set by open; 0: never */
    bool content_unknown; /* buffers of any process may come from the heap, where `initialise` is
                             not called; set by open */
    transport_wait wait;  /* the policy in effect */
    bool polls_yield;     /* a receive that finds no message has already yielded the core */
    size_t largest_message;      /* in bytes; 0: no limit */
    const cb_settings *settings; /* of the bootstrap, or NULL */
    const uint64_t *counters; /* current values, in the order of the set's rows; set by open if the
                                 technology has a set */
    const cb_counter_worst *worst; /* the connection of each counter, since the count before; NULL:
                                      the technology does not know */
    char network[64];              /* the network interface in use and its address, or empty */
    size_t rejected_connections;   /* connections without the key of the job, dropped at open */
    char last_error[CB_LAST_ERROR_BYTES]; /* see transport_last_error */
};

struct transport_node {
    const transport_technology *ops; /* the factory's */
    transport_factory *factory;
    int rank;
    size_t label; /* for the user's data about the node */
};

struct transport_group {
    const transport_technology *ops;
    transport_factory *factory;
    transport_node **nodes; /* the array belongs to the group, the nodes do not */
    size_t count;
    unsigned version;     /* changes with the list of nodes */
    bool multicast;       /* static group that uses the technology's own multicast */
    transport_node *root; /* the sender to the group; NULL if it is this process */
    size_t turn;          /* for the technology: the node to poll first */
    size_t room;          /* of `nodes`; grows if nodes are added */
};

/* All known technologies, terminated by NULL; in registry.c. */
extern const transport_technology *const transport_technologies[];

/* Whether this build has the technology, or knows only its name. */
static inline bool transport_is_built_in(const transport_technology *technology)
{
    return technology->open != NULL;
}

/* The technology of that name, or NULL; built in. */
const transport_technology *transport_find(const char *name);

/* The same, but also one that is not built in. */
const transport_technology *transport_find_known(const char *name);

/* The counter sets of all technologies, without repetitions, at most `room`; returns their number.
 */
size_t transport_counter_sets(const cb_counter_set **sets, size_t room);

/* The names of the built-in technologies that have all these capabilities: "mpi, tcp". */
void transport_list(unsigned capabilities, char *text, size_t bytes);

/* Open a technology; collective over all processes of the bootstrap. The caller closes it. */
cb_status transport_open(const transport_technology *technology,
                         const transport_bootstrap *bootstrap, transport_factory **out);

/* Destroy a factory after its sends are flushed. Its nodes and groups must have been destroyed
 * before. NULL is ignored. Collective. A buffer that the user still holds is an error, logged and
 * returned; the factory is destroyed nevertheless. */
cb_status transport_close(transport_factory *factory);

static inline unsigned transport_capabilities(const transport_factory *factory)
{
    return factory->ops.capabilities;
}

/* The text of the last error that an operation of the factory, its nodes or its groups has
 * returned, in any thread: what was attempted, on what, the cause and the remedy, as it was logged.
 * Copies at most `bytes`, with the final 0; false, and an empty text: there was no error. Any
 * thread may call it. An open that fails leaves no factory: cb_last_error has its text. */
bool transport_last_error(const transport_factory *factory, char *text, size_t bytes);

/* Keep the error that this thread has just logged for transport_last_error; returns the status.
 * Without effect if the status is no error, or was logged earlier. The functions of a technology
 * that make buffers, send, receive and flush call it where they find an error, so that nothing is
 * left to do after the call of a hot slot; the functions below do so for the other slots. */
__attribute__((cold)) cb_status transport_noted(transport_factory *factory, cb_status status);

/* Announce the messages to expect. Local: no rank waits for another. */
static inline cb_status transport_prepare(transport_factory *factory,
                                          const transport_preparation *preparation)
{
    return transport_noted(factory, factory->ops.prepare(factory, preparation));
}

/* Request a way of waiting, the same in all processes; *effective is the one in effect, read back
 * from the library if possible. Without TRANSPORT_BLOCKING_WAIT, block is a poll with growing
 * sleeps. */
static inline cb_status transport_set_wait(transport_factory *factory, transport_wait wait,
                                           transport_wait *effective)
{
    return transport_noted(factory, factory->ops.set_wait(factory, wait, effective));
}

/* Bring the counters up to date before they are read. Local. */
static inline void transport_count(transport_factory *factory)
{
    if (factory->ops.count != NULL)
        factory->ops.count(factory);
}

/* Remove what the technology has in this process and would outlast one that ends without
 * transport_close. No process can connect to this one any more, and an open that has not ended may
 * fail. Async-signal-safe; NULL does nothing. */
static inline void transport_abandon(const transport_technology *technology)
{
    if (technology != NULL && technology->abandon != NULL)
        technology->abandon();
}

/* Wait until no message of this process is queued here. If a receiver has no room for it, this
 * waits until the receiver receives. */
static inline cb_status transport_flush(transport_factory *factory)
{
    return factory->ops.flush(factory);
}

/* Create a node for the process `rank`; at most one per rank. Local. */
static inline cb_status transport_node_create(transport_factory *factory, int rank,
                                              transport_node **out)
{
    return transport_noted(factory, factory->ops.node_create(factory, rank, out));
}

/* Messages already sent to the node, directly or through a group, are still delivered. */
static inline void transport_node_destroy(transport_node *node)
{
    if (node != NULL)
        node->ops->node_destroy(node);
}

/* Create a group of `count` nodes. `root` NULL: the caller sends to the nodes, or receives from
 * them. `multicast` sets up the technology's own multicast; it requires TRANSPORT_MULTICAST and is
 * collective over the root and all members. The root passes the members as nodes and root NULL; a
 * member passes the same nodes in the same order, itself as a node of its own rank, and the root.
 * CB_ERROR_USAGE, logged, if a node or the root belongs to another factory. */
cb_status transport_group_create(transport_factory *factory, transport_node *const *nodes,
                                 size_t count, transport_node *root, bool multicast,
                                 transport_group **out);

/* As transport_group_create, for the members of the group `name` of network.conf, in the order of
 * the file. `nodes` is by rank, with room for all of the job: missing nodes of members are created
 * and belong to the caller, also after an error. Without multicast this process is left out if it
 * is a member, since no process sends to itself. CB_ERROR_USAGE, logged, if the settings have no
 * such group or a member exceeds the job. Local or collective, as transport_group_create. */
cb_status transport_group_create_named(transport_factory *factory, const char *name,
                                       transport_node **nodes, transport_node *root, bool multicast,
                                       transport_group **out);

/* Dynamic groups (without multicast): add or remove a node. CB_ERROR_USAGE, logged, if it is
 * already a member, belongs to another factory, or is not a member. */
cb_status transport_group_add(transport_group *group, transport_node *node);
cb_status transport_group_remove(transport_group *group, transport_node *node);

/* Collective if the creation was. Messages of the root that a member has not received are lost; a
 * member may have tried to receive without success. */
static inline void transport_group_destroy(transport_group *group)
{
    if (group != NULL)
        group->ops->group_destroy(group);
}

/* Hot. A buffer of `size` bytes, at most the announced message_bytes, with undefined content. NULL,
 * with an error logged, if out of memory. */
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

/* Report that a buffer of the factory `owner` cannot be sent; returns CB_ERROR_USAGE. */
__attribute__((cold)) cb_status transport_report_owner(transport_factory *factory,
                                                       const transport_factory *owner);

static inline __attribute__((cold)) cb_status transport_refuse_buffer(transport_factory *factory,
                                                                      transport_buffer *buffer)
{
    const transport_factory *owner = buffer->owner;

    transport_buffer_release(buffer);
    return transport_report_owner(factory, owner);
}

/* Hot. Send without blocking. Takes the buffer, also when it returns an error. A received buffer
 * may be sent on. CB_ERROR_USAGE, logged, if the buffer belongs to another factory. */
static inline __attribute__((always_inline)) cb_status transport_send(transport_node *node,
                                                                      transport_buffer *buffer)
{
    if (__builtin_expect(buffer->owner != node->factory, 0))
        return transport_refuse_buffer(node->factory, buffer);
    return node->ops->send(node, buffer);
}

/* Hot. Wait for the next message from `node`. The caller owns *out, which is undefined after an
 * error.
 *
 * Without TRANSPORT_RELIABLE no receive waits forever: CB_LOST reports that a message was lost,
 * because later ones have arrived or because the technology's timeout has expired. That message is
 * given up, and the next receive is for the next message: there are as many receives as sends,
 * whatever is lost, and both sides of an exchange stay in step. A message that arrives after it was
 * given up is dropped. */
static inline cb_status transport_receive(transport_node *node, transport_buffer **out)
{
    return node->ops->receive(node, out);
}

/* Hot. CB_EMPTY if no message has arrived. Non-blocking receives skip lost messages. */
static inline cb_status transport_try_receive(transport_node *node, transport_buffer **out)
{
    return node->ops->try_receive(node, out);
}

/* Give up the next message from `node`, after a receive from a group reported CB_LOST without a
 * node. No effect in a reliable technology. */
static inline void transport_give_up(transport_node *node)
{
    node->ops->give_up(node);
}

/* Hot. Send to all nodes of the group. Takes the buffer. Uses the technology's own multicast if the
 * group was created for it, otherwise a loop of sends. CB_ERROR_USAGE, logged, if the buffer
 * belongs to another factory. */
static inline cb_status transport_group_send(transport_group *group, transport_buffer *buffer)
{
    if (__builtin_expect(buffer->owner != group->factory, 0))
        return transport_refuse_buffer(group->factory, buffer);
    return group->ops->group_send(group, buffer);
}

/* Hot. Wait for a message from any node of the group; *from is its sender. With CB_LOST, *from is
 * the node whose message was given up, or NULL if nothing arrived from any node within the timeout:
 * the caller then gives up the missing message by transport_give_up. Fair: after a node's message,
 * all other nodes with a message have their turn. For a group of one, a receive from that node. */
static inline cb_status transport_group_receive(transport_group *group, transport_buffer **out,
                                                transport_node **from)
{
    if (group->count == 1) {
        *from = group->nodes[0];
        return transport_receive(*from, out);
    }
    return group->ops->group_receive(group, out, from);
}

/* Hot. As transport_group_receive; CB_EMPTY if no message has arrived. */
static inline cb_status transport_group_try_receive(transport_group *group, transport_buffer **out,
                                                    transport_node **from)
{
    return group->ops->group_try_receive(group, out, from);
}

/* Hot. Receive, as a member, what the root sends to a static group. Needed by technologies whose
 * multicast must know its root. */
static inline cb_status transport_group_receive_root(transport_group *group, transport_buffer **out)
{
    return group->ops->group_receive_root(group, out);
}

/* Hot. As transport_group_receive_root; CB_EMPTY if no message has arrived. The receive is then
 * pending: it has to return a message, or the group be destroyed, before the next preparation.
 * Requires try_multicast to be announced, since MPI's root must use another form for members that
 * do not wait; otherwise CB_ERROR_TRANSPORT, logged, in technologies that need it. */
static inline cb_status transport_group_try_receive_root(transport_group *group,
                                                         transport_buffer **out)
{
    return group->ops->group_try_receive_root(group, out);
}

#endif
