/* The technology rma: messages written into windows of MPI by one-sided operations.
 * Foreign headers of this folder: mpi.h
 *
 * The protocol is that of transport/remote; docs/reference/technologies.md has it. */
#include "transport/rma/internal.h"

static const remote_driver driver = {
    .name = "rma",
    .open = rma_window_open,
    .connect = rma_window_connect,
    .close = rma_window_close,
    .send = rma_send,
    .tell = rma_tell,
    .poll = rma_poll,
    .idle = rma_idle,
};

static cb_status rma_open(const transport_bootstrap *bootstrap, transport_factory **out)
{
    return remote_open(bootstrap, &driver, &rma_parameters, sizeof(rma_factory), out);
}

const transport_technology transport_rma = {
    .name = "rma",
    .summary = "one-sided MPI",
    /* An MPI_Win_flush may wait until its target enters the library. */
    .capabilities =
        TRANSPORT_ORDERED | TRANSPORT_RELIABLE | TRANSPORT_SEND_WAITS | TRANSPORT_DELIVERS,
    .parameters = &rma_parameters,
    .counters = &remote_counters,
    .open = rma_open,
    .close = remote_close,
    .prepare = remote_prepare,
    .flush = remote_flush,
    .node_create = remote_node_create,
    .node_destroy = remote_node_destroy,
    .buffer_create = remote_buffer_create,
    .buffer_release = remote_buffer_release,
    .send = remote_send,
    .receive = remote_receive,
    .try_receive = remote_try_receive,
    .group_receive = remote_group_receive,
    .group_try_receive = remote_group_try_receive,
};
