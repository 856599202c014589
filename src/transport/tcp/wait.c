/* What happens between two polls that found nothing. */
#include "transport/tcp/internal.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/epoll.h>

#include "base/clock.h"

enum {
    POLLS_BETWEEN_LOOKS = 1 << 12,
    SLEEP_MS = 500,
    SHORT_SLEEP_MS =
        10 /* while the kernel has no memory for what is queued, which it tells nobody */
};

static const uint64_t look_interval_ns = 1000000000;

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

/* A host that is cut off lets nothing be acknowledged; one whose process does not read does. While
 * nothing is on its way, the kernel's keepalive asks. */
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
    switch (factory->wait) {
    case TRANSPORT_WAIT_SPIN:
        break;
    case TRANSPORT_WAIT_YIELD:
        if (tcp_note_events(factory, 0) <= 0)
            sched_yield();
        break;
    case TRANSPORT_WAIT_BLOCK:
        tcp_note_events(factory, tcp_has_queued(factory) ? SHORT_SLEEP_MS : SLEEP_MS);
        look_round(factory);
        return;
    }
    if (polls % POLLS_BETWEEN_LOOKS == POLLS_BETWEEN_LOOKS - 1)
        look_round(factory);
}

cb_status tcp_set_wait(transport_factory *base, transport_wait wait, transport_wait *effective)
{
    tcp_factory_of(base)->wait = wait;
    *effective = wait;
    return CB_OK;
}
