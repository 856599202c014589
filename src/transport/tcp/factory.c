/* The technology tcp: messages over stream sockets, one connection for each pair of ranks, all made
 * at open. A message is a header of eight bytes and its payload; docs/sockets.md has the format. */
#include "transport/tcp/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/derive.h"
#include "base/log.h"
#include "base/memory.h"
#include "transport/technologies.h"

static cb_status allocate(tcp_factory *factory)
{
    const size_t ranks = (size_t)factory->base.size;

    factory->nodes = cb_allocate(ranks, sizeof(*factory->nodes), "the nodes");
    factory->staging = cb_allocate_aligned(CB_CACHE_LINE, ranks * TCP_STAGING_BYTES, "the nodes");
    if (factory->nodes == NULL || factory->staging == NULL)
        return CB_ERROR_MEMORY;
    for (size_t rank = 0; rank < ranks; rank++) {
        tcp_node *node = &factory->nodes[rank];

        node->fd = -1;
        node->base.rank = (int)rank;
        node->base.factory = &factory->base;
        node->receiving.staging = factory->staging + rank * TCP_STAGING_BYTES;
    }
    return CB_OK;
}

static void destroy(tcp_factory *factory)
{
    for (int rank = 0; factory->nodes != NULL && rank < factory->base.size; rank++)
        if (factory->nodes[rank].fd >= 0)
            close(factory->nodes[rank].fd);
    if (factory->events >= 0)
        close(factory->events);
    transport_pool_clear(&factory->pool);
    pthread_mutex_destroy(&factory->lock);
    free(factory->staging);
    free(factory->nodes);
    free(factory);
}

/* Without settings those of a job that is not configured. */
static cb_status take_settings(const transport_bootstrap *bootstrap, cb_tcp_settings *out)
{
    const cb_job job = {.ranks = 1};
    cb_settings derived;

    if (bootstrap->settings != NULL) {
        *out = bootstrap->settings->nodes[bootstrap->rank].tcp;
        return CB_OK;
    }
    CB_TRY(cb_derive_settings(&job, &derived));
    *out = derived.nodes[0].tcp;
    cb_settings_free(&derived);
    return CB_OK;
}

static cb_status set_up(tcp_factory *factory, const transport_bootstrap *bootstrap)
{
    cb_tcp_settings settings;

    CB_TRY(take_settings(bootstrap, &settings));
    factory->silence_ns = settings.silence_s * UINT64_C(1000000000);
    CB_TRY(allocate(factory));
    factory->events = epoll_create1(EPOLL_CLOEXEC);
    if (factory->events < 0) {
        cb_error("cannot make an epoll for the technology tcp: %m; raise the limit of open files");
        return CB_ERROR_SYSTEM;
    }
    return tcp_connect_all(factory, bootstrap, &settings);
}

static cb_status tcp_open(const transport_bootstrap *bootstrap, transport_factory **out)
{
    tcp_factory *factory = cb_allocate(1, sizeof(*factory), "the technology tcp");
    cb_status status;

    if (factory == NULL)
        return CB_ERROR_MEMORY;
    factory->base.rank = bootstrap->rank;
    factory->base.size = bootstrap->size;
    factory->many_senders = bootstrap->many_senders;
    factory->events = -1;
    pthread_mutex_init(&factory->lock, NULL);
    status = set_up(factory, bootstrap);
    if (status != CB_OK)
        destroy(factory);
    else
        *out = &factory->base;
    return status;
}

static cb_status tcp_close(transport_factory *base)
{
    cb_status left = tcp_take_leave(tcp_factory_of(base));

    destroy(tcp_factory_of(base));
    return left;
}

const transport_technology transport_tcp = {
    .name = "tcp",
    .summary = "stream sockets",
    .capabilities = TRANSPORT_ORDERED | TRANSPORT_RELIABLE | TRANSPORT_CONCURRENT_SEND |
                    TRANSPORT_BLOCKING_WAIT | TRANSPORT_DELIVERS,
    .takes_interface = true,
    .open = tcp_open,
    .close = tcp_close,
    .prepare = tcp_prepare,
    .set_wait = tcp_set_wait,
    .flush = tcp_flush,
    .node_create = tcp_node_create,
    .node_destroy = tcp_node_destroy,
    .group_create = tcp_group_create,
    .group_destroy = tcp_group_destroy,
    .buffer_create = tcp_buffer_create,
    .buffer_release = tcp_buffer_release,
    .send = tcp_send,
    .receive = tcp_receive,
    .try_receive = tcp_try_receive,
    .group_send = tcp_send_to_each,
    .group_receive = tcp_group_receive,
    .group_try_receive = tcp_group_try_receive,
    .group_receive_root = tcp_group_receive_root,
    .group_try_receive_root = tcp_group_try_receive_root,
};
