/* Changes that must not matter (names of nodes, idle nodes, division of links) and changes that
 * must scale (units of time and size). Long workloads agree with the reference in the mean,
 * since rounding changes the details. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/random.h"
#include "tests/model/networks.h"
#include "tests/model/reference.h"
#include "tests/common/unit.h"

enum { SEEDS = 12, PROCESSORS = 8, FUNNEL_MESSAGES = 20 };

#define START_UP_US 7 /* overhead and latency, as in setting_of */

static const double tolerance = 1e-9;
static const random_shape shape = {PROCESSORS, 30, 5000, 60, true};

/* One way to evaluate a table. */
typedef struct {
    unsigned nodes;
    ccmod_calibration calibration;
    ccmod_parameters parameters;
} model_setting;

static model_setting setting_of(uint64_t seed)
{
    model_setting made = {.nodes = PROCESSORS,
                          .calibration = ccmod_calibration_line(2, 5, 90),
                          .parameters = ccmod_parameters_default()};

    made.parameters.mode = seed % 2 == 0 ? CCMOD_PAPER : CCMOD_SPLIT;
    made.parameters.share = seed % 3 == 0 ? CCMOD_MAXMIN : CCMOD_BOTTLENECK;
    made.calibration.eager_bytes = seed % 4 < 2 ? 0 : 600;
    return made;
}

static ccmod_result *evaluate_on(const record_table *table, const model_setting *setting,
                                 const char *network_name)
{
    ccmod_workload *workload = records_workload(table);
    ccmod_network *network = NULL;
    ccmod_result *result = NULL;
    ccmod_error error;

    ck_assert_msg(ccmod_network_open(network_name, table->processors, &network, &error) == CCMOD_OK,
                  "%s", error.text);
    ck_assert_msg(ccmod_evaluate(workload, network, &setting->calibration, &setting->parameters,
                                 NULL, 0, &result, &error) == CCMOD_OK,
                  "%s", error.text);
    ccmod_network_free(network);
    ccmod_workload_free(workload);
    return result;
}

static ccmod_result *evaluate(const record_table *table, const model_setting *setting)
{
    char text[32];

    snprintf(text, sizeof(text), "crossbar:%u", setting->nodes);
    return evaluate_on(table, setting, text);
}

static double clock_of(const ccmod_result *result, size_t processor)
{
    return ccmod_result_processor(result, processor).clock_us;
}

static void assert_near(double found, double expected, uint64_t seed)
{
    ck_assert_msg(fabs(found - expected) <= tolerance * fmax(1, expected),
                  "%.15g is not %.15g, with seed %llu", found, expected, (unsigned long long)seed);
}

/* Changes of a table */

static record_table copy_as(const record_table *table, const uint32_t *names, size_t processors)
{
    record_table copy = records_make(processors);

    for (size_t i = 0; i < table->processors; i++) {
        for (size_t k = 0; k < table->rows[i].count; k++) {
            ccmod_record record = table->rows[i].records[k];
            uint32_t list[64];

            for (size_t l = 0; l < record.list_count; l++)
                list[l] = names[record.list[l]];
            record.list = list;
            if (record.peer != CCMOD_ANY)
                record.peer = names[record.peer];
            records_add(&copy, names[i], record);
        }
    }
    return copy;
}

static void shuffle(uint32_t *names, size_t count, uint64_t seed)
{
    cb_random random = cb_random_seed(seed);

    for (uint32_t i = 0; i < count; i++) {
        size_t other = cb_random_below(&random, i + 1);

        names[i] = names[other];
        names[other] = i;
    }
}

/* A receive from any breaks ties by rank, but random times have no ties. */
START_TEST(names_of_nodes_do_not_matter)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        model_setting setting = setting_of(seed);
        record_table table = records_random(&shape, seed), renamed;
        uint32_t names[PROCESSORS];
        ccmod_result *before, *after;

        shuffle(names, PROCESSORS, seed);
        renamed = copy_as(&table, names, PROCESSORS);
        before = evaluate(&table, &setting);
        after = evaluate(&renamed, &setting);
        for (size_t i = 0; i < PROCESSORS; i++)
            assert_near(clock_of(after, names[i]), clock_of(before, i), seed);
        ccmod_result_free(before);
        ccmod_result_free(after);
        records_free(&table);
        records_free(&renamed);
    }
}
END_TEST

START_TEST(an_idle_node_does_not_matter)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        model_setting setting = setting_of(seed);
        record_table table = records_random(&shape, seed);
        ccmod_result *before, *after;

        before = evaluate(&table, &setting);
        setting.nodes = PROCESSORS + 5;
        after = evaluate(&table, &setting);
        for (size_t i = 0; i < PROCESSORS; i++)
            ck_assert_double_eq(clock_of(after, i), clock_of(before, i));
        ccmod_result_free(before);
        ccmod_result_free(after);
        records_free(&table);
    }
}
END_TEST

static void write_file(char *path, const char *text)
{
    int descriptor = mkstemp(path);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;

    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

/* Replace each link by two in series, with a switch between them that no other route uses. */
START_TEST(dividing_a_link_in_two_does_not_matter)
{
    char whole[] = "./whole.XXXXXX", parts[] = "./parts.XXXXXX";

    write_file(whole, "%network 1\nnodes 8\nswitch a b\nlink 0-3 a\nlink 4-7 b\nlink a b\n");
    write_file(parts,
               "%network 1\nnodes 8\nswitch a b c n0 n1 n2 n3 n4 n5 n6 n7\n"
               "link 0 n0\nlink 1 n1\nlink 2 n2\nlink 3 n3\nlink 4 n4\nlink 5 n5\nlink 6 n6\n"
               "link 7 n7\nlink n0 a\nlink n1 a\nlink n2 a\nlink n3 a\nlink n4 b\nlink n5 b\n"
               "link n6 b\nlink n7 b\nlink a c\nlink c b\n");
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        model_setting setting = setting_of(seed);
        record_table table = records_random(&shape, seed);
        ccmod_result *before = evaluate_on(&table, &setting, whole);
        ccmod_result *after = evaluate_on(&table, &setting, parts);

        for (size_t i = 0; i < PROCESSORS; i++)
            assert_near(clock_of(after, i), clock_of(before, i), seed);
        ccmod_result_free(before);
        ccmod_result_free(after);
        records_free(&table);
    }
    unlink(whole);
    unlink(parts);
}
END_TEST

static void scale(record_table *table, double times, uint64_t sizes)
{
    for (size_t i = 0; i < table->processors; i++) {
        for (size_t k = 0; k < table->rows[i].count; k++) {
            table->rows[i].records[k].time_us *= times;
            if (table->rows[i].records[k].size_bytes != CCMOD_ANY_SIZE)
                table->rows[i].records[k].size_bytes *= sizes;
        }
    }
}

/* Everything takes three times as long; for the bytes, sizes are three times as large. */
START_TEST(times_and_sizes_scale)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        model_setting setting = setting_of(seed);
        record_table table = records_random(&shape, seed);
        ccmod_result *before = evaluate(&table, &setting), *after;

        scale(&table, 3, 3);
        setting.calibration.lines[0].overhead_us *= 3;
        setting.calibration.lines[0].latency_us *= 3;
        /* the same sizes are below the threshold: 600 * 3 - 2 is the first above 599 * 3 */
        setting.calibration.eager_bytes *= 3;
        after = evaluate(&table, &setting);
        for (size_t i = 0; i < PROCESSORS; i++)
            assert_near(clock_of(after, i), 3 * clock_of(before, i), seed);
        ccmod_result_free(before);
        ccmod_result_free(after);
        records_free(&table);
    }
}
END_TEST

/* The rate of each message in the first horizon. */
typedef struct {
    double availability[64];
    size_t count;
    bool over;
} first_horizon;

static ccmod_status note_availability(void *self, const ccmod_signal *signal, ccmod_error *error)
{
    first_horizon *seen = self;

    (void)error;
    if (signal->kind == CCMOD_SIGNAL_EVENTHORIZON)
        seen->over = true;
    else if (!seen->over)
        seen->availability[seen->count++] = signal->of.message.availability;
    return CCMOD_OK;
}

/* Forty messages that start at once. */
static record_table burst(uint64_t seed)
{
    record_table table = records_make(PROCESSORS);
    cb_random random = cb_random_seed(seed);

    for (uint32_t i = 0; i < 40; i++) {
        uint32_t source = (uint32_t)cb_random_below(&random, PROCESSORS);
        uint32_t step = 1 + (uint32_t)cb_random_below(&random, PROCESSORS - 1);
        uint32_t target = (source + step) % PROCESSORS;

        records_add(&table, source,
                    (ccmod_record){.kind = CCMOD_START_SEND, .peer = target, .size_bytes = 1000});
        records_add(
            &table, target,
            (ccmod_record){.kind = CCMOD_START_RECEIVE, .peer = source, .size_bytes = 1000});
    }
    for (uint32_t i = 0; i < PROCESSORS; i++)
        records_add(&table, i, (ccmod_record){.kind = CCMOD_WAIT});
    return table;
}

static first_horizon observe_first(const record_table *table, const ccmod_network *network,
                                   ccmod_share share)
{
    first_horizon seen = {.count = 0};
    ccmod_observer observer = {CCMOD_WANTS(CCMOD_SIGNAL_COMMCOST) |
                                   CCMOD_WANTS(CCMOD_SIGNAL_EVENTHORIZON),
                               note_availability, &seen};
    model_setting setting = setting_of(0);
    ccmod_workload *workload = records_workload(table);
    ccmod_result *result = NULL;

    setting.parameters.share = share;
    ck_assert_int_eq(ccmod_evaluate(workload, network, &setting.calibration, &setting.parameters,
                                    &observer, 1, &result, NULL),
                     CCMOD_OK);
    ccmod_result_free(result);
    ccmod_workload_free(workload);
    return seen;
}

START_TEST(max_min_rates_are_at_least_those_of_bottleneck_sharing)
{
    ccmod_network *network = network_tangle(PROCESSORS, true, false);
    size_t more = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        record_table table = burst(seed);
        first_horizon bottleneck = observe_first(&table, network, CCMOD_BOTTLENECK);
        first_horizon fair = observe_first(&table, network, CCMOD_MAXMIN);

        ck_assert_uint_eq(fair.count, 40);
        for (size_t i = 0; i < 40; i++) {
            ck_assert_double_ge(fair.availability[i], bottleneck.availability[i] * (1 - tolerance));
            more += fair.availability[i] > bottleneck.availability[i] * 1.01;
        }
        records_free(&table);
    }
    ck_assert_uint_gt(more, 0);
    ccmod_network_free(network);
}
END_TEST

/* Hundreds of messages per node: blocking sends turn the last digit of a time into another
 * order, and that into differences of some per cent in one run, but not in the mean of runs. */
START_TEST(long_workloads_agree_with_the_reference_in_the_mean)
{
    const random_shape longer = {4, 400, 5000, 60, true};
    ccmod_network *network = network_tangle(4, false, false);
    double found_us = 0, expected_us = 0;

    for (uint64_t seed = 100; seed < 108; seed++) {
        model_setting setting = setting_of(seed);
        record_table table = records_random(&longer, seed);
        reference_result expected =
            reference_evaluate(&table, network, &setting.calibration, &setting.parameters);
        ccmod_workload *workload = records_workload(&table);
        ccmod_result *result = NULL;

        ck_assert_int_eq(ccmod_evaluate(workload, network, &setting.calibration,
                                        &setting.parameters, NULL, 0, &result, NULL),
                         CCMOD_OK);
        ck_assert_msg(expected.finished, "seed %d does not finish", (int)seed);
        found_us += result->end_us;
        expected_us += expected.end_us;
        ccmod_result_free(result);
        ccmod_workload_free(workload);
        free(expected.processors);
        records_free(&table);
    }
    ck_assert_double_eq_tol(found_us / expected_us, 1, 0.005);
    ccmod_network_free(network);
}
END_TEST

/* All other ranks start messages of random sizes to rank 0, which receives them all. */
static record_table make_funnel(uint64_t seed)
{
    record_table table = records_make(PROCESSORS);
    cb_random random = cb_random_seed(seed);

    for (uint32_t rank = 1; rank < PROCESSORS; rank++) {
        for (size_t i = 0; i < FUNNEL_MESSAGES; i++) {
            uint64_t size_bytes = 1000 + cb_random_below(&random, 4000);

            records_add(
                &table, rank,
                (ccmod_record){.kind = CCMOD_START_SEND, .peer = 0, .size_bytes = size_bytes});
            records_add(&table, 0,
                        (ccmod_record){
                            .kind = CCMOD_START_RECEIVE, .peer = rank, .size_bytes = size_bytes});
        }
        records_add(&table, rank, (ccmod_record){.kind = CCMOD_WAIT});
    }
    records_add(&table, 0, (ccmod_record){.kind = CCMOD_WAIT});
    return table;
}

/* After the first message its link is never idle and never overcommitted. */
START_TEST(in_fifo_the_link_of_a_funnel_is_always_busy)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        record_table table = make_funnel(seed);
        model_setting setting = setting_of(1);
        ccmod_result *result;
        double work_us;

        setting.parameters.mode = CCMOD_SPLIT;
        setting.parameters.share = CCMOD_FIFO;
        setting.calibration.eager_bytes = UINT64_C(1) << 53;
        result = evaluate(&table, &setting);
        work_us = ccmod_result_cell(result, CCMOD_OUTWARD).work_us;
        assert_near(result->end_us, START_UP_US + work_us, seed);
        ccmod_result_free(result);
        records_free(&table);
    }
}
END_TEST

UNIT_MAIN("metamorphic", names_of_nodes_do_not_matter, an_idle_node_does_not_matter,
          dividing_a_link_in_two_does_not_matter, times_and_sizes_scale,
          max_min_rates_are_at_least_those_of_bottleneck_sharing,
          long_workloads_agree_with_the_reference_in_the_mean,
          in_fifo_the_link_of_a_funnel_is_always_busy)
