/* The DMA engine: a thread that takes posted transfers one after the other, whichever queue they
 * are of. All functions are called with the library locked. */
#ifndef SISCI_DMA_H
#define SISCI_DMA_H

#include <stdatomic.h>

#include "sisci/library.h"
#include "sisci/remote.h"
#include "sisci/segment.h"

typedef struct sisci_transfer {
    struct sisci_transfer *next;
    sci_dma_queue_t queue;
    sci_local_segment_t local;
    sci_remote_segment_t remote;
    size_t local_offset, remote_offset, size;
    bool read;    /* from the remote segment */
    bool awaited; /* whoever started it waits for it, and frees it */
    bool done;    /* with this status: */
    sci_error_t status;
    sci_cb_dma_t callback; /* NULL: none */
    void *callback_argument;
} sisci_transfer;

struct sci_dma_queue {
    sisci_resource resource;
    unsigned entries; /* at most so many under way */
    unsigned under_way;
    sci_dma_queue_state_t state;
    bool failed;               /* one of those since the queue was last empty */
    _Atomic uint32_t aborted;  /* those under way end where they are */
    sisci_transfer *completed; /* to be called back for, the oldest first */
};

/* Make sure that the engine runs; false: no thread could be started. */
bool sisci_dma_start(void);

/* Let the engine finish what is posted, and stop it. */
void sisci_dma_stop(void);

/* Hand a transfer to the engine. */
void sisci_dma_post(sisci_transfer *transfer);

/* In dma.c: a transfer is over. */
void sisci_dma_complete(sisci_transfer *transfer);

#endif
