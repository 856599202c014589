/* Established connections: kernel events, lost peers, and pauses between unsuccessful polls. */
#include "transport/tcp/internal.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/log.h"

enum {
    POLLS_BETWEEN_LOOKS = 1 << 12,
    SLEEP_MS = 500,
    SHORT_SLEEP_MS = 10 /* while messages are queued: no event reports room in the kernel */
};

static const uint64_t look_interval_ns = 1000000000;

/* Sending and receiving threads may detect the loss at the same time: only the first reports it. */
__attribute__((cold)) cb_status tcp_lose(tcp_node *node, const char *attempt, int cause)
{
    char text[SOCKET_TEXT_BYTES];
    cb_status whole = CB_OK;

    if (__atomic_compare_exchange_n(&node->lost, &whole, CB_ERROR_TRANSPORT, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        cb_error("cannot %s rank %d over tcp at %s: %s; see the messages of that rank, and check "
                 "that its host is reachable",
                 attempt, node->base.rank, socket_text(&node->address, text),
                 cause != 0 ? strerror(cause) : "its end of the connection was closed");
    return transport_noted(node->base.factory, CB_ERROR_TRANSPORT);
}

int tcp_note_events(tcp_factory *factory, int wait_ms)
{
    enum { EVENTS = 64 };
    const uint32_t ending = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
    struct epoll_event events[EVENTS];
    int count = epoll_wait(factory->events, events, EVENTS, wait_ms);

    for (int i = 0; i < count; i++) {
        tcp_receiving *from = &factory->nodes[events[i].data.u32].receiving;

        if ((events[i].events & (EPOLLIN | ending)) != 0)
            from->readable = true;
        if ((events[i].events & ending) != 0)
            from->hung_up = true;
    }
    return count;
}

/* A host that is cut off acknowledges nothing; one whose process does not read does. While no data
 * is in transit, the kernel's keepalive checks. */
static void look_at(tcp_node *node, uint64_t silence_ns)
{
    struct tcp_info info = {0};
    socklen_t bytes = sizeof(info);

    if (node->fd < 0 || tcp_lost(node) != CB_OK ||
        getsockopt(node->fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0)
        return;
    if (info.tcpi_retransmits > 0 && (uint64_t)info.tcpi_last_ack_recv * 1000000 > silence_ns)
        (void)tcp_lose(node, "hear from", ETIMEDOUT);
}

static void look_round(tcp_factory *factory)
{
    const uint64_t now_ns = cb_now_ns();

    if (now_ns - factory->looked_ns < look_interval_ns)
        return;
    factory->looked_ns = now_ns;
    for (int rank = 0; rank < factory->base.size; rank++)
        look_at(&factory->nodes[rank], factory->silence_ns);
}

void tcp_pause(tcp_factory *factory, uint64_t polls)
{
    switch (factory->base.wait) {
    case TRANSPORT_WAIT_SPIN:
        break;
    case TRANSPORT_WAIT_YIELD:
        if (tcp_note_events(factory, 0) <= 0)
            sched_yield();
        break;
    case TRANSPORT_WAIT_BLOCK:
        tcp_note_events(factory,
                        transport_has_queued(&factory->queued) ? SHORT_SLEEP_MS : SLEEP_MS);
        look_round(factory);
        return;
    }
    if (polls % POLLS_BETWEEN_LOOKS == POLLS_BETWEEN_LOOKS - 1)
        look_round(factory);
}
