/* Options of event building: schedules, units, and what a step holds. */
#include "evb/options.h"

#include <string.h>

#include "tests/common/unit.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static bench_options options_of(const char *folding, uint64_t pack)
{
    const evb_options own = {.schedule = "shift", .folding = folding, .pack = pack, .ahead = 2};
    bench_options options = {.sweep = false};

    memcpy(options.own, &own, sizeof(own));
    return options;
}

START_TEST(a_schedule_is_known_by_its_name)
{
    static const struct {
        const char *text;
        evb_schedule schedule;
    } cases[] = {{NULL, {EVB_SHIFT, 0}},           {"none", {EVB_NONE, 0}},
                 {"offset", {EVB_OFFSET, 0}},      {"shift", {EVB_SHIFT, 0}},
                 {"barrier", {EVB_BARRIER, 0}},    {"credits:1", {EVB_CREDITS, 1}},
                 {"credits:64", {EVB_CREDITS, 64}}};

    for (size_t i = 0; i < LENGTH(cases); i++) {
        evb_schedule found;

        ck_assert_int_eq(evb_schedule_parse(cases[i].text, &found), CB_OK);
        ck_assert_int_eq(found.order, cases[i].schedule.order);
        ck_assert_uint_eq(found.credits, cases[i].schedule.credits);
    }
}
END_TEST

START_TEST(other_schedules_are_rejected)
{
    static const char *const texts[] = {"",          "Shift",         "credits",
                                        "credits:",  "credits:0",     "credits:-1",
                                        "credits:x", "credits:70000", "shift:2"};

    for (size_t i = 0; i < LENGTH(texts); i++) {
        evb_schedule found;

        ck_assert_int_eq(evb_schedule_parse(texts[i], &found), CB_ERROR_USAGE);
    }
}
END_TEST

START_TEST(a_unit_is_one_process_or_two)
{
    const bench_options one = options_of("one", 1), two = options_of("two", 1);

    ck_assert_uint_eq(evb_units(&one, 6), 6);
    ck_assert_uint_eq(evb_units(&two, 6), 3);
    ck_assert_uint_eq(evb_multiple(&one), 1);
    ck_assert_uint_eq(evb_multiple(&two), 2);
}
END_TEST

/* A turn has a message from each of N readouts to each of N builders. */
START_TEST(a_turn_has_as_many_events_and_fragments_as_its_formulas_say)
{
    const bench_options one = options_of("one", 3), two = options_of("two", 5);
    const bench_scale folded = evb_scale(&one, 4), apart = evb_scale(&two, 8);

    ck_assert_uint_eq(folded.packed, 3);
    ck_assert_uint_eq(folded.events, 4 * 3);
    ck_assert_uint_eq(folded.packets, 4 * 4 * 3);
    ck_assert_uint_eq(folded.own_packets, 4 * 3);
    ck_assert_uint_eq(folded.receivers, 4);
    ck_assert_uint_eq(apart.packed, 5);
    ck_assert_uint_eq(apart.events, 4 * 5);
    ck_assert_uint_eq(apart.packets, 4 * 4 * 5);
    ck_assert_uint_eq(apart.own_packets, 0);
    ck_assert_uint_eq(apart.receivers, 4);
}
END_TEST

/* Of 4 units; a source of none and offset may have two messages under way to one of 1. */
START_TEST(as_many_packets_converge_as_the_schedule_allows)
{
    static const struct {
        const char *schedule, *folding;
        size_t ranks, packets;
    } cases[] = {{"none", "one", 4, 3 * 5},      {"offset", "one", 4, 3 * 5},
                 {"none", "two", 8, 4 * 5},      {"none", "two", 2, 2 * 5},
                 {"shift", "one", 4, 5},         {"barrier", "one", 4, 5},
                 {"credits:3", "one", 4, 3 * 5}, {NULL, NULL, 4, 5}};

    for (size_t i = 0; i < LENGTH(cases); i++) {
        const evb_options own = {
            .schedule = cases[i].schedule, .folding = cases[i].folding, .pack = 5, .ahead = 2};
        bench_options options = {.sweep = false};

        memcpy(options.own, &own, sizeof(own));
        ck_assert_msg(evb_scale(&options, cases[i].ranks).converging == cases[i].packets,
                      "case %zu: %zu packets", i, evb_scale(&options, cases[i].ranks).converging);
    }
}
END_TEST

START_TEST(requests_need_messages_that_are_not_lost)
{
    bench_options options = options_of("one", 1);
    const evb_options asked = {.schedule = "credits:2", .folding = "one", .pack = 1};
    const unsigned lossy = TRANSPORT_DELIVERS, reliable = TRANSPORT_DELIVERS | TRANSPORT_RELIABLE;

    ck_assert_ptr_null(evb_obstacle(&options, lossy));
    memcpy(options.own, &asked, sizeof(asked));
    ck_assert_ptr_null(evb_obstacle(&options, reliable));
    ck_assert_ptr_nonnull(evb_obstacle(&options, lossy));
}
END_TEST

UNIT_MAIN("options of event building", a_schedule_is_known_by_its_name,
          other_schedules_are_rejected, a_unit_is_one_process_or_two,
          a_turn_has_as_many_events_and_fragments_as_its_formulas_say,
          as_many_packets_converge_as_the_schedule_allows, requests_need_messages_that_are_not_lost)
