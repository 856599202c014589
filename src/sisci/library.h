/* The state of the library in this process: the interface is global by definition. Everything that
 * is made through a device is a resource in the device's list. One lock is for all of it; what
 * waits in this process waits for one condition, and what happened is found by the library's
 * thread. */
#ifndef SISCI_LIBRARY_H
#define SISCI_LIBRARY_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "sisci/faults.h"
#include "sisci/names.h"
#include "sisci/process.h"
#include "sisci/sisci_types.h"

typedef struct sisci_resource sisci_resource;

/* What the library does with resources of a kind; every function is called with the library locked,
 * and an empty slot means that there is nothing to do. */
typedef struct {
    /* Find out what has happened; true: there is something to call back for. By the thread. */
    bool (*poll)(sisci_resource *resource);
    /* Call back for one of it. By the thread; unlocks while it calls. */
    void (*deliver)(sisci_resource *resource);
    /* Let those wait no longer who wait otherwise than by sisci_wait(). */
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
    bool cancelled; /* it is being removed: those who wait give up */
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
    pthread_t thread; /* that looks after events */
    bool engine_runs, engine_stopping;
    pthread_t engine;                 /* that does DMA transfers */
    struct sisci_transfer *transfers; /* posted, the oldest first */
    char job[SISCI_JOB_BYTES];
    unsigned node;
    sisci_faults faults;
    sisci_process self;
    unsigned serial; /* of the last object or stream that needed a number of its own */
    sci_desc_t descriptors;
} sisci_library;

extern sisci_library sisci_shm;

void sisci_lock(void);
void sisci_unlock(void);

/* Wake all that wait in this process. The library is locked. */
void sisci_notify(void);

/* When a timeout that starts now is over; NULL for SCI_INFINITE_TIMEOUT, else `until`, filled. */
const struct timespec *sisci_deadline(unsigned timeout_ms, struct timespec *until);

/* Wait for sisci_notify(); false: the time (NULL: never) is over. The library is locked. */
bool sisci_wait(const struct timespec *until);

/* Add a resource to a device, or take it out. The library is locked. */
void sisci_resource_add(sisci_resource *resource, const sisci_class *class, sci_desc_t descriptor);
void sisci_resource_take_out(sisci_resource *resource);

/* Whether this is the library's thread, thus a callback: nothing happens while it waits. */
bool sisci_is_own_thread(void);

/* Whether this is a callback of the resource, which cannot wait for its own end. */
bool sisci_is_callback_of(const sisci_resource *resource);

/* Make a resource ready to be removed: those who wait for it have left, and no callback of it runs.
 * Not in a callback of its own. The library is locked, and unlocked meanwhile. */
void sisci_resource_retire(sisci_resource *resource);

/* Withdraw it, take it out and release it. The library is locked. */
void sisci_resource_destroy(sisci_resource *resource);

/* Around a call of the user's function, by the thread. */
void sisci_callback_begin(sisci_resource *resource);
void sisci_callback_end(sisci_resource *resource);

/* SCI_ERR_OK if `flags` are among `legal`; those among `known` exist on real adapters alone. Hot.
 */
static inline sci_error_t sisci_check_flags(unsigned flags, unsigned legal, unsigned known)
{
    if ((flags & ~(legal | known)) != 0)
        return SCI_ERR_ILLEGAL_FLAG;
    return (flags & known) != 0 ? SCI_ERR_FLAG_NOT_IMPLEMENTED : SCI_ERR_OK;
}

sci_error_t sisci_check_adapter(unsigned adapter);

/* environment.c: whether that is the id of a single node; and job, node and faults from the
 * environment into sisci_shm. SCI_ERR_ILLEGAL_PARAMETER, SCI_ERR_ILLEGAL_NODEID; stderr says why.
 */
bool sisci_is_node(unsigned long node);
sci_error_t sisci_read_environment(void);

/* SCI_ERR_OK for the id of a single node; *node becomes this node's for SCI_LOCAL_HOST. */
sci_error_t sisci_check_node(unsigned *node);

/* Start a thread that gets no signals: those are for the program's own. When this returns it runs,
 * and has done with what the C library does at its beginning: a fork() may meet it only where it
 * waits, or within the library's lock. */
bool sisci_thread_create(pthread_t *thread, void *(*run)(void *));

/* event.c: the library's thread; it is stopped when `stopping` is set, with the library unlocked
 * meanwhile. */
bool sisci_thread_start(void);
void sisci_thread_stop(void);

#endif
