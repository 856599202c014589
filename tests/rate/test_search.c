/* The search for the highest rate over a farm that is a formula: what it finds, how many trials it
 * makes, and when its clock makes it stop. */
#include "rate/search.h"

#include <math.h>

#include "tests/common/unit.h"

/* A farm that holds rates up to `holds_to_hz`; from there to `fails_from_hz` every second trial
 * holds. Its clock is advanced by the events of each trial. */
typedef struct {
    double holds_to_hz, fails_from_hz;
    double slowdown; /* of events against what the closed loop said */
    bool silent;
    size_t trials;
    double lowest_hz, last_trial_ns;
    rate_search search;
} farm;

static cb_status try_rate(void *context, double rate_hz, rate_trial *out)
{
    farm *f = context;
    double event_ns = fmax(1e9 / rate_hz, f->search.event_ns);
    double events = fmax((double)f->search.events, rate_search_trial_ns(&f->search) / event_ns);

    f->trials++;
    f->lowest_hz = fmin(f->lowest_hz, rate_hz);
    f->last_trial_ns = events * fmax(1e9 / rate_hz, f->slowdown * f->search.event_ns);
    *out = (rate_trial){.holds = rate_hz <= f->holds_to_hz ||
                                 (rate_hz < f->fails_from_hz && f->trials % 2 == 0),
                        .silent = f->silent,
                        .now_ns = f->search.now_ns + f->last_trial_ns};
    return CB_OK;
}

/* A closed loop of 1000 Hz and trials of `events` events or more. */
static void make_farm(farm *f, double max_time_s, uint64_t events)
{
    *f = (farm){.slowdown = 1,
                .lowest_hz = HUGE_VAL,
                .search = {.try_rate = try_rate,
                           .limit_ns = max_time_s * 1e9,
                           .event_ns = 1e6,
                           .events = events,
                           .now_ns = 5e9}};
    f->search.context = f;
}

/* The time that the search took. */
static double search_ns(farm *f, rate_found *found)
{
    double began_ns = f->search.now_ns;

    ck_assert_int_eq(rate_search_highest(&f->search, found), CB_OK);
    return f->search.now_ns - began_ns;
}

static void assert_bounded(farm *f)
{
    rate_found found;
    double took_ns = search_ns(f, &found);
    double most_ns = rate_search_limit_ns(&f->search);

    ck_assert_msg(took_ns <= most_ns + f->last_trial_ns,
                  "%zu trials took %g s, and the search may take %g s", f->trials, took_ns / 1e9,
                  most_ns / 1e9);
    ck_assert_uint_eq(found.repeats, 0);
}

START_TEST(the_highest_rate_is_found_to_the_resolution)
{
    farm f;
    rate_found found;

    make_farm(&f, 60, 1000);
    f.holds_to_hz = f.fails_from_hz = 700;
    search_ns(&f, &found);
    ck_assert_uint_eq(found.repeats, 5);
    ck_assert_uint_eq(found.held, 5);
    ck_assert_double_le(found.rate_hz, 700);
    ck_assert_double_gt(found.high_hz, 700);
    ck_assert_double_le(found.high_hz / found.low_hz, 1.04);
    ck_assert(!f.search.out_of_time);
}
END_TEST

START_TEST(a_search_in_which_the_fewest_events_take_longer_than_max_time_has_a_result)
{
    farm f;
    rate_found found;

    make_farm(&f, 0.3, 10000);
    f.holds_to_hz = f.fails_from_hz = 700;
    search_ns(&f, &found);
    ck_assert_uint_eq(found.repeats, 5);
    ck_assert_double_le(found.high_hz / found.low_hz, 1.04);
}
END_TEST

START_TEST(a_noisy_farm_has_a_wider_interval)
{
    farm f;
    rate_found found;

    make_farm(&f, 60, 1000);
    f.holds_to_hz = 600;
    f.fails_from_hz = 800;
    search_ns(&f, &found);
    ck_assert_uint_eq(found.repeats, 5);
    ck_assert_double_le(found.low_hz, 600);
    ck_assert_double_ge(found.high_hz, 800);
}
END_TEST

START_TEST(a_farm_that_holds_no_rate_is_given_up_in_time)
{
    farm f;

    make_farm(&f, 0.3, 10000);
    assert_bounded(&f);
    ck_assert(!f.search.out_of_time); /* what was tried said enough */
}
END_TEST

START_TEST(lower_rates_are_tried_where_they_take_little_time)
{
    farm f;

    make_farm(&f, 60, 1000);
    assert_bounded(&f);
    ck_assert_uint_eq(f.trials, 3);
    ck_assert_double_eq_tol(f.lowest_hz, 1000 * 0.1 / 9, 1e-9);
}
END_TEST

START_TEST(a_search_that_never_holds_five_times_ends_in_time)
{
    farm f;

    make_farm(&f, 0.3, 10000);
    f.fails_from_hz = HUGE_VAL;
    assert_bounded(&f);
    ck_assert(f.search.out_of_time);
}
END_TEST

START_TEST(a_search_that_never_fails_ends_in_time)
{
    farm f;

    make_farm(&f, 0.3, 10000);
    f.holds_to_hz = HUGE_VAL;
    assert_bounded(&f);
    ck_assert(f.search.out_of_time);
}
END_TEST

START_TEST(events_slower_than_the_closed_loops_do_not_make_the_search_longer)
{
    farm f;

    make_farm(&f, 0.3, 1000);
    f.slowdown = 50;
    f.holds_to_hz = f.fails_from_hz = 700;
    assert_bounded(&f);
    ck_assert(f.search.out_of_time);
}
END_TEST

START_TEST(a_silent_farm_is_tried_once)
{
    farm f;

    make_farm(&f, 60, 1000);
    f.silent = true;
    assert_bounded(&f);
    ck_assert_uint_eq(f.trials, 1);
    ck_assert(f.search.silent);
}
END_TEST

START_TEST(the_longest_search_follows_max_time_and_the_fewest_events)
{
    farm f;

    make_farm(&f, 10, 20);
    ck_assert_double_eq_tol(rate_search_limit_ns(&f.search), 400e9, 1);
    make_farm(&f, 0.3, 10000);
    ck_assert_double_eq_tol(rate_search_limit_ns(&f.search), 300e9, 1);
    make_farm(&f, 0.05, 20);
    ck_assert_double_eq_tol(rate_search_limit_ns(&f.search), 30e9, 1);
}
END_TEST

UNIT_MAIN("search", the_highest_rate_is_found_to_the_resolution,
          a_search_in_which_the_fewest_events_take_longer_than_max_time_has_a_result,
          a_noisy_farm_has_a_wider_interval, a_farm_that_holds_no_rate_is_given_up_in_time,
          lower_rates_are_tried_where_they_take_little_time,
          a_search_that_never_holds_five_times_ends_in_time, a_search_that_never_fails_ends_in_time,
          events_slower_than_the_closed_loops_do_not_make_the_search_longer,
          a_silent_farm_is_tried_once, the_longest_search_follows_max_time_and_the_fewest_events)
