/* The technology mpi: sending to a group, by a loop of sends or by MPI's broadcast on a
 * communicator of the root and the members. */
#include "transport/mpi/internal.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"

/* A communicator of the root (rank 0) and the members in their order. */
cb_status mpi_make_communicator(mpi_group *group)
{
    mpi_factory *factory = mpi_factory_of(group->base.factory);
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
        code =
            MPI_Comm_create_group(factory->communicator, members, GROUP_TAG, &group->communicator);
        MPI_Group_free(&members);
    }
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler(group->communicator, MPI_ERRORS_RETURN);
    free(ranks);
    return code == MPI_SUCCESS
               ? CB_OK
               : mpi_failed(factory, code, "make a multicast group with", factory->base.rank);
}

/* All processes of a group must use the same form of broadcast: the blocking one does not match the
 * non-blocking one. */
static bool library_waits(const mpi_factory *factory)
{
    return factory->library_waits && !factory->try_multicast;
}

/* MPI sends nothing for a broadcast of 0 bytes: an empty message is sent as one byte, for which
 * every buffer has room. */
static int carried_bytes(const mpi_factory *factory)
{
    return factory->multicast_bytes > 0 ? (int)factory->multicast_bytes : 1;
}

static cb_status broadcast_failed(int code, const mpi_group *group)
{
    return mpi_failed(mpi_factory_of(group->base.factory), code, "broadcast to a group with",
                      group->base.factory->rank);
}

static cb_status broadcast_waiting(mpi_group *group, void *data)
{
    int code = MPI_Bcast(data, carried_bytes(mpi_factory_of(group->base.factory)), MPI_BYTE, 0,
                         group->communicator);

    return code == MPI_SUCCESS ? CB_OK : broadcast_failed(code, group);
}

static cb_status start_broadcast(mpi_group *group, void *data, MPI_Request *request)
{
    int code = MPI_Ibcast(data, carried_bytes(mpi_factory_of(group->base.factory)), MPI_BYTE, 0,
                          group->communicator, request);

    if (code != MPI_SUCCESS)
        return broadcast_failed(code, group);
    group->broadcasts++;
    return CB_OK;
}

/* The root does not wait for its members: the broadcast becomes a pending send, which takes the
 * buffer. */
static cb_status broadcast_and_keep(mpi_group *group, transport_buffer *buffer)
{
    mpi_factory *factory = mpi_factory_of(group->base.factory);
    MPI_Request request;
    cb_status status = start_broadcast(group, buffer->data, &request);

    if (status != CB_OK) {
        transport_buffer_release(buffer);
        return status;
    }
    factory->base.held--;
    return mpi_keep(factory, request, buffer, group);
}

static __attribute__((noinline)) cb_status multicast(mpi_group *group, transport_buffer *buffer)
{
    mpi_factory *factory = mpi_factory_of(group->base.factory);
    cb_status status;

    if (buffer->size != factory->multicast_bytes) {
        cb_error("cannot multicast %zu bytes: MPI's broadcast carries only messages of the "
                 "announced size, "
                 "%zu bytes; announce the size, or use a loop of sends",
                 buffer->size, factory->multicast_bytes);
        transport_buffer_release(buffer);
        return transport_noted(&factory->base, CB_ERROR_TRANSPORT);
    }
    if (!library_waits(factory))
        return broadcast_and_keep(group, buffer);
    status = broadcast_waiting(group, buffer->data);
    transport_buffer_release(buffer);
    return status;
}

/* Hot. */
cb_status mpi_group_send(transport_group *base, transport_buffer *buffer)
{
    if (base->multicast)
        return multicast((mpi_group *)base, buffer);
    return base->count == 1 ? mpi_send(base->nodes[0], buffer) : mpi_send_to_each(base, buffer);
}

/* Receiving from the root */

static cb_status receive_waiting(mpi_group *group, transport_buffer **out)
{
    mpi_factory *factory = mpi_factory_of(group->base.factory);
    transport_buffer *buffer = transport_buffer_create(&factory->base, factory->multicast_bytes);
    cb_status status;

    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    status = broadcast_waiting(group, buffer->data);
    if (status != CB_OK)
        transport_buffer_release(buffer);
    else
        *out = buffer;
    return status;
}

/* Start the next non-blocking broadcast. It cannot be cancelled: it stays pending until it
 * completes, over any number of tries. */
static cb_status await_broadcast(mpi_group *group)
{
    mpi_factory *factory = mpi_factory_of(group->base.factory);
    transport_buffer *buffer = transport_pool_take(&factory->pool);
    cb_status status;

    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    status = start_broadcast(group, buffer->data, &group->broadcast);
    if (status != CB_OK) {
        transport_pool_give(&factory->pool, buffer);
        return status;
    }
    group->awaited = buffer;
    factory->awaited++;
    return CB_OK;
}

static transport_buffer *stop_awaiting(mpi_group *group)
{
    transport_buffer *buffer = group->awaited;

    group->awaited = NULL;
    mpi_factory_of(group->base.factory)->awaited--;
    return buffer;
}

/* Hot if the library's waiting does not match the policy. */
static cb_status try_receive_broadcast(mpi_group *group, transport_buffer **out)
{
    mpi_factory *factory = mpi_factory_of(group->base.factory);
    int done = 0, code;

    if (factory->queue_count > 0)
        CB_TRY(mpi_reap(factory));
    if (group->awaited == NULL)
        CB_TRY(await_broadcast(group));
    code = MPI_Test(&group->broadcast, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) {
        if (group->broadcast == MPI_REQUEST_NULL)
            transport_pool_give(&factory->pool, stop_awaiting(group));
        return broadcast_failed(code, group);
    }
    if (!done)
        return CB_EMPTY;
    *out = stop_awaiting(group);
    (*out)->size = factory->multicast_bytes;
    factory->base.held++;
    return CB_OK;
}

cb_status mpi_group_receive_root(transport_group *base, transport_buffer **out)
{
    mpi_group *group = (mpi_group *)base;
    mpi_factory *factory = mpi_factory_of(base->factory);
    uint64_t polls = 0;
    cb_status status;

    if (!base->multicast)
        return transport_receive(base->root, out);
    if (library_waits(factory))
        return receive_waiting(group, out);
    while ((status = try_receive_broadcast(group, out)) == CB_EMPTY)
        mpi_pause(factory, polls++);
    return status;
}

cb_status mpi_group_try_receive_root(transport_group *base, transport_buffer **out)
{
    if (!base->multicast)
        return transport_try_receive(base->root, out);
    if (!mpi_factory_of(base->factory)->try_multicast) {
        cb_error("cannot try to receive a multicast over mpi: the root must use the non-blocking "
                 "broadcast; announce try_multicast in all processes, or wait for the message");
        return transport_noted(base->factory, CB_ERROR_TRANSPORT);
    }
    return try_receive_broadcast((mpi_group *)base, out);
}

/* Closing a group. MPI cannot cancel a broadcast: if a member waits for one that the root never
 * sent, or the root has sent one that a member never received, all processes start the missing
 * ones. */

static cb_status send_broadcast_count(mpi_group *group, int rank, uint64_t count)
{
    MPI_Request request;
    int code = MPI_Isend(&count, 1, MPI_UINT64_T, rank, COUNT_TAG, group->communicator, &request);

    return mpi_finish(mpi_factory_of(group->base.factory), code, &request,
                      "send the number of broadcasts to");
}

static cb_status receive_broadcast_count(mpi_group *group, int rank, uint64_t *count)
{
    MPI_Request request;
    int code = MPI_Irecv(count, 1, MPI_UINT64_T, rank, COUNT_TAG, group->communicator, &request);

    return mpi_finish(mpi_factory_of(group->base.factory), code, &request,
                      "receive the number of broadcasts from");
}

/* The largest number of broadcasts that any process of the group has started. */
static cb_status find_most(mpi_group *group, uint64_t *most)
{
    int size = (int)group->base.count + 1;

    *most = group->broadcasts;
    if (group->base.root != NULL) {
        CB_TRY(send_broadcast_count(group, 0, *most));
        return receive_broadcast_count(group, 0, most);
    }
    for (int member = 1; member < size; member++) {
        uint64_t theirs = 0;

        CB_TRY(receive_broadcast_count(group, member, &theirs));
        *most = theirs > *most ? theirs : *most;
    }
    for (int member = 1; member < size; member++)
        CB_TRY(send_broadcast_count(group, member, *most));
    return CB_OK;
}

static cb_status start_missing_broadcasts(mpi_group *group, transport_buffer *buffer, uint64_t most)
{
    mpi_factory *factory = mpi_factory_of(group->base.factory);

    while (group->broadcasts < most) {
        MPI_Request request;

        CB_TRY(start_broadcast(group, buffer->data, &request));
        CB_TRY(mpi_finish(factory, MPI_SUCCESS, &request, "complete a broadcast of"));
    }
    return CB_OK;
}

static cb_status end_broadcasts(mpi_group *group)
{
    mpi_factory *factory = mpi_factory_of(group->base.factory);
    transport_buffer *buffer;
    uint64_t most;
    cb_status status;

    CB_TRY(find_most(group, &most));
    if (group->awaited != NULL) {
        CB_TRY(mpi_finish(factory, MPI_SUCCESS, &group->broadcast, "complete a broadcast of"));
        buffer = stop_awaiting(group);
    } else {
        buffer = transport_pool_take(&factory->pool);
    }
    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    status = start_missing_broadcasts(group, buffer, most);
    transport_pool_give(&factory->pool, buffer);
    return status;
}

/* Without try_multicast no member can be ahead of the root. */
void mpi_free_communicator(mpi_group *group)
{
    mpi_factory *factory = mpi_factory_of(group->base.factory);
    cb_status status = factory->try_multicast ? end_broadcasts(group) : CB_OK;

    if (status == CB_OK)
        status = mpi_finish_broadcasts(factory, group);
    if (status == CB_OK)
        MPI_Comm_free(&group->communicator);
}
