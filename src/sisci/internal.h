/* Internals shared by the files that implement the interface: flags and limits, the state of the
 * library in this process, and its resources: segments, maps, interrupts.
 *
 * The state is global, as in the interface. Everything created through a device is a resource in
 * the device's list. One lock protects all of it; waiting threads of this process share one
 * condition variable, and the library's own thread detects events. */
#ifndef SISCI_INTERNAL_H
#define SISCI_INTERNAL_H

#ifndef _REENTRANT
#error "the library is compiled with -D_REENTRANT: its own functions have the MT names"
#endif

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "sisci/connections.h"
#include "sisci/peer.h"
#include "sisci/registry.h"
#include "sisci/sisci_error.h"
#include "sisci/sisci_types.h"
#include "sisci/wire.h"

/* Export a function of the interface: it is compiled under its MT name, and the ST name is an
 * alias. All other functions of the library are hidden. */
#define SISCI_EXPORT(name)                                                                         \
    extern __typeof__(sisci_shm_mt_##name) sisci_shm_st_##name                                     \
        __attribute__((alias("sisci_shm_mt_" #name), visibility("default")))

/* The values of flags and queries, for places where the public constants, which are variables,
 * cannot be used. Each flag has its own bit, so that a flag of another function is detected. */
#define SISCI_FLAGS(X)                                                                             \
    X(USE_CALLBACK, 0)                                                                             \
    X(EMPTY, 1)                                                                                    \
    X(PRIVATE, 2)                                                                                  \
    X(AUTO_ID, 3)                                                                                  \
    X(BROADCAST, 4)                                                                                \
    X(DMA_SOURCE_ONLY, 5)                                                                          \
    X(FIXED_MAP_ADDR, 6)                                                                           \
    X(READONLY_MAP, 7)                                                                             \
    X(ASYNCHRONOUS_CONNECT, 8)                                                                     \
    X(FORCE_DISCONNECT, 9)                                                                         \
    X(NOTIFY, 10)                                                                                  \
    X(THREAD_SAFE, 11)                                                                             \
    X(FIXED_INTNO, 12)                                                                             \
    X(SHARED_INT, 13)                                                                              \
    X(COUNTING_INT, 14)                                                                            \
    X(DMA_READ, 15)                                                                                \
    X(DMA_WAIT, 16)                                                                                \
    X(DMA_GLOBAL, 17)                                                                              \
    X(DMA_SYSDMA, 18)                                                                              \
    X(DMA_ADAPTER, 19)                                                                             \
    X(NO_FLUSH, 20)                                                                                \
    X(NO_STORE_BARRIER, 21)                                                                        \
    X(FAST_BARRIER, 22)                                                                            \
    X(ERROR_CHECK, 23)                                                                             \
    X(BLOCK_READ, 24)                                                                              \
    X(FLUSH_CPU_BUFFERS_ONLY, 25)

#define SISCI_FLAG_VALUE(name, bit) FLAG_##name = 1u << (bit),
enum { SISCI_FLAGS(SISCI_FLAG_VALUE) };
#undef SISCI_FLAG_VALUE

enum {
    SISCI_BROADCAST_NODE = 252,
    SISCI_NODE_MULTIPLE = 4,
    SISCI_NODE_MAXIMUM = 65532,
    SISCI_ADAPTERS = 1,
    SISCI_ADAPTER_LIMIT = 32, /* larger numbers are illegal; smaller ones may only be absent */
    SISCI_DMA_ALIGNMENT = 4,
    SISCI_MAP_ALIGNMENT = 4096
};

typedef enum {
    QUERY_VENDOR = 1,
    QUERY_API,
    QUERY_ADAPTER,
    QUERY_ADAPTER_NODE,
    QUERY_ADAPTER_NUMBER,
    QUERY_ADAPTER_CONFIGURED,
    QUERY_ADAPTER_OPERATIONAL,
    QUERY_ADAPTER_DMA_MTU,
    QUERY_ADAPTER_DMA_SIZE_ALIGNMENT,
    QUERY_ADAPTER_DMA_OFFSET_ALIGNMENT
} sisci_query_code;

/* SCI_ERR_OK if `flags` are among `legal`; flags of `known` exist only on real adapters. Hot. */
static inline sci_error_t sisci_check_flags(unsigned flags, unsigned legal, unsigned known)
{
    if ((flags & ~(legal | known)) != 0)
        return SCI_ERR_ILLEGAL_FLAG;
    return (flags & known) != 0 ? SCI_ERR_FLAG_NOT_IMPLEMENTED : SCI_ERR_OK;
}

static inline sci_error_t sisci_check_adapter(unsigned adapter)
{
    if (adapter >= SISCI_ADAPTER_LIMIT)
        return SCI_ERR_ILLEGAL_ADAPTERNO;
    return adapter >= SISCI_ADAPTERS ? SCI_ERR_NO_SUCH_ADAPTERNO : SCI_ERR_OK;
}

/* Whether the range lies within `whole` bytes. */
static inline bool sisci_is_within(size_t offset, size_t size, size_t whole)
{
    return offset <= whole && size <= whole - offset;
}

/* Whether it is the id of a single node. */
static inline bool sisci_is_node(unsigned long node)
{
    return node > 0 && node <= SISCI_NODE_MAXIMUM && node % SISCI_NODE_MULTIPLE == 0 &&
           node != SISCI_BROADCAST_NODE;
}

typedef struct sisci_resource sisci_resource;

/* The operations of a class of resources, called with the library locked. An empty slot means
 * nothing to do. */
typedef struct {
    /* Detect events; true: a callback is due. In the library's thread. */
    bool (*poll)(sisci_resource *resource);
    /* Make one callback that is due. In the library's thread; unlocks during the call. */
    void (*deliver)(sisci_resource *resource);
    /* Wake up waits that do not use sisci_wait(). */
    void (*cancel)(sisci_resource *resource);
    /* Remove the resource for other processes. Always possible, even while in use here. */
    void (*withdraw)(sisci_resource *resource);
    /* Unmap and free; called after withdraw. */
    void (*release)(sisci_resource *resource);
} sisci_class;

struct sisci_resource {
    const sisci_class *class;
    sci_desc_t descriptor;
    sisci_resource *older, *newer;
    unsigned waiters;
    bool in_callback;
    bool cancelled; /* it is being removed; waits for it end */
};

struct sci_desc {
    sci_desc_t next;
    sisci_resource *newest;
};

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* CLOCK_MONOTONIC */
    unsigned initialised;   /* number of SCIInitialize() calls */
    bool stopping;          /* SCITerminate() is in progress */
    bool thread_runs;
    pthread_t thread; /* the thread that makes callbacks */
    char job[SISCI_JOB_BYTES];
    sisci_name beginning; /* of the names of the job's objects */
    unsigned node;
    sisci_faults faults;
    sisci_process self;
    unsigned serial; /* of the last object or stream of faults with a serial number */
    sci_desc_t descriptors;
} sisci_library;

extern sisci_library sisci_shm;

void sisci_lock(void);
void sisci_unlock(void);

/* Wake all threads that wait in this process. The library is locked. */
void sisci_notify(void);

/* The end of a timeout that starts now: NULL for SCI_INFINITE_TIMEOUT, else `until`, which is set.
 */
const struct timespec *sisci_deadline(unsigned timeout_ms, struct timespec *until);

/* Wait for sisci_notify(); false: `until` has passed (NULL: never). The library is locked. */
bool sisci_wait(const struct timespec *until);

/* Add a resource to a device, or remove it. The library is locked. */
void sisci_resource_add(sisci_resource *resource, const sisci_class *class, sci_desc_t descriptor);
void sisci_resource_take_out(sisci_resource *resource);

/* Whether this is the library's thread, and so a callback: it must not wait for events, which only
 * it can detect. */
bool sisci_is_own_thread(void);

/* Whether this is a callback of the resource; it cannot wait for its own end. */
bool sisci_is_callback_of(const sisci_resource *resource);

/* Cancel a resource: waits for it end with SCI_ERR_CANCELLED. The library is locked. */
void sisci_resource_cancel(sisci_resource *resource);

/* Cancel the resource; return when no thread waits for it and no callback of it runs. Not to be
 * called in its own callback. The library is locked, but unlocked while waiting. */
void sisci_resource_retire(sisci_resource *resource);

/* Withdraw, remove and release the resource. The library is locked. */
void sisci_resource_destroy(sisci_resource *resource);

/* Called before and after the user's function, in the library's thread. */
void sisci_callback_begin(sisci_resource *resource);
void sisci_callback_end(sisci_resource *resource);

/* SCI_ERR_OK for the id of a single node; *node becomes this node's for SCI_LOCAL_HOST. */
sci_error_t sisci_check_node(unsigned *node);

/* Start a thread with all signals blocked: signals are for the program's threads. On return it
 * runs, and the C library has finished its start, so that a fork() can only meet it while it waits
 * or under the library's lock. */
bool sisci_thread_create(pthread_t *thread, void *(*run)(void *));

/* Events of a segment, until a callback or wait takes them. */
typedef struct {
    sci_segment_cb_reason_t reason;
    unsigned node; /* where it came from */
} sisci_event;

typedef struct {
    sisci_event *events;
    size_t first, count, room;
} sisci_event_queue;

/* Append an event; it is lost if out of memory. */
void sisci_events_put(sisci_event_queue *queue, sci_segment_cb_reason_t reason, unsigned node);

/* Take the oldest event; false: none. */
bool sisci_events_take(sisci_event_queue *queue, sisci_event *event);

/* Wait for the next event of a resource and take it. SCI_ERR_TIMEOUT; SCI_ERR_CANCELLED: the
 * resource is being removed; SCI_ERR_ILLEGAL_OPERATION: called in a callback, whose thread would
 * have to detect the event. The library is locked, but unlocked while waiting. */
sci_error_t sisci_events_await(sisci_resource *resource, sisci_event_queue *queue,
                               unsigned timeout_ms, sisci_event *event);

void sisci_events_free(sisci_event_queue *queue);

struct sci_local_segment {
    sisci_resource resource;
    sisci_object object; /* its control block, and its data unless they are in the group's object */
    sisci_object group;  /* open if the members of its multicast group share one memory */
    unsigned id;
    size_t size;
    bool is_private;
    bool broadcast;
    bool prepared;
    unsigned maps;
    unsigned transfers;              /* number of pending DMA transfers */
    void *dma_memory;                /* the whole segment, mapped for DMA; NULL: not yet needed */
    sci_cb_local_segment_t callback; /* NULL: none, or cancelled */
    void *callback_argument;
    bool has_callback; /* it was created with a callback */
    sisci_event_queue events;
    uint32_t changes_seen;
    sisci_peer **peers; /* by slot: the connected processes, whose end must be detected */
    size_t peer_room;
};

/* The object with the bytes of the segment. */
static inline const sisci_object *sisci_segment_data(sci_local_segment_t segment)
{
    return segment->group.head != NULL ? &segment->group : &segment->object;
}

/* One connection: to the segment, or to one member of its group. */
typedef struct {
    sisci_object object;
    sisci_ticket ticket;
    sisci_peer *peer;
    bool lost;
} sisci_connection;

struct sci_remote_segment {
    sisci_resource resource;
    sisci_connection *connections;
    size_t count;
    sisci_object group; /* open if the members of a group share one memory */
    unsigned node;
    unsigned id;
    size_t size;
    bool broadcast;
    sisci_session session;
    unsigned maps;
    unsigned transfers;               /* number of pending DMA transfers */
    sisci_wire *dma_wire;             /* over the whole segment; NULL: not yet needed */
    sci_cb_remote_segment_t callback; /* NULL: none, or cancelled */
    void *callback_argument;
    bool has_callback; /* it was connected with a callback */
    sisci_event_queue events;
};

/* The object with the data, or that of the first member. */
const sisci_object *sisci_remote_data(sci_remote_segment_t segment);

/* Whether a store must reach several memories: a group whose members do not share one. */
bool sisci_remote_is_split(sci_remote_segment_t segment);

/* Open a wire to `size` bytes from `offset`, a multiple of SISCI_LINE_BYTES; false: out of memory.
 * The library is locked. */
bool sisci_remote_open_wire(sci_remote_segment_t segment, size_t offset, size_t size,
                            sisci_wire *wire);

struct sci_map {
    sisci_resource resource;
    sci_local_segment_t local; /* one of these two is NULL */
    sci_remote_segment_t remote;
    unsigned char *address;
    size_t size;
    void *mapping; /* starting at a page boundary; NULL: the shadow has its own */
    size_t mapping_bytes;
    sisci_shadow *shadow; /* remote, in lossy mode; else NULL */
    bool for_reading;     /* read-only: a store would be a fault of the processor */
    unsigned sequences;
};

/* The remote map of this process that contains the whole range; NULL: none. The library is locked.
 */
sci_map_t sisci_map_around(const volatile void *address, size_t size);

/* Flush all maps of this process. The library is locked. */
void sisci_maps_flush(void);

/* Send what was stored to a remote map, before all later stores. */
static inline void sisci_map_flush(sci_map_t map)
{
    if (map->shadow != NULL)
        sisci_shadow_push(map->shadow);
    atomic_thread_fence(memory_order_seq_cst);
}

/* Let the DMA engine finish its posted transfers, and stop it. The library is locked, but unlocked
 * while waiting. */
void sisci_dma_stop(void);

/* In a child after fork(): drop the parent's engine and its transfers. The library is locked. */
void sisci_dma_forget(void);

/* The common part of interrupts and data interrupts: an object on the owner's node with a semaphore
 * to wait for, or watched by the owner's thread for callbacks. The form describes what a kind adds.
 */
typedef struct {
    sisci_object_head head;
    uint32_t node;
    uint32_t has_callback;
    _Atomic uint32_t removed;
    _Atomic uint64_t triggers; /* total number; each is due for a callback */
    sem_t pending;             /* without a callback: triggers not yet taken by a wait */
} sisci_interrupt;

typedef struct sisci_interrupt_form sisci_interrupt_form;

/* The user's function of either kind; the form casts it to its type. */
typedef void (*sisci_interrupt_callback)(void);

/* The owner's side: the first member of sci_local_interrupt and sci_local_data_interrupt. */
typedef struct {
    sisci_resource resource;
    sisci_object object;
    const sisci_interrupt_form *form;
    sisci_interrupt_callback callback; /* NULL: none, or cancelled */
    void *argument;
    uint64_t called; /* number of triggers whose callback was made or is not needed */
} sisci_local_interrupt;

/* The triggering side: the first member of sci_remote_interrupt and sci_remote_data_interrupt. */
typedef struct {
    sisci_resource resource;
    sisci_object object;
    sisci_peer *owner;
} sisci_remote_interrupt;

/* What a kind of interrupts adds; NULL: nothing. */
struct sisci_interrupt_form {
    sisci_kind kind;
    size_t bytes; /* of the object, which starts with a sisci_interrupt */
    /* Initialise the rest of the object. */
    bool (*initialise)(sisci_interrupt *interrupt);
    /* Whether a callback is due; NULL: one per trigger. */
    bool (*has_come)(sisci_interrupt *interrupt);
    /* Make the callback for one trigger; calls sisci_callback_begin and sisci_callback_end. */
    sci_callback_action_t (*call)(sisci_local_interrupt *interrupt);
};

static inline sisci_interrupt *sisci_interrupt_of(const sisci_object *object)
{
    return (sisci_interrupt *)object->head;
}

/* The parameters of SCICreateInterrupt() and SCICreateDataInterrupt(). */
typedef struct {
    sci_desc_t sd;
    const void *result; /* receives the handle */
    unsigned adapter;
    unsigned *
        number; /* requested with SCI_FLAG_FIXED_INTNO among `flags`, otherwise set to a free one */
    sisci_interrupt_callback callback;
    void *argument;
    unsigned flags;
} sisci_interrupt_request;

/* Create an interrupt; NULL: an error, such as SCI_ERR_INTNO_USED. */
sisci_local_interrupt *sisci_interrupt_create(const sisci_interrupt_form *form,
                                              const sisci_interrupt_request *request,
                                              sci_error_t *error);

/* Remove the interrupt; waits end with SCI_ERR_CANCELLED. SCI_ERR_BUSY in its own callback. NULL is
 * an illegal parameter. */
void sisci_interrupt_remove(sisci_local_interrupt *interrupt, unsigned flags, sci_error_t *error);

/* The parameters of SCIConnectInterrupt() and SCIConnectDataInterrupt(). */
typedef struct {
    sci_desc_t sd;
    const void *result;
    unsigned node, adapter, number, flags;
} sisci_interrupt_target;

/* Connect to an interrupt; NULL: an error, such as SCI_ERR_NO_SUCH_NODEID or SCI_ERR_NO_SUCH_INTNO.
 */
sisci_remote_interrupt *sisci_interrupt_connect(const sisci_interrupt_form *form,
                                                sisci_interrupt_target target, sci_error_t *error);

/* Disconnect. NULL is an illegal parameter. */
void sisci_interrupt_disconnect(sisci_remote_interrupt *interrupt, unsigned flags,
                                sci_error_t *error);

/* Whether waiting is possible: otherwise SCI_ERR_CANCELLED, or SCI_ERR_ILLEGAL_OPERATION for an
 * interrupt with a callback. */
sci_error_t sisci_interrupt_may_wait(const sisci_local_interrupt *interrupt);

/* Wait for a trigger and take it: SCI_ERR_TIMEOUT, and the errors of the function above. `until`
 * NULL: no timeout. The library is locked, but unlocked while waiting. */
sci_error_t sisci_interrupt_wait(sisci_local_interrupt *interrupt, const struct timespec *until);

/* Take a trigger, if any, without waiting. */
void sisci_interrupt_forget(const sisci_local_interrupt *interrupt);

/* Whether the owner still accepts triggers. Needs no lock; nor does the next function. */
bool sisci_interrupt_is_open(const sisci_remote_interrupt *interrupt);

/* Count a trigger and wake the owner. */
void sisci_interrupt_trigger(const sisci_remote_interrupt *interrupt);

/* Put back a trigger that was taken but cannot be used. Only without a callback. */
void sisci_interrupt_put_back(const sisci_local_interrupt *interrupt);

#endif
