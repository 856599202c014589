/* Shared by technologies: creating a factory, its parameter values, checks of ranks, a lock that is
 * taken only if several threads send, and the queue of messages that a peer has no room for. */
#ifndef TRANSPORT_COMMON_TECHNOLOGY_H
#define TRANSPORT_COMMON_TECHNOLOGY_H

#include <pthread.h>

#include "transport/transport.h"

/* For `open`: allocate a zeroed factory of `bytes` (`purpose` names it in an error), fill in rank
 * and size, and set it up. If that fails, even in part, `destroy` frees it. */
cb_status transport_factory_make(
    const transport_bootstrap *bootstrap, size_t bytes, const char *purpose,
    cb_status (*set_up)(transport_factory *factory, const transport_bootstrap *bootstrap),
    void (*destroy)(transport_factory *factory), transport_factory **out);

/* The values of this rank for the technology's set; the defaults if there are no settings. `values`
 * is the technology's struct. */
void transport_take_values(const transport_bootstrap *bootstrap, const cb_parameter_set *set,
                           void *values);

/* CB_ERROR_TRANSPORT, logged, if the job has no such rank or already has a node for it (`taken`).
 */
cb_status transport_check_rank(const transport_factory *factory, int rank, bool taken);

/* Pause after an unsuccessful poll; `polls` counts from 0. Spin returns at once, yield offers the
 * core, and block, after some polls, sleeps for 2 us, growing to 1 ms. For technologies whose
 * system has no wait that an arriving message ends. */
void transport_pause(transport_wait wait, uint64_t polls);

/* The limit of memory that this process may lock (RLIMIT_MEMLOCK), for errors of libraries that
 * register memory: "8388608 bytes", or "unlimited". */
enum { TRANSPORT_LIMIT_BYTES = 32 };
const char *transport_locked_limit(char text[TRANSPORT_LIMIT_BYTES]);

/* Whether /dev/shm has less room than `bytes`, which processes of this host are to share there.
 * Then `text` says so, as the end of an error: the sizes, and what to do. */
enum { TRANSPORT_SHORTAGE_BYTES = 256 };
bool transport_shm_is_short(size_t bytes, char text[TRANSPORT_SHORTAGE_BYTES]);

/* The variables of the environment that begin with `prefix` and change what a library does, for its
 * errors: " (FI_PROVIDER=verbs is set)", or "". Those of its log do not count. */
enum { TRANSPORT_VARIABLES_BYTES = 240 };
const char *transport_variables(const char *prefix, char text[TRANSPORT_VARIABLES_BYTES]);

/* Does not lock if only one thread uses the factory. */
typedef struct {
    bool used;
    pthread_mutex_t mutex;
} transport_lock;

static inline void transport_lock_open(transport_lock *lock, bool many_senders)
{
    pthread_mutex_init(&lock->mutex, NULL);
    lock->used = many_senders;
}

static inline void transport_lock_close(transport_lock *lock)
{
    pthread_mutex_destroy(&lock->mutex);
}

static inline void transport_lock_take(transport_lock *lock)
{
    if (lock->used)
        pthread_mutex_lock(&lock->mutex);
}

static inline void transport_lock_give(transport_lock *lock)
{
    if (lock->used)
        pthread_mutex_unlock(&lock->mutex);
}

/* Messages to one target that wait for room there, in order. For one thread at a time, except for
 * the count. */
typedef struct {
    transport_buffer *first, *last; /* linked by `next` */
    size_t sent_bytes;              /* of the first message, which may be partly sent */
    size_t *queued;                 /* total over all queues of the factory; atomic */
} transport_queue;

static inline bool transport_has_queued(const size_t *queued)
{
    return __atomic_load_n(queued, __ATOMIC_RELAXED) > 0;
}

/* Remove the first message. */
transport_buffer *transport_queue_take(transport_queue *queue);

/* Append a message of which `sent_bytes` have been sent; 0 unless it is the first. */
void transport_queue_append(transport_queue *queue, transport_buffer *buffer, size_t sent_bytes);

/* How to send the messages of a queue. `transfer` sends the rest of a message, of which *sent bytes
 * have been sent; CB_EMPTY: no room for all of it. `give_back` takes a buffer that is no longer
 * needed. */
typedef struct {
    cb_status (*transfer)(void *target, const transport_buffer *buffer, size_t *sent);
    void (*give_back)(void *target, transport_buffer *buffer);
} transport_queue_user;

/* Send as much as possible. If a transfer to the target fails, its queue is dropped and the first
 * error returned. */
cb_status transport_queue_flush(transport_queue *queue, const transport_queue_user *user,
                                void *target);

/* Hot. Send a message after those queued, or queue it. Takes the buffer. */
static inline cb_status transport_queue_send(transport_queue *queue,
                                             const transport_queue_user *user, void *target,
                                             transport_buffer *buffer)
{
    size_t sent = 0;
    cb_status status = CB_OK;

    if (__builtin_expect(queue->first != NULL, 0))
        status = transport_queue_flush(queue, user, target);
    if (status == CB_OK)
        status = queue->first == NULL ? user->transfer(target, buffer, &sent) : CB_EMPTY;
    if (status == CB_EMPTY) {
        transport_queue_append(queue, buffer, sent);
        return CB_OK;
    }
    user->give_back(target, buffer);
    return status;
}

#endif
