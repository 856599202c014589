/* Lists: each has an IP multicast address, to which the root sends and which its members join. All
 * of them compute its address and number from the member list, without communication. Then the
 * members repeat to the root that they have joined until it answers, so that the root does not send
 * before all can receive. */
#include "transport/udp/internal.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"

static const uint64_t timeout_ns = UINT64_C(30000000000), /* of the root, waiting for its members */
    answer_timeout_ns =
        UINT64_C(5000000000), /* of a member that has joined, waiting for the answer */
    shortest_retry_ns = 1000000, longest_retry_ns = 20000000;

/* Identity */

static uint64_t hash_of(const udp_group *group)
{
    const transport_group *base = &group->base;
    int root = base->root != NULL ? base->root->rank : base->factory->rank;
    uint64_t hash = cb_mix64((uint64_t)root + 1);

    for (size_t i = 0; i < base->count; i++)
        hash = cb_mix64(hash ^ ((uint64_t)base->nodes[i]->rank + 1));
    return hash;
}

/* Members and root count the same number of equal lists, since they create them together. */
static cb_status count_list(udp_factory *factory, uint64_t hash, uint64_t *count)
{
    size_t i = 0;

    while (i < factory->list_count && factory->lists[i].hash != hash)
        i++;
    if (i == factory->list_room) {
        size_t room = 2 * factory->list_room + 16;
        udp_list_count *moved = realloc(factory->lists, room * sizeof(*moved));

        if (moved == NULL) {
            cb_error("cannot keep %zu lists of members over udp: out of memory", room);
            return CB_ERROR_MEMORY;
        }
        factory->lists = moved;
        factory->list_room = room;
    }
    if (i == factory->list_count)
        factory->lists[factory->list_count++] = (udp_list_count){.hash = hash};
    *count = ++factory->lists[i].count;
    return CB_OK;
}

/* From the administratively scoped block. The address depends on the job and is practically random;
 * packets of another job with the same address have other tags. */
static struct in_addr address_of(const udp_factory *factory, uint64_t list)
{
    const uint32_t block = 0xefc00000u, hosts = 0x0003ffffu;
    unsigned char number[sizeof(list)], tag[UDP_TAG_BYTES];

    socket_put32(number, (uint32_t)(list >> 32));
    socket_put32(number + 4, (uint32_t)list);
    udp_tag(&factory->key, number, sizeof(number), tag);
    return (struct in_addr){.s_addr = htonl(block | (socket_get32(tag) & hosts))};
}

static cb_status identify(udp_factory *factory, udp_group *group)
{
    uint64_t hash = hash_of(group), count;

    CB_TRY(count_list(factory, hash, &count));
    group->list = cb_mix64(hash ^ count) | 1;
    group->address = (struct sockaddr_in){.sin_family = AF_INET,
                                          .sin_addr = address_of(factory, group->list),
                                          .sin_port = factory->multicast_port};
    return CB_OK;
}

/* A member's socket: bound to the list's address and interface only. */
static cb_status join_address(udp_factory *factory, udp_group *group)
{
    const int on = 1, off = 0;
    const struct ip_mreqn membership = {.imr_multiaddr = group->address.sin_addr,
                                        .imr_address = factory->interface.address,
                                        .imr_ifindex =
                                            (int)if_nametoindex(factory->interface.name)};
    char text[SOCKET_TEXT_BYTES];

    group->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (group->fd >= 0) {
        setsockopt(group->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
        setsockopt(group->fd, IPPROTO_IP, IP_MULTICAST_ALL, &off, sizeof(off));
        socket_set_buffers(group->fd, factory->buffer_bytes);
        if (bind(group->fd, (const struct sockaddr *)&group->address, sizeof(group->address)) ==
                0 &&
            setsockopt(group->fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership, sizeof(membership)) ==
                0)
            return CB_OK;
    }
    cb_error("cannot receive multicasts at %s on %s: %m; raise net.ipv4.igmp_max_memberships or "
             "the limit of open files, or use --multicast loop",
             socket_text(&group->address, text), factory->interface.name);
    return CB_ERROR_SYSTEM;
}

/* Finding each other */

static cb_status await_members(udp_factory *factory, const udp_group *group)
{
    const uint64_t began_ns = cb_now_ns();
    size_t first = 0;

    while (group->missing > 0 && cb_now_ns() - began_ns < timeout_ns) {
        uint64_t since_ns = 0;

        CB_TRY(udp_read_socket(factory));
        if (group->missing > 0)
            (void)udp_wait_on(factory, factory->fd, &since_ns);
    }
    if (group->missing == 0)
        return CB_OK;
    while (group->joined[first])
        first++;
    cb_error("cannot make a list of %zu members over udp: rank %d has not joined within %d s; "
             "see its messages",
             group->base.count, group->base.nodes[first]->rank, (int)(timeout_ns / 1000000000));
    return CB_ERROR_TRANSPORT;
}

/* A root that has heard from all members may already be busy and answer late: this member has
 * joined, even if the answer was lost. */
static cb_status ask_for_welcome(udp_factory *factory, const udp_group *group)
{
    const uint64_t began_ns = cb_now_ns();
    uint64_t retry_ns = shortest_retry_ns, next_ns = began_ns, now_ns;

    while (!group->welcome && (now_ns = cb_now_ns()) - began_ns < answer_timeout_ns) {
        if (now_ns >= next_ns) {
            udp_send_list_message(factory, UDP_JOINED, group->base.root->rank, group->list);
            next_ns = now_ns + retry_ns;
            retry_ns = retry_ns * 2 < longest_retry_ns ? retry_ns * 2 : longest_retry_ns;
        }
        CB_TRY(udp_read_socket(factory));
        if (!group->welcome && factory->base.wait != TRANSPORT_WAIT_SPIN)
            cb_sleep_ns(shortest_retry_ns / 20);
    }
    return CB_OK;
}

cb_status udp_list_open(udp_factory *factory, udp_group *group)
{
    CB_TRY(identify(factory, group));
    udp_stream_restart(factory, &group->incoming);
    group->next = factory->groups;
    factory->groups = group;
    if (group->base.root != NULL) {
        CB_TRY(join_address(factory, group));
        return ask_for_welcome(factory, group);
    }
    group->missing = group->base.count;
    group->joined = cb_allocate(group->base.count, sizeof(*group->joined), "the members of a list");
    return group->joined != NULL ? await_members(factory, group) : CB_ERROR_MEMORY;
}

void udp_list_close(udp_factory *factory, udp_group *group)
{
    udp_group **link = &factory->groups;

    while (*link != NULL && *link != group)
        link = &(*link)->next;
    if (*link == group)
        *link = group->next;
    if (group->fd >= 0)
        close(group->fd);
}
