/* A rank's part in a farm: created once, restarted for each run. */
#include "farm/rank.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "engine/rank.h"
#include "engine/shape.h"

uint64_t farm_next_event(const bench_rank *me)
{
    return farm_of(me)->ledger.next;
}

size_t farm_next_destination(const bench_rank *me)
{
    return farm_of(me)->ledger.turn;
}

size_t farm_source_count(const bench_rank *me)
{
    return farm_of(me)->sources;
}

/* Push farm: a group of all sources; with the technology's own multicast, sources are its members.
 */
static cb_status group_sources(bench_rank *me)
{
    farm_rank *farm = farm_of(me);
    const bool multicast = me->lists.own_multicast;
    const bool supervisor = farm->role == FARM_SUPERVISOR;
    transport_node **nodes;
    cb_status status = CB_OK;

    if (supervisor ? me->peer_count < farm->sources + farm->destinations
                   : !multicast || farm->role != FARM_SOURCE)
        return CB_OK;
    nodes = cb_allocate(farm->sources, sizeof(*nodes), "the sources");
    if (nodes == NULL)
        return CB_ERROR_MEMORY;
    for (size_t source = 0; source < farm->sources && status == CB_OK; source++)
        status = bench_node(me, 1 + source, &nodes[source]);
    if (status == CB_OK)
        status = transport_group_create(me->factory, nodes, farm->sources,
                                        supervisor ? NULL : me->peers[0].node, multicast,
                                        &farm->all_sources);
    free(nodes);
    return status;
}

cb_status farm_try_multicasts(bench_rank *me, bool try_multicast)
{
    if (!me->lists.own_multicast)
        return CB_OK;
    transport_group_destroy(farm_of(me)->all_sources);
    farm_of(me)->all_sources = NULL;
    me->preparation.try_multicast = try_multicast;
    CB_TRY(rank_prepare(me));
    return group_sources(me);
}

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
    farm->labelled = me->size_bytes >= FARM_LABEL_BYTES;
    if (farm->role == FARM_SUPERVISOR) {
        CB_TRY(farm_ledger_create(farm->destinations, in_flight, &farm->ledger));
        return group_sources(me);
    }
    farm->due = cb_allocate(farm->destinations, sizeof(*farm->due), "the next messages");
    if (farm->due == NULL)
        return CB_ERROR_MEMORY;
    if (farm->role == FARM_SOURCE)
        return group_sources(me);
    farm->delivered = cb_allocate(farm->sources, sizeof(*farm->delivered), "counts of fragments");
    return farm->delivered == NULL ? CB_ERROR_MEMORY
                                   : farm_builder_create(farm->sources, in_flight, &farm->builder);
}

void farm_leave(bench_rank *me)
{
    farm_rank *farm = farm_of(me);

    if (farm == NULL)
        return;
    transport_group_destroy(farm->all_sources);
    farm_ledger_free(&farm->ledger);
    farm_builder_free(&farm->builder);
    free(farm->delivered);
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

/* Expect the first event of each destination; none is skipped yet. */
static cb_status expect_messages(farm_rank *farm)
{
    const uint64_t word_bits = 64;
    size_t words = (size_t)((farm->end_event - farm->first_event + word_bits - 1) / word_bits);

    for (size_t i = 0; i < farm->destinations; i++)
        farm->due[(farm->first_event + i) % farm->destinations] = farm->first_event + i;
    if (words <= farm->skipped_words) {
        memset(farm->skipped, 0, words * sizeof(*farm->skipped));
        return CB_OK;
    }
    free(farm->skipped);
    farm->skipped = cb_allocate(words, sizeof(*farm->skipped), "the events of a run");
    farm->skipped_words = farm->skipped != NULL ? words : 0;
    return farm->skipped != NULL ? CB_OK : CB_ERROR_MEMORY;
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
    farm->served = farm->completed = 0;
    farm->label_sum = 0;
    me->received.sum = me->received.packets = 0;
    me->verification.findings = (checker_findings){0};
    me->algorithm.runs = me->algorithm.elapsed_ns = 0;
    if (farm->role == FARM_SUPERVISOR) {
        farm_ledger_restart(&farm->ledger);
        return CB_OK;
    }
    if (farm->role == FARM_DESTINATION) {
        farm->first_sequence = assigned(farm, farm->first_event);
        farm->events = assigned(farm, farm->end_event) - farm->first_sequence;
        farm_builder_restart(&farm->builder, farm->first_sequence);
        for (size_t source = 0; source < farm->sources; source++)
            farm->delivered[source] = farm->first_sequence;
    }
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
        event % farm->destinations != destination)
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
    const farm_builder_counts *built = &farm->builder.counts;

    return farm->faults.duplicate + farm->faults.unexpected + farm->faults.late + built->duplicate +
           built->unexpected;
}
