/* The technology mpi: receiving from one node, by MPI_Recv into a buffer of the pool, so that the
 * path of a ping-pong is that of a bare MPI program; or by receives that are posted beforehand. */
#include "transport/mpi/internal.h"

static cb_status mpi_receive_by_polling(transport_node *node, transport_buffer **out);

static cb_status start_receive(const mpi_node *node, posted_receive *out)
{
    mpi_factory *factory = mpi_factory_of(node->base.factory);
    transport_buffer *buffer = transport_pool_take(&factory->pool);
    int code;

    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    code = MPI_Irecv(buffer->data, (int)buffer->capacity, MPI_BYTE, node->base.rank, MESSAGE_TAG,
                     factory->communicator, &out->request);
    if (code != MPI_SUCCESS) {
        transport_pool_give(&factory->pool, buffer);
        return mpi_failed(code, "receive from", node->base.rank);
    }
    factory->posted = true;
    factory->base.ops.receive = mpi_receive_by_polling;
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
    size_t wanted = mpi_factory_of(node->base.factory)->behind;

    for (; node->behind_count < wanted; node->behind_count++) {
        size_t end = (node->behind_first + node->behind_count) % BEHIND_MAXIMUM;

        CB_TRY(start_receive(node, &node->behind[end]));
    }
    return CB_OK;
}

/* Hot. MPI matches the messages of a node with receives in the order of posting: the next message
 * comes into the oldest of those behind, where there are any. */
cb_status mpi_post(mpi_node *node)
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

/* A message that is too long, for one, completes its receive with an error: it is lost, and the
 * node asks anew. Where the request is left, the call alone has failed, and the message may still
 * come.
 */
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
            return mpi_failed(code, "receive from", base->rank);
        }
        if (!done)
            return CB_EMPTY;
        mpi_note_arrival(node, &status);
    }
    *out = mpi_hand_over(node);
    return CB_OK;
}

/* The waiting receive where the library's own waiting is not what was asked for. */
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
    return mpi_failed(code, "receive from", node->rank);
}

/* All that is not needed once the message has come is done before: what is left then is on the way
 * of each packet of a ping-pong. */
static inline cb_status receive_next(transport_node *node, transport_buffer **out)
{
    mpi_factory *factory = mpi_factory_of(node->factory);
    transport_buffer *buffer = transport_pool_take(&factory->pool);
    MPI_Status status;
    int code;

    *out = buffer;
    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    factory->base.held++;
    code = MPI_Recv(buffer->data, (int)buffer->capacity, MPI_BYTE, node->rank, MESSAGE_TAG,
                    factory->communicator, &status);
    if (__builtin_expect(code != MPI_SUCCESS, 0))
        return receive_failed(node, code, buffer);
    buffer->size = mpi_received_bytes(&status);
    return CB_OK;
}

/* A few sends under way are tested before, which costs nothing while the message has not come;
 * many, of a stream, after it, since it tells that the other side has got on. */
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

/* Hot: the receive of a ping-pong, as long as no receive is posted that would take its message. */
cb_status mpi_receive(transport_node *node, transport_buffer **out)
{
    if (__builtin_expect(mpi_factory_of(node->factory)->queue_count > 0, 0))
        return receive_beside_sends(node, out);
    return receive_next(node, out);
}

/* Take the library's own waiting where it is what was asked for; else, and once a receive is
 * posted, for which it would never end, poll. */
void mpi_choose_receive(mpi_factory *factory)
{
    bool blocking = factory->library_waits && factory->behind == 0 && !factory->posted;

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
    while (node->behind_count > 0) {
        posted_receive next = take_behind(node);

        cancel(node, &next.request, next.buffer);
    }
}

/* Decide how many receives to keep posted behind the first of a node. A message that finds none is
 * copied twice by the library. To copy a small one again costs less than to post for it; a large
 * one waits at its sender until there is a receive, and gains nothing. */
void mpi_settle_behind(mpi_factory *factory)
{
    size_t wanted = factory->unanswered > 1 ? factory->unanswered - 1 : 0;
    size_t nodes = factory->node_count > 0 ? factory->node_count : 1;
    size_t fitting = BEHIND_BYTES / (factory->message_bytes + 1) / nodes;

    if (factory->message_bytes <= BEHIND_LEAST_BYTES)
        wanted = 0;
    wanted = wanted < BEHIND_MAXIMUM ? wanted : BEHIND_MAXIMUM;
    factory->behind = wanted < fitting ? wanted : fitting;
    mpi_choose_receive(factory);
}
