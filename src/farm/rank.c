/* A rank's part in a farm: created once, restarted for each run. */
#include "farm/rank.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "engine/rank.h"
#include "engine/definition.h"

const char *farm_fetch_text(const farm_own_options *own)
{
    if (own->fetch != NULL)
        return own->fetch;
    return own->accept != NULL ? farm_first_part : "all";
}

/* Whether the destinations of this farm ask its sources. The roles of a rank's peers tell. */
static bool is_pull_farm(const bench_rank *me)
{
    const farm_rank *farm = farm_of(me);

    if (farm->role == FARM_SUPERVISOR)
        return me->peer_count == farm->destinations;
    return farm->role == FARM_SOURCE ? me->place.first_peer[FARM_DESTINATION] == 0
                                     : me->heard > farm->sources;
}

/* Make a group of all sources. `root` is the rank that sends to it; NULL: this one. */
static cb_status group_all_sources(bench_rank *me, transport_node *root, transport_group **out)
{
    const farm_rank *farm = farm_of(me);
    transport_node **nodes = cb_allocate(farm->sources, sizeof(*nodes), "the sources");
    cb_status status;

    if (nodes == NULL)
        return CB_ERROR_MEMORY;
    for (size_t source = 0; source < farm->sources; source++)
        CB_TRY_TO(done, status = bench_node(me, 1 + source, &nodes[source]));
    status = transport_group_create(me->factory, nodes, farm->sources, root,
                                    me->lists.own_multicast, out);
done:
    free(nodes);
    return status;
}

/* With the technology's own multicast, sources are members of a group for each rank that tells
 * them. All make the groups in the same order, since making one is collective. */
static cb_status make_groups(bench_rank *me)
{
    farm_rank *farm = farm_of(me);
    const bool multicast = me->lists.own_multicast, pull = is_pull_farm(me);

    if (farm->role == (pull ? FARM_DESTINATION : FARM_SUPERVISOR))
        return pull && !multicast ? CB_OK : group_all_sources(me, NULL, &farm->all_sources);
    if (farm->role != FARM_SOURCE || !multicast)
        return CB_OK;
    farm->source.teller_count = pull ? farm->destinations : 1;
    farm->source.told_by = cb_allocate(farm->source.teller_count, sizeof(*farm->source.told_by),
                                       "the groups of sources");
    if (farm->source.told_by == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < farm->source.teller_count; i++)
        CB_TRY(group_all_sources(me, me->peers[i].node, &farm->source.told_by[i]));
    farm->hears_groups = true;
    return CB_OK;
}

static void destroy_groups(farm_rank *farm)
{
    transport_group_destroy(farm->all_sources);
    for (size_t i = 0; farm->source.told_by != NULL && i < farm->source.teller_count; i++)
        transport_group_destroy(farm->source.told_by[i]);
    free(farm->source.told_by);
    farm->all_sources = NULL;
    farm->source.told_by = NULL;
}

cb_status farm_try_multicasts(bench_rank *me, bool try_multicast)
{
    if (!me->lists.own_multicast)
        return CB_OK;
    destroy_groups(farm_of(me));
    me->preparation.try_multicast = try_multicast || is_pull_farm(me);
    CB_TRY(rank_prepare(me));
    return make_groups(me);
}

/* Which sources have data of an event. Only pull farms name them, so only there it may be a part.
 */
static cb_status choose_fetched(bench_rank *me)
{
    farm_rank *farm = farm_of(me);
    const farm_own_options *own = me->own_options;

    CB_TRY(farm_fetch_count(farm_fetch_text(own), farm->sources, &farm->fetched));
    farm->two_steps = own->accept != NULL;
    if (farm->two_steps)
        CB_TRY(farm_accept_parse(own->accept, &farm->accept_fraction));
    farm->fetch_seed = me->lists.seed;
    farm->lists_addresses =
        is_pull_farm(me) && (farm->fetched < farm->sources || farm->sources > FARM_NAMED);
    farm->drawn =
        cb_allocate(farm_set_words(farm->sources), sizeof(*farm->drawn), "a set of sources");
    return farm->drawn != NULL ? CB_OK : CB_ERROR_MEMORY;
}

/* Events with different sources overtake each other: one may wait while this number of later events
 * of its destination is decided. */
enum { OVERTAKING_EVENTS = 256 };

cb_status farm_join(bench_rank *me, const bench_shape *shape, uint64_t in_flight)
{
    farm_rank *farm = cb_allocate(1, sizeof(*farm), "a rank's part in the farm");

    if (farm == NULL)
        return CB_ERROR_MEMORY;
    me->part = farm;
    farm->role = shape_stage(shape, me->place.self);
    farm->index = me->place.index;
    farm->sources = shape->stages[FARM_SOURCE];
    farm->destinations = shape->stages[FARM_DESTINATION];
    farm->destination.addressed = UINT64_MAX;
    farm->varied = me->fragments != NULL;
    farm->labelled = me->size_bytes >= BENCH_LABEL_BYTES || farm->varied;
    CB_TRY(choose_fetched(me));
    farm->reach = UINT64_MAX;
    if (farm->fetched < farm->sources) {
        /* A second step waits for the first steps of all events in flight. */
        farm->reach = OVERTAKING_EVENTS + (farm->two_steps ? in_flight : 0);
        in_flight += farm->reach;
    }
    if (me->lists.own_multicast && is_pull_farm(me)) {
        me->preparation.try_multicast = true;
        CB_TRY(rank_prepare(me));
    }
    CB_TRY(make_groups(me));
    if (farm->role == FARM_SUPERVISOR)
        return farm_ledger_create(farm->destinations, in_flight, &farm->supervisor.ledger);
    farm->due = cb_allocate(farm->destinations, sizeof(*farm->due), "the next messages");
    if (farm->due == NULL)
        return CB_ERROR_MEMORY;
    if (farm->role == FARM_SOURCE)
        return CB_OK;
    farm->destination.delivered =
        cb_allocate(farm->sources, sizeof(*farm->destination.delivered), "counts of fragments");
    if (farm->two_steps)
        CB_TRY(farm_asked_create(farm->sources, in_flight, &farm->destination.asked));
    return farm->destination.delivered == NULL
               ? CB_ERROR_MEMORY
               : farm_builder_create(farm->sources, farm->fetched, farm->lists_addresses, in_flight,
                                     &farm->destination.builder);
}

void farm_leave(bench_rank *me)
{
    farm_rank *farm = farm_of(me);

    if (farm == NULL)
        return;
    destroy_groups(farm);
    farm_ledger_free(&farm->supervisor.ledger);
    farm_builder_free(&farm->destination.builder);
    farm_asked_free(&farm->destination.asked);
    free(farm->drawn);
    free(farm->source.own_events);
    free(farm->destination.delivered);
    free(farm->due);
    free(farm->skipped);
    free(farm);
    me->part = NULL;
}

/* Number of a destination's events among the first `events`. */
static uint64_t assigned(const farm_rank *farm, uint64_t events)
{
    return events / farm->destinations + (events % farm->destinations > farm->index);
}

/* An empty set with a bit for each event of the run, in `set`, which has room for *room words. */
static cb_status clear_events(const farm_rank *farm, uint64_t **set, size_t *room)
{
    size_t words = farm_set_words((size_t)(farm->end_event - farm->first_event));

    if (words <= *room) {
        memset(*set, 0, words * sizeof(**set));
        return CB_OK;
    }
    free(*set);
    *set = cb_allocate(words, sizeof(**set), "the events of a run");
    *room = *set != NULL ? words : 0;
    return *set != NULL ? CB_OK : CB_ERROR_MEMORY;
}

/* Expect the first event of each destination; none is skipped yet. */
static cb_status expect_messages(farm_rank *farm)
{
    for (size_t i = 0; i < farm->destinations; i++)
        farm->due[(farm->first_event + i) % farm->destinations] = farm->first_event + i;
    return clear_events(farm, &farm->skipped, &farm->skipped_words);
}

/* Find the events of the run of which this source has data. */
static cb_status expect_own_events(farm_rank *farm)
{
    if (farm->fetched == farm->sources)
        return CB_OK;
    CB_TRY(clear_events(farm, &farm->source.own_events, &farm->source.own_words));
    farm->events = 0;
    for (uint64_t event = farm->first_event; event < farm->end_event; event++) {
        uint64_t number = event - farm->first_event;

        farm_fetch_draw(farm->fetch_seed, event, farm->sources, farm->fetched, farm->drawn);
        if (!farm_set_has(farm->drawn, farm->index) && !farm_event_is_accepted(farm, event))
            continue;
        farm->source.own_events[number / 64] |= UINT64_C(1) << number % 64;
        farm->events++;
    }
    return CB_OK;
}

cb_status farm_begin(bench_rank *me, uint64_t first_event, uint64_t events,
                     const farm_fragments *fragments, uint64_t timeout_ns)
{
    farm_rank *farm = farm_of(me);

    farm->first_event = first_event;
    farm->end_event = first_event + events;
    farm->events = events;
    farm->fragments = fragments;
    farm->may_lose = timeout_ns > 0;
    farm->over = false;
    farm->faults = (farm_faults){0};
    me->verification.timeout_ns = timeout_ns;
    farm->source.served = farm->destination.completed = 0;
    farm->destination.label_sum = farm->destination.marked = 0;
    farm->supervisor.accepted = 0;
    farm->destination.step_bytes[0] = farm->destination.step_bytes[1] = 0;
    me->received = (bench_received){0};
    me->verification.findings = (checker_findings){0};
    me->algorithm.runs = me->algorithm.elapsed_ns = 0;
    if (farm->role == FARM_SUPERVISOR) {
        farm_ledger_restart(&farm->supervisor.ledger);
        if (farm->fetched < farm->sources)
            farm->supervisor.ledger.reach = farm->may_lose ? farm->reach : UINT64_MAX;
        return CB_OK;
    }
    if (farm->role == FARM_DESTINATION) {
        farm->destination.first_sequence = assigned(farm, farm->first_event);
        farm->events = assigned(farm, farm->end_event) - farm->destination.first_sequence;
        farm_builder_restart(&farm->destination.builder, farm->destination.first_sequence);
        if (farm->two_steps)
            farm_asked_restart(&farm->destination.asked);
        for (size_t source = 0; source < farm->sources; source++)
            farm->destination.delivered[source] = farm->destination.first_sequence;
    }
    if (farm->role == FARM_SOURCE)
        CB_TRY(expect_own_events(farm));
    return expect_messages(farm);
}

/* Unexpected messages. In the verification pass, and if messages may be lost, they are counted and
 * discarded. Otherwise the technology has broken its guarantees, and waiting for the missing
 * message would not end. */

cb_status farm_reject(bench_rank *me, const char *what, uint64_t event)
{
    if (farm_of(me)->may_lose) {
        farm_of(me)->faults.unexpected++;
        return CB_OK;
    }
    cb_error("rank %d received %s about event %llu, which is unexpected: the "
             "technology corrupted, duplicated or mixed up messages; run again with "
             "--verify",
             me->place.ranks[me->place.self], what, (unsigned long long)event);
    return CB_ERROR_DATA;
}

/* Whether this is the first control message about an event of the run. Earlier events of the
 * destination without a message are marked as skipped: their messages may still arrive. */
static bool is_first_message(farm_rank *farm, uint64_t event, size_t destination)
{
    uint64_t number = event - farm->first_event;
    uint64_t *word = &farm->skipped[number / 64], bit = UINT64_C(1) << number % 64;
    bool skipped = (*word & bit) != 0;

    if (event < farm->due[destination]) {
        *word &= ~bit;
        return skipped;
    }
    for (; farm->due[destination] < event; farm->due[destination] += farm->destinations) {
        number = farm->due[destination] - farm->first_event;
        farm->skipped[number / 64] |= UINT64_C(1) << number % 64;
    }
    farm->due[destination] += farm->destinations;
    return true;
}

cb_status farm_admit_out_of_turn(bench_rank *me, uint64_t event, size_t destination, bool *admitted)
{
    farm_rank *farm = farm_of(me);

    *admitted = false;
    if (event < farm->first_event || event >= farm->end_event ||
        event % farm->destinations != destination ||
        (farm->source.own_events != NULL &&
         !farm_set_has(farm->source.own_events, (size_t)(event - farm->first_event))))
        return farm_reject(me, "a control message", event);
    if (!is_first_message(farm, event, destination)) {
        farm->faults.duplicate += farm->may_lose;
        return farm->may_lose ? CB_OK : farm_reject(me, "a control message", event);
    }
    farm->faults.late += farm->over;
    *admitted = !farm->over;
    return CB_OK;
}

uint64_t farm_fault_count(const farm_rank *farm)
{
    const farm_builder_counts *built = &farm->destination.builder.counts;

    return farm->faults.duplicate + farm->faults.unexpected + farm->faults.late + built->duplicate +
           built->unexpected;
}
