/* The technology rma: messages and words into the windows of others, and looking for those that
 * came into this one.
 *
 * A message is one MPI_Put of its payload. MPI_Win_flush completes it at the target, and only then
 * a word with its number and length goes to the target's mailbox, by an accumulate, which is atomic
 * where a put is not. Pieces of one message share the flush. Those that others follow are put with
 * their header, which tells how much follows.
 *
 * A local flush makes the library send the accumulate. MPICH waits for the target even then, so a
 * send may wait for it. A receive must not: the words that it tells, grants, are messages of MPI,
 * which a poll finds when it enters the library. */
#include "transport/rma/internal.h"

enum { POLLS_BETWEEN_WORDS = 16 };

/* Sending */

static inline uint64_t word_of(const remote_header *header)
{
    return (uint64_t)(uint16_t)(header->number + 1) << RMA_NUMBER_SHIFT |
           (uint64_t)(uint16_t)header->granted << RMA_GRANT_SHIFT |
           (uint64_t)(header->rest > 0) << RMA_HEADER_SHIFT | header->bytes;
}

/* Replace the words of what was put by those of the messages: one accumulate for neighbours. */
static cb_status replace_words(rma_factory *rma, int rank)
{
    const uint32_t outstanding = rma->remote.outstanding;
    rma_peer *peer = &rma->peers[rank];
    int code = MPI_SUCCESS;

    while (peer->announced != peer->written && code == MPI_SUCCESS) {
        const uint32_t place = peer->announced & (outstanding - 1);
        const uint32_t due = peer->written - peer->announced;
        const int words = (int)(due < outstanding - place ? due : outstanding - place);

        code = MPI_Accumulate(&peer->words[place], words, MPI_UINT64_T, rank,
                              peer->mailbox + (MPI_Aint)(place * sizeof(uint64_t)), words,
                              MPI_UINT64_T, MPI_REPLACE, rma->window);
        peer->announced += (uint32_t)words;
    }
    if (__builtin_expect(code == MPI_SUCCESS, 1))
        code = MPI_Win_flush_local(rank, rma->window);
    return __builtin_expect(code == MPI_SUCCESS, 1)
               ? CB_OK
               : rma_failed(rma, rank, "announce a message to", code);
}

/* Announce what was put to a rank. The library needs the buffers no longer, also after an error. */
static cb_status announce(rma_factory *rma, int rank)
{
    rma_peer *peer = &rma->peers[rank];
    transport_buffer *buffer = peer->first;
    int code = MPI_Win_flush(rank, rma->window);
    cb_status status = __builtin_expect(code == MPI_SUCCESS, 1)
                           ? replace_words(rma, rank)
                           : rma_failed(rma, rank, "complete a write to", code);

    peer->first = NULL;
    while (buffer != NULL) {
        transport_buffer *next = buffer->next;

        remote_sent(&rma->remote, buffer);
        buffer = next;
    }
    return status;
}

/* The offset of the payload of a message in the window of its target. */
static inline MPI_Aint place_of(const rma_factory *rma, const rma_peer *peer, uint32_t number)
{
    size_t slot = number & (rma->remote.outstanding - 1);

    return peer->slots + (MPI_Aint)(slot * rma->remote.slot_bytes + REMOTE_PREFIX_BYTES);
}

static inline void append(rma_peer *peer, transport_buffer *buffer)
{
    buffer->next = NULL;
    if (peer->first == NULL)
        peer->first = buffer;
    else
        peer->last->next = buffer;
    peer->last = buffer;
}

/* Hot. A piece that others follow is announced with the last of them, or by the next poll if these
 * have no credit. An error of announcing loses the rank, and does not give the buffer back. */
cb_status rma_send(remote_factory *factory, int rank, const remote_header *header,
                   transport_buffer *buffer)
{
    rma_factory *rma = rma_factory_of(factory);
    rma_peer *peer = &rma->peers[rank];
    MPI_Aint place = place_of(rma, peer, header->number);
    unsigned char *start = buffer->data;
    int bytes = (int)header->bytes;
    bool waiting = peer->first != NULL;
    int code = MPI_SUCCESS;

    if (__builtin_expect(header->rest > 0, 0)) {
        remote_prefix_at(buffer->data)->header = *header;
        start -= sizeof(*header);
        place -= (MPI_Aint)sizeof(*header);
        bytes += (int)sizeof(*header);
    }
    if (bytes > 0)
        code = MPI_Put(start, bytes, MPI_BYTE, rank, place, bytes, MPI_BYTE, rma->window);
    if (__builtin_expect(code != MPI_SUCCESS, 0))
        return rma_failed(rma, rank, "write to", code);
    peer->words[header->number & (factory->outstanding - 1)] = word_of(header);
    peer->written = header->number + 1;
    append(peer, buffer);
    if (__builtin_expect(header->rest > 0, 0)) {
        rma->unannounced += !waiting;
        return CB_OK;
    }
    rma->unannounced -= waiting;
    (void)announce(rma, rank);
    return CB_OK;
}

__attribute__((noinline)) static cb_status announce_all(rma_factory *rma)
{
    cb_status status = CB_OK;

    for (int rank = 0; rank < rma->remote.base.size; rank++)
        if (rma->peers[rank].first != NULL) {
            cb_status now = announce(rma, rank);

            status = status == CB_OK ? now : status;
        }
    rma->unannounced = 0;
    return status;
}

/* CB_EMPTY: the last one is under way. */
cb_status rma_tell(remote_factory *factory, int rank, remote_word word, uint32_t value)
{
    rma_factory *rma = rma_factory_of(factory);
    rma_peer *peer = &rma->peers[rank];
    int done = 0;
    int code = MPI_Test(&peer->requests[word], &done, MPI_STATUS_IGNORE);

    if (code == MPI_SUCCESS && !done)
        return CB_EMPTY;
    peer->told[word] = value;
    if (code == MPI_SUCCESS)
        code = MPI_Isend(&peer->told[word], 1, MPI_UINT32_T, rank, (int)word, rma->communicator,
                         &peer->requests[word]);
    return code == MPI_SUCCESS ? CB_OK : rma_failed(rma, rank, "send to", code);
}

/* A send that failed is reported by the next word. */
bool rma_idle(remote_factory *factory)
{
    rma_factory *rma = rma_factory_of(factory);
    bool idle = true;

    for (int rank = 0; rank < factory->base.size; rank++) {
        int done = 1;

        if (MPI_Testall(RMA_WORDS, rma->peers[rank].requests, &done, MPI_STATUSES_IGNORE) ==
            MPI_SUCCESS)
            idle = idle && done;
    }
    return idle;
}

/* Receiving */

static inline void report(rma_factory *rma, int source, uint32_t number, uint64_t word)
{
    const uint32_t room = rma->remote.nodes[source].room;
    remote_header header = {.key = rma->remote.key,
                            .source = (uint16_t)source,
                            .number = number,
                            .granted = room + (uint16_t)((word >> RMA_GRANT_SHIFT) - room),
                            .bytes = (uint32_t)word & ~(UINT32_C(1) << RMA_HEADER_SHIFT)};
    remote_slot *slot;

    if (__builtin_expect((word >> RMA_HEADER_SHIFT & 1) != 0, 0)) {
        size_t place = remote_slot_index(&rma->remote, source, number);
        const void *memory = rma->remote.slots[place].memory;

        header.rest = ((const remote_prefix *)memory)->header.rest;
    }
    slot = remote_expect(&rma->remote, &header);
    if (slot == NULL)
        return;
    rma->remote.counts[REMOTE_PATH_PUT]++;
    remote_arrived(&rma->remote, slot);
}

/* Hot. Report what a source has written; false: nothing. The load pairs with the flush of the
 * source before its accumulate. */
static inline bool look_at(rma_factory *rma, int source)
{
    rma_peer *peer = &rma->peers[source];
    const uint32_t before = peer->reported;

    for (;;) {
        const uint64_t *place = &peer->here[peer->reported & (rma->remote.outstanding - 1)];
        const uint64_t word = __atomic_load_n(place, __ATOMIC_ACQUIRE);

        if ((uint16_t)(word >> RMA_NUMBER_SHIFT) != (uint16_t)(peer->reported + 1))
            return peer->reported != before;
        report(rma, source, peer->reported++, word);
    }
}

static bool look_at_all(rma_factory *rma)
{
    bool found = false;

    for (int source = 0; source < rma->remote.base.size; source++)
        found = look_at(rma, source) || found;
    return found;
}

static cb_status poll_failed(rma_factory *rma, int code)
{
    return rma_failed(rma, rma->remote.base.rank, "poll at", code);
}

/* Take the words that have come. This also lets the library progress: some apply what others write
 * only in calls of the target. */
static cb_status take_words(rma_factory *rma)
{
    int found = 0, code;

    do {
        MPI_Status status;
        uint32_t value;

        code = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, rma->communicator, &found, &status);
        if (__builtin_expect(code != MPI_SUCCESS, 0))
            return poll_failed(rma, code);
        if (found) {
            code = MPI_Recv(&value, 1, MPI_UINT32_T, status.MPI_SOURCE, status.MPI_TAG,
                            rma->communicator, MPI_STATUS_IGNORE);
            if (code != MPI_SUCCESS)
                return poll_failed(rma, code);
            remote_told(&rma->remote, status.MPI_SOURCE, (remote_word)status.MPI_TAG, value);
        }
    } while (found);
    return CB_OK;
}

/* Hot. The other ranks are looked at when the awaited one has written nothing. They are looked at
 * and words are taken, too, when messages wait for grants, and now and then while messages come: of
 * a grant the mailbox has 16 bits. */
cb_status rma_poll(remote_factory *factory, int from)
{
    rma_factory *rma = rma_factory_of(factory);
    bool found, due;
    int code;

    if (__builtin_expect(rma->unannounced > 0, 0))
        CB_TRY(announce_all(rma));
    code = MPI_Win_sync(rma->window);
    if (__builtin_expect(code != MPI_SUCCESS, 0))
        return poll_failed(rma, code);
    found = from >= 0 && look_at(rma, from);
    due = transport_has_queued(&rma->remote.queued);
    if (found)
        due = ++rma->busy_polls % POLLS_BETWEEN_WORDS == 0 || due;
    if (found && !due)
        return CB_OK;
    found = look_at_all(rma) || found;
    if (found && from < 0)
        due = ++rma->busy_polls % POLLS_BETWEEN_WORDS == 0 || due;
    return found && !due ? CB_OK : take_words(rma);
}
