/* Start and end of the library, its lock, and the lists of resources. */
#include "sisci/library.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>

#include "sisci/constants.h"
#include "sisci/dma.h"
#include "sisci/export.h"
#include "sisci/peer.h"
#include "sisci/sisci_api.h"

sisci_library sisci_shm = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static sci_desc_t volatile inherited; /* the parent's devices, after fork(): kept reachable */

void sisci_lock(void)
{
    pthread_mutex_lock(&sisci_shm.lock);
}

void sisci_unlock(void)
{
    pthread_mutex_unlock(&sisci_shm.lock);
}

void sisci_notify(void)
{
    pthread_cond_broadcast(&sisci_shm.changed);
}

const struct timespec *sisci_deadline(unsigned timeout_ms, struct timespec *until)
{
    if (timeout_ms == SCI_INFINITE_TIMEOUT)
        return NULL;
    clock_gettime(CLOCK_MONOTONIC, until);
    until->tv_sec += timeout_ms / 1000;
    until->tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    if (until->tv_nsec >= 1000000000) {
        until->tv_sec++;
        until->tv_nsec -= 1000000000;
    }
    return until;
}

bool sisci_wait(const struct timespec *until)
{
    if (until == NULL)
        return pthread_cond_wait(&sisci_shm.changed, &sisci_shm.lock) == 0;
    return pthread_cond_timedwait(&sisci_shm.changed, &sisci_shm.lock, until) != ETIMEDOUT;
}

/* What a new thread is to run, and whether it has come so far. */
typedef struct {
    void *(*run)(void *);
    sem_t begun;
} thread_start;

static void *begin_thread(void *argument)
{
    thread_start *start = argument;
    void *(*run)(void *) = start->run;

    sem_post(&start->begun);
    return run(NULL);
}

static void await_begun(sem_t *begun)
{
    int outcome;

    do
        outcome = sem_wait(begun);
    while (outcome != 0 && errno == EINTR);
}

bool sisci_thread_create(pthread_t *thread, void *(*run)(void *))
{
    thread_start start = {.run = run};
    sigset_t all, before;
    bool started;

    sem_init(&start.begun, 0, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    started = pthread_create(thread, NULL, begin_thread, &start) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        await_begun(&start.begun);
    sem_destroy(&start.begun);
    return started;
}

void sisci_resource_add(sisci_resource *resource, const sisci_class *class, sci_desc_t descriptor)
{
    resource->class = class;
    resource->descriptor = descriptor;
    resource->older = descriptor->newest;
    if (descriptor->newest != NULL)
        descriptor->newest->newer = resource;
    descriptor->newest = resource;
}

void sisci_resource_take_out(sisci_resource *resource)
{
    if (resource->newer != NULL)
        resource->newer->older = resource->older;
    else
        resource->descriptor->newest = resource->older;
    if (resource->older != NULL)
        resource->older->newer = resource->newer;
}

bool sisci_is_own_thread(void)
{
    return sisci_shm.thread_runs && pthread_equal(pthread_self(), sisci_shm.thread);
}

bool sisci_is_callback_of(const sisci_resource *resource)
{
    return resource->in_callback && sisci_is_own_thread();
}

static void cancel_waits(sisci_resource *resource)
{
    resource->cancelled = true;
    if (resource->class->cancel != NULL)
        resource->class->cancel(resource);
    sisci_notify();
}

void sisci_resource_retire(sisci_resource *resource)
{
    cancel_waits(resource);
    while (resource->waiters > 0 || resource->in_callback)
        sisci_wait(NULL);
}

void sisci_resource_destroy(sisci_resource *resource)
{
    if (resource->class->withdraw != NULL)
        resource->class->withdraw(resource);
    sisci_resource_take_out(resource);
    resource->class->release(resource);
}

void sisci_callback_begin(sisci_resource *resource)
{
    resource->in_callback = true;
    sisci_unlock();
}

void sisci_callback_end(sisci_resource *resource)
{
    sisci_lock();
    resource->in_callback = false;
    sisci_notify();
}

sci_error_t sisci_check_adapter(unsigned adapter)
{
    if (adapter >= SISCI_ADAPTER_LIMIT)
        return SCI_ERR_ILLEGAL_ADAPTERNO;
    return adapter >= SISCI_ADAPTERS ? SCI_ERR_NO_SUCH_ADAPTERNO : SCI_ERR_OK;
}

sci_error_t sisci_check_node(unsigned *node)
{
    if (*node == SCI_LOCAL_HOST)
        *node = sisci_shm.node;
    return sisci_is_node(*node) ? SCI_ERR_OK : SCI_ERR_ILLEGAL_NODEID;
}

static sci_error_t appear(void)
{
    sisci_object_status status;
    int lock;

    sisci_shm.self = sisci_process_self();
    if (!sisci_registry_lock(&lock))
        return SCI_ERR_SYSTEM;
    sisci_objects_sweep();
    status = sisci_presence_create(sisci_shm.job, sisci_shm.node, &sisci_shm.self);
    sisci_registry_unlock(lock);
    if (status == SISCI_OBJECT_OK)
        return SCI_ERR_OK;
    return status == SISCI_OBJECT_NO_ROOM ? SCI_ERR_NOSPC : SCI_ERR_SYSTEM;
}

static void disappear(void)
{
    int lock;

    if (sisci_registry_lock(&lock)) {
        sisci_presence_withdraw();
        sisci_registry_unlock(lock);
    }
}

static void initialise_condition(void)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&sisci_shm.changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* Disappear for other processes, whatever is still open. */
static void withdraw_all(void)
{
    for (sci_desc_t sd = sisci_shm.descriptors; sd != NULL; sd = sd->next)
        for (sisci_resource *r = sd->newest; r != NULL; r = r->older)
            if (r->class->withdraw != NULL)
                r->class->withdraw(r);
    disappear();
}

/* Counted in attempts, so that a process that is stopped meanwhile has not waited. */
static bool lock_within(int attempts)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    while (pthread_mutex_trylock(&sisci_shm.lock) != 0) {
        if (attempts-- == 0)
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

/* What the process shows to others must not outlast it. Only that: other threads may still use
 * memory that a release would unmap. */
static void leave(void)
{
    if (!lock_within(1000))
        return; /* another thread stays within the library; the next process to start cleans up */
    if (sisci_shm.initialised > 0)
        withdraw_all();
    sisci_shm.initialised = 0;
    sisci_unlock();
}

/* In a child after fork(), which has the lock: the library was never started. */
static void forget_parent(void)
{
    inherited = sisci_shm.descriptors;
    sisci_unlock();
    sisci_shm = (sisci_library){.lock = PTHREAD_MUTEX_INITIALIZER};
    initialise_condition();
    sisci_peers_forget();
}

/* A fork() has the lock: no thread of the library is in the middle of anything then, be it a list
 * or an allocator, whose locks the child would find taken for ever. */
static void prepare_process(void)
{
    initialise_condition();
    pthread_atfork(sisci_lock, sisci_unlock, forget_parent);
    atexit(leave);
}

static sci_error_t start(void)
{
    sci_error_t error = sisci_read_environment();

    if (error == SCI_ERR_OK)
        error = appear();
    if (error != SCI_ERR_OK)
        return error;
    if (!sisci_thread_start()) {
        disappear();
        sisci_presence_close();
        return SCI_ERR_SYSTEM;
    }
    return SCI_ERR_OK;
}

/* The library's thread cannot wait for its own end. */
static void await_stop(void)
{
    while (sisci_shm.stopping && !sisci_is_own_thread())
        sisci_wait(NULL);
}

void SCIInitialize(unsigned int flags, sci_error_t *error)
{
    *error = sisci_check_flags(flags, 0, 0);
    if (*error != SCI_ERR_OK)
        return;
    pthread_once(&prepared, prepare_process);
    sisci_lock();
    await_stop();
    if (sisci_shm.stopping)
        *error = SCI_ERR_NOT_INITIALIZED;
    else if (sisci_shm.initialised == 0)
        *error = start();
    if (*error == SCI_ERR_OK)
        sisci_shm.initialised++;
    sisci_unlock();
}
SISCI_EXPORT(SCIInitialize);

/* The newest first, since what is made later stands on what was there. */
static void release_all(void)
{
    while (sisci_shm.descriptors != NULL) {
        sci_desc_t sd = sisci_shm.descriptors;

        while (sd->newest != NULL) {
            sisci_resource *resource = sd->newest;

            sisci_resource_take_out(resource);
            resource->class->release(resource);
        }
        sisci_shm.descriptors = sd->next;
        free(sd);
    }
}

static bool somebody_waits(void)
{
    for (sci_desc_t sd = sisci_shm.descriptors; sd != NULL; sd = sd->next)
        for (sisci_resource *r = sd->newest; r != NULL; r = r->older)
            if (r->waiters > 0)
                return true;
    return false;
}

static void end_all_waits(void)
{
    for (sci_desc_t sd = sisci_shm.descriptors; sd != NULL; sd = sd->next)
        for (sisci_resource *r = sd->newest; r != NULL; r = r->older)
            cancel_waits(r);
    while (somebody_waits())
        sisci_wait(NULL);
}

/* All threads have left before anything goes that they might use. The library is unlocked
 * meanwhile, so that others have to be told that it stops. */
static void stop(void)
{
    sisci_shm.stopping = true;
    sisci_thread_stop();
    withdraw_all();
    sisci_dma_stop();
    end_all_waits();
    release_all();
    sisci_presence_close();
    sisci_shm.initialised = 0;
    sisci_shm.stopping = false;
    sisci_notify();
}

void SCITerminate(void)
{
    sisci_lock();
    await_stop();
    if (sisci_shm.initialised > 1)
        sisci_shm.initialised--;
    else if (sisci_shm.initialised == 1 && !sisci_is_own_thread())
        stop();
    sisci_unlock();
}
SISCI_EXPORT(SCITerminate);

void SCIOpen(sci_desc_t *sd, unsigned int flags, sci_error_t *error)
{
    sci_desc_t descriptor;

    *error = sisci_check_flags(flags, FLAG_THREAD_SAFE, 0);
    if (*error == SCI_ERR_OK && sd == NULL)
        *error = SCI_ERR_ILLEGAL_PARAMETER;
    if (*error != SCI_ERR_OK)
        return;
    descriptor = calloc(1, sizeof(*descriptor));
    if (descriptor == NULL) {
        *error = SCI_ERR_API_NOSPC;
        return;
    }
    sisci_lock();
    if (sisci_shm.initialised == 0)
        *error = SCI_ERR_NOT_INITIALIZED;
    else {
        descriptor->next = sisci_shm.descriptors;
        sisci_shm.descriptors = descriptor;
    }
    sisci_unlock();
    if (*error == SCI_ERR_OK)
        *sd = descriptor;
    else
        free(descriptor);
}
SISCI_EXPORT(SCIOpen);

static void close_descriptor(sci_desc_t sd)
{
    sci_desc_t *link = &sisci_shm.descriptors;

    while (*link != sd)
        link = &(*link)->next;
    *link = sd->next;
    free(sd);
}

void SCIClose(sci_desc_t sd, unsigned int flags, sci_error_t *error)
{
    *error = sd == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    if (sd->newest != NULL)
        *error = SCI_ERR_BUSY;
    else
        close_descriptor(sd);
    sisci_unlock();
}
SISCI_EXPORT(SCIClose);
