/* At the end, ranks compare what was sent with what was received, pair by pair. Where the sizes are
 * in different orders, the sender tells the receiver those of its messages, and the receiver puts
 * its receives in their order. */
#include "tracer/tracer.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/memory.h"
#include "base/random.h"
#include "tracer/order.h"

enum { TAG = 2 };

/* Number and sizes of the messages between this rank and another, in their order. */
typedef struct {
    uint64_t count, digest;
} message_digest;

/* Of another rank: what this one sends to it and receives from it. */
typedef struct {
    bool asks;  /* it asks for the sizes of what this rank sends to it */
    bool asked; /* this rank asks it for those of what it sends */
    uint64_t *sent;
    size_t sent_count;
    tracer_receipt *receipts;
    size_t receipt_count, receipt_room;
    size_t first_waiting; /* receipts from here on may wait for a `w` */
} arranged_peer;

static bool is_send(const tracer_record *record)
{
    switch (record->kind) {
    case TRACER_SEND:
    case TRACER_SYNCHRONOUS_SEND:
    case TRACER_BUFFERED_SEND:
    case TRACER_START_SEND:
    case TRACER_START_SYNCHRONOUS_SEND:
        return true;
    default:
        return false;
    }
}

static bool is_receive(const tracer_record *record)
{
    return record->kind == TRACER_RECEIVE || record->kind == TRACER_START_RECEIVE;
}

static void digest_message(message_digest *digest, uint64_t bytes)
{
    digest->count++;
    digest->digest = cb_mix64(digest->digest ^ bytes);
}

static cb_status digest_records(message_digest *sent, message_digest *received)
{
    for (uint64_t place = 0; place < tracer.records.count; place++) {
        tracer_record record;

        CB_TRY(tracer_records_get(&tracer.records, place, &record));
        if (is_send(&record))
            digest_message(&sent[record.peer], record.bytes);
        else if (is_receive(&record))
            digest_message(&received[record.peer], record.bytes);
    }
    return CB_OK;
}

/* Find the pairs to arrange; returns whether there are any in the job. If messages are missing at
 * one end, the pair is left as it is. */
static bool find_pairs(arranged_peer *peers)
{
    const size_t size = (size_t)tracer.size;
    message_digest *all = cb_allocate(3 * size, sizeof(*all), "the order of messages");
    int *flags = cb_allocate(2 * size, sizeof(*flags), "the order of messages");
    int mine = all != NULL && flags != NULL, found = 0, any = 0;

    PMPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_MIN, tracer.own);
    if (mine) {
        message_digest *sent = all, *received = all + size, *told = all + 2 * size;

        memset(all, 0, 3 * size * sizeof(*all));
        if (digest_records(sent, received) != CB_OK)
            tracer.on = false;
        PMPI_Alltoall(sent, 2, MPI_UINT64_T, told, 2, MPI_UINT64_T, tracer.own);
        for (size_t i = 0; i < size; i++) {
            peers[i].asked = told[i].count == received[i].count &&
                             told[i].digest != received[i].digest && tracer.on;
            peers[i].sent_count = sent[i].count;
            flags[i] = peers[i].asked;
            found |= flags[i];
        }
        PMPI_Alltoall(flags, 1, MPI_INT, flags + size, 1, MPI_INT, tracer.own);
        for (size_t i = 0; i < size; i++)
            peers[i].asks = flags[size + i] != 0;
        PMPI_Allreduce(&found, &any, 1, MPI_INT, MPI_MAX, tracer.own);
    }
    free(all);
    free(flags);
    return any != 0;
}

static cb_status note_receipt(arranged_peer *peer, uint64_t place, const tracer_record *record)
{
    tracer_receipt *receipts =
        cb_grow(peer->receipts, peer->receipt_count, &peer->receipt_room, sizeof(*receipts));

    if (receipts == NULL)
        return CB_ERROR_MEMORY;
    peer->receipts = receipts;
    receipts[peer->receipt_count++] = (tracer_receipt){
        .place = place,
        .done = record->kind == TRACER_RECEIVE ? place : UINT64_MAX,
        .bytes = record->bytes,
    };
    return CB_OK;
}

/* A `w` completes all receives that were started. */
static void note_wait(arranged_peer *peers, uint64_t place)
{
    for (int i = 0; i < tracer.size; i++) {
        arranged_peer *peer = &peers[i];

        for (; peer->first_waiting < peer->receipt_count; peer->first_waiting++) {
            if (peer->receipts[peer->first_waiting].done == UINT64_MAX)
                peer->receipts[peer->first_waiting].done = place;
        }
    }
}

/* The sizes that others want, and the receives that this rank arranges. */
static cb_status collect(arranged_peer *peers)
{
    for (int i = 0; i < tracer.size; i++) {
        if (peers[i].asks) {
            peers[i].sent =
                cb_allocate(peers[i].sent_count, sizeof(uint64_t), "the order of messages");
            if (peers[i].sent == NULL)
                return CB_ERROR_MEMORY;
        }
        peers[i].sent_count = 0;
    }
    for (uint64_t place = 0; place < tracer.records.count; place++) {
        tracer_record record;

        CB_TRY(tracer_records_get(&tracer.records, place, &record));
        if (is_send(&record) && peers[record.peer].asks)
            peers[record.peer].sent[peers[record.peer].sent_count++] = record.bytes;
        else if (is_receive(&record) && peers[record.peer].asked)
            CB_TRY(note_receipt(&peers[record.peer], place, &record));
        else if (record.kind == TRACER_WAIT)
            note_wait(peers, place);
    }
    return CB_OK;
}

/* Change one receive. A record that moves is taken out of its place. */
static cb_status apply(const tracer_receipt *receipt, const tracer_arrangement *arrangement)
{
    tracer_record record, nothing = {.kind = TRACER_NOTHING};
    tracer_moves *moves = &tracer.moves;
    tracer_move *list;

    if (arrangement->after == receipt->place && arrangement->bytes == receipt->bytes)
        return CB_OK;
    CB_TRY(tracer_records_get(&tracer.records, receipt->place, &record));
    moves->changed++;
    record.bytes = arrangement->bytes;
    if (arrangement->after == receipt->place)
        return tracer_records_set(&tracer.records, receipt->place, &record);
    list = cb_grow(moves->list, moves->count, &moves->room, sizeof(*list));
    if (list == NULL)
        return CB_ERROR_MEMORY;
    moves->list = list;
    list[moves->count] = (tracer_move){arrangement->after, moves->count, record};
    moves->count++;
    return tracer_records_set(&tracer.records, receipt->place, &nothing);
}

static cb_status arrange_peer(arranged_peer *peer, const uint64_t *sent)
{
    tracer_arrangement *arrangements =
        cb_allocate(peer->receipt_count, sizeof(*arrangements), "the order of messages");
    cb_status status = CB_OK;

    if (arrangements == NULL)
        return CB_ERROR_MEMORY;
    tracer_order(peer->receipts, peer->receipt_count, sent, arrangements);
    for (size_t i = 0; i < peer->receipt_count && status == CB_OK; i++)
        status = apply(&peer->receipts[arrangements[i].index], &arrangements[i]);
    free(arrangements);
    return status;
}

/* Send the sizes to the rank at a distance, and get those of the rank at the same distance on the
 * other side. */
static cb_status exchange(arranged_peer *peers, int distance)
{
    const int to = (tracer.rank + distance) % tracer.size;
    const int from = (tracer.rank + tracer.size - distance) % tracer.size;
    MPI_Request request = MPI_REQUEST_NULL;
    uint64_t *sent = NULL;
    cb_status status = CB_OK;

    if (peers[to].asks)
        PMPI_Isend(peers[to].sent, (int)peers[to].sent_count, MPI_UINT64_T, to, TAG, tracer.own,
                   &request);
    if (peers[from].asked) {
        sent = cb_allocate(peers[from].receipt_count, sizeof(*sent), "the order of messages");
        if (sent == NULL)
            tracer_abort(false);
        PMPI_Recv(sent, (int)peers[from].receipt_count, MPI_UINT64_T, from, TAG, tracer.own,
                  MPI_STATUS_IGNORE);
        status = arrange_peer(&peers[from], sent);
        free(sent);
    }
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return status;
}

static int by_place(const void *left, const void *right)
{
    const tracer_move *a = left, *b = right;

    if (a->after != b->after)
        return a->after < b->after ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static void arrange_all(arranged_peer *peers)
{
    int collected = collect(peers) == CB_OK, all;

    PMPI_Allreduce(&collected, &all, 1, MPI_INT, MPI_MIN, tracer.own);
    tracer.on = tracer.on && all;
    for (int distance = 1; all && distance < tracer.size; distance++)
        tracer.on = exchange(peers, distance) == CB_OK && tracer.on;
    if (tracer.moves.count > 1)
        qsort(tracer.moves.list, tracer.moves.count, sizeof(*tracer.moves.list), by_place);
}

void tracer_arrange(void)
{
    arranged_peer *peers = calloc((size_t)tracer.size, sizeof(*peers));
    int mine = peers != NULL, all;

    PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, tracer.own);
    if (!all)
        tracer.on = false;
    else if (find_pairs(peers))
        arrange_all(peers);
    for (int i = 0; peers != NULL && i < tracer.size; i++) {
        free(peers[i].sent);
        free(peers[i].receipts);
    }
    free(peers);
}
