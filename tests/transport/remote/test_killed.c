/* A peer that is killed while messages are exchanged, over the libraries that are built in, without
 * a launcher: the other process gets an error that names it, and can close. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/settings.h"
#include "tests/common/unit.h"
#include "transport/transport.h"

enum {
    RANKS = 2,
    BYTES = 1000,
    MESSAGES = 50,
    TIMEOUT_S = 60,
    ABORTED = 1, /* by UCX, after it has printed where */
    MISSING = 3,
    WRONG = 4
};

typedef struct {
    const char *technology, *parameters;
    transport_wait wait;
    bool aborts; /* the library may end the process itself */
} variant;

typedef struct {
    int line, rank;
} wire;

static void require(bool condition, const char *text)
{
    if (condition)
        return;
    fprintf(stderr, "%s: %s\n", text, cb_last_error());
    _exit(WRONG);
}

static bool move_all(int line, char *data, size_t bytes, bool out)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t count = out ? send(line, data + done, bytes - done, MSG_NOSIGNAL)
                                  : read(line, data + done, bytes - done);

        if (count <= 0)
            return false;
        done += (size_t)count;
    }
    return true;
}

static cb_status exchange(void *context, const void *mine, size_t bytes, void *all)
{
    const wire *here = context;
    char *slots = all;

    memcpy(slots + (size_t)here->rank * bytes, mine, bytes);
    return move_all(here->line, slots + (size_t)here->rank * bytes, bytes, true) &&
                   move_all(here->line, slots + (size_t)!here->rank * bytes, bytes, false)
               ? CB_OK
               : CB_ERROR_CONTROL;
}

static transport_factory *open_end(const variant *tried, const transport_technology *technology,
                                   wire *here)
{
    const cb_job job = {.ranks = RANKS, .largest_bytes = BYTES, .held_buffers = 2};
    static cb_settings settings; /* lives as long as the factory */
    transport_bootstrap bootstrap = {.rank = here->rank,
                                     .size = RANKS,
                                     .settings = &settings,
                                     .context = here,
                                     .exchange = exchange};
    transport_factory *factory = NULL;
    cb_override *given = NULL;
    transport_wait ignored;

    require(cb_overrides_parse(tried->technology, technology->parameters, tried->parameters,
                               &given) == CB_OK,
            "the parameters");
    require(cb_settings_derive(technology->parameters, &job, given, &settings) == CB_OK,
            "the settings");
    free(given);
    if (transport_open(technology, &bootstrap, &factory) != CB_OK)
        _exit(MISSING);
    require(transport_set_wait(factory, tried->wait, &ignored) == CB_OK, "the wait policy");
    require(transport_prepare(
                factory, &(transport_preparation){.message_bytes = BYTES, .buffers = 4}) == CB_OK,
            "the preparation");
    return factory;
}

static cb_status send_one(transport_factory *factory, transport_node *node)
{
    transport_buffer *buffer = transport_buffer_create(factory, BYTES);

    require(buffer != NULL, "a buffer");
    memset(buffer->data, 7, BYTES);
    return transport_send(node, buffer);
}

static cb_status receive_one(transport_node *node)
{
    transport_buffer *buffer = NULL;
    const cb_status status = transport_receive(node, &buffer);

    if (status == CB_OK) {
        require(buffer->size == BYTES && ((unsigned char *)buffer->data)[BYTES - 1] == 7,
                "the message");
        transport_buffer_release(buffer);
    }
    return status;
}

static void ping_pong(const variant *tried, const transport_technology *technology, wire here)
{
    transport_factory *factory = open_end(tried, technology, &here);
    transport_node *node = NULL;
    cb_status status = CB_OK;
    char text[CB_LAST_ERROR_BYTES];

    require(transport_node_create(factory, !here.rank, &node) == CB_OK, "the node");
    for (int i = 0; status == CB_OK; i++) {
        if (here.rank == 1 && i == MESSAGES)
            raise(SIGKILL);
        status = send_one(factory, node);
        if (status == CB_OK)
            status = receive_one(node);
    }
    require(status == CB_ERROR_TRANSPORT, "the status after the loss");
    require(transport_last_error(factory, text, sizeof(text)) && strstr(text, "rank 1") != NULL,
            "the error after the loss");
    transport_node_destroy(node);
    (void)transport_close(factory);
    _exit(0);
}

static pid_t start(const variant *tried, const transport_technology *technology, int line, int rank)
{
    const pid_t child = fork();

    ck_assert_int_ge(child, 0);
    if (child > 0)
        return child;
    alarm(TIMEOUT_S);
    cb_log_silence(true);
    ping_pong(tried, technology, (wire){.line = line, .rank = rank});
    return 0;
}

/* The outcome of rank 0: an exit status, or the signal that ended it and 128. */
static int kill_peer(const variant *tried, const transport_technology *technology)
{
    int lines[2], status = 0;
    pid_t children[RANKS];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, lines), 0);
    for (int rank = 0; rank < RANKS; rank++)
        children[rank] = start(tried, technology, lines[rank], rank);
    close(lines[0]);
    close(lines[1]);
    for (int rank = RANKS - 1; rank >= 0; rank--)
        ck_assert_int_eq(waitpid(children[rank], &status, 0), children[rank]);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* UCX 1.13 answers each put over sockets, and aborts where the answer cannot be sent: when the last
 * puts of the killed peer are read after its connection was found to be broken. */
static const variant variants[] = {
    {"ofi", "provider=shm,method=message", TRANSPORT_WAIT_YIELD, false},
    {"ofi", "provider=shm,method=write", TRANSPORT_WAIT_YIELD, false},
    {"ofi", "provider=shm,method=message", TRANSPORT_WAIT_BLOCK, false},
    {"ofi", "provider=tcp;ofi_rxm,method=message", TRANSPORT_WAIT_YIELD, false},
    {"ofi", "provider=tcp;ofi_rxm,method=write", TRANSPORT_WAIT_BLOCK, false},
    {"ucx", "method=am", TRANSPORT_WAIT_YIELD, false},
    {"ucx", "method=put", TRANSPORT_WAIT_YIELD, false},
    {"ucx", "method=am", TRANSPORT_WAIT_BLOCK, false},
    {"ucx", "method=am,transports=tcp", TRANSPORT_WAIT_YIELD, false},
    {"ucx", "method=put,transports=tcp", TRANSPORT_WAIT_BLOCK, true},
};

enum { VARIANTS = sizeof(variants) / sizeof(variants[0]) };

/* A library without the provider or transport is no failure. */
START_TEST(a_killed_peer_is_an_error_that_names_it)
{
    const variant *tried = &variants[_i];
    const transport_technology *technology = transport_find(tried->technology);
    int outcome;

    if (technology == NULL)
        return;
    outcome = kill_peer(tried, technology);
    if (tried->aborts && (outcome == ABORTED || outcome == 128 + SIGABRT))
        return;
    ck_assert_msg(outcome == 0 || outcome == MISSING, "%s with %s: the other process ended with %d",
                  tried->technology, tried->parameters, outcome);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("killed");
    TCase *group = tcase_create("killed");
    SRunner *runner;
    int failed;

    tcase_add_loop_test(group, a_killed_peer_is_an_error_that_names_it, 0, VARIANTS);
    tcase_set_timeout(group, 2 * TIMEOUT_S);
    suite_add_tcase(suite, group);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
