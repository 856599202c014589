/* Rows of farms, checked with numbers computed by hand: frequency and payload, event counts,
 * what limits a saturated farm, the result of a search, and each destination. */
#include "farm/farm.h"
#include "farm/figures.h"

#include <string.h>

#include "benchmarks/registry.h"
#include "farm/options.h"
#include "tests/common/unit.h"

enum { SOURCES = 3, DESTINATIONS = 2, BLOCKS = 7, EVENTS_OF_A_BLOCK = 10 };

typedef struct {
    bench_options options;
    engine_job job;
    engine_session session;
    bench_measurement measurement;
    rate_outcome rate;
    farm_outcome outcome;
    stats_histogram latencies[DESTINATIONS];
    farm_account accounts[DESTINATIONS];
    double blocks_ns[BLOCKS];
    report_row row;
} farm;

/* An order that --placement may produce: the last two ranks are the destinations. */
static const int ranks[1 + SOURCES + DESTINATIONS] = {0, 3, 6, 9, 4, 2};

/* A closed loop of 100 events with blocks around 40 us, that is 4 us per event: three faster,
 * three slower. */
static void make_farm(farm *f)
{
    static const double factors[BLOCKS] = {1.02, 1, 0.99, 1.01, 0.97, 1.5, 0.98};

    memset(f, 0, sizeof(*f));
    f->options =
        (bench_options){.touch = "all", .buffers = "hot", .wait = "auto", .arrivals = "poisson"};
    f->job = (engine_job){.definition = &cb_pushfarm, .options = &f->options};
    f->session = (engine_session){.job = &f->job, .effective_wait = TRANSPORT_WAIT_YIELD};
    f->measurement = (bench_measurement){.mode = &cb_pushfarm.modes[0],
                                         .shape = farm_shape(SOURCES, DESTINATIONS),
                                         .algorithm_us = 50,
                                         .size_bytes = 1000};
    for (size_t i = 0; i < BLOCKS; i++)
        f->blocks_ns[i] = factors[i] * 4000 * EVENTS_OF_A_BLOCK;
    f->rate = (rate_outcome){.base = {.algorithm_true_us = -1, .touch_ns = -1},
                             .block = EVENTS_OF_A_BLOCK,
                             .blocks_ns = f->blocks_ns,
                             .block_count = BLOCKS,
                             .stopped_by = "precision",
                             .tally = {.issued = 100, .decided = 100},
                             .destinations = DESTINATIONS};
    f->outcome = (farm_outcome){
        .rate = &f->rate, .in_flight = 8, .latencies = f->latencies, .accounts = f->accounts};
}

/* 50 000 events a second for 2 ms: 100 events, 20 us apart. */
static void make_open_farm(farm *f)
{
    make_farm(f);
    f->rate.open = true;
    f->rate.offered_hz = 50000;
    f->rate.tally = (rate_tally){.issued = 100,
                                 .decided = 100,
                                 .due = 100,
                                 .issue_span_ns = 1.98e6,
                                 .due_span_ns = 1.98e6,
                                 .decision_span_ns = 1.98e6};
}

static const report_row *row_of(farm *f)
{
    const measurement_setting setting = {.session = &f->session,
                                         .planned = &f->measurement,
                                         .ranks = ranks,
                                         .participants = 1 + SOURCES + DESTINATIONS,
                                         .oversubscribed = true};

    report_row_clear(&f->row);
    ck_assert_int_eq(farm_figures(&setting, &f->outcome, &f->row), CB_OK);
    return &f->row;
}

static void assert_near(double value, double expected)
{
    ck_assert_msg(fabs(value - expected) <= 1e-9 * fabs(expected), "%.12g in place of %.12g", value,
                  expected);
}

static void assert_absent(double value)
{
    ck_assert_msg(isnan(value), "%g in place of nothing", value);
}

/* The answer in a row that has one. */
static bool is_saturated(const report_row *row)
{
    ck_assert(report_row_has(row, REPORT_SATURATED));
    return report_row_flag(row, REPORT_SATURATED, "");
}

/* Closed loop */

START_TEST(the_time_of_an_event_is_that_of_a_block_over_its_events)
{
    farm f;
    const report_row *row;

    make_farm(&f);
    row = row_of(&f);
    ck_assert(report_row_has(row, REPORT_ROUND_US));
    assert_near(report_row_number(row, REPORT_ROUND_US, "median"), 4);
    assert_near(report_row_number(row, REPORT_ROUND_US, "min"), 3.88);
    assert_near(report_row_number(row, REPORT_ROUND_US, "max"), 6);
    assert_near(report_row_number(row, REPORT_BLOCKS_US, "5"), 6);
    assert_near(report_row_number(row, REPORT_STEPS, ""), BLOCKS * EVENTS_OF_A_BLOCK);
    ck_assert_str_eq(report_row_text(row, REPORT_STOPPED_BY, ""), "precision");
    report_row_clear(&f.row);
}
END_TEST

START_TEST(the_frequency_of_a_closed_loop_is_the_inverse_of_the_median)
{
    farm f;
    const report_row *row;

    make_farm(&f);
    row = row_of(&f);
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 250000);
    /* 3 packets of 1000 bytes in 4 us */
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 750);
    report_row_clear(&f.row);
}
END_TEST

/* 80 of 100 events in 2 ms, of which the blocks do not have the last timeout. */
START_TEST(after_a_loss_the_frequency_is_of_decisions_in_all_of_the_time)
{
    farm f;
    const report_row *row;

    make_farm(&f);
    f.rate.tally = (rate_tally){.issued = 100, .decided = 80, .lost = 20, .elapsed_ns = 2e6};
    row = row_of(&f);
    assert_near(report_row_number(row, REPORT_ROUND_US, "median"), 4);
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 40000);
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 120);
    ck_assert_str_eq(report_row_text(row, REPORT_RATES_FROM, ""), "totals");
    report_row_clear(&f.row);
    make_open_farm(&f);
    f.rate.tally.decided = 80;
    f.rate.tally.lost = 20;
    f.rate.tally.elapsed_ns = 4e6;
    row = row_of(&f);
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 20000);
    ck_assert_str_eq(report_row_text(row, REPORT_RATES_FROM, ""), "totals");
    report_row_clear(&f.row);
}
END_TEST

START_TEST(a_block_that_waits_counts_in_the_frequency)
{
    farm f;
    const report_row *row;

    make_farm(&f);
    for (size_t i = 0; i < BLOCKS; i++)
        f.blocks_ns[i] = (i == 2 ? 32.0 : 4.0) * 1e3 * EVENTS_OF_A_BLOCK;
    row = row_of(&f); /* 7 blocks in the time of 14 */
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 125000);
    ck_assert_str_eq(report_row_text(row, REPORT_RATES_FROM, ""), "totals");
    report_row_clear(&f.row);
}
END_TEST

START_TEST(a_closed_loop_has_no_offered_rate_and_is_not_saturated)
{
    farm f;
    const report_row *row;

    make_farm(&f);
    row = row_of(&f);
    ck_assert_str_eq(report_row_text(row, REPORT_MODE, ""), "closed");
    ck_assert(!report_row_has(row, REPORT_ARRIVALS));
    assert_absent(report_row_number(row, REPORT_OFFERED_HZ, ""));
    assert_absent(report_row_number(row, REPORT_DUE, ""));
    assert_absent(report_row_number(row, REPORT_NOT_ISSUED, ""));
    assert_absent(report_row_number(row, REPORT_GENERATOR_ERROR_PCT, ""));
    ck_assert(!report_row_has(row, REPORT_SATURATED));
    ck_assert(!report_row_has(row, REPORT_LIMITED_BY));
    ck_assert(!report_row_has(row, REPORT_FOUND_HZ));
    report_row_clear(&f.row);
}
END_TEST

START_TEST(a_loop_without_a_whole_block_has_counts_and_a_frequency)
{
    farm f;
    const report_row *row;

    make_farm(&f);
    f.rate.block_count = 0;
    f.rate.tally = (rate_tally){.issued = 100, .decided = 2, .lost = 98, .elapsed_ns = 1e9};
    row = row_of(&f);
    ck_assert(!report_row_has(row, REPORT_ROUND_US));
    ck_assert(!report_row_has(row, REPORT_BLOCKS));
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 2);
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 0.006);
    assert_absent(report_row_number(row, REPORT_STEPS, ""));
    assert_near(report_row_number(row, REPORT_LOST, ""), 98);
    report_row_clear(&f.row);
}
END_TEST

/* Open loop */

START_TEST(the_frequency_of_an_open_loop_is_the_rate_of_decisions)
{
    farm f;
    const report_row *row;

    make_open_farm(&f);
    f.rate.tally.decision_span_ns = 3.96e6;
    row = row_of(&f);
    ck_assert_str_eq(report_row_text(row, REPORT_MODE, ""), "open");
    ck_assert_str_eq(report_row_text(row, REPORT_ARRIVALS, ""), "poisson");
    assert_near(report_row_number(row, REPORT_OFFERED_HZ, ""), 50000);
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 25000);
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 75);
    ck_assert(!report_row_has(row, REPORT_ROUND_US));
    report_row_clear(&f.row);
}
END_TEST

START_TEST(one_decision_has_no_frequency)
{
    farm f;
    const report_row *row;

    make_open_farm(&f);
    f.rate.tally.decided = 1;
    f.rate.tally.decision_span_ns = 0;
    row = row_of(&f);
    assert_absent(report_row_number(row, REPORT_FREQUENCY_HZ, ""));
    assert_absent(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""));
    report_row_clear(&f.row);
}
END_TEST

START_TEST(a_loop_that_keeps_its_schedule_reports_its_lateness)
{
    farm f;
    const report_row *row;

    make_open_farm(&f);
    f.rate.tally.issue_span_ns = 1.98e6 * 1.005;
    f.rate.tally.backlog_end = 3;
    row = row_of(&f);
    ck_assert(!is_saturated(row));
    ck_assert(!report_row_has(row, REPORT_LIMITED_BY));
    ck_assert_double_eq_tol(report_row_number(row, REPORT_GENERATOR_ERROR_PCT, ""), 0.5, 1e-9);
    report_row_clear(&f.row);
}
END_TEST

/* Events are issued 2 % late. */
static void make_late(farm *f, uint64_t backlog_middle, uint64_t backlog_end)
{
    make_open_farm(f);
    f->rate.tally.issue_span_ns = 1.98e6 * 1.02;
    f->rate.tally.backlog_middle = backlog_middle;
    f->rate.tally.backlog_end = backlog_end;
    f->rate.tally.due = 100 + backlog_end;
}

START_TEST(a_late_loop_with_a_growing_backlog_is_saturated)
{
    farm f;
    const report_row *row;

    make_late(&f, 1, 2);
    row = row_of(&f);
    ck_assert(is_saturated(row));
    assert_absent(report_row_number(row, REPORT_GENERATOR_ERROR_PCT, ""));
    assert_near(report_row_number(row, REPORT_DUE, ""), 102);
    assert_near(report_row_number(row, REPORT_NOT_ISSUED, ""), 2);
    report_row_clear(&f.row);
}
END_TEST

START_TEST(a_loop_that_catches_up_is_not_saturated)
{
    farm f;

    make_late(&f, 2, 2);
    ck_assert(!is_saturated(row_of(&f)));
    f.rate.tally.backlog_end = 3;
    f.rate.tally.issue_span_ns = 1.98e6 * 1.009;
    ck_assert(!is_saturated(row_of(&f)));
    report_row_clear(&f.row);
}
END_TEST

/* Decisions are 2 % late, with this number of events in flight. */
static bool pile_of(farm *f, uint64_t middle, uint64_t end)
{
    report_row_clear(&f->row);
    make_open_farm(f);
    f->rate.tally.decision_span_ns = 1.98e6 * 1.02;
    f->rate.tally.in_flight_middle = middle;
    f->rate.tally.in_flight_end = end;
    return is_saturated(row_of(f));
}

START_TEST(a_steadily_growing_backlog_is_saturation_even_if_events_are_issued_in_time)
{
    farm f = {.rate.open = false};

    ck_assert(pile_of(&f, 10, 20));
    assert_absent(report_row_number(&f.row, REPORT_GENERATOR_ERROR_PCT, ""));
    ck_assert_str_eq(report_row_text(&f.row, REPORT_LIMITED_BY, ""), "farm");
    report_row_clear(&f.row);
}
END_TEST

START_TEST(a_large_but_constant_backlog_is_not_saturation)
{
    farm f = {.rate.open = false};

    ck_assert(!pile_of(&f, 14, 20));
    report_row_clear(&f.row);
}
END_TEST

START_TEST(a_single_stall_near_the_end_is_not_saturation)
{
    farm f = {.rate.open = false};

    ck_assert(!pile_of(&f, 4, 20));
    report_row_clear(&f.row);
}
END_TEST

START_TEST(two_events_per_destination_are_not_a_backlog)
{
    farm f = {.rate.open = false};

    ck_assert(!pile_of(&f, 2, 2 * DESTINATIONS));
    ck_assert(pile_of(&f, 2, 2 * DESTINATIONS + 1));
    report_row_clear(&f.row);
}
END_TEST

START_TEST(decisions_at_the_scheduled_rate_are_not_saturation)
{
    farm f = {.rate.open = false};

    (void)pile_of(&f, 10, 20);
    f.rate.tally.decision_span_ns = 1.98e6 * 1.009;
    ck_assert(!is_saturated(row_of(&f)));
    report_row_clear(&f.row);
}
END_TEST

START_TEST(the_farm_limits_the_rate_where_waiting_for_it_explains_the_delay)
{
    farm f;

    make_late(&f, 1, 2);
    f.rate.tally.waited_ns = 20e3; /* of 39.6e3 */
    ck_assert_str_eq(report_row_text(row_of(&f), REPORT_LIMITED_BY, ""), "farm");
    report_row_clear(&f.row);
}
END_TEST

START_TEST(the_supervisor_limits_the_rate_where_waiting_does_not_explain_the_delay)
{
    farm f;

    make_late(&f, 1, 2);
    f.rate.tally.waited_ns = 19e3;
    ck_assert_str_eq(report_row_text(row_of(&f), REPORT_LIMITED_BY, ""), "supervisor");
    report_row_clear(&f.row);
}
END_TEST

START_TEST(the_row_has_the_result_of_a_search)
{
    farm f;
    const report_row *row;

    make_open_farm(&f);
    f.rate.found =
        (rate_found){.rate_hz = 50000, .low_hz = 48000, .high_hz = 55000, .held = 4, .repeats = 5};
    row = row_of(&f);
    assert_near(report_row_number(row, REPORT_FOUND_HZ, "value"), 50000);
    assert_near(report_row_number(row, REPORT_FOUND_HZ, "interval.0"), 48000);
    assert_near(report_row_number(row, REPORT_FOUND_HZ, "interval.1"), 55000);
    ck_assert_double_eq(report_row_number(row, REPORT_FOUND_HZ, "held"), 4);
    ck_assert_double_eq(report_row_number(row, REPORT_FOUND_HZ, "repeats"), 5);
    report_row_clear(&f.row);
}
END_TEST

/* Accounts */

START_TEST(events_neither_decided_nor_lost_are_in_flight)
{
    farm f;
    const report_row *row;

    make_open_farm(&f);
    f.rate.tally.decided = 90;
    f.rate.tally.lost = 7;
    f.rate.tally.errors = 4;
    row = row_of(&f);
    assert_near(report_row_number(row, REPORT_ISSUED, ""), 100);
    assert_near(report_row_number(row, REPORT_DECIDED, ""), 90);
    assert_near(report_row_number(row, REPORT_LOST, ""), 7);
    assert_near(report_row_number(row, REPORT_IN_FLIGHT, ""), 3);
    assert_near(report_row_number(row, REPORT_ERRORS, ""), 4);
    report_row_clear(&f.row);
}
END_TEST

START_TEST(each_destination_has_its_rank_and_its_counts)
{
    farm f;
    const report_row *row;

    make_farm(&f);
    f.accounts[0] = (farm_account){.decided = 40, .in_flight_sum = 80, .in_flight_most = 4};
    f.accounts[1] =
        (farm_account){.decided = 30, .lost = 10, .in_flight_sum = 100, .in_flight_most = 7};
    row = row_of(&f);
    assert_absent(report_row_number(row, REPORT_PER_DESTINATION, "2.rank"));
    assert_near(report_row_number(row, REPORT_PER_DESTINATION, "0.rank"), 4);
    assert_near(report_row_number(row, REPORT_PER_DESTINATION, "1.rank"), 2);
    assert_near(report_row_number(row, REPORT_PER_DESTINATION, "0.decided"), 40);
    assert_near(report_row_number(row, REPORT_PER_DESTINATION, "0.in_flight_mean"), 2);
    assert_near(report_row_number(row, REPORT_PER_DESTINATION, "0.in_flight_most"), 4);
    assert_near(report_row_number(row, REPORT_PER_DESTINATION, "1.decided"), 30);
    assert_near(report_row_number(row, REPORT_PER_DESTINATION, "1.lost"), 10);
    /* of the 40 issued to it */
    assert_near(report_row_number(row, REPORT_PER_DESTINATION, "1.in_flight_mean"), 2.5);
    report_row_clear(&f.row);
}
END_TEST

START_TEST(a_destination_without_events_reports_zero_in_flight)
{
    farm f;
    const report_row *row;

    make_farm(&f);
    row = row_of(&f);
    ck_assert_double_eq(report_row_number(row, REPORT_PER_DESTINATION, "1.in_flight_mean"), 0);
    report_row_clear(&f.row);
}
END_TEST

START_TEST(the_latencies_of_all_destinations_are_merged)
{
    farm f;
    const report_row *row;

    make_farm(&f);
    stats_histogram_record(&f.latencies[0], 1000);
    stats_histogram_record(&f.latencies[1], 5000);
    stats_histogram_record(&f.latencies[1], 3000);
    row = row_of(&f);
    ck_assert_double_eq(report_row_number(row, REPORT_EVENT_LATENCY_US, "samples"), 3);
    ck_assert_double_eq(report_row_number(row, REPORT_EVENT_LATENCY_US, "max"), 5);
    ck_assert_double_eq(report_row_number(row, REPORT_PER_DESTINATION, "0.latency_us.samples"), 1);
    ck_assert_double_eq(report_row_number(row, REPORT_PER_DESTINATION, "1.latency_us.samples"), 2);
    report_row_clear(&f.row);
}
END_TEST

/* Conditions */

START_TEST(a_row_has_the_conditions_of_the_farm)
{
    farm f;
    const report_row *row;

    make_farm(&f);
    f.rate.base.algorithm_true_us = 51.5;
    f.rate.base.skew_ns = 1500;
    f.rate.base.touch_ns = 250;
    row = row_of(&f);
    assert_near(report_row_number(row, REPORT_SOURCES, ""), SOURCES);
    assert_near(report_row_number(row, REPORT_DESTINATIONS, ""), DESTINATIONS);
    assert_near(report_row_number(row, REPORT_PROCESSORS, ""), 1 + SOURCES + DESTINATIONS);
    assert_near(report_row_number(row, REPORT_IN_FLIGHT_LIMIT, ""), 8);
    assert_near(report_row_number(row, REPORT_ALGORITHM_US, ""), 50);
    assert_near(report_row_number(row, REPORT_ALGORITHM_TRUE_US, ""), 51.5);
    assert_near(report_row_number(row, REPORT_SKEW_US, ""), 1.5);
    assert_near(report_row_number(row, REPORT_TOUCH_US, ""), 0.25);
    ck_assert(report_row_flag(row, REPORT_OVERSUBSCRIBED, ""));
    report_row_clear(&f.row);
}
END_TEST

START_TEST(what_did_not_run_is_absent)
{
    farm f;
    const report_row *row;

    make_farm(&f);
    row = row_of(&f);
    assert_absent(report_row_number(row, REPORT_ALGORITHM_TRUE_US, ""));
    assert_absent(report_row_number(row, REPORT_TOUCH_US, ""));
    ck_assert(!report_row_has(row, REPORT_TOPOLOGY));
    ck_assert(!report_row_has(row, REPORT_VERIFY));
    report_row_clear(&f.row);
}
END_TEST

UNIT_MAIN("farm_figures", the_time_of_an_event_is_that_of_a_block_over_its_events,
          the_frequency_of_a_closed_loop_is_the_inverse_of_the_median,
          after_a_loss_the_frequency_is_of_decisions_in_all_of_the_time,
          a_block_that_waits_counts_in_the_frequency,
          a_closed_loop_has_no_offered_rate_and_is_not_saturated,
          a_loop_without_a_whole_block_has_counts_and_a_frequency,
          the_frequency_of_an_open_loop_is_the_rate_of_decisions, one_decision_has_no_frequency,
          a_loop_that_keeps_its_schedule_reports_its_lateness,
          a_late_loop_with_a_growing_backlog_is_saturated, a_loop_that_catches_up_is_not_saturated,
          a_steadily_growing_backlog_is_saturation_even_if_events_are_issued_in_time,
          a_large_but_constant_backlog_is_not_saturation,
          a_single_stall_near_the_end_is_not_saturation,
          two_events_per_destination_are_not_a_backlog,
          decisions_at_the_scheduled_rate_are_not_saturation,
          the_farm_limits_the_rate_where_waiting_for_it_explains_the_delay,
          the_supervisor_limits_the_rate_where_waiting_does_not_explain_the_delay,
          the_row_has_the_result_of_a_search, events_neither_decided_nor_lost_are_in_flight,
          each_destination_has_its_rank_and_its_counts,
          a_destination_without_events_reports_zero_in_flight,
          the_latencies_of_all_destinations_are_merged, a_row_has_the_conditions_of_the_farm,
          what_did_not_run_is_absent)
