/* The recorder of timelines: which entries it keeps, and what happens when it is full. */
#include "timeline/timeline.h"

#include "farm/farm.h"
#include "farm/options.h"
#include "tests/common/unit.h"

enum { ROOM = 4 };

static timeline_recorder *new_timeline(void)
{
    timeline_recorder *timeline;

    ck_assert_int_eq(timeline_create(ROOM, &timeline), CB_OK);
    return timeline;
}

static void note(timeline_recorder *timeline, uint64_t event)
{
    timeline_note(timeline, timeline_begin(timeline), TIMELINE_TAKES, event, 1, 2);
}

START_TEST(an_entry_keeps_activity_and_time)
{
    timeline_recorder *timeline = new_timeline();
    uint64_t before_ns = cb_now_ns(), after_ns;
    const timeline_entry *entry = &timeline->entries[0];

    timeline_restart(timeline, 10, 2);
    note(timeline, 11);
    after_ns = cb_now_ns();
    ck_assert_uint_eq(timeline->used, 1);
    ck_assert_uint_eq(entry->event, 11);
    ck_assert_uint_eq(entry->kind, TIMELINE_TAKES);
    ck_assert_uint_eq(entry->role, 1);
    ck_assert_uint_eq(entry->index, 2);
    ck_assert_uint_le(before_ns, entry->begin_ns);
    ck_assert_uint_le(entry->begin_ns, entry->end_ns);
    ck_assert_uint_le(entry->end_ns, after_ns);
    timeline_free(timeline);
}
END_TEST

START_TEST(events_outside_the_recorded_range_are_not_recorded)
{
    timeline_recorder *timeline = new_timeline();

    timeline_restart(timeline, 10, 2);
    note(timeline, 9);
    note(timeline, 12);
    note(timeline, UINT64_MAX);
    ck_assert_uint_eq(timeline->used, 0);
    ck_assert_uint_eq(timeline->dropped, 0);
    timeline_free(timeline);
}
END_TEST

START_TEST(entries_without_room_are_counted)
{
    timeline_recorder *timeline = new_timeline();

    timeline_restart(timeline, 0, 100);
    for (uint64_t event = 0; event < ROOM + 3; event++)
        note(timeline, event);
    ck_assert_uint_eq(timeline->used, ROOM);
    ck_assert_uint_eq(timeline->dropped, 3);
    for (uint64_t event = 0; event < ROOM; event++)
        ck_assert_uint_eq(timeline->entries[event].event, event);
    timeline_free(timeline);
}
END_TEST

START_TEST(in_a_rehearsal_the_buffer_wraps_around)
{
    timeline_recorder *timeline = new_timeline();

    timeline_rehearse(timeline);
    for (uint64_t event = 0; event < ROOM + 1; event++)
        note(timeline, event);
    ck_assert_uint_eq(timeline->dropped, 0);
    ck_assert_uint_eq(timeline->entries[0].event, ROOM);
    ck_assert_uint_eq(timeline->entries[1].event, 1);
    timeline_free(timeline);
}
END_TEST

START_TEST(a_restart_clears_a_rehearsal)
{
    timeline_recorder *timeline = new_timeline();

    timeline_rehearse(timeline);
    note(timeline, 0);
    timeline_restart(timeline, 0, 100);
    ck_assert_uint_eq(timeline->used, 0);
    for (uint64_t event = 0; event < ROOM + 1; event++)
        note(timeline, event);
    ck_assert_uint_eq(timeline->dropped, 1);
    timeline_free(timeline);
}
END_TEST

START_TEST(without_a_timeline_no_clock_is_read)
{
    ck_assert_uint_eq(timeline_begin(NULL), 0);
    note(NULL, 0);
}
END_TEST

/* Of four consecutive events one of three destinations gets at most two. */
START_TEST(a_destination_reserves_room_for_its_share_of_events)
{
    ck_assert_uint_eq(farm_timeline_entries(FARM_SUPERVISOR, 5, 3, 4), 4 * 2);
    ck_assert_uint_eq(farm_timeline_entries(FARM_SOURCE, 5, 3, 4), 4 * 2);
    ck_assert_uint_eq(farm_timeline_entries(FARM_DESTINATION, 5, 3, 4), 2 * (3 * 5 + 3));
}
END_TEST

UNIT_MAIN("timeline", an_entry_keeps_activity_and_time,
          events_outside_the_recorded_range_are_not_recorded, entries_without_room_are_counted,
          in_a_rehearsal_the_buffer_wraps_around, a_restart_clears_a_rehearsal,
          without_a_timeline_no_clock_is_read, a_destination_reserves_room_for_its_share_of_events)
