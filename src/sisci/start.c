/* Start and end of the library: the environment, the presence of the process, the library's thread,
 * fork() and exit.
 *
 * The thread sleeps until the bell of this process rings, detects events of the resources, and
 * makes callbacks. While there are other processes to watch it also polls them from time to time,
 * since a killed process rings no bell. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sisci/internal.h"
#include "sisci/sisci_api.h"

static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static sci_desc_t volatile inherited; /* the parent's devices, after fork(): kept reachable for leak
                                         checkers */

/* The interface returns numbers only, so errors in the environment are printed to stderr. */
static void report_variable(const char *variable, const char *reason)
{
    fprintf(stderr, "sisci-shm: cannot start with this %s: %s\n", variable, reason);
}

/* The job, the node, and the faults of the lossy mode. */
static sci_error_t read_environment(void)
{
    const char *job = getenv("SISCI_SHM_JOB");
    const char *text = getenv("SISCI_SHM_NODE");
    char *end, reason[256];
    unsigned long node;

    if (job == NULL || job[0] == '\0')
        job = "default";
    if (!sisci_job_is_valid(job)) {
        report_variable("SISCI_SHM_JOB", "use 1 to 64 letters, digits, '_' and '-'");
        return SCI_ERR_ILLEGAL_PARAMETER;
    }
    snprintf(sisci_shm.job, sizeof(sisci_shm.job), "%s", job);

    if (text == NULL || text[0] == '\0')
        text = "4";
    errno = 0;
    node = strtoul(text, &end, 10);
    if (*end != '\0' || errno != 0 || !sisci_is_node(node)) {
        report_variable("SISCI_SHM_NODE",
                        "use a multiple of 4 from 4 to 65532, and not 252, which means "
                        "all nodes");
        return SCI_ERR_ILLEGAL_NODEID;
    }
    sisci_shm.node = (unsigned)node;

    if (!sisci_faults_parse(getenv("SISCI_SHM_FAULTS"), &sisci_shm.faults, reason,
                            sizeof(reason))) {
        report_variable("SISCI_SHM_FAULTS", reason);
        return SCI_ERR_ILLEGAL_PARAMETER;
    }
    return SCI_ERR_OK;
}

/* Make one due callback; false: none. The lists may have changed afterwards, so each search starts
 * from the beginning. */
static bool deliver_one(void)
{
    for (sci_desc_t sd = sisci_shm.descriptors; sd != NULL; sd = sd->next)
        for (sisci_resource *r = sd->newest; r != NULL; r = r->older)
            if (r->class->poll != NULL && !r->cancelled && r->class->poll(r)) {
                r->class->deliver(r);
                return true;
            }
    return false;
}

static void *run_callbacks(void *unused)
{
    (void)unused;
    sisci_lock();
    while (!sisci_shm.stopping) {
        struct timespec until;
        const struct timespec *watch = NULL;

        if (deliver_one())
            continue;
        if (sisci_peers_exist())
            watch = sisci_deadline(SISCI_WATCH_MS, &until);
        sisci_unlock();
        sisci_presence_wait(watch);
        sisci_lock();
    }
    sisci_unlock();
    return NULL;
}

static void disappear(void)
{
    int lock;

    if (sisci_registry_lock(&lock)) {
        sisci_presence_withdraw();
        sisci_registry_unlock(lock);
    }
}

/* Remove the process for others, whatever is still open. */
static void withdraw_all(void)
{
    for (sci_desc_t sd = sisci_shm.descriptors; sd != NULL; sd = sd->next)
        for (sisci_resource *r = sd->newest; r != NULL; r = r->older)
            if (r->class->withdraw != NULL)
                r->class->withdraw(r);
    disappear();
}

/* At exit. Shared objects must not outlast the process, but other threads may still use memory that
 * a release would unmap, so nothing else is undone. If another thread stays inside the library, the
 * next process to start cleans up. The wait is counted in attempts, so that time during which the
 * process is stopped does not count. */
static void leave_at_exit(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    for (int attempts = 0; pthread_mutex_trylock(&sisci_shm.lock) != 0; attempts++) {
        if (attempts == 1000)
            return;
        nanosleep(&pause, NULL);
    }
    if (sisci_shm.initialised > 0)
        withdraw_all();
    sisci_shm.initialised = 0;
    sisci_unlock();
}

static void initialise_condition(void)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&sisci_shm.changed, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* In a child after fork(), which holds the lock: reset the library to "never started". */
static void forget_parent(void)
{
    inherited = sisci_shm.descriptors;
    sisci_unlock();
    sisci_shm = (sisci_library){.lock = PTHREAD_MUTEX_INITIALIZER};
    initialise_condition();
    sisci_peers_forget();
    sisci_dma_forget();
}

/* fork() takes the lock: no thread of the library is then in the middle of changing a list or in an
 * allocator, whose locks would never be released in the child. */
static void prepare_process(void)
{
    initialise_condition();
    pthread_atfork(sisci_lock, sisci_unlock, forget_parent);
    atexit(leave_at_exit);
}

/* Without /dev/shm there is no shared memory; with it, something is in the way that can be removed.
 */
static sci_error_t refuse_lock(int error)
{
    char reason[256];

    sisci_registry_explain(error, reason, sizeof(reason));
    fprintf(stderr, "sisci-shm: %s\n", reason);
    return error == ENOENT ? SCI_ERR_SYSTEM : SCI_ERR_ACCESS;
}

/* Publish the presence of this process and start the library's thread. */
static sci_error_t start_library(void)
{
    sci_error_t error = read_environment();
    sisci_object_status status;
    int lock;

    if (error != SCI_ERR_OK)
        return error;
    sisci_shm.beginning = sisci_name_job(sisci_shm.job);
    sisci_shm.self = sisci_process_self();
    if (!sisci_registry_lock(&lock))
        return refuse_lock(errno);
    sisci_objects_sweep();
    status = sisci_presence_create(sisci_shm.job, sisci_shm.node, &sisci_shm.self);
    sisci_registry_unlock(lock);
    if (status != SISCI_OBJECT_OK)
        return status == SISCI_OBJECT_NO_ROOM  ? SCI_ERR_NOSPC
               : status == SISCI_OBJECT_ENDING ? SCI_ERR_CANCELLED
                                               : SCI_ERR_SYSTEM;
    sisci_shm.thread_runs = sisci_thread_create(&sisci_shm.thread, run_callbacks);
    if (!sisci_shm.thread_runs) {
        disappear();
        sisci_presence_close();
        return SCI_ERR_SYSTEM;
    }
    return SCI_ERR_OK;
}

/* In a handler of signals no lock can be taken; what this reads changes at the first start alone.
 */
void sisci_shm_abandon(void)
{
    const bool started = sisci_shm.self.pid == getpid();

    sisci_objects_abandon(&sisci_shm.beginning, started ? &sisci_shm.self : NULL);
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
        *error = start_library();
    if (*error == SCI_ERR_OK)
        sisci_shm.initialised++;
    sisci_unlock();
}
SISCI_EXPORT(SCIInitialize);

/* Wait until all threads have left before releasing anything that they might use. The library is
 * unlocked meanwhile; `stopping` keeps other threads out. */
static void stop_library(void)
{
    sisci_shm.stopping = true;
    sisci_presence_ring();
    sisci_unlock();
    pthread_join(sisci_shm.thread, NULL);
    sisci_lock();
    sisci_shm.thread_runs = false; /* another thread may get its id */
    withdraw_all();
    sisci_dma_stop();

    for (sci_desc_t sd = sisci_shm.descriptors; sd != NULL; sd = sd->next)
        for (sisci_resource *r = sd->newest; r != NULL; r = r->older)
            sisci_resource_cancel(r);
    for (sci_desc_t sd = sisci_shm.descriptors; sd != NULL; sd = sd->next)
        for (sisci_resource *r = sd->newest; r != NULL; r = r->older)
            while (r->waiters > 0) /* a cancelled resource gets no new waiters */
                sisci_wait(NULL);

    /* Newest first, since later resources use earlier ones. */
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
        stop_library();
    sisci_unlock();
}
SISCI_EXPORT(SCITerminate);
