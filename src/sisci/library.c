/* The library's lock and waits, threads, the lists of resources, and queues of events. */
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "sisci/internal.h"
#include "sisci/sisci_api.h"

sisci_library sisci_shm = {.lock = PTHREAD_MUTEX_INITIALIZER};

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

/* The function of a new thread, and whether it has started. */
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
    while (started && sem_wait(&start.begun) != 0 && errno == EINTR)
        continue;
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

void sisci_resource_cancel(sisci_resource *resource)
{
    resource->cancelled = true;
    if (resource->class->cancel != NULL)
        resource->class->cancel(resource);
    sisci_notify();
}

void sisci_resource_retire(sisci_resource *resource)
{
    sisci_resource_cancel(resource);
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

sci_error_t sisci_check_node(unsigned *node)
{
    if (*node == SCI_LOCAL_HOST)
        *node = sisci_shm.node;
    return sisci_is_node(*node) ? SCI_ERR_OK : SCI_ERR_ILLEGAL_NODEID;
}

/* Few events are pending at a time, so a full queue is moved to the front or grows. */
void sisci_events_put(sisci_event_queue *queue, sci_segment_cb_reason_t reason, unsigned node)
{
    if (queue->first + queue->count == queue->room && queue->first > 0) {
        memmove(queue->events, queue->events + queue->first, queue->count * sizeof(*queue->events));
        queue->first = 0;
    } else if (queue->count == queue->room) {
        size_t room = queue->room > 0 ? 2 * queue->room : 8;
        sisci_event *events = realloc(queue->events, room * sizeof(*events));

        if (events == NULL)
            return;
        queue->events = events;
        queue->room = room;
    }
    queue->events[queue->first + queue->count++] = (sisci_event){.reason = reason, .node = node};
}

bool sisci_events_take(sisci_event_queue *queue, sisci_event *event)
{
    if (queue->count == 0)
        return false;
    *event = queue->events[queue->first];
    queue->count--;
    queue->first = queue->count > 0 ? queue->first + 1 : 0;
    return true;
}

sci_error_t sisci_events_await(sisci_resource *resource, sisci_event_queue *queue,
                               unsigned timeout_ms, sisci_event *event)
{
    struct timespec buffer;
    const struct timespec *until = sisci_deadline(timeout_ms, &buffer);
    sci_error_t error = SCI_ERR_OK;

    if (sisci_is_own_thread())
        return SCI_ERR_ILLEGAL_OPERATION;
    resource->class->poll(resource); /* detects events without the thread's help */
    resource->waiters++;
    while (error == SCI_ERR_OK && (resource->cancelled || !sisci_events_take(queue, event)))
        if (resource->cancelled)
            error = SCI_ERR_CANCELLED;
        else if (!sisci_wait(until))
            error = SCI_ERR_TIMEOUT;
    resource->waiters--;
    sisci_notify();
    return error;
}

void sisci_events_free(sisci_event_queue *queue)
{
    free(queue->events);
    *queue = (sisci_event_queue){0};
}
