/* Two processes and a socket between them, which carries the exchange of addresses. */
#include "tests/transport/socket/ends.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/log.h"
#include "base/random.h"

enum { TIMEOUT_S = 60, RANKS = 2, ADDRESS_EXCHANGE = 3 };

typedef struct {
    int line, rank, exchanges;
    void (*meanwhile)(const struct sockaddr_in *address);
} wire;

static bool move_all(ssize_t (*move)(int, void *, size_t), int line, void *data, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t count = move(line, (char *)data + done, bytes - done);

        if (count <= 0)
            return false;
        done += (size_t)count;
    }
    return true;
}

static ssize_t put(int line, void *data, size_t bytes)
{
    return write(line, data, bytes);
}

/* The third exchange contains the addresses: the data of each rank starts with its own. */
static cb_status exchange(void *context, const void *mine, size_t bytes, void *all)
{
    wire *here = context;
    char *slots = all;
    struct sockaddr_in address;

    memcpy(slots + (size_t)here->rank * bytes, mine, bytes);
    if (!move_all(put, here->line, slots + (size_t)here->rank * bytes, bytes) ||
        !move_all(read, here->line, slots + (size_t)!here->rank * bytes, bytes))
        return CB_ERROR_CONTROL;
    if (++here->exchanges != ADDRESS_EXCHANGE || here->rank != 1 || here->meanwhile == NULL)
        return CB_OK;
    ENDS_REQUIRE(bytes >= sizeof(address));
    memcpy(&address, slots, sizeof(address));
    ENDS_REQUIRE(address.sin_family == AF_INET && address.sin_port != 0);
    here->meanwhile(&address);
    return CB_OK;
}

static void make_settings(const ends_plan *plan, cb_settings *out)
{
    const cb_job job = {.ranks = RANKS,
                        .largest_bytes = plan->parameters != NULL ? plan->message_bytes : 64,
                        .held_buffers = 2};
    const cb_parameter_set *set = transport_find(plan->technology)->parameters;
    cb_override *given = NULL;

    ENDS_REQUIRE(cb_overrides_parse(plan->technology, set, plan->parameters, &given) == CB_OK);
    ENDS_REQUIRE(cb_settings_derive(set, &job, given, out) == CB_OK);
    free(given);
    out->interface = plan->interface;
    for (int rank = 0; rank < RANKS; rank++) {
        if (plan->tcp.silence_s > 0)
            memcpy(cb_settings_values(out, (size_t)rank), &plan->tcp, sizeof(plan->tcp));
        if (plan->udp.timeout_ms > 0)
            memcpy(cb_settings_values(out, (size_t)rank), &plan->udp, sizeof(plan->udp));
    }
}

static void end_stuck(int ignored)
{
    (void)ignored;
    _exit(ENDS_STUCK);
}

static cb_status open_end(ends_end *end, const ends_plan *plan,
                          const transport_bootstrap *bootstrap)
{
    const transport_preparation preparation = {.message_bytes = plan->message_bytes, .buffers = 4};
    transport_wait ignored;

    CB_TRY(transport_open(transport_find(plan->technology), bootstrap, &end->factory));
    CB_TRY(transport_node_create(end->factory, !end->rank, &end->node));
    CB_TRY(transport_set_wait(end->factory, plan->wait, &ignored));
    return transport_prepare(end->factory, &preparation);
}

_Noreturn static void be_end(const ends_plan *plan, int rank, int line)
{
    ends_end end = {.rank = rank, .line = line};
    wire here = {.line = line, .rank = rank, .meanwhile = plan->meanwhile};
    cb_settings settings;
    transport_bootstrap bootstrap = {.rank = rank,
                                     .size = RANKS,
                                     .settings = &settings,
                                     .many_senders = plan->many_senders,
                                     .context = &here,
                                     .exchange = exchange};

    signal(SIGALRM, end_stuck);
    signal(SIGPIPE, SIG_IGN);
    alarm(TIMEOUT_S);
    cb_log_identify("end", rank);
    make_settings(plan, &settings);
    if (open_end(&end, plan, &bootstrap) != CB_OK)
        _exit(ENDS_REFUSED);
    ends_tell(&end);
    ends_hear(&end);
    plan->bodies[rank](&end);
    transport_node_destroy(end.node);
    ENDS_REQUIRE(transport_close(end.factory) == CB_OK);
    cb_settings_free(&settings);
    _exit(0);
}

void ends_run(const ends_plan *plan, int outcomes[2])
{
    int lines[2], children[2];

    if (plan->faults != NULL)
        setenv("COMBENCH_UDP_FAULTS", plan->faults, 1);
    else
        unsetenv("COMBENCH_UDP_FAULTS");
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, lines) != 0)
        abort();
    fflush(NULL);
    for (int rank = 0; rank < RANKS; rank++) {
        children[rank] = fork();
        if (children[rank] == 0) {
            close(lines[!rank]);
            be_end(plan, rank, lines[rank]);
        }
    }
    close(lines[0]);
    close(lines[1]);
    for (int rank = 0; rank < RANKS; rank++) {
        int status = 0;

        waitpid(children[rank], &status, 0);
        outcomes[rank] = WIFEXITED(status) ? WEXITSTATUS(status) : ENDS_KILLED;
    }
}

void ends_run_logged(const ends_plan *plan, int outcomes[2], char log[ENDS_LOG_BYTES])
{
    FILE *file = tmpfile();
    const int terminal = dup(STDERR_FILENO);

    if (file == NULL || terminal < 0 || dup2(fileno(file), STDERR_FILENO) < 0)
        abort();
    ends_run(plan, outcomes);
    if (dup2(terminal, STDERR_FILENO) < 0)
        abort();
    close(terminal);
    rewind(file);
    log[fread(log, 1, ENDS_LOG_BYTES - 1, file)] = '\0';
    fclose(file);
}

/* Messages */

static uint64_t word_of(int source, uint64_t number, size_t at)
{
    return at == 0 ? number : cb_mix64(number * RANKS + (uint64_t)source + ((uint64_t)at << 32));
}

void ends_send(ends_end *end, uint64_t number, size_t bytes)
{
    transport_buffer *buffer = transport_buffer_create(end->factory, bytes);

    ENDS_REQUIRE(buffer != NULL);
    for (size_t at = 0; at + 8 <= bytes; at += 8) {
        uint64_t word = word_of(end->rank, number, at);

        memcpy((char *)buffer->data + at, &word, 8);
    }
    ENDS_REQUIRE(transport_send(end->node, buffer) == CB_OK);
}

void ends_check(const transport_buffer *buffer, int source, uint64_t number, size_t bytes)
{
    ENDS_REQUIRE(buffer->size == bytes);
    for (size_t at = 0; at + 8 <= bytes; at += 8) {
        uint64_t word = word_of(source, number, at);

        ENDS_REQUIRE(memcmp((char *)buffer->data + at, &word, 8) == 0);
    }
}

void ends_receive(ends_end *end, uint64_t number, size_t bytes)
{
    transport_buffer *buffer = NULL;

    ENDS_REQUIRE(transport_receive(end->node, &buffer) == CB_OK);
    ends_check(buffer, !end->rank, number, bytes);
    transport_buffer_release(buffer);
}

void ends_tell(const ends_end *end)
{
    ENDS_REQUIRE(write(end->line, "", 1) == 1);
}

void ends_hear(const ends_end *end)
{
    char ignored;

    ENDS_REQUIRE(read(end->line, &ignored, 1) == 1);
}
