/* What libsisci-shm adds to bare shared memory: ping-pongs of a line and of interrupts between two
 * processes, and copies, each against the same thing done by hand in the same kind of memory, block
 * by block in turn, so that whatever the machine does meanwhile meets both alike. The two processes
 * do the same blocks in the same order; nothing else keeps them together. */
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sisci_api.h"
#include "tests/perf/contest.h"

enum {
    TURNS = 41,
    LINE_ROUNDS = 5000,
    INTERRUPT_ROUNDS = 300,
    COPY_ROUNDS = 200,
    COPY_BYTES = 64 * 1024,
    SEGMENT_BYTES = COPY_BYTES,
    LINE_WORDS = 16,
    NODES = 2
};

static const unsigned nodes[NODES] = {4, 8};

/* One of the two processes. */
typedef struct {
    unsigned self;
    unsigned last; /* number of the last line sent */
    volatile unsigned *bare_here, *bare_there;
    sem_t *bare_wait, *bare_post;
    volatile unsigned *here, *there;
    sci_map_t map;
    sci_sequence_t sequence;
    sci_local_interrupt_t wait;
    sci_remote_interrupt_t trigger;
    unsigned char source[COPY_BYTES];
} process;

static void insist(sci_error_t error, const char *what)
{
    if (error == SCI_ERR_OK)
        return;
    fprintf(stderr, "perf_sisci: %s: %s\n", what, SCIGetErrorString(error));
    exit(1);
}

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* Contenders: this many rounds, in which the first process sends first. */

static void await_line(const volatile unsigned *line, unsigned number)
{
    while (__atomic_load_n(&line[LINE_WORDS - 1], __ATOMIC_ACQUIRE) != number)
        continue;
}

static void bare_send(process *p)
{
    for (int i = 0; i < LINE_WORDS - 1; i++)
        p->bare_there[i] = p->last;
    __atomic_store_n(&p->bare_there[LINE_WORDS - 1], p->last, __ATOMIC_RELEASE);
}

static void bare_line(process *p)
{
    for (int i = 0; i < LINE_ROUNDS; i++) {
        p->last++;
        if (p->self == 0)
            bare_send(p);
        await_line(p->bare_here, p->last);
        if (p->self == 1)
            bare_send(p);
    }
}

/* As the message passing layer does it: the line, and a check that it has arrived. */
static void sisci_send(process *p)
{
    sci_error_t error;

    for (int i = 0; i < LINE_WORDS - 1; i++)
        p->there[i] = p->last;
    __atomic_store_n(&p->there[LINE_WORDS - 1], p->last, __ATOMIC_RELEASE);
    if (SCICheckSequence(p->sequence, 0, &error) != SCI_SEQ_OK)
        insist(SCI_ERR_TRANSFER_FAILED, "SCICheckSequence");
}

static void sisci_line(process *p)
{
    for (int i = 0; i < LINE_ROUNDS; i++) {
        p->last++;
        if (p->self == 0)
            sisci_send(p);
        await_line(p->here, p->last);
        if (p->self == 1)
            sisci_send(p);
    }
}

static void bare_interrupt(process *p)
{
    for (int i = 0; i < INTERRUPT_ROUNDS; i++) {
        if (p->self == 0)
            sem_post(p->bare_post);
        while (sem_wait(p->bare_wait) != 0)
            continue;
        if (p->self == 1)
            sem_post(p->bare_post);
    }
}

static void trigger(process *p)
{
    sci_error_t error;

    SCITriggerInterrupt(p->trigger, 0, &error);
    insist(error, "SCITriggerInterrupt");
}

static void sisci_interrupt(process *p)
{
    sci_error_t error;

    for (int i = 0; i < INTERRUPT_ROUNDS; i++) {
        if (p->self == 0)
            trigger(p);
        SCIWaitForInterrupt(p->wait, SCI_INFINITE_TIMEOUT, 0, &error);
        insist(error, "SCIWaitForInterrupt");
        if (p->self == 1)
            trigger(p);
    }
}

/* Copies are made by the first process alone. */
static void bare_copy(process *p)
{
    for (int i = 0; p->self == 0 && i < COPY_ROUNDS; i++)
        memcpy((void *)(uintptr_t)p->bare_there, p->source, COPY_BYTES);
}

static void sisci_copy(process *p)
{
    sci_error_t error;

    for (int i = 0; p->self == 0 && i < COPY_ROUNDS; i++) {
        SCIMemCpy(p->sequence, p->source, p->map, 0, COPY_BYTES, SCI_FLAG_ERROR_CHECK, &error);
        insist(error, "SCIMemCpy");
    }
}

typedef struct {
    const char *name;
    void (*bare)(process *p);
    void (*sisci)(process *p);
    double halves; /* one-way times in a block */
    double bound;  /* of the ratio, at most */
} contest;

static const contest contests[] = {
    {"a line, one way", bare_line, sisci_line, 2.0 * LINE_ROUNDS, 1.05},
    {"an interrupt, one way", bare_interrupt, sisci_interrupt, 2.0 * INTERRUPT_ROUNDS, 1.10},
    {"a copy of 64 KiB", bare_copy, sisci_copy, COPY_ROUNDS, 1.05},
};

static double timed(void (*block)(process *p), process *p)
{
    double start = now_ns();

    block(p);
    return now_ns() - start;
}

static void compete(const contest *c, process *p)
{
    double bare[TURNS], sisci[TURNS], ratio[TURNS];

    c->bare(p);
    c->sisci(p);
    for (int turn = 0; turn < TURNS; turn++) {
        bare[turn] = timed(c->bare, p);
        sisci[turn] = timed(c->sisci, p);
        ratio[turn] = sisci[turn] / bare[turn];
    }
    if (p->self != 0)
        return;
    contest_median(ratio, TURNS);
    printf("%-24s %9.1f %9.1f  %6.3f [%.3f, %.3f]\n", c->name,
           contest_median(bare, TURNS) / c->halves, contest_median(sisci, TURNS) / c->halves,
           ratio[TURNS / 2], ratio[TURNS / 4], ratio[3 * TURNS / 4]);
    printf("target: libsisci-shm over bare memory, %s: %.3f at most %.2f\n", c->name,
           ratio[TURNS / 2], c->bound);
}

/* The costs of single calls, which nothing bare compares with. */
static void print_costs(process *p)
{
    enum { CALLS = 1000000 };
    double start = now_ns(), middle;
    sci_error_t error;

    for (int i = 0; i < CALLS; i++)
        SCICheckSequence(p->sequence, 0, &error);
    middle = now_ns();
    for (int i = 0; i < CALLS; i++)
        SCIStoreBarrier(p->sequence, 0);
    printf("SCICheckSequence %.1f ns, SCIStoreBarrier %.1f ns\n", (middle - start) / CALLS,
           (now_ns() - middle) / CALLS);
}

/* Set-up. */

static void offer(process *p, sci_desc_t sd)
{
    sci_local_segment_t segment;
    sci_map_t map;
    unsigned number = 1;
    sci_error_t error;

    SCICreateSegment(sd, &segment, 1, SEGMENT_BYTES, NULL, NULL, 0, &error);
    insist(error, "SCICreateSegment");
    SCIPrepareSegment(segment, 0, 0, &error);
    p->here = SCIMapLocalSegment(segment, &map, 0, SEGMENT_BYTES, NULL, 0, &error);
    insist(error, "SCIMapLocalSegment");
    SCICreateInterrupt(sd, &p->wait, 0, &number, NULL, NULL, SCI_FLAG_FIXED_INTNO, &error);
    insist(error, "SCICreateInterrupt");
    SCISetSegmentAvailable(segment, 0, 0, &error);
    insist(error, "SCISetSegmentAvailable");
}

/* The other may not be there yet. */
static void reach(process *p, sci_desc_t sd)
{
    sci_remote_segment_t segment;
    sci_error_t error;

    do {
        sched_yield();
        SCIConnectSegment(sd, &segment, nodes[1 - p->self], 1, 0, NULL, NULL, SCI_INFINITE_TIMEOUT,
                          0, &error);
    } while (error != SCI_ERR_OK);
    p->there = SCIMapRemoteSegment(segment, &p->map, 0, SEGMENT_BYTES, NULL, 0, &error);
    insist(error, "SCIMapRemoteSegment");
    SCICreateMapSequence(p->map, &p->sequence, 0, &error);
    insist(error, "SCICreateMapSequence");
    SCIConnectInterrupt(sd, &p->trigger, nodes[1 - p->self], 0, 1, SCI_INFINITE_TIMEOUT, 0, &error);
    insist(error, "SCIConnectInterrupt");
}

static void open_sisci(process *p)
{
    char node[16];
    sci_desc_t sd;
    sci_error_t error;

    snprintf(node, sizeof(node), "%u", nodes[p->self]);
    setenv("SISCI_SHM_NODE", node, 1);
    SCIInitialize(0, &error);
    insist(error, "SCIInitialize");
    SCIOpen(&sd, 0, &error);
    insist(error, "SCIOpen");
    offer(p, sd);
    reach(p, sd);
}

static int run(unsigned self, unsigned char *bare, sem_t *semaphores)
{
    process *p = calloc(1, sizeof(*p));

    if (p == NULL)
        return 1;
    contest_bind((int)self);
    p->self = self;
    p->bare_here = (volatile unsigned *)(void *)(bare + self * SEGMENT_BYTES);
    p->bare_there = (volatile unsigned *)(void *)(bare + (1 - self) * SEGMENT_BYTES);
    p->bare_wait = &semaphores[self];
    p->bare_post = &semaphores[1 - self];
    open_sisci(p);
    if (self == 0)
        printf("%-24s %9s %9s  %6s\n%-24s %9s %9s  %6s\n", "", "bare", "SISCI", "ratio", "what",
               "ns", "ns", "[quartiles]");
    for (size_t i = 0; i < sizeof(contests) / sizeof(contests[0]); i++)
        compete(&contests[i], p);
    if (self == 0)
        print_costs(p);
    sem_post(p->bare_post); /* neither leaves before the other is ready to */
    while (sem_wait(p->bare_wait) != 0)
        continue;
    SCITerminate();
    free(p);
    return 0;
}

int main(void)
{
    unsigned char *bare = mmap(NULL, NODES * SEGMENT_BYTES, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    sem_t *semaphores = mmap(NULL, NODES * sizeof(*semaphores), PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char job[32];
    pid_t other;
    int status;

    if (bare == MAP_FAILED || semaphores == MAP_FAILED)
        return 1;
    sem_init(&semaphores[0], 1, 0);
    sem_init(&semaphores[1], 1, 0);
    snprintf(job, sizeof(job), "perf-%ld", (long)getpid());
    setenv("SISCI_SHM_JOB", job, 1);
    unsetenv("SISCI_SHM_FAULTS");
    other = fork();
    if (other == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        return run(1, bare, semaphores);
    }
    if (other < 0 || run(0, bare, semaphores) != 0)
        return 1;
    return waitpid(other, &status, 0) == other && status == 0 ? 0 : 1;
}
