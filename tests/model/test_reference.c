/* The evaluator agrees with the reference evaluator on every processor's clock and account, for
 * random workloads and all modes, share rules, eager thresholds and networks. */
#include <math.h>
#include <stdlib.h>

#include "tests/model/networks.h"
#include "tests/model/reference.h"
#include "tests/common/unit.h"

static const double tolerance = 1e-9;

/* One way to evaluate. */
typedef struct {
    ccmod_mode mode;
    ccmod_share share;
    bool plain;
    uint64_t eager_bytes;
} evaluation_way;

static const evaluation_way ways[] = {
    {CCMOD_PAPER, CCMOD_BOTTLENECK, false, 0},   {CCMOD_PAPER, CCMOD_BOTTLENECK, true, 0},
    {CCMOD_PAPER, CCMOD_MAXMIN, false, 0},       {CCMOD_SPLIT, CCMOD_BOTTLENECK, false, 0},
    {CCMOD_SPLIT, CCMOD_BOTTLENECK, true, 0},    {CCMOD_SPLIT, CCMOD_MAXMIN, false, 0},
    {CCMOD_SPLIT, CCMOD_BOTTLENECK, false, 500}, {CCMOD_SPLIT, CCMOD_MAXMIN, false, 500},
};

enum { WAYS = sizeof(ways) / sizeof(ways[0]), SEEDS = 6 };

static void assert_near(double found, double expected, const char *what, const char *network,
                        uint64_t seed, size_t processor)
{
    UNIT_REQUIRE(fabs(found - expected) <= tolerance * fmax(1, expected),
                 "%s of processor %zu is %.15g, not %.15g, on %s with seed %llu", what, processor,
                 found, expected, network, (unsigned long long)seed);
}

static void compare(const record_table *table, const ccmod_network *network,
                    const ccmod_calibration *calibration, const ccmod_parameters *parameters,
                    uint64_t seed)
{
    reference_result expected = reference_evaluate(table, network, calibration, parameters);
    ccmod_workload *workload = records_workload(table);
    ccmod_result *result = NULL;
    ccmod_error error;
    ccmod_status status =
        ccmod_evaluate(workload, network, calibration, parameters, NULL, 0, &result, &error);

    ck_assert(expected.finished);
    ck_assert_msg(status == CCMOD_OK, "%s, seed %llu", error.text, (unsigned long long)seed);
    for (size_t i = 0; i < table->processors; i++) {
        ccmod_processor times = ccmod_result_processor(result, i);
        const ccmod_processor *right = &expected.processors[i];

        assert_near(times.clock_us, right->clock_us, "the clock", network->name, seed, i);
        assert_near(times.send_us, right->send_us, "the sending", network->name, seed, i);
        assert_near(times.receive_us, right->receive_us, "the receiving", network->name, seed, i);
        assert_near(times.wait_us, right->wait_us, "the waiting", network->name, seed, i);
        assert_near(times.compute_us, right->compute_us, "the computing", network->name, seed, i);
    }
    assert_near(result->end_us, expected.end_us, "the end", network->name, seed, 0);
    ccmod_result_free(result);
    ccmod_workload_free(workload);
    free(expected.processors);
}

static void compare_ways(const random_shape *shape, const ccmod_network *network, bool constant,
                         double interval_us)
{
    ccmod_calibration calibration = ccmod_calibration_line(3, 7, 80);

    for (size_t i = 0; i < WAYS * SEEDS; i++) {
        const evaluation_way *way = &ways[i % WAYS];
        ccmod_parameters parameters = ccmod_parameters_default();
        uint64_t seed = 1000 * shape->processors + i;
        record_table table = records_random(shape, seed);

        parameters.mode = way->mode;
        parameters.share = way->share;
        parameters.plain = way->plain;
        parameters.background_interval_us = interval_us;
        parameters.background = constant ? CCMOD_BACKGROUND_CONSTANT : CCMOD_BACKGROUND_NONE;
        parameters.background_load = 0.25;
        calibration.eager_bytes = way->eager_bytes;
        calibration.barrier_us = i % 2 == 0 ? 0 : 4;
        compare(&table, network, &calibration, &parameters, seed);
        records_free(&table);
    }
}

/* Sixty messages per processor for four processors, fewer for more. */
static const random_shape small = {4, 60, 3000, 50, true};
static const random_shape larger = {16, 12, 3000, 50, true};
static const random_shape article = {7, 40, 3000, 50, false};

static void compare_shapes(const ccmod_network *network, bool constant)
{
    compare_ways(&small, network, constant, 40);
    compare_ways(&larger, network, constant, 40);
    compare_ways(&article, network, constant, 40);
}

START_TEST(agrees_on_every_kind_of_network)
{
    for (size_t i = 0; network_text(i) != NULL; i++) {
        ccmod_network *network = NULL;
        ccmod_error error;

        ck_assert_msg(ccmod_network_open(network_text(i), 16, &network, &error) == CCMOD_OK, "%s",
                      error.text);
        compare_shapes(network, false);
        ccmod_network_free(network);
    }
}
END_TEST

START_TEST(agrees_where_bottlenecks_change)
{
    ccmod_network *network = network_tangle(16, false, false);

    compare_shapes(network, false);
    ccmod_network_free(network);
}
END_TEST

START_TEST(agrees_with_links_of_different_widths)
{
    ccmod_network *network = network_tangle(16, true, false);

    compare_shapes(network, false);
    ccmod_network_free(network);
}
END_TEST

START_TEST(agrees_where_ends_are_shared)
{
    ccmod_calibration ends = {
        .out_contention = 1.7, .in_contention = 1.2, .duplex_contention = 1.4};
    ccmod_network *network = NULL;
    ccmod_error error;

    ck_assert_int_eq(ccmod_network_open("crossbar", 16, &network, &error), CCMOD_OK);
    ck_assert_int_eq(ccmod_network_share_ends(&ends, &network, &error), CCMOD_OK);
    compare_shapes(network, false);
    ccmod_network_free(network);
}
END_TEST

START_TEST(agrees_with_a_constant_background)
{
    ccmod_network *network = network_tangle(16, true, false);

    compare_shapes(network, true);
    ccmod_network_free(network);
}
END_TEST

START_TEST(agrees_with_a_background_that_changes)
{
    ccmod_network *network = network_tangle(16, true, true);

    compare_shapes(network, false);
    ccmod_network_free(network);
}
END_TEST

START_TEST(agrees_with_a_background_drawn_at_each_evaluation)
{
    ccmod_network *network = network_tangle(16, true, true);

    compare_ways(&small, network, false, 0);
    compare_ways(&larger, network, false, 0);
    compare_ways(&article, network, false, 0);
    ccmod_network_free(network);
}
END_TEST

UNIT_MAIN("reference", agrees_on_every_kind_of_network, agrees_where_bottlenecks_change,
          agrees_with_links_of_different_widths, agrees_where_ends_are_shared,
          agrees_with_a_constant_background, agrees_with_a_background_that_changes,
          agrees_with_a_background_drawn_at_each_evaluation)
