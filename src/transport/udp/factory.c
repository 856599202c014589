/* The technology udp: messages as datagrams, which may be lost, doubled and reordered: all of that
 * is counted, and nothing is sent again. A receive that waits gives up after a time-out.
 * docs/sockets.md has the format. */
#include "transport/udp/internal.h"

#include <netinet/ip.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/derive.h"
#include "base/log.h"
#include "base/memory.h"
#include "transport/technologies.h"

enum {
    IP_AND_UDP_BYTES = 28, /* of headers, without options of IP */
    LARGEST_DATAGRAM = 65507
};

static cb_status allocate(udp_factory *factory)
{
    const size_t ranks = (size_t)factory->base.size;

    factory->nodes = cb_allocate(ranks, sizeof(*factory->nodes), "the nodes");
    factory->held_back = cb_allocate(1, LARGEST_DATAGRAM, "a datagram");
    if (factory->nodes == NULL || factory->held_back == NULL)
        return CB_ERROR_MEMORY;
    for (size_t rank = 0; rank < ranks; rank++)
        udp_stream_restart(factory, &factory->nodes[rank].incoming);
    return CB_OK;
}

static void destroy(udp_factory *factory)
{
    for (int rank = 0; factory->nodes != NULL && rank < factory->base.size; rank++)
        udp_stream_free(factory, &factory->nodes[rank].incoming);
    if (factory->fd >= 0)
        close(factory->fd);
    transport_pool_clear(&factory->pool);
    free(factory->lists);
    free(factory->held_back);
    free(factory->nodes);
    free(factory);
}

/* Without settings those of a job that is not configured. */
static cb_status take_settings(const transport_bootstrap *bootstrap, cb_udp_settings *out)
{
    const cb_job job = {.ranks = 1};
    cb_settings derived;

    if (bootstrap->settings != NULL) {
        *out = bootstrap->settings->nodes[bootstrap->rank].udp;
        return CB_OK;
    }
    CB_TRY(cb_derive_settings(&job, &derived));
    *out = derived.nodes[0].udp;
    cb_settings_free(&derived);
    return CB_OK;
}

static void tell_kernel(udp_factory *factory, bool fragment)
{
    const int discovery = fragment ? IP_PMTUDISC_DONT : IP_PMTUDISC_DO, hops = 1;
    const struct ip_mreqn outwards = {.imr_address = factory->interface.address,
                                      .imr_ifindex = (int)if_nametoindex(factory->interface.name)};

    socket_set_buffers(factory->fd, factory->buffer_bytes);
    setsockopt(factory->fd, IPPROTO_IP, IP_MTU_DISCOVER, &discovery, sizeof(discovery));
    setsockopt(factory->fd, IPPROTO_IP, IP_MULTICAST_IF, &outwards, sizeof(outwards));
    setsockopt(factory->fd, IPPROTO_IP, IP_MULTICAST_TTL, &hops, sizeof(hops));
}

static size_t largest_here(const udp_factory *factory, bool fragment)
{
    size_t bytes = factory->interface.mtu_bytes - IP_AND_UDP_BYTES;

    return (fragment || bytes > LARGEST_DATAGRAM ? LARGEST_DATAGRAM : bytes) - UDP_HEADER_BYTES;
}

/* The smallest of all ranks. */
static cb_status agree_on_largest(const transport_bootstrap *bootstrap, size_t mine, size_t *out)
{
    size_t *all = cb_allocate((size_t)bootstrap->size, sizeof(*all), "the datagrams of all ranks");
    cb_status status;

    if (all == NULL)
        return CB_ERROR_MEMORY;
    status = bootstrap->exchange(bootstrap->context, &mine, sizeof(mine), all);
    *out = mine;
    for (int rank = 0; status == CB_OK && rank < bootstrap->size; rank++)
        *out = all[rank] < *out ? all[rank] : *out;
    free(all);
    return status;
}

static cb_status learn_addresses(udp_factory *factory, const transport_bootstrap *bootstrap,
                                 cb_status status, const struct sockaddr_in *mine)
{
    struct sockaddr_in *all =
        cb_allocate((size_t)bootstrap->size, sizeof(*all), "the addresses of all ranks");

    if (all == NULL)
        return CB_ERROR_MEMORY;
    status = socket_exchange_addresses(bootstrap, status, mine, all);
    for (int rank = 0; status == CB_OK && rank < bootstrap->size; rank++)
        factory->nodes[rank].address = all[rank];
    factory->multicast_port = all[0].sin_port;
    free(all);
    return status;
}

static cb_status set_up(udp_factory *factory, const transport_bootstrap *bootstrap)
{
    const transport_preparation small = {.message_bytes = 64, .buffers = 4};
    struct sockaddr_in mine = {0};
    cb_udp_settings settings;
    socket_place place;
    cb_status status;
    unsigned port;

    CB_TRY(take_settings(bootstrap, &settings));
    CB_TRY(udp_faults_read(getenv("COMBENCH_UDP_FAULTS"), bootstrap->rank, &factory->faults));
    CB_TRY(allocate(factory));
    CB_TRY(transport_pool_prepare(&factory->pool, &factory->base, &small));
    factory->base.pool = &factory->pool;
    factory->timeout_ns = settings.timeout_ms * UINT64_C(1000000);
    factory->buffer_bytes = settings.socket_buffer_size;
    CB_TRY(socket_meet(bootstrap, "the technology udp", &place));
    factory->key = place.key;
    factory->interface = place.interface;
    socket_describe(&place.interface, factory->base.network, sizeof(factory->base.network));
    status = socket_port("udp", settings.port, place.local_rank, &port);
    if (status == CB_OK)
        status = socket_bind("udp", SOCK_DGRAM, &place.interface, port, &factory->fd, &mine);
    CB_TRY(learn_addresses(factory, bootstrap, status, &mine));
    tell_kernel(factory, settings.fragment);
    return agree_on_largest(bootstrap, largest_here(factory, settings.fragment),
                            &factory->base.largest_message);
}

static cb_status udp_open(const transport_bootstrap *bootstrap, transport_factory **out)
{
    udp_factory *factory = cb_allocate(1, sizeof(*factory), "the technology udp");
    cb_status status;

    if (factory == NULL)
        return CB_ERROR_MEMORY;
    factory->base.rank = bootstrap->rank;
    factory->base.size = bootstrap->size;
    factory->fd = -1;
    status = set_up(factory, bootstrap);
    if (status != CB_OK)
        destroy(factory);
    else
        *out = &factory->base;
    return status;
}

static cb_status udp_close(transport_factory *base)
{
    destroy(udp_factory_of(base));
    return CB_OK;
}

static cb_status udp_set_wait(transport_factory *base, transport_wait wait,
                              transport_wait *effective)
{
    udp_factory_of(base)->wait = wait;
    *effective = wait;
    return CB_OK;
}

static cb_status udp_node_create(transport_factory *base, int rank, transport_node **out)
{
    udp_factory *factory = udp_factory_of(base);
    const bool exists = rank >= 0 && rank < base->size;

    if (!exists || factory->nodes[rank].in_use) {
        cb_error("cannot make a node for rank %d: %s", rank,
                 exists ? "it has one already" : "there is no such rank");
        return CB_ERROR_TRANSPORT;
    }
    factory->nodes[rank].in_use = true;
    factory->nodes[rank].base = (transport_node){.ops = &base->ops, .factory = base, .rank = rank};
    *out = &factory->nodes[rank].base;
    return CB_OK;
}

static void udp_node_destroy(transport_node *node)
{
    udp_node_of(node)->in_use = false;
}

const transport_technology transport_udp = {
    .name = "udp",
    .summary = "datagrams, which may be lost",
    .capabilities = TRANSPORT_MULTICAST | TRANSPORT_BLOCKING_WAIT | TRANSPORT_DELIVERS,
    .takes_interface = true,
    .open = udp_open,
    .close = udp_close,
    .prepare = udp_prepare,
    .set_wait = udp_set_wait,
    .node_create = udp_node_create,
    .node_destroy = udp_node_destroy,
    .group_create = udp_group_create,
    .group_destroy = udp_group_destroy,
    .send = udp_send,
    .receive = udp_receive,
    .try_receive = udp_try_receive,
    .give_up = udp_give_up,
    .group_send = udp_group_send,
    .group_receive = udp_group_receive,
    .group_try_receive = udp_group_try_receive,
    .group_receive_root = udp_group_receive_root,
    .group_try_receive_root = udp_group_try_receive_root,
};
