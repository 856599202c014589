/* Create and destroy a rank's part in a measurement. */
#include "engine/rank.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/fragments.h"
#include "engine/outcome.h"
#include "engine/senders.h"
#include "engine/verification.h"

/* Index of a participant among those known, or where it would be inserted. */
static size_t find_known(const bench_position *place, size_t participant)
{
    size_t first = 0, end = place->known_count;

    while (first < end) {
        const size_t middle = (first + end) / 2;

        if (place->known[middle].participant < participant)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

cb_status bench_node(bench_rank *me, size_t participant, transport_node **out)
{
    bench_position *place = &me->place;
    const size_t at = find_known(place, participant);
    bench_known *grown;

    if (at < place->known_count && place->known[at].participant == participant) {
        *out = place->known[at].node;
        return CB_OK;
    }
    grown = cb_grow(place->known, place->known_count, &place->known_room, sizeof(*grown));
    if (grown == NULL) {
        cb_error("cannot make a list of %zu nodes: out of memory; free memory on this host",
                 place->known_count + 1);
        return CB_ERROR_MEMORY;
    }
    place->known = grown;
    CB_TRY(transport_node_create(me->factory, place->ranks[participant], out));
    memmove(&grown[at + 1], &grown[at], (place->known_count++ - at) * sizeof(*grown));
    grown[at] = (bench_known){.participant = participant, .node = *out};
    return CB_OK;
}

/* The peers of a rank. */
typedef struct {
    size_t *peers; /* indices of participants */
    bool *heard;   /* whether this rank receives from each */
    size_t count;
} peer_list;

static cb_status peer_list_make(const rank_setting *setting, const bench_shape *shape, size_t self,
                                peer_list *out)
{
    const benchmark *definition = setting->definition;
    size_t chosen[BENCH_CHOSEN_MOST];

    out->count = definition->choose_peers != NULL
                     ? definition->choose_peers(setting->options->own, setting->options->seed,
                                                setting->participants, self, chosen)
                     : shape_peers(definition, shape, self, NULL, NULL);
    if (out->count == 0 && definition->choose_peers != NULL)
        return CB_ERROR_MEMORY;
    out->peers = cb_allocate(out->count, sizeof(*out->peers), "the peers of a rank");
    out->heard = cb_allocate(out->count, sizeof(*out->heard), "the peers of a rank");
    if (out->peers == NULL || out->heard == NULL)
        return CB_ERROR_MEMORY;
    if (definition->choose_peers == NULL) {
        (void)shape_peers(definition, shape, self, out->peers, out->heard);
        return CB_OK;
    }
    for (size_t k = 0; k < out->count; k++) {
        out->peers[k] = chosen[k];
        out->heard[k] = true;
    }
    return CB_OK;
}

/* Create a node for each peer, and the group of those that this rank receives from. */
static cb_status connect_peers(bench_rank *me, const bench_shape *shape, const peer_list *known)
{
    transport_node **nodes = cb_allocate(known->count, sizeof(*nodes), "the peers of a rank");
    cb_status status;

    if (nodes == NULL)
        return CB_ERROR_MEMORY;
    for (size_t k = known->count; k-- > 0;) {
        size_t stage = shape_stage(shape, known->peers[k]);

        if (stage < BENCH_ROLES)
            me->place.first_peer[stage] = k;
    }
    me->heard = 0;
    for (size_t k = 0; k < known->count; k++) {
        size_t peer = known->peers[k];
        transport_node *node;

        if ((status = bench_node(me, peer, &node)) != CB_OK)
            goto done;
        node->label = k;
        me->peers[k] =
            (bench_peer){.node = node,
                         .incoming = {.source = (uint64_t)me->place.ranks[peer],
                                      .destination = (uint64_t)me->place.ranks[me->place.self]}};
        if (me->threads > 1 && (status = verification_split(&me->peers[k], me->threads)) != CB_OK)
            goto done;
        if (known->heard[k])
            nodes[me->heard++] = node;
    }
    status = transport_group_create(me->factory, nodes, me->heard, NULL, false, &me->group);
done:
    free(nodes);
    return status;
}

/* Most streams need few large buffers, so others are allocated on demand. */
size_t rank_buffers_beforehand(size_t size_bytes, size_t wanted)
{
    const size_t limit_bytes = 16u << 20;
    size_t spare = size_bytes > limit_bytes ? 2 : 8;
    size_t fitting = size_bytes > 0 ? limit_bytes / size_bytes : wanted;

    return (wanted < fitting ? wanted : fitting) + spare;
}

cb_status rank_prepare(bench_rank *me)
{
    return transport_prepare(me->factory, &me->preparation);
}

/* A receiver of a stream, and each rank of a farm, may receive several messages before it answers.
 */
static transport_preparation preparation_of(const rank_setting *setting, const bench_rank *me,
                                            const bench_actions *actions)
{
    const size_t without_window = 16;
    const measurement_method *method = plan_method(setting->definition, setting->options);
    void (*const fill)(void *data, size_t size_bytes) = setting->definition->fill;
    bool several = actions->finish == bench_settle || actions->finish == bench_relay ||
                   actions->finish == bench_receive_rest ||
                   (method != NULL && method->several_unanswered);
    size_t window =
        setting->options->window > 0 ? (size_t)setting->options->window : without_window;
    size_t largest_bytes = method_message_bytes(method, me->size_bytes);

    return (transport_preparation){
        .message_bytes = largest_bytes,
        .multicast_bytes = method != NULL ? method->control_message_bytes : 0,
        .unanswered = several ? window : 1,
        .buffers = rank_buffers_beforehand(largest_bytes, (window + 2) * me->peer_count),
        .footprint_bytes = me->rotate ? 2 * setting->cache_bytes : 0,
        .rotate = me->rotate,
        .initialise = fill != NULL ? fill : traffic_fill,
    };
}

void rank_set_window(bench_rank *me, unsigned window)
{
    me->window = window;
    me->half_window = window > 1 ? window / 2 : 1;
}

static bench_rank *rank_allocate(size_t peers)
{
    bench_rank *me = cb_allocate(1, sizeof(*me), "a rank's part");

    if (me == NULL)
        return NULL;
    me->peers = cb_allocate(peers, sizeof(*me->peers), "the peers of a rank");
    if (me->peers != NULL)
        return me;
    free(me);
    return NULL;
}

rank_setting rank_setting_of(const measurement_setting *setting)
{
    const engine_session *session = setting->session;

    return (rank_setting){.definition = session->job->definition,
                          .options = session->job->options,
                          .measurement = setting->planned,
                          .ranks = setting->ranks,
                          .participants = setting->participants,
                          .cache_bytes = session->cache_bytes};
}

cb_status rank_create(const rank_setting *setting, transport_factory *factory, bench_rank **out,
                      const bench_actions **actions)
{
    const bench_measurement *measurement = setting->measurement;
    const bench_options *options = setting->options;
    bench_shape shape =
        plan_layout(setting->definition, options, measurement, setting->participants);
    bool whole_group =
        measurement->list == BENCH_FIXED && measurement->count == options->receivers.count;
    peer_list known = {0};
    bench_rank *me = NULL;
    size_t self = 0, stage;
    cb_status status = CB_ERROR_MEMORY;

    while (self < setting->participants && setting->ranks[self] != factory->rank)
        self++;
    stage = shape_stage(&shape, self);
    *actions = &measurement->mode->roles[shape_role(setting->definition, &shape, stage)];
    if (peer_list_make(setting, &shape, self, &known) != CB_OK ||
        (me = rank_allocate(known.count)) == NULL)
        goto done;
    me->factory = factory;
    me->peer_count = known.count;
    me->place.ranks = setting->ranks;
    me->place.participants = setting->participants;
    me->place.self = self;
    me->place.index = self - shape_span(&shape, stage).first;
    me->size_bytes = measurement->size_bytes * bench_packed(setting->definition, options);
    me->own_options = options->own;
    me->threads = options->threads > 1 ? (size_t)options->threads : 1;
    me->rotate = strcmp(options->buffers, "rotate") == 0;
    me->lists = (bench_lists){.kind = measurement->list,
                              .own_multicast = measurement->own_multicast,
                              .length = measurement->count,
                              .group_name = whole_group ? options->group : NULL,
                              .seed = options->seed};
    rank_set_window(me, (unsigned)options->window);
    me->preparation = preparation_of(setting, me, *actions);
    if ((status = rank_prepare(me)) != CB_OK ||
        (status = connect_peers(me, &shape, &known)) != CB_OK)
        goto done;
    status = fragments_join(me, setting->definition, options, &shape, setting->packets);
    if (status == CB_OK && me->threads > 1 && (*actions)->by_threads &&
        (transport_capabilities(factory) & TRANSPORT_CONCURRENT_SEND) != 0)
        status = senders_create(me, me->threads, &me->senders);
done:
    free(known.peers);
    free(known.heard);
    if (status == CB_OK)
        *out = me;
    else
        rank_destroy(setting->definition, me);
    return status;
}

cb_status rank_set_up(const benchmark *definition, bench_rank *me)
{
    return definition->set_up != NULL ? definition->set_up(me) : CB_OK;
}

void rank_tear_down(const benchmark *definition, bench_rank *me)
{
    if (definition->tear_down != NULL)
        definition->tear_down(me);
}

void rank_release_packet(bench_rank *me)
{
    if (me->in_hand != NULL)
        transport_buffer_release(me->in_hand);
    me->in_hand = NULL;
}

void rank_destroy(const benchmark *definition, bench_rank *me)
{
    if (me == NULL)
        return;
    senders_destroy(me->senders);
    fragments_leave(me);
    rank_tear_down(definition, me);
    rank_release_packet(me);
    for (size_t i = 0; i < me->peer_count; i++)
        if (me->peers[i].packet != NULL)
            transport_buffer_release(me->peers[i].packet);
    transport_group_destroy(me->group);
    for (size_t i = 0; i < me->place.known_count; i++)
        transport_node_destroy(me->place.known[i].node);
    for (size_t i = 0; i < me->peer_count; i++)
        free(me->peers[i].of_threads);
    free(me->place.known);
    free(me->peers);
    free(me);
}

void rank_reset(bench_rank *me, const bench_traffic *traffic)
{
    me->traffic = traffic;
    me->missing = me->heard;
    me->received = (bench_received){0};
    me->ring.at = me->ring.own = 0;
    for (size_t i = 0; i < me->peer_count; i++) {
        me->peers[i].share = 0;
        me->peers[i].taken = 0;
        me->peers[i].sent = 0;
        me->peers[i].ahead = 0;
        me->peers[i].incoming.expected = me->broadcasts;
    }
    if (me->senders != NULL)
        senders_reset(me->senders);
}

/* Which packets an unreliable technology lost is not known, so their sizes are not. */
static cb_status check_varied_sum(bench_rank *me)
{
    uint64_t sum, bytes, expected = 0, expected_bytes = 0;

    if (me->received.lost > 0)
        return CB_OK;
    for (size_t peer = 0; peer <= me->peer_count; peer++) {
        uint64_t taken = peer < me->peer_count ? me->peers[peer].taken : me->ring.own;

        if (taken == 0)
            continue;
        if (!fragments_sum(me, peer, me->ring.lane, me->ring.stride, taken, &sum, &bytes))
            return CB_OK;
        expected += sum;
        expected_bytes += bytes;
    }
    if (me->received.sum == expected && me->received.bytes == expected_bytes)
        return CB_OK;
    cb_error("the %llu packets of varying size at rank %d have %llu bytes with the sum %#llx, "
             "expected %llu and %#llx: a message was corrupted or cut; run again with --verify to "
             "see which",
             (unsigned long long)me->received.packets, me->place.ranks[me->place.self],
             (unsigned long long)me->received.bytes, (unsigned long long)me->received.sum,
             (unsigned long long)expected_bytes, (unsigned long long)expected);
    return CB_ERROR_DATA;
}

cb_status rank_check_sum(bench_rank *me)
{
    uint64_t expected = me->received.packets * traffic_expected_sum(me->size_bytes);

    if (me->factory->content_unknown)
        return CB_OK;
    if (me->traffic == &traffic_varied_touching)
        return check_varied_sum(me);
    if (!traffic_touches(me->traffic) || me->received.sum == expected)
        return CB_OK;
    cb_error("the data of %llu packets of %zu bytes at rank %d has the sum %#llx, "
             "expected %#llx: a message was corrupted or cut; run again with "
             "--verify to see which",
             (unsigned long long)me->received.packets, me->size_bytes,
             me->place.ranks[me->place.self], (unsigned long long)me->received.sum,
             (unsigned long long)expected);
    return CB_ERROR_DATA;
}

/* The timed loops. They call only the benchmark's actions and the clock, and look for a signal. */

static cb_status do_nothing(bench_rank *me)
{
    (void)me;
    return CB_OK;
}

static bench_action or_nothing(bench_action action)
{
    return action != NULL ? action : do_nothing;
}

/* Shares are reset before the clock of the block starts. */
static void open_block(bench_rank *me, uint64_t steps)
{
    me->shares = (bench_shares){.block_steps = steps};
    for (size_t i = 0; i < me->peer_count; i++)
        me->peers[i].block_received = 0;
}

cb_status block_run(bench_rank *me, const bench_actions *actions, uint64_t steps,
                    double *elapsed_ns)
{
    bench_action begin = or_nothing(actions->begin), step = actions->step;
    bench_action finish = or_nothing(actions->finish);
    uint64_t start_ns, last_step_ns;

    open_block(me, steps);
    start_ns = cb_now_ns();
    CB_TRY(begin(me));
    if (actions->starts_after_begin)
        start_ns = cb_now_ns();
    if (me->senders != NULL)
        CB_TRY(senders_send(me->senders, steps, NULL));
    else
        for (uint64_t i = 0; i < steps; i++)
            CB_TRY(step(me));
    last_step_ns = cb_now_ns();
    CB_TRY(finish(me));
    *elapsed_ns = (double)((actions->ends_before_finish ? last_step_ns : cb_now_ns()) - start_ns);
    me->blocks++;
    return CB_OK;
}

cb_status block_run_stepwise(bench_rank *me, const bench_actions *actions, uint64_t steps,
                             stats_histogram *histogram, const wait_watch *watch)
{
    bench_action step = actions->step;
    uint64_t before_ns, now_ns;

    open_block(me, steps);
    CB_TRY(or_nothing(actions->begin)(me));
    if (me->senders != NULL)
        CB_TRY(senders_send(me->senders, steps, histogram));
    before_ns = cb_now_ns();
    for (uint64_t i = 0; i < steps && me->senders == NULL; i++) {
        CB_TRY(step(me));
        now_ns = cb_now_ns();
        stats_histogram_record(histogram, now_ns - before_ns);
        if (*watch->seen != 0)
            watch->leave(watch->context);
        before_ns = now_ns;
    }
    CB_TRY(or_nothing(actions->finish)(me));
    me->blocks++;
    return CB_OK;
}
