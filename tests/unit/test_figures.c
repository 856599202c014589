/* The formulas of the figures, with numbers worked out by hand, for the definitions of the
 * programs; those of the farms are in test_farm_figures.c. */
#include "engine/session.h"

#include <string.h>

#include "benchmarks/registry.h"
#include "tests/unit/unit.h"

enum { BLOCKS = 7, REFERENCES = 8 };

/* A block is 100 steps. */
static const uint64_t block_steps = 100;

typedef struct {
    bench_session session;
    bench_options options;
    bench_reference references[REFERENCES];
} bench;

static void make_bench(bench *b, const benchmark *definition)
{
    *b = (bench){.options = {.touch = "all", .buffers = "hot", .wait = "auto", .mode = "default"}};
    b->session = (bench_session){.definition = definition,
                                 .options = &b->options,
                                 .effective_wait = TRANSPORT_WAIT_YIELD,
                                 .references = b->references};
}

/* Blocks around a step of `step_us`: three faster, three slower. */
static void fill_blocks(double *blocks_ns, double step_us)
{
    static const double factors[BLOCKS] = {1.02, 1, 0.99, 1.01, 0.97, 1.5, 0.98};

    for (size_t i = 0; i < BLOCKS; i++)
        blocks_ns[i] = factors[i] * step_us * 1e3 * (double)block_steps;
}

static bench_outcome outcome_of(double *blocks_ns)
{
    return (bench_outcome){.blocks_ns = blocks_ns,
                           .block_count = BLOCKS,
                           .steps = block_steps,
                           .stopped_by = "precision",
                           .group_create_ns = -1,
                           .harness_ns = 12,
                           .touch_ns = 4};
}

/* The row of a measurement whose steps took `step_us`. */
static report_row row_of_variant(bench *b, bench_measurement measurement, double step_us,
                                 size_t participants)
{
    static double blocks_ns[BLOCKS];
    bench_outcome outcome = outcome_of(blocks_ns);
    report_row row = report_row_initial();

    fill_blocks(blocks_ns, step_us);
    ck_assert_int_eq(bench_figures(&b->session, &measurement, participants, &outcome, &row), CB_OK);
    return row;
}

static report_row row_of(bench *b, const char *mode, size_t count, size_t size_bytes,
                         double step_us)
{
    const benchmark *definition = b->session.definition;
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
    report_row row;

    make_bench(&b, &cb_oneway);
    row = row_of(&b, "pingpong", 2, 64, 3.0);
    assert_near(row.latency_us.median, 1.5);
    ck_assert_uint_eq(row.round_us.count, 0);
    assert_near(row.step_divisor, 2);
}
END_TEST

START_TEST(a_summary_is_that_of_the_blocks)
{
    bench b;
    report_row row;

    make_bench(&b, &cb_twoway);
    row = row_of(&b, "exchange", 2, 64, 10.0);
    ck_assert_uint_eq(row.round_us.count, BLOCKS);
    assert_near(row.round_us.median, 10.0);
    assert_near(row.round_us.minimum, 9.7);
    assert_near(row.round_us.maximum, 15.0);
    ck_assert_uint_eq(row.latency_us.count, 0);
}
END_TEST

START_TEST(blocks_keep_their_order_and_have_the_unit_of_the_figure)
{
    bench b;
    report_row row;

    make_bench(&b, &cb_oneway);
    row = row_of(&b, "pingpong", 2, 64, 20.0);
    ck_assert_uint_eq(row.block_count, BLOCKS);
    assert_near(row.blocks_us[0], 10.2);
    assert_near(row.blocks_us[4], 9.7);
    assert_near(row.blocks_us[5], 15.0);
    assert_near(row.step_count, 700);
}
END_TEST

/* 1.1 */

START_TEST(a_ping_pong_carries_one_packet_in_a_latency)
{
    bench b;
    report_row row;

    make_bench(&b, &cb_oneway);
    row = row_of(&b, "pingpong", 2, 1000, 4.0); /* 1000 bytes in 2 us */
    assert_near(row.throughput_MBps, 500);
    assert_near(row.frequency_Hz, 500000);
    assert_absent(row.per_node_MBps);
    assert_near(row.processors, 2);
}
END_TEST

START_TEST(a_stream_carries_one_packet_in_a_step)
{
    bench b;
    report_row row;

    make_bench(&b, &cb_oneway);
    row = row_of(&b, "stream", 2, 1000, 4.0); /* 1000 bytes in 4 us */
    assert_near(row.round_us.median, 4);
    assert_near(row.throughput_MBps, 250);
    assert_near(row.frequency_Hz, 250000);
}
END_TEST

START_TEST(empty_packets_have_a_frequency_and_no_throughput)
{
    bench b;
    report_row row;

    make_bench(&b, &cb_oneway);
    row = row_of(&b, "stream", 2, 0, 0.5);
    assert_near(row.throughput_MBps, 0);
    assert_near(row.frequency_Hz, 2e6);
}
END_TEST

/* 1.2 */

START_TEST(an_exchange_carries_a_packet_each_way)
{
    bench b;
    report_row row;

    make_bench(&b, &cb_twoway);
    row = row_of(&b, "exchange", 2, 1000, 4.0); /* 2000 bytes in 4 us, half of them to each */
    assert_near(row.throughput_MBps, 500);
    assert_near(row.per_node_MBps, 250);
    assert_near(row.frequency_Hz, 250000);
}
END_TEST

/* 1.3 */

START_TEST(a_message_of_comms1_takes_half_of_a_round_trip)
{
    bench b;
    report_row row;

    make_bench(&b, &cb_comms1);
    row = row_of(&b, "pingpong", 2, 1000, 20.0);
    assert_near(row.latency_us.median, 10);
    assert_near(row.throughput_MBps, 100);
    assert_near(row.frequency_Hz, 1e5);
}
END_TEST

START_TEST(a_message_of_comms2_takes_a_quarter_of_an_exchange)
{
    bench b;
    report_row row;

    make_bench(&b, &cb_comms2);
    row = row_of(&b, "exchange", 2, 1000, 20.0);
    assert_near(row.latency_us.median, 5);
    assert_near(row.throughput_MBps, 200);
    assert_near(row.per_node_MBps, 100);
}
END_TEST

/* 5 x 4 messages of 1000 bytes in 40 us. */
START_TEST(comms3_carries_a_message_for_each_ordered_pair)
{
    bench b;
    report_row row;

    make_bench(&b, &cb_comms3);
    row = row_of(&b, "saturate", 5, 1000, 40.0);
    assert_near(row.round_us.median, 40);
    assert_near(row.throughput_MBps, 500);
    assert_near(row.per_node_MBps, 100);
    assert_absent(row.congestion_ratio);
}
END_TEST

START_TEST(a_round_of_all_to_all_carries_a_packet_for_each_ordered_pair)
{
    bench b;
    report_row row;

    make_bench(&b, &cb_alltoall);
    row = row_of(&b, "round", 4, 1000, 6.0); /* 12 packets in 6 us */
    assert_near(row.throughput_MBps, 2000);
    assert_near(row.per_node_MBps, 500);
    assert_near(row.frequency_Hz, 1e6 / 6);
    assert_near(row.processors, 4);
}
END_TEST

START_TEST(congestion_is_the_time_of_a_packet_against_two_nodes)
{
    bench b;

    make_bench(&b, &cb_alltoall);
    assert_near(row_of(&b, "round", 2, 64, 2.0).congestion_ratio, 1);
    /* 9 us for 3 packets of a node: 3 us against 2 */
    assert_near(row_of(&b, "round", 4, 64, 9.0).congestion_ratio, 1.5);
    assert_near(row_of(&b, "round", 16, 64, 15.0).congestion_ratio, 0.5);
}
END_TEST

START_TEST(a_ratio_refers_to_the_same_size)
{
    bench b;

    make_bench(&b, &cb_alltoall);
    row_of(&b, "round", 2, 64, 2.0);
    row_of(&b, "round", 2, 1024, 4.0);
    assert_near(row_of(&b, "round", 4, 64, 12.0).congestion_ratio, 2);
    assert_near(row_of(&b, "round", 4, 1024, 12.0).congestion_ratio, 1);
}
END_TEST

START_TEST(without_a_reference_there_is_no_ratio)
{
    bench b;

    make_bench(&b, &cb_alltoall);
    row_of(&b, "round", 2, 64, 2.0);
    assert_absent(row_of(&b, "round", 4, 256, 12.0).congestion_ratio);
}
END_TEST

/* 1.4 */

START_TEST(pairs_count_the_packets_of_all_pairs)
{
    bench b;
    report_row row;

    make_bench(&b, &cb_pairs);
    row = row_of(&b, "stream", 6, 1000, 4.0); /* 3 packets in 4 us */
    assert_near(row.throughput_MBps, 750);
    assert_near(row.per_node_MBps, 250);
    assert_near(row.frequency_Hz, 750000);
    assert_near(row.processors, 6);
}
END_TEST

START_TEST(efficiency_is_the_rate_of_a_pair_against_one_alone)
{
    bench b;

    make_bench(&b, &cb_pairs);
    assert_near(row_of(&b, "stream", 2, 64, 2.0).scaling_efficiency, 1);
    assert_near(row_of(&b, "stream", 4, 64, 2.5).scaling_efficiency, 0.8);
    assert_near(row_of(&b, "stream", 8, 64, 8.0).scaling_efficiency, 0.25);
}
END_TEST

/* 1.5 */

START_TEST(outfarming_counts_rounds)
{
    bench b;
    report_row row;

    make_bench(&b, &cb_outfarm);
    row = row_of(&b, "stream", 4, 1000, 8.0); /* 4 packets in 8 us */
    assert_near(row.throughput_MBps, 500);
    assert_near(row.per_node_MBps, 125);
    assert_near(row.frequency_Hz, 125000);
    assert_near(row.destinations, 4);
    assert_near(row.processors, 5);
    assert_absent(row.sources);
    assert_near(row_of(&b, "round", 4, 1000, 10.0).throughput_MBps, 400);
}
END_TEST

/* 1.6 */

static report_row row_of_list(bench *b, bench_list list, bool own, size_t participants)
{
    bench_measurement measurement = {.mode = bench_find_mode(b->session.definition, "stream"),
                                     .count = 4,
                                     .size_bytes = 1000,
                                     .list = list,
                                     .own_multicast = own};

    return row_of_variant(b, measurement, 8.0, participants);
}

START_TEST(a_multicast_counts_what_all_destinations_get)
{
    bench b;
    report_row row;

    make_bench(&b, &cb_multicast);
    row = row_of_list(&b, BENCH_FIXED, true, 5);
    assert_near(row.throughput_MBps, 500);
    assert_near(row.per_node_MBps, 125);
    assert_near(row.frequency_Hz, 125000);
    assert_near(row.destinations, 4);
    ck_assert_str_eq(row.list, "fixed");
    ck_assert_str_eq(row.multicast, "technology");
}
END_TEST

START_TEST(destinations_of_a_changing_list_share_what_arrives)
{
    bench b;
    report_row row;

    make_bench(&b, &cb_multicast);
    row = row_of_list(&b, BENCH_ROTATE, false, 11); /* 4 of 10 each time */
    assert_near(row.throughput_MBps, 500);
    assert_near(row.per_node_MBps, 50);
    assert_near(row.destinations, 4);
    assert_near(row.processors, 11);
    ck_assert_str_eq(row.list, "rotate");
    ck_assert_str_eq(row.multicast, "loop");
}
END_TEST

START_TEST(only_lists_have_a_list)
{
    bench b;
    report_row row;

    make_bench(&b, &cb_outfarm);
    row = row_of(&b, "stream", 4, 64, 1.0);
    ck_assert_ptr_null(row.list);
    ck_assert_ptr_null(row.multicast);
}
END_TEST

/* 1.7 */

START_TEST(a_funnel_counts_events)
{
    bench b;
    report_row row;

    make_bench(&b, &cb_funnel);
    row = row_of(&b, "event", 4, 1000, 8.0); /* 4 packets in 8 us */
    assert_near(row.throughput_MBps, 500);
    assert_near(row.frequency_Hz, 125000);
    assert_near(row.sources, 4);
    assert_near(row.processors, 5);
    assert_absent(row.destinations);
    assert_absent(row.per_node_MBps);
}
END_TEST

START_TEST(loss_is_what_lacks_to_the_packet_rate_of_one_source)
{
    bench b;

    make_bench(&b, &cb_funnel);
    ck_assert_double_eq(row_of(&b, "event", 1, 64, 2.0).loss_pct, 0);
    /* 4 packets in 10 us: 0.4 a us against 0.5 */
    assert_near(row_of(&b, "event", 4, 64, 10.0).loss_pct, 20);
    assert_near(row_of(&b, "event", 4, 64, 4.0).loss_pct, -100);
}
END_TEST

START_TEST(modes_have_references_of_their_own)
{
    bench b;

    make_bench(&b, &cb_funnel);
    row_of(&b, "event", 1, 64, 2.0);
    row_of(&b, "free", 1, 64, 1.0);
    assert_near(row_of(&b, "event", 2, 64, 8.0).loss_pct, 50);
    assert_near(row_of(&b, "free", 2, 64, 8.0).loss_pct, 75);
}
END_TEST

/* 2.3 */

START_TEST(a_pipeline_counts_events_and_the_packets_that_its_last_stage_takes)
{
    bench b;
    report_row row;

    make_bench(&b, &cb_pipeline);
    row = row_of(&b, "event", 3, 1000, 4.0); /* 3 packets in 4 us */
    assert_near(row.frequency_Hz, 250000);
    assert_near(row.throughput_MBps, 750);
    assert_absent(row.per_node_MBps);
    assert_absent(row.sources);
}
END_TEST

/* What stands beside the figures */

START_TEST(the_harness_of_a_ping_pong_is_one_sides_step)
{
    bench b;

    make_bench(&b, &cb_oneway);
    assert_near(row_of(&b, "pingpong", 2, 64, 3.0).harness_us, 0.012);
    assert_near(row_of(&b, "stream", 2, 64, 3.0).harness_us, 0.012);
}
END_TEST

static report_row row_of_outcome(bench *b, const bench_outcome *outcome)
{
    bench_measurement measurement = {.mode = &b->session.definition->modes[0], .count = 2};
    report_row row = report_row_initial();

    ck_assert_int_eq(bench_figures(&b->session, &measurement, 2, outcome, &row), CB_OK);
    return row;
}

START_TEST(what_was_not_measured_is_absent)
{
    double blocks_ns[BLOCKS];
    bench_outcome outcome = outcome_of(blocks_ns);
    report_row row;
    bench b;

    make_bench(&b, &cb_oneway);
    fill_blocks(blocks_ns, 1);
    outcome.touch_ns = outcome.harness_ns = outcome.group_create_ns = -1;
    row = row_of_outcome(&b, &outcome);
    assert_absent(row.touch_us);
    assert_absent(row.harness_us);
    assert_absent(row.group_create_us);
    assert_absent(row.loss_pct);
    assert_absent(row.congestion_ratio);
    assert_absent(row.scaling_efficiency);
    ck_assert(!row.verification.done);
}
END_TEST

START_TEST(nanoseconds_become_microseconds)
{
    double blocks_ns[BLOCKS];
    bench_outcome outcome = outcome_of(blocks_ns);
    report_row row;
    bench b;

    make_bench(&b, &cb_oneway);
    fill_blocks(blocks_ns, 1);
    outcome.touch_ns = 250;
    outcome.skew_ns = 1500;
    outcome.group_create_ns = 51000;
    row = row_of_outcome(&b, &outcome);
    assert_near(row.touch_us, 0.25);
    assert_near(row.skew_us, 1.5);
    assert_near(row.group_create_us, 51);
}
END_TEST

START_TEST(a_message_that_went_in_pieces_is_marked)
{
    transport_factory technology = {.piece_bytes = 64};
    bench b;

    make_bench(&b, &cb_oneway);
    b.session.technology = &technology;
    ck_assert_uint_eq(row_of(&b, "pingpong", 2, 64, 1).piece_bytes, 0);
    ck_assert_uint_eq(row_of(&b, "pingpong", 2, 65, 1).piece_bytes, 64);
    technology.piece_bytes = 0;
    ck_assert_uint_eq(row_of(&b, "pingpong", 2, 65, 1).piece_bytes, 0);
}
END_TEST

START_TEST(conditions_are_those_of_the_run)
{
    double blocks_ns[BLOCKS];
    bench_outcome outcome = outcome_of(blocks_ns);
    report_row row;
    bench b;

    make_bench(&b, &cb_oneway);
    fill_blocks(blocks_ns, 1);
    outcome.oversubscribed = true;
    row = row_of_outcome(&b, &outcome);
    ck_assert(row.oversubscribed);
    ck_assert_str_eq(row.mode, "pingpong");
    ck_assert_str_eq(row.occupation, "none");
    ck_assert_str_eq(row.touch, "all");
    ck_assert_str_eq(row.buffers, "hot");
    ck_assert_str_eq(row.wait_requested, "auto");
    ck_assert_str_eq(row.wait_effective, "yield");
    ck_assert_str_eq(row.stopped_by, "precision");
}
END_TEST

/* Beside a computing task */

/* The row of a ping-pong of 3 us a step, beside tasks on both sides; without them it took 2 us. */
static report_row row_beside(bench *b, double *blocks_ns)
{
    bench_measurement measurement = {
        .mode = &cb_oneway.modes[0], .count = 2, .occupation = BENCH_OCCUPY_BOTH};
    bench_outcome outcome = outcome_of(blocks_ns);
    report_row row = report_row_initial();

    b->session.tick_ns = 1e6;
    outcome.stopped_by = NULL;
    outcome.alone_step_ns = 2000;
    outcome.sides[REPORT_SOURCE] = (bench_side_work){.ranks = 1,
                                                     .alone_work_ns = 20e6,
                                                     .alone_ns = 20e6,
                                                     .beside_work_ns = 40e6,
                                                     .beside_ns = 100e6};
    outcome.sides[REPORT_DESTINATION] =
        (bench_side_work){.ranks = 1, .alone_work_ns = 20e6, .alone_ns = 20e6, .beside_ns = 100e6};
    ck_assert_int_eq(bench_figures(&b->session, &measurement, 2, &outcome, &row), CB_OK);
    return row;
}

START_TEST(beside_a_task_the_mean_takes_the_place_of_the_median)
{
    double blocks_ns[] = {200e3, 200e3, 200e3, 200e3, 200e3, 200e3, 900e3}; /* 100 steps each */
    report_row row;
    bench b;

    make_bench(&b, &cb_oneway);
    row = row_beside(&b, blocks_ns); /* 2.1 ms for 700 steps, 3 us each */
    assert_near(row.latency_us.median, 1.5);
    assert_near(row.latency_us.minimum, 1);
    assert_near(row.latency_us.maximum, 4.5);
    assert_near(row.frequency_Hz, 1e6 / 1.5);
    assert_near(row.slowdown_communication, 1.5);
    ck_assert_str_eq(row.occupation, "both");
    ck_assert_ptr_null(row.stopped_by);
}
END_TEST

START_TEST(beside_a_task_each_side_has_its_figures)
{
    double blocks_ns[BLOCKS];
    report_row row;
    bench b;

    make_bench(&b, &cb_oneway);
    fill_blocks(blocks_ns, 3);
    row = row_beside(&b, blocks_ns);
    assert_near(row.computing_alone_pct[REPORT_SOURCE], 100);
    assert_near(row.slowdown_computing[REPORT_SOURCE], 2.5);
    assert_near(row.computing_left_pct[REPORT_SOURCE], 40);
    ck_assert(!row.slowdown_computing_at_least[REPORT_SOURCE]);
    assert_near(row.slowdown_computing[REPORT_DESTINATION], 100);
    ck_assert(row.slowdown_computing_at_least[REPORT_DESTINATION]);
    assert_absent(row.slowdown_computing[REPORT_NODE]);
    assert_absent(row.computing_alone_pct[REPORT_NODE]);
}
END_TEST

START_TEST(without_a_task_nothing_is_said_of_it)
{
    bench b;
    report_row row;

    make_bench(&b, &cb_oneway);
    row = row_of(&b, "pingpong", 2, 64, 3.0);
    assert_absent(row.slowdown_communication);
    assert_absent(row.slowdown_computing[REPORT_SOURCE]);
    assert_absent(row.computing_alone_pct[REPORT_SOURCE]);
}
END_TEST

UNIT_MAIN("figures", a_latency_is_half_of_a_round_trip, a_summary_is_that_of_the_blocks,
          blocks_keep_their_order_and_have_the_unit_of_the_figure,
          a_ping_pong_carries_one_packet_in_a_latency, a_stream_carries_one_packet_in_a_step,
          empty_packets_have_a_frequency_and_no_throughput, an_exchange_carries_a_packet_each_way,
          a_message_of_comms1_takes_half_of_a_round_trip,
          a_message_of_comms2_takes_a_quarter_of_an_exchange,
          comms3_carries_a_message_for_each_ordered_pair,
          a_round_of_all_to_all_carries_a_packet_for_each_ordered_pair,
          congestion_is_the_time_of_a_packet_against_two_nodes, a_ratio_refers_to_the_same_size,
          without_a_reference_there_is_no_ratio, pairs_count_the_packets_of_all_pairs,
          efficiency_is_the_rate_of_a_pair_against_one_alone, outfarming_counts_rounds,
          a_multicast_counts_what_all_destinations_get,
          destinations_of_a_changing_list_share_what_arrives, only_lists_have_a_list,
          a_funnel_counts_events, loss_is_what_lacks_to_the_packet_rate_of_one_source,
          modes_have_references_of_their_own,
          a_pipeline_counts_events_and_the_packets_that_its_last_stage_takes,
          the_harness_of_a_ping_pong_is_one_sides_step, what_was_not_measured_is_absent,
          nanoseconds_become_microseconds, conditions_are_those_of_the_run,
          a_message_that_went_in_pieces_is_marked,
          beside_a_task_the_mean_takes_the_place_of_the_median,
          beside_a_task_each_side_has_its_figures, without_a_task_nothing_is_said_of_it)
