/* What idle peers cost over sci: a ping-pong of two ranks that are connected to all (--connect all)
 * while up to 256 others do nothing, the memory of such a rank, and an idle poll of the group of
 * all others. The two have a process each; the idle ranks are factories of a third process, which
 * sleeps. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "transport/sci/parameters.h"
#include "tests/perf/contest.h"
#include "tests/perf/crowd.h"

enum {
    PROCESSES = 3,
    BLOCKS = 15,
    ROUNDS = 500,
    POLLS = 2000,
    LARGEST = 1024,
    HELD = 2,
    HEADERS = 16, /* of the group whose poll is held against plain reads */
    LINE_WORDS = 16,
    TIMEOUT_S = 120
};

typedef struct {
    int idle, ranks;
    crowd *all;
    cb_settings settings;
} setting;

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "perf_sci_idle: cannot %s\n", what);
    _exit(EXIT_FAILURE);
}

/* In KiB, of this process: VmRSS, VmSize. */
static long memory_of(const char *key)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[128];
    long found = -1;

    while (file != NULL && found < 0 && fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, key, strlen(key)) == 0)
            found = strtol(line + strlen(key) + 1, NULL, 10);
    if (file != NULL)
        fclose(file);
    return found;
}

/* The idle ranks */

static void idle(const setting *job)
{
    transport_factory *factories[CROWD_MOST];
    transport_node *nodes[CROWD_MOST][2];

    require(crowd_open(job->all, &job->settings, false, 2, job->idle, factories) == CB_OK,
            "open the idle ranks");
    for (int i = 0; i < job->idle; i++)
        for (int busy = 0; busy < 2; busy++)
            require(transport_node_create(factories[i], busy, &nodes[i][busy]) == CB_OK,
                    "connect an idle rank");
    crowd_meet(job->all, PROCESSES);
    crowd_meet(job->all, PROCESSES);
    for (int i = 0; i < job->idle; i++) {
        for (int busy = 0; busy < 2; busy++)
            transport_node_destroy(nodes[i][busy]);
        require(transport_close(factories[i]) == CB_OK, "close an idle rank");
    }
}

/* The two */

static void send_one(transport_node *node, size_t bytes)
{
    transport_buffer *buffer = transport_buffer_create(node->factory, bytes);

    require(buffer != NULL && transport_send(node, buffer) == CB_OK, "send");
}

static void receive_one(transport_node *node)
{
    transport_buffer *buffer = NULL;

    require(transport_receive(node, &buffer) == CB_OK, "receive");
    transport_buffer_release(buffer);
}

static double half_round_trip_ns(transport_node *node, bool leads, size_t bytes)
{
    double blocks_ns[BLOCKS];

    for (int block = -1; block < BLOCKS; block++) {
        uint64_t began_ns = cb_now_ns();

        for (int i = 0; i < ROUNDS; i++) {
            if (leads)
                send_one(node, bytes);
            receive_one(node);
            if (!leads)
                send_one(node, bytes);
        }
        if (block >= 0)
            blocks_ns[block] = (double)(cb_now_ns() - began_ns) / (2.0 * ROUNDS);
    }
    return contest_median(blocks_ns, BLOCKS);
}

/* An idle poll of the nodes of all other ranks. */
static double idle_poll_ns(transport_group *group)
{
    double blocks_ns[BLOCKS];

    for (int block = -1; block < BLOCKS; block++) {
        uint64_t began_ns = cb_now_ns();

        for (int i = 0; i < POLLS; i++) {
            transport_buffer *buffer;
            transport_node *from;

            require(transport_group_try_receive(group, &buffer, &from) == CB_EMPTY, "poll idly");
        }
        if (block >= 0)
            blocks_ns[block] = (double)(cb_now_ns() - began_ns) / POLLS;
    }
    return contest_median(blocks_ns, BLOCKS);
}

/* The same by hand: for each header a pointer to its word and what it was, and a read. */
typedef struct {
    const uint32_t *word;
    uint32_t seen;
} header;

__attribute__((noinline)) static size_t poll_by_hand(const header *headers, size_t count)
{
    size_t at = 0;

    while (at < count && __atomic_load_n(headers[at].word, __ATOMIC_RELAXED) == headers[at].seen)
        at++;
    return at;
}

static double reads_ns(size_t count)
{
    static uint32_t words[CROWD_MOST * LINE_WORDS];
    header headers[CROWD_MOST];
    double blocks_ns[BLOCKS];

    for (size_t i = 0; i < count; i++)
        headers[i] = (header){.word = &words[i * LINE_WORDS]};
    for (int block = -1; block < BLOCKS; block++) {
        uint64_t began_ns = cb_now_ns();

        for (int i = 0; i < POLLS; i++)
            require(poll_by_hand(headers, count) == count, "read idly");
        if (block >= 0)
            blocks_ns[block] = (double)(cb_now_ns() - began_ns) / POLLS;
    }
    return contest_median(blocks_ns, BLOCKS);
}

/* The idle ranks alone: of the other of the two a message may come. */
static transport_group *group_of_idle(transport_factory *factory, const setting *job,
                                      transport_node **nodes)
{
    transport_group *group = NULL;

    for (int i = 0; i < job->idle; i++)
        require(transport_node_create(factory, i + 2, &nodes[i]) == CB_OK, "make a node");
    require(transport_group_create(factory, nodes, (size_t)job->idle, NULL, false, &group) == CB_OK,
            "make a group");
    return group;
}

static void measure_polls(transport_factory *factory, const setting *job, double *poll_ns,
                          double *by_hand_ns)
{
    transport_node *nodes[CROWD_MOST];
    transport_group *group = group_of_idle(factory, job, nodes);

    *poll_ns = idle_poll_ns(group);
    *by_hand_ns = reads_ns((size_t)job->idle);
    transport_group_destroy(group);
    for (int i = 0; i < job->idle; i++)
        transport_node_destroy(nodes[i]);
}

static void tell(const setting *job, transport_factory *factory, const double *half_ns,
                 const long *before_kib)
{
    const double segment_kib = (double)sci_settings_of(&job->settings, 0)->recv_seg_size / 1024;
    double poll_ns = 0, by_hand_ns = 0;

    measure_polls(factory, job, &poll_ns, &by_hand_ns);
    printf("%6d %10.1f %10.1f %11.0f %11ld %10.1f %10.1f %10.1f\n", job->idle, half_ns[0],
           half_ns[1], segment_kib, memory_of("VmRSS") - before_kib[0],
           (double)(memory_of("VmSize") - before_kib[1]) / 1024, poll_ns, by_hand_ns);
    if (job->idle == HEADERS)
        printf(
            "target: idle poll of sci over reads of its headers, %d of them: %.3f at most 1.20\n",
            HEADERS, poll_ns / by_hand_ns);
    fflush(stdout);
}

/* Each on a core of its own, where there are two. */
static void play(const setting *job, int rank)
{
    static const size_t sizes[] = {8, LARGEST};
    const long before_kib[] = {memory_of("VmRSS"), memory_of("VmSize")};
    const transport_preparation preparation = {.message_bytes = LARGEST, .buffers = 4};
    transport_factory *factory = NULL;
    transport_node *other = NULL;
    double half_ns[2];

    contest_bind(rank);
    require(crowd_open(job->all, &job->settings, true, rank, 1, &factory) == CB_OK, "open");
    require(transport_node_create(factory, !rank, &other) == CB_OK, "make a node");
    require(transport_prepare(factory, &preparation) == CB_OK, "prepare");
    crowd_meet(job->all, PROCESSES);
    for (int i = 0; i < 2; i++)
        half_ns[i] = half_round_trip_ns(other, rank == 0, sizes[i]);
    if (rank == 0)
        tell(job, factory, half_ns, before_kib);
    transport_node_destroy(other);
    crowd_meet(job->all, PROCESSES);
    require(transport_close(factory) == CB_OK, "close");
}

static bool run(setting *job)
{
    pid_t children[PROCESSES];
    bool good = true;

    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            alarm(TIMEOUT_S);
            if (i < 2)
                play(job, i);
            else
                idle(job);
            _exit(EXIT_SUCCESS);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;

        good = waitpid(children[i], &status, 0) == children[i] && status == 0 && good;
    }
    return good;
}

int main(void)
{
    bool good = true;

    unsetenv("SISCI_SHM_JOB");
    printf("  idle    8 B, ns  1 KiB, ns  segment KiB  resident KiB  mapped MiB    poll, ns  "
           "reads, ns\n");
    fflush(stdout);
    for (int count = 1; good && count <= 256; count *= 2) {
        setting job = {.idle = count, .ranks = count + 2, .all = crowd_make(count + 2)};
        const cb_job like = {
            .ranks = (size_t)job.ranks, .largest_bytes = LARGEST, .held_buffers = HELD};

        good = job.all != NULL &&
               cb_settings_derive(&sci_parameters, &like, NULL, &job.settings) == CB_OK &&
               run(&job);
        cb_settings_free(&job.settings);
        crowd_free(job.all);
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
