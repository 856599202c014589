/* Sending: messages by either method, and words. What the library cannot complete at once is
 * completed by a later poll, which calls the function `done` of the operation. */
#include "config.h"

#include "transport/ucx/internal.h"

#include "base/clock.h"
#include "base/log.h"

static inline ucp_request_param_t parameters(ucp_send_nbx_callback_t done, ucx_peer *peer)
{
    return (ucp_request_param_t){.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                                 UCP_OP_ATTR_FIELD_USER_DATA |
                                                 UCP_OP_ATTR_FIELD_MEMORY_TYPE,
                                 .cb.send = done,
                                 .user_data = peer,
                                 .memory_type = UCS_MEMORY_TYPE_HOST};
}

/* Messages */

static inline ucx_sending *sending_of(ucx_peer *peer, transport_buffer *buffer)
{
    return (ucx_sending *)(void *)remote_prefix_of(&peer->factory->remote, buffer)->own;
}

_Static_assert(sizeof(ucx_sending) <= sizeof(((remote_prefix *)0)->own), "it fits the prefix");

/* The buffer of a request that has ended, or NULL if it failed: then the buffer has been given
 * back. */
static transport_buffer *end_request(ucx_peer *peer, void *request, ucs_status_t status)
{
    transport_buffer *buffer = ((ucx_request *)request)->buffer;

    ucp_request_free(request);
    if (peer->factory->destroying)
        return NULL;
    if (status == UCS_OK)
        return buffer;
    (void)ucx_lose(peer, "send to", status);
    remote_sent(&peer->factory->remote, buffer);
    return NULL;
}

/* Whether a step of sending a buffer is complete. If not, `done` follows; if it failed, nothing. */
static bool is_complete(ucx_peer *peer, transport_buffer *buffer, ucs_status_ptr_t operation)
{
    if (__builtin_expect(operation == NULL, 1))
        return true;
    if (UCS_PTR_IS_PTR(operation)) {
        ((ucx_request *)operation)->buffer = buffer;
        return false;
    }
    (void)ucx_lose(peer, "send to", UCS_PTR_STATUS(operation));
    remote_sent(&peer->factory->remote, buffer);
    return false;
}

static void message_done(void *request, ucs_status_t status, void *user_data)
{
    ucx_peer *peer = user_data;
    transport_buffer *buffer = end_request(peer, request, status);

    if (buffer != NULL)
        remote_sent(&peer->factory->remote, buffer);
}

static void announce(ucx_peer *peer, transport_buffer *buffer)
{
    const ucp_request_param_t how = parameters(message_done, peer);
    const remote_header *header = &sending_of(peer, buffer)->announcement;

    if (is_complete(peer, buffer,
                    ucp_am_send_nbx(peer->endpoint, UCX_ANNOUNCEMENT, header, sizeof(*header), NULL,
                                    0, &how)))
        remote_sent(&peer->factory->remote, buffer);
}

static void flush_done(void *request, ucs_status_t status, void *user_data)
{
    transport_buffer *buffer = end_request(user_data, request, status);

    if (buffer != NULL)
        announce(user_data, buffer);
}

/* A put is complete when its source may be used again; a flush, when the data are in the memory of
 * the receiver. A flush of puts in order would end only when both processes have polled. */
static void follow_put(ucx_peer *peer, transport_buffer *buffer)
{
    const ucp_request_param_t how = parameters(flush_done, peer);

    if (peer->puts_in_order || is_complete(peer, buffer, ucp_ep_flush_nbx(peer->endpoint, &how)))
        announce(peer, buffer);
}

static void put_done(void *request, ucs_status_t status, void *user_data)
{
    transport_buffer *buffer = end_request(user_data, request, status);

    if (buffer != NULL)
        follow_put(user_data, buffer);
}

/* Whether a header can be written before the payload: not before memory of the library, unless the
 * message came with one there. */
static inline bool has_place(const remote_factory *remote, transport_buffer *buffer)
{
    return !remote_is_slot(remote, buffer) || remote_is_in_slots(remote, buffer->data) ||
           remote_slot_of(buffer)->backing != buffer->data;
}

static inline ucs_status_ptr_t send_message(ucx_peer *peer, const remote_header *header,
                                            transport_buffer *buffer)
{
    const bool together =
        header->bytes <= UCX_TOGETHER_MOST && has_place(&peer->factory->remote, buffer);
    ucp_request_param_t how = parameters(message_done, peer);
    ucx_header *start =
        together ? (ucx_header *)buffer->data - 1 : &sending_of(peer, buffer)->header;

    *start = (ucx_header){.key = header->key,
                          .source = header->source,
                          .number = (uint16_t)header->number,
                          .granted = header->granted,
                          .rest = header->rest};
    if (!together)
        return ucp_am_send_nbx(peer->endpoint, UCX_MESSAGE, start, sizeof(*start), buffer->data,
                               header->bytes, &how);
    how.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
    how.flags = UCP_AM_SEND_FLAG_EAGER;
    return ucp_am_send_nbx(peer->endpoint, UCX_TOGETHER, NULL, 0, start,
                           sizeof(*start) + header->bytes, &how);
}

/* An empty message is its announcement. */
static inline ucs_status_ptr_t put_message(ucx_peer *peer, const remote_header *header,
                                           transport_buffer *buffer)
{
    const remote_factory *remote = &peer->factory->remote;
    const ucp_request_param_t how = parameters(put_done, peer);
    const uint64_t slot = header->number & (remote->outstanding - 1);

    sending_of(peer, buffer)->announcement = *header;
    if (header->bytes == 0)
        return NULL;
    return ucp_put_nbx(peer->endpoint, buffer->data, header->bytes,
                       peer->slots + slot * remote->slot_bytes + REMOTE_PREFIX_BYTES, peer->key,
                       &how);
}

/* Hot. The library queues what it has no room for. */
cb_status ucx_send(remote_factory *base, int rank, const remote_header *header,
                   transport_buffer *buffer)
{
    ucx_peer *peer = &ucx_factory_of(base)->peers[rank];
    ucs_status_ptr_t operation;

    operation =
        base->writes ? put_message(peer, header, buffer) : send_message(peer, header, buffer);
    if (__builtin_expect(UCS_PTR_IS_ERR(operation), 0))
        return UCS_PTR_STATUS(operation) == UCS_ERR_NO_RESOURCE
                   ? CB_EMPTY
                   : ucx_lose(peer, "send to", UCS_PTR_STATUS(operation));
    if (!is_complete(peer, buffer, operation))
        return CB_OK;
    if (base->writes)
        follow_put(peer, buffer);
    else
        remote_sent(base, buffer);
    return CB_OK;
}

/* Words: of each kind one at a time. */

static void word_done(void *request, ucs_status_t status, void *user_data)
{
    const unsigned word = ((ucx_request *)request)->word;
    ucx_peer *peer = user_data;

    ucp_request_free(request);
    peer->busy[word] = false;
    if (status != UCS_OK && !peer->factory->destroying)
        (void)ucx_lose(peer, "send to", status);
}

cb_status ucx_tell(remote_factory *base, int rank, remote_word word, uint32_t value)
{
    ucx_peer *peer = &ucx_factory_of(base)->peers[rank];
    const ucp_request_param_t how = parameters(word_done, peer);
    ucs_status_ptr_t operation;

    if (peer->busy[word])
        return CB_EMPTY;
    peer->words[word] = (ucx_word){.key = base->key,
                                   .source = (uint16_t)base->base.rank,
                                   .word = (uint16_t)word,
                                   .value = value};
    operation = ucp_am_send_nbx(peer->endpoint, UCX_WORD, &peer->words[word],
                                sizeof(peer->words[word]), NULL, 0, &how);
    if (UCS_PTR_IS_ERR(operation))
        return UCS_PTR_STATUS(operation) == UCS_ERR_NO_RESOURCE
                   ? CB_EMPTY
                   : ucx_lose(peer, "send to", UCS_PTR_STATUS(operation));
    if (operation != NULL) {
        ((ucx_request *)operation)->word = (unsigned)word;
        peer->busy[word] = true;
    }
    return CB_OK;
}

bool ucx_idle(remote_factory *base)
{
    const ucx_factory *factory = ucx_factory_of(base);

    for (int rank = 0; rank < base->base.size; rank++)
        for (int word = 0; word < UCX_WORDS; word++)
            if (factory->peers[rank].busy[word])
                return false;
    return true;
}

/* Flushing */

static cb_status end_flush(ucs_status_t status)
{
    if (status == UCS_OK)
        return CB_OK;
    cb_error("cannot complete what was sent over ucx: %s; see the messages of other ranks",
             ucs_status_string(status));
    return CB_ERROR_TRANSPORT;
}

/* The library may have copied a message and not sent all of it. Where it puts by active messages, a
 * flush awaits the receivers' answers, too; but a rank that does not poll is not waited for. */
cb_status ucx_flush(remote_factory *base)
{
    const uint64_t limit_ns = UINT64_C(1000000000);
    const ucp_request_param_t plain = {.op_attr_mask = 0};
    ucx_factory *factory = ucx_factory_of(base);
    ucs_status_t status;

    if (factory->flushing == NULL) {
        ucs_status_ptr_t operation = ucp_worker_flush_nbx(factory->worker, &plain);

        if (!UCS_PTR_IS_PTR(operation))
            return end_flush(UCS_PTR_STATUS(operation));
        factory->flushing = operation;
        factory->flush_end_ns = cb_now_ns() + limit_ns;
    }
    status = ucp_request_check_status(factory->flushing);
    if (status == UCS_INPROGRESS && cb_now_ns() < factory->flush_end_ns)
        return CB_EMPTY;
    ucp_request_free(factory->flushing);
    factory->flushing = NULL;
    return status == UCS_INPROGRESS ? CB_OK : end_flush(status);
}
