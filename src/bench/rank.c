/* A rank's part in a measurement: its role, its peers, its buffers. */
#include "bench/engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "bench/traffic.h"

cb_status bench_node(bench_rank *me, size_t participant, transport_node **out)
{
    if (me->nodes[participant] == NULL)
        CB_TRY(transport_node_create(me->factory, me->ranks[participant], &me->nodes[participant]));
    *out = me->nodes[participant];
    return CB_OK;
}

/* Where a role's ranks stand among the participants. */
typedef struct {
    size_t first, count;
} role_span;

static role_span span_of(const bench_definition *definition, size_t role, size_t count)
{
    role_span span = {0, bench_role_size(definition, role, count)};

    for (size_t earlier = 0; earlier < role; earlier++)
        span.first += bench_role_size(definition, earlier, count);
    return span;
}

static size_t role_of(const bench_definition *definition, size_t self, size_t count)
{
    size_t role = 0;

    while (role + 1 < BENCH_ROLES && self >= span_of(definition, role + 1, count).first &&
           definition->roles[role + 1].share != BENCH_NONE)
        role++;
    return role;
}

/* The k-th peer of the rank with `index` in a role, as a participant. */
static size_t peer_of(bench_peering peering, role_span others, size_t index, size_t k)
{
    switch (peering) {
    case BENCH_ALL:
        return others.first + k;
    case BENCH_TWIN:
        return others.first + index;
    case BENCH_OTHERS:
        break;
    }
    return others.first + (index + 1 + k) % others.count;
}

static size_t peer_total(bench_peering peering, role_span others)
{
    switch (peering) {
    case BENCH_ALL:
        return others.count;
    case BENCH_TWIN:
        return 1;
    case BENCH_OTHERS:
        break;
    }
    return others.count - 1;
}

static cb_status meet_peers(bench_rank *me, const bench_role *role, role_span others)
{
    transport_node **nodes = cb_allocate(me->peer_count, sizeof(*nodes), "the peers of a rank");
    cb_status status = nodes != NULL ? CB_OK : CB_ERROR_MEMORY;

    for (size_t k = 0; k < me->peer_count && status == CB_OK; k++) {
        size_t peer = peer_of(role->peering, others, me->index, k);

        status = bench_node(me, peer, &nodes[k]);
        if (status == CB_OK) {
            nodes[k]->label = k;
            me->peers[k] =
                (bench_peer){.node = nodes[k], .incoming.source = (uint64_t)me->ranks[peer]};
        }
    }
    if (status == CB_OK)
        status =
            transport_group_create(me->factory, nodes, me->peer_count, NULL, false, &me->group);
    free(nodes);
    return status;
}

/* To who receives a stream, a window of packets comes before it answers. */
cb_status bench_rank_prepare(const bench_session *session, const bench_rank *me,
                             const bench_actions *actions, bool try_multicast)
{
    size_t window = (size_t)session->options->window;
    const size_t spare = 8, pool_limit_bytes = 16u << 20;
    size_t buffers = (window + 2) * me->peer_count + spare;

    /* Many large buffers are made only when they are needed: most streams need few. */
    if (me->size_bytes > 0 && buffers > pool_limit_bytes / me->size_bytes)
        buffers = pool_limit_bytes / me->size_bytes + spare;
    return transport_prepare(me->factory,
                             &(transport_preparation){
                                 .message_bytes = me->size_bytes,
                                 .unanswered = actions->finish == bench_settle ? window : 1,
                                 .buffers = buffers,
                                 .footprint_bytes = me->rotate ? 2 * session->cache_bytes : 0,
                                 .rotate = me->rotate,
                                 .try_multicast = try_multicast,
                                 .initialise = bench_fill,
                             });
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

cb_status bench_rank_create(const bench_session *session, const bench_measurement *measurement,
                            transport_factory *factory, const int *ranks, size_t participants,
                            bench_rank **out, const bench_actions **actions)
{
    const bench_definition *definition = session->definition;
    size_t count =
        bench_candidates(session->options, measurement, (size_t)control_size(session->plane));
    size_t self = position_of(control_rank(session->plane), ranks, participants);
    size_t number = role_of(definition, self, count);
    const bench_role *role = &definition->roles[number];
    role_span others = span_of(definition, role->peer_role, count);
    bench_rank *me = allocate_rank(participants, peer_total(role->peering, others));
    cb_status status;

    if (me == NULL)
        return CB_ERROR_MEMORY;
    me->factory = factory;
    me->ranks = ranks;
    me->self = self;
    me->index = self - span_of(definition, number, count).first;
    me->size_bytes = measurement->size_bytes;
    me->rotate = strcmp(session->options->buffers, "rotate") == 0;
    me->window = (unsigned)session->options->window;
    me->half_window = me->window > 1 ? me->window / 2 : 1;
    me->list = measurement->list;
    me->own_multicast = measurement->own_multicast;
    me->list_length = measurement->count;
    me->seed = session->options->seed;
    *actions = &measurement->mode->roles[number];
    status = bench_rank_prepare(session, me, *actions, false);
    if (status == CB_OK)
        status = meet_peers(me, role, others);
    if (status != CB_OK) {
        bench_rank_destroy(definition, me);
        return status;
    }
    *out = me;
    return CB_OK;
}

cb_status bench_rank_set_up(const bench_definition *definition, bench_rank *me)
{
    return definition->set_up != NULL ? definition->set_up(me) : CB_OK;
}

void bench_rank_tear_down(const bench_definition *definition, bench_rank *me)
{
    if (definition->tear_down != NULL)
        definition->tear_down(me);
}

void bench_rank_destroy(const bench_definition *definition, bench_rank *me)
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
    me->missing = me->peer_count;
    me->sum = 0;
    me->packets = 0;
    for (size_t i = 0; i < me->peer_count; i++) {
        me->peers[i].share = 0;
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
