/* What faults of the wire cost the technology sci: a stream between two factories over the lossy
 * wire of the software library, without faults and with some per cent of its sequences RETRIABLE,
 * by turns. Both factories are in one thread, which sends some messages and then receives them, so
 * that nothing waits and its processor time is the cost; every message is checked. All runs go over
 * the shadow of the lossy mode, so that the ratio is that of the faults alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "transport/sci/parameters.h"
#include "tests/perf/contest.h"
#include "tests/perf/crowd.h"

enum { TURNS = 21, ROUNDS = 400, AHEAD = 8, MESSAGES = ROUNDS * AHEAD, LINE_BYTES = 64, HELD = 2 };

/* Of a run, in memory of the process that measures and the one that reports. */
typedef struct {
    size_t bytes;
    double cpu_ns;
    uint64_t received; /* whole, right and in order */
} stream_record;

static stream_record *record;

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "perf_sci_faults: cannot %s\n", what);
    exit(EXIT_FAILURE);
}

static double cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void send_one(transport_node *to, uint64_t number)
{
    transport_buffer *buffer = transport_buffer_create(to->factory, record->bytes);
    uint64_t *words;

    require(buffer != NULL, "make a buffer");
    words = buffer->data;
    for (size_t i = 0; i < record->bytes / sizeof(*words); i++)
        words[i] = number;
    require(transport_send(to, buffer) == CB_OK, "send");
}

/* One that has not come may wait in the queue of its sender for a credit, or for both. */
static void receive_one(transport_node *from, transport_node *to, uint64_t number)
{
    transport_buffer *buffer = NULL, *none = NULL;
    const uint64_t *words;
    cb_status status;

    while ((status = transport_try_receive(from, &buffer)) == CB_EMPTY)
        require(transport_try_receive(to, &none) == CB_EMPTY, "go on");
    require(status == CB_OK && buffer->size == record->bytes, "receive");
    words = buffer->data;
    for (size_t i = 0; i < record->bytes / sizeof(*words); i++)
        require(words[i] == number, "receive what was sent");
    transport_buffer_release(buffer);
    record->received++;
}

static void stream(transport_node *to, transport_node *from)
{
    uint64_t sent = 0, received = 0;
    double began_ns = cpu_ns();

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < AHEAD; i++)
            send_one(to, sent++);
        for (int i = 0; i < AHEAD; i++)
            receive_one(from, to, received++);
    }
    record->cpu_ns = cpu_ns() - began_ns;
}

/* The child's part, since the library reads of faults when it starts. */
static void run(const char *faults)
{
    const cb_job like = {.ranks = 2,
                         .largest_bytes = record->bytes < LINE_BYTES ? LINE_BYTES : record->bytes,
                         .held_buffers = HELD};
    const transport_preparation preparation = {.message_bytes = record->bytes, .buffers = AHEAD};
    transport_factory *factories[2];
    transport_node *nodes[2];
    crowd *both = crowd_make(2);
    cb_settings settings;

    setenv("SISCI_SHM_FAULTS", faults, 1);
    require(both != NULL && cb_settings_derive(&sci_parameters, &like, NULL, &settings) == CB_OK,
            "begin");
    require(crowd_open(both, &settings, false, 0, 2, factories) == CB_OK, "open");
    for (int rank = 0; rank < 2; rank++) {
        require(transport_node_create(factories[rank], !rank, &nodes[rank]) == CB_OK, "connect");
        require(transport_prepare(factories[rank], &preparation) == CB_OK, "prepare");
    }
    stream(nodes[0], nodes[1]);
    for (int rank = 0; rank < 2; rank++)
        transport_node_destroy(nodes[rank]);
    require(crowd_close(2, factories) == CB_OK, "close");
    cb_settings_free(&settings);
    crowd_free(both);
}

/* The probability for a line with which `share` of the sequences over this many lines fail. */
static double drop_of(double share, size_t bytes)
{
    size_t lines = bytes <= 56 ? 1 : (bytes + LINE_BYTES - 1) / LINE_BYTES;

    return 1 - pow(1 - share, 1.0 / (double)lines);
}

/* Messages in a second of processor time. */
static double rate_of(double share, int turn, uint64_t *lost)
{
    char faults[64];
    int status;
    pid_t child;

    snprintf(faults, sizeof(faults), "seed=%d,drop=%.9f", turn + 1, drop_of(share, record->bytes));
    record->received = 0;
    child = fork();
    if (child == 0) {
        run(faults);
        _exit(EXIT_SUCCESS);
    }
    require(waitpid(child, &status, 0) == child && status == 0, "measure");
    *lost += MESSAGES - record->received;
    return MESSAGES * 1e9 / record->cpu_ns;
}

static void compare(size_t bytes, double share)
{
    double without[TURNS], with[TURNS], ratio[TURNS];
    uint64_t lost = 0;

    record->bytes = bytes;
    for (int turn = 0; turn < TURNS; turn++) {
        without[turn] = rate_of(0, turn, &lost);
        with[turn] = rate_of(share, turn, &lost);
        ratio[turn] = with[turn] / without[turn];
    }
    contest_median(ratio, TURNS);
    printf("%6zu %9.0f %12.0f %12.0f   %5.3f [%.3f, %.3f] %9.2f %6llu\n", bytes, 100 * share,
           contest_median(without, TURNS), contest_median(with, TURNS), ratio[TURNS / 2],
           ratio[TURNS / 4], ratio[3 * TURNS / 4], 1 - share, (unsigned long long)lost);
    if (share <= 0.01)
        printf("target: sci with 1 %% of sequences RETRIABLE over none, stream of %zu bytes: %.3f "
               "at least 0.95\n",
               bytes, ratio[TURNS / 2]);
    fflush(stdout);
}

int main(void)
{
    static const size_t sizes[] = {8, 1024};
    static const double shares[] = {0.01, 0.05, 0.2};

    unsetenv("SISCI_SHM_JOB");
    record = mmap(NULL, sizeof(*record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (record == MAP_FAILED)
        return EXIT_FAILURE;
    printf("%6s %9s %12s %12s   %-20s %9s %6s\n%6s %9s %12s %12s   %-20s %9s %6s\n", "size",
           "RETRIABLE", "without", "with", "ratio", "1 - share", "lost", "bytes", "%", "messages/s",
           "messages/s", "median [quartiles]", "", "");
    fflush(stdout);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        for (size_t k = 0; k < sizeof(shares) / sizeof(*shares); k++)
            compare(sizes[i], shares[k]);
    return EXIT_SUCCESS;
}
