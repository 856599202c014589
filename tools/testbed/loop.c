/* The loop of the testbed's first process. It moves frames between the hosts' cards at the times
 * given by the switch, is the parent of all processes of the testbed, and writes the counters of
 * the switch. */
#include "tools/testbed/testbed.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/output.h"
#include "base/memory.h"

enum { BATCH = 8, SIGNAL_BASE = 128 };

static const uint64_t second_ns = 1000000000, grace_ns = 5000000000u;

/* How late the switch delivered frames. */
typedef struct {
    uint64_t frames, total_ns, largest_ns;
} lateness;

typedef struct {
    const testbed_loop *loop;
    struct pollfd *polls; /* of all cards, then control, then signals */
    unsigned ports;
    bool ended;
    int exit_status;
    uint64_t deadline_ns; /* after a signal; UINT64_MAX: none */
} run_state;

/* Deliver due frames to their hosts. A frame that a card rejects is lost, as at a host that is too
 * slow. */
static void deliver_frames(const testbed_loop *loop, lateness *late)
{
    uint64_t now_ns = cb_now_ns();
    frame *due;

    while ((due = switch_take(loop->hub, now_ns)) != NULL) {
        uint64_t by_ns = now_ns - due->due_ns;

        if (write(loop->cards[due->port], due->data, due->bytes) < 0)
            loop->hub->ports[due->port].counters.rejected++;
        late->frames++;
        late->total_ns += by_ns;
        late->largest_ns = by_ns > late->largest_ns ? by_ns : late->largest_ns;
        switch_release(loop->hub, due);
        now_ns = cb_now_ns();
    }
}

/* Take frames from a host as long as its cable has room. */
static cb_status collect_frames(const testbed_loop *loop, unsigned port)
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

/* Poll only the cards that may send, and sleep until an event is due. */
static int poll_cards(run_state *state)
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

static void take_signals(run_state *state)
{
    struct signalfd_siginfo seen;

    while (read(state->loop->signals, &seen, sizeof(seen)) == (ssize_t)sizeof(seen)) {
        if (seen.ssi_signo == SIGCHLD) {
            int how;
            pid_t who;

            while ((who = waitpid(-1, &how, WNOHANG)) > 0)
                if (who == state->loop->command) {
                    state->ended = true;
                    state->exit_status =
                        WIFSIGNALED(how) ? SIGNAL_BASE + WTERMSIG(how) : WEXITSTATUS(how);
                }
            continue;
        }
        kill(state->loop->command, (int)seen.ssi_signo);
        state->exit_status = SIGNAL_BASE + (int)seen.ssi_signo;
        if (state->deadline_ns == UINT64_MAX)
            state->deadline_ns = cb_now_ns() + grace_ns;
    }
}

/* Run until the command has ended, or until its grace period after a signal is over. */
static cb_status run_loop(run_state *state, lateness *late)
{
    const testbed_loop *loop = state->loop;

    while (!state->ended && cb_now_ns() < state->deadline_ns) {
        if (poll_cards(state) < 0 && errno != EINTR) {
            cb_error("cannot wait for the hosts' frames: %s; end the testbed", strerror(errno));
            return CB_ERROR_SYSTEM;
        }
        deliver_frames(loop, late);
        for (unsigned port = 0; port < state->ports; port++)
            if (state->polls[port].events != 0 && state->polls[port].revents != 0)
                CB_TRY(collect_frames(loop, port));
        if (state->polls[state->ports].revents != 0)
            orders_serve(loop->control, loop->hub);
        if (state->polls[state->ports + 1].revents != 0)
            take_signals(state);
    }
    return CB_OK;
}

enum { COLUMNS = sizeof(switch_counters) / sizeof(uint64_t) };

static const struct {
    const char *name;
    size_t offset;
} columns[COLUMNS] = {
    {"frames_in", offsetof(switch_counters, frames_in)},
    {"bytes_in", offsetof(switch_counters, bytes_in)},
    {"frames_out", offsetof(switch_counters, frames_out)},
    {"bytes_out", offsetof(switch_counters, bytes_out)},
    {"full", offsetof(switch_counters, full)},
    {"rejected", offsetof(switch_counters, rejected)},
    {"marked", offsetof(switch_counters, marked)},
    {"queue_max_bytes", offsetof(switch_counters, queue_max_bytes)},
    {"lost", offsetof(switch_counters, lost)},
    {"doubled", offsetof(switch_counters, doubled)},
    {"reordered", offsetof(switch_counters, reordered)},
};

/* Write the line of a host, and add its counters to `sums`. */
static void write_counters(FILE *file, const char *name, const switch_counters *counters,
                           uint64_t sums[COLUMNS])
{
    fprintf(file, "\n%s", name);
    for (size_t column = 0; column < COLUMNS; column++) {
        uint64_t value;

        memcpy(&value, (const char *)counters + columns[column].offset, sizeof(value));
        fprintf(file, " %" PRIu64, value);
        sums[column] += value;
    }
}

/* Write the counters of all ports: a header line, a line per host, and one named "all" with the
 * sums, in which the greatest queue is that of the whole buffer. */
static void write_columns(FILE *file, const network_switch *hub, const lateness *late)
{
    uint64_t sums[COLUMNS] = {0};
    double mean_us = late->frames > 0 ? (double)late->total_ns / 1e3 / (double)late->frames : 0;

    fprintf(file, "host");
    for (size_t column = 0; column < COLUMNS; column++)
        fprintf(file, " %s", columns[column].name);
    for (unsigned port = 0; port < hub->settings.ports; port++) {
        char name[HOST_NAME_BYTES];

        host_name(port, name);
        write_counters(file, name, &hub->ports[port].counters, sums);
    }
    fprintf(file, "\nall");
    for (size_t column = 0; column < COLUMNS; column++)
        fprintf(file, " %" PRIu64,
                columns[column].offset == offsetof(switch_counters, queue_max_bytes)
                    ? hub->buffer_max_bytes
                    : sums[column]);
    fprintf(file, "\n# the switch was late by %.1f us on average, at most %.1f us\n", mean_us,
            (double)late->largest_ns / 1e3);
}

static cb_status write_statistics(const char *path, const network_switch *hub, const lateness *late)
{
    static const cb_output_use use = {.what = "the statistics", .option = "--statistics"};
    char *target = cb_output_target(path, &use);
    cb_output output;
    cb_status status = target != NULL ? cb_output_begin(target, &use, &output) : CB_ERROR_SYSTEM;

    if (status == CB_OK) {
        write_columns(output.stream, hub, late);
        status = cb_output_end(&output, true);
    }
    free(target);
    return status;
}

cb_status testbed_switch(const testbed_loop *loop, const char *statistics, int *exit_status)
{
    run_state state = {.loop = loop, .ports = loop->hub->settings.ports, .deadline_ns = UINT64_MAX};
    lateness late = {0};
    cb_status status;

    state.polls = cb_allocate(state.ports + 2u, sizeof(*state.polls), "the testbed's loop");
    if (state.polls == NULL)
        return CB_ERROR_MEMORY;
    for (unsigned port = 0; port < state.ports; port++)
        state.polls[port].fd = loop->cards[port];
    state.polls[state.ports] = (struct pollfd){.fd = loop->control, .events = POLLIN};
    state.polls[state.ports + 1] = (struct pollfd){.fd = loop->signals, .events = POLLIN};
    status = run_loop(&state, &late);
    *exit_status = state.exit_status;
    free(state.polls);
    if (status == CB_OK && statistics != NULL)
        status = write_statistics(statistics, loop->hub, &late);
    return status;
}
