/* Many factories in few processes; see the header. */
#include "tests/perf/crowd.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"

enum { ROUNDS = 2, SLOT_BYTES = 512, PAUSE_NS = 200000, PAUSE_MOST_NS = 50000000 };

/* In memory shared by all processes. */
struct crowd {
    int ranks;
    int met;             /* calls of crowd_meet by all processes together */
    int arrived[ROUNDS]; /* ranks that have contributed to an exchange */
    unsigned char slots[ROUNDS][CROWD_MOST][SLOT_BYTES];
};

/* A rank that is opening its factory. */
typedef struct {
    crowd *all;
    pthread_mutex_t *baton; /* the owner runs; released while waiting for other ranks */
    transport_bootstrap bootstrap;
    int round;
    transport_factory *factory;
    cb_status status;
} entrant;

crowd *crowd_make(int ranks)
{
    crowd *all =
        mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (all == MAP_FAILED)
        return NULL;
    all->ranks = ranks;
    return all;
}

void crowd_free(crowd *all)
{
    munmap(all, sizeof(*all));
}

/* Many threads may wait: their pauses grow. */
static void await(const int *count, int least)
{
    uint64_t pause_ns = PAUSE_NS;

    while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < least) {
        cb_sleep_ns(pause_ns);
        pause_ns = pause_ns < PAUSE_MOST_NS ? 2 * pause_ns : pause_ns;
    }
}

static cb_status exchange(void *context, const void *mine, size_t bytes, void *out)
{
    entrant *me = context;
    crowd *all = me->all;
    const int round = me->round++;

    if (round >= ROUNDS || bytes > SLOT_BYTES)
        return CB_ERROR_USAGE;
    memcpy(all->slots[round][me->bootstrap.rank], mine, bytes);
    __atomic_fetch_add(&all->arrived[round], 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(me->baton);
    await(&all->arrived[round], all->ranks);
    pthread_mutex_lock(me->baton);
    for (int rank = 0; rank < all->ranks; rank++)
        memcpy((char *)out + (size_t)rank * bytes, all->slots[round][rank], bytes);
    return CB_OK;
}

static void *enter(void *context)
{
    entrant *me = context;

    pthread_mutex_lock(me->baton);
    me->status = transport_open(transport_find("sci"), &me->bootstrap, &me->factory);
    pthread_mutex_unlock(me->baton);
    return NULL;
}

static cb_status enter_together(entrant *entrants, pthread_t *threads, int count)
{
    cb_status status = CB_OK;
    int started = 0;

    while (started < count &&
           pthread_create(&threads[started], NULL, enter, &entrants[started]) == 0)
        started++;
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        status = status == CB_OK ? entrants[i].status : status;
    }
    return started == count ? status : CB_ERROR_SYSTEM;
}

cb_status crowd_open(crowd *all, const cb_settings *settings, bool connect_all, int first,
                     int count, transport_factory **factories)
{
    pthread_mutex_t baton = PTHREAD_MUTEX_INITIALIZER;
    entrant *entrants = calloc((size_t)count, sizeof(*entrants));
    pthread_t *threads = calloc((size_t)count, sizeof(*threads));
    cb_status status = CB_ERROR_MEMORY;

    for (int i = 0; entrants != NULL && i < count; i++)
        entrants[i] = (entrant){.all = all,
                                .baton = &baton,
                                .bootstrap = {.rank = first + i,
                                              .size = all->ranks,
                                              .connect_all = connect_all,
                                              .settings = settings,
                                              .context = &entrants[i],
                                              .exchange = exchange}};
    if (entrants != NULL && threads != NULL)
        status = enter_together(entrants, threads, count);
    for (int i = 0; status == CB_OK && i < count; i++)
        factories[i] = entrants[i].factory;
    free(threads);
    free(entrants);
    return status;
}

static void *leave(void *factory)
{
    return transport_close(factory) == CB_OK ? NULL : factory;
}

cb_status crowd_close(int count, transport_factory **factories)
{
    pthread_t threads[CROWD_MOST];
    cb_status status = CB_OK;
    int started = 0;

    while (started < count &&
           pthread_create(&threads[started], NULL, leave, factories[started]) == 0)
        started++;
    for (int i = 0; i < started; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        status = failed == NULL ? status : CB_ERROR_TRANSPORT;
    }
    return started == count ? status : CB_ERROR_SYSTEM;
}

void crowd_meet(crowd *all, int processes)
{
    const int turn = __atomic_fetch_add(&all->met, 1, __ATOMIC_ACQ_REL) / processes;

    await(&all->met, (turn + 1) * processes);
}
