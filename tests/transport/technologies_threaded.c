/* A list of technologies for the conformance test: `threaded`, which is mpi for several threads
 * that send. A lock is held in all that they may call at a time. What they send waits in a list
 * until the thread that opened the technology, and receives, hands it to MPI, which allows calls of
 * that thread alone. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "transport/mpi/internal.h"

extern const transport_technology transport_mpi;

static transport_technology threaded;

typedef struct waiting_send waiting_send;

struct waiting_send {
    waiting_send *next;
    transport_node *node;
    transport_group *group; /* or NULL */
    transport_buffer *buffer;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t receiver;
static waiting_send *first, **end = &first;

static void enter(void)
{
    pthread_mutex_lock(&lock);
}

/* mpi replaces its waiting receive as needed; here it is always the one that waits without the
 * lock. */
static cb_status leave(transport_factory *factory, cb_status status)
{
    factory->ops.receive = threaded.receive;
    pthread_mutex_unlock(&lock);
    return status;
}

static void release(transport_buffer *buffer)
{
    buffer->owner->held--;
    transport_pool_give(&mpi_factory_of(buffer->owner)->pool, buffer);
}

static cb_status hand_over(transport_node *node, transport_group *group, transport_buffer *buffer)
{
    return group != NULL ? transport_mpi.group_send(group, buffer)
                         : transport_mpi.send(node, buffer);
}

static cb_status hand_over_all(void)
{
    cb_status status = CB_OK;

    while (first != NULL && status == CB_OK) {
        waiting_send *oldest = first;

        first = oldest->next;
        if (first == NULL)
            end = &first;
        status = hand_over(oldest->node, oldest->group, oldest->buffer);
        free(oldest);
    }
    return status;
}

static cb_status add_to_list(transport_node *node, transport_group *group, transport_buffer *buffer)
{
    waiting_send *sent = cb_allocate(1, sizeof(*sent), "a message that waits");

    if (sent == NULL) {
        release(buffer);
        return CB_ERROR_MEMORY;
    }
    *sent = (waiting_send){.node = node, .group = group, .buffer = buffer};
    *end = sent;
    end = &sent->next;
    return CB_OK;
}

static cb_status send_either(transport_node *node, transport_group *group, transport_buffer *buffer)
{
    transport_factory *factory = buffer->owner;
    cb_status status;

    enter();
    if (pthread_equal(pthread_self(), receiver)) {
        status = hand_over_all();
        if (status == CB_OK)
            status = hand_over(node, group, buffer);
        else
            release(buffer);
    } else {
        status = add_to_list(node, group, buffer);
    }
    return leave(factory, status);
}

static cb_status threaded_send(transport_node *node, transport_buffer *buffer)
{
    return send_either(node, NULL, buffer);
}

static cb_status threaded_group_send(transport_group *group, transport_buffer *buffer)
{
    return send_either(NULL, group, buffer);
}

static transport_buffer *threaded_buffer_create(transport_factory *factory, size_t size)
{
    transport_buffer *buffer;

    enter();
    buffer = transport_pool_take(&mpi_factory_of(factory)->pool);
    if (buffer != NULL) {
        buffer->size = size;
        factory->held++;
    }
    (void)leave(factory, CB_OK);
    return buffer;
}

static void threaded_buffer_release(transport_buffer *buffer)
{
    transport_factory *factory = buffer->owner;

    enter();
    release(buffer);
    (void)leave(factory, CB_OK);
}

static cb_status threaded_try_receive(transport_node *node, transport_buffer **out)
{
    cb_status status;

    enter();
    status = hand_over_all();
    if (status == CB_OK)
        status = transport_mpi.try_receive(node, out);
    return leave(node->factory, status);
}

static cb_status threaded_receive(transport_node *node, transport_buffer **out)
{
    cb_status status;

    while ((status = threaded_try_receive(node, out)) == CB_EMPTY)
        sched_yield();
    return status;
}

static cb_status threaded_group_try_receive(transport_group *group, transport_buffer **out,
                                            transport_node **from)
{
    cb_status status;

    enter();
    status = hand_over_all();
    if (status == CB_OK)
        status = transport_mpi.group_try_receive(group, out, from);
    return leave(group->factory, status);
}

static cb_status threaded_group_receive(transport_group *group, transport_buffer **out,
                                        transport_node **from)
{
    cb_status status;

    while ((status = threaded_group_try_receive(group, out, from)) == CB_EMPTY)
        sched_yield();
    return status;
}

static cb_status threaded_flush(transport_factory *factory)
{
    cb_status status;

    enter();
    status = hand_over_all();
    if (status == CB_OK)
        status = transport_mpi.flush(factory);
    return leave(factory, status);
}

/* The others are called while no other thread is in the factory. */

static cb_status threaded_open(const transport_bootstrap *bootstrap, transport_factory **out)
{
    receiver = pthread_self();
    CB_TRY(transport_mpi.open(bootstrap, out));
    (*out)->pool = NULL; /* here it holds the lock */
    return CB_OK;
}

static cb_status threaded_prepare(transport_factory *factory,
                                  const transport_preparation *preparation)
{
    enter();
    return leave(factory, transport_mpi.prepare(factory, preparation));
}

/* A waiting receive yields under every wait policy. */
static cb_status threaded_set_wait(transport_factory *factory, transport_wait wait,
                                   transport_wait *effective)
{
    cb_status status;

    enter();
    status = transport_mpi.set_wait(factory, wait, effective);
    *effective = TRANSPORT_WAIT_YIELD;
    return leave(factory, status);
}

static cb_status threaded_node_create(transport_factory *factory, int rank, transport_node **out)
{
    enter();
    return leave(factory, transport_mpi.node_create(factory, rank, out));
}

/* A queued message may be for the node or group that is destroyed. An error of MPI has been
 * logged. */

static void threaded_node_destroy(transport_node *node)
{
    transport_factory *factory = node->factory;

    enter();
    (void)hand_over_all();
    transport_mpi.node_destroy(node);
    (void)leave(factory, CB_OK);
}

static void threaded_group_destroy(transport_group *group)
{
    transport_factory *factory = group->factory;

    enter();
    (void)hand_over_all();
    transport_mpi.group_destroy(group);
    (void)leave(factory, CB_OK);
}

static cb_status threaded_group_create(transport_factory *factory, transport_node *const *nodes,
                                       size_t count, transport_node *root, bool multicast,
                                       transport_group **out)
{
    if (!multicast)
        return transport_mpi.group_create(factory, nodes, count, root, false, out);
    cb_error("the technology threaded has no multicast of its own; use that of mpi");
    return CB_ERROR_UNSUPPORTED;
}

/* The operations of mpi are known at link time only, so this table is completed when the program
 * starts. */
__attribute__((constructor)) static void make_technology(void)
{
    threaded = transport_mpi;
    threaded.name = "threaded";
    threaded.capabilities =
        TRANSPORT_ORDERED | TRANSPORT_RELIABLE | TRANSPORT_DELIVERS | TRANSPORT_CONCURRENT_SEND;
    threaded.open = threaded_open;
    threaded.prepare = threaded_prepare;
    threaded.set_wait = threaded_set_wait;
    threaded.flush = threaded_flush;
    threaded.node_create = threaded_node_create;
    threaded.node_destroy = threaded_node_destroy;
    threaded.group_create = threaded_group_create;
    threaded.group_destroy = threaded_group_destroy;
    threaded.buffer_create = threaded_buffer_create;
    threaded.buffer_release = threaded_buffer_release;
    threaded.send = threaded_send;
    threaded.receive = threaded_receive;
    threaded.try_receive = threaded_try_receive;
    threaded.group_send = threaded_group_send;
    threaded.group_receive = threaded_group_receive;
    threaded.group_try_receive = threaded_group_try_receive;
}

const transport_technology *const transport_technologies[] = {&threaded, NULL};
