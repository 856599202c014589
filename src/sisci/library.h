/* The state of the library in this process, which is global as the interface is, and what all its
 * resources have in common. Everything that is made through a device is a resource in the device's
 * list. One lock protects all of it; threads of this process wait on one condition, and the
 * library's own thread finds out what has happened. */
#ifndef SISCI_LIBRARY_H
#define SISCI_LIBRARY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "sisci/faults.h"
#include "sisci/registry.h"
#include "sisci/sisci_types.h"

typedef struct sisci_resource sisci_resource;

/* The operations of a kind of resources; each is called with the library locked, and an empty slot
 * means that there is nothing to do. */
typedef struct {
    /* Find out what has happened; true: a callback is due. In the library's thread. */
    bool (*poll)(sisci_resource *resource);
    /* Make one callback that is due. In the library's thread; unlocks during the call. */
    void (*deliver)(sisci_resource *resource);
    /* End the waits for it that do not use sisci_wait(). */
    void (*cancel)(sisci_resource *resource);
    /* Disappear for other processes: always possible, even while in use here. */
    void (*withdraw)(sisci_resource *resource);
    /* Unmap and free; it was withdrawn. */
    void (*release)(sisci_resource *resource);
} sisci_class;

struct sisci_resource {
    const sisci_class *class;
    sci_desc_t descriptor;
    sisci_resource *older, *newer;
    unsigned waiters;
    bool in_callback;
    bool cancelled; /* it is being removed: waits for it end */
};

struct sci_desc {
    sci_desc_t next;
    sisci_resource *newest;
};

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* CLOCK_MONOTONIC */
    unsigned initialised;   /* calls of SCIInitialize() */
    bool stopping;          /* SCITerminate() is under way */
    bool thread_runs;
    pthread_t thread; /* that makes the callbacks */
    char job[SISCI_JOB_BYTES];
    unsigned node;
    sisci_faults faults;
    sisci_process self;
    unsigned serial; /* of the last object or stream of faults that needed a number */
    sci_desc_t descriptors;
} sisci_library;

extern sisci_library sisci_shm;

void sisci_lock(void);
void sisci_unlock(void);

/* Wake all threads that wait in this process. The library is locked. */
void sisci_notify(void);

/* When a timeout that starts now is over: NULL for SCI_INFINITE_TIMEOUT, else `until`, set. */
const struct timespec *sisci_deadline(unsigned timeout_ms, struct timespec *until);

/* Wait for sisci_notify(); false: the time (NULL: never) is over. The library is locked. */
bool sisci_wait(const struct timespec *until);

/* Add a resource to a device, or take it out. The library is locked. */
void sisci_resource_add(sisci_resource *resource, const sisci_class *class, sci_desc_t descriptor);
void sisci_resource_take_out(sisci_resource *resource);

/* Whether this is the library's thread, so that this is a callback: it must not wait for events,
 * which it would have to find itself. */
bool sisci_is_own_thread(void);

/* Whether this is a callback of the resource, which cannot wait for its own end. */
bool sisci_is_callback_of(const sisci_resource *resource);

/* Cancel a resource: waits for it end with SCI_ERR_CANCELLED. The library is locked. */
void sisci_resource_cancel(sisci_resource *resource);

/* Cancel it, and return when no thread waits for it and no callback of it runs. Not in a callback
 * of its own. The library is locked, and unlocked meanwhile. */
void sisci_resource_retire(sisci_resource *resource);

/* Withdraw it, take it out and release it. The library is locked. */
void sisci_resource_destroy(sisci_resource *resource);

/* Before and after a call of the user's function, in the library's thread. */
void sisci_callback_begin(sisci_resource *resource);
void sisci_callback_end(sisci_resource *resource);

/* SCI_ERR_OK for the id of a single node; *node becomes this node's for SCI_LOCAL_HOST. */
sci_error_t sisci_check_node(unsigned *node);

/* Start a thread that gets no signals: those are for the program's own. When this returns it runs,
 * and the C library has finished its start: a fork() may meet it only where it waits, or within the
 * library's lock. */
bool sisci_thread_create(pthread_t *thread, void *(*run)(void *));

/* Events of a segment, until a callback or a wait takes them. */
typedef struct {
    sci_segment_cb_reason_t reason;
    unsigned node; /* where it comes from */
} sisci_event;

typedef struct {
    sisci_event *events;
    size_t first, count, room;
} sisci_event_queue;

/* Append; an event for which there is no memory is lost. */
void sisci_events_put(sisci_event_queue *queue, sci_segment_cb_reason_t reason, unsigned node);

/* Take the oldest; false: there is none. */
bool sisci_events_take(sisci_event_queue *queue, sisci_event *event);

/* Wait for the next event of a resource and take it. SCI_ERR_TIMEOUT; SCI_ERR_CANCELLED: the
 * resource is being removed; SCI_ERR_ILLEGAL_OPERATION: in a callback, since events are found by
 * the thread that makes it. The library is locked, and unlocked meanwhile. */
sci_error_t sisci_events_await(sisci_resource *resource, sisci_event_queue *queue,
                               unsigned timeout_ms, sisci_event *event);

void sisci_events_free(sisci_event_queue *queue);

#endif
