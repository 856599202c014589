/* The sources of an event: values of --fetch, draws, and the control messages that name them. */
#include "farm/fetch.h"

#include <stdio.h>
#include <string.h>

#include "tests/common/unit.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

enum { SOURCES_MOST = 1000, WORDS_MOST = 16 };

static size_t size_of(const uint64_t *set, size_t sources)
{
    size_t size = 0;

    for (size_t source = 0; source < sources; source++)
        size += farm_set_has(set, source);
    return size;
}

START_TEST(a_number_and_a_fraction_are_counts_of_sources)
{
    static const struct {
        const char *text;
        size_t sources, count;
    } cases[] = {{"all", 7, 7}, {NULL, 7, 7},  {"1", 7, 1},       {"7", 7, 7},     {"0.5", 8, 4},
                 {"0.5", 7, 4}, {"1.0", 7, 7}, {".1", 1000, 100}, {"0.001", 8, 1}, {"0.99", 8, 8}};

    for (size_t i = 0; i < LENGTH(cases); i++) {
        size_t count = 0;

        ck_assert_int_eq(farm_fetch_count(cases[i].text, cases[i].sources, &count), CB_OK);
        ck_assert_uint_eq(count, cases[i].count);
    }
}
END_TEST

START_TEST(values_that_no_farm_can_fetch_are_rejected)
{
    static const char *const texts[] = {"",    "0",   "0.0", "9",    "1.5",  "-1",
                                        "few", "0.x", "3 ",  "1e-1", "70000"};

    for (size_t i = 0; i < LENGTH(texts); i++) {
        size_t count;

        ck_assert_int_eq(farm_fetch_count(texts[i], 8, &count), CB_ERROR_USAGE);
    }
}
END_TEST

START_TEST(a_draw_has_exactly_the_wanted_number_of_existing_sources)
{
    static const size_t sources[] = {1, 2, 8, 63, 64, 65, 1000};
    uint64_t set[WORDS_MOST];

    for (size_t i = 0; i < LENGTH(sources); i++)
        for (size_t count = 1; count <= sources[i]; count += 1 + sources[i] / 9)
            for (uint64_t event = 0; event < 20; event++) {
                farm_fetch_draw(1, event, sources[i], count, set);
                ck_assert_uint_eq(size_of(set, 64 * farm_set_words(sources[i])), count);
                ck_assert_uint_eq(size_of(set, sources[i]), count);
            }
}
END_TEST

START_TEST(a_draw_depends_on_seed_and_event_only)
{
    size_t other_seed = 0, other_event = 0;

    for (uint64_t event = 0; event < 100; event++) {
        uint64_t set, again, seeded, next;

        farm_fetch_draw(5, event, 64, 8, &set);
        farm_fetch_draw(6, event, 64, 8, &seeded);
        farm_fetch_draw(5, event + 1, 64, 8, &next);
        farm_fetch_draw(5, event, 64, 8, &again);
        ck_assert_uint_eq(set, again);
        other_seed += set != seeded;
        other_event += set != next;
    }
    ck_assert_uint_eq(other_seed, 100);
    ck_assert_uint_eq(other_event, 100);
}
END_TEST

/* Of 28 pairs each is drawn 1000 times on average; 5 standard deviations are 155. */
START_TEST(all_sets_are_equally_likely)
{
    size_t drawn[256] = {0};

    for (uint64_t event = 0; event < 28000; event++) {
        uint64_t set;

        farm_fetch_draw(1, event, 8, 2, &set);
        drawn[set]++;
    }
    for (size_t one = 0; one < 8; one++)
        for (size_t other = 0; other < one; other++) {
            size_t times = drawn[1u << one | 1u << other];

            ck_assert_msg(times > 845 && times < 1155, "sources %zu and %zu: %zu times", other, one,
                          times);
        }
}
END_TEST

/* The sources that a run of control messages names, and their number. */
static size_t name_all(const uint64_t *set, size_t sources, uint64_t *named)
{
    size_t messages = 0, first = 0;
    uint32_t bits;

    memset(named, 0, WORDS_MOST * sizeof(*named));
    while ((bits = farm_fetch_names(set, sources, &first)) != 0) {
        ck_assert_uint_eq(bits & 1, 1);
        for (size_t i = 0; i < FARM_NAMED; i++)
            if ((bits >> i & 1) != 0)
                named[(first + i) / 64] |= UINT64_C(1) << (first + i) % 64;
        first += FARM_NAMED;
        messages++;
    }
    return messages;
}

START_TEST(messages_name_each_source_of_the_set_and_no_other)
{
    uint64_t set[WORDS_MOST], named[WORDS_MOST];

    for (uint64_t event = 0; event < 200; event++) {
        size_t sources = 1 + event * 5, messages;

        memset(set, 0, sizeof(set));
        farm_fetch_draw(3, event, sources, 1 + sources / 7, set);
        messages = name_all(set, sources, named);
        ck_assert_mem_eq(set, named, sizeof(set));
        ck_assert_uint_le(messages, farm_fetch_messages(sources));
    }
}
END_TEST

START_TEST(a_message_names_32_sources)
{
    static const size_t cases[][2] = {{1, 1}, {32, 1}, {33, 2}, {100, 4}, {1000, 32}};
    uint64_t set[WORDS_MOST], named[WORDS_MOST];

    for (size_t i = 0; i < LENGTH(cases); i++) {
        farm_fetch_draw(1, 0, cases[i][0], cases[i][0], set);
        ck_assert_uint_eq(name_all(set, cases[i][0], named), cases[i][1]);
        ck_assert_uint_eq(farm_fetch_messages(cases[i][0]), cases[i][1]);
    }
    ck_assert_uint_eq(farm_bitmap_of(32), UINT32_MAX);
    ck_assert_uint_eq(farm_bitmap_of(3), 7);
}
END_TEST

UNIT_MAIN("fetch", a_number_and_a_fraction_are_counts_of_sources,
          values_that_no_farm_can_fetch_are_rejected,
          a_draw_has_exactly_the_wanted_number_of_existing_sources,
          a_draw_depends_on_seed_and_event_only, all_sets_are_equally_likely,
          messages_name_each_source_of_the_set_and_no_other, a_message_names_32_sources)
