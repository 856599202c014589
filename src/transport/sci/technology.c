/* The technology sci as a table.
 * Foreign headers of this folder: sisci_api.h, sisci_error.h, sisci_types.h */
#include "config.h"

#ifdef HAVE_SISCI
#include "transport/sci/internal.h"
#else
#include "transport/sci/parameters.h"
#include "transport/transport.h"
#endif

/* A build without SISCI still knows the technology's name and reads its Context. */
const transport_technology transport_sci = {
    .name = "sci",
    .summary = "SISCI remote memory",
    .parameters = &sci_parameters,
    .is_default_of_files = true,
    .needs = "configure --with-sisci=software, or with Dolphin's library",
    .capabilities = TRANSPORT_ORDERED | TRANSPORT_RELIABLE | TRANSPORT_CONCURRENT_SEND |
                    TRANSPORT_BLOCKING_WAIT | TRANSPORT_DELIVERS | TRANSPORT_MULTICAST,
#ifdef HAVE_SISCI
    .probe = sci_library_probe,
    .open = sci_open,
    .close = sci_close,
    .prepare = sci_prepare,
    .flush = sci_flush,
    .node_create = sci_node_create,
    .node_destroy = sci_node_destroy,
    .group_create = sci_group_create,
    .group_destroy = sci_group_destroy,
    .buffer_create = sci_buffer_create,
    .buffer_release = sci_buffer_release,
    .send = sci_send,
    .receive = sci_receive,
    .try_receive = sci_try_receive,
    .group_send = sci_group_send,
    .group_receive = sci_group_receive,
    .group_try_receive = sci_group_try_receive,
    .group_receive_root = sci_group_receive_root,
    .group_try_receive_root = sci_group_try_receive_root,
    .abandon = sci_abandon,
#endif
};
