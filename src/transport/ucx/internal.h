/* Internals of the technology ucx, shared by its files: the driver of remote/ for UCX.
 *
 * Method am: a message is an active message. Method put: the payload is put into the slot of the
 * receiver, the endpoint is flushed, and an announcement, which has the header, tells the receiver.
 * Words and announcements are active messages without payload.
 *
 * Threads: one at a time is in here, under the lock of the remote_factory. */
#ifndef TRANSPORT_UCX_INTERNAL_H
#define TRANSPORT_UCX_INTERNAL_H

#include <ucp/api/ucp.h>

#include "transport/remote/remote.h"
#include "transport/ucx/parameters.h"

/* Active messages by their id. UCX_MESSAGE has a ucx_header as UCX's header, UCX_TOGETHER before
 * its payload: for UCX one block costs less than two, but it has no header until all data are
 * there, so that no rendezvous can be received. */
enum { UCX_MESSAGE, UCX_TOGETHER, UCX_ANNOUNCEMENT, UCX_WORD };

enum { UCX_TOGETHER_MOST = 2048 };

enum { UCX_WORDS = REMOTE_CLOSE + 1 };

typedef struct {
    uint32_t key; /* of the job */
    uint16_t source;
    uint16_t word; /* remote_word */
    uint32_t value;
} ucx_word;

/* The header of a message: a remote_header without what the receiver knows, so that a short message
 * takes one line of the queues in shared memory. */
typedef struct {
    uint32_t key;
    uint16_t source;
    uint16_t number; /* its lower half */
    uint32_t granted, rest;
} ucx_header;

typedef struct ucx_factory ucx_factory;

typedef struct {
    ucx_factory *factory;
    int rank;
    ucp_ep_h endpoint; /* NULL: none */
    ucp_rkey_h key;    /* of the slots there; NULL with method am */
    uint64_t slots;    /* address of those for messages of this process */
    /* The library puts by active messages, which the receiver carries out in their order: the next
     * one comes after the data. */
    bool puts_in_order;
    /* The library reads a word until it has sent it. */
    ucx_word words[UCX_WORDS];
    bool busy[UCX_WORDS];
} ucx_peer;

struct ucx_factory {
    remote_factory remote;
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_mem_h memory;      /* of the slots; NULL with method am */
    ucx_peer *peers;       /* by rank */
    int events;            /* readable when an armed worker has something to do */
    bool destroying;       /* buffers may be gone */
    void *flushing;        /* request of the present flush; NULL: none */
    uint64_t flush_end_ns; /* when it is given up */
};

/* An operation that was not completed at once, in the request of the library. */
typedef struct {
    transport_buffer *buffer; /* NULL: the operation sends a word */
    unsigned word;
} ucx_request;

/* State of the message that is sent from a buffer, in the buffer's prefix. */
typedef union {
    ucx_header header;          /* method am */
    remote_header announcement; /* method put */
} ucx_sending;

static inline ucx_factory *ucx_factory_of(remote_factory *factory)
{
    return (ucx_factory *)(void *)factory;
}

static inline const ucx_settings *ucx_settings_of(const ucx_factory *factory)
{
    return factory->remote.settings;
}

/* An operation with the peer has failed. CB_ERROR_TRANSPORT. */
static inline cb_status ucx_lose(const ucx_peer *peer, const char *attempt, ucs_status_t cause)
{
    return remote_lose(&peer->factory->remote, peer->rank, attempt, ucs_status_string(cause));
}

/* factory.c */
cb_status ucx_open(remote_factory *factory, const transport_bootstrap *bootstrap, void **address,
                   size_t *address_bytes);
cb_status ucx_connect(remote_factory *factory, int rank, const void *address, size_t bytes);
void ucx_close(remote_factory *factory);

/* resources.c. ucx_check_resources refuses transports and devices that this host does not have, and
 * lists those that it has. ucx_inspect adds what the endpoint uses to the factory's network, and
 * finds out how it puts. ucx_probe is the slot of transport_technology. */
cb_status ucx_check_resources(const ucx_settings *settings);
cb_status ucx_probe(char *text, size_t bytes);
void ucx_inspect(ucx_peer *peer);

/* send.c */
cb_status ucx_send(remote_factory *factory, int rank, const remote_header *header,
                   transport_buffer *buffer);
cb_status ucx_tell(remote_factory *factory, int rank, remote_word word, uint32_t value);
bool ucx_idle(remote_factory *factory);
cb_status ucx_flush(remote_factory *factory);

/* receive.c */
ucs_status_t ucx_set_handlers(ucx_factory *factory);
cb_status ucx_poll(remote_factory *factory, int from);
void ucx_release(remote_factory *factory, remote_slot *slot);
void ucx_sleep(remote_factory *factory, int ms);

#endif
