/* The DMA engine. It copies in blocks, so that an abort need not wait for a long transfer, and with
 * the library unlocked; segments cannot go while they have transfers. */
#include <string.h>

#include "sisci/dma.h"

static const size_t block_bytes = 256 * 1024;

static bool copy_block(const sisci_transfer *transfer, size_t done, size_t bytes)
{
    unsigned char *local =
        (unsigned char *)transfer->local->dma_memory + transfer->local_offset + done;
    sisci_wire *wire = transfer->remote->dma_wire;
    size_t remote_offset = transfer->remote_offset + done;

    if (!transfer->read)
        return sisci_wire_send(wire, remote_offset, local, bytes);
    memcpy(local, wire->targets[0] + remote_offset, bytes);
    return true;
}

static sci_error_t copy(const sisci_transfer *transfer)
{
    bool whole = true;

    for (size_t done = 0; done < transfer->size;) {
        size_t left = transfer->size - done;
        size_t bytes = left < block_bytes ? left : block_bytes;

        if (atomic_load(&transfer->queue->aborted))
            return SCI_ERR_CANCELLED;
        whole = copy_block(transfer, done, bytes) && whole;
        done += bytes;
    }
    return whole && !atomic_load(&transfer->remote->session.lost) ? SCI_ERR_OK
                                                                  : SCI_ERR_TRANSFER_FAILED;
}

static void do_oldest(void)
{
    sisci_transfer *transfer = sisci_shm.transfers;

    sisci_shm.transfers = transfer->next;
    sisci_unlock();
    transfer->status = copy(transfer);
    sisci_lock();
    sisci_dma_complete(transfer);
}

static void *run(void *unused)
{
    (void)unused;
    sisci_lock();
    while (!sisci_shm.engine_stopping || sisci_shm.transfers != NULL)
        if (sisci_shm.transfers != NULL)
            do_oldest();
        else
            sisci_wait(NULL);
    sisci_unlock();
    return NULL;
}

bool sisci_dma_start(void)
{
    if (!sisci_shm.engine_runs) {
        sisci_shm.engine_stopping = false;
        sisci_shm.engine_runs = sisci_thread_create(&sisci_shm.engine, run);
    }
    return sisci_shm.engine_runs;
}

void sisci_dma_stop(void)
{
    if (!sisci_shm.engine_runs)
        return;
    sisci_shm.engine_stopping = true;
    sisci_notify();
    sisci_unlock();
    pthread_join(sisci_shm.engine, NULL);
    sisci_lock();
    sisci_shm.engine_runs = false;
}

void sisci_dma_post(sisci_transfer *transfer)
{
    sisci_transfer **link = &sisci_shm.transfers;

    while (*link != NULL)
        link = &(*link)->next;
    *link = transfer;
    sisci_notify();
}
