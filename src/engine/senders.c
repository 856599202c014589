/* The sending threads of a source, their credits, and the start and end of a block. */
#include "engine/senders.h"

#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/wait.h"

/* A thread that has finished its part polls for the next block for this long, then sleeps. */
static const uint64_t awake_ns = 500000;

static const uint64_t no_more_blocks = UINT64_MAX;

typedef struct {
    alignas(CB_CACHE_LINE) bench_peer peer; /* a copy, which has this thread's stamps */
    bench_senders *all;
    size_t index;
    uint64_t part;         /* packets to send in this block */
    _Atomic uint64_t sent; /* in this block; written by this thread only */
    uint64_t counted;      /* of this pass; written by the thread that finishes a block first */
    stats_histogram *histogram; /* of single packets, while they are recorded, or NULL */
    stats_histogram own;
    pthread_t thread;
} sender;

/* What the receiving thread writes is apart from what all write. */
struct bench_senders {
    bench_rank *me;
    wait_terms polling; /* yields even if the technology's polls do: most polls look at memory */
    size_t count;
    size_t started;          /* threads, with the rank's own */
    uint64_t unacknowledged; /* packets of this block; used by the rank's own thread */
    pthread_mutex_t mutex;   /* for threads that sleep until the next block */
    pthread_cond_t changed;
    alignas(CB_CACHE_LINE) _Atomic unsigned credits; /* packets that may be sent now */
    alignas(CB_CACHE_LINE) _Atomic uint64_t block;   /* number of the block to send; see begin */
    _Atomic size_t busy;                             /* other threads that have not finished it */
    atomic_bool first_finished;
    _Atomic cb_status status; /* the first error of any thread */
    sender senders[];
};

static cb_status status_of(bench_senders *all)
{
    return atomic_load_explicit(&all->status, memory_order_relaxed);
}

static void keep_error(bench_senders *all, cb_status status)
{
    cb_status none = CB_OK;

    if (status != CB_OK)
        atomic_compare_exchange_strong(&all->status, &none, status);
}

/* Credits */

static inline bool take_credit(bench_senders *all)
{
    unsigned credits = atomic_load_explicit(&all->credits, memory_order_relaxed);

    while (credits > 0)
        if (atomic_compare_exchange_weak_explicit(&all->credits, &credits, credits - 1,
                                                  memory_order_relaxed, memory_order_relaxed))
            return true;
    return false;
}

static cb_status take_acknowledgement(void *context)
{
    bench_senders *all = context;
    transport_buffer *buffer;
    cb_status received = transport_try_receive(all->me->peers[0].node, &buffer);

    if (received == CB_OK)
        transport_buffer_release(buffer);
    if (received == CB_EMPTY && status_of(all) != CB_OK)
        return status_of(all);
    return received;
}

/* An error of another thread ends the wait. In the verification pass a time limit does. */
static cb_status await_acknowledgement(bench_senders *all)
{
    if (all->me->verification.timeout_ns > 0)
        return bench_await_signal(all->me, &all->me->peers[0]);
    return wait_for(&all->polling, take_acknowledgement, all);
}

/* A receiver acknowledges each half window, and the rest at the end of a block. */
static cb_status return_credits(bench_senders *all)
{
    const unsigned half = all->me->half_window;
    unsigned returned = all->unacknowledged < half ? (unsigned)all->unacknowledged : half;

    CB_TRY(await_acknowledgement(all));
    all->unacknowledged -= returned;
    atomic_fetch_add_explicit(&all->credits, returned, memory_order_relaxed);
    return CB_OK;
}

static cb_status poll_credit(void *context)
{
    bench_senders *all = context;
    cb_status status;

    if (take_credit(all))
        return CB_OK;
    status = status_of(all);
    return status == CB_OK ? CB_EMPTY : status;
}

/* If there is no credit, a whole window of packets is sent or being sent, which the receiver will
 * acknowledge. The rank's own thread receives the acknowledgement. */
static __attribute__((noinline)) cb_status await_credit(sender *one)
{
    cb_status status;

    if (one->index > 0)
        return wait_for(&one->all->polling, poll_credit, one->all);
    while ((status = poll_credit(one->all)) == CB_EMPTY)
        CB_TRY(return_credits(one->all));
    return status;
}

/* A part of a block */

static cb_status send_packets(sender *one)
{
    bench_rank *me = one->all->me;
    uint64_t before_ns = cb_now_ns(), now_ns;

    for (uint64_t i = 0; i < one->part; i++) {
        CB_TRY(take_credit(one->all) ? CB_OK : await_credit(one));
        CB_TRY(me->traffic->send(me, &one->peer));
        atomic_store_explicit(&one->sent,
                              atomic_load_explicit(&one->sent, memory_order_relaxed) + 1,
                              memory_order_relaxed);
        if (one->histogram == NULL)
            continue;
        now_ns = cb_now_ns();
        stats_histogram_record(one->histogram, now_ns - before_ns);
        before_ns = now_ns;
    }
    return CB_OK;
}

static void count_packets(bench_senders *all)
{
    if (atomic_exchange_explicit(&all->first_finished, true, memory_order_relaxed))
        return;
    for (size_t i = 0; i < all->count; i++)
        all->senders[i].counted +=
            atomic_load_explicit(&all->senders[i].sent, memory_order_relaxed);
}

static void send_part(sender *one)
{
    keep_error(one->all, send_packets(one));
    count_packets(one->all);
}

/* Blocks. The rank's own thread writes what a block needs and then its number, which releases it to
 * the acquire in await_block; each thread's decrement of `busy` releases what it wrote to the
 * acquire in await_others. */

static void publish_block(bench_senders *all, uint64_t number)
{
    pthread_mutex_lock(&all->mutex);
    atomic_store_explicit(&all->block, number, memory_order_release);
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->mutex);
}

typedef struct {
    bench_senders *all;
    uint64_t block;
} block_poll;

static cb_status poll_block(void *context)
{
    block_poll *poll = context;
    const uint64_t last = poll->block;

    poll->block = atomic_load_explicit(&poll->all->block, memory_order_acquire);
    return poll->block == last ? CB_EMPTY : CB_OK;
}

static uint64_t await_block(bench_senders *all, uint64_t last)
{
    block_poll poll = {all, last};
    wait_terms terms = all->polling;
    uint64_t block;

    terms.due_ns = cb_now_ns() + awake_ns;
    if (wait_for(&terms, poll_block, &poll) == CB_OK)
        return poll.block;
    pthread_mutex_lock(&all->mutex);
    while ((block = atomic_load_explicit(&all->block, memory_order_acquire)) == last)
        pthread_cond_wait(&all->changed, &all->mutex);
    pthread_mutex_unlock(&all->mutex);
    return block;
}

static cb_status poll_others(void *context)
{
    bench_senders *all = context;

    return atomic_load_explicit(&all->busy, memory_order_acquire) > 0 ? CB_EMPTY : CB_OK;
}

static void await_others(bench_senders *all)
{
    (void)wait_for(&all->polling, poll_others, all);
}

static void *send_blocks(void *context)
{
    sender *one = context;
    uint64_t block = 0;

    while ((block = await_block(one->all, block)) != no_more_blocks) {
        send_part(one);
        atomic_fetch_sub_explicit(&one->all->busy, 1, memory_order_release);
    }
    return NULL;
}

cb_status senders_send(bench_senders *all, uint64_t packets, stats_histogram *histogram)
{
    all->unacknowledged = packets;
    atomic_store_explicit(&all->credits, all->me->window, memory_order_relaxed);
    atomic_store_explicit(&all->first_finished, false, memory_order_relaxed);
    atomic_store_explicit(&all->busy, all->count - 1, memory_order_relaxed);
    for (size_t i = 0; i < all->count; i++) {
        sender *one = &all->senders[i];

        one->part = packets * (i + 1) / all->count - packets * i / all->count;
        one->histogram = histogram != NULL ? &one->own : NULL;
        atomic_store_explicit(&one->sent, 0, memory_order_relaxed);
    }
    publish_block(all, all->block + 1);
    send_part(&all->senders[0]);
    while (all->unacknowledged > 0 && status_of(all) == CB_OK)
        keep_error(all, return_credits(all));
    await_others(all);
    for (size_t i = 0; histogram != NULL && i < all->count; i++) {
        stats_histogram_merge(histogram, &all->senders[i].own);
        memset(&all->senders[i].own, 0, sizeof(all->senders[i].own));
    }
    return status_of(all);
}

void senders_reset(bench_senders *all)
{
    for (size_t i = 0; i < all->count; i++)
        all->senders[i].counted = 0;
}

void senders_packets(const bench_senders *all, uint64_t *packets)
{
    for (size_t i = 0; i < all->count; i++)
        packets[i] += all->senders[i].counted;
}

/* Threads */

/* Signals go to the rank's own thread, whose waits they must interrupt. */
static cb_status start_thread(sender *one)
{
    sigset_t all, before;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&one->thread, NULL, send_blocks, one);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0)
        return CB_OK;
    cb_error("cannot start sending thread %zu of %zu: %s; raise the limit on threads (ulimit -u), "
             "or use fewer --threads",
             one->index + 1, one->all->count, strerror(error));
    return CB_ERROR_SYSTEM;
}

cb_status senders_create(bench_rank *me, size_t threads, bench_senders **out)
{
    bench_senders *all = cb_allocate_aligned(
        CB_CACHE_LINE, sizeof(*all) + threads * sizeof(*all->senders), "the sending threads");

    if (all == NULL)
        return CB_ERROR_MEMORY;
    all->me = me;
    all->polling = (wait_terms){.manner = {.yields = me->factory->wait != TRANSPORT_WAIT_SPIN},
                                .due_ns = WAIT_WITHOUT_END,
                                .timeout_ns = WAIT_WITHOUT_END};
    all->count = threads;
    pthread_mutex_init(&all->mutex, NULL);
    pthread_cond_init(&all->changed, NULL);
    for (size_t i = 0; i < threads; i++) {
        all->senders[i].all = all;
        all->senders[i].index = i;
        all->senders[i].peer = (bench_peer){.node = me->peers[0].node, .thread = i};
    }
    for (all->started = 1; all->started < threads; all->started++)
        if (start_thread(&all->senders[all->started]) != CB_OK) {
            senders_destroy(all);
            return CB_ERROR_SYSTEM;
        }
    *out = all;
    return CB_OK;
}

void senders_destroy(bench_senders *all)
{
    if (all == NULL)
        return;
    publish_block(all, no_more_blocks);
    for (size_t i = 1; i < all->started; i++)
        pthread_join(all->senders[i].thread, NULL);
    pthread_mutex_destroy(&all->mutex);
    pthread_cond_destroy(&all->changed);
    free(all);
}
