/* Internals of the technology ofi, shared by its files: a driver of remote/ over libfabric.
 *
 * Each process has one endpoint for reliable datagrams (FI_EP_RDM) and one completion queue for
 * both directions. With the method message, header and payload go as one message into one of the
 * receives that the target has posted, whose memory is that of the slots, in any order. With the
 * method write they are written into the slot, and 32 bits of completion data tell the target the
 * sender and the number. Words go as small tagged messages in both, so that no message has to be
 * matched against their receives. */
#ifndef TRANSPORT_OFI_INTERNAL_H
#define TRANSPORT_OFI_INTERNAL_H

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include "transport/ofi/parameters.h"
#include "transport/remote/remote.h"

enum { OFI_WORD_TAG = 1 };

/* A word on its way. */
typedef struct {
    uint32_t key; /* of the job */
    uint16_t source;
    uint16_t word; /* a remote_word */
    uint32_t value;
} ofi_word;

typedef enum { OFI_SEND, OFI_SEND_WORD, OFI_RECEIVE, OFI_RECEIVE_WORD } ofi_operation_kind;

/* An operation that the provider has, or a receive that waits to be posted. */
typedef struct ofi_operation {
    struct fi_context2 context; /* for the provider; first, as it is what completions name */
    ofi_operation_kind kind;
    int rank;                 /* the target; -1: a receive */
    transport_buffer *buffer; /* that is sent */
    unsigned char *memory;    /* header and payload of a receive are put here */
    ofi_word word;
    struct ofi_operation *next; /* of those not in use */
} ofi_operation;

/* Another process. */
typedef struct {
    fi_addr_t address;
    uint64_t slots;   /* its slots for this process, as the provider addresses them */
    uint64_t key;     /* to write to them */
    bool refused;     /* the provider had no room for the last operation to it */
    uint32_t flushed; /* messages to it below this number have left */
} ofi_peer;

typedef struct {
    remote_factory base;
    const ofi_settings *settings;
    struct fi_info *info; /* the provider and domain in use */
    char files[48];       /* of the provider shm in /dev/shm, without the rank; or empty */
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *addresses;
    struct fid_cq *completions;
    struct fid_ep *endpoint;
    int wait_fd; /* of the completion queue; -1: none */
    size_t inject_most;
    bool registers;    /* the provider needs all memory registered (FI_MR_LOCAL) */
    uint64_t next_key; /* for the next registration, if keys are chosen here */
    struct fid_mr *slots_registered, *operations_registered; /* or NULL */
    ofi_peer *peers;                                         /* by rank */
    ofi_operation *operations;
    size_t operation_count;
    ofi_operation *idle_sends;
    ofi_operation *unposted;        /* receives that the provider had no room for */
    size_t receives, receives_most; /* that the provider has; that its queue holds */
    size_t words_in_flight;         /* that the provider has not sent */
    uint64_t flushing_ns;           /* when the present flush began; 0: none */
} ofi_factory;

static inline ofi_factory *ofi_factory_of(remote_factory *factory)
{
    return (ofi_factory *)factory;
}

/* provider.c: choose provider and domain; the same provider in all ranks. Collective. */
cb_status ofi_choose(ofi_factory *factory, const transport_bootstrap *bootstrap);

/* As the slot of transport_technology. */
cb_status ofi_probe(char *text, size_t bytes);

/* Whether a provider can serve the method; else false, and why not as a phrase. */
bool ofi_serves(const struct fi_info *info, bool writes, char why[CB_WHY_BYTES]);

/* fabric.c */
cb_status ofi_open(remote_factory *factory, const transport_bootstrap *bootstrap, void **address,
                   size_t *address_bytes);
cb_status ofi_connect(remote_factory *factory, int rank, const void *address, size_t bytes);
void ofi_close(remote_factory *factory);
cb_status ofi_remember(remote_factory *factory, void *memory, size_t bytes, void **handle);
void ofi_forget(remote_factory *factory, void *handle);

/* leftovers.c: the files of the provider shm, whose names are this one with the rank after it, are
 * removed by ofi_abandon, until it is dropped; false: too many factories are open. Call
 * ofi_leftovers_made when the file of this rank is there. */
bool ofi_leftovers_add(const char *name, int ranks);
void ofi_leftovers_made(void);
/* Remove the file of one rank, which was killed. */
void ofi_leftovers_of(const char *name, int rank);
void ofi_leftovers_drop(const char *name);
void ofi_abandon(void);

/* transfer.c */
cb_status ofi_post_receives(ofi_factory *factory);
cb_status ofi_send_message(remote_factory *factory, int rank, const remote_header *header,
                           transport_buffer *buffer);
cb_status ofi_send_write(remote_factory *factory, int rank, const remote_header *header,
                         transport_buffer *buffer);
cb_status ofi_tell(remote_factory *factory, int rank, remote_word word, uint32_t value);
cb_status ofi_flush(remote_factory *factory);
cb_status ofi_poll(remote_factory *factory, int from);
bool ofi_idle(remote_factory *factory);
void ofi_release(remote_factory *factory, remote_slot *slot);
void ofi_sleep(remote_factory *factory, int ms);

#endif
