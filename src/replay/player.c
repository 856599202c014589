/* Plays records. Receives that name a rank take the next message of that rank's node, and receives
 * from any that of a group of all ranks that are never named: script.c refuses others. */
#include "replay/player.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "engine/traffic.h"

/* Blocking sends wait for the network each time that this much has been sent, as long as that
 * cannot make ranks wait for each other. */
enum { QUEUE_BYTES = 256 << 20 };

/* Messages of one node that are expected before it gets an answer, at most. */
enum { UNANSWERED_MOST = 64 };

/* Memory of the buffers that are made beforehand. */
enum { BEFOREHAND_BYTES = 64 << 20 };

/* A started receive. */
typedef struct {
    size_t record;
    bool done;
} started_receive;

/* This rank and another one. */
typedef struct {
    transport_node *node;
    uint64_t ahead;          /* messages that came while a barrier waited */
    uint64_t tokens;         /* of barriers, that came while a receive waited */
    uint64_t started;        /* started receives that name the rank */
    uint64_t sent, received; /* in a verification */
} player_peer;

struct replay_player {
    const script *script;
    transport_factory *factory;
    player_peer *peers;
    transport_group *any; /* ranks whose messages only receives from any take; NULL: none */
    size_t any_turn;      /* the node of `any` whose messages ahead are taken first */
    uint64_t any_ahead;   /* messages ahead of all of them */
    uint64_t any_started; /* started receives from any */
    started_receive *started;
    size_t started_count;
    bool touch, verify;
    bool sends_started;        /* since the last wait */
    uint64_t queued_bytes;     /* by blocking sends, since the last flush */
    transport_buffer *in_hand; /* the last received one, for the next send; or NULL */
    player_found found;
    player_stamps *stamps;
};

static void drop_buffer(replay_player *me)
{
    if (me->in_hand != NULL)
        transport_buffer_release(me->in_hand);
    me->in_hand = NULL;
}

/* Content of a verification: of each message its own */

static uint64_t content_key(size_t source, size_t destination, uint64_t number)
{
    return cb_mix64(cb_mix64(((uint64_t)source << 32) ^ destination) + number);
}

static void fill_content(void *data, size_t bytes, uint64_t key)
{
    unsigned char *at = data;

    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word = cb_mix64(key + i);

        memcpy(at + i, &word, bytes - i < 8 ? bytes - i : 8);
    }
}

static bool has_content(const void *data, size_t bytes, uint64_t key)
{
    const unsigned char *at = data;

    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word = cb_mix64(key + i);

        if (memcmp(at + i, &word, bytes - i < 8 ? bytes - i : 8) != 0)
            return false;
    }
    return true;
}

/* Sending */

static cb_status send_bytes(replay_player *me, size_t to, uint64_t bytes)
{
    player_peer *peer = &me->peers[to];
    transport_buffer *buffer = me->in_hand;

    if (buffer != NULL && buffer->size >= bytes) {
        me->in_hand = NULL;
        buffer->size = (size_t)bytes;
    } else {
        buffer = transport_buffer_create(me->factory, (size_t)bytes);
        if (buffer == NULL)
            return CB_ERROR_MEMORY;
    }
    if (me->verify)
        fill_content(buffer->data, buffer->size, content_key(me->script->self, to, peer->sent++));
    return transport_send(peer->node, buffer);
}

static cb_status send_blocking(replay_player *me, const script_record *record)
{
    CB_TRY(send_bytes(me, record->peer, record->value));
    me->queued_bytes += record->value;
    if (me->queued_bytes < QUEUE_BYTES || !me->script->may_flush || me->sends_started)
        return CB_OK;
    me->queued_bytes = 0;
    return transport_flush(me->factory);
}

/* Receiving */

static bool is_token(const replay_player *me, const transport_buffer *buffer)
{
    return buffer->size == me->script->token_bytes && me->script->token_bytes > 0;
}

/* Refer to the data of a message, and keep the buffer for the next send. */
static void take_data(replay_player *me, size_t from, transport_buffer *buffer)
{
    player_peer *peer = &me->peers[from];

    if (me->touch)
        me->found.sum += traffic_touch(buffer->data, buffer->size);
    if (me->verify && !has_content(buffer->data, buffer->size,
                                   content_key(from, me->script->self, peer->received++)))
        me->found.corrupted++;
    me->found.messages++;
    me->found.bytes += buffer->size;
    me->in_hand = buffer;
}

static cb_status wrong_size(const replay_player *me, size_t from, uint64_t expected, size_t size)
{
    cb_error("%s: a message of %zu bytes came from rank %zu where its receive has %llu; check the "
             "network with --verify",
             me->script->path, size, from, (unsigned long long)expected);
    return CB_ERROR_DATA;
}

/* The next message of a rank. */
static cb_status receive_named(replay_player *me, size_t from, uint64_t bytes)
{
    player_peer *peer = &me->peers[from];
    transport_buffer *buffer;

    if (peer->ahead > 0) {
        peer->ahead--;
        return CB_OK;
    }
    drop_buffer(me);
    for (;;) {
        CB_TRY(transport_receive(peer->node, &buffer));
        if (__builtin_expect(!is_token(me, buffer), 1))
            break;
        peer->tokens++;
        transport_buffer_release(buffer);
    }
    take_data(me, from, buffer);
    return __builtin_expect(me->in_hand->size == bytes || bytes == SCRIPT_ANY_SIZE, 1)
               ? CB_OK
               : wrong_size(me, from, bytes, me->in_hand->size);
}

static size_t take_any_ahead(replay_player *me)
{
    for (;; me->any_turn++) {
        size_t from = (size_t)me->any->nodes[me->any_turn % me->any->count]->rank;

        if (me->peers[from].ahead == 0)
            continue;
        me->any_turn++;
        me->any_ahead--;
        me->peers[from].ahead--;
        return from;
    }
}

/* The next message of any rank; its size may be any that a sender has. */
static cb_status receive_any(replay_player *me, size_t *from)
{
    transport_buffer *buffer;
    transport_node *node;

    if (me->any_ahead > 0) {
        *from = take_any_ahead(me);
        return CB_OK;
    }
    drop_buffer(me);
    for (;;) {
        CB_TRY(transport_group_receive(me->any, &buffer, &node));
        *from = (size_t)node->rank;
        if (__builtin_expect(!is_token(me, buffer), 1))
            break;
        me->peers[*from].tokens++;
        transport_buffer_release(buffer);
    }
    take_data(me, *from, buffer);
    return CB_OK;
}

static void stamp_receive(replay_player *me, size_t record, size_t from)
{
    if (me->stamps == NULL || record >= me->stamps->count)
        return;
    me->stamps->end_ns[record] = cb_now_ns();
    me->stamps->from[record] = (uint32_t)from;
}

static cb_status carry_out_receive(replay_player *me, size_t index)
{
    const script_record *record = &me->script->records[index];
    size_t from = record->peer;

    CB_TRY(record->peer == SCRIPT_ANY ? receive_any(me, &from)
                                      : receive_named(me, from, record->value));
    stamp_receive(me, index, from);
    return CB_OK;
}

/* Complete the started receives that name a rank, or, with SCRIPT_ANY, those from any. */
static cb_status complete_started(replay_player *me, uint32_t peer)
{
    for (size_t i = 0; i < me->started_count; i++) {
        started_receive *one = &me->started[i];

        if (one->done || me->script->records[one->record].peer != peer)
            continue;
        one->done = true;
        CB_TRY(carry_out_receive(me, one->record));
    }
    *(peer == SCRIPT_ANY ? &me->any_started : &me->peers[peer].started) = 0;
    return CB_OK;
}

static cb_status receive_blocking(replay_player *me, size_t index)
{
    const uint32_t peer = me->script->records[index].peer;

    if (__builtin_expect(me->started_count > 0, 0) &&
        (peer == SCRIPT_ANY ? me->any_started : me->peers[peer].started) > 0)
        CB_TRY(complete_started(me, peer));
    return carry_out_receive(me, index);
}

static void start_receive(replay_player *me, size_t index)
{
    const uint32_t peer = me->script->records[index].peer;

    me->started[me->started_count++] = (started_receive){.record = index};
    ++*(peer == SCRIPT_ANY ? &me->any_started : &me->peers[peer].started);
}

/* Wait for all receives in the order of their start, then for the network to take all sends, if
 * that cannot make ranks wait for each other. */
static cb_status wait_for_started(replay_player *me)
{
    for (size_t i = 0; i < me->started_count; i++)
        if (!me->started[i].done)
            CB_TRY(carry_out_receive(me, me->started[i].record));
    for (size_t i = 0; i < me->started_count; i++) {
        uint32_t peer = me->script->records[me->started[i].record].peer;

        if (peer != SCRIPT_ANY)
            me->peers[peer].started = 0;
    }
    me->any_started = 0;
    me->started_count = 0;
    if (!me->sends_started || !me->script->may_flush)
        return CB_OK;
    me->sends_started = false;
    me->queued_bytes = 0;
    return transport_flush(me->factory);
}

/* Barrier: in round k each rank sends to the rank 2^k after it, and waits for the one 2^k before.
 */

static cb_status await_token(replay_player *me, size_t from)
{
    player_peer *peer = &me->peers[from];

    while (peer->tokens == 0) {
        transport_buffer *buffer;
        const bool is_of_any = peer->node->label != 0;

        drop_buffer(me);
        CB_TRY(transport_receive(peer->node, &buffer));
        if (is_token(me, buffer)) {
            peer->tokens++;
            transport_buffer_release(buffer);
            continue;
        }
        take_data(me, from, buffer);
        peer->ahead++;
        me->any_ahead += is_of_any ? 1 : 0;
    }
    peer->tokens--;
    return CB_OK;
}

static cb_status pass_barrier(replay_player *me)
{
    const size_t ranks = me->script->ranks, self = me->script->self;

    for (size_t step = 1; step < ranks; step *= 2) {
        transport_buffer *token;

        drop_buffer(me);
        token = transport_buffer_create(me->factory, (size_t)me->script->token_bytes);
        if (token == NULL)
            return CB_ERROR_MEMORY;
        CB_TRY(transport_send(me->peers[(self + step) % ranks].node, token));
        CB_TRY(await_token(me, (self + ranks - step) % ranks));
    }
    return CB_OK;
}

/* Playing */

static cb_status play_record(replay_player *me, size_t index)
{
    const script_record *record = &me->script->records[index];

    switch ((script_kind)record->kind) {
    case SCRIPT_COMPUTE:
        me->found.state = host_work_on(me->found.state, record->value);
        return CB_OK;
    case SCRIPT_SEND:
        return send_blocking(me, record);
    case SCRIPT_START_SEND:
        me->sends_started = true;
        return send_bytes(me, record->peer, record->value);
    case SCRIPT_RECEIVE:
        return receive_blocking(me, index);
    case SCRIPT_START_RECEIVE:
        start_receive(me, index);
        return CB_OK;
    case SCRIPT_WAIT:
        return wait_for_started(me);
    case SCRIPT_BARRIER:
        return pass_barrier(me);
    }
    return CB_OK;
}

static cb_status play_stamped(replay_player *me, player_stamps *stamps)
{
    for (size_t i = 0; i < me->script->count; i++) {
        bool stamped = i < stamps->count;

        if (stamped)
            stamps->begin_ns[i] = cb_now_ns();
        CB_TRY(play_record(me, i));
        if (stamped && me->script->records[i].kind != SCRIPT_START_RECEIVE)
            stamps->end_ns[i] = cb_now_ns();
    }
    return CB_OK;
}

cb_status player_play(replay_player *me, player_stamps *stamps, bool verify, player_found *found)
{
    me->found = (player_found){0};
    me->stamps = stamps;
    me->verify = verify;
    for (size_t rank = 0; rank < me->script->ranks; rank++)
        me->peers[rank].sent = me->peers[rank].received = 0;
    if (stamps != NULL)
        CB_TRY(play_stamped(me, stamps));
    for (size_t i = 0; stamps == NULL && i < me->script->count; i++)
        CB_TRY(play_record(me, i));
    /* What was started and not waited for. */
    CB_TRY(wait_for_started(me));
    drop_buffer(me);
    *found = me->found;
    return CB_OK;
}

/* Creating */

static bool in_barrier(const script *played, size_t rank)
{
    const size_t ranks = played->ranks;

    for (size_t step = 1; played->token_bytes > 0 && step < ranks; step *= 2)
        if (rank == (played->self + step) % ranks || rank == (played->self + ranks - step) % ranks)
            return true;
    return false;
}

static cb_status create_nodes(replay_player *me)
{
    const script *played = me->script;

    for (size_t rank = 0; rank < played->ranks; rank++) {
        bool talks = played->sent[rank].messages > 0 || played->incoming[rank].messages > 0 ||
                     in_barrier(played, rank);

        if (talks && rank != played->self)
            CB_TRY(transport_node_create(me->factory, (int)rank, &me->peers[rank].node));
    }
    return CB_OK;
}

/* The group of ranks whose messages receives from any take; their nodes are marked. */
static cb_status create_group(replay_player *me)
{
    const script *played = me->script;
    transport_node **nodes = cb_allocate(played->ranks, sizeof(transport_node *), "a group");
    size_t count = 0;
    cb_status status = CB_OK;

    if (nodes == NULL)
        return CB_ERROR_MEMORY;
    for (size_t rank = 0; rank < played->ranks; rank++) {
        const script_flow *flow = &played->incoming[rank];
        const bool of_any = flow->messages > 0 && flow->named == 0;

        if (me->peers[rank].node == NULL)
            continue;
        me->peers[rank].node->label = of_any ? 1 : 0;
        if (of_any)
            nodes[count++] = me->peers[rank].node;
    }
    if (count > 0)
        status = transport_group_create(me->factory, nodes, count, NULL, false, &me->any);
    free(nodes);
    return status;
}

/* Room for all receives that are started before a wait. */
static cb_status make_room(replay_player *me)
{
    const script *played = me->script;
    size_t most = 0, now = 0;

    for (size_t i = 0; i < played->count; i++) {
        if (played->records[i].kind == SCRIPT_WAIT)
            now = 0;
        else if (played->records[i].kind == SCRIPT_START_RECEIVE && ++now > most)
            most = now;
    }
    me->started = cb_allocate(most > 0 ? most : 1, sizeof(*me->started), "started receives");
    return me->started != NULL ? CB_OK : CB_ERROR_MEMORY;
}

cb_status player_create(const script *played, transport_factory *factory, bool touch,
                        replay_player **out)
{
    const uint64_t bytes =
        played->largest_bytes > played->token_bytes ? played->largest_bytes : played->token_bytes;
    const uint64_t beforehand = BEFOREHAND_BYTES / (bytes + 1) + 2;
    uint64_t unanswered = 1;
    replay_player *me = cb_allocate(1, sizeof(*me), "the player of a trace");

    *out = me;
    if (me == NULL)
        return CB_ERROR_MEMORY;
    me->script = played;
    me->factory = factory;
    me->touch = touch;
    me->peers = cb_allocate(played->ranks, sizeof(*me->peers), "the peers of a trace");
    if (me->peers == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(make_room(me));
    CB_TRY(create_nodes(me));
    CB_TRY(create_group(me));
    for (size_t rank = 0; rank < played->ranks; rank++)
        if (played->incoming[rank].unbroken > unanswered)
            unanswered = played->incoming[rank].unbroken;
    unanswered = unanswered < UNANSWERED_MOST ? unanswered : UNANSWERED_MOST;
    return transport_prepare(
        factory, &(transport_preparation){
                     .message_bytes = (size_t)bytes,
                     .unanswered = (size_t)unanswered,
                     .buffers = (size_t)(beforehand < unanswered ? beforehand : unanswered) + 2,
                     .initialise = traffic_fill});
}

void player_destroy(replay_player *me)
{
    if (me == NULL)
        return;
    drop_buffer(me);
    transport_group_destroy(me->any);
    for (size_t rank = 0; me->peers != NULL && rank < me->script->ranks; rank++)
        transport_node_destroy(me->peers[rank].node);
    free(me->peers);
    free(me->started);
    free(me);
}
