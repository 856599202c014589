/* The event builder: a test for each rule, and random streams of fragments (lost, duplicate,
 * reordered, interleaved over several events) against a model that records what every source has
 * delivered of every event. */
#include "farm/builder.h"

#include <stdbool.h>
#include <string.h>

#include "base/random.h"
#include "tests/common/unit.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

enum { FURTHEST_RINGS = 1024 };

static farm_builder make_builder(size_t sources, uint64_t events)
{
    farm_builder builder;

    ck_assert_int_eq(farm_builder_create(sources, sources, false, events, &builder), CB_OK);
    return builder;
}

static void assert_counts(const farm_builder *builder, farm_builder_counts expected)
{
    const farm_builder_counts *counts = &builder->counts;

    ck_assert_msg(
        memcmp(counts, &expected, sizeof(expected)) == 0,
        "%lu fragments, %lu duplicate, %lu unexpected, %lu abandoned in place of %lu, %lu, "
        "%lu, %lu",
        counts->fragments, counts->duplicate, counts->unexpected, counts->abandoned,
        expected.fragments, expected.duplicate, expected.unexpected, expected.abandoned);
}

/* One fragment from each source below `sources`. */
static void add_from_first(farm_builder *builder, size_t sources, uint64_t sequence)
{
    for (size_t source = 0; source < sources; source++)
        farm_builder_add(builder, source, sequence);
}

/* Completion */

static const size_t source_numbers[] = {1, 2, 3, 63, 64, 65, 127, 128, 129, 200};

START_TEST(an_event_completes_with_the_fragment_of_any_last_source)
{
    for (size_t i = 0; i < LENGTH(source_numbers); i++) {
        size_t sources = source_numbers[i];
        farm_builder builder = make_builder(sources, 2);

        for (uint64_t sequence = 0; sequence < sources; sequence++)
            for (size_t k = 1; k <= sources; k++)
                ck_assert_int_eq(farm_builder_add(&builder, (sequence + k) % sources, sequence),
                                 k < sources ? FARM_PARTIAL : FARM_COMPLETE);
        assert_counts(&builder, (farm_builder_counts){.fragments = sources * sources});
        farm_builder_free(&builder);
    }
}
END_TEST

/* Four events are built concurrently and complete in a different order. */
START_TEST(events_complete_in_any_order)
{
    static const uint64_t order[] = {2, 1, 3, 0};
    farm_builder builder = make_builder(3, 4);

    for (uint64_t sequence = 0; sequence < 4; sequence++)
        add_from_first(&builder, 2, sequence);
    for (size_t i = 0; i < LENGTH(order); i++) {
        ck_assert_uint_eq(builder.oldest, 0);
        ck_assert_int_eq(farm_builder_add(&builder, 2, order[i]), FARM_COMPLETE);
    }
    ck_assert_uint_eq(builder.oldest, 4);
    assert_counts(&builder, (farm_builder_counts){.fragments = 12});
    farm_builder_free(&builder);
}
END_TEST

START_TEST(slots_of_the_ring_are_reused)
{
    farm_builder builder = make_builder(70, 3);

    add_from_first(&builder, 69, 0);
    for (uint64_t sequence = 0; sequence < 2000; sequence++) {
        add_from_first(&builder, 69, sequence + 1);
        ck_assert_int_eq(farm_builder_add(&builder, 69, sequence), FARM_COMPLETE);
    }
    assert_counts(&builder, (farm_builder_counts){.fragments = 2001 * 69 + 2000});
    farm_builder_free(&builder);
}
END_TEST

START_TEST(the_ring_has_the_requested_number_of_slots)
{
    for (uint64_t events = 1; events <= 70; events++) {
        farm_builder builder = make_builder(2, events);

        for (uint64_t sequence = 0; sequence < events; sequence++)
            ck_assert_int_eq(farm_builder_add(&builder, 1, sequence), FARM_PARTIAL);
        for (uint64_t sequence = events; sequence-- > 0;)
            ck_assert_int_eq(farm_builder_add(&builder, 0, sequence), FARM_COMPLETE);
        farm_builder_free(&builder);
    }
}
END_TEST

/* Excess fragments */

START_TEST(a_duplicate_fragment_does_not_replace_that_of_another_source)
{
    for (size_t i = 1; i < LENGTH(source_numbers); i++) {
        size_t sources = source_numbers[i];
        farm_builder builder = make_builder(sources, 1);

        add_from_first(&builder, sources - 1, 0);
        for (size_t source = 0; source + 1 < sources; source++)
            ck_assert_int_eq(farm_builder_add(&builder, source, 0), FARM_FRAGMENT_DUPLICATE);
        ck_assert_int_eq(farm_builder_add(&builder, sources - 1, 0), FARM_COMPLETE);
        assert_counts(&builder, (farm_builder_counts){.fragments = 2 * sources - 1,
                                                      .duplicate = sources - 1});
        farm_builder_free(&builder);
    }
}
END_TEST

START_TEST(an_event_completes_once)
{
    farm_builder builder = make_builder(2, 4);

    farm_builder_add(&builder, 0, 0); /* keeps event 1 in its slot */
    for (uint64_t sequence = 1; sequence + 1 > 0; sequence--) {
        add_from_first(&builder, 2, sequence);
        for (size_t source = 0; source < 2; source++)
            ck_assert_int_eq(farm_builder_add(&builder, source, sequence), FARM_FRAGMENT_DUPLICATE);
    }
    assert_counts(&builder, (farm_builder_counts){.fragments = 9, .duplicate = 5});
    farm_builder_free(&builder);
}
END_TEST

START_TEST(a_fragment_of_an_unknown_source_is_unexpected)
{
    static const size_t sources[] = {3, 4, 64, SIZE_MAX};
    farm_builder builder = make_builder(3, 4);

    for (size_t i = 0; i < LENGTH(sources); i++)
        ck_assert_int_eq(farm_builder_add(&builder, sources[i], 0), FARM_FRAGMENT_UNEXPECTED);
    assert_counts(&builder, (farm_builder_counts){.fragments = 4, .unexpected = 4});
    farm_builder_free(&builder);
}
END_TEST

/* Abandoned events */

START_TEST(a_fragment_beyond_the_ring_abandons_the_oldest_event)
{
    farm_builder builder = make_builder(2, 4);

    for (uint64_t sequence = 0; sequence < 4; sequence++)
        farm_builder_add(&builder, 0, sequence);
    ck_assert_int_eq(farm_builder_add(&builder, 0, 4), FARM_PARTIAL);
    assert_counts(&builder, (farm_builder_counts){.fragments = 5, .abandoned = 1});
    for (uint64_t sequence = 1; sequence < 5; sequence++)
        ck_assert_int_eq(farm_builder_add(&builder, 1, sequence), FARM_COMPLETE);
    farm_builder_free(&builder);
}
END_TEST

START_TEST(an_event_without_fragments_can_be_abandoned)
{
    farm_builder builder = make_builder(2, 4);

    farm_builder_add(&builder, 0, 103);
    ck_assert_uint_eq(builder.oldest, 100);
    assert_counts(&builder, (farm_builder_counts){.fragments = 1, .abandoned = 100});
    farm_builder_free(&builder);
}
END_TEST

/* Event 0 is complete, 1 is not, 2 is complete but waits for 1. */
START_TEST(a_complete_event_is_not_abandoned)
{
    farm_builder builder = make_builder(2, 4);

    add_from_first(&builder, 2, 0);
    add_from_first(&builder, 1, 1);
    add_from_first(&builder, 2, 2);
    farm_builder_add(&builder, 0, 6);
    assert_counts(&builder, (farm_builder_counts){.fragments = 6, .abandoned = 1});
    farm_builder_free(&builder);
}
END_TEST

START_TEST(a_fragment_of_an_abandoned_event_counts_as_duplicate)
{
    farm_builder builder = make_builder(2, 4);

    farm_builder_add(&builder, 0, 0);
    farm_builder_add(&builder, 0, 4);
    ck_assert_int_eq(farm_builder_add(&builder, 1, 0), FARM_FRAGMENT_DUPLICATE);
    assert_counts(&builder, (farm_builder_counts){.fragments = 3, .duplicate = 1, .abandoned = 1});
    farm_builder_free(&builder);
}
END_TEST

/* Abandoning events costs at most 1024 times the ring size per fragment; an unexpected fragment
 * costs nothing. */
START_TEST(a_fragment_more_than_1024_rings_ahead_is_unexpected_and_abandons_nothing)
{
    static const uint64_t ahead[] = {FURTHEST_RINGS * 4 + 1, UINT64_C(1) << 40, UINT64_MAX - 100};
    farm_builder builder = make_builder(2, 4);

    for (uint64_t sequence = 0; sequence < 100; sequence++)
        add_from_first(&builder, 2, sequence);
    farm_builder_add(&builder, 0, 100);
    for (size_t i = 0; i < LENGTH(ahead); i++)
        ck_assert_int_eq(farm_builder_add(&builder, 0, 100 + ahead[i]), FARM_FRAGMENT_UNEXPECTED);
    ck_assert_int_eq(farm_builder_add(&builder, 1, 100), FARM_COMPLETE);
    assert_counts(&builder, (farm_builder_counts){.fragments = 205, .unexpected = 3});
    farm_builder_free(&builder);
}
END_TEST

START_TEST(a_fragment_1024_rings_ahead_is_accepted)
{
    farm_builder builder = make_builder(2, 4);

    ck_assert_int_eq(farm_builder_add(&builder, 0, FURTHEST_RINGS * 4), FARM_PARTIAL);
    ck_assert_int_eq(farm_builder_add(&builder, 1, FURTHEST_RINGS * 4), FARM_COMPLETE);
    assert_counts(&builder,
                  (farm_builder_counts){.fragments = 2, .abandoned = FURTHEST_RINGS * 4 - 3});
    farm_builder_free(&builder);
}
END_TEST

/* Random streams: each source sends its fragments in order, and the network loses, duplicates
 * and delays them. */

enum {
    EVENTS = 60,
    MOST_SOURCES = 130,
    MOST_FRAGMENTS = 2 * EVENTS * MOST_SOURCES,
    STREAMS = 2000
};

static const uint64_t far_ahead = UINT64_C(1) << 40;

typedef struct {
    uint64_t arrival, sequence;
    size_t source;
} fragment;

typedef struct {
    cb_random random;
    size_t sources;
    uint64_t most_late, lost_pct, duplicate_pct, unexpected_pct;
    fragment *fragments;
    size_t length;

    bool delivered[EVENTS][MOST_SOURCES];
    size_t missing[EVENTS];
    unsigned completions[EVENTS];
    uint64_t places, floor; /* events below the floor are closed */
    farm_builder_counts counts;
} stream;

/* How often each case occurred: the test fails if one never does. */
typedef struct {
    uint64_t built[4], abandoned, after_abandoning;
} coverage;

static uint64_t draw(stream *s, uint64_t bound)
{
    return cb_random_below(&s->random, bound);
}

/* one event arrives every 16 ticks */
static void send_fragment(stream *s, uint64_t delay, uint64_t sequence, size_t source)
{
    uint64_t arrival = 16 * sequence + delay + draw(s, s->most_late);

    s->fragments[s->length++] = (fragment){arrival, sequence, source};
}

static int compare(const void *a, const void *b)
{
    const fragment *one = a, *other = b;

    return (one->arrival > other->arrival) - (one->arrival < other->arrival);
}

static void send_all_of(stream *s, size_t source)
{
    uint64_t delay = draw(s, s->most_late);

    for (uint64_t sequence = 0; sequence < EVENTS; sequence++) {
        if (draw(s, 100) >= s->lost_pct)
            send_fragment(s, delay, sequence, source);
        if (draw(s, 100) < s->duplicate_pct)
            send_fragment(s, delay, sequence, source);
    }
}

static void draw_stream(stream *s, uint64_t seed)
{
    static fragment fragments[MOST_FRAGMENTS];

    memset(s, 0, sizeof(*s));
    s->fragments = fragments;
    s->random = cb_random_seed(seed);
    s->sources = 1 + draw(s, seed % 8 == 0 ? MOST_SOURCES : 8);
    s->most_late = 1 + draw(s, UINT64_C(1) << draw(s, 9));
    s->lost_pct = draw(s, 3) * 4;
    s->duplicate_pct = draw(s, 3) * 10;
    s->unexpected_pct = draw(s, 3);
    for (size_t source = 0; source < s->sources; source++)
        send_all_of(s, source);
    qsort(s->fragments, s->length, sizeof(*s->fragments), compare);
    for (size_t event = 0; event < EVENTS; event++)
        s->missing[event] = s->sources;
}

static void model_raise_floor(stream *s, uint64_t floor)
{
    for (; s->floor < floor; s->floor++)
        s->counts.abandoned += s->missing[s->floor] > 0;
}

static farm_built model_add(stream *s, size_t source, uint64_t sequence, coverage *met)
{
    s->counts.fragments++;
    if (source >= s->sources || sequence >= far_ahead) {
        s->counts.unexpected++;
        return FARM_FRAGMENT_UNEXPECTED;
    }
    if (sequence >= s->places)
        model_raise_floor(s, sequence - s->places + 1);
    if (sequence < s->floor || s->delivered[sequence][source]) {
        met->after_abandoning += !s->delivered[sequence][source];
        s->counts.duplicate++;
        return FARM_FRAGMENT_DUPLICATE;
    }
    s->delivered[sequence][source] = true;
    return --s->missing[sequence] > 0 ? FARM_PARTIAL : FARM_COMPLETE;
}

static void arrive(stream *s, farm_builder *builder, size_t source, uint64_t sequence,
                   coverage *met)
{
    farm_built expected = model_add(s, source, sequence, met);
    farm_built built = farm_builder_add(builder, source, sequence);

    if (built != expected)
        ck_abort_msg("the fragment of source %zu of %zu to event %lu is called %d instead of %d",
                     source, s->sources, sequence, (int)built, (int)expected);
    if (memcmp(&builder->counts, &s->counts, sizeof(s->counts)) != 0)
        assert_counts(builder, s->counts);
    met->built[built]++;
    if (built == FARM_COMPLETE)
        s->completions[sequence]++;
}

static void deliver_unexpected(stream *s, farm_builder *builder, coverage *met)
{
    if (draw(s, 2) == 0)
        arrive(s, builder, s->sources + draw(s, 100), draw(s, EVENTS), met);
    else
        arrive(s, builder, draw(s, s->sources), far_ahead + draw(s, far_ahead), met);
}

/* Exactly once if all sources delivered in time, otherwise never. */
static void assert_completed_once(const stream *s)
{
    for (size_t event = 0; event < EVENTS; event++) {
        bool whole = true;

        for (size_t source = 0; source < s->sources; source++)
            whole = whole && s->delivered[event][source];
        if (s->completions[event] != whole)
            ck_abort_msg("event %zu is complete %u times", event, s->completions[event]);
    }
}

static void run_stream(stream *s, uint64_t seed, coverage *met)
{
    farm_builder builder;

    draw_stream(s, seed);
    builder = make_builder(s->sources, 1 + draw(s, 20));
    s->places = builder.most + 1;
    for (size_t i = 0; i < s->length; i++) {
        while (draw(s, 100) < s->unexpected_pct)
            deliver_unexpected(s, &builder, met);
        arrive(s, &builder, s->fragments[i].source, s->fragments[i].sequence, met);
    }
    assert_completed_once(s);
    met->abandoned += s->counts.abandoned;
    farm_builder_free(&builder);
}

/* Sources that are asked */

static farm_builder make_asking_builder(size_t sources, size_t fragments)
{
    farm_builder builder;

    ck_assert_int_eq(farm_builder_create(sources, fragments, true, 4, &builder), CB_OK);
    return builder;
}

START_TEST(an_event_completes_with_the_fragments_of_the_asked_sources)
{
    for (size_t i = 0; i < LENGTH(source_numbers); i++) {
        size_t sources = source_numbers[i], fragments = (sources + 1) / 2;
        farm_builder builder = make_asking_builder(sources, fragments);

        for (uint64_t sequence = 0; sequence < 9; sequence++) {
            for (size_t k = 1; k <= fragments; k++)
                ck_assert_int_eq(farm_builder_ask(&builder, (sequence + 2 * k) % sources, sequence),
                                 k < fragments ? FARM_PARTIAL : FARM_COMPLETE);
            for (size_t k = 1; k <= fragments; k++)
                ck_assert_int_eq(farm_builder_add(&builder, (sequence + 2 * k) % sources, sequence),
                                 k < fragments ? FARM_PARTIAL : FARM_COMPLETE);
        }
        assert_counts(&builder, (farm_builder_counts){.fragments = 9 * fragments});
        farm_builder_free(&builder);
    }
}
END_TEST

START_TEST(a_fragment_of_a_source_that_was_not_asked_is_unexpected)
{
    farm_builder builder = make_asking_builder(3, 2);

    farm_builder_ask(&builder, 0, 0);
    ck_assert_int_eq(farm_builder_add(&builder, 1, 0), FARM_FRAGMENT_UNEXPECTED);
    ck_assert_int_eq(farm_builder_add(&builder, 0, 1), FARM_FRAGMENT_UNEXPECTED);
    ck_assert_int_eq(farm_builder_add(&builder, 0, 6), FARM_FRAGMENT_UNEXPECTED);
    assert_counts(&builder, (farm_builder_counts){.fragments = 3, .unexpected = 3});
    ck_assert_int_eq(farm_builder_add(&builder, 0, 0), FARM_PARTIAL);
    ck_assert_int_eq(farm_builder_add(&builder, 0, 0), FARM_FRAGMENT_DUPLICATE);
    farm_builder_free(&builder);
}
END_TEST

START_TEST(a_source_is_asked_once_and_not_after_all_are)
{
    farm_builder builder = make_asking_builder(3, 2);

    ck_assert_int_eq(farm_builder_ask(&builder, 2, 1), FARM_PARTIAL);
    ck_assert_int_eq(farm_builder_ask(&builder, 2, 1), FARM_FRAGMENT_DUPLICATE);
    ck_assert_int_eq(farm_builder_ask(&builder, 0, 1), FARM_COMPLETE);
    ck_assert_int_eq(farm_builder_ask(&builder, 1, 1), FARM_FRAGMENT_UNEXPECTED);
    ck_assert_int_eq(farm_builder_ask(&builder, 3, 0), FARM_FRAGMENT_UNEXPECTED);
    ck_assert_int_eq(farm_builder_ask(&builder, 0, UINT64_MAX / 2), FARM_FRAGMENT_UNEXPECTED);
    ck_assert(!farm_builder_has_asked(&builder, 0, 0));
    ck_assert(farm_builder_has_asked(&builder, 0, 1));
    farm_builder_free(&builder);
}
END_TEST

START_TEST(asking_for_a_far_event_abandons_the_oldest)
{
    farm_builder builder = make_asking_builder(2, 1);

    farm_builder_ask(&builder, 0, 0);
    ck_assert_int_eq(farm_builder_ask(&builder, 1, 4), FARM_COMPLETE);
    ck_assert_int_eq(farm_builder_add(&builder, 0, 0), FARM_FRAGMENT_DUPLICATE);
    ck_assert_int_eq(farm_builder_ask(&builder, 0, 0), FARM_FRAGMENT_DUPLICATE);
    ck_assert_int_eq(farm_builder_add(&builder, 1, 4), FARM_COMPLETE);
    farm_builder_free(&builder);
}
END_TEST

/* Events with more fragments than others */

START_TEST(an_extended_event_completes_with_the_fragments_of_both_steps)
{
    farm_builder builder;

    ck_assert_int_eq(farm_builder_create(4, 1, true, 4, &builder), CB_OK);
    for (uint64_t sequence = 0; sequence < 20; sequence++) {
        const bool extended = sequence % 3 == 0;

        if (extended)
            farm_builder_extend(&builder, sequence, 3);
        ck_assert_int_eq(farm_builder_ask(&builder, 2, sequence), FARM_COMPLETE);
        if (extended)
            farm_builder_extend(&builder, sequence, 3); /* as before the next message */
        ck_assert_int_eq(farm_builder_add(&builder, 2, sequence),
                         extended ? FARM_PARTIAL : FARM_COMPLETE);
        if (!extended)
            continue;
        ck_assert_uint_eq(*farm_builder_slot(&builder, sequence), 3);
        ck_assert_int_eq(farm_builder_add(&builder, 0, sequence), FARM_FRAGMENT_UNEXPECTED);
        for (size_t source = 0; source < 4; source++)
            ck_assert(farm_builder_ask_more(&builder, source, sequence) == (source != 2));
        ck_assert(!farm_builder_ask_more(&builder, 0, sequence));
        ck_assert_int_eq(farm_builder_add(&builder, 3, sequence), FARM_PARTIAL);
        ck_assert_int_eq(farm_builder_add(&builder, 3, sequence), FARM_FRAGMENT_DUPLICATE);
        ck_assert_int_eq(farm_builder_add(&builder, 0, sequence), FARM_PARTIAL);
        ck_assert_int_eq(farm_builder_add(&builder, 1, sequence), FARM_COMPLETE);
    }
    farm_builder_free(&builder);
}
END_TEST

START_TEST(an_event_that_is_over_is_not_extended)
{
    farm_builder builder;

    ck_assert_int_eq(farm_builder_create(2, 1, true, 4, &builder), CB_OK);
    farm_builder_ask(&builder, 0, 0);
    farm_builder_add(&builder, 0, 0);
    farm_builder_extend(&builder, 0, 1);
    ck_assert_int_eq(farm_builder_ask(&builder, 1, 4), FARM_COMPLETE); /* in its slot */
    ck_assert_int_eq(farm_builder_add(&builder, 1, 4), FARM_COMPLETE);
    farm_builder_free(&builder);
}
END_TEST

/* Restarts */

START_TEST(a_restart_drops_incomplete_events)
{
    farm_builder builder = make_builder(2, 4);

    farm_builder_add(&builder, 0, 0);
    farm_builder_add(&builder, 0, 5);
    farm_builder_restart(&builder, 8);
    assert_counts(&builder, (farm_builder_counts){0});
    for (uint64_t sequence = 8; sequence < 12; sequence++) {
        ck_assert_int_eq(farm_builder_add(&builder, 0, sequence), FARM_PARTIAL);
        ck_assert_int_eq(farm_builder_add(&builder, 1, sequence), FARM_COMPLETE);
    }
    assert_counts(&builder, (farm_builder_counts){.fragments = 8});
    farm_builder_free(&builder);
}
END_TEST

START_TEST(a_fragment_from_before_a_restart_counts_as_duplicate)
{
    farm_builder builder = make_builder(2, 4);

    farm_builder_add(&builder, 0, 7);
    farm_builder_restart(&builder, 8);
    ck_assert_int_eq(farm_builder_add(&builder, 1, 7), FARM_FRAGMENT_DUPLICATE);
    farm_builder_free(&builder);
}
END_TEST

START_TEST(random_streams_complete_each_event_once_with_all_its_fragments)
{
    static stream s;
    coverage met = {0};

    for (uint64_t seed = 1; seed <= STREAMS; seed++)
        run_stream(&s, seed, &met);
    for (size_t i = 0; i < LENGTH(met.built); i++)
        ck_assert_uint_gt(met.built[i], STREAMS);
    ck_assert_uint_gt(met.abandoned, STREAMS);
    ck_assert_uint_gt(met.after_abandoning, STREAMS);
}
END_TEST

UNIT_MAIN("builder", an_event_completes_with_the_fragment_of_any_last_source,
          events_complete_in_any_order, slots_of_the_ring_are_reused,
          the_ring_has_the_requested_number_of_slots,
          a_duplicate_fragment_does_not_replace_that_of_another_source, an_event_completes_once,
          a_fragment_of_an_unknown_source_is_unexpected,
          a_fragment_beyond_the_ring_abandons_the_oldest_event,
          an_event_without_fragments_can_be_abandoned, a_complete_event_is_not_abandoned,
          a_fragment_of_an_abandoned_event_counts_as_duplicate,
          a_fragment_more_than_1024_rings_ahead_is_unexpected_and_abandons_nothing,
          a_fragment_1024_rings_ahead_is_accepted,
          an_event_completes_with_the_fragments_of_the_asked_sources,
          a_fragment_of_a_source_that_was_not_asked_is_unexpected,
          a_source_is_asked_once_and_not_after_all_are, asking_for_a_far_event_abandons_the_oldest,
          an_extended_event_completes_with_the_fragments_of_both_steps,
          an_event_that_is_over_is_not_extended, a_restart_drops_incomplete_events,
          a_fragment_from_before_a_restart_counts_as_duplicate,
          random_streams_complete_each_event_once_with_all_its_fragments)
