/* The technology mpi: point-to-point messages on a communicator of its own.
 *
 * A send is an MPI_Isend tested at once; what is not complete then waits in a queue and is tested
 * again by later calls. A receive from one node is an MPI_Recv into a buffer of the pool, so that the
 * path of a ping-pong is that of a bare MPI program. Receives from a group, and those that do not
 * block, are posted beforehand, one for each node, and completed by MPI_Testsome: a batch of those
 * that have arrived is given out before any node is asked again, which is what makes it fair. Where
 * several messages may come from a node before it is answered, as many receives are posted.
 *
 * Open MPI can yield the core in its own waiting (mpi_yield_when_idle, fixed at MPI_Init); where the
 * library does not wait in the way that is asked for, the waiting is a loop of ours over the
 * non-blocking form. */
#include "transport/technologies.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "transport/group.h"
#include "transport/pool.h"

enum {
    MESSAGE_TAG = 1,
    GROUP_TAG = 2,
    QUEUE_INITIAL = 256,
    REAP_INTERVAL = 16,        /* sends under way are tested each time so many more are queued */
    BEHIND_MAXIMUM = 63,       /* receives of a node that are posted behind its first */
    BEHIND_BYTES = 128 * 1024, /* and no more than cover so much for all nodes, to stay in cache */
    BEHIND_LEAST_BYTES = 128   /* none for messages up to there */
};

typedef struct mpi_group mpi_group;

typedef struct {
    MPI_Request request;
    transport_buffer *buffer;
} posted_receive;

typedef struct {
    transport_node base;
    transport_buffer *posted; /* of a receive that is posted, or has arrived and was not given out */
    MPI_Request *request;     /* where its requests are kept: in the polled group's list, or `own` */
    MPI_Request own;
    bool arrived;
    size_t arrived_bytes;
    size_t behind_first, behind_count;
    posted_receive behind[BEHIND_MAXIMUM]; /* a ring: receives for the messages after that one */
} mpi_node;

/* A send under way. The buffer is released when this one is complete and all before it. */
typedef struct {
    MPI_Request request;
    transport_buffer *buffer; /* NULL: another entry behind this one has it */
} pending_send;

typedef struct {
    transport_factory base;
    transport_pool pool;
    MPI_Comm communicator;
    size_t message_bytes;
    size_t unanswered;
    size_t behind; /* receives to keep posted behind the first of each node */
    bool posted;         /* a receive was posted since the last preparation */
    bool library_yields; /* in its own waiting, */
    bool library_waits;  /* which is what was asked for */
    transport_wait wait;
    mpi_node **nodes; /* by rank */
    size_t node_count;
    mpi_group *polled; /* the group whose list holds the posted receives of its nodes */
    pending_send *queue; /* a ring; its length is a power of two */
    size_t queue_length, queue_first, queue_count;
} mpi_factory;

struct mpi_group {
    transport_group base;
    unsigned version;       /* of the list of nodes that `requests` follows */
    MPI_Request *requests;  /* beside base.nodes */
    int *arrived;           /* positions of the last batch */
    MPI_Status *statuses;
    size_t batch, next;     /* its length, and the first that was not given out */
    MPI_Comm communicator;  /* of a multicast group: its root is rank 0 */
};

static mpi_factory *factory_of(transport_factory *factory)
{
    return (mpi_factory *)factory;
}

static mpi_node *node_of(transport_node *node)
{
    return (mpi_node *)node;
}

/* Kept out of the hot functions, whose stack it would enlarge. */
__attribute__((cold, noinline)) static cb_status failed(int code, const char *attempt, int rank)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;

    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        length = 0;
    cb_error("MPI cannot %s node %d: %.*s; see the messages of the MPI library", attempt, rank, length,
             text);
    return CB_ERROR_TRANSPORT;
}

/* Buffers */

/* Hot. */
static transport_buffer *mpi_buffer_create(transport_factory *base, size_t size)
{
    transport_buffer *buffer = transport_pool_take(&factory_of(base)->pool);

    if (buffer != NULL) {
        buffer->size = size;
        base->held++;
    }
    return buffer;
}

static void mpi_buffer_release(transport_buffer *buffer)
{
    buffer->owner->held--;
    transport_pool_give(&factory_of(buffer->owner)->pool, buffer);
}

/* Waiting between two polls */

typedef struct {
    unsigned idle;
} poll_state;

/* The pause after an empty poll, as the policy has it. Blocking is a sleep that grows from 1 us to
 * 1 ms after 64 polls without result: MPI has no blocking wait to offer. */
static void pause_poll(const mpi_factory *factory, poll_state *state)
{
    enum { FREE_POLLS = 64, DOUBLINGS = 10 };

    if (factory->wait == TRANSPORT_WAIT_YIELD) {
        sched_yield();
    } else if (factory->wait == TRANSPORT_WAIT_BLOCK && ++state->idle > FREE_POLLS) {
        unsigned doubled = state->idle - FREE_POLLS;

        cb_sleep_ns(1000ull << (doubled < DOUBLINGS ? doubled : DOUBLINGS));
    }
}

/* Sending */

static cb_status reap(mpi_factory *factory)
{
    while (factory->queue_count > 0) {
        pending_send *oldest = &factory->queue[factory->queue_first];
        int done = 0;
        int code = MPI_Test(&oldest->request, &done, MPI_STATUS_IGNORE);

        if (code != MPI_SUCCESS)
            return failed(code, "complete a send to", -1);
        if (!done)
            return CB_OK;
        if (oldest->buffer != NULL)
            transport_pool_give(&factory->pool, oldest->buffer);
        factory->queue_first = (factory->queue_first + 1) & (factory->queue_length - 1);
        factory->queue_count--;
    }
    return CB_OK;
}

static cb_status grow_queue(mpi_factory *factory)
{
    size_t length = factory->queue_length > 0 ? 2 * factory->queue_length : QUEUE_INITIAL;
    pending_send *queue = cb_allocate(length, sizeof(*queue), "the queue of sends");

    if (queue == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < factory->queue_count; i++)
        queue[i] = factory->queue[(factory->queue_first + i) & (factory->queue_length - 1)];
    free(factory->queue);
    factory->queue = queue;
    factory->queue_length = length;
    factory->queue_first = 0;
    return CB_OK;
}

static cb_status enqueue(mpi_factory *factory, MPI_Request request, transport_buffer *buffer)
{
    if (factory->queue_count == factory->queue_length)
        CB_TRY(grow_queue(factory));
    factory->queue[(factory->queue_first + factory->queue_count) & (factory->queue_length - 1)] =
        (pending_send){.request = request, .buffer = buffer};
    factory->queue_count++;
    return CB_OK;
}

/* Start a send; *request is MPI_REQUEST_NULL when it is known to be complete. Behind others that are
 * under way it is not tested: it would rarely be, and a test that finds nothing costs a round through
 * all that the library waits for, in cache lines that the other side is writing. */
static inline cb_status start_send(mpi_factory *factory, const transport_buffer *buffer, int rank,
                                   MPI_Request *request)
{
    int done = 0;
    int code = MPI_Isend(buffer->data, (int)buffer->size, MPI_BYTE, rank, MESSAGE_TAG,
                         factory->communicator, request);

    if (code == MPI_SUCCESS && factory->queue_count == 0)
        code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS ? CB_OK : failed(code, "send to", rank);
}

/* Keep a send that is under way, and its buffer; sends are completed by the sixteen, and whenever
 * something is received. */
__attribute__((noinline)) static cb_status keep(mpi_factory *factory, MPI_Request request,
                                                transport_buffer *buffer)
{
    CB_TRY(enqueue(factory, request, buffer));
    return factory->queue_count % REAP_INTERVAL == 0 ? reap(factory) : CB_OK;
}

/* Hot. The user has given the buffer back, even where the queue still needs it. */
static cb_status mpi_send(transport_node *node, transport_buffer *buffer)
{
    mpi_factory *factory = factory_of(node->factory);
    MPI_Request request;
    cb_status status = start_send(factory, buffer, node->rank, &request);

    factory->base.held--;
    if (status == CB_OK && request != MPI_REQUEST_NULL)
        return keep(factory, request, buffer);
    transport_pool_give(&factory->pool, buffer);
    return status;
}

/* Hot. One buffer for all: it goes back to the pool behind the last send that is still under way. */
static cb_status send_to_each(transport_group *group, transport_buffer *buffer)
{
    mpi_factory *factory = factory_of(group->factory);
    cb_status status = CB_OK;
    bool under_way = false;

    factory->base.held--;
    for (size_t i = 0; i < group->count && status == CB_OK; i++) {
        MPI_Request request;

        status = start_send(factory, buffer, group->nodes[i]->rank, &request);
        if (status == CB_OK && request != MPI_REQUEST_NULL) {
            status = enqueue(factory, request, NULL);
            under_way = true;
        }
    }
    if (under_way) {
        CB_TRY(enqueue(factory, MPI_REQUEST_NULL, buffer));
        return status == CB_OK ? reap(factory) : status;
    }
    transport_pool_give(&factory->pool, buffer);
    return status;
}

static cb_status mpi_flush(transport_factory *base)
{
    mpi_factory *factory = factory_of(base);
    poll_state state = {0};

    for (;;) {
        CB_TRY(reap(factory));
        if (factory->queue_count == 0)
            return CB_OK;
        pause_poll(factory, &state);
    }
}

/* Receiving from one node */

static cb_status receive_by_polling(transport_node *node, transport_buffer **out);

static cb_status start_receive(const mpi_node *node, posted_receive *out)
{
    mpi_factory *factory = factory_of(node->base.factory);
    transport_buffer *buffer = transport_pool_take(&factory->pool);
    int code;

    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    factory->posted = true;
    factory->base.ops.receive = receive_by_polling;
    code = MPI_Irecv(buffer->data, (int)buffer->capacity, MPI_BYTE, node->base.rank, MESSAGE_TAG,
                     factory->communicator, &out->request);
    if (code != MPI_SUCCESS) {
        transport_pool_give(&factory->pool, buffer);
        return failed(code, "receive from", node->base.rank);
    }
    out->buffer = buffer;
    return CB_OK;
}

static posted_receive take_behind(mpi_node *node)
{
    posted_receive oldest = node->behind[node->behind_first];

    node->behind_first = (node->behind_first + 1) % BEHIND_MAXIMUM;
    node->behind_count--;
    return oldest;
}

static cb_status post_behind(mpi_node *node)
{
    size_t wanted = factory_of(node->base.factory)->behind;

    for (; node->behind_count < wanted; node->behind_count++) {
        size_t end = (node->behind_first + node->behind_count) % BEHIND_MAXIMUM;

        CB_TRY(start_receive(node, &node->behind[end]));
    }
    return CB_OK;
}

/* Hot. MPI matches the messages of a node with receives in the order of posting: the next message
 * comes into the oldest of those behind, where there are any. */
static cb_status post(mpi_node *node)
{
    posted_receive next;

    if (node->behind_count > 0)
        next = take_behind(node);
    else
        CB_TRY(start_receive(node, &next));
    *node->request = next.request;
    node->posted = next.buffer;
    node->arrived = false;
    return post_behind(node);
}

/* Give the arrived buffer to the user. */
static transport_buffer *hand_over(mpi_node *node)
{
    transport_buffer *buffer = node->posted;

    buffer->size = node->arrived_bytes;
    node->posted = NULL;
    node->arrived = false;
    node->base.factory->held++;
    return buffer;
}

static void note_arrival(mpi_node *node, const MPI_Status *status)
{
    int bytes = 0;

    MPI_Get_count(status, MPI_BYTE, &bytes);
    node->arrived = true;
    node->arrived_bytes = (size_t)bytes;
}

static cb_status mpi_try_receive(transport_node *base, transport_buffer **out)
{
    mpi_factory *factory = factory_of(base->factory);
    mpi_node *node = node_of(base);

    if (factory->queue_count > 0)
        CB_TRY(reap(factory));
    if (node->posted == NULL)
        CB_TRY(post(node));
    if (!node->arrived) {
        MPI_Status status;
        int done = 0;
        int code = MPI_Test(node->request, &done, &status);

        if (code != MPI_SUCCESS)
            return failed(code, "receive from", base->rank);
        if (!done)
            return CB_EMPTY;
        note_arrival(node, &status);
    }
    *out = hand_over(node);
    return CB_OK;
}

/* The waiting receive where the library's own waiting is not what was asked for. */
static cb_status receive_by_polling(transport_node *node, transport_buffer **out)
{
    poll_state state = {0};
    cb_status status;

    while ((status = mpi_try_receive(node, out)) == CB_EMPTY)
        pause_poll(factory_of(node->factory), &state);
    return status;
}

/* Hot: the receive of a ping-pong, as long as no receive is posted that would take its message. */
static cb_status mpi_receive(transport_node *node, transport_buffer **out)
{
    mpi_factory *factory = factory_of(node->factory);
    transport_buffer *buffer;
    MPI_Status status;
    int code, bytes = 0;

    if (__builtin_expect(factory->queue_count > 0, 0))
        CB_TRY(reap(factory));
    buffer = transport_pool_take(&factory->pool);
    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    code = MPI_Recv(buffer->data, (int)buffer->capacity, MPI_BYTE, node->rank, MESSAGE_TAG,
                    factory->communicator, &status);
    if (__builtin_expect(code != MPI_SUCCESS, 0)) {
        transport_pool_give(&factory->pool, buffer);
        return failed(code, "receive from", node->rank);
    }
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    buffer->size = (size_t)bytes;
    factory->base.held++;
    *out = buffer;
    return CB_OK;
}

/* Take the library's own waiting where it is what was asked for; else, and once a receive is posted,
 * for which it would never end, poll. */
static void choose_receive(mpi_factory *factory)
{
    bool blocking = factory->library_waits && factory->behind == 0 && !factory->posted;

    factory->base.ops.receive = blocking ? mpi_receive : receive_by_polling;
}

/* Receiving from a group */

/* Take the requests of the polled group's list back to the nodes themselves. */
static void withdraw_requests(mpi_factory *factory)
{
    for (int rank = 0; rank < factory->base.size; rank++) {
        mpi_node *node = factory->nodes[rank];

        if (node != NULL && node->request != &node->own) {
            node->own = *node->request;
            node->request = &node->own;
        }
    }
    factory->polled = NULL;
}

/* Make this group's list the place of its nodes' requests, those to come too: a node that is asked
 * alone in between posts its receive where the group will see it. */
static void enrol(mpi_group *group)
{
    mpi_factory *factory = factory_of(group->base.factory);

    withdraw_requests(factory);
    for (size_t i = 0; i < group->base.count; i++) {
        mpi_node *node = node_of(group->base.nodes[i]);

        group->requests[i] = node->own;
        node->request = &group->requests[i];
    }
    group->batch = group->next = 0;
    group->version = group->base.version;
    factory->polled = group;
}

/* Ask all nodes once: what has arrived becomes the batch. */
static cb_status poll_nodes(mpi_group *group)
{
    int count = 0, code;

    for (size_t i = 0; i < group->base.count; i++) {
        mpi_node *node = node_of(group->base.nodes[i]);

        if (node->posted == NULL)
            CB_TRY(post(node));
    }
    code = MPI_Testsome((int)group->base.count, group->requests, &count, group->arrived,
                        group->statuses);
    if (code != MPI_SUCCESS)
        return failed(code, "receive from a group with", group->base.nodes[0]->rank);
    group->next = 0;
    group->batch = count == MPI_UNDEFINED ? 0 : (size_t)count;
    for (size_t k = 0; k < group->batch; k++)
        note_arrival(node_of(group->base.nodes[group->arrived[k]]), &group->statuses[k]);
    return CB_OK;
}

/* The next of the batch that was not taken by a receive from its node alone; NULL at the end. */
static mpi_node *next_arrived(mpi_group *group)
{
    while (group->next < group->batch) {
        mpi_node *node = node_of(group->base.nodes[group->arrived[group->next++]]);

        if (node->arrived)
            return node;
    }
    return NULL;
}

/* A node that had arrived in a batch of another group, or before the list of nodes changed. */
static mpi_node *stray_arrival(mpi_group *group)
{
    for (size_t i = 0; i < group->base.count; i++)
        if (node_of(group->base.nodes[i])->arrived)
            return node_of(group->base.nodes[i]);
    return NULL;
}

/* Hot. */
static cb_status mpi_group_try_receive(transport_group *base, transport_buffer **out,
                                       transport_node **from)
{
    mpi_factory *factory = factory_of(base->factory);
    mpi_group *group = (mpi_group *)base;
    mpi_node *node;

    if (__builtin_expect(factory->polled != group || group->version != base->version, 0)) {
        enrol(group);
        node = stray_arrival(group);
        group->version -= node != NULL; /* come back here until none is left */
    } else {
        node = next_arrived(group);
    }
    if (node == NULL) {
        if (factory->queue_count > 0)
            CB_TRY(reap(factory));
        CB_TRY(poll_nodes(group));
        node = next_arrived(group);
        if (node == NULL)
            return CB_EMPTY;
    }
    *from = &node->base;
    *out = hand_over(node);
    return CB_OK;
}

static cb_status mpi_group_receive(transport_group *group, transport_buffer **out,
                                   transport_node **from)
{
    poll_state state = {0};
    cb_status status;

    while ((status = mpi_group_try_receive(group, out, from)) == CB_EMPTY)
        pause_poll(factory_of(group->factory), &state);
    return status;
}

/* Multicast by MPI's own broadcast */

/* All members take the same form of the broadcast, since a blocking one does not match the other. MPI
 * sends nothing at all for a broadcast of 0 bytes: an empty message travels as one byte, for which
 * every buffer has room. */
static cb_status broadcast(mpi_group *group, void *data)
{
    mpi_factory *factory = factory_of(group->base.factory);
    int bytes = factory->message_bytes > 0 ? (int)factory->message_bytes : 1;
    poll_state state = {0};
    MPI_Request request;
    int done = 0, code;

    if (factory->library_waits) {
        code = MPI_Bcast(data, bytes, MPI_BYTE, 0, group->communicator);
    } else {
        code = MPI_Ibcast(data, bytes, MPI_BYTE, 0, group->communicator, &request);
        while (code == MPI_SUCCESS &&
               (code = MPI_Test(&request, &done, MPI_STATUS_IGNORE)) == MPI_SUCCESS && !done)
            pause_poll(factory, &state);
    }
    return code == MPI_SUCCESS ? CB_OK : failed(code, "broadcast to a group with", factory->base.rank);
}

static cb_status mpi_group_send(transport_group *base, transport_buffer *buffer)
{
    mpi_group *group = (mpi_group *)base;
    cb_status status;

    if (!base->multicast)
        return send_to_each(base, buffer);
    if (buffer->size != factory_of(base->factory)->message_bytes) {
        cb_error("cannot multicast %zu bytes: MPI's broadcast carries messages of the announced size "
                 "alone, %zu bytes; announce the size, or use --multicast loop",
                 buffer->size, factory_of(base->factory)->message_bytes);
        status = CB_ERROR_TRANSPORT;
    } else {
        status = broadcast(group, buffer->data);
    }
    mpi_buffer_release(buffer);
    return status;
}

static cb_status mpi_group_receive_root(transport_group *base, transport_buffer **out)
{
    mpi_group *group = (mpi_group *)base;
    mpi_factory *factory = factory_of(base->factory);
    transport_buffer *buffer;
    cb_status status;

    if (!base->multicast)
        return transport_receive(base->root, out);
    buffer = mpi_buffer_create(&factory->base, factory->message_bytes);
    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    status = broadcast(group, buffer->data);
    if (status != CB_OK)
        mpi_buffer_release(buffer);
    else
        *out = buffer;
    return status;
}

/* Nodes and groups */

static void cancel(const mpi_node *node, MPI_Request *request, transport_buffer *buffer)
{
    MPI_Cancel(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    transport_pool_give(&factory_of(node->base.factory)->pool, buffer);
}

static void cancel_posted(mpi_node *node)
{
    if (node->posted != NULL && node->arrived)
        transport_pool_give(&factory_of(node->base.factory)->pool, node->posted);
    else if (node->posted != NULL)
        cancel(node, node->request, node->posted);
    node->posted = NULL;
    node->arrived = false;
    while (node->behind_count > 0) {
        posted_receive next = take_behind(node);

        cancel(node, &next.request, next.buffer);
    }
}

/* Decide how many receives to keep posted behind the first of a node. A message that finds none is
 * copied twice by the library. To copy a small one again costs less than to post for it; a large one
 * waits at its sender until there is a receive, and gains nothing. */
static void settle_behind(mpi_factory *factory)
{
    size_t wanted = factory->unanswered > 1 ? factory->unanswered - 1 : 0;
    size_t nodes = factory->node_count > 0 ? factory->node_count : 1;
    size_t fitting = BEHIND_BYTES / (factory->message_bytes + 1) / nodes;

    if (factory->message_bytes <= BEHIND_LEAST_BYTES)
        wanted = 0;
    wanted = wanted < BEHIND_MAXIMUM ? wanted : BEHIND_MAXIMUM;
    factory->behind = wanted < fitting ? wanted : fitting;
    choose_receive(factory);
}

static cb_status mpi_node_create(transport_factory *base, int rank, transport_node **out)
{
    mpi_factory *factory = factory_of(base);
    mpi_node *node;

    if (rank < 0 || rank >= base->size || factory->nodes[rank] != NULL) {
        cb_error("cannot make a node for rank %d: %s", rank,
                 rank < 0 || rank >= base->size ? "there is no such rank" : "it has one already");
        return CB_ERROR_TRANSPORT;
    }
    node = cb_allocate(1, sizeof(*node), "a node");
    if (node == NULL)
        return CB_ERROR_MEMORY;
    *node = (mpi_node){.base = {.ops = &base->ops, .factory = base, .rank = rank},
                       .own = MPI_REQUEST_NULL};
    node->request = &node->own;
    factory->nodes[rank] = node;
    factory->node_count++;
    settle_behind(factory);
    *out = &node->base;
    return CB_OK;
}

static void mpi_node_destroy(transport_node *base)
{
    mpi_factory *factory = factory_of(base->factory);

    cancel_posted(node_of(base));
    factory->nodes[base->rank] = NULL;
    factory->node_count--;
    settle_behind(factory);
    free(base);
}

static void free_group(mpi_group *group)
{
    free(group->requests);
    free(group->arrived);
    free(group->statuses);
    free(group->base.nodes);
    free(group);
}

/* A communicator of the root, as rank 0, and the members in their order. */
static cb_status make_communicator(mpi_group *group)
{
    mpi_factory *factory = factory_of(group->base.factory);
    int size = (int)group->base.count + 1;
    int *ranks = cb_allocate((size_t)size, sizeof(*ranks), "the ranks of a group");
    MPI_Group all, members;
    int code;

    if (ranks == NULL)
        return CB_ERROR_MEMORY;
    ranks[0] = group->base.root != NULL ? group->base.root->rank : factory->base.rank;
    for (int i = 1; i < size; i++)
        ranks[i] = group->base.nodes[i - 1]->rank;
    code = MPI_Comm_group(factory->communicator, &all);
    if (code == MPI_SUCCESS) {
        code = MPI_Group_incl(all, size, ranks, &members);
        MPI_Group_free(&all);
    }
    if (code == MPI_SUCCESS) {
        code = MPI_Comm_create_group(factory->communicator, members, GROUP_TAG, &group->communicator);
        MPI_Group_free(&members);
    }
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler(group->communicator, MPI_ERRORS_RETURN);
    free(ranks);
    return code == MPI_SUCCESS ? CB_OK : failed(code, "make a multicast group with", factory->base.rank);
}

static cb_status mpi_group_create(transport_factory *base, transport_node *const *nodes, size_t count,
                                  transport_node *root, bool multicast, transport_group **out)
{
    size_t room = (size_t)base->size;
    mpi_group *group = cb_allocate(1, sizeof(*group), "a group");
    cb_status status = CB_ERROR_MEMORY;

    if (group == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(transport_group_initialise(&group->base, base, nodes, count, root, multicast));
    group->communicator = MPI_COMM_NULL;
    group->requests = cb_allocate(room, sizeof(*group->requests), "the receives of a group");
    group->arrived = cb_allocate(room, sizeof(*group->arrived), "the receives of a group");
    group->statuses = cb_allocate(room, sizeof(*group->statuses), "the receives of a group");
    if (group->requests != NULL && group->arrived != NULL && group->statuses != NULL)
        status = multicast ? make_communicator(group) : CB_OK;
    if (status != CB_OK) {
        free_group(group);
        return status;
    }
    *out = &group->base;
    return CB_OK;
}

static void mpi_group_destroy(transport_group *base)
{
    mpi_group *group = (mpi_group *)base;
    mpi_factory *factory = factory_of(base->factory);

    if (factory->polled == group)
        withdraw_requests(factory);
    if (group->communicator != MPI_COMM_NULL)
        MPI_Comm_free(&group->communicator);
    free_group(group);
}

/* Factory */

/* Whether the library gives the core away in its own waiting: Open MPI's control variable, false
 * where there is none. */
static bool read_library_yields(void)
{
    union {
        int number;
        bool flag;
        unsigned char bytes[64];
    } value = {.bytes = {0}};
    MPI_T_cvar_handle handle;
    bool yields = false;
    int provided, index, count;

    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return false;
    if (MPI_T_cvar_get_index("mpi_yield_when_idle", &index) == MPI_SUCCESS &&
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS) {
        if (MPI_T_cvar_read(handle, &value) == MPI_SUCCESS)
            yields = value.bytes[0] != 0;
        MPI_T_cvar_handle_free(&handle);
    }
    MPI_T_finalize();
    return yields;
}

static cb_status mpi_set_wait(transport_factory *base, transport_wait wait, transport_wait *effective)
{
    mpi_factory *factory = factory_of(base);

    if (wait == TRANSPORT_WAIT_SPIN && factory->library_yields)
        wait = TRANSPORT_WAIT_YIELD;
    factory->library_waits = wait == TRANSPORT_WAIT_SPIN ||
                             (wait == TRANSPORT_WAIT_YIELD && factory->library_yields);
    factory->wait = wait;
    choose_receive(factory);
    *effective = wait;
    return CB_OK;
}

static cb_status mpi_prepare(transport_factory *base, const transport_preparation *preparation)
{
    mpi_factory *factory = factory_of(base);

    if (preparation->message_bytes > INT_MAX) {
        cb_error("cannot send messages of %zu bytes over mpi: the largest is %d; lower --sizes",
                 preparation->message_bytes, INT_MAX);
        return CB_ERROR_UNSUPPORTED;
    }
    CB_TRY(mpi_flush(base));
    for (int rank = 0; rank < base->size; rank++)
        if (factory->nodes[rank] != NULL)
            cancel_posted(factory->nodes[rank]);
    withdraw_requests(factory);
    factory->posted = false;
    factory->message_bytes = preparation->message_bytes;
    factory->unanswered = preparation->unanswered;
    settle_behind(factory);
    return transport_pool_prepare(&factory->pool, base, preparation);
}

static cb_status mpi_open(const transport_bootstrap *bootstrap, transport_factory **out)
{
    mpi_factory *factory = cb_allocate(1, sizeof(*factory), "the technology mpi");
    int code;

    if (factory == NULL)
        return CB_ERROR_MEMORY;
    factory->nodes = cb_allocate((size_t)bootstrap->size, sizeof(*factory->nodes), "the nodes");
    if (factory->nodes == NULL) {
        free(factory);
        return CB_ERROR_MEMORY;
    }
    code = MPI_Comm_dup(MPI_COMM_WORLD, &factory->communicator);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler(factory->communicator, MPI_ERRORS_RETURN);
    if (code != MPI_SUCCESS) {
        free(factory->nodes);
        free(factory);
        return failed(code, "make a communicator for", bootstrap->rank);
    }
    factory->library_yields = read_library_yields();
    factory->wait = TRANSPORT_WAIT_SPIN;
    factory->library_waits = true;
    *out = &factory->base;
    return CB_OK;
}

static cb_status mpi_close(transport_factory *base)
{
    mpi_factory *factory = factory_of(base);
    cb_status flushed = mpi_flush(base);
    int code = MPI_Comm_free(&factory->communicator);

    transport_pool_clear(&factory->pool);
    free(factory->queue);
    free(factory->nodes);
    free(factory);
    return code == MPI_SUCCESS ? flushed : failed(code, "free the communicator of", -1);
}

const transport_technology transport_mpi = {
    .name = "mpi",
    .summary = "MPI point-to-point messages",
    .capabilities = TRANSPORT_ORDERED | TRANSPORT_RELIABLE | TRANSPORT_MULTICAST | TRANSPORT_DELIVERS,
    .open = mpi_open,
    .close = mpi_close,
    .prepare = mpi_prepare,
    .set_wait = mpi_set_wait,
    .flush = mpi_flush,
    .node_create = mpi_node_create,
    .node_destroy = mpi_node_destroy,
    .group_create = mpi_group_create,
    .group_destroy = mpi_group_destroy,
    .buffer_create = mpi_buffer_create,
    .buffer_release = mpi_buffer_release,
    .send = mpi_send,
    .receive = mpi_receive,
    .try_receive = mpi_try_receive,
    .group_send = mpi_group_send,
    .group_receive = mpi_group_receive,
    .group_try_receive = mpi_group_try_receive,
    .group_receive_root = mpi_group_receive_root,
};
