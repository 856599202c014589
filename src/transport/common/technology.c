/* Shared by technologies: factories, parameter values, pauses, queues. */
#include "transport/common/technology.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

cb_status transport_factory_make(
    const transport_bootstrap *bootstrap, size_t bytes, const char *purpose,
    cb_status (*set_up)(transport_factory *factory, const transport_bootstrap *bootstrap),
    void (*destroy)(transport_factory *factory), transport_factory **out)
{
    transport_factory *factory = cb_allocate(1, bytes, purpose);
    cb_status status;

    if (factory == NULL)
        return CB_ERROR_MEMORY;
    factory->rank = bootstrap->rank;
    factory->size = bootstrap->size;
    status = set_up(factory, bootstrap);
    if (status != CB_OK)
        destroy(factory);
    else
        *out = factory;
    return status;
}

void transport_take_values(const transport_bootstrap *bootstrap, const cb_parameter_set *set,
                           void *values)
{
    if (bootstrap->settings != NULL)
        memcpy(values, cb_settings_values(bootstrap->settings, (size_t)bootstrap->rank),
               set->bytes);
    else
        cb_parameter_defaults(set, values);
}

cb_status transport_check_rank(const transport_factory *factory, int rank, bool taken)
{
    const bool exists = rank >= 0 && rank < factory->size;

    if (exists && !taken)
        return CB_OK;
    cb_error("cannot make a node for rank %d: %s", rank,
             exists ? "it already has one" : "there is no such rank");
    return CB_ERROR_TRANSPORT;
}

void transport_pause(transport_wait wait, uint64_t polls)
{
    enum { FREE_POLLS = 64, DOUBLINGS = 10 };

    if (wait == TRANSPORT_WAIT_YIELD)
        sched_yield();
    if (wait == TRANSPORT_WAIT_BLOCK && polls >= FREE_POLLS) {
        const uint64_t doubled = polls - FREE_POLLS + 1;

        cb_sleep_ns(UINT64_C(1000) << (doubled < DOUBLINGS ? doubled : DOUBLINGS));
    }
}

const char *transport_locked_limit(char text[TRANSPORT_LIMIT_BYTES])
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        snprintf(text, TRANSPORT_LIMIT_BYTES, "%llu bytes", (unsigned long long)limit.rlim_cur);
    else
        snprintf(text, TRANSPORT_LIMIT_BYTES, "unlimited");
    return text;
}

const char *transport_variables(const char *prefix, char text[TRANSPORT_VARIABLES_BYTES])
{
    const size_t room = TRANSPORT_VARIABLES_BYTES - sizeof(" are set)");
    size_t used = 0, count = 0;

    text[0] = '\0';
    for (char **one = environ; *one != NULL; one++) {
        const size_t length = strlen(*one) + sizeof(" (");

        if (strncmp(*one, prefix, strlen(prefix)) != 0 ||
            strncmp(*one + strlen(prefix), "LOG", 3) == 0 || used + length > room)
            continue;
        used += (size_t)sprintf(text + used, "%s%s", count == 0 ? " (" : ", ", *one);
        count++;
    }
    if (count > 0)
        strcpy(text + used, count == 1 ? " is set)" : " are set)");
    return text;
}

bool transport_shm_is_short(size_t bytes, char text[TRANSPORT_SHORTAGE_BYTES])
{
    struct statvfs shared;
    size_t free_bytes, all_bytes;

    if (statvfs("/dev/shm", &shared) != 0 || shared.f_blocks == 0)
        return false;
    free_bytes = (size_t)shared.f_bavail * shared.f_frsize;
    all_bytes = (size_t)shared.f_blocks * shared.f_frsize;
    snprintf(text, TRANSPORT_SHORTAGE_BYTES,
             "/dev/shm is too small or full: %zu of %zu bytes are free, and the processes of this "
             "host need about %zu; remove old files there, or enlarge it (mount -o "
             "remount,size=...; of a container, its option --shm-size)",
             free_bytes, all_bytes, bytes);
    return free_bytes < bytes;
}

transport_buffer *transport_queue_take(transport_queue *queue)
{
    transport_buffer *buffer = queue->first;

    queue->first = buffer->next;
    queue->sent_bytes = 0;
    __atomic_fetch_sub(queue->queued, 1, __ATOMIC_RELAXED);
    return buffer;
}

void transport_queue_append(transport_queue *queue, transport_buffer *buffer, size_t sent_bytes)
{
    buffer->next = NULL;
    if (queue->first != NULL) {
        queue->last->next = buffer;
    } else {
        queue->first = buffer;
        queue->sent_bytes = sent_bytes;
    }
    queue->last = buffer;
    __atomic_fetch_add(queue->queued, 1, __ATOMIC_RELAXED);
}

cb_status transport_queue_flush(transport_queue *queue, const transport_queue_user *user,
                                void *target)
{
    cb_status first = CB_OK;

    while (queue->first != NULL) {
        cb_status status = user->transfer(target, queue->first, &queue->sent_bytes);

        if (status == CB_EMPTY)
            return first;
        first = first == CB_OK ? status : first;
        user->give_back(target, transport_queue_take(queue));
    }
    return first;
}
