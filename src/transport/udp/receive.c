/* Receiving: the process's socket is read for all senders, and each message waits in the stream of
 * its sender. A waiting receive gives up after a timeout. */
#include "transport/udp/internal.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

/* More consecutive timeouts are not considered losses: at 30 % loss each way, their probability is
 * one in a billion. */
enum { SILENCES_MOST = 32 };

/* Datagrams read before any is given out. */
enum { LOOK_MOST = 64 };

/* Messages about lists */

void udp_send_list_message(udp_factory *factory, udp_kind kind, int rank, uint64_t list)
{
    const udp_header header = {
        .kind = kind, .rank = (uint32_t)factory->base.rank, .epoch = factory->epoch, .list = list};

    udp_put_datagram(factory, &factory->nodes[rank].address, (uint32_t)rank, &header, NULL);
}

static void note_joined(udp_group *group, uint32_t rank)
{
    for (size_t i = 0; i < group->base.count; i++)
        if ((uint32_t)group->base.nodes[i]->rank == rank && !group->joined[i]) {
            group->joined[i] = true;
            group->missing--;
        }
}

/* A message about an unknown list gets no answer: the sender will repeat it. */
void udp_handle_list_message(udp_factory *factory, const udp_header *header)
{
    for (udp_group *group = factory->groups; group != NULL; group = group->next) {
        const bool here = group->base.root == NULL;

        if (group->list != header->list)
            continue;
        if (header->kind == UDP_JOINED && here) {
            note_joined(group, header->rank);
            udp_send_list_message(factory, UDP_WELCOME, (int)header->rank, group->list);
        } else if (header->kind == UDP_WELCOME && !here) {
            group->welcome = true;
        }
    }
}

/* Messages */

static cb_status handle_message(udp_factory *factory, const udp_header *header,
                                transport_buffer *buffer)
{
    if (__builtin_expect(header->kind == UDP_MESSAGE, 1)) {
        udp_stream_put(factory, &factory->nodes[header->rank].incoming, header, buffer);
        return CB_OK;
    }
    transport_pool_restore(&factory->pool, buffer, buffer->size);
    transport_pool_give(&factory->pool, buffer);
    if (header->kind == UDP_MULTICAST)
        factory->counters[UDP_UNEXPECTED]++;
    else
        udp_handle_list_message(factory, header);
    return CB_OK;
}

/* Hot. */
cb_status udp_read_socket(udp_factory *factory)
{
    for (int i = 0; i < LOOK_MOST; i++) {
        transport_buffer *buffer;
        udp_header header;
        cb_status status = udp_take_datagram(factory, factory->fd, &header, &buffer);

        if (status != CB_OK)
            return status == CB_EMPTY ? CB_OK : status;
        CB_TRY(handle_message(factory, &header, buffer));
    }
    return CB_OK;
}

static void sleep_until(int fd, uint64_t until_ns, uint64_t now_ns)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};

    (void)poll(&one, 1, (int)((until_ns - now_ns) / 1000000) + 1);
}

bool udp_wait_on(udp_factory *factory, int fd, uint64_t *since_ns)
{
    const uint64_t now_ns = cb_now_ns();

    if (*since_ns == 0)
        *since_ns = now_ns;
    if (now_ns - *since_ns > factory->timeout_ns)
        return false;
    if (factory->base.wait == TRANSPORT_WAIT_YIELD)
        sched_yield();
    else if (factory->base.wait == TRANSPORT_WAIT_BLOCK)
        sleep_until(fd, *since_ns + factory->timeout_ns, now_ns);
    return true;
}

cb_status udp_count_timeout(udp_factory *factory, unsigned *silences, const char *whom, int rank)
{
    if (++*silences < SILENCES_MOST)
        return CB_LOST;
    cb_error("nothing received over udp from %s %d for %d timeouts in a row: it has ended, or its "
             "host is unreachable; see its messages",
             whom, rank, SILENCES_MOST);
    return transport_noted(&factory->base, CB_ERROR_TRANSPORT);
}

/* Hot. The next message, or CB_LOST if it is missing. */
static cb_status poll_node(udp_factory *factory, udp_node *node, transport_buffer **out)
{
    cb_status status = udp_stream_take(factory, &node->incoming, out);

    if (status != CB_EMPTY)
        return status;
    CB_TRY(udp_read_socket(factory));
    return udp_stream_take(factory, &node->incoming, out);
}

/* Hot. */
cb_status udp_receive(transport_node *base, transport_buffer **out)
{
    udp_factory *factory = udp_factory_of(base->factory);
    udp_node *node = udp_node_of(base);
    uint64_t since_ns = 0;
    cb_status status;

    while ((status = poll_node(factory, node, out)) == CB_EMPTY)
        if (!udp_wait_on(factory, factory->fd, &since_ns)) {
            udp_stream_give_up(factory, &node->incoming);
            return udp_count_timeout(factory, &node->incoming.silences, "rank", base->rank);
        }
    return status;
}

/* Hot. Skips lost messages. */
cb_status udp_try_receive(transport_node *base, transport_buffer **out)
{
    cb_status status;

    do
        status = poll_node(udp_factory_of(base->factory), udp_node_of(base), out);
    while (status == CB_LOST);
    return status;
}

void udp_give_up(transport_node *base)
{
    udp_stream_give_up(udp_factory_of(base->factory), &udp_node_of(base)->incoming);
}
