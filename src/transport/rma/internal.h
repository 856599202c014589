/* Internals of the technology rma, shared by its files. */
#ifndef TRANSPORT_RMA_INTERNAL_H
#define TRANSPORT_RMA_INTERNAL_H

#include <mpi.h>

#include "base/memory.h"
#include "transport/remote/remote.h"
#include "transport/rma/parameters.h"

/* What tells of a message: its number + 1 and its grant (16 lower bits of each), whether its header
 * is before its payload, and its bytes. A source has a mailbox of one word for each slot here, in
 * whole lines, so that no two sources write the same line, and replaces a word as a whole. */
enum { RMA_NUMBER_SHIFT = 48, RMA_GRANT_SHIFT = 32, RMA_HEADER_SHIFT = 31 };

/* Where the mailboxes and slots of a process are, in bytes from the beginning of its window. */
typedef struct {
    uint64_t mailboxes, slots;
} rma_address;

enum { RMA_WORDS = REMOTE_CLOSE + 1 };

typedef struct {
    uint32_t written, announced;    /* messages below these were put; are in the mailbox there */
    uint32_t reported;              /* messages below this were reported to the protocol */
    uint64_t *words;                /* by slot: origins of the accumulates */
    const uint64_t *here;           /* the mailbox of that rank, in the window */
    MPI_Aint mailbox, slots;        /* at the other process, for this one */
    transport_buffer *first, *last; /* pieces put there and not announced; linked by `next` */
    uint32_t told[RMA_WORDS];       /* by remote_word: the value that was sent last, and its send */
    MPI_Request requests[RMA_WORDS];
} rma_peer;

/* How far the opening has come. */
typedef enum { RMA_NOTHING, RMA_COMMUNICATOR, RMA_WINDOW, RMA_LOCKED } rma_stage;

typedef struct {
    remote_factory remote;
    rma_stage stage;
    MPI_Comm communicator;
    MPI_Win window;
    rma_peer *peers;     /* by rank */
    uint64_t *words;     /* of all peers */
    size_t unannounced;  /* peers with pieces that are not announced */
    unsigned busy_polls; /* that found messages */
} rma_factory;

static inline rma_factory *rma_factory_of(remote_factory *factory)
{
    return (rma_factory *)factory;
}

/* window.c. rma_failed: an operation with a rank failed, which is lost then. */
cb_status rma_window_open(remote_factory *factory, const transport_bootstrap *bootstrap,
                          void **address, size_t *address_bytes);
cb_status rma_window_connect(remote_factory *factory, int rank, const void *address, size_t bytes);
void rma_window_close(remote_factory *factory);
cb_status rma_failed(rma_factory *rma, int rank, const char *attempt, int code);

/* transfer.c */
cb_status rma_send(remote_factory *factory, int rank, const remote_header *header,
                   transport_buffer *buffer);
cb_status rma_tell(remote_factory *factory, int rank, remote_word word, uint32_t value);
cb_status rma_poll(remote_factory *factory, int from);
bool rma_idle(remote_factory *factory);

#endif
