/* A rank's part in a measurement: its role, its peers, its buffers. */
#include "engine/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "farm/farm.h"
#include "engine/traffic.h"

cb_status bench_node(bench_rank *me, size_t participant, transport_node **out)
{
    if (me->nodes[participant] == NULL)
        CB_TRY(transport_node_create(me->factory, me->ranks[participant], &me->nodes[participant]));
    *out = me->nodes[participant];
    return CB_OK;
}

/* Whom this rank talks to, with room for all participants. */
typedef struct {
    size_t *peers;
    bool *heard;
    size_t count;
} acquaintance;

static void forget(acquaintance *known)
{
    free(known->peers);
    free(known->heard);
}

static cb_status look_round(const benchmark *definition, const bench_shape *shape, size_t self,
                            acquaintance *out)
{
    size_t ranks = shape_ranks(shape);

    out->peers = cb_allocate(ranks, sizeof(*out->peers), "the peers of a rank");
    out->heard = cb_allocate(ranks, sizeof(*out->heard), "the peers of a rank");
    if (out->peers == NULL || out->heard == NULL)
        return CB_ERROR_MEMORY;
    out->count = shape_peers(definition, shape, self, out->peers, out->heard);
    return CB_OK;
}

/* Where the peers of each role begin, for who talks to all of a role. */
static void note_first_peers(bench_rank *me, const bench_shape *shape, const acquaintance *known)
{
    for (size_t k = known->count; k-- > 0;) {
        size_t stage = shape_stage(shape, known->peers[k]);

        if (stage < BENCH_ROLES)
            me->first_peer[stage] = k;
    }
}

static cb_status meet_peers(bench_rank *me, const acquaintance *known)
{
    transport_node **nodes = cb_allocate(known->count, sizeof(*nodes), "the peers of a rank");
    cb_status status = nodes != NULL ? CB_OK : CB_ERROR_MEMORY;

    me->heard = 0;
    for (size_t k = 0; k < known->count && status == CB_OK; k++) {
        size_t peer = known->peers[k];
        transport_node *node;

        status = bench_node(me, peer, &node);
        if (status != CB_OK)
            break;
        node->label = k;
        me->peers[k] = (bench_peer){.node = node, .incoming.source = (uint64_t)me->ranks[peer]};
        if (known->heard[k])
            nodes[me->heard++] = node;
    }
    if (status == CB_OK)
        status = transport_group_create(me->factory, nodes, me->heard, NULL, false, &me->group);
    free(nodes);
    return status;
}

/* Many large buffers are made only when they are needed: most streams need few. */
size_t bench_buffers_beforehand(size_t size_bytes, size_t wanted)
{
    const size_t limit_bytes = 16u << 20;
    size_t spare = size_bytes > limit_bytes ? 2 : 8;
    size_t fitting = size_bytes > 0 ? limit_bytes / size_bytes : wanted;

    return (wanted < fitting ? wanted : fitting) + spare;
}

/* Packets of a size, with the buffers that the options ask for. To who receives a stream, or is
 * part of a farm, several come before it answers. */
static transport_preparation preparation_of(const bench_session *session, size_t size_bytes,
                                            size_t peers, bool several, bool rotate)
{
    const size_t without_window = 16;
    size_t window =
        session->options->window > 0 ? (size_t)session->options->window : without_window;

    return (transport_preparation){
        .message_bytes = size_bytes,
        .unanswered = several ? window : 1,
        .buffers = bench_buffers_beforehand(size_bytes, (window + 2) * peers),
        .footprint_bytes = rotate ? 2 * session->cache_bytes : 0,
        .rotate = rotate,
        .initialise = bench_fill,
    };
}

cb_status bench_rank_prepare(bench_rank *me)
{
    return transport_prepare(me->factory, &me->preparation);
}

static size_t position_of(int rank, const int *ranks, size_t participants)
{
    size_t self = 0;

    while (self < participants && ranks[self] != rank)
        self++;
    return self;
}

static bench_rank *allocate_rank(size_t participants, size_t peers)
{
    bench_rank *me = cb_allocate(1, sizeof(*me), "a rank's part");

    if (me == NULL)
        return NULL;
    me->nodes = cb_allocate(participants, sizeof(*me->nodes), "the nodes of a rank");
    me->peers = cb_allocate(peers, sizeof(*me->peers), "the peers of a rank");
    me->peer_count = peers;
    me->participants = participants;
    if (me->nodes != NULL && me->peers != NULL)
        return me;
    free(me->nodes);
    free(me->peers);
    free(me);
    return NULL;
}

void bench_rank_set_window(bench_rank *me, unsigned window)
{
    me->window = window;
    me->half_window = window > 1 ? window / 2 : 1;
}

static void take_options(bench_rank *me, const bench_session *session,
                         const bench_measurement *measurement)
{
    me->size_bytes = measurement->size_bytes;
    me->rotate = strcmp(session->options->buffers, "rotate") == 0;
    bench_rank_set_window(me, (unsigned)session->options->window);
    me->list = measurement->list;
    me->own_multicast = measurement->own_multicast;
    me->list_length = measurement->count;
    if (measurement->list == BENCH_FIXED && me->list_length == session->options->receivers.count)
        me->group_name = session->options->group;
    me->seed = session->options->seed;
    me->own_options = session->options->own;
}

static bool takes_stream(const bench_actions *actions)
{
    return actions->finish == bench_settle || actions->finish == bench_relay;
}

static cb_status introduce(bench_rank *me, const bench_session *session, const bench_shape *shape,
                           const acquaintance *known, const bench_actions *actions)
{
    bool farm = session->definition->counted == BENCH_FARM;
    size_t largest = me->size_bytes;

    note_first_peers(me, shape, known);
    if (farm && largest < sizeof(bench_note))
        largest = sizeof(bench_note);
    me->preparation =
        preparation_of(session, largest, me->peer_count, farm || takes_stream(actions), me->rotate);
    CB_TRY(bench_rank_prepare(me));
    return meet_peers(me, known);
}

cb_status bench_rank_create(const bench_session *session, const bench_measurement *measurement,
                            transport_factory *factory, const int *ranks, size_t participants,
                            bench_rank **out, const bench_actions **actions)
{
    const benchmark *definition = session->definition;
    bench_shape shape =
        plan_layout(definition, session->options, measurement, (size_t)factory->size);
    size_t self = position_of(factory->rank, ranks, participants);
    size_t stage = shape_stage(&shape, self);
    acquaintance known = {0};
    bench_rank *me = NULL;
    cb_status status = look_round(definition, &shape, self, &known);

    if (status == CB_OK) {
        me = allocate_rank(participants, known.count);
        status = me != NULL ? CB_OK : CB_ERROR_MEMORY;
    }
    if (status == CB_OK) {
        me->factory = factory;
        me->ranks = ranks;
        me->self = self;
        me->index = self - shape_span(&shape, stage).first;
        take_options(me, session, measurement);
        *actions = &measurement->mode->roles[shape_role(definition, &shape, stage)];
        status = introduce(me, session, &shape, &known, *actions);
    }
    forget(&known);
    if (status != CB_OK) {
        bench_rank_destroy(definition, me);
        return status;
    }
    *out = me;
    return CB_OK;
}

cb_status bench_rank_set_up(const benchmark *definition, bench_rank *me)
{
    return definition->set_up != NULL ? definition->set_up(me) : CB_OK;
}

void bench_rank_tear_down(const benchmark *definition, bench_rank *me)
{
    if (definition->tear_down != NULL)
        definition->tear_down(me);
}

void bench_rank_destroy(const benchmark *definition, bench_rank *me)
{
    if (me == NULL)
        return;
    bench_rank_tear_down(definition, me);
    if (me->in_hand != NULL)
        transport_buffer_release(me->in_hand);
    transport_group_destroy(me->group);
    for (size_t i = 0; i < me->participants; i++)
        transport_node_destroy(me->nodes[i]);
    free(me->nodes);
    free(me->peers);
    free(me);
}

void bench_rank_reset(bench_rank *me, const bench_traffic *traffic, uint64_t steps)
{
    me->traffic = traffic;
    me->block_steps = steps;
    me->missing = me->heard;
    me->sum = 0;
    me->packets = 0;
    me->lost = 0;
    for (size_t i = 0; i < me->peer_count; i++) {
        me->peers[i].share = 0;
        me->peers[i].taken = 0;
        me->peers[i].ahead = 0;
        me->peers[i].incoming.expected = me->broadcasts;
    }
}

cb_status bench_rank_check_sum(const bench_rank *me)
{
    uint64_t expected = me->packets * bench_expected_sum(me->size_bytes);

    if (me->traffic != &bench_touching || me->sum == expected)
        return CB_OK;
    cb_error(
        "the data of %llu packets of %zu bytes does not add up at rank %d (sum %#llx, expected "
        "%#llx): a message was corrupted or cut; run again with --verify to see which",
        (unsigned long long)me->packets, me->size_bytes, me->ranks[me->self],
        (unsigned long long)me->sum, (unsigned long long)expected);
    return CB_ERROR_DATA;
}
