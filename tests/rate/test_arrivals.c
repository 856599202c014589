/* Arrival processes: values of --arrivals, the bunch structure of a file, and of each process its
 * mean rate, its structure, its order and that it repeats with the seed. test_schedule.c has
 * periodic and Poisson arrivals in depth. Bounds on random figures are four standard deviations,
 * with fixed seeds. */
#include "rate/load.h"

#include <math.h>
#include <stdio.h>

#include "tests/common/messages.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const uint64_t start_ns = UINT64_C(1760000000123456789);

/* Values of --arrivals */

static rate_arrivals parsed(const char *text)
{
    rate_arrivals arrivals;

    ck_assert_msg(rate_arrivals_parse(text, &arrivals) == CB_OK, "'%s' was refused", text);
    return arrivals;
}

static void assert_refused(const char *text, const char *part)
{
    rate_arrivals arrivals;
    int messages = messages_capture();

    ck_assert_msg(rate_arrivals_parse(text, &arrivals) == CB_ERROR_USAGE, "'%s' was taken", text);
    messages_expect(messages, part);
    close(messages);
}

START_TEST(each_process_is_named_with_its_values)
{
    ck_assert_int_eq(parsed("periodic").process, FARM_PERIODIC);
    ck_assert_int_eq(parsed("poisson").process, FARM_POISSON);
    ck_assert_int_eq(parsed("gamma:0.5").process, FARM_GAMMA);
    ck_assert_double_eq(parsed("gamma:0.5").shape, 0.5);
    ck_assert_int_eq(parsed("bursts:100,1.5us").process, FARM_BURSTS);
    ck_assert_uint_eq(parsed("bursts:100,1.5us").length, 100);
    ck_assert_double_eq_tol(parsed("bursts:100,1.5us").gap_ns, 1500, 1e-9);
    ck_assert_double_eq(parsed("bursts:1,0").gap_ns, 0);
    ck_assert_int_eq(parsed(NULL).process, FARM_PERIODIC);
}
END_TEST

START_TEST(an_invalid_process_is_refused_with_the_valid_forms)
{
    static const char *const texts[] = {
        "",          "Poisson",    "periodic:",    "poisson:1",       "gamma",
        "gamma:",    "gamma:0",    "gamma:-1",     "gamma:nan",       "gamma:1e9",
        "gamma:1,2", "gamma:half", "bursts",       "bursts:10",       "bursts:0,1us",
        "bursts:,1", "bursts:10,", "bursts:10,-1", "bursts:10,1Hz",   "bursts:1.5,1us",
        "train",     "train:",     "lognormal:1",  "bursts:10,1us,5", "bursts:-3,1us",
    };

    for (size_t i = 0; i < LENGTH(texts); i++)
        assert_refused(texts[i], "give periodic, poisson, gamma:SHAPE");
}
END_TEST

START_TEST(a_file_that_cannot_be_read_is_named)
{
    assert_refused("train:/nowhere/lhc.train", "'/nowhere/lhc.train': No such file");
    assert_refused("train:/dev/zero", "/dev/zero");
}
END_TEST

/* Files */

static rate_train train_of(const char *text)
{
    rate_train train;

    ck_assert_msg(rate_train_parse("a.train", text, strlen(text), &train) == CB_OK,
                  "'%s' was refused", text);
    return train;
}

START_TEST(a_file_lists_the_filled_slots_of_an_orbit)
{
    static const uint32_t filled[] = {0, 1, 5, 6, 10, 12};
    rate_train train = train_of("# orbit\nslots 14\n slot\t25ns # long\r\n\ntrain 2 3 2\n"
                                "train 1 1 2");

    ck_assert_uint_eq(train.slots, 14);
    ck_assert_double_eq_tol(train.slot_ns, 25, 1e-9);
    ck_assert_uint_eq(train.count, LENGTH(filled));
    for (size_t i = 0; i < LENGTH(filled); i++)
        ck_assert_uint_eq(train.filled[i], filled[i]);
    rate_train_free(&train);
}
END_TEST

START_TEST(an_orbit_may_begin_with_empty_slots_and_have_no_length_of_a_slot)
{
    rate_train train = train_of("slots 8\ntrain 0 5\ntrain 3 0\n");

    ck_assert_uint_eq(train.count, 3);
    ck_assert_uint_eq(train.filled[0], 5);
    ck_assert_double_eq(train.slot_ns, 0);
    rate_train_free(&train);
}
END_TEST

START_TEST(an_invalid_file_is_refused_with_line_and_remedy)
{
    static const struct {
        const char *text, *part;
    } rows[] = {
        {"slots 10\nbunches 3\n", "a.train:2: the line is none of"},
        {"slots 10 20\n", "a.train:1: the line is none of"},
        {"slots ten\n", "a.train:1: "},
        {"slots 0\n", "write slots and their number"},
        {"slots 1000001\n", "write slots and their number"},
        {"slots 10\nslots 10\n", "a.train:2: slots is repeated"},
        {"slots 10\nslot -25ns\n", "a.train:2: "},
        {"slots 10\nslot 0\n", "write slot and its length"},
        {"slots 10\nslot 25ns\nslot 25ns\n", "a.train:3: slot is repeated"},
        {"slots 10\n\ntrain 5 x\n", "a.train:3: "},
        {"slots 10\ntrain 5 5 0\n", "a.train:2: "},
        {"slots 10\ntrain 5\n", "a.train:2: the line is none of"},
        {"slots 10\ntrain 5 5 1 1\n", "a.train:2: the line is none of"},
        {"slots 10\ntrain 1000000 1000000 1000000\n", "more than 1000000 slots"},
        {"slots 10\ntrain 5 4\n", "the trains have 9 slots, of which 5 are filled, and the orbit "
                                  "has 10"},
        {"train 5 5\n", "the orbit has 0"},
        {"slots 10\ntrain 0 10\n", "of which 0 are filled"},
        {"", "the orbit has 0"},
    };

    for (size_t i = 0; i < LENGTH(rows); i++) {
        int messages = messages_capture();
        rate_train train;

        ck_assert_msg(rate_train_parse("a.train", rows[i].text, strlen(rows[i].text), &train) ==
                          CB_ERROR_USAGE,
                      "'%s' was taken", rows[i].text);
        ck_assert_ptr_null(train.filled);
        messages_expect(messages, rows[i].part);
        close(messages);
    }
}
END_TEST

static rate_arrivals lhc(void)
{
    char text[512];

    snprintf(text, sizeof(text), "train:%s/docs/examples/lhc.train", getenv("srcdir"));
    return parsed(text);
}

START_TEST(the_example_is_the_nominal_scheme_of_the_lhc)
{
    rate_arrivals arrivals = lhc();

    ck_assert_uint_eq(arrivals.train.slots, 3564);
    ck_assert_uint_eq(arrivals.train.count, 2808);
    ck_assert_uint_eq(arrivals.train.filled[2807], 3564 - 119 - 1);
    rate_arrivals_free(&arrivals);
}
END_TEST

/* All processes */

enum { EVENTS = 100001, SPECS = 7 };

static const double rate_hz = 1e4, interval_ns = 1e5;

/* Intervals of no process have a larger relative deviation than gamma:0.25, which is 2. */
static rate_arrivals nth(size_t n)
{
    static const char *const texts[SPECS - 2] = {"periodic", "poisson", "gamma:0.25", "gamma:9",
                                                 "bursts:100,2us"};
    rate_arrivals arrivals = {.process = RATE_TRAIN};

    if (n < LENGTH(texts))
        return parsed(texts[n]);
    arrivals.train = train_of("slots 100\ntrain 8 2 5\ntrain 20 30\n");
    arrivals.train.slot_ns = n == SPECS - 1 ? 250 : 0;
    return arrivals;
}

START_TEST(the_events_of_every_process_have_the_offered_rate)
{
    for (size_t n = 0; n < SPECS; n++) {
        rate_arrivals arrivals = nth(n);
        rate_schedule schedule = rate_schedule_make(&arrivals, rate_hz, 5, start_ns);
        uint64_t events = rate_arrivals_events(&arrivals, EVENTS, 0), first, last = 0;
        double mean, tolerance = 4 * 2 / sqrt(EVENTS);

        ck_assert_uint_le(events, EVENTS);
        first = rate_schedule_next(&schedule);
        for (uint64_t i = 1; i < events; i++)
            last = rate_schedule_next(&schedule);
        mean = (double)(last - first) / (double)(events - 1);
        if (rate_arrivals_period(&arrivals) > 1)
            tolerance = 1e-6; /* whole periods */
        ck_assert_msg(fabs(mean / interval_ns - 1) < tolerance, "process %zu: %g ns", n, mean);
        rate_arrivals_free(&arrivals);
    }
}
END_TEST

START_TEST(due_times_of_every_process_never_decrease)
{
    static const double rates_hz[] = {0.1, 1e4, 1e9, 1e12};

    for (size_t i = 0; i < SPECS * LENGTH(rates_hz); i++) {
        rate_arrivals arrivals = nth(i % SPECS);
        rate_schedule schedule = rate_schedule_make(&arrivals, rates_hz[i / SPECS], i, start_ns);
        uint64_t before_ns = start_ns;

        for (int k = 0; k < EVENTS; k++) {
            uint64_t now_ns = rate_schedule_next(&schedule);

            if (now_ns < before_ns)
                ck_abort_msg("process %zu at %g Hz goes back", i % SPECS, rates_hz[i / SPECS]);
            before_ns = now_ns;
        }
        rate_arrivals_free(&arrivals);
    }
}
END_TEST

START_TEST(due_times_of_every_process_repeat_with_the_seed)
{
    for (size_t n = 0; n < SPECS; n++) {
        rate_arrivals arrivals = nth(n);
        rate_schedule one = rate_schedule_make(&arrivals, rate_hz, 7, start_ns);
        rate_schedule other = rate_schedule_make(&arrivals, rate_hz, 7, start_ns);

        for (int k = 0; k < 1000; k++)
            ck_assert_uint_eq(rate_schedule_next(&one), rate_schedule_next(&other));
        rate_arrivals_free(&arrivals);
    }
}
END_TEST

START_TEST(another_seed_changes_the_processes_with_draws)
{
    static const bool drawn[SPECS] = {false, true, true, true, false, false, true};

    for (size_t n = 0; n < SPECS; n++) {
        rate_arrivals arrivals = nth(n);
        rate_schedule one = rate_schedule_make(&arrivals, rate_hz, 7, start_ns);
        rate_schedule other = rate_schedule_make(&arrivals, rate_hz, 8, start_ns);
        bool equal = true;

        for (int k = 0; k < 1000; k++)
            equal = rate_schedule_next(&one) == rate_schedule_next(&other) && equal;
        ck_assert_msg(equal != drawn[n], "process %zu", n);
        rate_arrivals_free(&arrivals);
    }
}
END_TEST

START_TEST(the_events_due_until_a_time_are_those_with_due_times_until_then)
{
    for (size_t n = 0; n < SPECS; n++) {
        rate_arrivals arrivals = nth(n);
        rate_schedule schedule = rate_schedule_make(&arrivals, rate_hz, 3, start_ns);
        const rate_schedule fresh = schedule;
        uint64_t made = 0;

        ck_assert_uint_eq(rate_schedule_due(&fresh, start_ns - 1), 0);
        while (made < 1000) {
            uint64_t due_ns = rate_schedule_next(&schedule), until;

            made++;
            until = rate_schedule_due(&fresh, due_ns);
            ck_assert_uint_ge(until, made);
            ck_assert_uint_eq(until, made + rate_schedule_due(&schedule, due_ns));
            ck_assert_uint_lt(rate_schedule_due(&fresh, due_ns - 1), made);
        }
        rate_arrivals_free(&arrivals);
    }
}
END_TEST

START_TEST(no_pause_is_longer_than_the_longest)
{
    for (size_t n = 0; n < SPECS; n++) {
        rate_arrivals arrivals = nth(n);
        rate_schedule schedule = rate_schedule_make(&arrivals, rate_hz, 3, start_ns);
        double longest_ns = rate_arrivals_longest_ns(&arrivals, rate_hz);
        uint64_t before_ns = rate_schedule_next(&schedule);

        for (int k = 0; k < EVENTS; k++) {
            uint64_t now_ns = rate_schedule_next(&schedule);

            if ((double)(now_ns - before_ns) > longest_ns + 1)
                ck_abort_msg("process %zu: %g ns", n, (double)(now_ns - before_ns));
            before_ns = now_ns;
        }
        rate_arrivals_free(&arrivals);
    }
}
END_TEST

/* Single processes */

START_TEST(gamma_intervals_have_the_variance_of_their_shape)
{
    static const char *const texts[] = {"gamma:0.25", "gamma:1", "gamma:9"};

    for (size_t n = 0; n < LENGTH(texts); n++) {
        rate_arrivals arrivals = parsed(texts[n]);
        rate_schedule schedule = rate_schedule_make(&arrivals, rate_hz, 3, start_ns);
        double sum = 0, squares = 0, variance;
        uint64_t before_ns = start_ns;

        for (int k = 0; k < EVENTS; k++) {
            uint64_t now_ns = rate_schedule_next(&schedule);
            double interval = (double)(now_ns - before_ns) / interval_ns;

            sum += interval;
            squares += interval * interval;
            before_ns = now_ns;
        }
        variance = squares / EVENTS - sum / EVENTS * sum / EVENTS;
        /* The deviation of the ratio is sqrt((2 + 6 / shape) / n). */
        ck_assert_double_eq_tol(variance * arrivals.shape, 1,
                                4 * sqrt((2 + 6 / arrivals.shape) / EVENTS));
    }
}
END_TEST

START_TEST(a_burst_has_its_events_a_gap_apart_and_starts_with_its_period)
{
    rate_arrivals arrivals = parsed("bursts:4,2us");
    rate_schedule schedule = rate_schedule_make(&arrivals, rate_hz, 3, 0);

    for (uint64_t burst = 0; burst < 1000; burst++)
        for (uint64_t place = 0; place < 4; place++)
            ck_assert_uint_eq(rate_schedule_next(&schedule),
                              100000 + burst * 400000 + place * 2000);
}
END_TEST

START_TEST(events_of_a_burst_without_gap_are_due_together)
{
    rate_arrivals arrivals = parsed("bursts:50,0");
    rate_schedule schedule = rate_schedule_make(&arrivals, rate_hz, 3, 0);

    for (uint64_t i = 0; i < 500; i++)
        ck_assert_uint_eq(rate_schedule_next(&schedule), 100000 + i / 50 * 5000000);
    ck_assert_uint_eq(rate_schedule_due(&schedule, 100000 + 10 * 5000000), 50);
    ck_assert_uint_eq(rate_schedule_next(&schedule), 100000 + 10 * 5000000);
    ck_assert_uint_eq(
        rate_schedule_overdue(&schedule, 100000 + 10 * 5000000, 100000 + 11 * 5000000 - 1), 0);
    ck_assert_uint_eq(
        rate_schedule_overdue(&schedule, 100000 + 10 * 5000000, 100000 + 11 * 5000000), 50);
}
END_TEST

START_TEST(bursts_that_would_overlap_become_periodic_and_are_refused_as_a_rate)
{
    rate_arrivals arrivals = parsed("bursts:10,1ms");
    rate_schedule schedule = rate_schedule_make(&arrivals, rate_hz, 3, 0);
    int messages = messages_capture();

    for (uint64_t i = 1; i <= 100; i++)
        ck_assert_uint_eq(rate_schedule_next(&schedule), i * 100000);
    ck_assert_int_eq(rate_arrivals_check_rate(&arrivals, 1000), CB_OK);
    ck_assert_int_eq(rate_arrivals_check_rate(&arrivals, 1001), CB_ERROR_USAGE);
    messages_expect(messages, "use a smaller gap, or a lower rate");
    arrivals = parsed("bursts:1,1s");
    ck_assert_int_eq(rate_arrivals_check_rate(&arrivals, 1e6), CB_OK);
}
END_TEST

START_TEST(without_the_length_of_a_slot_each_filled_slot_has_an_event_and_orbits_repeat)
{
    rate_arrivals arrivals = {.process = RATE_TRAIN,
                              .train = train_of("slots 10\ntrain 3 2\ntrain 1 4\n")};
    rate_schedule schedule = rate_schedule_make(&arrivals, rate_hz, 3, 0);

    /* 4 events in 4 mean intervals, which are 10 slots of 40 us. */
    for (uint64_t i = 0; i < 4000; i++) {
        static const uint64_t slots[] = {0, 1, 2, 5};

        ck_assert_uint_eq(rate_schedule_next(&schedule),
                          100000 + i / 4 * 400000 + slots[i % 4] * 40000);
    }
    rate_arrivals_free(&arrivals);
}
END_TEST

/* Slots without a bunch stay empty in every orbit, and the filled ones get equally many events. */
START_TEST(with_the_length_of_a_slot_events_are_drawn_from_the_filled_slots)
{
    rate_arrivals arrivals = lhc();
    rate_schedule schedule = rate_schedule_make(&arrivals, 1e5, 3, 0);
    static unsigned events[3564];
    const double period_ns = 3564 * 25;
    size_t filled = 0, early = 0;

    for (int i = 0; i < EVENTS; i++) {
        double orbits = ((double)rate_schedule_next(&schedule) - 1e4 + 0.5) / period_ns;
        size_t slot = (size_t)((orbits - floor(orbits)) * 3564);

        events[slot]++;
        early += slot < 1782;
    }
    for (size_t slot = 0; slot < 3564; slot++) {
        bool has = filled < 2808 && arrivals.train.filled[filled] == slot;

        ck_assert_msg(has || events[slot] == 0, "slot %zu is empty", slot);
        filled += has;
    }
    /* Of 2808 bunches, 1419 are in the first half: 0.5053. */
    filled = 0;
    while (arrivals.train.filled[filled] < 1782)
        filled++;
    ck_assert_double_eq_tol((double)early / EVENTS, (double)filled / 2808, 4 * 0.5 / sqrt(EVENTS));
    rate_arrivals_free(&arrivals);
}
END_TEST

START_TEST(more_events_than_filled_slots_shorten_the_slots_and_are_refused_as_a_rate)
{
    rate_arrivals arrivals = lhc();
    rate_schedule schedule = rate_schedule_make(&arrivals, 1e9, 3, 0);
    int messages = messages_capture();
    uint64_t last = 0;

    for (int i = 0; i <= 2808 * 100; i++)
        last = rate_schedule_next(&schedule);
    ck_assert_uint_eq(last, 1 + 2808 * 100);
    ck_assert_int_eq(rate_arrivals_check_rate(&arrivals, 31e6), CB_OK);
    ck_assert_int_eq(rate_arrivals_check_rate(&arrivals, 32e6), CB_ERROR_USAGE);
    messages_expect(messages, "the filled slots of the orbit come at 3.15152e+07 Hz");
    rate_arrivals_free(&arrivals);
}
END_TEST

/* The number of events of a run */

START_TEST(a_run_has_pairs_of_whole_periods_and_the_first_event_of_the_next)
{
    rate_arrivals bursts = parsed("bursts:100,0"), single = parsed("bursts:1,0");

    ck_assert_uint_eq(rate_arrivals_events(&bursts, 0, 20), 201);
    ck_assert_uint_eq(rate_arrivals_events(&bursts, 1000, 20), 801);
    ck_assert_uint_eq(rate_arrivals_events(&bursts, 1001, 20), 1001);
    ck_assert_uint_eq(rate_arrivals_events(&bursts, 0, 1000), 1001);
    ck_assert_uint_eq(rate_arrivals_events(&bursts, 0, 1001), 1001);
    ck_assert_uint_eq(rate_arrivals_events(&bursts, 0, 1002), 1201);
    ck_assert_uint_eq(rate_arrivals_events(&single, 17, 5), 17);
    ck_assert_uint_eq(rate_arrivals_events(&rate_arrivals_periodic, 17, 20), 20);
    ck_assert_uint_eq(rate_load_events(&bursts, 1e4, 0, 1e9, 20), 9801);
    ck_assert_uint_eq(rate_load_events(&rate_arrivals_periodic, 1e4, 1e6, 1e9, 20), 1000);
    ck_assert_uint_eq(rate_load_events(&rate_arrivals_periodic, 1e4, 1e6, -1e9, 20), 20);
}
END_TEST

UNIT_MAIN("arrivals", each_process_is_named_with_its_values,
          an_invalid_process_is_refused_with_the_valid_forms, a_file_that_cannot_be_read_is_named,
          a_file_lists_the_filled_slots_of_an_orbit,
          an_orbit_may_begin_with_empty_slots_and_have_no_length_of_a_slot,
          an_invalid_file_is_refused_with_line_and_remedy,
          the_example_is_the_nominal_scheme_of_the_lhc,
          the_events_of_every_process_have_the_offered_rate,
          due_times_of_every_process_never_decrease,
          due_times_of_every_process_repeat_with_the_seed,
          another_seed_changes_the_processes_with_draws,
          the_events_due_until_a_time_are_those_with_due_times_until_then,
          no_pause_is_longer_than_the_longest, gamma_intervals_have_the_variance_of_their_shape,
          a_burst_has_its_events_a_gap_apart_and_starts_with_its_period,
          events_of_a_burst_without_gap_are_due_together,
          bursts_that_would_overlap_become_periodic_and_are_refused_as_a_rate,
          without_the_length_of_a_slot_each_filled_slot_has_an_event_and_orbits_repeat,
          with_the_length_of_a_slot_events_are_drawn_from_the_filled_slots,
          more_events_than_filled_slots_shorten_the_slots_and_are_refused_as_a_rate,
          a_run_has_pairs_of_whole_periods_and_the_first_event_of_the_next)
