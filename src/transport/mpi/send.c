/* The technology mpi: sending. An MPI_Isend that is not complete on return waits in a ring, with
 * its buffer, and is tested by later calls. */
#include "transport/mpi/internal.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"

/* Errors and requests */

/* Not inlined: it would enlarge the stack frames of hot functions. */
__attribute__((cold, noinline)) cb_status mpi_failed(mpi_factory *factory, int code,
                                                     const char *attempt, int rank)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;

    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        length = 0;
    cb_error("MPI cannot %s node %d: %.*s; see the messages of the MPI library", attempt, rank,
             length, text);
    return factory != NULL ? transport_noted(&factory->base, CB_ERROR_TRANSPORT)
                           : CB_ERROR_TRANSPORT;
}

cb_status mpi_finish(mpi_factory *factory, int code, MPI_Request *request, const char *attempt)
{
    uint64_t polls = 0;
    int done = 0;

    while (code == MPI_SUCCESS &&
           (code = MPI_Test(request, &done, MPI_STATUS_IGNORE)) == MPI_SUCCESS && !done)
        mpi_pause(factory, polls++);
    return code == MPI_SUCCESS ? CB_OK : mpi_failed(factory, code, attempt, factory->base.rank);
}

/* Pending sends */

static void drop_oldest(mpi_factory *factory, size_t count)
{
    const kept_send *oldest = &factory->kept[factory->queue_first];

    for (size_t i = 0; i < count; i++)
        if (oldest[i].buffer != NULL)
            transport_pool_give(&factory->pool, oldest[i].buffer);
    factory->queue_first = (factory->queue_first + count) & (factory->queue_length - 1);
    factory->queue_count -= count;
}

/* Test the oldest sends, which are contiguous in the ring, all together; *done: all are complete.
 */
static cb_status test_oldest(mpi_factory *factory, size_t count, int *done)
{
    MPI_Request *oldest = &factory->requests[factory->queue_first];
    int code = count == 1 ? MPI_Test(oldest, done, MPI_STATUS_IGNORE)
                          : MPI_Testall((int)count, oldest, done, MPI_STATUSES_IGNORE);
    size_t complete = *done ? count : 0;

    while (complete < count && oldest[complete] == MPI_REQUEST_NULL)
        complete++;
    drop_oldest(factory, complete);
    return code == MPI_SUCCESS ? CB_OK : mpi_failed(factory, code, "complete a send to", -1);
}

/* Tests several sends by one call while all of them are complete, which costs less than one by one.
 * Large messages are also tested singly: one may be complete before others, and its buffer is then
 * in a nearer cache for the next send. A failed send is reported once; if its request still exists,
 * it is still pending. */
cb_status mpi_reap(mpi_factory *factory)
{
    size_t together = REAP_TOGETHER;

    while (factory->queue_count > 0) {
        int done = 0;

        if (factory->queue_count < together ||
            factory->queue_first + together > factory->queue_length)
            together = 1;
        CB_TRY(test_oldest(factory, together, &done));
        if (!done && (together == 1 || !factory->reap_singly))
            return CB_OK;
        together = done ? together : 1;
    }
    return CB_OK;
}

/* Index in the ring of a position of the queue. */
static size_t place_of(const mpi_factory *factory, size_t position)
{
    return (factory->queue_first + position) & (factory->queue_length - 1);
}

static __attribute__((cold, noinline)) cb_status grow_queue(mpi_factory *factory)
{
    size_t length = factory->queue_length > 0 ? 2 * factory->queue_length : QUEUE_INITIAL;
    MPI_Request *requests = cb_allocate(length, sizeof(*requests), "the queue of sends");
    kept_send *kept = cb_allocate(length, sizeof(*kept), "the queue of sends");

    if (requests == NULL || kept == NULL) {
        free(requests);
        free(kept);
        return CB_ERROR_MEMORY;
    }
    for (size_t i = 0; i < factory->queue_count; i++) {
        requests[i] = factory->requests[place_of(factory, i)];
        kept[i] = factory->kept[place_of(factory, i)];
    }
    free(factory->requests);
    free(factory->kept);
    factory->requests = requests;
    factory->kept = kept;
    factory->queue_length = length;
    factory->queue_first = 0;
    return CB_OK;
}

static inline cb_status enqueue(mpi_factory *factory, MPI_Request request, transport_buffer *buffer,
                                const mpi_group *group)
{
    size_t place;

    if (__builtin_expect(factory->queue_count == factory->queue_length, 0))
        CB_TRY(grow_queue(factory));
    place = place_of(factory, factory->queue_count++);
    factory->requests[place] = request;
    factory->kept[place].buffer = buffer;
    factory->kept[place].group = group;
    return CB_OK;
}

/* Open MPI returns the same request for every send that is complete on return (most small ones) and
 * for a send to MPI_PROC_NULL. That request needs no test; any other does, and with other libraries
 * all do. */
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
            return mpi_failed(factory, code, "send from", factory->base.rank);
    }
#endif
    return CB_OK;
}

/* Start one send of several; *request is MPI_REQUEST_NULL if it no longer needs the buffer, also
 * after an error. */
static cb_status start_send(mpi_factory *factory, const transport_buffer *buffer, int rank,
                            MPI_Request *request)
{
    int code = MPI_Isend(buffer->data, (int)buffer->size, MPI_BYTE, rank, MESSAGE_TAG,
                         factory->communicator, request);

    if (__builtin_expect(code != MPI_SUCCESS, 0)) {
        *request = MPI_REQUEST_NULL;
        return mpi_failed(factory, code, "send to", rank);
    }
    if (*request == factory->complete)
        *request = MPI_REQUEST_NULL;
    return CB_OK;
}

/* Not inlined, so that a send that is complete at once saves no registers. Not tested here: it
 * would rarely be complete, and an unsuccessful test costs a progress call over cache lines that
 * the other side is writing. */
__attribute__((noinline)) cb_status mpi_keep(mpi_factory *factory, MPI_Request request,
                                             transport_buffer *buffer, const mpi_group *group)
{
    CB_TRY(enqueue(factory, request, buffer, group));
    if (__builtin_expect(factory->queue_count % REAP_INTERVAL != 0, 1))
        return CB_OK;
    return mpi_reap(factory);
}

static __attribute__((cold, noinline)) cb_status send_failed(const transport_node *node, int code,
                                                             transport_buffer *buffer)
{
    transport_pool_give(&mpi_factory_of(node->factory)->pool, buffer);
    return mpi_failed(mpi_factory_of(node->factory), code, "send to", node->rank);
}

/* Hot. The user has given the buffer back, even if the queue still needs it. The factory is looked
 * up again after the call, so that no register has to be saved for it. */
cb_status mpi_send(transport_node *node, transport_buffer *buffer)
{
    MPI_Request request;
    int code = MPI_Isend(buffer->data, (int)buffer->size, MPI_BYTE, node->rank, MESSAGE_TAG,
                         mpi_factory_of(node->factory)->communicator, &request);
    mpi_factory *factory = mpi_factory_of(node->factory);

    factory->base.held--;
    if (__builtin_expect(code != MPI_SUCCESS, 0))
        return send_failed(node, code, buffer);
    if (__builtin_expect(request != factory->complete, 0))
        return mpi_keep(factory, request, buffer, NULL);
    transport_pool_give(&factory->pool, buffer);
    return CB_OK;
}

/* Hot. One buffer for all targets: it returns to the pool after the last pending send. */
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
        status = enqueue(factory, request, NULL, NULL);
        under_way = true;
    }
    if (under_way) {
        CB_TRY(enqueue(factory, MPI_REQUEST_NULL, buffer, NULL));
        return status == CB_OK ? mpi_reap(factory) : status;
    }
    transport_pool_give(&factory->pool, buffer);
    return status;
}

/* The entries stay in the ring, complete, until they are the oldest. */
cb_status mpi_finish_broadcasts(mpi_factory *factory, const mpi_group *group)
{
    for (size_t i = 0; i < factory->queue_count; i++) {
        size_t place = place_of(factory, i);

        if (factory->kept[place].group != group)
            continue;
        factory->kept[place].group = NULL;
        CB_TRY(
            mpi_finish(factory, MPI_SUCCESS, &factory->requests[place], "complete a broadcast of"));
    }
    return CB_OK;
}

cb_status mpi_flush(transport_factory *base)
{
    mpi_factory *factory = mpi_factory_of(base);
    for (uint64_t polls = 0;; polls++) {
        CB_TRY(mpi_reap(factory));
        if (factory->queue_count == 0)
            return CB_OK;
        mpi_pause(factory, polls);
    }
}
