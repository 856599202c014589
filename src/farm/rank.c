/* A rank's part in a farm: made once, begun anew for each run, and checked at its end. */
#include "farm/rank.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "engine/shape.h"
#include "engine/traffic.h"

uint64_t bench_next_event(const bench_rank *me)
{
    return me->farm->ledger.next;
}

size_t bench_next_destination(const bench_rank *me)
{
    return me->farm->ledger.turn;
}

size_t bench_source_count(const bench_rank *me)
{
    return me->farm->sources;
}

/* The supervisor speaks to all sources at once where they are its peers. */
static cb_status group_sources(bench_rank *me)
{
    bench_farm *farm = me->farm;
    transport_node **nodes;
    cb_status status;

    if (me->peer_count < farm->sources + farm->destinations)
        return CB_OK;
    nodes = cb_allocate(farm->sources, sizeof(*nodes), "the sources");
    if (nodes == NULL)
        return CB_ERROR_MEMORY;
    for (size_t source = 0; source < farm->sources; source++)
        nodes[source] = me->peers[me->first_peer[BENCH_SOURCE] + source].node;
    status =
        transport_group_create(me->factory, nodes, farm->sources, NULL, false, &farm->all_sources);
    free(nodes);
    return status;
}

cb_status bench_farm_join(bench_rank *me, const bench_shape *shape, uint64_t in_flight)
{
    bench_farm *farm = cb_allocate(1, sizeof(*farm), "a rank's part in the farm");

    if (farm == NULL)
        return CB_ERROR_MEMORY;
    me->farm = farm;
    farm->role = shape_stage(shape, me->self);
    farm->index = me->index;
    farm->sources = shape->stages[BENCH_SOURCE];
    farm->destinations = shape->stages[BENCH_DESTINATION];
    farm->labelled = me->size_bytes >= BENCH_LABEL_BYTES;
    if (farm->role == BENCH_SUPERVISOR) {
        CB_TRY(bench_ledger_create(farm->destinations, in_flight, &farm->ledger));
        return group_sources(me);
    }
    farm->due = cb_allocate(farm->destinations, sizeof(*farm->due), "the next notes");
    if (farm->due == NULL)
        return CB_ERROR_MEMORY;
    if (farm->role == BENCH_SOURCE)
        return CB_OK;
    farm->delivered = cb_allocate(farm->sources, sizeof(*farm->delivered), "counts of fragments");
    return farm->delivered == NULL ? CB_ERROR_MEMORY
                                   : bench_builder_create(farm->sources, in_flight, &farm->builder);
}

void bench_farm_leave(bench_rank *me)
{
    bench_farm *farm = me->farm;

    if (farm == NULL)
        return;
    transport_group_destroy(farm->all_sources);
    bench_ledger_free(&farm->ledger);
    bench_builder_free(&farm->builder);
    free(farm->delivered);
    free(farm->due);
    free(farm->skipped);
    free(farm);
    me->farm = NULL;
}

/* Events of a destination among the first `events`. */
static uint64_t assigned(const bench_farm *farm, uint64_t events)
{
    return events / farm->destinations + (events % farm->destinations > farm->index);
}

static void begin_destination(bench_farm *farm)
{
    farm->first_sequence = assigned(farm, farm->first_event);
    farm->events = assigned(farm, farm->end_event) - farm->first_sequence;
    bench_builder_restart(&farm->builder, farm->first_sequence);
    for (size_t source = 0; source < farm->sources; source++)
        farm->delivered[source] = farm->first_sequence;
}

/* The first event of each destination is due, and none was skipped. */
static cb_status expect_notes(bench_farm *farm)
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

cb_status bench_farm_begin(bench_rank *me, uint64_t first_event, uint64_t events,
                           const bench_fragments *fragments, uint64_t patience_ns)
{
    bench_farm *farm = me->farm;

    farm->first_event = first_event;
    farm->end_event = first_event + events;
    farm->events = events;
    farm->fragments = fragments;
    farm->patient = patience_ns > 0;
    farm->over = false;
    farm->faults = (bench_faults){0};
    me->patience_ns = patience_ns;
    farm->served = farm->completed = 0;
    farm->label_sum = 0;
    me->sum = me->packets = 0;
    me->findings = (bench_findings){0};
    me->algorithm.runs = me->algorithm.elapsed_ns = 0;
    if (farm->role == BENCH_SUPERVISOR)
        bench_ledger_restart(&farm->ledger);
    if (farm->role == BENCH_DESTINATION)
        begin_destination(farm);
    return farm->role != BENCH_SUPERVISOR ? expect_notes(farm) : CB_OK;
}

cb_status bench_farm_check_sum(const bench_rank *me)
{
    const bench_farm *farm = me->farm;
    uint64_t packet = bench_expected_sum(me->size_bytes);
    uint64_t expected = me->packets * packet;

    if (farm->role != BENCH_DESTINATION || farm->fragments != &bench_fragments_touched)
        return CB_OK;
    if (farm->labelled)
        expected += farm->label_sum - me->packets * bench_expected_sum(BENCH_LABEL_BYTES);
    if (me->sum == expected)
        return CB_OK;
    cb_error("the data of %llu fragments of %zu bytes does not add up at destination %zu (sum "
             "%#llx, expected %#llx): one was corrupted or cut; run again with --verify",
             (unsigned long long)me->packets, me->size_bytes, farm->index,
             (unsigned long long)me->sum, (unsigned long long)expected);
    return CB_ERROR_DATA;
}
