/* Properties of the two cores that all other figures depend on: the time that a cache line takes
 * from one to the other, and whether each computes as fast while the other one computes.
 * Hardware threads of one core halve each other's arithmetic; separate cores do not, at any
 * distance. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "stats/stats.h"

enum { ROUNDS = 10, TURNS = 51, UNITS = 20, BOUNCES = 2000, PAUSE_NS = 50000 };

typedef enum { REST, WORK, BOUNCE, LEAVE } order;

static _Atomic order given;
static _Atomic uint64_t units_done; /* by the second thread */
static _Alignas(128) _Atomic uint32_t ball;

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void pause_a_while(void)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

static void bind_to(unsigned core)
{
    cpu_set_t cores;

    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    if (pthread_setaffinity_np(pthread_self(), sizeof cores, &cores) != 0) {
        fprintf(stderr, "perf_cores: cannot run on processor %u: it takes two\n", core);
        exit(1);
    }
}

static inline void add(uint64_t *sum)
{
    ++*sum;
    __asm__ volatile("" : "+r"(*sum)); /* one addition, in a register, that stays */
}

/* Additions that do not wait for each other: as many as a core's units take in a cycle. */
static void work_unit(void)
{
    uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;

    for (int i = 0; i < 1000; i++) {
        add(&a), add(&b), add(&c), add(&d);
        add(&e), add(&f), add(&g), add(&h);
    }
}

/* The second thread: returns the cache line, computes or sleeps, as requested. */
static void *accompany(void *unused)
{
    (void)unused;
    bind_to(1);
    for (;;) {
        uint32_t number;

        switch (atomic_load_explicit(&given, memory_order_acquire)) {
        case REST:
            pause_a_while();
            break;
        case WORK:
            work_unit();
            atomic_fetch_add_explicit(&units_done, 1, memory_order_relaxed);
            break;
        case BOUNCE:
            number = atomic_load_explicit(&ball, memory_order_acquire);
            if (number % 2 == 1)
                atomic_store_explicit(&ball, number + 1, memory_order_release);
            break;
        case LEAVE:
            return NULL;
        }
    }
}

static double worked_ns(void)
{
    double begun_ns = now_ns();

    for (int unit = 0; unit < UNITS; unit++)
        work_unit();
    return now_ns() - begun_ns;
}

/* Measured while the other thread works, which is checked before and after. */
static double beside_ns(void)
{
    uint64_t before;
    double took_ns;

    do {
        before = atomic_load(&units_done);
        while (atomic_load(&units_done) < before + 2)
            continue;
        before = atomic_load(&units_done);
        took_ns = worked_ns();
    } while (atomic_load(&units_done) < before + UNITS / 4);
    return took_ns;
}

static double bounce_ns(void)
{
    uint32_t number = atomic_load(&ball);
    double begun_ns = now_ns();

    for (int i = 0; i < BOUNCES; i++) {
        atomic_store_explicit(&ball, number + 1, memory_order_release);
        while (atomic_load_explicit(&ball, memory_order_acquire) != number + 2)
            continue;
        number += 2;
    }
    return (now_ns() - begun_ns) / (2 * BOUNCES);
}

static double median_of(order what, double (*measure)(void))
{
    double values[TURNS];

    atomic_store(&given, what);
    pause_a_while();
    for (int turn = 0; turn < TURNS; turn++)
        values[turn] = measure();
    return stats_summarize(values, TURNS).median;
}

int main(void)
{
    pthread_t second;

    bind_to(0);
    if (pthread_create(&second, NULL, accompany, NULL) != 0) {
        fprintf(stderr, "perf_cores: cannot start a second thread\n");
        return 1;
    }
    printf("  a cache line's way, ns    work beside work over work alone, time\n");
    for (int round = 0; round < ROUNDS; round++) {
        double line_ns = median_of(BOUNCE, bounce_ns);
        double alone_ns = median_of(REST, worked_ns);
        double together_ns = median_of(WORK, beside_ns);

        printf("  %21.0f    %37.2f\n", line_ns, together_ns / alone_ns);
    }
    atomic_store(&given, LEAVE);
    return pthread_join(second, NULL);
}
