/* The technology mpi: receiving from one node, by MPI_Recv into a buffer of the pool, so that a
 * ping-pong does the same as a bare MPI program; or by receives posted in advance. */
#include "transport/mpi/internal.h"

static cb_status mpi_receive_by_polling(transport_node *node, transport_buffer **out);

static cb_status start_receive(const mpi_node *node, posted_receive *out)
{
    mpi_factory *factory = mpi_factory_of(node->base.factory);
    transport_buffer *buffer = transport_pool_take(&factory->pool);
    int code;

    if (buffer == NULL)
        return transport_noted(&factory->base, CB_ERROR_MEMORY);
    code = MPI_Irecv(buffer->data, (int)buffer->capacity, MPI_BYTE, node->base.rank, MESSAGE_TAG,
                     factory->communicator, &out->request);
    if (code != MPI_SUCCESS) {
        transport_pool_give(&factory->pool, buffer);
        return mpi_failed(factory, code, "receive from", node->base.rank);
    }
    factory->posted = true;
    factory->base.ops.receive = mpi_receive_by_polling;
    out->buffer = buffer;
    return CB_OK;
}

static posted_receive take_oldest_extra(mpi_node *node)
{
    posted_receive oldest = node->extra[node->extra_first];

    node->extra_first = (node->extra_first + 1) % EXTRA_MAXIMUM;
    node->extra_count--;
    return oldest;
}

static cb_status post_extra(mpi_node *node)
{
    size_t wanted = mpi_factory_of(node->base.factory)->extra;

    for (; node->extra_count < wanted; node->extra_count++) {
        size_t end = (node->extra_first + node->extra_count) % EXTRA_MAXIMUM;

        CB_TRY(start_receive(node, &node->extra[end]));
    }
    return CB_OK;
}

/* Hot. MPI matches the messages of a node with receives in the order of posting: the next message
 * goes to the oldest extra receive, if there is one. */
cb_status mpi_post(mpi_node *node)
{
    posted_receive next;

    if (node->extra_count > 0)
        next = take_oldest_extra(node);
    else
        CB_TRY(start_receive(node, &next));
    *node->request = next.request;
    node->posted = next.buffer;
    node->arrived = false;
    return post_extra(node);
}

/* Give the received buffer to the user. */
transport_buffer *mpi_hand_over(mpi_node *node)
{
    transport_buffer *buffer = node->posted;

    buffer->size = node->arrived_bytes;
    node->posted = NULL;
    node->arrived = false;
    node->base.factory->held++;
    return buffer;
}

void mpi_note_arrival(mpi_node *node, const MPI_Status *status)
{
    node->arrived = true;
    node->arrived_bytes = mpi_received_bytes(status);
}

/* An error such as a message that is too long completes its receive: that message is lost, and the
 * node posts again. If the request still exists, only the call failed, and the message may still
 * arrive. */
void mpi_forget_failed(mpi_node *node)
{
    if (node->posted == NULL || node->arrived || *node->request != MPI_REQUEST_NULL)
        return;
    transport_pool_give(&mpi_factory_of(node->base.factory)->pool, node->posted);
    node->posted = NULL;
}

cb_status mpi_try_receive(transport_node *base, transport_buffer **out)
{
    mpi_factory *factory = mpi_factory_of(base->factory);
    mpi_node *node = mpi_node_of(base);

    if (factory->queue_count > 0)
        CB_TRY(mpi_reap(factory));
    if (node->posted == NULL)
        CB_TRY(mpi_post(node));
    if (!node->arrived) {
        MPI_Status status;
        int done = 0;
        int code = MPI_Test(node->request, &done, &status);

        if (code != MPI_SUCCESS) {
            mpi_forget_failed(node);
            return mpi_failed(mpi_factory_of(base->factory), code, "receive from", base->rank);
        }
        if (!done)
            return CB_EMPTY;
        mpi_note_arrival(node, &status);
    }
    *out = mpi_hand_over(node);
    return CB_OK;
}

/* The waiting receive if the library's waiting does not match the policy. */
static cb_status mpi_receive_by_polling(transport_node *node, transport_buffer **out)
{
    uint64_t polls = 0;
    cb_status status;

    while ((status = mpi_try_receive(node, out)) == CB_EMPTY)
        mpi_pause(mpi_factory_of(node->factory), polls++);
    return status;
}

static __attribute__((cold, noinline)) cb_status receive_failed(const transport_node *node,
                                                                int code, transport_buffer *buffer)
{
    transport_buffer_release(buffer);
    return mpi_failed(mpi_factory_of(node->factory), code, "receive from", node->rank);
}

/* All work that does not need the message is done before the receive, since work after it would add
 * to the latency of a ping-pong. */
static inline cb_status receive_next(transport_node *node, transport_buffer **out)
{
    mpi_factory *factory = mpi_factory_of(node->factory);
    transport_buffer *buffer = transport_pool_take(&factory->pool);
    MPI_Status status;
    int code;

    *out = buffer;
    if (buffer == NULL)
        return transport_noted(&factory->base, CB_ERROR_MEMORY);
    factory->base.held++;
    code = MPI_Recv(buffer->data, (int)buffer->capacity, MPI_BYTE, node->rank, MESSAGE_TAG,
                    factory->communicator, &status);
    if (__builtin_expect(code != MPI_SUCCESS, 0))
        return receive_failed(node, code, buffer);
    buffer->size = mpi_received_bytes(&status);
    return CB_OK;
}

/* A few pending sends are tested before the message arrives, when it costs nothing; many, as in a
 * stream, after it, since it shows that the other side has made progress. */
static __attribute__((noinline)) cb_status receive_beside_sends(transport_node *node,
                                                                transport_buffer **out)
{
    mpi_factory *factory = mpi_factory_of(node->factory);
    cb_status status;

    if (factory->queue_count < REAP_TOGETHER) {
        CB_TRY(mpi_reap(factory));
        return receive_next(node, out);
    }
    CB_TRY(receive_next(node, out));
    status = mpi_reap(factory);
    if (status != CB_OK)
        transport_buffer_release(*out);
    return status;
}

/* Hot: the receive of a ping-pong, as long as no posted receive would take its message. */
cb_status mpi_receive(transport_node *node, transport_buffer **out)
{
    if (__builtin_expect(mpi_factory_of(node->factory)->queue_count > 0, 0))
        return receive_beside_sends(node, out);
    return receive_next(node, out);
}

/* Use the library's waiting if it matches the policy. Otherwise, and once a receive is posted (it
 * would take the message, and the call would never return), poll. */
void mpi_choose_receive(mpi_factory *factory)
{
    bool blocking = factory->library_waits && factory->extra == 0 && !factory->posted;

    factory->base.ops.receive = blocking ? mpi_receive : mpi_receive_by_polling;
}

static void cancel(const mpi_node *node, MPI_Request *request, transport_buffer *buffer)
{
    MPI_Cancel(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    transport_pool_give(&mpi_factory_of(node->base.factory)->pool, buffer);
}

void mpi_cancel_posted(mpi_node *node)
{
    if (node->posted != NULL && node->arrived)
        transport_pool_give(&mpi_factory_of(node->base.factory)->pool, node->posted);
    else if (node->posted != NULL)
        cancel(node, node->request, node->posted);
    node->posted = NULL;
    node->arrived = false;
    while (node->extra_count > 0) {
        posted_receive next = take_oldest_extra(node);

        cancel(node, &next.request, next.buffer);
    }
}

/* Decide how many extra receives to keep posted for each node. The library copies a message twice
 * if no receive is posted. For a small message, the copy costs less than posting; a large one waits
 * at its sender until there is a receive, and gains nothing. */
void mpi_choose_extra_receives(mpi_factory *factory)
{
    size_t wanted = factory->unanswered > 1 ? factory->unanswered - 1 : 0;
    size_t nodes = factory->node_count > 0 ? factory->node_count : 1;
    size_t fitting = EXTRA_BYTES / (factory->message_bytes + 1) / nodes;

    if (factory->message_bytes <= EXTRA_LEAST_BYTES)
        wanted = 0;
    wanted = wanted < EXTRA_MAXIMUM ? wanted : EXTRA_MAXIMUM;
    factory->extra = wanted < fitting ? wanted : fitting;
    mpi_choose_receive(factory);
}
