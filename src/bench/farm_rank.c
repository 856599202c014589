/* What a farm's programs do about fragments, which is hot; and a rank's part in a farm, which is
 * made once and begun anew for each run. */
#include "bench/farm_rank.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "bench/shape.h"
#include "bench/traffic.h"
#include "host/work.h"

/* The label of a fragment: its source in the low half of the first word, and the event. */
typedef struct {
    uint64_t source, event;
} label;

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

/* Fragments */

/* The buffer may have held a note: what lies there is written anew. */
static void make_plain(const bench_rank *me, void *data, uint64_t event)
{
    label mark = {.source = me->farm->index, .event = event};

    if (me->farm->labelled)
        memcpy(data, &mark, sizeof(mark));
    else
        bench_fill(data, me->size_bytes);
}

static void make_stamped(const bench_rank *me, void *data, uint64_t event)
{
    bench_stamp(data, me->size_bytes, me->farm->index, event);
}

static void touch(bench_rank *me, const transport_buffer *buffer, size_t source, uint64_t event)
{
    me->sum += bench_touch(buffer->data, buffer->size);
    if (me->farm->labelled)
        me->farm->expected_sum += source + event;
}

static void look_away(bench_rank *me, const transport_buffer *buffer, size_t source, uint64_t event)
{
    (void)me;
    (void)buffer;
    (void)source;
    (void)event;
}

static void check(bench_rank *me, const transport_buffer *buffer, size_t source, uint64_t event)
{
    bool intact = buffer->size == me->size_bytes &&
                  bench_stamp_matches(buffer->data, buffer->size, source, event);

    me->findings.messages++;
    me->findings.corrupted += !intact;
}

const bench_fragments bench_fragments_touched = {make_plain, touch};
const bench_fragments bench_fragments_bare = {make_plain, look_away};
const bench_fragments bench_fragments_verified = {make_stamped, check};

static inline cb_status send_fragment(bench_rank *me, size_t destination, uint64_t event)
{
    transport_buffer *buffer;
    bool admitted;

    CB_TRY(bench_farm_admit(me, event, destination, &admitted));
    if (!admitted)
        return CB_OK;
    me->farm->served++;
    buffer = transport_buffer_create(me->factory, me->size_bytes);
    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    me->farm->fragments->make(me, buffer->data, event);
    return transport_send(me->peers[me->first_peer[BENCH_DESTINATION] + destination].node, buffer);
}

/* What is recorded has functions of its own, so that the usual ones save no registers for it. */
static __attribute__((noinline)) cb_status send_recorded(bench_rank *me, size_t destination,
                                                         uint64_t event)
{
    uint64_t begin_ns = cb_now_ns(), served = me->farm->served;

    CB_TRY(send_fragment(me, destination, event));
    if (me->farm->served == served)
        return CB_OK;
    bench_timeline_note(me->farm->timeline, (bench_timeline_entry){.begin_ns = begin_ns,
                                                                   .event = event,
                                                                   .deed = BENCH_SENDS,
                                                                   .role = BENCH_DESTINATION,
                                                                   .index = (uint32_t)destination});
    return CB_OK;
}

cb_status bench_send_fragment(bench_rank *me, size_t destination, uint64_t event)
{
    if (__builtin_expect(me->farm->timeline != NULL, 0))
        return send_recorded(me, destination, event);
    return send_fragment(me, destination, event);
}

/* Which event of this destination's sequence a label is about. One that names another source, or an
 * event that is not this destination's, is about none: UINT64_MAX. */
static __attribute__((noinline)) uint64_t sequence_out_of_turn(const bench_farm *farm,
                                                               const label *mark, size_t source)
{
    if ((uint32_t)mark->source != source || mark->event % farm->destinations != farm->index)
        return UINT64_MAX;
    return mark->event / farm->destinations;
}

/* Which event of this destination's sequence a fragment belongs to; UINT64_MAX: to none of this
 * run. */
static inline uint64_t sequence_of(const bench_farm *farm, const transport_buffer *buffer,
                                   size_t source)
{
    uint64_t sequence = farm->delivered[source];

    if (farm->labelled) {
        const label *mark = buffer->data;

        if (buffer->size < sizeof(*mark))
            return UINT64_MAX;
        if ((uint32_t)mark->source != source ||
            mark->event != sequence * farm->destinations + farm->index)
            sequence = sequence_out_of_turn(farm, mark, source);
    }
    return sequence - farm->first_sequence < farm->events ? sequence : UINT64_MAX;
}

/* What --slow-us asks for besides. */
static __attribute__((noinline)) void delay(bench_rank *me, uint64_t event)
{
    uint64_t begin_ns = bench_timeline_now(me->farm->timeline);

    me->algorithm.state = host_work_on(me->algorithm.state, me->farm->slow_units);
    bench_timeline_note(
        me->farm->timeline,
        (bench_timeline_entry){.begin_ns = begin_ns, .event = event, .deed = BENCH_DELAYS});
}

static cb_status decide(bench_rank *me, uint64_t event)
{
    if (me->farm->over) {
        me->farm->faults.late++;
        return CB_OK;
    }
    if (me->farm->slow_units > 0)
        delay(me, event);
    me->farm->completed++;
    return bench_tell(me, BENCH_SUPERVISOR, 0, (bench_note){.event = event});
}

static __attribute__((noinline)) cb_status run_algorithm(bench_rank *me, size_t source,
                                                         uint64_t event)
{
    uint64_t begin_ns = bench_timeline_now(me->farm->timeline);

    CB_TRY(bench_run_algorithm(&me->algorithm));
    bench_timeline_note(me->farm->timeline, (bench_timeline_entry){.begin_ns = begin_ns,
                                                                   .event = event,
                                                                   .deed = BENCH_WORKS,
                                                                   .role = BENCH_SOURCE,
                                                                   .index = (uint32_t)source});
    return CB_OK;
}

/* Refer to a fragment, and give its buffer back. */
static inline void inspect(bench_rank *me, transport_buffer *buffer, size_t source, uint64_t event)
{
    me->packets++;
    me->farm->fragments->inspect(me, buffer, source, event);
    transport_buffer_release(buffer);
}

static __attribute__((noinline)) void inspect_recorded(bench_rank *me, transport_buffer *buffer,
                                                       size_t source, uint64_t event)
{
    uint64_t begin_ns = cb_now_ns();

    inspect(me, buffer, source, event);
    bench_timeline_note(me->farm->timeline, (bench_timeline_entry){.begin_ns = begin_ns,
                                                                   .event = event,
                                                                   .deed = BENCH_TAKES,
                                                                   .role = BENCH_SOURCE,
                                                                   .index = (uint32_t)source});
}

/* A fragment that comes behind a later one of its source was overtaken, unless it is a copy. */
static void note_order(bench_rank *me, size_t source, uint64_t sequence, bench_built built)
{
    uint64_t *next = &me->farm->delivered[source];

    if (sequence >= *next)
        *next = sequence + 1;
    else
        me->findings.reordered += built != BENCH_FRAGMENT_DOUBLED;
}

static cb_status refuse_fragment(bench_rank *me, transport_buffer *buffer, size_t source)
{
    const bench_farm *farm = me->farm;
    label mark = {.event = farm->delivered[source] * farm->destinations + farm->index};

    if (farm->labelled && buffer->size >= sizeof(mark))
        memcpy(&mark, buffer->data, sizeof(mark));
    transport_buffer_release(buffer);
    me->findings.messages++;
    return bench_farm_refuse(me, "a fragment", mark.event);
}

cb_status bench_accept_fragment(bench_rank *me, size_t from, transport_buffer *buffer)
{
    bench_farm *farm = me->farm;
    size_t source = bench_index_of(me, from, BENCH_SOURCE);
    uint64_t sequence = sequence_of(farm, buffer, source);
    uint64_t event = sequence * farm->destinations + farm->index;
    bench_built built;

    if (__builtin_expect(sequence == UINT64_MAX, 0))
        return refuse_fragment(me, buffer, source);
    if (__builtin_expect(farm->timeline != NULL, 0))
        inspect_recorded(me, buffer, source, event);
    else
        inspect(me, buffer, source, event);
    if (me->algorithm.units > 0)
        CB_TRY(run_algorithm(me, source, event));
    built = bench_builder_add(&farm->builder, source, sequence);
    note_order(me, source, sequence, built);
    if (built == BENCH_COMPLETE)
        return decide(me, event);
    return built == BENCH_PARTIAL || farm->patient ? CB_OK
                                                   : bench_farm_refuse(me, "a fragment", event);
}

/* Joining and leaving */

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
    farm->role = bench_shape_stage(shape, me->self);
    farm->index = me->index;
    farm->sources = shape->stages[BENCH_SOURCE];
    farm->destinations = shape->stages[BENCH_DESTINATION];
    farm->labelled = me->size_bytes >= sizeof(label);
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
    farm->expected_sum = 0;
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
    uint64_t expected;

    if (farm->role != BENCH_DESTINATION || farm->fragments != &bench_fragments_touched)
        return CB_OK;
    if (farm->labelled)
        packet -= bench_expected_sum(sizeof(label));
    expected = me->packets * packet + farm->expected_sum;
    if (me->sum == expected)
        return CB_OK;
    cb_error("the data of %llu fragments of %zu bytes does not add up at destination %zu (sum "
             "%#llx, expected %#llx): one was corrupted or cut; run again with --verify",
             (unsigned long long)me->packets, me->size_bytes, farm->index,
             (unsigned long long)me->sum, (unsigned long long)expected);
    return CB_ERROR_DATA;
}
