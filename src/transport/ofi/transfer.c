/* Sends, writes, receives and completions. */
#include "transport/ofi/internal.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include "base/clock.h"
#include "base/log.h"

enum { BATCH = 16, NUMBER_BITS = 16 };

/* For providers that need all memory registered */

static inline void *descriptor_of(struct fid_mr *registration)
{
    return __builtin_expect(registration != NULL, 0) ? fi_mr_desc(registration) : NULL;
}

/* Of a buffer of the pool, or of a slot that is sent on. */
static inline void *descriptor_of_buffer(const ofi_factory *factory, const transport_buffer *buffer)
{
    struct fid_mr *own;

    if (__builtin_expect(!factory->registers, 1))
        return NULL;
    own = remote_prefix_at(buffer->data)->handle;
    return fi_mr_desc(own != NULL ? own : factory->slots_registered);
}

/* Operations */

/* NULL: as many are under way as the provider's transmit queue holds. */
static inline ofi_operation *take_send(ofi_factory *factory)
{
    ofi_operation *operation = factory->idle_sends;

    if (__builtin_expect(operation != NULL, 1))
        factory->idle_sends = operation->next;
    return operation;
}

static inline void give_send(ofi_factory *factory, ofi_operation *operation)
{
    operation->next = factory->idle_sends;
    factory->idle_sends = operation;
}

static cb_status lose(ofi_factory *factory, int rank, const char *attempt, int error)
{
    char cause[128];

    snprintf(cause, sizeof(cause), "provider %s: %s", factory->info->fabric_attr->prov_name,
             fi_strerror(error));
    return remote_lose(&factory->base, rank, attempt, cause);
}

/* The outcome of an operation to a rank that the provider took, has no room for, or refuses. */
static inline cb_status judge(ofi_factory *factory, int rank, ssize_t result)
{
    ofi_peer *peer = &factory->peers[rank];

    if (__builtin_expect(result == 0 && !peer->refused, 1))
        return CB_OK;
    factory->base.counts[REMOTE_RETRIES] += peer->refused;
    peer->refused = result == -FI_EAGAIN;
    if (result == 0)
        return CB_OK;
    if (result == -FI_EAGAIN)
        return CB_EMPTY;
    return lose(factory, rank, "send to", (int)-result);
}

/* Hot. The header goes directly before the payload. */
static inline unsigned char *put_header(const remote_header *header, const transport_buffer *buffer)
{
    remote_header *at = &remote_prefix_at(buffer->data)->header;

    *at = *header;
    return (unsigned char *)at;
}

/* Hot. */
cb_status ofi_send_message(remote_factory *base, int rank, const remote_header *header,
                           transport_buffer *buffer)
{
    ofi_factory *factory = ofi_factory_of(base);
    const fi_addr_t to = factory->peers[rank].address;
    const size_t bytes = sizeof(*header) + header->bytes;
    const unsigned char *block = put_header(header, buffer);
    ofi_operation *operation;
    cb_status status;

    if (bytes <= factory->inject_most) {
        status = judge(factory, rank, fi_inject(factory->endpoint, block, bytes, to));
        if (status == CB_OK)
            remote_sent(base, buffer);
        return status;
    }
    operation = take_send(factory);
    if (operation == NULL)
        return CB_EMPTY;
    operation->kind = OFI_SEND;
    operation->rank = rank;
    operation->buffer = buffer;
    status = judge(factory, rank,
                   fi_send(factory->endpoint, block, bytes, descriptor_of_buffer(factory, buffer),
                           to, operation));
    if (status != CB_OK)
        give_send(factory, operation);
    return status;
}

/* Hot. */
cb_status ofi_send_write(remote_factory *base, int rank, const remote_header *header,
                         transport_buffer *buffer)
{
    ofi_factory *factory = ofi_factory_of(base);
    const ofi_peer *peer = &factory->peers[rank];
    const size_t bytes = sizeof(*header) + header->bytes;
    const unsigned char *block = put_header(header, buffer);
    const uint64_t notice =
        (uint64_t)header->source << NUMBER_BITS | (header->number & ((1u << NUMBER_BITS) - 1));
    const uint64_t at = peer->slots +
                        (uint64_t)(header->number & (base->outstanding - 1)) * base->slot_bytes +
                        offsetof(remote_prefix, header);
    ofi_operation *operation;
    cb_status status;

    if (bytes <= factory->inject_most) {
        status = judge(factory, rank,
                       fi_inject_writedata(factory->endpoint, block, bytes, notice, peer->address,
                                           at, peer->key));
        if (status == CB_OK)
            remote_sent(base, buffer);
        return status;
    }
    operation = take_send(factory);
    if (operation == NULL)
        return CB_EMPTY;
    operation->kind = OFI_SEND;
    operation->rank = rank;
    operation->buffer = buffer;
    status =
        judge(factory, rank,
              fi_writedata(factory->endpoint, block, bytes, descriptor_of_buffer(factory, buffer),
                           notice, peer->address, at, peer->key, operation));
    if (status != CB_OK)
        give_send(factory, operation);
    return status;
}

/* A rank that has closed its end may be gone: an error in telling it a word is no loss. */
static inline bool needs_no_words(const ofi_factory *factory, int rank)
{
    return factory->base.nodes[rank].closed == 2;
}

/* Not injected: at close and in a flush it has to be known when the provider has sent it. */
cb_status ofi_tell(remote_factory *base, int rank, remote_word word, uint32_t value)
{
    ofi_factory *factory = ofi_factory_of(base);
    ofi_operation *operation = take_send(factory);
    ssize_t result;

    if (operation == NULL)
        return CB_EMPTY;
    operation->kind = OFI_SEND_WORD;
    operation->rank = rank;
    operation->word = (ofi_word){.key = base->key,
                                 .source = (uint16_t)base->base.rank,
                                 .word = (uint16_t)word,
                                 .value = value};
    result = fi_tsend(factory->endpoint, &operation->word, sizeof(operation->word),
                      descriptor_of(factory->operations_registered), factory->peers[rank].address,
                      OFI_WORD_TAG, operation);
    if (result == 0)
        factory->words_in_flight++;
    else
        give_send(factory, operation);
    if (result != 0 && result != -FI_EAGAIN && needs_no_words(factory, rank))
        return CB_OK;
    return judge(factory, rank, result);
}

bool ofi_idle(remote_factory *base)
{
    return ofi_factory_of(base)->words_in_flight == 0;
}

/* Flushing */

/* Nothing tells when an injected message has left a provider that queues it (tcp, while a socket is
 * full). A word leaves after it and is completed: the last grant to that rank once more. */
static cb_status tell_after_messages(ofi_factory *factory, int rank)
{
    const remote_node *node = &factory->base.nodes[rank];
    ofi_peer *peer = &factory->peers[rank];
    cb_status status;

    if (peer->flushed == node->number || node->lost != CB_OK)
        return CB_OK;
    status = ofi_tell(&factory->base, rank, REMOTE_GRANT, node->granted);
    if (status == CB_OK)
        peer->flushed = node->number;
    return status;
}

/* A rank that does not poll may have no room for the word: it is not waited for. */
cb_status ofi_flush(remote_factory *base)
{
    ofi_factory *factory = ofi_factory_of(base);
    const uint64_t limit_ns = UINT64_C(1000000000);
    bool all = true;

    for (int rank = 0; factory->inject_most > 0 && rank < base->base.size; rank++) {
        const cb_status status = tell_after_messages(factory, rank);

        if (cb_is_error(status))
            return status;
        all = all && status == CB_OK;
    }
    if (!all || !ofi_idle(base)) {
        const uint64_t now_ns = cb_now_ns();

        if (factory->flushing_ns == 0)
            factory->flushing_ns = now_ns;
        if (now_ns - factory->flushing_ns < limit_ns)
            return CB_EMPTY;
    }
    factory->flushing_ns = 0;
    return CB_OK;
}

/* Receives */

/* Hot. Some providers do not tell a full queue from other causes: it is not filled beyond its size.
 */
static inline ssize_t post(ofi_factory *factory, ofi_operation *operation)
{
    const size_t before = offsetof(remote_prefix, header);
    ssize_t result;

    if (__builtin_expect(factory->receives == factory->receives_most, 0))
        return -FI_EAGAIN;
    if (operation->kind == OFI_RECEIVE_WORD)
        result = fi_trecv(factory->endpoint, &operation->word, sizeof(operation->word),
                          descriptor_of(factory->operations_registered), FI_ADDR_UNSPEC,
                          OFI_WORD_TAG, 0, operation);
    else
        result = fi_recv(factory->endpoint, operation->memory, factory->base.slot_bytes - before,
                         descriptor_of(factory->slots_registered), FI_ADDR_UNSPEC, operation);
    factory->receives += result == 0;
    return result;
}

/* Receives of words before those of messages: without one, no grant would come. */
static void keep_unposted(ofi_factory *factory, ofi_operation *operation)
{
    ofi_operation **place = &factory->unposted;

    while (operation->kind != OFI_RECEIVE_WORD && *place != NULL &&
           (*place)->kind == OFI_RECEIVE_WORD)
        place = &(*place)->next;
    operation->next = *place;
    *place = operation;
}

cb_status ofi_post_receives(ofi_factory *factory)
{
    while (factory->unposted != NULL) {
        ofi_operation *operation = factory->unposted;
        ssize_t result = post(factory, operation);

        if (result == -FI_EAGAIN)
            return CB_OK;
        if (result != 0) {
            cb_error("cannot post a receive of provider %s: %s; choose another by --parameter "
                     "provider=NAME",
                     factory->info->fabric_attr->prov_name, fi_strerror((int)-result));
            return CB_ERROR_TRANSPORT;
        }
        factory->unposted = operation->next;
    }
    return CB_OK;
}

/* Hot. What the provider has no room for is posted by a later poll. */
static inline void post_again(ofi_factory *factory, ofi_operation *operation)
{
    if (__builtin_expect(factory->unposted != NULL || post(factory, operation) != 0, 0))
        keep_unposted(factory, operation);
}

/* Hot. */
void ofi_release(remote_factory *base, remote_slot *slot)
{
    ofi_operation *operation = slot->backing;

    slot->backing = NULL;
    post_again(ofi_factory_of(base), operation);
}

/* Completions */

/* Hot. */
static inline void accept_message(ofi_factory *factory, ofi_operation *operation, size_t bytes)
{
    const remote_header *header = (const remote_header *)(const void *)operation->memory;
    remote_slot *slot = NULL;

    if (bytes >= sizeof(*header) && header->bytes == bytes - sizeof(*header))
        slot = remote_expect(&factory->base, header);
    else
        factory->base.counts[REMOTE_DROPPED]++;
    if (__builtin_expect(slot == NULL, 0)) {
        post_again(factory, operation);
        return;
    }
    factory->base.counts[REMOTE_PATH_MESSAGE]++;
    slot->base.data = operation->memory + sizeof(*header);
    slot->backing = operation;
    remote_arrived(&factory->base, slot);
}

static void accept_word(ofi_factory *factory, ofi_operation *operation, size_t bytes)
{
    const ofi_word word = operation->word;

    post_again(factory, operation);
    if (bytes != sizeof(word) || word.key != factory->base.key ||
        word.source >= factory->base.base.size || word.word > REMOTE_CLOSE)
        factory->base.counts[REMOTE_DROPPED]++;
    else
        remote_told(&factory->base, word.source, (remote_word)word.word, word.value);
}

/* Hot. */
static inline void accept_written(ofi_factory *factory, uint64_t notice)
{
    const uint64_t source = notice >> NUMBER_BITS;

    if (__builtin_expect(source >= (uint64_t)factory->base.base.size, 0)) {
        factory->base.counts[REMOTE_DROPPED]++;
        return;
    }
    factory->base.counts[REMOTE_PATH_WRITE] +=
        remote_written(&factory->base, (int)source, notice & ((1u << NUMBER_BITS) - 1));
}

/* Hot. */
static inline void complete(ofi_factory *factory, const struct fi_cq_data_entry *entry)
{
    ofi_operation *operation = entry->op_context;

    if ((entry->flags & FI_REMOTE_WRITE) != 0) {
        accept_written(factory, entry->data);
        return;
    }
    switch (operation->kind) {
    case OFI_RECEIVE:
        factory->receives--;
        accept_message(factory, operation, entry->len);
        break;
    case OFI_SEND:
        give_send(factory, operation);
        remote_sent(&factory->base, operation->buffer);
        break;
    case OFI_RECEIVE_WORD:
        factory->receives--;
        accept_word(factory, operation, entry->len);
        break;
    case OFI_SEND_WORD:
        factory->words_in_flight--;
        give_send(factory, operation);
        break;
    }
}

/* A receive fails when its message is too long, which no process of the job sends, or when its
 * sender is lost, which the next send to it shows. */
static void fail(ofi_factory *factory, const struct fi_cq_err_entry *error)
{
    ofi_operation *operation = error->op_context;

    if (operation == NULL)
        return;
    if (operation->rank < 0) {
        factory->receives--;
        if (error->err != FI_ECANCELED) {
            factory->base.counts[REMOTE_DROPPED]++;
            keep_unposted(factory, operation);
        }
        return;
    }
    give_send(factory, operation);
    if (operation->kind == OFI_SEND_WORD) {
        factory->words_in_flight--;
        if (needs_no_words(factory, operation->rank))
            return;
    }
    (void)lose(factory, operation->rank, "send to", error->err);
    if (operation->kind == OFI_SEND)
        remote_sent(&factory->base, operation->buffer);
}

static cb_status read_error(ofi_factory *factory, ssize_t result)
{
    struct fi_cq_err_entry error = {.err_data_size = 0};

    if (result == -FI_EAVAIL && fi_cq_readerr(factory->completions, &error, 0) == 1) {
        fail(factory, &error);
        return CB_OK;
    }
    if (result == -FI_EAVAIL || result == -FI_EAGAIN || result == -FI_EINTR)
        return CB_OK;
    cb_error("cannot read the completions of provider %s: %s",
             factory->info->fabric_attr->prov_name, fi_strerror((int)-result));
    return CB_ERROR_TRANSPORT;
}

/* Hot. A caller that waits for any rank gets all that has come: otherwise one that sends much would
 * hide the messages of others. How much can come is limited by the credits. */
cb_status ofi_poll(remote_factory *base, int from)
{
    ofi_factory *factory = ofi_factory_of(base);
    struct fi_cq_data_entry entries[BATCH];
    ssize_t count;

    do {
        count = fi_cq_read(factory->completions, entries, BATCH);
        for (ssize_t i = 0; i < count; i++)
            complete(factory, &entries[i]);
    } while (count > 0 && from < 0);
    if (__builtin_expect(factory->unposted != NULL, 0))
        CB_TRY(ofi_post_receives(factory));
    return count > 0 || count == -FI_EAGAIN ? CB_OK : read_error(factory, count);
}

void ofi_sleep(remote_factory *base, int ms)
{
    ofi_factory *factory = ofi_factory_of(base);
    struct fid *waits_for = &factory->completions->fid;
    struct pollfd ready = {.fd = factory->wait_fd, .events = POLLIN};

    if (fi_trywait(factory->fabric, &waits_for, 1) == FI_SUCCESS)
        (void)poll(&ready, 1, ms);
}
