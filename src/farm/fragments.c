/* What a farm's programs do about fragments: made, sent, referred to, and put together to events.
 * All of it is hot. */
#include "farm/rank.h"

#include <string.h>

#include "base/clock.h"
#include "engine/traffic.h"
#include "host/work.h"

/* The label of a fragment: its source in the low half of the first word, and the event. */
typedef struct {
    uint64_t source, event;
} label;

_Static_assert(sizeof(label) == BENCH_LABEL_BYTES, "a label has two words");

/* The buffer may have held a note: what lies there is written anew. */
static inline void make_plain(const bench_rank *me, void *data, uint64_t event)
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

const bench_fragments bench_fragments_touched = {NULL, NULL};
const bench_fragments bench_fragments_bare = {NULL, look_away};
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
    if (__builtin_expect(me->farm->fragments->make == NULL, 1))
        make_plain(me, buffer->data, event);
    else
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

/* What --slow-us asks for besides. */
static __attribute__((noinline)) void delay(bench_rank *me, uint64_t event)
{
    uint64_t begin_ns = bench_timeline_now(me->farm->timeline);

    me->algorithm.state = host_work_on(me->algorithm.state, me->farm->slow_units);
    bench_timeline_note(
        me->farm->timeline,
        (bench_timeline_entry){.begin_ns = begin_ns, .event = event, .deed = BENCH_DELAYS});
}

static inline cb_status decide(bench_rank *me, uint64_t event)
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
    bench_farm *farm = me->farm;

    me->packets++;
    if (__builtin_expect(farm->fragments->inspect == NULL, 1)) {
        me->sum += bench_touch(buffer->data, buffer->size);
        farm->label_sum += source + event;
    } else {
        farm->fragments->inspect(me, buffer, source, event);
    }
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

/* In line. Refer to a fragment, run the algorithm on it, and count it towards its event. */
static inline __attribute__((always_inline)) cb_status build(bench_rank *me,
                                                             transport_buffer *buffer,
                                                             size_t source, uint64_t sequence,
                                                             uint64_t event, bench_built *built)
{
    if (__builtin_expect(me->farm->timeline != NULL, 0))
        inspect_recorded(me, buffer, source, event);
    else
        inspect(me, buffer, source, event);
    if (__builtin_expect(me->algorithm.units > 0, 0))
        CB_TRY(run_algorithm(me, source, event));
    *built = bench_builder_add(&me->farm->builder, source, sequence);
    return CB_OK;
}

static inline __attribute__((always_inline)) cb_status conclude(bench_rank *me, uint64_t event,
                                                                bench_built built)
{
    if (built == BENCH_COMPLETE)
        return decide(me, event);
    if (built == BENCH_PARTIAL || me->farm->patient)
        return CB_OK;
    return bench_farm_refuse(me, "a fragment", event);
}

/* Whether a fragment is about the event that is next from its source; one without a label is. */
static inline bool is_in_turn(const bench_farm *farm, const transport_buffer *buffer, size_t source,
                              uint64_t event)
{
    const label *mark = buffer->data;

    if (!farm->labelled)
        return true;
    return buffer->size >= sizeof(*mark) && (uint32_t)mark->source == source &&
           mark->event == event;
}

/* Which event of this destination's sequence another fragment is about. One that names another
 * source, or an event that is not this destination's or not of this run, is about none: UINT64_MAX.
 */
static uint64_t sequence_out_of_turn(const bench_farm *farm, const transport_buffer *buffer,
                                     size_t source)
{
    uint64_t sequence;
    label mark;

    if (!farm->labelled || buffer->size < sizeof(mark))
        return UINT64_MAX;
    memcpy(&mark, buffer->data, sizeof(mark));
    if ((uint32_t)mark.source != source || mark.event % farm->destinations != farm->index)
        return UINT64_MAX;
    sequence = mark.event / farm->destinations;
    return sequence - farm->first_sequence < farm->events ? sequence : UINT64_MAX;
}

static __attribute__((noinline)) cb_status accept_out_of_turn(bench_rank *me, size_t source,
                                                              transport_buffer *buffer)
{
    const bench_farm *farm = me->farm;
    uint64_t sequence = sequence_out_of_turn(farm, buffer, source);
    uint64_t event = sequence * farm->destinations + farm->index;
    bench_built built;

    if (sequence == UINT64_MAX)
        return refuse_fragment(me, buffer, source);
    CB_TRY(build(me, buffer, source, sequence, event, &built));
    note_order(me, source, sequence, built);
    return conclude(me, event, built);
}

cb_status bench_accept_fragment(bench_rank *me, size_t from, transport_buffer *buffer)
{
    bench_farm *farm = me->farm;
    size_t source = bench_index_of(me, from, BENCH_SOURCE);
    uint64_t sequence = farm->delivered[source];
    uint64_t event = sequence * farm->destinations + farm->index;
    bench_built built;

    if (__builtin_expect(!is_in_turn(farm, buffer, source, event) || event >= farm->end_event, 0))
        return accept_out_of_turn(me, source, buffer);
    farm->delivered[source] = sequence + 1;
    CB_TRY(build(me, buffer, source, sequence, event, &built));
    return conclude(me, event, built);
}
