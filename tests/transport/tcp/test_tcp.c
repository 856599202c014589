/* What the technology tcp does when something goes wrong: unknown connections, a port in use,
 * peers that end, are cut off, or send what was not announced. */
#include "tests/transport/socket/ends.h"

#include <errno.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/log.h"
#include "tests/common/unit.h"
#include "transport/tcp/internal.h"

static void exchange_some(ends_end *end)
{
    for (uint64_t i = 0; i < 100; i++) {
        ends_send(end, i, 64);
        ends_receive(end, i, 64);
    }
}

static void ck_assert_both(const ends_plan *plan, int first, int second)
{
    int outcomes[2];

    ends_run(plan, outcomes);
    ck_assert_int_eq(outcomes[0], first);
    ck_assert_int_eq(outcomes[1], second);
}

/* Unknown connections */

enum { UNKNOWN_CONNECTIONS = 5 };

static int knock(const struct sockaddr_in *address, const void *said, size_t bytes)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    ENDS_REQUIRE(fd >= 0);
    ENDS_REQUIRE(connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0);
    ENDS_REQUIRE(send(fd, said, bytes, MSG_NOSIGNAL) == (ssize_t)bytes);
    return fd;
}

/* Unknown connections: one silent and open, one closed, one too short, one with random bytes,
 * one with a valid hello but another key. They stay open until this process exits. */
static void visit(const struct sockaddr_in *address)
{
    unsigned char rubbish[200], hello[TCP_HELLO_BYTES];
    const socket_key other_key = {{1, 2, 3}};

    memset(rubbish, 'x', sizeof(rubbish));
    tcp_hello_write(hello, &other_key, 1, 2);
    (void)knock(address, "", 0);
    close(knock(address, "", 0));
    (void)knock(address, hello, sizeof(hello) - 1);
    (void)knock(address, rubbish, sizeof(rubbish));
    (void)knock(address, hello, sizeof(hello));
}

static void count_rejected(ends_end *end)
{
    ENDS_REQUIRE(end->factory->rejected_connections == UNKNOWN_CONNECTIONS);
    exchange_some(end);
}

START_TEST(unknown_connections_are_rejected_and_counted)
{
    const ends_plan plan = {.technology = "tcp",
                            .message_bytes = 64,
                            .meanwhile = visit,
                            .wait = TRANSPORT_WAIT_YIELD,
                            .bodies = {count_rejected, exchange_some}};

    ck_assert_both(&plan, 0, 0);
}
END_TEST

/* Addresses that the system refuses */

static int take_port(unsigned *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    ck_assert_int_eq(listen(fd, 1), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &bytes), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

START_TEST(a_port_in_use_is_an_error_at_both_ends)
{
    ends_plan plan = {.technology = "tcp",
                      .message_bytes = 64,
                      .tcp = {.silence_s = 20},
                      .bodies = {exchange_some, exchange_some}};
    unsigned port;
    int fd = take_port(&port);

    plan.tcp.port = port;
    ck_assert_both(&plan, ENDS_REFUSED, ENDS_REFUSED);
    close(fd);
}
END_TEST

START_TEST(a_missing_interface_is_an_error_at_both_ends)
{
    const ends_plan plan = {.technology = "tcp",
                            .interface = "no-such-one",
                            .message_bytes = 64,
                            .bodies = {exchange_some, exchange_some}};

    ck_assert_both(&plan, ENDS_REFUSED, ENDS_REFUSED);
}
END_TEST

/* Peers that exit */

/* Messages sent before still arrive. */
static void find_peer_gone(ends_end *end)
{
    transport_buffer *buffer = NULL;
    char text[CB_LAST_ERROR_BYTES];

    ends_receive(end, 0, 64);
    ENDS_REQUIRE(!transport_last_error(end->factory, text, sizeof(text)));
    ENDS_REQUIRE(transport_receive(end->node, &buffer) == CB_ERROR_TRANSPORT);
    ENDS_REQUIRE(transport_last_error(end->factory, text, sizeof(text)));
    ENDS_REQUIRE(strstr(text, "cannot receive from rank") == text);
    ENDS_REQUIRE(transport_receive(end->node, &buffer) == CB_ERROR_TRANSPORT);
    buffer = transport_buffer_create(end->factory, 64);
    ENDS_REQUIRE(buffer != NULL);
    ENDS_REQUIRE(transport_send(end->node, buffer) == CB_ERROR_TRANSPORT);
}

static void find_peer_gone_by_group(ends_end *end)
{
    transport_buffer *buffer = NULL;
    transport_group *group = NULL;
    transport_node *from = NULL;

    ends_receive(end, 0, 64);
    ENDS_REQUIRE(transport_group_create(end->factory, &end->node, 1, NULL, false, &group) == CB_OK);
    ENDS_REQUIRE(transport_group_receive(group, &buffer, &from) == CB_ERROR_TRANSPORT);
    transport_group_destroy(group);
}

static void be_killed(ends_end *end)
{
    ends_send(end, 0, 64);
    ENDS_REQUIRE(transport_flush(end->factory) == CB_OK);
    kill(getpid(), SIGKILL);
}

START_TEST(a_killed_peer_is_an_error_and_no_hang)
{
    ends_plan plan = {.technology = "tcp", .message_bytes = 64, .bodies = {NULL, be_killed}};

    for (transport_wait wait = TRANSPORT_WAIT_SPIN; wait <= TRANSPORT_WAIT_BLOCK; wait++) {
        plan.wait = wait;
        plan.bodies[0] = find_peer_gone;
        ck_assert_both(&plan, 0, ENDS_KILLED);
        plan.bodies[0] = find_peer_gone_by_group;
        ck_assert_both(&plan, 0, ENDS_KILLED);
    }
}
END_TEST

/* The other end shuts down after its last message. */
static void find_peer_finished(ends_end *end)
{
    transport_buffer *buffer = NULL;

    ends_receive(end, 0, 64);
    ENDS_REQUIRE(transport_receive(end->node, &buffer) == CB_ERROR_TRANSPORT);
}

static void say_one_thing(ends_end *end)
{
    ends_send(end, 0, 64);
}

START_TEST(a_receive_from_a_peer_that_has_closed_is_an_error_and_no_hang)
{
    const ends_plan plan = {.technology = "tcp",
                            .message_bytes = 64,
                            .wait = TRANSPORT_WAIT_BLOCK,
                            .bodies = {find_peer_finished, say_one_thing}};

    ck_assert_both(&plan, 0, 0);
}
END_TEST

/* Messages that were not announced */

static void refuse_long_message(ends_end *end)
{
    transport_buffer *buffer = NULL;

    ENDS_REQUIRE(transport_receive(end->node, &buffer) == CB_ERROR_TRANSPORT);
    ENDS_REQUIRE(end->factory->held == 0);
    ends_tell(end);
}

static void send_long_message(ends_end *end)
{
    const transport_preparation longer = {.message_bytes = 4096, .buffers = 1};

    ENDS_REQUIRE(transport_prepare(end->factory, &longer) == CB_OK);
    ends_send(end, 0, 4096);
    ends_hear(end);
}

START_TEST(a_message_longer_than_announced_is_an_error)
{
    const ends_plan plan = {.technology = "tcp",
                            .message_bytes = 64,
                            .wait = TRANSPORT_WAIT_YIELD,
                            .bodies = {refuse_long_message, send_long_message}};

    ck_assert_both(&plan, 0, 0);
}
END_TEST

/* Threads: two of each end send while a third receives. They send more than the connection
 * accepts at once, so that some messages are queued and sent by calls of other threads. */

enum { SENDERS = 2, EACH = 300, LARGE = 20000 };

typedef struct {
    ends_end *end;
    uint64_t first;
} sender;

static void *send_own(void *context)
{
    const sender *me = context;

    for (uint64_t i = 0; i < EACH; i++)
        ends_send(me->end, me->first + i, LARGE);
    return NULL;
}

static uint64_t number_of(const transport_buffer *buffer)
{
    uint64_t number;

    memcpy(&number, buffer->data, sizeof(number));
    return number;
}

/* Each thread's messages come in their order. */
static void receive_of_threads(ends_end *end)
{
    uint64_t next[SENDERS] = {0};

    for (int i = 0; i < SENDERS * EACH; i++) {
        transport_buffer *buffer = NULL;
        uint64_t number;

        ENDS_REQUIRE(transport_receive(end->node, &buffer) == CB_OK);
        number = number_of(buffer);
        ENDS_REQUIRE(number < SENDERS * EACH && number % EACH == next[number / EACH]++);
        ends_check(buffer, !end->rank, number, LARGE);
        transport_buffer_release(buffer);
    }
}

static void send_from_threads(ends_end *end)
{
    sender senders[SENDERS];
    pthread_t threads[SENDERS];

    for (uint64_t i = 0; i < SENDERS; i++) {
        senders[i] = (sender){end, i * EACH};
        ENDS_REQUIRE(pthread_create(&threads[i], NULL, send_own, &senders[i]) == 0);
    }
    receive_of_threads(end);
    for (int i = 0; i < SENDERS; i++)
        ENDS_REQUIRE(pthread_join(threads[i], NULL) == 0);
    ENDS_REQUIRE(end->factory->held == 0);
}

START_TEST(several_threads_send_concurrently)
{
    const ends_plan plan = {.technology = "tcp",
                            .message_bytes = LARGE,
                            .wait = TRANSPORT_WAIT_BLOCK,
                            .many_senders = true,
                            .bodies = {send_from_threads, send_from_threads}};

    ck_assert_both(&plan, 0, 0);
}
END_TEST

/* A disconnected host: the loopback interface of a separate network namespace goes down. */

static bool set_loopback(bool up)
{
    struct ifreq request = {.ifr_name = "lo"};
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    bool done = fd >= 0 && ioctl(fd, SIOCGIFFLAGS, &request) == 0;

    request.ifr_flags = (short)((request.ifr_flags & ~IFF_UP) | (up ? IFF_UP : 0));
    done = done && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    if (fd >= 0)
        close(fd);
    return done;
}

static void find_host_gone(ends_end *end)
{
    transport_buffer *buffer = NULL;

    exchange_some(end);
    ENDS_REQUIRE(set_loopback(false));
    ends_send(end, 0, 64);
    ENDS_REQUIRE(transport_receive(end->node, &buffer) == CB_ERROR_TRANSPORT);
    ENDS_REQUIRE(set_loopback(true));
    ends_tell(end);
}

static void be_cut_off(ends_end *end)
{
    exchange_some(end);
    ends_hear(end);
    _exit(0); /* the connection is unusable */
}

START_TEST(a_disconnected_host_is_an_error_and_no_hang)
{
    const ends_plan plan = {.technology = "tcp",
                            .message_bytes = 64,
                            .tcp = {.silence_s = 1},
                            .wait = TRANSPORT_WAIT_BLOCK,
                            .bodies = {find_host_gone, be_cut_off}};

    if (unshare(CLONE_NEWNET) != 0 || !set_loopback(true)) {
        printf("not tried: no network namespace of its own can be had: %s\n", strerror(errno));
        return;
    }
    ck_assert_both(&plan, 0, 0);
}
END_TEST

UNIT_MAIN("tcp", unknown_connections_are_rejected_and_counted,
          a_port_in_use_is_an_error_at_both_ends, a_missing_interface_is_an_error_at_both_ends,
          a_killed_peer_is_an_error_and_no_hang,
          a_receive_from_a_peer_that_has_closed_is_an_error_and_no_hang,
          a_message_longer_than_announced_is_an_error, several_threads_send_concurrently,
          a_disconnected_host_is_an_error_and_no_hang)
