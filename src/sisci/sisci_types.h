/* The types of SISCI API 2: opaque handles, statuses, and the forms of callbacks. A handle belongs
 * to the process that made it and is invalid once it has been removed, closed or disconnected. */
#ifndef SISCI_SHM_TYPES_H
#define SISCI_SHM_TYPES_H

#include <stddef.h>

#include "sisci_error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sci_desc *sci_desc_t;                         /* a virtual device */
typedef struct sci_local_segment *sci_local_segment_t;       /* memory of this process */
typedef struct sci_remote_segment *sci_remote_segment_t;     /* a connection to memory */
typedef struct sci_map *sci_map_t;                           /* a segment in the address space */
typedef struct sci_sequence *sci_sequence_t;                 /* checks transfers of one map */
typedef struct sci_dma_queue *sci_dma_queue_t;               /* transfers by the DMA engine */
typedef struct sci_local_interrupt *sci_local_interrupt_t;   /* can be waited for */
typedef struct sci_remote_interrupt *sci_remote_interrupt_t; /* can be triggered */
typedef struct sci_local_data_interrupt *sci_local_data_interrupt_t;
typedef struct sci_remote_data_interrupt *sci_remote_data_interrupt_t;

/* Why the callback of a segment is called, or what a wait for its events has found. */
typedef enum {
    SCI_CB_CONNECT = 1,     /* local: a process has connected */
    SCI_CB_DISCONNECT,      /* local: a process has disconnected or ended; remote: a request to
                               disconnect */
    SCI_CB_NOT_OPERATIONAL, /* the link is down; never here, where the link is memory */
    SCI_CB_OPERATIONAL,     /* the link is up again; never here */
    SCI_CB_LOST             /* remote: the owner, or a member of the group, has ended or has forced
                               the connection */
} sci_segment_cb_reason_t;

typedef enum {
    SCI_SEQ_OK,            /* all stores have arrived */
    SCI_SEQ_RETRIABLE,     /* some have not: send them again now */
    SCI_SEQ_NOT_RETRIABLE, /* send again only after SCIStartSequence() returns SCI_SEQ_OK */
    SCI_SEQ_PENDING /* not yet known: repeat SCIStartSequence() until it is, then send again */
} sci_sequence_status_t;

typedef enum {
    SCI_DMAQUEUE_IDLE,    /* nothing was ever started */
    SCI_DMAQUEUE_GATHER,  /* from before API 2; never here */
    SCI_DMAQUEUE_POSTED,  /* transfers are pending */
    SCI_DMAQUEUE_DONE,    /* all have succeeded */
    SCI_DMAQUEUE_ABORTED, /* SCIAbortDMAQueue() has ended them */
    SCI_DMAQUEUE_ERROR    /* at least one of the last batch has failed */
} sci_dma_queue_state_t;

/* The result of a callback: SCI_CALLBACK_CANCEL means no further calls for its object. */
typedef enum { SCI_CALLBACK_CANCEL = 1, SCI_CALLBACK_CONTINUE } sci_callback_action_t;

/* All callbacks run on one thread of the library, one at a time, with signals blocked. They may use
 * the library, but not remove, disconnect or close the object that they are called for
 * (SCI_ERR_BUSY). */
typedef sci_callback_action_t (*sci_cb_local_segment_t)(void *arg, sci_local_segment_t segment,
                                                        sci_segment_cb_reason_t reason,
                                                        unsigned int nodeId,
                                                        unsigned int localAdapterNo,
                                                        sci_error_t error);
typedef sci_callback_action_t (*sci_cb_remote_segment_t)(void *arg, sci_remote_segment_t segment,
                                                         sci_segment_cb_reason_t reason,
                                                         sci_error_t status);
typedef sci_callback_action_t (*sci_cb_dma_t)(void *arg, sci_dma_queue_t queue, sci_error_t status);
typedef sci_callback_action_t (*sci_cb_interrupt_t)(void *arg, sci_local_interrupt_t interrupt,
                                                    sci_error_t status);
/* `data` is valid during the call only. */
typedef sci_callback_action_t (*sci_cb_data_interrupt_t)(void *arg,
                                                         sci_local_data_interrupt_t interrupt,
                                                         void *data, unsigned int length,
                                                         sci_error_t status);

#ifdef __cplusplus
}
#endif

#endif
