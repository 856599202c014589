/* The technology tcp against a bare socket: half round trips between the same two processes, block
 * by block in turn. The bare side reads and writes whole messages with one call each, polling a
 * non-blocking socket with TCP_NODELAY; all data are referred to on both sides, by one sum. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "tests/perf/contest.h"
#include "tests/transport/socket/ends.h"

enum { TURNS = 21, ROUNDS = 300, LARGEST = 65536 };

typedef struct {
    ends_end *end;
    int fd; /* the bare connection */
    size_t bytes;
    uint64_t sum;
    unsigned char data[LARGEST];
} contender;

/* What end 0 listens at, in memory of both. */
static struct sockaddr_in *bare_address;

/* Bare */

static void bare_connect(contender *c)
{
    const int on = 1;

    if (c->end->rank == 0) {
        int listener = socket(AF_INET, SOCK_STREAM, 0);
        socklen_t bytes = sizeof(*bare_address);

        *bare_address =
            (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        ENDS_REQUIRE(bind(listener, (const struct sockaddr *)bare_address, bytes) == 0);
        ENDS_REQUIRE(listen(listener, 1) == 0);
        ENDS_REQUIRE(getsockname(listener, (struct sockaddr *)bare_address, &bytes) == 0);
        ends_tell(c->end);
        c->fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
        close(listener);
    } else {
        ends_hear(c->end);
        c->fd = socket(AF_INET, SOCK_STREAM, 0);
        ENDS_REQUIRE(connect(c->fd, (const struct sockaddr *)bare_address, sizeof(*bare_address)) ==
                     0);
    }
    ENDS_REQUIRE(c->fd >= 0);
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

static void bare_send(contender *c)
{
    for (size_t done = 0; done < c->bytes;) {
        ssize_t now = send(c->fd, c->data + done, c->bytes - done, MSG_DONTWAIT | MSG_NOSIGNAL);

        ENDS_REQUIRE(now > 0 || errno == EAGAIN);
        done += now > 0 ? (size_t)now : 0;
    }
}

static void bare_receive(contender *c)
{
    for (size_t done = 0; done < c->bytes;) {
        ssize_t now = recv(c->fd, c->data + done, c->bytes - done, MSG_DONTWAIT);

        ENDS_REQUIRE(now > 0 || (now < 0 && errno == EAGAIN));
        done += now > 0 ? (size_t)now : 0;
    }
    c->sum += contest_sum(c->data, c->bytes);
}

/* Over tcp */

static void tcp_send_one(contender *c)
{
    transport_buffer *buffer = transport_buffer_create(c->end->factory, c->bytes);

    ENDS_REQUIRE(buffer != NULL);
    ENDS_REQUIRE(transport_send(c->end->node, buffer) == CB_OK);
}

static void tcp_receive_one(contender *c)
{
    transport_buffer *buffer = NULL;

    ENDS_REQUIRE(transport_receive(c->end->node, &buffer) == CB_OK);
    c->sum += contest_sum(buffer->data, buffer->size);
    transport_buffer_release(buffer);
}

typedef struct {
    void (*send)(contender *c);
    void (*receive)(contender *c);
} way;

static const way bare = {bare_send, bare_receive}, tcp = {tcp_send_one, tcp_receive_one};

static double bounce(const way *by, contender *c)
{
    const uint64_t began_ns = cb_now_ns();

    for (int i = 0; i < ROUNDS; i++) {
        if (c->end->rank == 0)
            by->send(c);
        by->receive(c);
        if (c->end->rank == 1)
            by->send(c);
    }
    return (double)(cb_now_ns() - began_ns) / (2.0 * ROUNDS);
}

static void compete(contender *c, size_t bytes)
{
    double by_hand_ns[TURNS], over_tcp_ns[TURNS], ratio[TURNS];
    const double bound = 1.15;

    c->bytes = bytes;
    (void)bounce(&bare, c);
    (void)bounce(&tcp, c);
    for (int turn = 0; turn < TURNS; turn++) {
        by_hand_ns[turn] = bounce(&bare, c);
        over_tcp_ns[turn] = bounce(&tcp, c);
        ratio[turn] = over_tcp_ns[turn] / by_hand_ns[turn];
    }
    if (c->end->rank != 0)
        return;
    (void)contest_median(ratio, TURNS);
    printf("half round trip %6zu %10.0f %10.0f  %6.3f [%.3f, %.3f]\n", bytes,
           contest_median(by_hand_ns, TURNS), contest_median(over_tcp_ns, TURNS), ratio[TURNS / 2],
           ratio[TURNS / 4], ratio[3 * TURNS / 4]);
    if (bytes == 64)
        printf("target: tcp over a bare socket, half round trip of %zu bytes: %.3f at most %.2f\n",
               bytes, ratio[TURNS / 2], bound);
}

static void compete_in_all(ends_end *end)
{
    static const size_t sizes[] = {64, 1024, 8192, 65536};
    contender *c = calloc(1, sizeof(*c));

    ENDS_REQUIRE(c != NULL);
    contest_bind(end->rank);
    c->end = end;
    bare_connect(c);
    if (end->rank == 0)
        printf("%-15s %6s %10s %10s  %6s\n%-15s %6s %10s %10s  %6s\n", "", "size", "bare", "tcp",
               "ratio", "what", "bytes", "ns", "ns", "[quartiles]");
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        compete(c, sizes[i]);
    fflush(stdout);
    close(c->fd);
    free(c);
}

int main(void)
{
    const ends_plan plan = {.technology = "tcp",
                            .message_bytes = LARGEST,
                            .wait = TRANSPORT_WAIT_SPIN,
                            .bodies = {compete_in_all, compete_in_all}};
    int outcomes[2];

    bare_address = mmap(NULL, sizeof(*bare_address), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (bare_address == MAP_FAILED)
        return 1;
    ends_run(&plan, outcomes);
    return outcomes[0] != 0 || outcomes[1] != 0;
}
