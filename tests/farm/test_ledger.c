/* The supervisor's ledger: a test for each fate of an event, and random sequences of issues and
 * decisions with losses, duplicates and reordering, against a model that keeps the state of
 * every event. */
#include "farm/ledger.h"

#include <stdbool.h>
#include <string.h>

#include "base/random.h"
#include "tests/common/unit.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

enum { MEMORY = 64, UNTOUCHED = 4711 };

static farm_ledger make_ledger(size_t destinations, uint64_t in_flight)
{
    farm_ledger ledger;

    ck_assert_int_eq(farm_ledger_create(destinations, in_flight, &ledger), CB_OK);
    return ledger;
}

/* Event k begins at 1000 + k. */
static void issue(farm_ledger *ledger, uint64_t events)
{
    for (uint64_t i = 0; i < events; i++)
        farm_ledger_issue(ledger, 1000 + ledger->issued);
}

static farm_decision decide(farm_ledger *ledger, uint64_t event)
{
    uint64_t since_ns;

    return farm_ledger_decide(ledger, event % ledger->destinations, event, &since_ns);
}

static void assert_totals(const farm_ledger *ledger, uint64_t issued, uint64_t decided,
                          uint64_t lost)
{
    ck_assert_uint_eq(ledger->issued, issued);
    ck_assert_uint_eq(ledger->decided, decided);
    ck_assert_uint_eq(ledger->lost, lost);
    ck_assert_uint_eq(ledger->in_flight, issued - decided - lost);
}

static void assert_errors(const farm_ledger *ledger, uint64_t duplicate, uint64_t unexpected,
                          uint64_t late)
{
    ck_assert_uint_eq(ledger->errors.duplicate, duplicate);
    ck_assert_uint_eq(ledger->errors.unexpected, unexpected);
    ck_assert_uint_eq(ledger->errors.late, late);
    ck_assert_uint_eq(farm_ledger_error_count(ledger), duplicate + unexpected + late);
}

/* Issuing */

START_TEST(events_are_assigned_to_destinations_in_turn)
{
    for (size_t destinations = 1; destinations <= 9; destinations++) {
        farm_ledger ledger = make_ledger(destinations, 100);

        for (uint64_t event = 0; event < 100; event++) {
            ck_assert_uint_eq(ledger.turn, event % destinations);
            ck_assert_uint_eq(farm_ledger_issue(&ledger, 0), event);
            ck_assert_uint_eq(ledger.accounts[event % destinations].issued,
                              event / destinations + 1);
        }
        assert_totals(&ledger, 100, 0, 0);
        farm_ledger_free(&ledger);
    }
}
END_TEST

START_TEST(a_decision_returns_the_start_time_of_its_event)
{
    farm_ledger ledger = make_ledger(3, 7);

    for (uint64_t event = 0; event < 1000; event++) {
        uint64_t since_ns = UNTOUCHED;

        issue(&ledger, event == 0 ? 7 : 1);
        ck_assert_int_eq(farm_ledger_decide(&ledger, event % 3, event, &since_ns), FARM_DECIDED);
        ck_assert_uint_eq(since_ns, 1000 + event);
    }
    farm_ledger_free(&ledger);
}
END_TEST

START_TEST(one_destination_can_hold_all_events_in_flight)
{
    for (uint64_t in_flight = 1; in_flight <= 70; in_flight++) {
        farm_ledger ledger = make_ledger(2, in_flight);

        for (uint64_t event = 0; event < in_flight; event++) {
            issue(&ledger, 2);
            decide(&ledger, 2 * event + 1); /* the other destination decides at once */
        }
        for (uint64_t event = 0; event < in_flight; event++) {
            uint64_t since_ns = UNTOUCHED;

            farm_ledger_decide(&ledger, 0, 2 * event, &since_ns);
            ck_assert_uint_eq(since_ns, 1000 + 2 * event);
        }
        farm_ledger_free(&ledger);
    }
}
END_TEST

/* With 1, 2 and 3 in flight; then the first destination decides two: 2 in flight. */
START_TEST(the_maximum_and_the_sum_of_events_in_flight_are_kept)
{
    farm_ledger ledger = make_ledger(2, 16);

    issue(&ledger, 5);
    decide(&ledger, 0);
    decide(&ledger, 2);
    issue(&ledger, 2);
    ck_assert_uint_eq(ledger.accounts[0].in_flight_most, 3);
    ck_assert_uint_eq(ledger.accounts[0].in_flight_sum, 1 + 2 + 3 + 2);
    ck_assert_uint_eq(ledger.accounts[1].in_flight_most, 3);
    ck_assert_uint_eq(ledger.accounts[1].in_flight_sum, 1 + 2 + 3);
    farm_ledger_free(&ledger);
}
END_TEST

/* Deciding */

START_TEST(an_overtaken_event_is_lost)
{
    farm_ledger ledger = make_ledger(1, 8);

    issue(&ledger, 5);
    ck_assert_int_eq(decide(&ledger, 3), FARM_DECIDED);
    assert_totals(&ledger, 5, 1, 3);
    assert_errors(&ledger, 0, 0, 0);
    farm_ledger_free(&ledger);
}
END_TEST

START_TEST(a_fast_destination_does_not_cause_losses_of_others)
{
    farm_ledger ledger = make_ledger(3, 12);

    issue(&ledger, 12);
    for (uint64_t event = 0; event < 12; event += 3)
        ck_assert_int_eq(decide(&ledger, event), FARM_DECIDED);
    assert_totals(&ledger, 12, 4, 0);
    farm_ledger_free(&ledger);
}
END_TEST

START_TEST(a_lost_event_that_arrives_counts_as_late_instead)
{
    farm_ledger ledger = make_ledger(1, 8);

    issue(&ledger, 4);
    decide(&ledger, 2);
    ck_assert_int_eq(decide(&ledger, 0), FARM_DECIDED_LATE);
    assert_totals(&ledger, 4, 2, 1);
    assert_errors(&ledger, 0, 0, 1);
    farm_ledger_free(&ledger);
}
END_TEST

START_TEST(a_repeated_decision_is_a_duplicate)
{
    farm_ledger ledger = make_ledger(1, 8);

    issue(&ledger, 3);
    decide(&ledger, 1);
    decide(&ledger, 0);
    for (int again = 0; again < 3; again++)
        for (uint64_t event = 0; event < 2; event++)
            ck_assert_int_eq(decide(&ledger, event), FARM_DUPLICATE);
    assert_totals(&ledger, 3, 2, 0);
    assert_errors(&ledger, 6, 0, 1);
    farm_ledger_free(&ledger);
}
END_TEST

/* Event 0 counts as lost and arrives after `others` of its destination. */
static farm_decision come_after(uint64_t others)
{
    farm_ledger ledger = make_ledger(1, 1000);
    farm_decision decision;

    issue(&ledger, others + 1);
    for (uint64_t event = 1; event <= others; event++)
        decide(&ledger, event);
    decision = decide(&ledger, 0);
    assert_totals(&ledger, others + 1, others + (decision == FARM_DECIDED_LATE),
                  decision != FARM_DECIDED_LATE);
    farm_ledger_free(&ledger);
    return decision;
}

START_TEST(a_late_event_is_recognised_until_63_events_overtook_it)
{
    for (uint64_t others = 1; others < MEMORY; others++)
        ck_assert_int_eq(come_after(others), FARM_DECIDED_LATE);
}
END_TEST

START_TEST(a_packet_overtaken_by_more_stays_lost_and_counts_as_duplicate)
{
    for (uint64_t others = MEMORY; others < 3 * MEMORY; others++)
        ck_assert_int_eq(come_after(others), FARM_DUPLICATE);
}
END_TEST

/* All `lost` events of a gap arrive after the event that overtook them. */
START_TEST(the_last_63_events_of_any_gap_are_recognised)
{
    for (uint64_t lost = 1; lost < 3 * MEMORY; lost++) {
        farm_ledger ledger = make_ledger(1, 1000);

        issue(&ledger, lost + 1);
        decide(&ledger, lost);
        for (uint64_t event = 0; event < lost; event++)
            ck_assert_int_eq(decide(&ledger, event),
                             lost - event < MEMORY ? FARM_DECIDED_LATE : FARM_DUPLICATE);
        farm_ledger_free(&ledger);
    }
}
END_TEST

START_TEST(a_decision_on_an_event_of_another_destination_is_unexpected)
{
    farm_ledger ledger = make_ledger(3, 6);

    issue(&ledger, 6);
    for (uint64_t event = 0; event < 6; event++)
        for (size_t other = 1; other < 3; other++) {
            uint64_t since_ns;
            size_t destination = (event + other) % 3;

            ck_assert_int_eq(farm_ledger_decide(&ledger, destination, event, &since_ns),
                             FARM_UNEXPECTED);
        }
    assert_totals(&ledger, 6, 0, 0);
    assert_errors(&ledger, 0, 12, 0);
    farm_ledger_free(&ledger);
}
END_TEST

START_TEST(a_decision_on_an_event_that_was_not_issued_is_unexpected)
{
    static const uint64_t events[] = {4, 5, 6, 1000, UINT64_MAX - 1, UINT64_MAX};
    farm_ledger ledger = make_ledger(2, 8);

    issue(&ledger, 4);
    for (size_t i = 0; i < LENGTH(events); i++)
        ck_assert_int_eq(decide(&ledger, events[i]), FARM_UNEXPECTED);
    assert_totals(&ledger, 4, 0, 0);
    assert_errors(&ledger, 0, LENGTH(events), 0);
    farm_ledger_free(&ledger);
}
END_TEST

START_TEST(only_a_decision_in_order_returns_a_start_time)
{
    farm_ledger ledger = make_ledger(1, 8);
    uint64_t since_ns = UNTOUCHED;

    issue(&ledger, 3);
    decide(&ledger, 1);
    farm_ledger_decide(&ledger, 0, 0, &since_ns); /* late */
    farm_ledger_decide(&ledger, 0, 0, &since_ns); /* duplicate */
    farm_ledger_decide(&ledger, 0, 3, &since_ns); /* unexpected */
    ck_assert_uint_eq(since_ns, UNTOUCHED);
    assert_errors(&ledger, 1, 1, 1);
    farm_ledger_free(&ledger);
}
END_TEST

/* End of a measurement */

START_TEST(giving_up_loses_all_events_in_flight)
{
    farm_ledger ledger = make_ledger(3, 200);

    issue(&ledger, 200);
    decide(&ledger, 4);
    farm_ledger_give_up(&ledger);
    assert_totals(&ledger, 200, 1, 199);
    farm_ledger_give_up(&ledger);
    assert_totals(&ledger, 200, 1, 199);
    farm_ledger_free(&ledger);
}
END_TEST

START_TEST(an_event_that_was_given_up_may_arrive_late)
{
    farm_ledger ledger = make_ledger(2, 8);

    issue(&ledger, 8);
    farm_ledger_give_up(&ledger);
    for (uint64_t event = 0; event < 8; event++)
        ck_assert_int_eq(decide(&ledger, event), FARM_DECIDED_LATE);
    assert_totals(&ledger, 8, 8, 0);
    farm_ledger_free(&ledger);
}
END_TEST

START_TEST(events_after_giving_up_count_as_delayed_and_overtaken_ones_do_not)
{
    farm_ledger ledger = make_ledger(1, 8);

    issue(&ledger, 8);
    decide(&ledger, 1); /* overtakes 0 */
    farm_ledger_give_up(&ledger);
    farm_ledger_give_up(&ledger);
    issue(&ledger, 4);
    decide(&ledger, 9); /* overtakes 8 */
    decide(&ledger, 0);
    decide(&ledger, 8);
    assert_errors(&ledger, 0, 0, 2);
    ck_assert_uint_eq(ledger.delayed, 0);
    decide(&ledger, 2);
    decide(&ledger, 7);
    ck_assert_uint_eq(ledger.delayed, 2);
    farm_ledger_give_up(&ledger);
    farm_ledger_restart(&ledger);
    ck_assert_uint_eq(ledger.delayed, 0);
    farm_ledger_free(&ledger);
}
END_TEST

START_TEST(the_last_64_events_given_up_are_recognised)
{
    farm_ledger ledger = make_ledger(1, 100);

    issue(&ledger, 100);
    farm_ledger_give_up(&ledger);
    for (uint64_t event = 0; event < 100; event++)
        ck_assert_int_eq(decide(&ledger, event),
                         event < 100 - MEMORY ? FARM_DUPLICATE : FARM_DECIDED_LATE);
    assert_totals(&ledger, 100, MEMORY, 100 - MEMORY);
    farm_ledger_free(&ledger);
}
END_TEST

static farm_ledger restarted(void)
{
    farm_ledger ledger = make_ledger(3, 16);

    issue(&ledger, 16);
    decide(&ledger, 5);
    decide(&ledger, 5);
    decide(&ledger, 2);
    decide(&ledger, 99);
    farm_ledger_give_up(&ledger);
    farm_ledger_restart(&ledger);
    return ledger;
}

START_TEST(a_restart_clears_the_counts)
{
    farm_ledger ledger = restarted();

    assert_totals(&ledger, 0, 0, 0);
    assert_errors(&ledger, 0, 0, 0);
    for (size_t i = 0; i < 3; i++) {
        const farm_account *account = &ledger.accounts[i];

        ck_assert_uint_eq(account->decided + account->lost, 0);
        ck_assert_uint_eq(account->in_flight_sum + account->in_flight_most, 0);
    }
    farm_ledger_free(&ledger);
}
END_TEST

START_TEST(a_restart_continues_numbers_and_assignment)
{
    farm_ledger ledger = restarted();

    ck_assert_uint_eq(ledger.turn, 1);
    for (uint64_t event = 16; event < 30; event++) {
        uint64_t since_ns = UNTOUCHED;

        ck_assert_uint_eq(farm_ledger_issue(&ledger, event), event);
        ck_assert_int_eq(farm_ledger_decide(&ledger, event % 3, event, &since_ns), FARM_DECIDED);
        ck_assert_uint_eq(since_ns, event);
    }
    assert_totals(&ledger, 14, 14, 0);
    ck_assert_uint_eq(ledger.accounts[1].in_flight_most, 1);
    farm_ledger_free(&ledger);
}
END_TEST

/* It belongs to none of the current counts, which would become negative. */
START_TEST(an_event_lost_before_a_restart_counts_as_duplicate)
{
    farm_ledger ledger = restarted();

    ck_assert_int_eq(decide(&ledger, 15), FARM_DUPLICATE);
    assert_totals(&ledger, 0, 0, 0);
    assert_errors(&ledger, 1, 0, 0);
    farm_ledger_free(&ledger);
}
END_TEST

/* Decisions that overtake */

static farm_ledger make_overtaken_ledger(size_t destinations, uint64_t in_flight, uint64_t reach)
{
    farm_ledger ledger = make_ledger(destinations, in_flight);

    ledger.reach = reach;
    return ledger;
}

START_TEST(decisions_in_any_order_lose_nothing_where_that_is_allowed)
{
    static const uint64_t order[] = {5, 1, 7, 3, 4, 6, 0, 2};
    farm_ledger ledger = make_overtaken_ledger(2, 8, UINT64_MAX);

    issue(&ledger, 8);
    for (size_t i = 0; i < LENGTH(order); i++) {
        uint64_t since_ns = UNTOUCHED;

        ck_assert_int_eq(farm_ledger_decide(&ledger, order[i] % 2, order[i], &since_ns),
                         FARM_DECIDED);
        ck_assert_uint_eq(since_ns, 1000 + order[i]);
        assert_totals(&ledger, 8, i + 1, 0);
    }
    assert_errors(&ledger, 0, 0, 0);
    ck_assert_uint_eq(ledger.accounts[0].settled, 4);
    ck_assert_uint_eq(ledger.accounts[1].settled, 4);
    farm_ledger_free(&ledger);
}
END_TEST

START_TEST(an_event_that_overtook_is_decided_once)
{
    farm_ledger ledger = make_overtaken_ledger(1, 4, UINT64_MAX);

    issue(&ledger, 3);
    ck_assert_int_eq(decide(&ledger, 2), FARM_DECIDED);
    ck_assert_int_eq(decide(&ledger, 2), FARM_DUPLICATE);
    ck_assert_int_eq(decide(&ledger, 0), FARM_DECIDED);
    ck_assert_int_eq(decide(&ledger, 1), FARM_DECIDED);
    ck_assert_int_eq(decide(&ledger, 2), FARM_DUPLICATE);
    assert_totals(&ledger, 3, 3, 0);
    assert_errors(&ledger, 2, 0, 0);
    farm_ledger_free(&ledger);
}
END_TEST

START_TEST(an_event_is_lost_when_too_many_overtake_it)
{
    farm_ledger ledger = make_overtaken_ledger(1, 16, 3);

    issue(&ledger, 6);
    for (uint64_t event = 1; event <= 3; event++)
        ck_assert_int_eq(decide(&ledger, event), FARM_DECIDED);
    assert_totals(&ledger, 6, 3, 0);
    ck_assert_int_eq(decide(&ledger, 4), FARM_DECIDED);
    assert_totals(&ledger, 6, 4, 1);
    ck_assert_int_eq(decide(&ledger, 0), FARM_DECIDED_LATE);
    ck_assert_int_eq(decide(&ledger, 5), FARM_DECIDED);
    assert_totals(&ledger, 6, 6, 0);
    assert_errors(&ledger, 0, 0, 1);
    farm_ledger_free(&ledger);
}
END_TEST

START_TEST(an_overtaken_event_keeps_its_place)
{
    farm_ledger ledger = make_overtaken_ledger(1, 4, UINT64_MAX);

    issue(&ledger, 4);
    for (uint64_t event = 1; event < 4; event++) {
        decide(&ledger, event);
        ck_assert(!farm_ledger_has_room(&ledger));
    }
    decide(&ledger, 0);
    ck_assert(farm_ledger_has_room(&ledger));
    issue(&ledger, 1);
    ck_assert_uint_eq(ledger.accounts[0].in_flight_most, 4);
    ck_assert_uint_eq(ledger.accounts[0].in_flight_sum, 1 + 2 + 3 + 4 + 1);
    farm_ledger_free(&ledger);
}
END_TEST

START_TEST(giving_up_loses_no_event_that_was_decided)
{
    farm_ledger ledger = make_overtaken_ledger(2, 8, UINT64_MAX);

    issue(&ledger, 8);
    decide(&ledger, 2);
    decide(&ledger, 7);
    farm_ledger_give_up(&ledger);
    assert_totals(&ledger, 8, 2, 6);
    ck_assert_int_eq(decide(&ledger, 2), FARM_DUPLICATE);
    ck_assert_int_eq(decide(&ledger, 0), FARM_DECIDED_LATE);
    assert_totals(&ledger, 8, 3, 5);
    farm_ledger_free(&ledger);
}
END_TEST

/* Random sequences. The simulated network queues decisions in the order in which they were made;
 * it delivers one of the oldest few, may drop it, and may keep it for a second delivery. */

enum { MOST_EVENTS = 1200, MOST_DESTINATIONS = 9, COURSES = 3000, STEPS = 600 };

typedef enum { NOT_ISSUED, IN_FLIGHT, DECIDED, LOST, FORGOTTEN } state;

typedef struct {
    farm_ledger ledger;
    cb_random random;
    size_t destinations;
    uint64_t in_flight_limit, reach, dropped_pct, kept_pct;
    uint64_t network[4 * MOST_EVENTS];
    size_t in_network;

    state states[MOST_EVENTS];
    uint64_t since_ns[MOST_EVENTS];
    uint64_t events, first; /* issued in total, and before the last restart */
    uint64_t in_flight[MOST_DESTINATIONS], sums[MOST_DESTINATIONS], maxima[MOST_DESTINATIONS];
    farm_ledger_errors errors;
} course;

/* How often each case occurred in all sequences: the test fails if one never does. */
typedef struct {
    uint64_t decisions[4], beyond_memory, forgotten, given_up, restarts;
} coverage;

static bool one_in(course *c, uint64_t chances)
{
    return cb_random_below(&c->random, chances) == 0;
}

static void begin_course(course *c, uint64_t seed)
{
    memset(c, 0, sizeof(*c));
    c->random = cb_random_seed(seed);
    c->destinations = 1 + seed % MOST_DESTINATIONS;
    c->in_flight_limit = 1 + cb_random_below(&c->random, 1u << cb_random_below(&c->random, 10));
    c->reach = 1 + cb_random_below(&c->random, 1u << cb_random_below(&c->random, 11));
    c->dropped_pct = cb_random_below(&c->random, 3) * 10;
    c->kept_pct = cb_random_below(&c->random, 3) * 20;
    c->ledger = make_ledger(c->destinations, c->in_flight_limit);
}

static void model_issue(course *c, uint64_t since_ns)
{
    size_t destination = c->events % c->destinations;

    c->states[c->events] = IN_FLIGHT;
    c->since_ns[c->events] = since_ns;
    c->in_flight[destination]++;
    c->sums[destination] += c->in_flight[destination];
    if (c->in_flight[destination] > c->maxima[destination])
        c->maxima[destination] = c->in_flight[destination];
    c->events++;
}

/* The number of settled events of the same destination, from `event` on. */
static uint64_t settled_since(const course *c, uint64_t event)
{
    uint64_t settled = 0;

    for (; event < c->events && c->states[event] != IN_FLIGHT; event += c->destinations)
        settled++;
    return settled;
}

static void model_lose(course *c, size_t destination, uint64_t before)
{
    for (uint64_t event = destination; event < before; event += c->destinations)
        if (c->states[event] == IN_FLIGHT) {
            c->states[event] = LOST;
            c->in_flight[destination]--;
        }
}

static farm_decision model_decide(course *c, size_t destination, uint64_t event, coverage *met)
{
    if (event % c->destinations != destination || event >= c->events) {
        c->errors.unexpected++;
        return FARM_UNEXPECTED;
    }
    if (c->states[event] == IN_FLIGHT) {
        model_lose(c, destination, event);
        c->states[event] = DECIDED;
        c->in_flight[destination]--;
        return FARM_DECIDED;
    }
    if (c->states[event] == LOST && settled_since(c, event) <= MEMORY) {
        c->states[event] = DECIDED;
        c->errors.late++;
        return FARM_DECIDED_LATE;
    }
    met->beyond_memory += c->states[event] == LOST;
    met->forgotten += c->states[event] == FORGOTTEN;
    c->errors.duplicate++;
    return FARM_DUPLICATE;
}

static uint64_t count_states(const course *c, size_t destination, state counted)
{
    uint64_t count = 0, first = c->first;

    while (first % c->destinations != destination)
        first++;
    for (uint64_t event = first; event < c->events; event += c->destinations)
        count += c->states[event] == counted;
    return count;
}

static bool account_agrees(const course *c, size_t destination)
{
    const farm_account *account = &c->ledger.accounts[destination];

    return account->decided == count_states(c, destination, DECIDED) &&
           account->lost == count_states(c, destination, LOST) &&
           account->issued - account->settled == c->in_flight[destination] &&
           account->in_flight_sum == c->sums[destination] &&
           account->in_flight_most == c->maxima[destination];
}

/* Compare the ledger with the model, its sums with the totals, and the totals with each other. */
static bool all_agrees(const course *c)
{
    const farm_ledger *ledger = &c->ledger;
    uint64_t decided = 0, lost = 0, in_flight = 0;

    for (size_t i = 0; i < c->destinations; i++) {
        if (!account_agrees(c, i))
            return false;
        decided += ledger->accounts[i].decided;
        lost += ledger->accounts[i].lost;
        in_flight += c->in_flight[i];
    }
    return ledger->issued == c->events - c->first && ledger->decided == decided &&
           ledger->lost == lost && ledger->in_flight == in_flight &&
           ledger->issued == ledger->decided + ledger->lost + ledger->in_flight &&
           memcmp(&ledger->errors, &c->errors, sizeof(c->errors)) == 0;
}

static void issue_one(course *c)
{
    uint64_t since_ns = cb_random_next(&c->random), expected = c->events;
    uint64_t event = farm_ledger_issue(&c->ledger, since_ns);

    if (event != expected)
        ck_abort_msg("event %lu is called %lu", expected, event);
    model_issue(c, since_ns);
    if (cb_random_below(&c->random, 100) >= c->dropped_pct)
        c->network[c->in_network++] = event;
}

static void come(course *c, size_t destination, uint64_t event, coverage *met)
{
    uint64_t since_ns = UNTOUCHED;
    farm_decision expected = model_decide(c, destination, event, met);
    farm_decision decision = farm_ledger_decide(&c->ledger, destination, event, &since_ns);

    if (decision != expected)
        ck_abort_msg("a decision on event %lu is called %d instead of %d", event, (int)decision,
                     (int)expected);
    if (since_ns != (expected == FARM_DECIDED ? c->since_ns[event] : UNTOUCHED))
        ck_abort_msg("event %lu is said to count from %lu", event, since_ns);
    met->decisions[decision]++;
}

/* Deliver a decision; the network usually removes what it delivers. */
static void deliver_one(course *c, coverage *met)
{
    uint64_t reach = c->reach < c->in_network ? c->reach : c->in_network;
    size_t at = (size_t)cb_random_below(&c->random, reach);
    uint64_t event = c->network[at];

    if (cb_random_below(&c->random, 100) >= c->kept_pct) {
        c->in_network--;
        memmove(&c->network[at], &c->network[at + 1], (c->in_network - at) * sizeof(c->network[0]));
    }
    come(c, event % c->destinations, event, met);
}

static void give_up(course *c, coverage *met)
{
    farm_ledger_give_up(&c->ledger);
    for (size_t i = 0; i < c->destinations; i++)
        model_lose(c, i, c->events);
    met->given_up++;
}

static void restart(course *c, coverage *met)
{
    farm_ledger_restart(&c->ledger);
    for (uint64_t event = c->first; event < c->events; event++)
        if (c->states[event] == LOST)
            c->states[event] = FORGOTTEN;
    c->first = c->events;
    memset(c->sums, 0, sizeof(c->sums));
    memset(c->maxima, 0, sizeof(c->maxima));
    c->errors = (farm_ledger_errors){0};
    met->restarts++;
}

static void step(course *c, coverage *met)
{
    if (one_in(c, 50))
        come(c, (size_t)cb_random_below(&c->random, c->destinations),
             cb_random_below(&c->random, c->events + 10), met);
    else if (c->ledger.in_flight < c->in_flight_limit && c->events < MOST_EVENTS && one_in(c, 2))
        issue_one(c);
    else if (c->in_network > 0)
        deliver_one(c, met);
    else if (c->ledger.in_flight > 0)
        give_up(c, met);
    else if (one_in(c, 4))
        restart(c, met);
}

static void run_course(course *c, uint64_t seed, coverage *met)
{
    begin_course(c, seed);
    for (uint64_t i = 0; i < STEPS; i++) {
        step(c, met);
        if (!all_agrees(c))
            ck_abort_msg("seed %lu, step %lu: the accounts differ from the model's", seed, i);
    }
    farm_ledger_free(&c->ledger);
}

START_TEST(random_issues_and_decisions_are_all_accounted_for)
{
    static course c;
    coverage met = {0};

    for (uint64_t seed = 1; seed <= COURSES; seed++)
        run_course(&c, seed, &met);
    for (size_t i = 0; i < LENGTH(met.decisions); i++)
        ck_assert_uint_gt(met.decisions[i], COURSES);
    ck_assert_uint_gt(met.beyond_memory, 0);
    ck_assert_uint_gt(met.forgotten, 0);
    ck_assert_uint_gt(met.given_up, COURSES / 10);
    ck_assert_uint_gt(met.restarts, COURSES / 10);
}
END_TEST

UNIT_MAIN("ledger", events_are_assigned_to_destinations_in_turn,
          a_decision_returns_the_start_time_of_its_event,
          one_destination_can_hold_all_events_in_flight,
          the_maximum_and_the_sum_of_events_in_flight_are_kept, an_overtaken_event_is_lost,
          a_fast_destination_does_not_cause_losses_of_others,
          a_lost_event_that_arrives_counts_as_late_instead, a_repeated_decision_is_a_duplicate,
          a_late_event_is_recognised_until_63_events_overtook_it,
          a_packet_overtaken_by_more_stays_lost_and_counts_as_duplicate,
          the_last_63_events_of_any_gap_are_recognised,
          a_decision_on_an_event_of_another_destination_is_unexpected,
          a_decision_on_an_event_that_was_not_issued_is_unexpected,
          only_a_decision_in_order_returns_a_start_time, giving_up_loses_all_events_in_flight,
          an_event_that_was_given_up_may_arrive_late,
          events_after_giving_up_count_as_delayed_and_overtaken_ones_do_not,
          the_last_64_events_given_up_are_recognised, a_restart_clears_the_counts,
          a_restart_continues_numbers_and_assignment,
          an_event_lost_before_a_restart_counts_as_duplicate,
          decisions_in_any_order_lose_nothing_where_that_is_allowed,
          an_event_that_overtook_is_decided_once, an_event_is_lost_when_too_many_overtake_it,
          an_overtaken_event_keeps_its_place, giving_up_loses_no_event_that_was_decided,
          random_issues_and_decisions_are_all_accounted_for)
