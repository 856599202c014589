/* Receiving: the callbacks of active messages, which the library calls while it is polled. */
#include "config.h"

#include <poll.h>
#include <string.h>

#include "transport/ucx/internal.h"

enum { POLLS_MOST = 64 };

static ucs_status_t drop(ucx_factory *factory)
{
    factory->remote.counts[REMOTE_DROPPED]++;
    return UCS_OK;
}

/* Messages */

static void fetched(ucx_factory *factory, remote_slot *slot)
{
    factory->remote.counts[REMOTE_PATH_RENDEZVOUS]++;
    remote_arrived(&factory->remote, slot);
}

static void fetch_done(void *request, ucs_status_t status, size_t bytes, void *user_data)
{
    remote_slot *slot = user_data;
    ucx_factory *factory = ucx_factory_of(remote_factory_of(slot->base.owner));

    ucp_request_free(request);
    if (factory->destroying)
        return;
    if (status == UCS_OK && bytes == slot->base.size)
        fetched(factory, slot);
    else
        (void)ucx_lose(&factory->peers[slot->source], "fetch a message of",
                       status != UCS_OK ? status : UCS_ERR_MESSAGE_TRUNCATED);
}

/* Rendezvous: the payload is still at the sender. */
static ucs_status_t fetch(ucx_factory *factory, remote_slot *slot, void *descriptor)
{
    const ucp_request_param_t how = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                                     UCP_OP_ATTR_FIELD_USER_DATA |
                                                     UCP_OP_ATTR_FIELD_MEMORY_TYPE,
                                     .cb.recv_am = fetch_done,
                                     .user_data = slot,
                                     .memory_type = UCS_MEMORY_TYPE_HOST};
    ucs_status_ptr_t operation =
        ucp_am_recv_data_nbx(factory->worker, descriptor, slot->base.data, slot->base.size, &how);

    if (operation == NULL)
        fetched(factory, slot);
    else if (UCS_PTR_IS_ERR(operation))
        (void)ucx_lose(&factory->peers[slot->source], "fetch a message of",
                       UCS_PTR_STATUS(operation));
    return UCS_INPROGRESS;
}

/* Hot. The slot of a message; NULL: it is dropped. */
static inline remote_slot *expect(ucx_factory *factory, const void *start, size_t start_bytes,
                                  size_t bytes)
{
    ucx_header came;
    remote_header header;
    uint32_t next;

    if (start_bytes == sizeof(came))
        memcpy(&came, start, sizeof(came));
    if (start_bytes != sizeof(came) || came.source >= factory->remote.base.size ||
        bytes > UINT32_MAX) {
        (void)drop(factory);
        return NULL;
    }
    next = factory->remote.nodes[came.source].next;
    header = (remote_header){.key = came.key,
                             .source = came.source,
                             .number = next + (uint16_t)(came.number - next),
                             .granted = came.granted,
                             .bytes = (uint32_t)bytes,
                             .rest = came.rest};
    return remote_expect(&factory->remote, &header);
}

/* Data that the library lets the receiver keep stay where they are until the user releases the
 * message. */
static ucs_status_t take(ucx_factory *factory, remote_slot *slot, void *data,
                         const ucp_am_recv_param_t *how)
{
    const bool keeps = (how->recv_attr & UCP_AM_RECV_ATTR_FLAG_DATA) != 0;

    factory->remote.counts[REMOTE_PATH_AM]++;
    if (keeps) {
        slot->base.data = data;
        slot->backing = data;
    } else if (slot->base.size > 0) {
        memcpy(slot->base.data, data, slot->base.size);
    }
    remote_arrived(&factory->remote, slot);
    return keeps ? UCS_INPROGRESS : UCS_OK;
}

static ucs_status_t message_came(void *context, const void *start, size_t start_bytes, void *data,
                                 size_t bytes, const ucp_am_recv_param_t *how)
{
    ucx_factory *factory = context;
    remote_slot *slot = expect(factory, start, start_bytes, bytes);

    if (slot == NULL)
        return UCS_OK;
    if ((how->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0)
        return fetch(factory, slot, data);
    return take(factory, slot, data, how);
}

/* Hot. Let the message have the memory of the one released last, which a cache has. */
static inline void exchange_memory(remote_slot *slot, remote_slot *freed)
{
    unsigned char *memory = slot->memory;

    if (freed == NULL || freed->expected || freed->arrived || freed->held)
        return;
    slot->memory = freed->memory;
    freed->memory = memory;
    slot->base.data = slot->memory + REMOTE_PREFIX_BYTES;
}

/* Hot. Copied: a library whose data are kept puts the next ones into other memory, which no cache
 * has. */
static ucs_status_t together_came(void *context, const void *start, size_t start_bytes, void *data,
                                  size_t bytes, const ucp_am_recv_param_t *how)
{
    const size_t own = sizeof(ucx_header);
    ucx_factory *factory = context;
    remote_slot *slot;

    (void)start;
    if (start_bytes != 0 || bytes < own || (how->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0)
        return drop(factory);
    slot = expect(factory, data, own, bytes - own);
    if (slot == NULL)
        return UCS_OK;
    factory->remote.counts[REMOTE_PATH_AM]++;
    exchange_memory(slot, factory->remote.freed);
    memcpy(slot->base.data, (unsigned char *)data + own, bytes - own);
    remote_arrived(&factory->remote, slot);
    return UCS_OK;
}

void ucx_release(remote_factory *base, remote_slot *slot)
{
    ucp_am_data_release(ucx_factory_of(base)->worker, slot->backing);
    slot->backing = NULL;
}

/* Hot with method put. The payload is in the slot. */
static ucs_status_t announcement_came(void *context, const void *start, size_t start_bytes,
                                      void *data, size_t bytes, const ucp_am_recv_param_t *how)
{
    ucx_factory *factory = context;
    remote_header header;
    remote_slot *slot;

    (void)data;
    (void)bytes;
    (void)how;
    if (start_bytes != sizeof(header))
        return drop(factory);
    memcpy(&header, start, sizeof(header));
    slot = remote_expect(&factory->remote, &header);
    if (slot == NULL)
        return UCS_OK;
    factory->remote.counts[REMOTE_PATH_PUT]++;
    remote_arrived(&factory->remote, slot);
    return UCS_OK;
}

static ucs_status_t word_came(void *context, const void *start, size_t start_bytes, void *data,
                              size_t bytes, const ucp_am_recv_param_t *how)
{
    ucx_factory *factory = context;
    ucx_word came;

    (void)data;
    (void)bytes;
    (void)how;
    if (start_bytes != sizeof(came))
        return drop(factory);
    memcpy(&came, start, sizeof(came));
    if (came.key != factory->remote.key || came.word >= UCX_WORDS)
        return drop(factory);
    remote_told(&factory->remote, came.source, (remote_word)came.word, came.value);
    return UCS_OK;
}

static ucs_status_t set_handler(ucx_factory *factory, unsigned id, ucp_am_recv_callback_t came)
{
    const ucp_am_handler_param_t handler = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                                                          UCP_AM_HANDLER_PARAM_FIELD_CB |
                                                          UCP_AM_HANDLER_PARAM_FIELD_ARG,
                                            .id = id,
                                            .cb = came,
                                            .arg = factory};

    return ucp_worker_set_am_recv_handler(factory->worker, &handler);
}

ucs_status_t ucx_set_handlers(ucx_factory *factory)
{
    static const ucp_am_recv_callback_t came[] = {[UCX_MESSAGE] = message_came,
                                                  [UCX_TOGETHER] = together_came,
                                                  [UCX_ANNOUNCEMENT] = announcement_came,
                                                  [UCX_WORD] = word_came};
    ucs_status_t status = UCS_OK;

    for (unsigned id = 0; id < sizeof(came) / sizeof(came[0]) && status == UCS_OK; id++)
        status = set_handler(factory, id, came[id]);
    return status;
}

/* Hot. The library reports some messages at a time, in the order in which they came. A caller that
 * serves several ranks in turn has to know all that are there. */
cb_status ucx_poll(remote_factory *base, int from)
{
    const ucp_worker_h worker = ucx_factory_of(base)->worker;

    if (ucp_worker_progress(worker) != 0 && from < 0)
        for (int i = 1; i < POLLS_MOST && ucp_worker_progress(worker) != 0; i++)
            continue;
    return CB_OK;
}

/* A worker that cannot be armed has something to do already. */
void ucx_sleep(remote_factory *base, int ms)
{
    const ucx_factory *factory = ucx_factory_of(base);
    struct pollfd events = {.fd = factory->events, .events = POLLIN};

    if (ucp_worker_arm(factory->worker) == UCS_OK)
        poll(&events, 1, ms);
}
