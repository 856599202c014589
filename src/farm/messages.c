/* Control messages; fragments and the events made of them. All functions are hot. */
#include "farm/messages.h"

#include "base/log.h"
#include "engine/fragments.h"
#include "engine/verification.h"
#include "host/work.h"

_Static_assert(sizeof(farm_message) == 16, "a control message is a packet of 16 bytes");

const timeline_words farm_timeline_words = {
    .roles = {[FARM_SUPERVISOR] = "supervisor",
              [FARM_SOURCE] = "source",
              [FARM_DESTINATION] = "destination"},
    .sends = {[FARM_SUPERVISOR] = {[FARM_SOURCE] = {"issue", "issue", "assignment"},
                                   [FARM_DESTINATION] = {"issue", "issue", "assignment"}},
              [FARM_SOURCE] = {[FARM_DESTINATION] = {"send", "send", "fragment"}},
              [FARM_DESTINATION] = {[FARM_SUPERVISOR] = {"decision", "decision", "decision"},
                                    [FARM_SOURCE] = {"request", "request", "request"}}},
    .takes = {[FARM_SUPERVISOR] =
                  {[FARM_SOURCE] = "take assignment", [FARM_DESTINATION] = "take assignment"},
              [FARM_SOURCE] = {[FARM_DESTINATION] = "take fragment"},
              [FARM_DESTINATION] =
                  {[FARM_SUPERVISOR] = "take decision", [FARM_SOURCE] = "take request"}},
};

/* Inlined wherever a message is sent, because this is a large part of an event's cost. */
static inline __attribute__((always_inline)) transport_buffer *packet_of(bench_rank *me,
                                                                         farm_message message)
{
    transport_buffer *buffer = transport_buffer_create(me->factory, sizeof(message));

    if (buffer != NULL)
        memcpy(buffer->data, &message, sizeof(message));
    return buffer;
}

static inline __attribute__((always_inline)) cb_status
send_message(bench_rank *me, size_t role, size_t index, farm_message message)
{
    transport_buffer *buffer = packet_of(me, message);

    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    return transport_send(me->peers[me->place.first_peer[role] + index].node, buffer);
}

/* Send a control message to one rank of a role. */
static cb_status send_to(bench_rank *me, size_t role, size_t index, farm_message message)
{
    timeline_recorder *timeline = farm_of(me)->timeline;
    uint64_t begin_ns = timeline_begin(timeline);

    CB_TRY(send_message(me, role, index, message));
    timeline_note(timeline, begin_ns, TIMELINE_SENDS, message.event, role, (uint32_t)index);
    return CB_OK;
}

/* Send a control message to all sources. */
static cb_status tell_sources(bench_rank *me, farm_message message)
{
    farm_rank *farm = farm_of(me);
    uint64_t begin_ns = timeline_begin(farm->timeline);
    transport_buffer *buffer = packet_of(me, message);

    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(transport_group_send(farm->all_sources, buffer));
    timeline_note(farm->timeline, begin_ns, TIMELINE_SENDS, message.event, FARM_SOURCE,
                  timeline_all);
    return CB_OK;
}

cb_status farm_send_assignment(bench_rank *me)
{
    const farm_ledger *ledger = &farm_of(me)->supervisor.ledger;

    return tell_sources(me, (farm_message){.event = ledger->next, .first = (uint32_t)ledger->turn});
}

/* Result for an invalid message: no event and no rank. */
static const farm_message no_message = {.event = UINT64_MAX, .first = UINT32_MAX, .bits = 0};

static cb_status reject_size(bench_rank *me, transport_buffer *buffer, farm_message *out)
{
    size_t size_bytes = buffer->size;

    *out = no_message;
    transport_buffer_release(buffer);
    if (farm_of(me)->may_lose)
        return CB_OK;
    cb_error("rank %d received a control message of %zu bytes instead of %zu: the "
             "technology cut or mixed up messages; run again with --verify",
             me->place.ranks[me->place.self], size_bytes, sizeof(*out));
    return CB_ERROR_DATA;
}

cb_status farm_read_any(bench_rank *me, size_t role, size_t from, transport_buffer *buffer,
                        farm_message *out)
{
    timeline_recorder *timeline = farm_of(me)->timeline;
    uint64_t begin_ns = timeline_begin(timeline);

    if (buffer->size != sizeof(*out))
        return reject_size(me, buffer, out);
    memcpy(out, buffer->data, sizeof(*out));
    transport_buffer_release(buffer);
    timeline_note(timeline, begin_ns, TIMELINE_TAKES, out->event, role,
                  (uint32_t)farm_index_of(me, from, role));
    return CB_OK;
}

/* Sources receive from the supervisor or, in a pull farm, from destinations; there they have no
 * connection to the supervisor. */
cb_status farm_read_message(bench_rank *me, size_t from, transport_buffer *buffer,
                            farm_message *out)
{
    bool pulled = me->place.first_peer[FARM_DESTINATION] == 0;

    return farm_read(me, pulled ? FARM_DESTINATION : FARM_SUPERVISOR, from, buffer, out);
}

/* Addresses of a pull farm */

cb_status farm_send_addresses(bench_rank *me)
{
    farm_rank *farm = farm_of(me);
    farm_message message = {.event = farm->supervisor.ledger.next};
    const size_t destination = farm->supervisor.ledger.turn;
    uint64_t begin_ns;
    size_t first = 0;

    if (!farm->lists_addresses) {
        message.bits = farm_bitmap_of(farm->sources);
        return send_to(me, FARM_DESTINATION, destination, message);
    }
    begin_ns = timeline_begin(farm->timeline);
    farm_fetch_draw(farm->fetch_seed, message.event, farm->sources, farm->fetched, farm->drawn);
    while ((message.bits = farm_fetch_names(farm->drawn, farm->sources, &first)) != 0) {
        message.first = (uint32_t)first;
        CB_TRY(send_message(me, FARM_DESTINATION, destination, message));
        first += FARM_NAMED;
    }
    timeline_note(farm->timeline, begin_ns, TIMELINE_SENDS, message.event, FARM_DESTINATION,
                  (uint32_t)destination);
    return CB_OK;
}

/* Whether the sources that a message names are among those drawn for its event. */
static bool names_drawn_sources(const farm_rank *farm, const farm_message *message)
{
    farm_fetch_draw(farm->fetch_seed, message->event, farm->sources, farm->fetched, farm->drawn);
    for (uint32_t bits = message->bits; bits != 0; bits &= bits - 1) {
        size_t source = message->first + (size_t)__builtin_ctz(bits);

        if (source >= farm->sources || !farm_set_has(farm->drawn, source))
            return false;
    }
    return true;
}

/* Count the named sources as asked, and leave in *bits those that have not been asked before. In
 * the verification pass they have to be those that this rank would draw. *last: all sources of the
 * event have been named. */
static __attribute__((noinline)) cb_status admit_addresses(bench_rank *me, farm_message *message,
                                                           bool *last)
{
    farm_rank *farm = farm_of(me);
    const uint64_t sequence = message->event / farm->destinations;
    const bool verified = farm->fragments == &farm_fragments_verified;
    uint32_t named = message->bits;

    message->bits = 0;
    if (message->event < farm->first_event || message->event >= farm->end_event ||
        message->event % farm->destinations != farm->index || named == 0 ||
        (verified &&
         !names_drawn_sources(farm, &(farm_message){message->event, message->first, named})))
        return farm_reject(me, "a control message", message->event);
    if (farm->over) {
        farm->faults.late++;
        return CB_OK;
    }
    if (farm_event_is_accepted(farm, message->event))
        farm_builder_extend(&farm->destination.builder, sequence, farm->sources - farm->fetched);
    for (; named != 0; named &= named - 1) {
        uint32_t bit = named & -named;
        farm_built asked = farm_builder_ask(&farm->destination.builder,
                                            message->first + (size_t)__builtin_ctz(bit), sequence);

        *last = *last || asked == FARM_COMPLETE;
        if (asked == FARM_PARTIAL || asked == FARM_COMPLETE)
            message->bits |= bit;
        else if (asked == FARM_FRAGMENT_DUPLICATE && farm->may_lose)
            farm->faults.duplicate++;
        else
            CB_TRY(farm_reject(me, "a control message", message->event));
    }
    return CB_OK;
}

/* As farm_read, but only the first message with addresses of an event is noted in a timeline, since
 * there it stands for all. */
static inline cb_status read_addresses(bench_rank *me, size_t from, transport_buffer *buffer,
                                       farm_message *out)
{
    farm_rank *farm = farm_of(me);
    timeline_recorder *timeline = farm->timeline;
    cb_status status;

    if (__builtin_expect(timeline != NULL && farm->lists_addresses, 0) &&
        buffer->size == sizeof(*out)) {
        memcpy(out, buffer->data, sizeof(*out));
        if (out->event == farm->destination.addressed)
            farm->timeline = NULL;
        farm->destination.addressed = out->event;
    }
    status = farm_read(me, FARM_SUPERVISOR, from, buffer, out);
    farm->timeline = timeline;
    return status;
}

static inline cb_status ask_source(bench_rank *me, size_t source, uint64_t event)
{
    farm_rank *farm = farm_of(me);

    if (__builtin_expect(farm->two_steps, 0))
        farm_asked_add(&farm->destination.asked, source, event / farm->destinations);
    return send_to(me, FARM_SOURCE, source, (farm_message){.event = event});
}

cb_status farm_request_fragments(bench_rank *me, size_t from, transport_buffer *buffer)
{
    farm_rank *farm = farm_of(me);
    farm_message message;
    bool last = false;

    CB_TRY(read_addresses(me, from, buffer, &message));
    if (__builtin_expect(farm->lists_addresses, 0))
        CB_TRY(admit_addresses(me, &message, &last));
    else if (message.first == 0 && message.bits == farm_bitmap_of(farm->sources))
        CB_TRY(farm_admit(me, message.event, farm->index, &last));
    else
        CB_TRY(farm_reject(me, "a control message", message.event));
    if (farm->all_sources != NULL)
        return last ? tell_sources(me, (farm_message){.event = message.event}) : CB_OK;
    if (!last && !farm->lists_addresses)
        return CB_OK;
    for (uint32_t bits = message.bits; bits != 0; bits &= bits - 1)
        CB_TRY(ask_source(me, message.first + (size_t)__builtin_ctz(bits), message.event));
    return CB_OK;
}

/* The first part of an event is accepted: ask the other sources. */
static cb_status ask_more_sources(bench_rank *me, uint64_t event)
{
    farm_rank *farm = farm_of(me);

    for (size_t source = 0; source < farm->sources; source++)
        if (farm_builder_ask_more(&farm->destination.builder, source, event / farm->destinations))
            CB_TRY(ask_source(me, source, event));
    return CB_OK;
}

/* Fragments */

/* The label of a fragment: its source in the lower half of the first word, and the event. */
typedef struct {
    uint64_t source, event;
} label;

_Static_assert(sizeof(label) == BENCH_LABEL_BYTES, "a label has two words");

/* Write all of the content, since the buffer may have held a control message. */
static inline void fill_fragment(const bench_rank *me, void *data, uint64_t event)
{
    label mark = {.source = farm_of(me)->index, .event = event};

    if (farm_of(me)->labelled)
        memcpy(data, &mark, sizeof(mark));
    else
        traffic_fill(data, me->size_bytes);
}

/* The event determines the destination. */
static packet_identity fragment_of(size_t source, uint64_t event)
{
    return (packet_identity){source, CHECKER_ANYBODY, event};
}

static void make_stamped(const bench_rank *me, void *data, size_t size_bytes, uint64_t event)
{
    checker_stamp(data, size_bytes, fragment_of(farm_of(me)->index, event));
}

static void make_varied(const bench_rank *me, void *data, size_t size_bytes, uint64_t event)
{
    label mark = {.source = farm_of(me)->index, .event = event};

    if (size_bytes >= sizeof(mark))
        memcpy(data, &mark, sizeof(mark));
    else
        traffic_fill(data, size_bytes);
}

static void count_size(bench_rank *me, const transport_buffer *buffer, size_t source,
                       uint64_t event)
{
    (void)source;
    (void)event;
    me->received.bytes += buffer->size;
    if (buffer->size > me->received.largest)
        me->received.largest = buffer->size;
}

static void inspect_varied(bench_rank *me, const transport_buffer *buffer, size_t source,
                           uint64_t event)
{
    farm_rank *farm = farm_of(me);

    count_size(me, buffer, source, event);
    me->received.sum += traffic_touch(buffer->data, buffer->size);
    if (buffer->size < sizeof(label))
        return;
    farm->destination.label_sum += source + event;
    farm->destination.marked++;
}

static void ignore_data(bench_rank *me, const transport_buffer *buffer, size_t source,
                        uint64_t event)
{
    (void)me;
    (void)buffer;
    (void)source;
    (void)event;
}

/* The size that a fragment has to have. */
static size_t size_of_fragment(bench_rank *me, size_t source, uint64_t event)
{
    const uint32_t *sizes = NULL;

    if (me->fragments != NULL)
        sizes = fragments_of_peer(me, me->place.first_peer[FARM_SOURCE] + source);
    return sizes != NULL ? sizes[event % me->ring.period] : me->size_bytes;
}

static void check_stamped(bench_rank *me, const transport_buffer *buffer, size_t source,
                          uint64_t event)
{
    bool intact = buffer->size == size_of_fragment(me, source, event) &&
                  checker_stamp_matches(buffer->data, buffer->size, fragment_of(source, event));

    me->verification.findings.messages++;
    me->verification.findings.corrupted += !intact;
}

const farm_fragments farm_fragments_touched = {NULL, NULL};
const farm_fragments farm_fragments_bare = {NULL, ignore_data};
const farm_fragments farm_fragments_varied = {make_varied, inspect_varied};
const farm_fragments farm_fragments_varied_bare = {make_varied, count_size};
const farm_fragments farm_fragments_verified = {make_stamped, check_stamped};

cb_status farm_send_fragment(bench_rank *me, size_t destination, uint64_t event)
{
    farm_rank *farm = farm_of(me);
    uint64_t begin_ns = timeline_begin(farm->timeline);
    size_t size_bytes = me->size_bytes;
    transport_buffer *buffer;
    bool admitted;

    CB_TRY(farm_admit(me, event, destination, &admitted));
    if (!admitted)
        return CB_OK;
    farm->source.served++;
    if (__builtin_expect(me->ring.sizes != NULL, 0))
        size_bytes = me->ring.sizes[event % me->ring.period];
    buffer = transport_buffer_create(me->factory, size_bytes);
    if (buffer == NULL)
        return CB_ERROR_MEMORY;
    if (__builtin_expect(farm->fragments->make == NULL, 1))
        fill_fragment(me, buffer->data, event);
    else
        farm->fragments->make(me, buffer->data, size_bytes, event);
    CB_TRY(transport_send(me->peers[me->place.first_peer[FARM_DESTINATION] + destination].node,
                          buffer));
    timeline_note(farm->timeline, begin_ns, TIMELINE_SENDS, event, FARM_DESTINATION,
                  (uint32_t)destination);
    return CB_OK;
}

/* Decide a complete event, after the extra work of --slow-us. */
static inline cb_status decide(bench_rank *me, uint64_t event)
{
    farm_rank *farm = farm_of(me);

    if (farm->over) {
        farm->faults.late++;
        return CB_OK;
    }
    if (farm->destination.slow_units > 0) {
        uint64_t begin_ns = timeline_begin(farm->timeline);

        me->algorithm.state = host_work_on(me->algorithm.state, farm->destination.slow_units);
        timeline_note(farm->timeline, begin_ns, TIMELINE_DELAYS, event, 0, 0);
    }
    farm->destination.completed++;
    return send_to(me, FARM_SUPERVISOR, 0,
                   (farm_message){.event = event, .bits = farm_event_is_accepted(farm, event)});
}

static __attribute__((noinline)) cb_status run_algorithm(bench_rank *me, size_t source,
                                                         uint64_t event)
{
    uint64_t begin_ns = timeline_begin(farm_of(me)->timeline);

    CB_TRY(bench_run_algorithm(&me->algorithm));
    timeline_note(farm_of(me)->timeline, begin_ns, TIMELINE_WORKS, event, FARM_SOURCE,
                  (uint32_t)source);
    return CB_OK;
}

/* A fragment that arrives after a later one of its source was overtaken, unless it is a duplicate.
 */
static void count_order(bench_rank *me, size_t source, uint64_t sequence, farm_built built)
{
    farm_rank *farm = farm_of(me);
    uint64_t *next = &farm->destination.delivered[source];

    if (farm->two_steps && farm_asked_remove(&farm->destination.asked, source, sequence))
        return;
    if (!farm->two_steps && sequence >= *next)
        *next = sequence + 1;
    else
        me->verification.findings.reordered += built == FARM_PARTIAL || built == FARM_COMPLETE;
}

static cb_status reject_fragment(bench_rank *me, transport_buffer *buffer, size_t source)
{
    const farm_rank *farm = farm_of(me);
    label mark = {.event = farm->destination.delivered[source] * farm->destinations + farm->index};

    if (farm->labelled && buffer->size >= sizeof(mark))
        memcpy(&mark, buffer->data, sizeof(mark));
    transport_buffer_release(buffer);
    me->verification.findings.messages++;
    return farm_reject(me, "a fragment", mark.event);
}

/* Inlined. Read a fragment, release its buffer, run the algorithm, and count the fragment for its
 * event. */
static inline __attribute__((always_inline)) cb_status build(bench_rank *me,
                                                             transport_buffer *buffer,
                                                             size_t source, uint64_t sequence,
                                                             uint64_t event, farm_built *built)
{
    farm_rank *farm = farm_of(me);
    uint64_t begin_ns = timeline_begin(farm->timeline);

    me->received.packets++;
    farm->destination.fragment_bytes = buffer->size;
    if (__builtin_expect(farm->fragments->inspect == NULL, 1)) {
        me->received.sum += traffic_touch(buffer->data, buffer->size);
        farm->destination.label_sum += source + event;
    } else {
        farm->fragments->inspect(me, buffer, source, event);
    }
    transport_buffer_release(buffer);
    timeline_note(farm->timeline, begin_ns, TIMELINE_TAKES, event, FARM_SOURCE, (uint32_t)source);
    if (__builtin_expect(me->algorithm.units > 0, 0))
        CB_TRY(run_algorithm(me, source, event));
    *built = farm_builder_add(&farm->destination.builder, source, sequence);
    return CB_OK;
}

/* An accepted event has its first part when only the fragments of the second step are missing. */
static __attribute__((noinline)) cb_status conclude_step(bench_rank *me, uint64_t event,
                                                         farm_built built)
{
    farm_rank *farm = farm_of(me);
    const uint64_t more = farm->sources - farm->fetched, sequence = event / farm->destinations;
    const bool accepted = farm_event_is_accepted(farm, event);
    const uint64_t missing =
        built == FARM_COMPLETE ? 0 : *farm_builder_slot(&farm->destination.builder, sequence);

    farm->destination.step_bytes[accepted && missing < more] += farm->destination.fragment_bytes;
    if (built == FARM_COMPLETE)
        return decide(me, event);
    if (!accepted || missing != more)
        return CB_OK;
    if (farm->over) {
        farm->faults.late++;
        return CB_OK;
    }
    return ask_more_sources(me, event);
}

static inline __attribute__((always_inline)) cb_status conclude(bench_rank *me, uint64_t event,
                                                                farm_built built)
{
    if (__builtin_expect(farm_of(me)->two_steps, 0) &&
        (built == FARM_COMPLETE || built == FARM_PARTIAL))
        return conclude_step(me, event, built);
    if (built == FARM_COMPLETE)
        return decide(me, event);
    if (built == FARM_PARTIAL || farm_of(me)->may_lose)
        return CB_OK;
    return farm_reject(me, "a fragment", event);
}

/* Whether a fragment is of the next event of its source; a fragment without label always is. */
static inline bool is_in_turn(const farm_rank *farm, const transport_buffer *buffer, size_t source,
                              uint64_t event)
{
    const label *mark = buffer->data;

    if (!farm->labelled)
        return true;
    if (__builtin_expect(buffer->size < sizeof(*mark), 0))
        return farm->varied;
    return (uint32_t)mark->source == source && mark->event == event;
}

/* The sequence of the event that a fragment out of turn belongs to. UINT64_MAX if it names another
 * source, or an event that is not this destination's or not of this run. */
static uint64_t sequence_out_of_turn(const farm_rank *farm, const transport_buffer *buffer,
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
    return sequence - farm->destination.first_sequence < farm->events ? sequence : UINT64_MAX;
}

static __attribute__((noinline)) cb_status accept_out_of_turn(bench_rank *me, size_t source,
                                                              transport_buffer *buffer)
{
    const farm_rank *farm = farm_of(me);
    uint64_t sequence = sequence_out_of_turn(farm, buffer, source);
    uint64_t event = sequence * farm->destinations + farm->index;
    farm_built built;

    if (sequence == UINT64_MAX)
        return reject_fragment(me, buffer, source);
    CB_TRY(build(me, buffer, source, sequence, event, &built));
    count_order(me, source, sequence, built);
    return conclude(me, event, built);
}

/* The sequence of the next event for which a source has been asked; `sequence` is where to begin.
 * UINT64_MAX: there is none. */
static __attribute__((noinline)) uint64_t next_asked(const farm_builder *builder, size_t source,
                                                     uint64_t sequence)
{
    if (sequence < builder->oldest)
        sequence = builder->oldest;
    for (; sequence - builder->oldest <= builder->mask; sequence++)
        if (farm_builder_has_asked(builder, source, sequence))
            return sequence;
    return UINT64_MAX;
}

cb_status farm_accept_fragment(bench_rank *me, size_t from, transport_buffer *buffer)
{
    farm_rank *farm = farm_of(me);
    size_t source = farm_index_of(me, from, FARM_SOURCE);
    uint64_t sequence = farm->destination.delivered[source], event;
    farm_built built;

    if (__builtin_expect(farm->lists_addresses, 0)) {
        sequence = farm->two_steps ? farm_asked_next(&farm->destination.asked, source)
                                   : next_asked(&farm->destination.builder, source, sequence);
        if (sequence == UINT64_MAX)
            return accept_out_of_turn(me, source, buffer);
    }
    event = sequence * farm->destinations + farm->index;
    if (__builtin_expect(!is_in_turn(farm, buffer, source, event) || event >= farm->end_event, 0))
        return accept_out_of_turn(me, source, buffer);
    farm->destination.delivered[source] = sequence + 1;
    if (__builtin_expect(farm->two_steps, 0))
        (void)farm_asked_remove(&farm->destination.asked, source, sequence);
    CB_TRY(build(me, buffer, source, sequence, event, &built));
    return conclude(me, event, built);
}

/* The fragments of a source were those of successive events of this destination, unless messages
 * were lost or only some sources had data: then the sizes that were due are not known. */
static cb_status check_varied_sum(bench_rank *me)
{
    const farm_rank *farm = farm_of(me);
    uint64_t expected = farm->destination.label_sum -
                        farm->destination.marked * traffic_expected_sum(BENCH_LABEL_BYTES);
    uint64_t packets = 0, bytes = 0;

    for (size_t source = 0; source < farm->sources; source++)
        packets += farm->destination.delivered[source] - farm->destination.first_sequence;
    if (packets != me->received.packets || farm->fetched < farm->sources || farm->may_lose)
        return CB_OK;
    for (size_t source = 0; source < farm->sources; source++) {
        uint64_t sum, size;

        if (!fragments_sum(me, me->place.first_peer[FARM_SOURCE] + source,
                           farm->destination.first_sequence * farm->destinations + farm->index,
                           farm->destinations,
                           farm->destination.delivered[source] - farm->destination.first_sequence,
                           &sum, &size))
            return CB_OK;
        expected += sum;
        bytes += size;
    }
    if (me->received.sum == expected && me->received.bytes == bytes)
        return CB_OK;
    cb_error("the %llu fragments of varying size at destination %zu have %llu bytes with the sum "
             "%#llx, expected %llu and %#llx: a fragment was corrupted or cut; run again with "
             "--verify",
             (unsigned long long)me->received.packets, farm->index,
             (unsigned long long)me->received.bytes, (unsigned long long)me->received.sum,
             (unsigned long long)bytes, (unsigned long long)expected);
    return CB_ERROR_DATA;
}

const farm_fragments *farm_fragments_for(const bench_options *options)
{
    const bool touches = traffic_touches(traffic_named(options->touch, options->buffers));

    if (fragments_vary(options))
        return touches ? &farm_fragments_varied : &farm_fragments_varied_bare;
    return touches ? &farm_fragments_touched : &farm_fragments_bare;
}

cb_status farm_check_sum(bench_rank *me)
{
    const farm_rank *farm = farm_of(me);
    uint64_t packet = traffic_expected_sum(me->size_bytes);
    uint64_t expected = me->received.packets * packet;

    if (me->factory->content_unknown)
        return CB_OK;
    if (farm->role == FARM_DESTINATION && farm->fragments == &farm_fragments_varied)
        return check_varied_sum(me);
    if (farm->role != FARM_DESTINATION || farm->fragments != &farm_fragments_touched)
        return CB_OK;
    if (farm->labelled)
        expected += farm->destination.label_sum -
                    me->received.packets * traffic_expected_sum(BENCH_LABEL_BYTES);
    if (me->received.sum == expected)
        return CB_OK;
    cb_error("the data of %llu fragments of %zu bytes at destination %zu has the sum"
             " %#llx, expected %#llx: a fragment was corrupted or cut; run again "
             "with --verify",
             (unsigned long long)me->received.packets, me->size_bytes, farm->index,
             (unsigned long long)me->received.sum, (unsigned long long)expected);
    return CB_ERROR_DATA;
}
