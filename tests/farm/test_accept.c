/* The two steps of events: values of --accept, draws, and the order in which sources are asked.
 * Bounds on random figures are four standard deviations, with fixed seeds. */
#include "farm/accept.h"

#include <math.h>

#include "farm/fetch.h"
#include "tests/common/messages.h"

enum { EVENTS = 100000 };

static unsigned accepted(uint64_t seed, double fraction)
{
    unsigned count = 0;

    for (uint64_t event = 0; event < EVENTS; event++)
        count += farm_accepts(seed, event, fraction);
    return count;
}

START_TEST(the_accepted_events_are_the_given_fraction)
{
    static const double fractions[] = {0.01, 0.25, 0.5, 0.9};

    for (size_t i = 0; i < sizeof(fractions) / sizeof(fractions[0]); i++)
        for (uint64_t seed = 0; seed < 5; seed++)
            ck_assert_double_eq_tol(accepted(seed, fractions[i]), EVENTS * fractions[i],
                                    4 * sqrt(EVENTS * fractions[i] * (1 - fractions[i])));
    ck_assert_uint_eq(accepted(1, 0), 0);
    ck_assert_uint_eq(accepted(1, 1), EVENTS);
}
END_TEST

START_TEST(an_event_accepted_at_a_fraction_is_accepted_at_larger_ones_and_seeds_differ)
{
    unsigned differing = 0;

    for (uint64_t event = 0; event < EVENTS; event++) {
        ck_assert(!farm_accepts(3, event, 0.3) || farm_accepts(3, event, 0.31));
        differing += farm_accepts(3, event, 0.5) != farm_accepts(4, event, 0.5);
    }
    ck_assert_double_eq_tol(differing, EVENTS / 2.0, 2 * sqrt(EVENTS));
}
END_TEST

/* Otherwise some sources would send more accepted events than others. */
START_TEST(acceptance_does_not_depend_on_the_sources_of_the_first_step)
{
    unsigned both = 0, has = 0;

    for (uint64_t event = 0; event < EVENTS; event++) {
        uint64_t set;

        farm_fetch_draw(1, event, 8, 2, &set);
        has += farm_set_has(&set, 0);
        both += farm_set_has(&set, 0) && farm_accepts(1, event, 0.5);
    }
    ck_assert_double_eq_tol(both, has / 2.0, 2 * sqrt(has));
}
END_TEST

START_TEST(values_that_are_no_fraction_are_refused)
{
    static const char *const texts[] = {"", "-0.1", "1.01", "half", "0.5x", "50%", "nan"};
    double fraction;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        int messages = messages_capture();

        ck_assert_int_eq(farm_accept_parse(texts[i], &fraction), CB_ERROR_USAGE);
        messages_expect(messages, "from 0 to 1");
        close(messages);
    }
    ck_assert_int_eq(farm_accept_parse("0", &fraction), CB_OK);
    ck_assert_double_eq(fraction, 0);
    ck_assert_int_eq(farm_accept_parse("1", &fraction), CB_OK);
    ck_assert_double_eq(fraction, 1);
}
END_TEST

/* The order of asking */

static farm_asked make_asked(size_t sources, uint64_t events)
{
    farm_asked asked;

    ck_assert_int_eq(farm_asked_create(sources, events, &asked), CB_OK);
    return asked;
}

START_TEST(each_source_delivers_events_in_the_order_of_asking)
{
    static const uint64_t order[2][4] = {{5, 9, 6, 7}, {7, 5, 9, 6}};
    farm_asked asked = make_asked(2, 4);

    for (size_t i = 0; i < 4; i++)
        for (size_t source = 0; source < 2; source++)
            farm_asked_add(&asked, source, order[source][i]);
    for (size_t i = 0; i < 4; i++)
        for (size_t source = 0; source < 2; source++) {
            ck_assert_uint_eq(farm_asked_next(&asked, source), order[source][i]);
            ck_assert(farm_asked_remove(&asked, source, order[source][i]));
        }
    ck_assert_uint_eq(farm_asked_next(&asked, 0), UINT64_MAX);
    farm_asked_free(&asked);
}
END_TEST

START_TEST(an_event_that_overtakes_removes_those_before_it)
{
    farm_asked asked = make_asked(1, 8);

    for (uint64_t sequence = 0; sequence < 6; sequence++)
        farm_asked_add(&asked, 0, sequence);
    ck_assert(farm_asked_remove(&asked, 0, 3));
    ck_assert(!farm_asked_remove(&asked, 0, 1));
    ck_assert(!farm_asked_remove(&asked, 0, 3));
    ck_assert_uint_eq(farm_asked_next(&asked, 0), 4);
    farm_asked_restart(&asked);
    ck_assert_uint_eq(farm_asked_next(&asked, 0), UINT64_MAX);
    farm_asked_free(&asked);
}
END_TEST

START_TEST(an_event_without_room_takes_the_place_of_the_oldest)
{
    farm_asked asked = make_asked(1, 4);

    for (uint64_t sequence = 0; sequence < 6; sequence++)
        farm_asked_add(&asked, 0, sequence);
    ck_assert_uint_eq(farm_asked_next(&asked, 0), 2);
    ck_assert(!farm_asked_remove(&asked, 0, 1));
    farm_asked_free(&asked);
}
END_TEST

UNIT_MAIN("accept", the_accepted_events_are_the_given_fraction,
          an_event_accepted_at_a_fraction_is_accepted_at_larger_ones_and_seeds_differ,
          acceptance_does_not_depend_on_the_sources_of_the_first_step,
          values_that_are_no_fraction_are_refused,
          each_source_delivers_events_in_the_order_of_asking,
          an_event_that_overtakes_removes_those_before_it,
          an_event_without_room_takes_the_place_of_the_oldest)
