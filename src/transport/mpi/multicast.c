/* The technology mpi: sending to a group, by a loop of sends or by MPI's own broadcast on a
 * communicator of the root and the members. */
#include "transport/mpi/internal.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"

/* A communicator of the root, as rank 0, and the members in their order. */
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
               : mpi_failed(code, "make a multicast group with", factory->base.rank);
}

/* All members take the same form of the broadcast, since a blocking one does not match the other.
 * MPI sends nothing at all for a broadcast of 0 bytes: an empty message travels as one byte, for
 * which every buffer has room. */
static cb_status broadcast(mpi_group *group, void *data)
{
    mpi_factory *factory = mpi_factory_of(group->base.factory);
    int bytes = factory->message_bytes > 0 ? (int)factory->message_bytes : 1;
    mpi_poll state = {0};
    MPI_Request request;
    int done = 0, code;

    if (factory->library_waits) {
        code = MPI_Bcast(data, bytes, MPI_BYTE, 0, group->communicator);
    } else {
        code = MPI_Ibcast(data, bytes, MPI_BYTE, 0, group->communicator, &request);
        while (code == MPI_SUCCESS &&
               (code = MPI_Test(&request, &done, MPI_STATUS_IGNORE)) == MPI_SUCCESS && !done)
            mpi_pause(factory, &state);
    }
    return code == MPI_SUCCESS ? CB_OK
                               : mpi_failed(code, "broadcast to a group with", factory->base.rank);
}

cb_status mpi_group_send(transport_group *base, transport_buffer *buffer)
{
    mpi_group *group = (mpi_group *)base;
    cb_status status;

    if (!base->multicast)
        return mpi_send_to_each(base, buffer);
    if (buffer->size != mpi_factory_of(base->factory)->message_bytes) {
        cb_error(
            "cannot multicast %zu bytes: MPI's broadcast carries messages of the announced size "
            "alone, %zu bytes; announce the size, or use --multicast loop",
            buffer->size, mpi_factory_of(base->factory)->message_bytes);
        status = CB_ERROR_TRANSPORT;
    } else {
        status = broadcast(group, buffer->data);
    }
    mpi_buffer_release(buffer);
    return status;
}

cb_status mpi_group_receive_root(transport_group *base, transport_buffer **out)
{
    mpi_group *group = (mpi_group *)base;
    mpi_factory *factory = mpi_factory_of(base->factory);
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
