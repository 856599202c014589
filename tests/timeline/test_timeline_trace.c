/* Conversion of recorded entries to a trace: clocks of ranks and hosts, names, and matching of
 * messages. */
#include "timeline/trace.h"

#include "farm/messages.h"
#include "farm/options.h"
#include "engine/definition.h"
#include "tests/common/unit.h"

/* A farm of two sources and one destination: ranks 0, 1 and 2, and 3. */
enum { RANKS = 4, ENTRIES = 16, FIRST_EVENT = 70 };
enum { SUPERVISOR, SOURCE_0, SOURCE_1, DESTINATION };

typedef struct {
    bench_shape shape;
    timeline_count counts[RANKS];
    timeline_clock clocks[RANKS];
    int hosts[RANKS];
    timeline_entry entries[ENTRIES];
    size_t used;
    timeline_trace trace;
} fixture;

static fixture new_farm(void)
{
    return (fixture){.shape = farm_shape(2, 1)};
}

/* Entries are ordered by rank. Each lasts 10 ns. */
static void add(fixture *farm, size_t rank, uint64_t begin_ns, timeline_entry entry)
{
    entry.begin_ns = begin_ns;
    entry.end_ns = begin_ns + 10;
    entry.event += FIRST_EVENT;
    farm->entries[farm->used++] = entry;
    farm->counts[rank].used++;
}

static void make(fixture *farm)
{
    timeline_gathered notes = {.words = &farm_timeline_words,
                               .shape = &farm->shape,
                               .counts = farm->counts,
                               .clocks = farm->clocks,
                               .hosts = farm->hosts,
                               .entries = farm->entries,
                               .first_event = FIRST_EVENT};

    ck_assert_int_eq(timeline_trace_make(&notes, &farm->trace), CB_OK);
}

static const timeline_entry to_all_sources = {
    .kind = TIMELINE_SENDS, .role = FARM_SOURCE, .index = UINT32_MAX};
static const timeline_entry from_supervisor = {.kind = TIMELINE_TAKES, .role = FARM_SUPERVISOR};
static const timeline_entry to_destination = {.kind = TIMELINE_SENDS, .role = FARM_DESTINATION};

static timeline_entry from_source(uint32_t index)
{
    return (timeline_entry){.kind = TIMELINE_TAKES, .role = FARM_SOURCE, .index = index};
}

static control_clock clock_of(double offset_ns, double bound_ns, uint64_t at_ns)
{
    return (control_clock){.offset_ns = offset_ns, .bound_ns = bound_ns, .at_ns = at_ns};
}

/* A clock that is `offset_ns` behind rank 0's, known to 5 ns. */
static timeline_clock steady(double offset_ns)
{
    return (timeline_clock){.before = clock_of(offset_ns, 5, 100),
                            .after = clock_of(offset_ns, 5, 10000)};
}

/* One message from source 0, sent at `sent_ns`, to the destination, received at `taken_ns`, each
 * by the clock of its host; that of the destination is 1000 ns behind. */
static fixture one_message_between_hosts(uint64_t sent_ns, uint64_t taken_ns)
{
    fixture farm = new_farm();

    farm.hosts[DESTINATION] = 1;
    farm.clocks[DESTINATION] = steady(1000);
    add(&farm, SOURCE_0, sent_ns, to_destination);
    add(&farm, DESTINATION, taken_ns, from_source(0));
    make(&farm);
    return farm;
}

static void leave(fixture *farm)
{
    timeline_trace_free(&farm->trace);
}

/* Clocks */

START_TEST(a_time_is_interpolated_between_both_clock_estimates)
{
    timeline_clock clock = {.before = clock_of(100, 1, 1000), .after = clock_of(200, 1, 2000)};

    ck_assert_uint_eq(timeline_reference(&clock, 1000), 1100);
    ck_assert_uint_eq(timeline_reference(&clock, 1500), 1650);
    ck_assert_uint_eq(timeline_reference(&clock, 2000), 2200);
}
END_TEST

START_TEST(the_uncertainty_of_a_clock_is_that_of_its_worse_estimate)
{
    timeline_clock clock = {.before = clock_of(0, 7, 1), .after = clock_of(0, 3, 2)};

    ck_assert_double_eq(timeline_bound_ns(&clock), 7);
}
END_TEST

START_TEST(ranks_of_a_host_use_its_most_certain_clock)
{
    timeline_clock clocks[] = {
        {.before = clock_of(0, 0, 100), .after = clock_of(0, 0, 900)},
        {.before = clock_of(4, 5, 110), .after = clock_of(-3, 5, 910)},
        {.before = clock_of(5007, 9, 120), .after = clock_of(5003, 9, 920)},
        {.before = clock_of(5001, 2, 130), .after = clock_of(5000, 2, 930)},
    };
    const int hosts[] = {0, 0, 1, 1};
    size_t counts[RANKS];

    timeline_share_clocks(clocks, hosts, RANKS, counts);
    ck_assert_uint_eq(counts[0], 0);
    ck_assert_uint_eq(counts[1], 0);
    ck_assert_uint_eq(counts[2], 3);
    ck_assert_uint_eq(counts[3], 3);
}
END_TEST

START_TEST(a_rank_whose_clock_differs_from_its_host_keeps_its_own)
{
    timeline_clock clocks[] = {
        {.before = clock_of(0, 0, 100), .after = clock_of(0, 0, 900)},
        {.before = clock_of(0, 5, 110), .after = clock_of(50, 5, 910)},
    };
    const int hosts[] = {0, 0};
    size_t counts[2];

    timeline_share_clocks(clocks, hosts, 2, counts);
    ck_assert_uint_eq(counts[1], 1);
}
END_TEST

START_TEST(times_are_by_the_clock_of_rank_0_from_the_first_entry)
{
    fixture farm = one_message_between_hosts(3000, 2500);

    ck_assert_uint_eq(farm.trace.slices[0].begin_ns, 0);
    ck_assert_uint_eq(farm.trace.slices[0].end_ns, 10);
    ck_assert_uint_eq(farm.trace.slices[1].begin_ns, 500);
    leave(&farm);
}
END_TEST

/* Names */

START_TEST(tracks_are_named_by_role_and_rank)
{
    fixture farm = new_farm();

    make(&farm);
    ck_assert_uint_eq(farm.trace.tracks, RANKS);
    ck_assert_str_eq(farm.trace.track_names[SUPERVISOR], "supervisor");
    ck_assert_str_eq(farm.trace.track_names[SOURCE_1], "source 1 (rank 2)");
    ck_assert_str_eq(farm.trace.track_names[DESTINATION], "destination 0 (rank 3)");
    leave(&farm);
}
END_TEST

START_TEST(a_slice_has_its_event_and_its_peer)
{
    fixture farm = new_farm();
    timeline_entry entry = from_source(1);

    entry.event = 2;
    add(&farm, DESTINATION, 1000, entry);
    make(&farm);
    ck_assert_uint_eq(farm.trace.slices[0].event, 2);
    ck_assert_uint_eq(farm.trace.slices[0].track, DESTINATION);
    ck_assert_uint_eq(farm.trace.slices[0].peer, SOURCE_1);
    ck_assert_str_eq(farm.trace.slices[0].kind, "take");
    ck_assert_str_eq(farm.trace.slices[0].name, "take fragment");
    leave(&farm);
}
END_TEST

/* The names of all activities of a farm, by role. */
START_TEST(every_activity_of_a_farm_has_a_name)
{
    static const struct {
        size_t rank;
        timeline_entry entry;
        const char *kind, *name;
    } activities[] = {
        {SUPERVISOR, {.kind = TIMELINE_SENDS, .role = FARM_SOURCE}, "issue", "issue"},
        {SUPERVISOR, {.kind = TIMELINE_SENDS, .role = FARM_DESTINATION}, "issue", "issue"},
        {SUPERVISOR, {.kind = TIMELINE_TAKES, .role = FARM_DESTINATION}, "take", "take decision"},
        {SOURCE_0, {.kind = TIMELINE_TAKES, .role = FARM_SUPERVISOR}, "take", "take assignment"},
        {SOURCE_0, {.kind = TIMELINE_TAKES, .role = FARM_DESTINATION}, "take", "take request"},
        {SOURCE_0, {.kind = TIMELINE_SENDS, .role = FARM_DESTINATION}, "send", "send"},
        {DESTINATION, {.kind = TIMELINE_TAKES, .role = FARM_SUPERVISOR}, "take", "take assignment"},
        {DESTINATION, {.kind = TIMELINE_SENDS, .role = FARM_SOURCE}, "request", "request"},
        {DESTINATION, {.kind = TIMELINE_TAKES, .role = FARM_SOURCE}, "take", "take fragment"},
        {DESTINATION, {.kind = TIMELINE_WORKS, .role = FARM_SOURCE}, "algorithm", "algorithm"},
        {DESTINATION, {.kind = TIMELINE_DELAYS}, "delay", "delay"},
        {DESTINATION, {.kind = TIMELINE_SENDS, .role = FARM_SUPERVISOR}, "decision", "decision"},
    };
    enum { ACTIVITIES = sizeof(activities) / sizeof(activities[0]) };
    fixture farm = new_farm();

    for (size_t i = 0; i < ACTIVITIES; i++)
        add(&farm, activities[i].rank, 1000 + 20 * i, activities[i].entry);
    make(&farm);
    ck_assert_uint_eq(farm.trace.slice_count, ACTIVITIES);
    for (size_t i = 0; i < ACTIVITIES; i++) {
        ck_assert_str_eq(farm.trace.slices[i].kind, activities[i].kind);
        ck_assert_str_eq(farm.trace.slices[i].name, activities[i].name);
    }
    leave(&farm);
}
END_TEST

/* Arrows */

START_TEST(an_assignment_to_all_sources_has_an_arrow_to_each)
{
    fixture farm = new_farm();

    add(&farm, SUPERVISOR, 1000, to_all_sources);
    add(&farm, SOURCE_0, 1100, from_supervisor);
    add(&farm, SOURCE_1, 1200, from_supervisor);
    make(&farm);
    ck_assert_uint_eq(farm.trace.arrow_count, 2);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_uint_eq(farm.trace.arrows[i].from, 0);
        ck_assert_uint_eq(farm.trace.arrows[i].to, 1 + i);
        ck_assert_str_eq(farm.trace.arrows[i].name, "assignment");
    }
    leave(&farm);
}
END_TEST

START_TEST(the_arrow_of_a_fragment_starts_at_its_source_and_event)
{
    fixture farm = new_farm();
    timeline_entry later = to_destination, later_from_1 = from_source(1);

    later.event = later_from_1.event = 1;
    add(&farm, SOURCE_0, 1000, to_destination);
    add(&farm, SOURCE_0, 1020, later);
    add(&farm, SOURCE_1, 1010, to_destination);
    add(&farm, SOURCE_1, 1030, later);
    add(&farm, DESTINATION, 2000, later_from_1);
    make(&farm);
    ck_assert_uint_eq(farm.trace.arrow_count, 1);
    ck_assert_uint_eq(farm.trace.arrows[0].from, 3);
    ck_assert_uint_eq(farm.trace.arrows[0].to, 4);
    leave(&farm);
}
END_TEST

START_TEST(a_duplicate_message_has_two_arrows)
{
    fixture farm = new_farm();

    add(&farm, SOURCE_0, 1000, to_destination);
    add(&farm, DESTINATION, 2000, from_source(0));
    add(&farm, DESTINATION, 2100, from_source(0));
    make(&farm);
    ck_assert_uint_eq(farm.trace.arrow_count, 2);
    ck_assert_uint_eq(farm.trace.unmatched, 0);
    leave(&farm);
}
END_TEST

START_TEST(a_message_without_a_recorded_send_is_counted_and_has_no_arrow)
{
    fixture farm = new_farm();

    add(&farm, SOURCE_0, 1000, to_destination);
    add(&farm, DESTINATION, 2000, from_source(1));
    make(&farm);
    ck_assert_uint_eq(farm.trace.arrow_count, 0);
    ck_assert_uint_eq(farm.trace.unmatched, 1);
    leave(&farm);
}
END_TEST

START_TEST(dropped_entries_are_summed_over_the_ranks)
{
    fixture farm = new_farm();

    farm.counts[SOURCE_0].dropped = 3;
    farm.counts[DESTINATION].dropped = 4;
    make(&farm);
    ck_assert_uint_eq(farm.trace.dropped, 7);
    leave(&farm);
}
END_TEST

/* Certain arrows */

START_TEST(within_a_host_every_arrow_is_certain)
{
    fixture farm = new_farm();

    farm.clocks[DESTINATION] = steady(3);
    add(&farm, SOURCE_0, 1000, to_destination);
    add(&farm, DESTINATION, 1001, from_source(0));
    make(&farm);
    ck_assert_double_eq(farm.trace.bound_ns, 0);
    ck_assert_uint_eq(farm.trace.within_bound, 0);
    ck_assert_uint_eq(farm.trace.slices[1].begin_ns, 1);
    leave(&farm);
}
END_TEST

START_TEST(between_hosts_an_arrow_longer_than_the_bound_is_certain)
{
    fixture farm = one_message_between_hosts(3000, 2006);

    ck_assert_double_eq(farm.trace.bound_ns, 5);
    ck_assert_uint_eq(farm.trace.within_bound, 0);
    leave(&farm);
}
END_TEST

START_TEST(an_arrow_back_in_time_within_the_bound_is_counted_and_kept)
{
    fixture farm = one_message_between_hosts(3000, 1996);

    ck_assert_uint_eq(farm.trace.within_bound, 1);
    ck_assert_uint_eq(farm.trace.backwards, 1);
    ck_assert_double_eq(farm.trace.most_backwards_ns, 0);
    ck_assert_uint_eq(farm.trace.arrow_count, 1);
    ck_assert_uint_eq(farm.trace.slices[0].begin_ns, 4);
    ck_assert_uint_eq(farm.trace.slices[1].begin_ns, 0);
    leave(&farm);
}
END_TEST

START_TEST(an_arrow_further_back_than_the_bound_is_distinguished)
{
    fixture farm = one_message_between_hosts(3000, 1900);

    ck_assert_uint_eq(farm.trace.backwards, 1);
    ck_assert_double_eq(farm.trace.most_backwards_ns, 95);
    leave(&farm);
}
END_TEST

UNIT_MAIN("timeline_trace", a_time_is_interpolated_between_both_clock_estimates,
          the_uncertainty_of_a_clock_is_that_of_its_worse_estimate,
          ranks_of_a_host_use_its_most_certain_clock,
          a_rank_whose_clock_differs_from_its_host_keeps_its_own,
          times_are_by_the_clock_of_rank_0_from_the_first_entry, tracks_are_named_by_role_and_rank,
          a_slice_has_its_event_and_its_peer, every_activity_of_a_farm_has_a_name,
          an_assignment_to_all_sources_has_an_arrow_to_each,
          the_arrow_of_a_fragment_starts_at_its_source_and_event,
          a_duplicate_message_has_two_arrows,
          a_message_without_a_recorded_send_is_counted_and_has_no_arrow,
          dropped_entries_are_summed_over_the_ranks, within_a_host_every_arrow_is_certain,
          between_hosts_an_arrow_longer_than_the_bound_is_certain,
          an_arrow_back_in_time_within_the_bound_is_counted_and_kept,
          an_arrow_further_back_than_the_bound_is_distinguished)
