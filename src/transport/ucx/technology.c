/* The technology ucx as a table.
 * Foreign headers of this folder: ucp/api/ucp.h, uct/api/uct.h */
#include "config.h"

#ifdef HAVE_UCX
#include "transport/ucx/internal.h"
#endif
#include "transport/ucx/parameters.h"

#ifdef HAVE_UCX
static const remote_driver driver = {
    .name = "ucx",
    .open = ucx_open,
    .connect = ucx_connect,
    .close = ucx_close,
    .send = ucx_send,
    .tell = ucx_tell,
    .poll = ucx_poll,
    .idle = ucx_idle,
    .flush = ucx_flush,
    .release = ucx_release,
    .sleep = ucx_sleep,
};

static cb_status open_technology(const transport_bootstrap *bootstrap, transport_factory **out)
{
    return remote_open(bootstrap, &driver, &ucx_parameters, sizeof(ucx_factory), out);
}
#endif

/* A build without UCX still knows the technology's name and reads its Context. */
const transport_technology transport_ucx = {
    .name = "ucx",
    .summary = "UCX",
    .parameters = &ucx_parameters,
    .counters = &remote_counters,
    .needs = "install libucx-dev (UCX 1.10 or later) and build again",
    .capabilities = TRANSPORT_ORDERED | TRANSPORT_RELIABLE | TRANSPORT_CONCURRENT_SEND |
                    TRANSPORT_BLOCKING_WAIT | TRANSPORT_DELIVERS,
#ifdef HAVE_UCX
    .probe = ucx_probe,
    .open = open_technology,
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
#endif
};
