/* Messages over libraries that write into the memory of other processes, or carry messages for
 * them: the part that is the same in the technologies ofi, ucx and rma. It numbers messages, grants
 * credits, queues what has no credit, cuts long messages into pieces and puts together what arrives
 * out of order. A driver does the rest: it moves one numbered message to one process.
 * docs/reference/technologies.md has the protocol.
 *
 * Each process has `outstanding` slots for each other process: message `number` of a sender goes
 * into slot number % outstanding. A sender may send the numbers below `granted`, which the receiver
 * raises as its user releases messages, in order; so a user that holds a message for long stops
 * its sender after outstanding - 1 others, and nothing is ever lost or overwritten. The grant goes
 * back with each message, or alone once half of the slots are owed. Numbers wrap at 32 bits, so
 * `outstanding` is a power of 2, the same in all processes.
 *
 * The receiver's driver learns the header of a message, calls remote_expect and, when the payload
 * is there, remote_arrived. With `writes` set the sender's driver writes the payload into the slot,
 * whose address it knows from `connect`. One that writes the header before it calls remote_written
 * in place of both.
 *
 * Threads: one is in the factory at a time. With `many_senders` the functions of this folder take
 * the factory's lock around every call of a driver. */
#ifndef TRANSPORT_REMOTE_REMOTE_H
#define TRANSPORT_REMOTE_REMOTE_H

#include "transport/buffer.h"
#include "transport/common/technology.h"
#include "transport/transport.h"

typedef struct remote_factory remote_factory;

/* Precedes the payload of each message and piece. All processes have the same byte order. */
typedef struct remote_header {
    uint32_t key;    /* of the job: what has another key is counted and dropped */
    uint16_t source; /* rank of the sender */
    uint16_t unused;
    uint32_t number;  /* of the message or piece among those from this sender to this receiver */
    uint32_t granted; /* the receiver may send the numbers below this back to the sender */
    uint32_t bytes;   /* payload that follows */
    uint32_t rest;    /* bytes of the message that later pieces carry; 0: this is the last */
} remote_header;

enum {
    /* The payload of a buffer or slot begins after this many bytes; the header is directly before
     * it. So the payload begins on a cache line, and both can be sent as one block. */
    REMOTE_PREFIX_BYTES = 64,
    REMOTE_OUTSTANDING_MOST = 256,
    REMOTE_RANKS_MOST = 1 << 15
};

/* The memory before each payload, of send buffers and of slots. */
typedef struct {
    void *handle;          /* of the driver's `remember`; NULL in slots */
    unsigned char own[32]; /* for the driver, while it has the buffer */
    remote_header header;
} remote_prefix;

/* Counters of all of these technologies. */
enum {
    REMOTE_PATH_MESSAGE, /* messages and pieces received, by the way they came */
    REMOTE_PATH_WRITE,
    REMOTE_PATH_PUT,
    REMOTE_PATH_AM,
    REMOTE_PATH_RENDEZVOUS,
    REMOTE_RETRIES,
    REMOTE_QUEUE_FULL,
    REMOTE_DROPPED,
    REMOTE_COUNTERS
};

extern const cb_counter_set remote_counters;

/* One slot for messages of one sender. */
typedef struct {
    transport_buffer base; /* handed to the user; its data may be memory of the library */
    unsigned char *memory; /* of the slot: REMOTE_PREFIX_BYTES, then the payload */
    void *backing;         /* the driver's: what carries the data, until the user releases it */
    uint32_t rest;         /* of the header of its message */
    uint16_t source;       /* rank of the sender */
    bool expected, arrived, held; /* announced; complete; given to the user */
} remote_slot;

typedef struct {
    transport_node base;
    /* Receiving: the slots of the sender, and numbers of its messages. */
    remote_slot *slots;
    uint32_t next;    /* the next to give to the user */
    uint32_t tail;    /* all below are released */
    uint32_t granted; /* the last grant that was sent */
    bool indebted;    /* a grant is due: at an empty poll, or with the next message */
    /* Sending */
    uint32_t number; /* of the next message */
    uint32_t room;   /* numbers below this may be sent */
    uint32_t
        refused; /* numbers below this were counted as queue_full, if the library had no room */
    transport_queue queue;
    transport_buffer *assembled; /* of the pieces that have come; NULL: none */
    cb_status lost;              /* CB_OK, or the status of all further transfers */
    bool in_use, met;
    uint32_t closing, closed; /* rounds of the closing that this process, and that rank, reached */
    uint64_t closed_ns;       /* when that rank reached the first */
    bool ended;               /* its process was seen to have ended */
    bool apart;   /* on this host in another user namespace, with which no memory is shared */
    int presence; /* readable once the process has ended (pidfd_open); -1: on another host */
} remote_node;

/* Words that go alone. Each is cumulative, so that a later one may overtake or replace it. */
typedef enum {
    REMOTE_GRANT, /* the target may send the numbers below `value` */
    REMOTE_CLOSE  /* 1: no message will follow; 2: nothing will follow */
} remote_word;

/* What a library has to do. Statuses: CB_OK; CB_EMPTY: no room now, nothing was taken, try again
 * after a poll (a message is counted as queue_full once, attempts after it by the driver as
 * retries); else an error, logged with the name of the
 * rank, after which the node is lost. */
typedef struct {
    const char *name; /* of the technology, for messages */
    /* Open the library: register factory->memory, of factory->memory_bytes, if it is to be written
     * by others, and make *address, which the protocol carries to all processes and frees. May be
     * collective through the bootstrap. If a collective call of the library fails, it sets `alone`:
     * other ranks may wait in that call. Sets writes, header_apart, base.network,
     * base.lacking, piece_limit, and may replace factory->memory by memory of its own, for slots of
     * the same bytes. */
    cb_status (*open)(remote_factory *factory, const transport_bootstrap *bootstrap, void **address,
                      size_t *address_bytes);
    /* Take the address of another rank. */
    cb_status (*connect)(remote_factory *factory, int rank, const void *address, size_t bytes);
    /* Free all; also after an open that failed in part, or was not called. Words that were told
     * leave before, if that takes no more than some seconds. */
    void (*close)(remote_factory *factory);
    /* Hot. Send header and payload of `buffer`. The driver has the buffer until it calls
     * remote_sent, at the earliest in this call; after an error it has not. Until then the prefix
     * of the buffer (remote_prefix_of) and buffer->next belong to the driver, *header only during
     * the call. The buffer is one of the pool or a slot whose message is sent on. */
    cb_status (*send)(remote_factory *factory, int rank, const remote_header *header,
                      transport_buffer *buffer);
    /* Tell a word to a rank: its driver calls remote_told. */
    cb_status (*tell)(remote_factory *factory, int rank, remote_word word, uint32_t value);
    /* Hot. Let the library progress and report what has come; `from`: the only rank from which the
     * caller waits for a message, or -1. */
    cb_status (*poll)(remote_factory *factory, int from);
    /* Whether all words that were told have left this process. NULL: they always have. */
    bool (*idle)(remote_factory *factory);
    /* The library needs no buffer any more: see that what was sent leaves this process even if it
     * does not poll again. CB_EMPTY: not yet, call again after a poll; no other rank is waited for.
     * NULL: nothing to do. */
    cb_status (*flush)(remote_factory *factory);
    /* The message of a slot that has a backing was released: give that back, and set it to NULL.
     * Called also from remote_sent. NULL: slots have none. */
    void (*release)(remote_factory *factory, remote_slot *slot);
    /* Sleep until something may have come, at most `ms`; NULL: the library cannot. Not called if
     * several threads send, or if base.lacking has TRANSPORT_BLOCKING_WAIT. */
    void (*sleep)(remote_factory *factory, int ms);
    /* Register memory of send buffers for the library; NULL: not needed. *handle is for forget. */
    cb_status (*remember)(remote_factory *factory, void *memory, size_t bytes, void **handle);
    void (*forget)(remote_factory *factory, void *handle);
} remote_driver;

/* A driver's factory begins with this. */
struct remote_factory {
    transport_factory base;
    const remote_driver *driver;
    const void *settings; /* the technology's struct, which begins with remote_settings */
    uint32_t key;
    bool writes;
    bool header_apart;  /* the driver sends a header from another place than before its payload */
    size_t piece_limit; /* largest payload that the library carries at once; 0: any */
    uint32_t outstanding, slot_bytes; /* slot_bytes: distance of two slots, with the prefix */
    unsigned char *memory;            /* of all slots: those of rank 0, of rank 1, ... */
    size_t memory_bytes;
    remote_slot *slots; /* descriptors, in the same order */
    size_t slots_bytes;
    remote_slot *freed; /* the slot whose message was released last */
    remote_node *nodes; /* by rank */
    transport_pool pool, pieces;
    transport_memory_user memory_user; /* the driver, for the pools */
    transport_lock lock;
    size_t queued;    /* messages without credit or room, in all queues; atomic */
    size_t in_flight; /* buffers that the driver has */
    size_t ready;     /* slots that arrived and were not given out */
    size_t indebted;  /* nodes to which a grant is due */
    bool urgent;      /* one of them may soon have no credit */
    bool meeting, any_lost, closing;
    bool alone;               /* nothing collective may follow; the job has to be ended */
    unsigned char *allocated; /* memory of the slots, unless the driver has its own */
    uint32_t empty_polls;     /* since the processes were last looked at */
    uint64_t looked_ns;
    uint64_t counts[REMOTE_COUNTERS]; /* the driver counts paths and retries */
};

static inline remote_factory *remote_factory_of(transport_factory *factory)
{
    return (remote_factory *)factory;
}

static inline remote_node *remote_node_of(transport_node *node)
{
    return (remote_node *)node;
}

/* Whether a buffer is the message of a slot. */
static inline bool remote_is_slot(const remote_factory *factory, const transport_buffer *buffer)
{
    return (uintptr_t)buffer - (uintptr_t)factory->slots < factory->slots_bytes;
}

static inline remote_slot *remote_slot_of(transport_buffer *buffer)
{
    return (remote_slot *)buffer;
}

/* The slot for a message of a rank. The slots of a rank are the same in all processes. */
static inline size_t remote_slot_index(const remote_factory *factory, int source, uint32_t number)
{
    return (size_t)source * factory->outstanding + (number & (factory->outstanding - 1));
}

/* Whether data are in the memory of the slots, and not in memory of the library. */
static inline bool remote_is_in_slots(const remote_factory *factory, const void *data)
{
    return (uintptr_t)data - (uintptr_t)factory->memory < factory->memory_bytes;
}

/* The prefix of a payload that is in memory of the pool or of a slot. */
static inline remote_prefix *remote_prefix_at(const void *payload)
{
    return (remote_prefix *)(void *)((unsigned char *)(uintptr_t)payload - sizeof(remote_prefix));
}

/* The prefix of a buffer, before its payload, or that of its slot if the payload is memory of the
 * library. */
static inline remote_prefix *remote_prefix_of(const remote_factory *factory,
                                              transport_buffer *buffer)
{
    return remote_is_slot(factory, buffer) && !remote_is_in_slots(factory, buffer->data)
               ? (remote_prefix *)(void *)remote_slot_of(buffer)->memory
               : remote_prefix_at(buffer->data);
}

/* Called by drivers from poll, send and tell. None of them calls the driver, but for `release`. */

/* A grant that another has overtaken is less than the present one. */
static inline void remote_note_grant(const remote_factory *factory, remote_node *node,
                                     uint32_t value)
{
    if (value - node->room - 1 < factory->outstanding)
        node->room = value;
}

/* Hot. A message with this header has come or is announced: its slot, to whose memory the payload
 * may be written, or whose base.data may be set to where it is. NULL: it is dropped, and counted:
 * it has another key or no such source, it is too long, its number is old or beyond what was
 * granted, or it is here already. */
static inline remote_slot *remote_expect(remote_factory *factory, const remote_header *header)
{
    const uint16_t source = header->source;
    remote_node *node = &factory->nodes[source < factory->base.size ? source : 0];
    remote_slot *slot = &node->slots[header->number & (factory->outstanding - 1)];

    if (__builtin_expect(header->key != factory->key || source >= factory->base.size ||
                             source == factory->base.rank ||
                             header->number - node->next >=
                                 factory->outstanding - (node->next - node->tail) ||
                             slot->arrived || slot->expected || header->bytes > slot->base.capacity,
                         0)) {
        factory->counts[REMOTE_DROPPED]++;
        return NULL;
    }
    slot->rest = header->rest;
    slot->base.data = slot->memory + REMOTE_PREFIX_BYTES;
    slot->base.size = header->bytes;
    slot->expected = true;
    remote_note_grant(factory, node, header->granted);
    return slot;
}

static inline void remote_arrived(remote_factory *factory, remote_slot *slot)
{
    slot->expected = false;
    slot->arrived = true;
    factory->ready++;
}

/* Rank `source` has written message `number` (its 16 lower bits suffice) into its slot. false: it
 * is dropped, and counted as such. */
bool remote_written(remote_factory *factory, int source, uint32_t number);

/* Ranks of the job that are known to be processes of this host, with this one. */
size_t remote_ranks_here(const remote_factory *factory);

void remote_told(remote_factory *factory, int source, remote_word word, uint32_t value);
void remote_sent(remote_factory *factory, transport_buffer *buffer);

/* Log once that the rank is lost: "cannot ATTEMPT rank 3 over ofi: CAUSE". Returns
 * CB_ERROR_TRANSPORT. */
cb_status remote_lose(remote_factory *factory, int rank, const char *attempt, const char *cause);

/* What the user may do about a rank that cannot be reached. */
const char *remote_remedy(const remote_node *node);

/* The connection has ended, of a rank that has announced its closing: what it told last may still
 * come; if it does not, the rank is lost. */
void remote_ended(remote_factory *factory, int rank);

/* The outcome of a step of `open`, the same in all ranks: that of the first rank in which it
 * failed. Collective. */
cb_status remote_agree(const transport_bootstrap *bootstrap, cb_status status);

/* For the technology's open: `bytes` of its factory, values of its parameters. */
cb_status remote_open(const transport_bootstrap *bootstrap, const remote_driver *driver,
                      const cb_parameter_set *parameters, size_t bytes, transport_factory **out);

/* Operations, for the slots of transport_technology. */
cb_status remote_close(transport_factory *factory);
cb_status remote_prepare(transport_factory *factory, const transport_preparation *preparation);
cb_status remote_flush(transport_factory *factory);
cb_status remote_node_create(transport_factory *factory, int rank, transport_node **out);
void remote_node_destroy(transport_node *node);
transport_buffer *remote_buffer_create(transport_factory *factory, size_t size);
void remote_buffer_release(transport_buffer *buffer);
cb_status remote_send(transport_node *node, transport_buffer *buffer);
cb_status remote_receive(transport_node *node, transport_buffer **out);
cb_status remote_try_receive(transport_node *node, transport_buffer **out);
cb_status remote_group_receive(transport_group *group, transport_buffer **out,
                               transport_node **from);
cb_status remote_group_try_receive(transport_group *group, transport_buffer **out,
                                   transport_node **from);

#endif
