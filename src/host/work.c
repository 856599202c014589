/* Calibrated work (a chain of multiplications and shifts that neither compiler nor processor can
 * shorten or overlap) and the cost of a unit of it; the continuous computing task, which does such
 * work.
 *
 * The creator of a task must never wait for it: the task rarely gets the core and may be
 * descheduled while it holds a lock. They share atomics, and a semaphore whose post does not block
 * and orders earlier writes. */
#include "host/work.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/order.h"

enum { UNIT_ROUNDS = 128, BLOCKS = 101, BLOCK_UNITS = 256 };
enum { SLICE_UNITS = 64, LOWEST_NICE = 19 }; /* of the task */
enum { TURN_BITS = 8, TURN_MASK = (1 << TURN_BITS) - 1 };

static const uint64_t initial_state = 0x243f6a8885a308d3u; /* the first digits of pi */
static const uint64_t odd_factor = 0x9e3779b97f4a7c15u;    /* of the golden ratio */

/* A round is invertible, so different states stay different and every round affects the result. The
 * empty asm statement keeps the compiler from merging several rounds, or two calls. */
static inline uint64_t one_round(uint64_t state)
{
    state = (state ^ state >> 32) * odd_factor;
    __asm__ volatile("" : "+r"(state));
    return state;
}

uint64_t host_work_on(uint64_t state, uint64_t units)
{
    if (cb_virtual != NULL) {
        cb_virtual->work_ns(units);
        return state;
    }
    for (uint64_t unit = 0; unit < units; unit++)
        for (unsigned round = 0; round < UNIT_ROUNDS; round++)
            state = one_round(state);
    return state;
}

uint64_t host_work(uint64_t units)
{
    return host_work_on(initial_state, units);
}

static void time_blocks(double *units_ns, size_t count)
{
    uint64_t before_ns = cb_now_ns();

    for (size_t i = 0; i < count; i++) {
        uint64_t now_ns;

        (void)host_work(BLOCK_UNITS);
        now_ns = cb_now_ns();
        units_ns[i] = (double)(now_ns - before_ns) / BLOCK_UNITS;
        before_ns = now_ns;
    }
}

/* The first pass is not counted: it brings the core to its full clock rate. */
cb_status host_work_calibrate(host_work_rate *out)
{
    double units_ns[BLOCKS];

    if (cb_virtual != NULL) {
        *out = (host_work_rate){.unit_ns = 1, .least_ns = 1, .most_ns = 1};
        return CB_OK;
    }
    time_blocks(units_ns, BLOCKS);
    time_blocks(units_ns, BLOCKS);
    qsort(units_ns, BLOCKS, sizeof(units_ns[0]), cb_ascending_reals);
    *out = (host_work_rate){
        .unit_ns = units_ns[BLOCKS / 2], .least_ns = units_ns[0], .most_ns = units_ns[BLOCKS - 1]};
    if (out->unit_ns <= 0) {
        cb_error("cannot calibrate the work of an algorithm: no time passed on the clock while "
                 "%d units were done; check the clock source of this host",
                 BLOCK_UNITS);
        return CB_ERROR_SYSTEM;
    }
    out->spread_pct = 100 * (units_ns[3 * BLOCKS / 4] - units_ns[BLOCKS / 4]) / out->unit_ns;
    return CB_OK;
}

cb_status host_work_refine(host_work_rate *rate)
{
    host_work_rate now;

    CB_TRY(host_work_calibrate(&now));
    if (now.unit_ns < rate->unit_ns)
        *rate = now;
    return CB_OK;
}

uint64_t host_work_units(const host_work_rate *rate, double us)
{
    return us > 0 ? (uint64_t)(us * 1e3 / rate->unit_ns + 0.5) : 0;
}

cb_status host_work_refined_units(host_work_rate *rate, double us, uint64_t *units)
{
    if (us > 0)
        CB_TRY(host_work_refine(rate));
    *units = host_work_units(rate, us);
    return CB_OK;
}

/* Start of a turn. */
typedef struct {
    uint64_t start_ns, units;
} task_turn;

struct host_task {
    pthread_t thread;
    pid_t thread_id;                    /* the kernel's id, set before `ready` is posted */
    sem_t ready, wake;                  /* wake: posted after each change that the task must see */
    _Atomic uint64_t computes_until_ns; /* 0: asleep */
    atomic_bool ended;
    _Atomic uint64_t units;
    _Atomic uint64_t run;            /* number of calls of host_task_run */
    _Atomic uint64_t turns_recorded; /* run << TURN_BITS | number of its recorded turns */
    task_turn turns[HOST_TASK_TURNS];
    uint64_t state; /* of the work; valid once the thread has ended */
    const char *priority;
};

/* Record the start of a turn. The release of turns_recorded pairs with the acquire of the reader,
 * which calls host_task_run only after it has read: no turn that it reads is overwritten. */
static void record_turn(host_task *task, uint64_t start_ns, uint64_t units)
{
    uint64_t run = atomic_load_explicit(&task->run, memory_order_acquire);
    uint64_t recorded = atomic_load_explicit(&task->turns_recorded, memory_order_relaxed);
    uint64_t count = recorded >> TURN_BITS == run ? recorded & TURN_MASK : 0;

    if (count == HOST_TASK_TURNS)
        return;
    task->turns[count] = (task_turn){start_ns, units};
    atomic_store_explicit(&task->turns_recorded, run << TURN_BITS | (count + 1),
                          memory_order_release);
}

/* The clock is read once per slice, which costs a few thousandths of it. */
static void *run_thread(void *context)
{
    const uint64_t pause_ns = (uint64_t)(host_scheduler_tick_ns() / 2);
    host_task *task = context;
    uint64_t state = host_work(0), units = 0, now_ns, before_ns;

    task->thread_id = gettid();
    sem_post(&task->ready);
    while (!atomic_load_explicit(&task->ended, memory_order_relaxed)) {
        before_ns = 0;
        while ((now_ns = cb_now_ns()) <
               atomic_load_explicit(&task->computes_until_ns, memory_order_relaxed)) {
            if (now_ns - before_ns > pause_ns)
                record_turn(task, now_ns, units);
            before_ns = now_ns;
            state = host_work_on(state, SLICE_UNITS);
            units += SLICE_UNITS;
            atomic_store_explicit(&task->units, units, memory_order_relaxed);
        }
        (void)sem_wait(&task->wake);
    }
    task->state = state;
    return NULL;
}

/* Set the lowest priority that the system grants. */
static cb_status lower_priority(host_task *task)
{
    const struct sched_param none = {0};
    const id_t thread = (id_t)task->thread_id; /* Linux keeps a nice value for each thread */

    if (sched_setscheduler(task->thread_id, SCHED_IDLE, &none) == 0 &&
        sched_getscheduler(task->thread_id) == SCHED_IDLE)
        task->priority = "SCHED_IDLE";
    else if (setpriority(PRIO_PROCESS, thread, LOWEST_NICE) == 0 &&
             getpriority(PRIO_PROCESS, thread) == LOWEST_NICE)
        task->priority = "nice 19";
    if (task->priority != NULL)
        return CB_OK;
    cb_error("cannot give the computing task a low priority: the system refuses both SCHED_IDLE "
             "and nice 19 (%s); measure without --compute, or where neither a sandbox nor a "
             "security policy forbids to lower priorities",
             strerror(errno));
    return CB_ERROR_UNSUPPORTED;
}

static void free_task(host_task *task)
{
    sem_destroy(&task->ready);
    sem_destroy(&task->wake);
    free(task);
}

cb_status host_task_create(host_task **out)
{
    host_task *task = cb_allocate_aligned(CB_CACHE_LINE, sizeof(*task), "the computing task");
    sigset_t all, before;
    cb_status status;
    int error;

    *out = NULL;
    if (task == NULL)
        return CB_ERROR_MEMORY;
    sem_init(&task->ready, 0, 0);
    sem_init(&task->wake, 0, 0);
    /* Block all signals: they must interrupt the sleep of the creating thread. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&task->thread, NULL, run_thread, task);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        cb_error("cannot start a thread for the computing task: %s; raise the limit on threads "
                 "(ulimit -u), or start fewer ranks on this host",
                 strerror(error));
        free_task(task);
        return CB_ERROR_SYSTEM;
    }
    while (sem_wait(&task->ready) != 0)
        continue;
    status = lower_priority(task);
    if (status != CB_OK) {
        host_task_destroy(task, NULL);
        return status;
    }
    *out = task;
    return CB_OK;
}

void host_task_destroy(host_task *task, host_task_total *total)
{
    if (task == NULL)
        return;
    atomic_store_explicit(&task->ended, true, memory_order_relaxed);
    (void)host_task_pause(task);
    sem_post(&task->wake);
    pthread_join(task->thread, NULL);
    if (total != NULL)
        *total = (host_task_total){host_task_units(task), task->state};
    free_task(task);
}

const char *host_task_priority(const host_task *task)
{
    return task->priority;
}

void host_task_run(host_task *task, uint64_t limit_ns)
{
    (void)atomic_fetch_add_explicit(&task->run, 1, memory_order_release);
    atomic_store_explicit(&task->computes_until_ns, cb_now_ns() + limit_ns, memory_order_relaxed);
    sem_post(&task->wake);
}

bool host_task_pause(host_task *task)
{
    uint64_t until_ns = atomic_exchange_explicit(&task->computes_until_ns, 0, memory_order_relaxed);

    return cb_now_ns() < until_ns;
}

uint64_t host_task_units(const host_task *task)
{
    return atomic_load_explicit(&task->units, memory_order_relaxed);
}

host_task_turns host_task_recorded_turns(const host_task *task)
{
    uint64_t recorded = atomic_load_explicit(&task->turns_recorded, memory_order_acquire);
    size_t count = (size_t)(recorded & TURN_MASK);

    if (count == 0 ||
        recorded >> TURN_BITS != atomic_load_explicit(&task->run, memory_order_relaxed))
        return (host_task_turns){.count = 0};
    return (host_task_turns){.count = count,
                             .first_ns = task->turns[0].start_ns,
                             .last_ns = task->turns[count - 1].start_ns,
                             .first_units = task->turns[0].units,
                             .last_units = task->turns[count - 1].units};
}

double host_scheduler_tick_ns(void)
{
    struct timespec tick;

    clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
    return (double)tick.tv_sec * 1e9 + (double)tick.tv_nsec;
}
