/* The formulas of the figures, checked with numbers computed by hand, for all benchmarks but the
 * farms (see test_farm_figures.c). */
#include "engine/figures.h"

#include <math.h>
#include <string.h>

#include "occupation/method.h"
#include "benchmarks/registry.h"
#include "tests/common/unit.h"

enum { BLOCKS = 7, REFERENCES = 8 };

/* A block is 100 steps. */
static const uint64_t block_steps = 100;

typedef struct {
    engine_job job;
    engine_session session;
    bench_options options;
    reference_figure figures[REFERENCES];
    reference_list references;
    bool oversubscribed;
} bench;

static void make_bench(bench *b, const benchmark *definition)
{
    *b = (bench){.options = {.touch = "all", .buffers = "hot", .wait = "auto", .mode = "default"}};
    b->job = (engine_job){.definition = definition, .options = &b->options};
    b->session = (engine_session){.job = &b->job, .effective_wait = TRANSPORT_WAIT_YIELD};
    b->references.figures = b->figures;
}

/* Blocks around a step of `step_us`: three faster, three slower. */
static void fill_blocks(double *blocks_ns, double step_us)
{
    static const double factors[BLOCKS] = {1.02, 1, 0.99, 1.01, 0.97, 1.5, 0.98};

    for (size_t i = 0; i < BLOCKS; i++)
        blocks_ns[i] = factors[i] * step_us * 1e3 * (double)block_steps;
}

static measurement_outcome outcome_of(double *blocks_ns)
{
    return (measurement_outcome){.base = {.touch_ns = 4},
                                 .blocks_ns = blocks_ns,
                                 .block_count = BLOCKS,
                                 .steps = block_steps,
                                 .stopped_by = "precision",
                                 .group_create_ns = -1,
                                 .harness_ns = 12};
}

/* The last row created; the next call replaces it. */
static report_row made;

static report_row *empty_row(void)
{
    report_row_clear(&made);
    return &made;
}

static void fill_row(bench *b, const bench_measurement *measurement, size_t participants,
                     measurement_outcome *outcome)
{
    const measurement_setting setting = {.session = &b->session,
                                         .planned = measurement,
                                         .participants = participants,
                                         .oversubscribed = b->oversubscribed,
                                         .references = &b->references};

    ck_assert_int_eq(figures_fill(&setting, outcome, empty_row()), CB_OK);
}

/* The row of a measurement whose steps took `step_us`. */
static const report_row *row_of_variant(bench *b, bench_measurement measurement, double step_us,
                                        size_t participants)
{
    static double blocks_ns[BLOCKS];
    static stats_histogram steps;
    measurement_outcome outcome = outcome_of(blocks_ns);

    memset(&steps, 0, sizeof(steps));
    stats_histogram_record(&steps, (uint64_t)(1e3 * step_us));
    outcome.histogram = &steps;
    fill_blocks(blocks_ns, step_us);
    fill_row(b, &measurement, participants, &outcome);
    return &made;
}

static const report_row *row_of(bench *b, const char *mode, size_t count, size_t size_bytes,
                                double step_us)
{
    const benchmark *definition = b->session.job->definition;
    bench_measurement measurement = {
        .mode = bench_find_mode(definition, mode), .count = count, .size_bytes = size_bytes};
    size_t participants =
        shape_role_size(definition, 0, count) + shape_role_size(definition, 1, count);

    ck_assert_ptr_nonnull(measurement.mode);
    return row_of_variant(b, measurement, step_us, participants);
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

/* Summaries */

START_TEST(a_latency_is_half_of_a_round_trip)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_oneway);
    row = row_of(&b, "pingpong", 2, 64, 3.0);
    assert_near(report_row_number(row, REPORT_LATENCY_US, "median"), 1.5);
    ck_assert(!report_row_has(row, REPORT_ROUND_US));
    assert_near(report_row_number(row, REPORT_STEP_US, "max"), 1.5);
}
END_TEST

START_TEST(a_figure_is_the_summary_of_its_blocks)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_twoway);
    row = row_of(&b, "exchange", 2, 64, 10.0);
    ck_assert(report_row_has(row, REPORT_ROUND_US));
    assert_near(report_row_number(row, REPORT_ROUND_US, "median"), 10.0);
    assert_near(report_row_number(row, REPORT_ROUND_US, "min"), 9.7);
    assert_near(report_row_number(row, REPORT_ROUND_US, "max"), 15.0);
    ck_assert(!report_row_has(row, REPORT_LATENCY_US));
}
END_TEST

START_TEST(blocks_keep_their_order_and_use_the_unit_of_the_figure)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_oneway);
    row = row_of(&b, "pingpong", 2, 64, 20.0);
    ck_assert_double_eq(report_row_number(row, REPORT_BLOCKS, ""), BLOCKS);
    assert_near(report_row_number(row, REPORT_BLOCKS_US, "0"), 10.2);
    assert_near(report_row_number(row, REPORT_BLOCKS_US, "4"), 9.7);
    assert_near(report_row_number(row, REPORT_BLOCKS_US, "5"), 15.0);
    assert_near(report_row_number(row, REPORT_STEPS, ""), 700);
}
END_TEST

/* 1.1 */

START_TEST(ping_pong_throughput_is_one_packet_per_latency)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_oneway);
    row = row_of(&b, "pingpong", 2, 1000, 4.0); /* 1000 bytes in 2 us */
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 500);
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 500000);
    assert_absent(report_row_number(row, REPORT_PER_NODE_MBPS, ""));
    assert_near(report_row_number(row, REPORT_PROCESSORS, ""), 2);
}
END_TEST

START_TEST(stream_throughput_is_one_packet_per_step)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_oneway);
    row = row_of(&b, "stream", 2, 1000, 4.0); /* 1000 bytes in 4 us */
    assert_near(report_row_number(row, REPORT_ROUND_US, "median"), 4);
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 250);
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 250000);
}
END_TEST

START_TEST(empty_packets_have_a_frequency_and_no_throughput)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_oneway);
    row = row_of(&b, "stream", 2, 0, 0.5);
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 0);
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 2e6);
}
END_TEST

/* 1.2 */

START_TEST(exchange_throughput_is_one_packet_in_each_direction)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_twoway);
    row = row_of(&b, "exchange", 2, 1000, 4.0); /* 2000 bytes in 4 us, half of them to each */
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 500);
    assert_near(report_row_number(row, REPORT_PER_NODE_MBPS, ""), 250);
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 250000);
}
END_TEST

/* 1.3 */

START_TEST(the_time_of_comms1_is_half_of_a_round_trip)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_comms1);
    row = row_of(&b, "pingpong", 2, 1000, 20.0);
    assert_near(report_row_number(row, REPORT_LATENCY_US, "median"), 10);
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 100);
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 1e5);
}
END_TEST

START_TEST(the_time_of_comms2_is_a_quarter_of_an_exchange)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_comms2);
    row = row_of(&b, "exchange", 2, 1000, 20.0);
    assert_near(report_row_number(row, REPORT_LATENCY_US, "median"), 5);
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 200);
    assert_near(report_row_number(row, REPORT_PER_NODE_MBPS, ""), 100);
}
END_TEST

/* 5 x 4 messages of 1000 bytes in 40 us. */
START_TEST(comms3_counts_one_message_for_each_ordered_pair)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_comms3);
    row = row_of(&b, "saturate", 5, 1000, 40.0);
    assert_near(report_row_number(row, REPORT_ROUND_US, "median"), 40);
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 500);
    assert_near(report_row_number(row, REPORT_PER_NODE_MBPS, ""), 100);
    assert_absent(report_row_number(row, REPORT_CONGESTION_RATIO, ""));
}
END_TEST

START_TEST(all_to_all_counts_one_packet_for_each_ordered_pair)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_alltoall);
    row = row_of(&b, "round", 4, 1000, 6.0); /* 12 packets in 6 us */
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 2000);
    assert_near(report_row_number(row, REPORT_PER_NODE_MBPS, ""), 500);
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 1e6 / 6);
    assert_near(report_row_number(row, REPORT_PROCESSORS, ""), 4);
}
END_TEST

START_TEST(congestion_is_the_packet_time_over_that_of_two_nodes)
{
    bench b;

    make_bench(&b, &cb_alltoall);
    assert_near(report_row_number(row_of(&b, "round", 2, 64, 2.0), REPORT_CONGESTION_RATIO, ""), 1);
    /* 9 us for 3 packets of a node: 3 us against 2 */
    assert_near(report_row_number(row_of(&b, "round", 4, 64, 9.0), REPORT_CONGESTION_RATIO, ""),
                1.5);
    assert_near(report_row_number(row_of(&b, "round", 16, 64, 15.0), REPORT_CONGESTION_RATIO, ""),
                0.5);
}
END_TEST

START_TEST(a_ratio_refers_to_the_same_size)
{
    bench b;

    make_bench(&b, &cb_alltoall);
    row_of(&b, "round", 2, 64, 2.0);
    row_of(&b, "round", 2, 1024, 4.0);
    assert_near(report_row_number(row_of(&b, "round", 4, 64, 12.0), REPORT_CONGESTION_RATIO, ""),
                2);
    assert_near(report_row_number(row_of(&b, "round", 4, 1024, 12.0), REPORT_CONGESTION_RATIO, ""),
                1);
}
END_TEST

START_TEST(without_a_reference_there_is_no_ratio)
{
    bench b;

    make_bench(&b, &cb_alltoall);
    row_of(&b, "round", 2, 64, 2.0);
    assert_absent(
        report_row_number(row_of(&b, "round", 4, 256, 12.0), REPORT_CONGESTION_RATIO, ""));
}
END_TEST

/* 1.4 */

START_TEST(the_rate_of_pairs_counts_the_packets_of_all_pairs)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_pairs);
    row = row_of(&b, "stream", 6, 1000, 4.0); /* 3 packets in 4 us */
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 750);
    assert_near(report_row_number(row, REPORT_PER_NODE_MBPS, ""), 250);
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 750000);
    assert_near(report_row_number(row, REPORT_PROCESSORS, ""), 6);
}
END_TEST

START_TEST(efficiency_is_the_rate_per_pair_over_that_of_a_single_pair)
{
    bench b;

    make_bench(&b, &cb_pairs);
    assert_near(report_row_number(row_of(&b, "stream", 2, 64, 2.0), REPORT_SCALING_EFFICIENCY, ""),
                1);
    assert_near(report_row_number(row_of(&b, "stream", 4, 64, 2.5), REPORT_SCALING_EFFICIENCY, ""),
                0.8);
    assert_near(report_row_number(row_of(&b, "stream", 8, 64, 8.0), REPORT_SCALING_EFFICIENCY, ""),
                0.25);
}
END_TEST

/* 1.5 */

START_TEST(outfarming_counts_rounds)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_outfarm);
    row = row_of(&b, "stream", 4, 1000, 8.0); /* 4 packets in 8 us */
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 500);
    assert_near(report_row_number(row, REPORT_PER_NODE_MBPS, ""), 125);
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 125000);
    assert_near(report_row_number(row, REPORT_DESTINATIONS, ""), 4);
    assert_near(report_row_number(row, REPORT_PROCESSORS, ""), 5);
    assert_absent(report_row_number(row, REPORT_SOURCES, ""));
    assert_near(report_row_number(row_of(&b, "round", 4, 1000, 10.0), REPORT_THROUGHPUT_MBPS, ""),
                400);
}
END_TEST

/* 1.6 */

static const report_row *row_of_list(bench *b, bench_list list, bool own, size_t participants)
{
    bench_measurement measurement = {.mode = bench_find_mode(b->session.job->definition, "stream"),
                                     .count = 4,
                                     .size_bytes = 1000,
                                     .list = list,
                                     .own_multicast = own};

    return row_of_variant(b, measurement, 8.0, participants);
}

START_TEST(the_rate_of_a_multicast_counts_packets_of_all_destinations)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_multicast);
    row = row_of_list(&b, BENCH_FIXED, true, 5);
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 500);
    assert_near(report_row_number(row, REPORT_PER_NODE_MBPS, ""), 125);
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 125000);
    assert_near(report_row_number(row, REPORT_DESTINATIONS, ""), 4);
    ck_assert_str_eq(report_row_text(row, REPORT_LIST, ""), "fixed");
    ck_assert_str_eq(report_row_text(row, REPORT_MULTICAST, ""), "technology");
}
END_TEST

START_TEST(the_destinations_of_a_changing_list_share_the_packets)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_multicast);
    row = row_of_list(&b, BENCH_ROTATE, false, 11); /* 4 of 10 each time */
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 500);
    assert_near(report_row_number(row, REPORT_PER_NODE_MBPS, ""), 50);
    assert_near(report_row_number(row, REPORT_DESTINATIONS, ""), 4);
    assert_near(report_row_number(row, REPORT_PROCESSORS, ""), 11);
    ck_assert_str_eq(report_row_text(row, REPORT_LIST, ""), "rotate");
    ck_assert_str_eq(report_row_text(row, REPORT_MULTICAST, ""), "loop");
}
END_TEST

START_TEST(only_variants_with_lists_report_a_list)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_outfarm);
    row = row_of(&b, "stream", 4, 64, 1.0);
    ck_assert(!report_row_has(row, REPORT_LIST));
    ck_assert(!report_row_has(row, REPORT_MULTICAST));
}
END_TEST

/* 1.7 */

START_TEST(a_funnel_counts_events)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_funnel);
    row = row_of(&b, "event", 4, 1000, 8.0); /* 4 packets in 8 us */
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 500);
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 125000);
    assert_near(report_row_number(row, REPORT_SOURCES, ""), 4);
    assert_near(report_row_number(row, REPORT_PROCESSORS, ""), 5);
    assert_absent(report_row_number(row, REPORT_DESTINATIONS, ""));
    assert_absent(report_row_number(row, REPORT_PER_NODE_MBPS, ""));
}
END_TEST

START_TEST(a_shortfall_is_from_the_rate_of_one_source)
{
    bench b;

    make_bench(&b, &cb_funnel);
    ck_assert_double_eq(
        report_row_number(row_of(&b, "event", 1, 64, 2.0), REPORT_SHORTFALL_PCT, ""), 0);
    /* 4 packets in 10 us: 0.4 a us against 0.5 */
    assert_near(report_row_number(row_of(&b, "event", 4, 64, 10.0), REPORT_SHORTFALL_PCT, ""), 20);
    assert_near(report_row_number(row_of(&b, "event", 4, 64, 4.0), REPORT_SHORTFALL_PCT, ""), -100);
}
END_TEST

START_TEST(each_mode_has_its_own_reference)
{
    bench b;

    make_bench(&b, &cb_funnel);
    row_of(&b, "event", 1, 64, 2.0);
    row_of(&b, "free", 1, 64, 1.0);
    assert_near(report_row_number(row_of(&b, "event", 2, 64, 8.0), REPORT_SHORTFALL_PCT, ""), 50);
    assert_near(report_row_number(row_of(&b, "free", 2, 64, 8.0), REPORT_SHORTFALL_PCT, ""), 75);
}
END_TEST

/* 2.3 */

START_TEST(a_pipeline_counts_events_and_the_packets_of_its_last_stage)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_pipeline);
    row = row_of(&b, "event", 3, 1000, 4.0); /* 3 packets in 4 us */
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 250000);
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 750);
    assert_absent(report_row_number(row, REPORT_PER_NODE_MBPS, ""));
    assert_absent(report_row_number(row, REPORT_SOURCES, ""));
}
END_TEST

/* Other members of a row */

START_TEST(the_harness_cost_of_a_ping_pong_is_that_of_one_side)
{
    bench b;

    make_bench(&b, &cb_oneway);
    assert_near(report_row_number(row_of(&b, "pingpong", 2, 64, 3.0), REPORT_HARNESS_US, ""),
                0.012);
    assert_near(report_row_number(row_of(&b, "stream", 2, 64, 3.0), REPORT_HARNESS_US, ""), 0.012);
}
END_TEST

static const report_row *row_of_outcome(bench *b, measurement_outcome *outcome)
{
    bench_measurement measurement = {.mode = &b->session.job->definition->modes[0], .count = 2};

    fill_row(b, &measurement, 2, outcome);
    return &made;
}

START_TEST(what_was_not_measured_is_absent)
{
    double blocks_ns[BLOCKS];
    measurement_outcome outcome = outcome_of(blocks_ns);
    const report_row *row;
    bench b;

    make_bench(&b, &cb_oneway);
    fill_blocks(blocks_ns, 1);
    outcome.base.touch_ns = outcome.harness_ns = outcome.group_create_ns = -1;
    row = row_of_outcome(&b, &outcome);
    assert_absent(report_row_number(row, REPORT_TOUCH_US, ""));
    assert_absent(report_row_number(row, REPORT_HARNESS_US, ""));
    assert_absent(report_row_number(row, REPORT_GROUP_CREATE_US, ""));
    assert_absent(report_row_number(row, REPORT_SHORTFALL_PCT, ""));
    assert_absent(report_row_number(row, REPORT_CONGESTION_RATIO, ""));
    assert_absent(report_row_number(row, REPORT_SCALING_EFFICIENCY, ""));
    ck_assert(!report_row_has(row, REPORT_VERIFY));
}
END_TEST

START_TEST(times_are_reported_in_microseconds)
{
    double blocks_ns[BLOCKS];
    measurement_outcome outcome = outcome_of(blocks_ns);
    const report_row *row;
    bench b;

    make_bench(&b, &cb_oneway);
    fill_blocks(blocks_ns, 1);
    outcome.base.touch_ns = 250;
    outcome.base.skew_ns = 1500;
    outcome.group_create_ns = 51000;
    row = row_of_outcome(&b, &outcome);
    assert_near(report_row_number(row, REPORT_TOUCH_US, ""), 0.25);
    assert_near(report_row_number(row, REPORT_SKEW_US, ""), 1.5);
    assert_near(report_row_number(row, REPORT_GROUP_CREATE_US, ""), 51);
}
END_TEST

/* Half round trips of 0.5 us in the median of the blocks; the longest single step takes
 * `longest_ns`. */
static bool is_marked_with_steps(uint64_t longest_ns)
{
    double blocks_ns[BLOCKS];
    measurement_outcome outcome = outcome_of(blocks_ns);
    stats_histogram steps = {.samples = 0};
    bench b;

    make_bench(&b, &cb_oneway);
    fill_blocks(blocks_ns, 1);
    stats_histogram_record(&steps, 800);
    stats_histogram_record(&steps, longest_ns);
    outcome.histogram = &steps;
    return report_row_has(row_of_outcome(&b, &outcome), REPORT_STEPS_BELOW_MEDIAN);
}

START_TEST(single_steps_that_are_all_below_the_median_are_marked)
{
    ck_assert(is_marked_with_steps(999));
    ck_assert(!is_marked_with_steps(1000));
    ck_assert(!is_marked_with_steps(5000));
}
END_TEST

START_TEST(a_split_message_is_marked)
{
    transport_factory technology = {.piece_bytes = 64};
    bench b;

    make_bench(&b, &cb_oneway);
    b.session.technology = &technology;
    ck_assert(!report_row_has(row_of(&b, "pingpong", 2, 64, 1), REPORT_PIECE_BYTES));
    ck_assert_double_eq(report_row_number(row_of(&b, "pingpong", 2, 65, 1), REPORT_PIECE_BYTES, ""),
                        64);
    technology.piece_bytes = 0;
    ck_assert(!report_row_has(row_of(&b, "pingpong", 2, 65, 1), REPORT_PIECE_BYTES));
}
END_TEST

START_TEST(a_row_has_the_conditions_of_the_run)
{
    double blocks_ns[BLOCKS];
    measurement_outcome outcome = outcome_of(blocks_ns);
    const report_row *row;
    bench b;

    make_bench(&b, &cb_oneway);
    fill_blocks(blocks_ns, 1);
    b.oversubscribed = true;
    row = row_of_outcome(&b, &outcome);
    ck_assert(report_row_flag(row, REPORT_OVERSUBSCRIBED, ""));
    ck_assert_str_eq(report_row_text(row, REPORT_MODE, ""), "pingpong");
    ck_assert_str_eq(report_row_text(row, REPORT_OCCUPATION, ""), "none");
    ck_assert_str_eq(report_row_text(row, REPORT_TOUCH, ""), "all");
    ck_assert_str_eq(report_row_text(row, REPORT_BUFFERS, ""), "hot");
    ck_assert_str_eq(report_row_text(row, REPORT_WAIT, "requested"), "auto");
    ck_assert_str_eq(report_row_text(row, REPORT_WAIT, "effective"), "yield");
    ck_assert_str_eq(report_row_text(row, REPORT_STOPPED_BY, ""), "precision");
}
END_TEST

/* What was delivered, in the time that passed */

/* Blocks of 100 steps: six of 4 us a step, and one of `waiting_us`. */
static const report_row *row_of_delivery(bench *b, const char *mode, size_t count,
                                         double waiting_us, delivery_counts delivery)
{
    static double blocks_ns[BLOCKS];
    measurement_outcome outcome = outcome_of(blocks_ns);
    const bench_measurement measurement = {.mode =
                                               bench_find_mode(b->session.job->definition, mode),
                                           .count = count,
                                           .size_bytes = 1000};

    for (size_t i = 0; i < BLOCKS; i++)
        blocks_ns[i] = 1e3 * (double)block_steps * (i == 3 ? waiting_us : 4);
    outcome.base.delivery = delivery;
    fill_row(b, &measurement, count, &outcome);
    return &made;
}

static bool rates_are_from_totals(const report_row *row)
{
    const char *from = report_row_text(row, REPORT_RATES_FROM, "");

    ck_assert(from == NULL || strcmp(from, "totals") == 0);
    return from != NULL;
}

static const delivery_counts none_lost = {0};

START_TEST(a_wait_counts_in_the_rates_and_not_in_the_time)
{
    const report_row *row;
    bench b;

    make_bench(&b, &cb_oneway);
    row = row_of_delivery(&b, "stream", 2, 32, none_lost); /* 700 packets in 5.6 ms */
    ck_assert(rates_are_from_totals(row));
    assert_near(report_row_number(row, REPORT_ROUND_US, "median"), 4);
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 125000);
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 125);
}
END_TEST

START_TEST(without_losses_and_waits_rates_are_of_the_median_block)
{
    const report_row *row;
    bench b;

    make_bench(&b, &cb_oneway);
    row = row_of_delivery(&b, "stream", 2, 10.9, none_lost); /* the mean is below 1.25 medians */
    ck_assert(!rates_are_from_totals(row));
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 250000);
}
END_TEST

START_TEST(lost_packets_are_not_in_the_rates)
{
    const report_row *row;
    bench b;

    make_bench(&b, &cb_oneway);
    row = row_of_delivery(&b, "stream", 2, 4, (delivery_counts){.arrived = 60, .lost = 40});
    ck_assert(rates_are_from_totals(row));
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 150000);
    assert_near(report_row_number(row, REPORT_THROUGHPUT_MBPS, ""), 150);
    row = row_of_delivery(&b, "pingpong", 2, 4, (delivery_counts){.arrived = 60, .lost = 40});
    assert_near(report_row_number(row, REPORT_LATENCY_US, "median"), 2);
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 300000);
}
END_TEST

START_TEST(after_a_lost_acknowledgement_rates_are_from_totals)
{
    const report_row *row;
    bench b;

    make_bench(&b, &cb_oneway);
    row = row_of_delivery(&b, "stream", 2, 6.8, (delivery_counts){.unacknowledged = 1});
    ck_assert(rates_are_from_totals(row));
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 1e6 / 4.4);
}
END_TEST

START_TEST(what_the_technology_sent_again_makes_rates_from_totals)
{
    static const cb_counter rows[] = {{.key = "sent"}, {.key = "again", .is_marked = true}};
    static const cb_counter_set set = {.group = "packets", .rows = rows, .count = 2};
    double blocks_ns[BLOCKS];
    measurement_outcome outcome = outcome_of(blocks_ns);
    bench b;

    make_bench(&b, &cb_oneway);
    outcome.base.counters = (cb_counts){.set = &set, .values = {7, 0}};
    fill_blocks(blocks_ns, 1);
    ck_assert(!rates_are_from_totals(row_of_outcome(&b, &outcome)));
    outcome.base.counters.values[1] = CB_COUNTER_ABSENT;
    fill_blocks(blocks_ns, 1);
    ck_assert(!rates_are_from_totals(row_of_outcome(&b, &outcome)));
    outcome.base.counters.values[1] = 1;
    fill_blocks(blocks_ns, 1);
    ck_assert(rates_are_from_totals(row_of_outcome(&b, &outcome)));
}
END_TEST

START_TEST(ratios_follow_the_rates)
{
    bench b;

    make_bench(&b, &cb_pairs);
    row_of_delivery(&b, "stream", 2, 4, none_lost);
    assert_near(report_row_number(row_of_delivery(&b, "stream", 4, 32, none_lost),
                                  REPORT_SCALING_EFFICIENCY, ""),
                0.5);
    assert_near(report_row_number(row_of_delivery(&b, "stream", 4, 4,
                                                  (delivery_counts){.arrived = 25, .lost = 75}),
                                  REPORT_SCALING_EFFICIENCY, ""),
                0.25);
    make_bench(&b, &cb_alltoall);
    row_of_delivery(&b, "round", 2, 32, none_lost);
    assert_near(report_row_number(row_of_delivery(&b, "round", 3, 4, none_lost),
                                  REPORT_CONGESTION_RATIO, ""),
                0.25);
}
END_TEST

/* An event of which one packet is lost is lost. */
START_TEST(the_frequency_of_event_building_is_of_whole_events)
{
    const bench_scale scale = {.events = 2, .packets = 8, .receivers = 2};

    figures_fill_units(&scale, 1000, 10, 0.9, 0.5, empty_row());
    assert_near(report_row_number(&made, REPORT_FREQUENCY_HZ, ""), 1e5);
    assert_near(report_row_number(&made, REPORT_THROUGHPUT_MBPS, ""), 720);
}
END_TEST

START_TEST(packets_of_which_none_arrived_are_no_measurement)
{
    ck_assert(figures_nothing_arrived(&(delivery_counts){.lost = 3}));
    ck_assert(figures_nothing_arrived(&(delivery_counts){.arrived = 2, .own = 2, .lost = 3}));
    ck_assert(!figures_nothing_arrived(&(delivery_counts){.arrived = 1, .lost = 3}));
    ck_assert(!figures_nothing_arrived(&none_lost));
}
END_TEST

/* With computing tasks */

/* The row of a ping-pong of 3 us a step with computing tasks on both sides; without them it took
 * 2 us. */
static const report_row *row_beside(bench *b, double *blocks_ns)
{
    bench_measurement measurement = {
        .mode = &cb_oneway.modes[0], .count = 2, .occupation = BENCH_OCCUPY_BOTH};
    measurement_outcome outcome = outcome_of(blocks_ns);

    const occupation_result found = {
        .alone_step_ns = 2000,
        .tick_ns = 1e6,
        .sides = {[BENCH_SIDE_SOURCE] = {.ranks = 1,
                                         .alone_work_ns = 20e6,
                                         .alone_ns = 20e6,
                                         .beside_work_ns = 40e6,
                                         .beside_ns = 100e6},
                  [BENCH_SIDE_DESTINATION] = {
                      .ranks = 1, .alone_work_ns = 20e6, .alone_ns = 20e6, .beside_ns = 100e6}}};

    outcome.stopped_by = NULL;
    fill_row(b, &measurement, 2, &outcome);
    occupation_fill_row(&found, 2e3 * report_row_figure(&made, REPORT_LATENCY_US), &made);
    return &made;
}

/* The standard error of the mean is 0.5 us, and t of 6 degrees of freedom 2.446912. */
START_TEST(with_a_background_task_the_mean_is_the_figure)
{
    double blocks_ns[] = {200e3, 200e3, 200e3, 200e3, 200e3, 200e3, 900e3}; /* 100 steps each */
    const report_row *row;
    bench b;

    make_bench(&b, &cb_oneway);
    row = row_beside(&b, blocks_ns); /* 2.1 ms for 700 steps, 3 us each */
    assert_near(report_row_number(row, REPORT_LATENCY_US, "mean"), 1.5);
    assert_near(report_row_number(row, REPORT_LATENCY_US, "median"), 1);
    assert_near(report_row_number(row, REPORT_LATENCY_US, "ci95.0"), 1.5 - 2.4469118511 * 0.5);
    assert_near(report_row_number(row, REPORT_LATENCY_US, "ci95.1"), 1.5 + 2.4469118511 * 0.5);
    assert_near(report_row_number(row, REPORT_LATENCY_US, "min"), 1);
    assert_near(report_row_number(row, REPORT_LATENCY_US, "max"), 4.5);
    assert_near(report_row_number(row, REPORT_FREQUENCY_HZ, ""), 1e6 / 1.5);
    assert_near(report_row_number(row, REPORT_SLOWDOWN_COMMUNICATION, ""), 1.5);
    ck_assert_str_eq(report_row_text(row, REPORT_OCCUPATION, ""), "both");
    ck_assert(!report_row_has(row, REPORT_STOPPED_BY));
}
END_TEST

START_TEST(with_a_background_task_each_side_has_its_figures)
{
    double blocks_ns[BLOCKS];
    const report_row *row;
    bench b;

    make_bench(&b, &cb_oneway);
    fill_blocks(blocks_ns, 3);
    row = row_beside(&b, blocks_ns);
    assert_near(report_row_number(row, REPORT_COMPUTING_ALONE_PCT, "source"), 100);
    assert_near(report_row_number(row, REPORT_SLOWDOWN_COMPUTING, "source"), 2.5);
    assert_near(report_row_number(row, REPORT_COMPUTING_LEFT_PCT, "source"), 40);
    ck_assert(!report_row_flag(row, REPORT_SLOWDOWN_COMPUTING_AT_LEAST, "source"));
    assert_near(report_row_number(row, REPORT_SLOWDOWN_COMPUTING, "destination"), 100);
    ck_assert(report_row_flag(row, REPORT_SLOWDOWN_COMPUTING_AT_LEAST, "destination"));
    assert_absent(report_row_number(row, REPORT_SLOWDOWN_COMPUTING, "node"));
    assert_absent(report_row_number(row, REPORT_COMPUTING_ALONE_PCT, "node"));
}
END_TEST

START_TEST(without_a_background_task_its_columns_are_absent)
{
    bench b;
    const report_row *row;

    make_bench(&b, &cb_oneway);
    row = row_of(&b, "pingpong", 2, 64, 3.0);
    assert_absent(report_row_number(row, REPORT_SLOWDOWN_COMMUNICATION, ""));
    assert_absent(report_row_number(row, REPORT_SLOWDOWN_COMPUTING, "source"));
    assert_absent(report_row_number(row, REPORT_COMPUTING_ALONE_PCT, "source"));
}
END_TEST

/* A mistyped formula has no value. */
START_TEST(every_formula_of_the_definitions_has_a_value)
{
    for (const benchmark *const *one = benchmarks_registry; *one != NULL; one++) {
        const benchmark *definition = *one;

        for (const bench_mode *mode = definition->modes; mode->name != NULL; mode++) {
            ck_assert(mode->packets != NULL || definition->units != NULL);
            if (mode->packets != NULL)
                ck_assert_uint_ge(bench_packets_of(mode->packets, 4), 1);
        }
        if (definition->ratio.reference > 0)
            ck_assert(isfinite(bench_ratio_of(&definition->ratio, 4, 5, 2)));
    }
}
END_TEST

START_TEST(packets_are_those_that_all_destinations_receive_in_a_step)
{
    const struct {
        const benchmark *definition;
        const char *mode;
        size_t count, packets;
    } cases[] = {{&cb_oneway, "pingpong", 2, 1},  {&cb_twoway, "exchange", 2, 2},
                 {&cb_outfarm, "stream", 5, 5},   {&cb_pairs, "stream", 6, 3},
                 {&cb_alltoall, "round", 5, 20},  {&cb_ring, "allreduce", 2, 2},
                 {&cb_ring, "allreduce", 4, 8},   {&cb_ring, "allreduce", 5, 15},
                 {&cb_ring, "allreduce", 16, 64}, {&cb_ring, "allreduce", 17, 85}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const bench_mode *mode = bench_find_mode(cases[i].definition, cases[i].mode);

        ck_assert_uint_eq(bench_packets_of(mode->packets, cases[i].count), cases[i].packets);
    }
}
END_TEST

UNIT_MAIN(
    "figures", a_latency_is_half_of_a_round_trip, a_figure_is_the_summary_of_its_blocks,
    blocks_keep_their_order_and_use_the_unit_of_the_figure,
    ping_pong_throughput_is_one_packet_per_latency, stream_throughput_is_one_packet_per_step,
    empty_packets_have_a_frequency_and_no_throughput,
    exchange_throughput_is_one_packet_in_each_direction, the_time_of_comms1_is_half_of_a_round_trip,
    the_time_of_comms2_is_a_quarter_of_an_exchange, comms3_counts_one_message_for_each_ordered_pair,
    all_to_all_counts_one_packet_for_each_ordered_pair,
    congestion_is_the_packet_time_over_that_of_two_nodes, a_ratio_refers_to_the_same_size,
    without_a_reference_there_is_no_ratio, the_rate_of_pairs_counts_the_packets_of_all_pairs,
    efficiency_is_the_rate_per_pair_over_that_of_a_single_pair, outfarming_counts_rounds,
    the_rate_of_a_multicast_counts_packets_of_all_destinations,
    the_destinations_of_a_changing_list_share_the_packets, only_variants_with_lists_report_a_list,
    a_funnel_counts_events, a_shortfall_is_from_the_rate_of_one_source,
    each_mode_has_its_own_reference, a_pipeline_counts_events_and_the_packets_of_its_last_stage,
    the_harness_cost_of_a_ping_pong_is_that_of_one_side, what_was_not_measured_is_absent,
    times_are_reported_in_microseconds, single_steps_that_are_all_below_the_median_are_marked,
    a_row_has_the_conditions_of_the_run, a_split_message_is_marked,
    a_wait_counts_in_the_rates_and_not_in_the_time,
    without_losses_and_waits_rates_are_of_the_median_block, lost_packets_are_not_in_the_rates,
    after_a_lost_acknowledgement_rates_are_from_totals,
    what_the_technology_sent_again_makes_rates_from_totals, ratios_follow_the_rates,
    the_frequency_of_event_building_is_of_whole_events,
    packets_of_which_none_arrived_are_no_measurement, with_a_background_task_the_mean_is_the_figure,
    with_a_background_task_each_side_has_its_figures,
    without_a_background_task_its_columns_are_absent, every_formula_of_the_definitions_has_a_value,
    packets_are_those_that_all_destinations_receive_in_a_step)
