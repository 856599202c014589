/* The processes of the peers. Libraries over shared memory do not report that a peer was killed:
 * the kernel does, for those on the same host. To the others a grant that they have already is
 * repeated now and then, so that their library finds the connection broken. */
#include "transport/remote/internal.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

static const uint64_t look_interval_ns = 1000000000, silence_ns = 2000000000;

void remote_introduce(remote_identity *mine)
{
    transport_identify_host(&mine->host);
    mine->number = (int32_t)getpid();
}

/* A kernel without pidfd_open (before 5.3) watches no process. */
void remote_watch(remote_node *node, const remote_identity *mine, const remote_identity *theirs)
{
    node->presence = -1;
    node->apart =
        transport_same_host(&mine->host, &theirs->host) && mine->host.users != theirs->host.users;
    if (mine->host.boot[0] != '\0' && transport_same_host(&mine->host, &theirs->host) &&
        mine->host.processes != 0 && mine->host.processes == theirs->host.processes)
        node->presence = (int)syscall(SYS_pidfd_open, (pid_t)theirs->number, 0);
}

size_t remote_ranks_here(const remote_factory *factory)
{
    size_t count = 1;

    for (int rank = 0; rank < factory->base.size; rank++)
        count += factory->nodes[rank].presence >= 0;
    return count;
}

static bool has_ended(const remote_node *node)
{
    struct pollfd process = {.fd = node->presence, .events = POLLIN};

    return poll(&process, 1, 0) == 1 && (process.revents & POLLIN) != 0;
}

/* What the process sent before its end is still on its way: it is lost at the second look. One that
 * was at the end of its closing waits for nothing. */
static void look_at_process(remote_factory *factory, remote_node *node)
{
    if (!node->ended)
        node->ended = has_ended(node);
    else if (node->closed == 2)
        node->closing = 2;
    else
        (void)remote_lose(factory, node->base.rank, "reach", "its process has ended");
}

/* The look that follows is a whole interval later. */
void remote_ended(remote_factory *factory, int rank)
{
    factory->nodes[rank].ended = true;
    factory->looked_ns = cb_now_ns();
}

void remote_look(remote_factory *factory)
{
    const uint64_t now_ns = cb_now_ns();

    if (now_ns - factory->looked_ns < look_interval_ns)
        return;
    factory->looked_ns = now_ns;
    for (int rank = 0; rank < factory->base.size; rank++) {
        remote_node *node = &factory->nodes[rank];

        if (rank == factory->base.rank || node->lost != CB_OK)
            continue;
        if (node->presence >= 0 || node->ended)
            look_at_process(factory, node);
        else if ((node->in_use || factory->meeting) && node->closing < 2)
            (void)factory->driver->tell(factory, rank, REMOTE_GRANT, node->granted);
    }
}

bool remote_is_silent(const remote_node *node)
{
    return node->closed > 0 && cb_now_ns() - node->closed_ns > silence_ns;
}

const char *remote_remedy(const remote_node *node)
{
    return node->apart
               ? "it is on this host in another user namespace (a container without root), with "
                 "which no memory is shared: start all ranks of a host in one container, or choose "
                 "what goes over the network (ucx: --parameter transports=tcp, ofi: --parameter "
                 "provider=tcp, or --technology tcp)"
               : "see the messages of that rank, and check that its host is reachable";
}

__attribute__((cold)) cb_status remote_lose(remote_factory *factory, int rank, const char *attempt,
                                            const char *cause)
{
    remote_node *node = &factory->nodes[rank];

    if (node->lost == CB_OK)
        cb_error("cannot %s rank %d over %s: %s; %s", attempt, rank, factory->driver->name, cause,
                 remote_remedy(node));
    node->lost = CB_ERROR_TRANSPORT;
    factory->any_lost = true;
    return transport_noted(&factory->base, CB_ERROR_TRANSPORT);
}
