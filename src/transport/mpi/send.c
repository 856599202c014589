/* The technology mpi: sending. An MPI_Isend is tested at once; what is not complete then waits in a
 * ring, with its buffer, and is tested again by later calls. */
#include "transport/mpi/internal.h"

#include <stdlib.h>

#include "base/memory.h"

static void drop_oldest(mpi_factory *factory)
{
    pending_send *oldest = &factory->queue[factory->queue_first];

    if (oldest->buffer != NULL)
        transport_pool_give(&factory->pool, oldest->buffer);
    factory->queue_first = (factory->queue_first + 1) & (factory->queue_length - 1);
    factory->queue_count--;
}

/* A send that has failed is told once; where its request is left, it is still under way. */
cb_status mpi_reap(mpi_factory *factory)
{
    while (factory->queue_count > 0) {
        MPI_Request *request = &factory->queue[factory->queue_first].request;
        int done = 0;
        int code = MPI_Test(request, &done, MPI_STATUS_IGNORE);

        if (done || *request == MPI_REQUEST_NULL)
            drop_oldest(factory);
        if (code != MPI_SUCCESS)
            return mpi_failed(code, "complete a send to", -1);
        if (!done)
            return CB_OK;
    }
    return CB_OK;
}

static pending_send *queue_entry(const mpi_factory *factory, size_t position)
{
    return &factory->queue[(factory->queue_first + position) & (factory->queue_length - 1)];
}

static cb_status grow_queue(mpi_factory *factory)
{
    size_t length = factory->queue_length > 0 ? 2 * factory->queue_length : QUEUE_INITIAL;
    pending_send *queue = cb_allocate(length, sizeof(*queue), "the queue of sends");

    if (queue == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < factory->queue_count; i++)
        queue[i] = *queue_entry(factory, i);
    free(factory->queue);
    factory->queue = queue;
    factory->queue_length = length;
    factory->queue_first = 0;
    return CB_OK;
}

static cb_status enqueue(mpi_factory *factory, pending_send sent)
{
    if (factory->queue_count == factory->queue_length)
        CB_TRY(grow_queue(factory));
    *queue_entry(factory, factory->queue_count++) = sent;
    return CB_OK;
}

/* Open MPI gives one and the same request for every send that is complete as it returns, which most
 * of the small ones are, and for a send to nobody. It needs no test; any other request does, and
 * with other libraries all do. */
cb_status mpi_learn_complete(mpi_factory *factory)
{
    factory->complete = MPI_REQUEST_NULL;
#ifdef HAVE_MPI_SHARED_COMPLETE_REQUEST
    {
        MPI_Request request;
        int code = MPI_Isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, MESSAGE_TAG, factory->communicator,
                             &request);

        factory->complete = request;
        if (code == MPI_SUCCESS)
            code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            return mpi_failed(code, "send from", factory->base.rank);
    }
#endif
    return CB_OK;
}

/* Start a send to one of several; *request is MPI_REQUEST_NULL when this one needs the buffer no
 * more, also after an error. */
static cb_status start_send(const mpi_factory *factory, const transport_buffer *buffer, int rank,
                            MPI_Request *request)
{
    int code = MPI_Isend(buffer->data, (int)buffer->size, MPI_BYTE, rank, MESSAGE_TAG,
                         factory->communicator, request);

    if (__builtin_expect(code != MPI_SUCCESS, 0)) {
        *request = MPI_REQUEST_NULL;
        return mpi_failed(code, "send to", rank);
    }
    if (*request == factory->complete)
        *request = MPI_REQUEST_NULL;
    return CB_OK;
}

/* Test a send that was not complete as it was started; where it has failed it counts as complete.
 * Behind others that are under way it is not tested: it would rarely be, and a test that finds
 * nothing costs a round through all that the library waits for, in cache lines that the other side
 * is writing. */
static cb_status test_send(const mpi_factory *factory, int rank, MPI_Request *request)
{
    int done = 0, code;

    if (factory->queue_count > 0)
        return CB_OK;
    code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS ? CB_OK : mpi_failed(code, "send to", rank);
}

/* Keep a send that is under way, and its buffer; sends are completed by the sixteen, and whenever
 * something is received. */
cb_status mpi_keep(mpi_factory *factory, pending_send sent)
{
    CB_TRY(enqueue(factory, sent));
    return factory->queue_count % REAP_INTERVAL == 0 ? mpi_reap(factory) : CB_OK;
}

/* What has become of a send that is not known to be complete: it failed, or needs a test. A
 * function of its own, so that one that is complete at once saves no registers for it. */
static __attribute__((noinline)) cb_status
end_send(const transport_node *node, transport_buffer *buffer, int code, MPI_Request request)
{
    mpi_factory *factory = mpi_factory_of(node->factory);
    cb_status status, kept;

    if (code != MPI_SUCCESS) {
        status = mpi_failed(code, "send to", node->rank);
        request = MPI_REQUEST_NULL;
    } else {
        status = test_send(factory, node->rank, &request);
    }
    if (request != MPI_REQUEST_NULL) {
        kept = mpi_keep(factory, (pending_send){.request = request, .buffer = buffer});
        return status == CB_OK ? kept : status;
    }
    transport_pool_give(&factory->pool, buffer);
    return status;
}

/* Hot. The user has given the buffer back, even where the queue still needs it. */
cb_status mpi_send(transport_node *node, transport_buffer *buffer)
{
    mpi_factory *factory = mpi_factory_of(node->factory);
    MPI_Request request;
    int code = MPI_Isend(buffer->data, (int)buffer->size, MPI_BYTE, node->rank, MESSAGE_TAG,
                         factory->communicator, &request);

    factory->base.held--;
    if (__builtin_expect(code != MPI_SUCCESS || request != factory->complete, 0))
        return end_send(node, buffer, code, request);
    transport_pool_give(&factory->pool, buffer);
    return CB_OK;
}

/* Hot. One buffer for all: it goes back to the pool behind the last send that is still under way.
 */
cb_status mpi_send_to_each(transport_group *group, transport_buffer *buffer)
{
    mpi_factory *factory = mpi_factory_of(group->factory);
    cb_status status = CB_OK;
    bool under_way = false;

    factory->base.held--;
    for (size_t i = 0; i < group->count && status == CB_OK; i++) {
        int rank = group->nodes[i]->rank;
        MPI_Request request;

        status = start_send(factory, buffer, rank, &request);
        if (request == MPI_REQUEST_NULL)
            continue;
        status = test_send(factory, rank, &request);
        if (request != MPI_REQUEST_NULL) {
            cb_status kept = enqueue(factory, (pending_send){.request = request});

            status = status == CB_OK ? kept : status;
            under_way = true;
        }
    }
    if (under_way) {
        CB_TRY(enqueue(factory, (pending_send){.request = MPI_REQUEST_NULL, .buffer = buffer}));
        return status == CB_OK ? mpi_reap(factory) : status;
    }
    transport_pool_give(&factory->pool, buffer);
    return status;
}

/* The entries stay in the ring, complete, until their turn comes. */
cb_status mpi_finish_broadcasts(mpi_factory *factory, const mpi_group *group)
{
    for (size_t i = 0; i < factory->queue_count; i++) {
        pending_send *sent = queue_entry(factory, i);

        if (sent->group != group)
            continue;
        sent->group = NULL;
        CB_TRY(mpi_finish(factory, MPI_SUCCESS, &sent->request, "complete a broadcast of"));
    }
    return CB_OK;
}

cb_status mpi_flush(transport_factory *base)
{
    mpi_factory *factory = mpi_factory_of(base);
    mpi_poll state = {0};

    for (;;) {
        CB_TRY(mpi_reap(factory));
        if (factory->queue_count == 0)
            return CB_OK;
        mpi_pause(factory, &state);
    }
}
