/* The technology udp: messages as datagrams, which may be lost, duplicated and reordered. All of
 * that is counted, and nothing is retransmitted. A waiting receive gives up after a timeout.
 * docs/reference/technologies.md has the format. */
#include "config.h"

#include "transport/udp/internal.h"

#include <netinet/ip.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"

enum {
    IP_AND_UDP_BYTES = 28, /* of headers, without IP options */
    LARGEST_DATAGRAM = 65507
};

/* Any process of a host can join an address of multicasts and read what is sent there: without
 * authenticated datagrams it could then send as a rank. */
#ifdef HAVE_SODIUM
enum { OWN_MULTICAST = TRANSPORT_MULTICAST };
#else
enum { OWN_MULTICAST = 0 };
#endif

/* Parameters and counters */

#define FIELD(name) offsetof(udp_settings, name)

enum { ANY_NODE = CB_SCOPE_TOP | CB_SCOPE_NODE | CB_SCOPE_JOB };

static const cb_parameter rows[] = {
    {.name = "port",
     .scopes = ANY_NODE,
     .offset = FIELD(port),
     .maximum = 65535,
     .help = "The port of a process; processes that share a host add their local rank; 0: any that "
             "is free"},
    {.name = "socket_buffer_size",
     .scopes = ANY_NODE,
     .kind = CB_PARAMETER_SIZE,
     .offset = FIELD(socket_buffer_size),
     .default_value = 4 << 20,
     .maximum = UINT64_C(1) << 30,
     .help =
         "The kernel's buffers of the socket, in each direction, up to the system's limit; 0: the "
         "system's default"},
    {.name = "timeout_ms",
     .scopes = ANY_NODE,
     .offset = FIELD(timeout_ms),
     .default_value = 100,
     .minimum = 1,
     .maximum = 600000,
     .unit = "ms",
     .help = "A message that has not arrived after this time is given up and counted as lost"},
    {.name = "fragment",
     .scopes = ANY_NODE,
     .kind = CB_PARAMETER_FLAG,
     .offset = FIELD(fragment),
     .maximum = 1,
     .help = "Whether IP may fragment datagrams larger than a packet of the path"},
};

const cb_parameter_set udp_parameters = {
    .context = "UDP",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .bytes = sizeof(udp_settings),
};

static const cb_counter counters[UDP_COUNTERS] = {
    [UDP_LOST] = {.key = "lost",
                  .unit = "messages",
                  .meaning = "given up by their receivers",
                  .heading = "given up",
                  .is_marked = true},
    [UDP_LATE] = {.key = "late",
                  .unit = "messages",
                  .meaning = "arrived after they were given up, or after their measurement ended"},
    [UDP_DUPLICATE] = {.key = "doubled",
                       .unit = "messages",
                       .meaning = "received more than once",
                       .is_marked = true},
    [UDP_REORDERED] = {.key = "reordered",
                       .unit = "messages",
                       .meaning = "overtaken by others, but delivered in order"},
    [UDP_OVERRUN] = {.key = "overrun",
                     .unit = "datagrams",
                     .meaning =
                         "larger than the receive buffer, or too far ahead in number; dropped"},
    [UDP_UNEXPECTED] = {.key = "foreign",
                        .unit = "datagrams",
                        .meaning = "not from a rank of the job, dropped",
                        .is_marked = true},
    [UDP_UNSENT] = {.key = "unsent",
                    .unit = "datagrams",
                    .meaning = "rejected by the sender's system"},
    [UDP_SENT] = {.key = "sent", .unit = "datagrams", .meaning = "sent"},
    [UDP_RECEIVED] = {.key = "received", .unit = "datagrams", .meaning = "received"},
};

static const cb_counter_set counter_set = {
    .group = "datagrams", .rows = counters, .count = UDP_COUNTERS};

/* Opening and closing */

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

static void destroy(transport_factory *base)
{
    udp_factory *factory = udp_factory_of(base);

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

static void set_socket_options(const udp_factory *factory, bool fragment)
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

static cb_status set_up(transport_factory *base, const transport_bootstrap *bootstrap)
{
    udp_factory *factory = udp_factory_of(base);
    const transport_preparation small = {.message_bytes = 64, .buffers = 4};
    struct sockaddr_in mine = {0};
    udp_settings settings;
    socket_place place;
    cb_status status;
    unsigned port;

    factory->fd = -1;
    base->counters = factory->counters;
    transport_take_values(bootstrap, &udp_parameters, &settings);
    CB_TRY(udp_faults_read(getenv("COMBENCH_UDP_FAULTS"), bootstrap->rank, &factory->faults));
    CB_TRY(allocate(factory));
    CB_TRY(transport_pool_prepare(&factory->pool, base, &small));
    base->pool = &factory->pool;
    factory->timeout_ns = settings.timeout_ms * UINT64_C(1000000);
    factory->buffer_bytes = settings.socket_buffer_size;
    CB_TRY(socket_meet(bootstrap, "the technology udp", &place));
    factory->key = place.key;
    factory->interface = place.interface;
    socket_describe(&place.interface, base->network, sizeof(base->network));
    status = socket_port("udp", settings.port, place.local_rank, &port);
    if (status == CB_OK)
        status = socket_bind("udp", SOCK_DGRAM, &place.interface, port, &factory->fd, &mine);
    CB_TRY(learn_addresses(factory, bootstrap, status, &mine));
    set_socket_options(factory, settings.fragment != 0);
    return agree_on_largest(bootstrap, largest_here(factory, settings.fragment != 0),
                            &base->largest_message);
}

static cb_status udp_open(const transport_bootstrap *bootstrap, transport_factory **out)
{
    return transport_factory_make(bootstrap, sizeof(udp_factory), "the technology udp", set_up,
                                  destroy, out);
}

static cb_status udp_close(transport_factory *base)
{
    destroy(base);
    return CB_OK;
}

/* A preparation recreates the pool of buffers and begins a new epoch. */

/* Drop the datagrams left in a socket: no receive will ask for them. */
static cb_status drain(udp_factory *factory, int fd)
{
    transport_buffer *buffer;
    udp_header header;
    cb_status status;

    while ((status = udp_take_datagram(factory, fd, &header, &buffer)) == CB_OK) {
        transport_pool_give(&factory->pool, buffer);
        if (header.kind == UDP_JOINED || header.kind == UDP_WELCOME)
            udp_handle_list_message(factory, &header);
        else
            factory->counters[UDP_LATE]++;
    }
    return status == CB_EMPTY ? CB_OK : status;
}

static cb_status begin_epoch(udp_factory *factory)
{
    CB_TRY(drain(factory, factory->fd));
    for (int rank = 0; rank < factory->base.size; rank++) {
        udp_stream_restart(factory, &factory->nodes[rank].incoming);
        factory->nodes[rank].sent = 0;
    }
    for (udp_group *group = factory->groups; group != NULL; group = group->next) {
        if (group->fd >= 0)
            CB_TRY(drain(factory, group->fd));
        udp_stream_restart(factory, &group->incoming);
        group->sent = 0;
    }
    factory->epoch++;
    return CB_OK;
}

static cb_status udp_prepare(transport_factory *base, const transport_preparation *preparation)
{
    udp_factory *factory = udp_factory_of(base);

    if (preparation->message_bytes > base->largest_message) {
        cb_error("cannot send messages of %zu bytes over udp: a datagram on the path between the "
                 "ranks takes %zu; lower --sizes, or let IP cut datagrams (fragment = 1 in the "
                 "Context UDP)",
                 preparation->message_bytes, base->largest_message);
        return CB_ERROR_UNSUPPORTED;
    }
    CB_TRY(begin_epoch(factory));
    if (factory->spare != NULL)
        transport_pool_give(&factory->pool, factory->spare);
    factory->spare = NULL;
    return transport_pool_prepare(&factory->pool, base, preparation);
}

static cb_status udp_node_create(transport_factory *base, int rank, transport_node **out)
{
    udp_factory *factory = udp_factory_of(base);

    CB_TRY(transport_check_rank(base, rank,
                                rank >= 0 && rank < base->size && factory->nodes[rank].in_use));
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
    .summary = "datagrams",
    .capabilities =
        OWN_MULTICAST | TRANSPORT_BLOCKING_WAIT | TRANSPORT_DELIVERS | TRANSPORT_INTERFACE,
    .parameters = &udp_parameters,
    .counters = &counter_set,
    .probe = socket_probe,
    .open = udp_open,
    .close = udp_close,
    .prepare = udp_prepare,
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
