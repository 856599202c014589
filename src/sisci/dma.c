/* DMA queues: what may be started, and what becomes of it. */
#include "sisci/dma.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "sisci/constants.h"
#include "sisci/export.h"
#include "sisci/sisci_api.h"

static sci_dma_queue_t queue_of(sisci_resource *resource)
{
    return (sci_dma_queue_t)resource; /* its first member */
}

static bool poll_queue(sisci_resource *resource)
{
    return queue_of(resource)->completed != NULL;
}

/* A transfer is one call, so there is nothing for a callback to cancel. */
static void deliver(sisci_resource *resource)
{
    sci_dma_queue_t queue = queue_of(resource);
    sisci_transfer *transfer = queue->completed;

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
        sisci_transfer *transfer = queue->completed;

        queue->completed = transfer->next;
        free(transfer);
    }
    free(queue);
}

static const sisci_class queue_class = {
    .poll = poll_queue, .deliver = deliver, .withdraw = abort_transfers, .release = release_queue};

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
    if (sisci_dma_start())
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

/* Callbacks that are due are made first, but not while there is another. */
static sci_error_t remove_queue(sci_dma_queue_t queue)
{
    if (queue->under_way > 0 || sisci_is_callback_of(&queue->resource) ||
        (queue->completed != NULL && sisci_is_own_thread()))
        return SCI_ERR_BUSY;
    while (queue->completed != NULL)
        sisci_wait(NULL);
    sisci_resource_retire(&queue->resource);
    sisci_resource_destroy(&queue->resource);
    return SCI_ERR_OK;
}

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
    *error = remove_queue(dq);
    sisci_unlock();
}
SISCI_EXPORT(SCIRemoveDMAQueue);

/* The engine's own mappings, which need no maps of the program's, made once for a segment. */
static sci_error_t map_segments(sisci_transfer *transfer)
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

static bool is_multiple(size_t number)
{
    return number % SISCI_DMA_ALIGNMENT == 0;
}

static bool goes_beyond(size_t offset, size_t size, size_t whole)
{
    return offset > whole || size > whole - offset;
}

/* What does not depend on states. */
static sci_error_t check_start(const sisci_transfer *transfer, unsigned flags)
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
    if (transfer->size == 0 || !is_multiple(transfer->size))
        return SCI_ERR_SIZE_ALIGNMENT;
    if (!is_multiple(transfer->local_offset) || !is_multiple(transfer->remote_offset))
        return SCI_ERR_OFFSET_ALIGNMENT;
    return SCI_ERR_OK;
}

static sci_error_t check_states(const sisci_transfer *transfer)
{
    if (goes_beyond(transfer->local_offset, transfer->size, transfer->local->size) ||
        goes_beyond(transfer->remote_offset, transfer->size, transfer->remote->size))
        return SCI_ERR_OUT_OF_RANGE;
    if (!transfer->local->prepared)
        return SCI_ERR_SEGMENT_NOT_PREPARED;
    if (atomic_load(&transfer->remote->session.lost))
        return SCI_ERR_SEGMENT_NOT_CONNECTED;
    if (transfer->read && transfer->remote->broadcast)
        return SCI_ERR_ILLEGAL_OPERATION;
    if (transfer->queue->under_way > 0 && atomic_load(&transfer->queue->aborted))
        return SCI_ERR_ILLEGAL_OPERATION;
    if (transfer->queue->under_way == transfer->queue->entries)
        return SCI_ERR_MAX_ENTRIES;
    return SCI_ERR_OK;
}

static sci_error_t post(sisci_transfer *transfer)
{
    sci_dma_queue_t queue = transfer->queue;
    sci_error_t error = check_states(transfer);

    if (error == SCI_ERR_OK)
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
    sisci_dma_post(transfer);
    return SCI_ERR_OK;
}

static void append_completed(sisci_transfer *transfer)
{
    sisci_transfer **link = &transfer->queue->completed;

    while (*link != NULL)
        link = &(*link)->next;
    *link = transfer;
    transfer->next = NULL;
    sisci_presence_ring();
}

void sisci_dma_complete(sisci_transfer *transfer)
{
    sci_dma_queue_t queue = transfer->queue;

    transfer->local->transfers--;
    transfer->remote->transfers--;
    queue->failed = queue->failed || transfer->status == SCI_ERR_TRANSFER_FAILED;
    if (--queue->under_way == 0)
        queue->state = atomic_load(&queue->aborted) ? SCI_DMAQUEUE_ABORTED
                       : queue->failed              ? SCI_DMAQUEUE_ERROR
                                                    : SCI_DMAQUEUE_DONE;
    transfer->done = true;
    if (transfer->callback != NULL)
        append_completed(transfer);
    else if (!transfer->awaited)
        free(transfer);
    sisci_notify();
}

/* Until it is done; the queue stays, since the transfer is one of those under way. */
static sci_error_t await(sisci_transfer *transfer)
{
    sci_error_t status;

    while (!transfer->done)
        sisci_wait(NULL);
    status = transfer->status;
    free(transfer);
    return status;
}

void SCIStartDmaTransfer(sci_dma_queue_t dq, sci_local_segment_t localSegment,
                         sci_remote_segment_t remoteSegment, size_t localOffset, size_t size,
                         size_t remoteOffset, sci_cb_dma_t callback, void *callbackArg,
                         unsigned int flags, sci_error_t *error)
{
    sisci_transfer request = {.queue = dq,
                              .local = localSegment,
                              .remote = remoteSegment,
                              .local_offset = localOffset,
                              .remote_offset = remoteOffset,
                              .size = size,
                              .read = (flags & FLAG_DMA_READ) != 0,
                              .awaited = (flags & FLAG_DMA_WAIT) != 0,
                              .callback = (flags & FLAG_USE_CALLBACK) != 0 ? callback : NULL,
                              .callback_argument = callbackArg};
    sisci_transfer *transfer;

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
    *error = post(transfer);
    if (*error != SCI_ERR_OK)
        free(transfer);
    else if (request.awaited)
        *error = await(transfer);
    sisci_unlock();
}
SISCI_EXPORT(SCIStartDmaTransfer);

static sci_error_t wait_until_empty(sci_dma_queue_t queue, unsigned timeout_ms)
{
    struct timespec buffer;
    const struct timespec *until = sisci_deadline(timeout_ms, &buffer);

    while (queue->under_way > 0)
        if (!sisci_wait(until))
            return queue->under_way > 0 ? SCI_ERR_TIMEOUT : SCI_ERR_OK;
    return SCI_ERR_OK;
}

sci_dma_queue_state_t SCIWaitForDMAQueue(sci_dma_queue_t dq, unsigned int timeout,
                                         unsigned int flags, sci_error_t *error)
{
    sci_dma_queue_state_t state;

    *error = check_queue(dq, flags);
    if (*error != SCI_ERR_OK)
        return SCI_DMAQUEUE_ERROR;
    sisci_lock();
    dq->resource.waiters++;
    *error = wait_until_empty(dq, timeout);
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
