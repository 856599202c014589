/* The loop of the testbed's first process: it moves frames between the hosts' cards at the instants
 * that the switch gives, and is the parent of all that runs in the testbed. */
#include "tools/testbed/testbed.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "tools/testbed/control.h"

enum { BATCH = 8, SIGNAL_BASE = 128 };

static const uint64_t second_ns = 1000000000, grace_ns = 5000000000u;

typedef struct {
    const testbed_loop *loop;
    struct pollfd *polls; /* of all cards, then control, then signals */
    unsigned ports;
    bool ended;
    int exit_status;
    uint64_t deadline_ns; /* after a signal; UINT64_MAX without */
} run_state;

/* Frames that are due go to their hosts. A card that takes none loses it, as a host would that is
 * too slow. */
static void deliver(const testbed_loop *loop, testbed_lateness *late)
{
    uint64_t now_ns = cb_now_ns();
    frame *due;

    while ((due = switch_take(loop->hub, now_ns)) != NULL) {
        uint64_t by_ns = now_ns - due->due_ns;

        if (write(loop->cards[due->port], due->data, due->bytes) < 0)
            loop->hub->ports[due->port].counters.full++;
        late->frames++;
        late->total_ns += by_ns;
        late->largest_ns = by_ns > late->largest_ns ? by_ns : late->largest_ns;
        switch_release(loop->hub, due);
        now_ns = cb_now_ns();
    }
}

/* Frames from a host, as long as its cable has room for them. */
static cb_status collect(const testbed_loop *loop, unsigned port)
{
    for (int taken = 0; taken < BATCH; taken++) {
        uint64_t now_ns = cb_now_ns();
        frame *sent;
        ssize_t bytes;

        if (switch_ready_ns(loop->hub, port) > now_ns)
            return CB_OK;
        sent = switch_frame(loop->hub);
        if (sent == NULL)
            return CB_ERROR_MEMORY;
        bytes = read(loop->cards[port], sent->data, sizeof(sent->data));
        if (bytes <= 0) {
            switch_release(loop->hub, sent);
            return CB_OK;
        }
        sent->bytes = (size_t)bytes;
        CB_TRY(switch_accept(loop->hub, port, sent, now_ns));
    }
    return CB_OK;
}

/* Ask only those cards that may send; and sleep until something is due. */
static int await(run_state *state)
{
    uint64_t now_ns = cb_now_ns(), until_ns = switch_next_ns(state->loop->hub), sleep_ns;
    struct timespec timeout;

    if (state->deadline_ns < until_ns)
        until_ns = state->deadline_ns;
    for (unsigned port = 0; port < state->ports; port++) {
        uint64_t ready_ns = switch_ready_ns(state->loop->hub, port);

        state->polls[port].events = ready_ns <= now_ns ? POLLIN : 0;
        if (ready_ns > now_ns && ready_ns < until_ns)
            until_ns = ready_ns;
    }
    sleep_ns = until_ns <= now_ns ? 0 : until_ns - now_ns;
    if (sleep_ns > second_ns)
        sleep_ns = second_ns;
    timeout.tv_sec = (time_t)(sleep_ns / second_ns);
    timeout.tv_nsec = (long)(sleep_ns % second_ns);
    return ppoll(state->polls, state->ports + 2, &timeout, NULL);
}

static void reap(run_state *state)
{
    int how;
    pid_t who;

    while ((who = waitpid(-1, &how, WNOHANG)) > 0) {
        if (who != state->loop->command)
            continue;
        state->ended = true;
        state->exit_status = WIFSIGNALED(how) ? SIGNAL_BASE + WTERMSIG(how) : WEXITSTATUS(how);
    }
}

static void heed(run_state *state)
{
    struct signalfd_siginfo seen;

    while (read(state->loop->signals, &seen, sizeof(seen)) == (ssize_t)sizeof(seen)) {
        if (seen.ssi_signo == SIGCHLD) {
            reap(state);
            continue;
        }
        kill(state->loop->command, (int)seen.ssi_signo);
        state->exit_status = SIGNAL_BASE + (int)seen.ssi_signo;
        if (state->deadline_ns == UINT64_MAX)
            state->deadline_ns = cb_now_ns() + grace_ns;
    }
}

/* Until the command has ended, or was given time enough to. */
static cb_status turn(run_state *state, testbed_lateness *late)
{
    const testbed_loop *loop = state->loop;

    while (!state->ended && cb_now_ns() < state->deadline_ns) {
        if (await(state) < 0 && errno != EINTR) {
            cb_error("cannot wait for the hosts' frames: %s; end the testbed", strerror(errno));
            return CB_ERROR_SYSTEM;
        }
        deliver(loop, late);
        for (unsigned port = 0; port < state->ports; port++)
            if (state->polls[port].events != 0 && state->polls[port].revents != 0)
                CB_TRY(collect(loop, port));
        if (state->polls[state->ports].revents != 0)
            control_serve(loop->control, loop->hub);
        if (state->polls[state->ports + 1].revents != 0)
            heed(state);
    }
    return CB_OK;
}

cb_status testbed_switch(const testbed_loop *loop, testbed_lateness *late, int *exit_status)
{
    run_state state = {.loop = loop, .ports = loop->hub->settings.ports, .deadline_ns = UINT64_MAX};
    cb_status status;

    state.polls = cb_allocate(state.ports + 2u, sizeof(*state.polls), "the testbed's loop");
    if (state.polls == NULL)
        return CB_ERROR_MEMORY;
    for (unsigned port = 0; port < state.ports; port++)
        state.polls[port].fd = loop->cards[port];
    state.polls[state.ports] = (struct pollfd){.fd = loop->control, .events = POLLIN};
    state.polls[state.ports + 1] = (struct pollfd){.fd = loop->signals, .events = POLLIN};
    status = turn(&state, late);
    *exit_status = state.exit_status;
    free(state.polls);
    return status;
}
