/* The technology ofi as a table.
 * Foreign headers of this folder: rdma/fabric.h, rdma/fi_cm.h, rdma/fi_domain.h,
 * rdma/fi_endpoint.h, rdma/fi_eq.h, rdma/fi_errno.h, rdma/fi_rma.h, rdma/fi_tagged.h */
#include "config.h"

#ifdef HAVE_LIBFABRIC
#include "transport/ofi/internal.h"
#else
#include "transport/ofi/parameters.h"
#include "transport/transport.h"
#endif

#ifdef HAVE_LIBFABRIC
static const remote_driver message_driver = {
    .name = "ofi",
    .open = ofi_open,
    .connect = ofi_connect,
    .close = ofi_close,
    .send = ofi_send_message,
    .tell = ofi_tell,
    .poll = ofi_poll,
    .idle = ofi_idle,
    .flush = ofi_flush,
    .release = ofi_release,
    .sleep = ofi_sleep,
    .remember = ofi_remember,
    .forget = ofi_forget,
};

static const remote_driver write_driver = {
    .name = "ofi",
    .open = ofi_open,
    .connect = ofi_connect,
    .close = ofi_close,
    .send = ofi_send_write,
    .tell = ofi_tell,
    .poll = ofi_poll,
    .idle = ofi_idle,
    .flush = ofi_flush,
    .sleep = ofi_sleep,
    .remember = ofi_remember,
    .forget = ofi_forget,
};

static cb_status open_method(const transport_bootstrap *bootstrap, transport_factory **out)
{
    ofi_settings settings;

    transport_take_values(bootstrap, &ofi_parameters, &settings);
    return remote_open(bootstrap,
                       settings.method == OFI_METHOD_WRITE ? &write_driver : &message_driver,
                       &ofi_parameters, sizeof(ofi_factory), out);
}
#endif

/* A build without libfabric still knows the technology's name and reads its Context. */
const transport_technology transport_ofi = {
    .name = "ofi",
    .summary = "libfabric",
    .parameters = &ofi_parameters,
    .counters = &remote_counters,
    .needs = "install libfabric-dev (libfabric 1.9 or later) and build again",
    .capabilities = TRANSPORT_ORDERED | TRANSPORT_RELIABLE | TRANSPORT_CONCURRENT_SEND |
                    TRANSPORT_BLOCKING_WAIT | TRANSPORT_DELIVERS,
#ifdef HAVE_LIBFABRIC
    .probe = ofi_probe,
    .open = open_method,
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
    .abandon = ofi_abandon,
#endif
};
