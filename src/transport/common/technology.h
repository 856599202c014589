/* What technologies share inside: making a factory, its values, nodes of ranks, a lock that is
 * taken only where several threads send, and the queue of messages that a peer has no room for. */
#ifndef TRANSPORT_COMMON_TECHNOLOGY_H
#define TRANSPORT_COMMON_TECHNOLOGY_H

#include <pthread.h>

#include "transport/transport.h"

/* For `open`: allocate a factory of `bytes` (zeroed, named in an error by `purpose`), fill in rank
 * and size, and set it up; `destroy` frees it where that fails, also when it is set up in part. */
cb_status transport_factory_make(
    const transport_bootstrap *bootstrap, size_t bytes, const char *purpose,
    cb_status (*set_up)(transport_factory *factory, const transport_bootstrap *bootstrap),
    void (*destroy)(transport_factory *factory), transport_factory **out);

/* The values of this rank for the technology's set; without settings the defaults. `values` is the
 * technology's struct. */
void transport_take_values(const transport_bootstrap *bootstrap, const cb_parameter_set *set,
                           void *values);

/* CB_ERROR_TRANSPORT, logged, where the job has no such rank or a node for it is `taken`. */
cb_status transport_check_rank(const transport_factory *factory, int rank, bool taken);

/* After a poll that found nothing, `polls` counted from 0: spin goes on at once, yield offers the
 * core, and block sleeps, after some polls, for times that grow from 1 us to 1 ms. For technologies
 * whose system has no wait that a message ends. */
void transport_pause(transport_wait wait, uint64_t polls);

/* Not locked while one thread uses the factory. */
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

/* Messages to one target that wait for room there, in order. For one thread at a time, but for the
 * count. */
typedef struct {
    transport_buffer *first, *last; /* linked by `next` */
    size_t sent_bytes;              /* of the first, which has gone in part */
    size_t *queued;                 /* of all queues of the factory; atomic */
} transport_queue;

static inline bool transport_has_queued(const size_t *queued)
{
    return __atomic_load_n(queued, __ATOMIC_RELAXED) > 0;
}

/* Take the first message out. */
transport_buffer *transport_queue_take(transport_queue *queue);

/* Append a message; `sent_bytes` of it have gone, which are 0 where others are before it. */
void transport_queue_append(transport_queue *queue, transport_buffer *buffer, size_t sent_bytes);

/* How the messages of a queue go. `transfer` sends the rest of a message, of which *sent bytes have
 * gone; CB_EMPTY: there is no room for all of it. `give_back` takes a buffer that is needed no
 * more. */
typedef struct {
    cb_status (*transfer)(void *target, const transport_buffer *buffer, size_t *sent);
    void (*give_back)(void *target, transport_buffer *buffer);
} transport_queue_user;

/* Send what can go. What waits for a target to which a transfer fails is dropped: it goes nowhere
 * any more, and the first error is returned. */
cb_status transport_queue_flush(transport_queue *queue, const transport_queue_user *user,
                                void *target);

/* Hot. Send a message after those of the queue, or queue it; takes the buffer. */
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
