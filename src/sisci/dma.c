/* DMA queues and the DMA engine, a thread that executes posted transfers of all queues in order. It
 * copies in blocks, so that an abort need not wait for a long transfer, and without the library's
 * lock; segments cannot be removed during their transfers. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sisci/internal.h"
#include "sisci/sisci_api.h"

static const size_t block_bytes = 256 * 1024;

typedef struct dma_transfer {
    struct dma_transfer *next;
    sci_dma_queue_t queue;
    sci_local_segment_t local;
    sci_remote_segment_t remote;
    size_t local_offset, remote_offset, size;
    bool read;    /* from the remote segment */
    bool awaited; /* the thread that started it waits for it and frees it */
    bool done;    /* with this status: */
    sci_error_t status;
    sci_cb_dma_t callback; /* NULL: none */
    void *callback_argument;
} dma_transfer;

struct sci_dma_queue {
    sisci_resource resource;
    unsigned entries; /* maximum number of pending transfers */
    unsigned under_way;
    sci_dma_queue_state_t state;
    bool failed;              /* a transfer has failed since the queue was last empty */
    _Atomic uint32_t aborted; /* pending transfers stop where they are */
    dma_transfer *completed;  /* transfers whose callbacks are due, oldest first */
};

/* Protected by the library's lock. */
static struct {
    bool runs, stopping;
    pthread_t thread;
    dma_transfer *transfers; /* posted, oldest first */
} engine;

static void list_append(dma_transfer **list, dma_transfer *transfer)
{
    while (*list != NULL)
        list = &(*list)->next;
    *list = transfer;
    transfer->next = NULL;
}

static sci_error_t copy_blocks(const dma_transfer *transfer)
{
    unsigned char *local = (unsigned char *)transfer->local->dma_memory + transfer->local_offset;
    sisci_wire *wire = transfer->remote->dma_wire;
    bool whole = true;

    for (size_t done = 0; done < transfer->size;) {
        size_t left = transfer->size - done;
        size_t bytes = left < block_bytes ? left : block_bytes;
        size_t remote_offset = transfer->remote_offset + done;

        if (atomic_load(&transfer->queue->aborted))
            return SCI_ERR_CANCELLED;
        if (transfer->read)
            memcpy(local + done, wire->targets[0] + remote_offset, bytes);
        else
            whole = sisci_wire_send(wire, remote_offset, local + done, bytes) && whole;
        done += bytes;
    }
    return whole && !atomic_load(&transfer->remote->session.lost) ? SCI_ERR_OK
                                                                  : SCI_ERR_TRANSFER_FAILED;
}

static void *run_engine(void *unused)
{
    (void)unused;
    sisci_lock();
    while (!engine.stopping || engine.transfers != NULL) {
        dma_transfer *transfer = engine.transfers;
        sci_dma_queue_t queue;

        if (transfer == NULL) {
            sisci_wait(NULL);
            continue;
        }
        engine.transfers = transfer->next;
        sisci_unlock();
        transfer->status = copy_blocks(transfer);
        sisci_lock();

        queue = transfer->queue;
        transfer->local->transfers--;
        transfer->remote->transfers--;
        queue->failed = queue->failed || transfer->status == SCI_ERR_TRANSFER_FAILED;
        if (--queue->under_way == 0)
            queue->state = atomic_load(&queue->aborted) ? SCI_DMAQUEUE_ABORTED
                           : queue->failed              ? SCI_DMAQUEUE_ERROR
                                                        : SCI_DMAQUEUE_DONE;
        transfer->done = true;
        if (transfer->callback != NULL) {
            list_append(&queue->completed, transfer);
            sisci_presence_ring();
        } else if (!transfer->awaited)
            free(transfer);
        sisci_notify();
    }
    sisci_unlock();
    return NULL;
}

void sisci_dma_stop(void)
{
    if (!engine.runs)
        return;
    engine.stopping = true;
    sisci_notify();
    sisci_unlock();
    pthread_join(engine.thread, NULL);
    sisci_lock();
    engine.runs = false;
}

void sisci_dma_forget(void)
{
    memset(&engine, 0, sizeof(engine));
}

static sci_dma_queue_t queue_of(sisci_resource *resource)
{
    return (sci_dma_queue_t)resource; /* its first member */
}

static bool poll_queue(sisci_resource *resource)
{
    return queue_of(resource)->completed != NULL;
}

/* Each transfer has one callback, so cancelling later ones has no effect. */
static void deliver_completion(sisci_resource *resource)
{
    sci_dma_queue_t queue = queue_of(resource);
    dma_transfer *transfer = queue->completed;

    queue->completed = transfer->next;
    sisci_callback_begin(resource);
    transfer->callback(transfer->callback_argument, queue, transfer->status);
    sisci_callback_end(resource);
    free(transfer);
}

static void abort_transfers(sisci_resource *resource)
{
    atomic_store(&queue_of(resource)->aborted, 1);
}

static void release_queue(sisci_resource *resource)
{
    sci_dma_queue_t queue = queue_of(resource);

    while (queue->completed != NULL) {
        dma_transfer *transfer = queue->completed;

        queue->completed = transfer->next;
        free(transfer);
    }
    free(queue);
}

static const sisci_class queue_class = {.poll = poll_queue,
                                        .deliver = deliver_completion,
                                        .withdraw = abort_transfers,
                                        .release = release_queue};

void SCICreateDMAQueue(sci_desc_t sd, sci_dma_queue_t *dq, unsigned int localAdapterNo,
                       unsigned int maxEntries, unsigned int flags, sci_error_t *error)
{
    sci_dma_queue_t made;

    *error = sisci_check_flags(flags, 0, 0);
    if (*error == SCI_ERR_OK && (sd == NULL || dq == NULL || maxEntries == 0))
        *error = SCI_ERR_ILLEGAL_PARAMETER;
    if (*error == SCI_ERR_OK)
        *error = sisci_check_adapter(localAdapterNo);
    if (*error != SCI_ERR_OK)
        return;
    made = calloc(1, sizeof(*made));
    if (made == NULL) {
        *error = SCI_ERR_API_NOSPC;
        return;
    }
    made->entries = maxEntries;
    made->state = SCI_DMAQUEUE_IDLE;
    sisci_lock();
    if (!engine.runs) {
        engine.stopping = false;
        engine.runs = sisci_thread_create(&engine.thread, run_engine);
    }
    if (engine.runs)
        sisci_resource_add(&made->resource, &queue_class, sd);
    else
        *error = SCI_ERR_SYSTEM;
    sisci_unlock();
    if (*error == SCI_ERR_OK)
        *dq = made;
    else
        free(made);
}
SISCI_EXPORT(SCICreateDMAQueue);

static sci_error_t check_queue(sci_dma_queue_t queue, unsigned flags)
{
    return queue == NULL ? SCI_ERR_ILLEGAL_PARAMETER : sisci_check_flags(flags, 0, 0);
}

void SCIRemoveDMAQueue(sci_dma_queue_t dq, unsigned int flags, sci_error_t *error)
{
    *error = check_queue(dq, flags);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    if (dq->under_way > 0 || sisci_is_callback_of(&dq->resource) ||
        (dq->completed != NULL && sisci_is_own_thread()))
        *error = SCI_ERR_BUSY;
    else {
        while (dq->completed != NULL) /* make the due callbacks first */
            sisci_wait(NULL);
        sisci_resource_retire(&dq->resource);
        sisci_resource_destroy(&dq->resource);
    }
    sisci_unlock();
}
SISCI_EXPORT(SCIRemoveDMAQueue);

/* The engine's own mappings, independent of the program's maps; made once per segment. */
static sci_error_t map_segments(dma_transfer *transfer)
{
    sci_local_segment_t local = transfer->local;
    sci_remote_segment_t remote = transfer->remote;

    if (local->dma_memory == NULL)
        local->dma_memory = sisci_object_map(sisci_segment_data(local), 0, local->size,
                                             PROT_READ | PROT_WRITE, MAP_POPULATE, NULL);
    if (local->dma_memory == NULL)
        return SCI_ERR_API_NOSPC;
    if (remote->dma_wire != NULL)
        return SCI_ERR_OK;
    remote->dma_wire = calloc(1, sizeof(*remote->dma_wire));
    if (remote->dma_wire == NULL ||
        !sisci_remote_open_wire(remote, 0, remote->size, remote->dma_wire)) {
        free(remote->dma_wire);
        remote->dma_wire = NULL;
        return SCI_ERR_API_NOSPC;
    }
    return SCI_ERR_OK;
}

/* The checks that do not depend on states. */
static sci_error_t check_start(const dma_transfer *transfer, unsigned flags)
{
    sci_error_t error = sisci_check_flags(flags,
                                          FLAG_USE_CALLBACK | FLAG_DMA_WAIT | FLAG_DMA_READ |
                                              FLAG_DMA_GLOBAL | FLAG_DMA_SYSDMA | FLAG_DMA_ADAPTER,
                                          0);
    const unsigned both = FLAG_USE_CALLBACK | FLAG_DMA_WAIT;

    if (error != SCI_ERR_OK)
        return error;
    if (transfer->queue == NULL || transfer->local == NULL || transfer->remote == NULL ||
        ((flags & FLAG_USE_CALLBACK) != 0 && transfer->callback == NULL) || (flags & both) == both)
        return SCI_ERR_ILLEGAL_PARAMETER;
    if (transfer->size == 0 || transfer->size % SISCI_DMA_ALIGNMENT != 0)
        return SCI_ERR_SIZE_ALIGNMENT;
    if ((transfer->local_offset | transfer->remote_offset) % SISCI_DMA_ALIGNMENT != 0)
        return SCI_ERR_OFFSET_ALIGNMENT;
    return SCI_ERR_OK;
}

static sci_error_t post_transfer(dma_transfer *transfer)
{
    sci_dma_queue_t queue = transfer->queue;
    sci_error_t error;

    if (!sisci_is_within(transfer->local_offset, transfer->size, transfer->local->size) ||
        !sisci_is_within(transfer->remote_offset, transfer->size, transfer->remote->size))
        return SCI_ERR_OUT_OF_RANGE;
    if (!transfer->local->prepared)
        return SCI_ERR_SEGMENT_NOT_PREPARED;
    if (atomic_load(&transfer->remote->session.lost))
        return SCI_ERR_SEGMENT_NOT_CONNECTED;
    if ((transfer->read && transfer->remote->broadcast) ||
        (queue->under_way > 0 && atomic_load(&queue->aborted)))
        return SCI_ERR_ILLEGAL_OPERATION;
    if (queue->under_way == queue->entries)
        return SCI_ERR_MAX_ENTRIES;
    error = map_segments(transfer);
    if (error != SCI_ERR_OK)
        return error;
    if (queue->under_way == 0) {
        queue->failed = false;
        atomic_store(&queue->aborted, 0);
    }
    queue->under_way++;
    queue->state = SCI_DMAQUEUE_POSTED;
    transfer->local->transfers++;
    transfer->remote->transfers++;
    list_append(&engine.transfers, transfer);
    sisci_notify();
    return SCI_ERR_OK;
}

void SCIStartDmaTransfer(sci_dma_queue_t dq, sci_local_segment_t localSegment,
                         sci_remote_segment_t remoteSegment, size_t localOffset, size_t size,
                         size_t remoteOffset, sci_cb_dma_t callback, void *callbackArg,
                         unsigned int flags, sci_error_t *error)
{
    dma_transfer request = {.queue = dq,
                            .local = localSegment,
                            .remote = remoteSegment,
                            .local_offset = localOffset,
                            .remote_offset = remoteOffset,
                            .size = size,
                            .read = (flags & FLAG_DMA_READ) != 0,
                            .awaited = (flags & FLAG_DMA_WAIT) != 0,
                            .callback = (flags & FLAG_USE_CALLBACK) != 0 ? callback : NULL,
                            .callback_argument = callbackArg};
    dma_transfer *transfer;

    *error = check_start(&request, flags);
    if (*error != SCI_ERR_OK)
        return;
    transfer = malloc(sizeof(*transfer));
    if (transfer == NULL) {
        *error = SCI_ERR_API_NOSPC;
        return;
    }
    *transfer = request;
    sisci_lock();
    *error = post_transfer(transfer);
    if (*error != SCI_ERR_OK)
        free(transfer);
    else if (request.awaited) {
        /* The queue is not removed meanwhile, since this transfer is pending. */
        while (!transfer->done)
            sisci_wait(NULL);
        *error = transfer->status;
        free(transfer);
    }
    sisci_unlock();
}
SISCI_EXPORT(SCIStartDmaTransfer);

sci_dma_queue_state_t SCIWaitForDMAQueue(sci_dma_queue_t dq, unsigned int timeout,
                                         unsigned int flags, sci_error_t *error)
{
    struct timespec buffer;
    const struct timespec *until;
    sci_dma_queue_state_t state;
    bool in_time = true;

    *error = check_queue(dq, flags);
    if (*error != SCI_ERR_OK)
        return SCI_DMAQUEUE_ERROR;
    until = sisci_deadline(timeout, &buffer);
    sisci_lock();
    dq->resource.waiters++;
    while (dq->under_way > 0 && in_time)
        in_time = sisci_wait(until);
    if (dq->under_way > 0)
        *error = SCI_ERR_TIMEOUT;
    dq->resource.waiters--;
    state = dq->state;
    sisci_notify();
    sisci_unlock();
    return state;
}
SISCI_EXPORT(SCIWaitForDMAQueue);

sci_dma_queue_state_t SCIDMAQueueState(sci_dma_queue_t dq)
{
    sci_dma_queue_state_t state;

    sisci_lock();
    state = dq->state;
    sisci_unlock();
    return state;
}
SISCI_EXPORT(SCIDMAQueueState);

void SCIAbortDMAQueue(sci_dma_queue_t dq, unsigned int flags, sci_error_t *error)
{
    *error = check_queue(dq, flags);
    if (*error != SCI_ERR_OK)
        return;
    sisci_lock();
    if (dq->under_way == 0)
        *error = SCI_ERR_ILLEGAL_OPERATION;
    else
        abort_transfers(&dq->resource);
    sisci_unlock();
}
SISCI_EXPORT(SCIAbortDMAQueue);
