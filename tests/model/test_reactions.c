/* Workloads whose processors react: what they learn and when, waiting for some and all, tests,
 * order of arrival, ties, and messages that no receive is posted for. */
#include <math.h>
#include <string.h>

#include <ccmod/ccmod.h>

#include "tests/common/unit.h"
#include "tests/model/records.h"

enum { TOLD = 64 };

/* What each processor has learnt, in the order of the calls. */
typedef struct {
    ccmod_workload workload;
    record_table table;
    size_t at[8];
    ccmod_share share;
    struct {
        double now_us[TOLD];
        size_t calls;
        ccmod_completion done[TOLD];
        size_t count;
    } told[8];
} play;

/* Records by hand, whatever has happened. */
static ccmod_status act(ccmod_workload *workload, uint32_t processor, const ccmod_outcome *outcome,
                        ccmod_record *record, ccmod_error *error)
{
    play *own = workload->self;
    const record_row *row = &own->table.rows[processor];

    (void)error;
    if (own->told[processor].calls < TOLD)
        own->told[processor].now_us[own->told[processor].calls++] = outcome->now_us;
    for (size_t i = 0; i < outcome->done_count && own->told[processor].count < TOLD; i++)
        own->told[processor].done[own->told[processor].count++] = outcome->done[i];
    if (own->at[processor] < row->count)
        *record = row->records[own->at[processor]++];
    else
        record->kind = CCMOD_END;
    return CCMOD_OK;
}

static void play_open(play *own, size_t processors)
{
    memset(own, 0, sizeof(*own));
    own->table = records_make(processors);
    own->share = CCMOD_FIFO;
    own->workload =
        (ccmod_workload){.name = "play", .processors = processors, .react = act, .self = own};
}

static void add(play *own, size_t processor, ccmod_record record)
{
    record.measured_us = -1;
    records_add(&own->table, processor, record);
}

/* T_quiet = 1 + 2 + bytes / 100; eager below 1000 bytes. */
static ccmod_status run(play *own, uint64_t seed, ccmod_result **out, ccmod_error *error)
{
    ccmod_calibration calibration = ccmod_calibration_line(1, 2, 100);
    ccmod_parameters parameters = ccmod_parameters_default();
    ccmod_network *network = NULL;
    ccmod_status status;

    calibration.eager_bytes = 1000;
    parameters.seed = seed;
    parameters.share = own->share;
    ck_assert_int_eq(ccmod_network_open("crossbar", own->workload.processors, &network, NULL), 0);
    status =
        ccmod_evaluate(&own->workload, network, &calibration, &parameters, NULL, 0, out, error);
    ccmod_network_free(network);
    return status;
}

static void run_well(play *own)
{
    ccmod_result *result = NULL;
    ccmod_error error;

    ck_assert_msg(run(own, 1, &result, &error) == CCMOD_OK, "%s", error.text);
    ccmod_result_free(result);
}

/* The second message starts later, and both share the receiver's link from 5 us on. */
START_TEST(a_receive_from_any_takes_what_arrives_first)
{
    play own;

    play_open(&own, 3);
    own.share = CCMOD_BOTTLENECK;
    add(&own, 0, (ccmod_record){.kind = CCMOD_SEND, .peer = 2, .size_bytes = 900, .cargo = 10});
    add(&own, 1, (ccmod_record){.kind = CCMOD_COMPUTE, .time_us = 2});
    add(&own, 1, (ccmod_record){.kind = CCMOD_SEND, .peer = 2, .size_bytes = 100, .cargo = 11});
    for (int i = 0; i < 2; i++)
        add(&own, 2,
            (ccmod_record){.kind = CCMOD_RECEIVE,
                           .peer = CCMOD_ANY,
                           .size_bytes = CCMOD_ANY_SIZE,
                           .request = 7});
    run_well(&own);
    ck_assert_uint_eq(own.told[2].count, 2);
    ck_assert_uint_eq(own.told[2].done[0].peer, 1);
    ck_assert_uint_eq(own.told[2].done[0].cargo, 11);
    ck_assert_uint_eq(own.told[2].done[0].size_bytes, 100);
    ck_assert_uint_eq(own.told[2].done[0].request, 7);
    ck_assert(own.told[2].done[0].received);
    ck_assert_double_eq_tol(own.told[2].done[0].time_us, 2 + 3 + 2, 1e-9);
    ck_assert_uint_eq(own.told[2].done[1].cargo, 10);
    records_free(&own.table);
}
END_TEST

/* The second line has less latency: a message of more than 100 bytes would overtake. */
START_TEST(messages_of_a_pair_come_in_the_order_of_their_sends)
{
    ccmod_calibration calibration = ccmod_calibration_line(1, 50, 100);
    ccmod_parameters parameters = ccmod_parameters_default();
    ccmod_network *network = NULL;
    ccmod_result *result = NULL;
    play own;

    calibration.lines[0].to_bytes = 100;
    calibration.lines[1] = (ccmod_line){UINT64_MAX, 1, 2, 0.01};
    calibration.line_count = 2;
    calibration.eager_bytes = 1000;
    play_open(&own, 3);
    for (uint64_t i = 0; i < 4; i++)
        add(&own, 0,
            (ccmod_record){
                .kind = CCMOD_SEND, .peer = 1, .size_bytes = i == 0 ? 100 : 200, .cargo = i});
    add(&own, 0, (ccmod_record){.kind = CCMOD_SEND, .peer = 2, .size_bytes = 200});
    for (int i = 0; i < 4; i++)
        add(&own, 1,
            (ccmod_record){.kind = CCMOD_RECEIVE, .peer = 0, .size_bytes = CCMOD_ANY_SIZE});
    ck_assert_int_eq(ccmod_network_open("crossbar", 3, &network, NULL), 0);
    ck_assert_int_eq(
        ccmod_evaluate(&own.workload, network, &calibration, &parameters, NULL, 0, &result, NULL),
        CCMOD_OK);
    for (uint64_t i = 0; i < 4; i++)
        ck_assert_uint_eq(own.told[1].done[i].cargo, i);
    /* All of them when the first one arrives: 1 + 50 + 1 us. */
    ck_assert_double_eq_tol(own.told[1].done[0].time_us, 52, 1e-9);
    ck_assert_double_eq_tol(own.told[1].done[3].time_us, 52, 1e-9);
    ccmod_result_free(result);
    ccmod_network_free(network);
    records_free(&own.table);
}
END_TEST

START_TEST(a_wait_ends_at_its_time_and_a_test_at_once)
{
    play own;

    play_open(&own, 2);
    add(&own, 0, (ccmod_record){.kind = CCMOD_COMPUTE, .time_us = 20});
    add(&own, 0, (ccmod_record){.kind = CCMOD_SEND, .peer = 1, .size_bytes = 100});
    add(&own, 1, (ccmod_record){.kind = CCMOD_START_RECEIVE, .peer = 0, .size_bytes = 100});
    add(&own, 1, (ccmod_record){.kind = CCMOD_AWAIT, .time_us = 0});
    add(&own, 1, (ccmod_record){.kind = CCMOD_AWAIT, .time_us = 10});
    add(&own, 1, (ccmod_record){.kind = CCMOD_AWAIT, .time_us = 1});
    add(&own, 1, (ccmod_record){.kind = CCMOD_AWAIT, .time_us = 1000});
    add(&own, 1, (ccmod_record){.kind = CCMOD_COMPUTE, .time_us = 2000});
    run_well(&own);
    ck_assert_uint_eq(own.told[1].calls, 7);
    for (size_t i = 0; i < 7; i++)
        ck_assert_double_eq_tol(own.told[1].now_us[i], ((double[]){0, 0, 0, 10, 11, 24, 2024})[i],
                                1e-9);
    ck_assert_uint_eq(own.told[1].count, 1);
    records_free(&own.table);
}
END_TEST

START_TEST(a_wait_is_for_the_requests_that_it_names)
{
    static const uint32_t second[] = {2}, both[] = {1, 3};
    play own;

    play_open(&own, 2);
    for (uint32_t i = 1; i <= 3; i++) {
        add(&own, 0, (ccmod_record){.kind = CCMOD_COMPUTE, .time_us = 9});
        add(&own, 0, (ccmod_record){.kind = CCMOD_SEND, .peer = 1, .size_bytes = 100, .cargo = i});
        add(&own, 1,
            (ccmod_record){
                .kind = CCMOD_START_RECEIVE, .peer = 0, .size_bytes = 100, .request = i});
    }
    add(&own, 1,
        (ccmod_record){.kind = CCMOD_AWAIT, .list = second, .list_count = 1, .time_us = HUGE_VAL});
    add(&own, 1,
        (ccmod_record){
            .kind = CCMOD_AWAIT, .list = both, .list_count = 2, .needed = 1, .time_us = HUGE_VAL});
    run_well(&own);
    /* Sends start at 9, 19 and 29 us and take 4. */
    ck_assert_uint_eq(own.told[1].calls, 6);
    ck_assert_double_eq_tol(own.told[1].now_us[4], 23, 1e-9);
    ck_assert_double_eq_tol(own.told[1].now_us[5], 33, 1e-9);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_uint_eq(own.told[1].done[i].request, i + 1);
    records_free(&own.table);

    play_open(&own, 3);
    add(&own, 0, (ccmod_record){.kind = CCMOD_SEND, .peer = 2, .size_bytes = 100});
    add(&own, 1, (ccmod_record){.kind = CCMOD_COMPUTE, .time_us = 30});
    add(&own, 1, (ccmod_record){.kind = CCMOD_SEND, .peer = 2, .size_bytes = 100});
    for (uint32_t i = 0; i < 2; i++)
        add(&own, 2,
            (ccmod_record){.kind = CCMOD_START_RECEIVE,
                           .peer = i,
                           .size_bytes = 100,
                           .request = ((uint32_t[]){1, 3})[i]});
    add(&own, 2,
        (ccmod_record){
            .kind = CCMOD_AWAIT, .list = both, .list_count = 2, .needed = 2, .time_us = HUGE_VAL});
    run_well(&own);
    ck_assert_double_eq_tol(own.told[2].now_us[3], 34, 1e-9);
    records_free(&own.table);
}
END_TEST

/* 5000 bytes are above the eager size, and the receiver looks for them only later. */
START_TEST(a_large_message_needs_no_posted_receive)
{
    play own;

    play_open(&own, 2);
    add(&own, 0,
        (ccmod_record){.kind = CCMOD_START_SEND, .peer = 1, .size_bytes = 5000, .request = 9});
    add(&own, 0, (ccmod_record){.kind = CCMOD_AWAIT, .time_us = HUGE_VAL});
    add(&own, 1, (ccmod_record){.kind = CCMOD_COMPUTE, .time_us = 100});
    add(&own, 1, (ccmod_record){.kind = CCMOD_RECEIVE, .peer = CCMOD_ANY, .size_bytes = 5000});
    run_well(&own);
    ck_assert_uint_eq(own.told[0].count, 1);
    ck_assert_uint_eq(own.told[0].done[0].request, 9);
    ck_assert(!own.told[0].done[0].received);
    ck_assert_double_eq_tol(own.told[0].done[0].time_us, 53, 1e-9);
    ck_assert_double_eq_tol(own.told[1].done[0].time_us, 100, 1e-9);
    records_free(&own.table);
}
END_TEST

START_TEST(a_multicast_comes_to_all)
{
    static const uint32_t list[] = {1, 2, 3};
    play own;

    for (int large = 0; large < 2; large++) {
        const uint64_t bytes = large ? 5000 : 100;

        play_open(&own, 4);
        add(&own, 0,
            (ccmod_record){.kind = CCMOD_MULTICAST,
                           .size_bytes = bytes,
                           .list = list,
                           .list_count = 3,
                           .cargo = 5});
        add(&own, 3, (ccmod_record){.kind = CCMOD_COMPUTE, .time_us = 500});
        for (uint32_t i = 1; i < 4; i++)
            add(&own, i,
                (ccmod_record){.kind = CCMOD_RECEIVE, .peer = CCMOD_ANY, .size_bytes = bytes});
        run_well(&own);
        for (uint32_t i = 1; i < 4; i++) {
            ck_assert_uint_eq(own.told[i].count, 1);
            ck_assert_uint_eq(own.told[i].done[0].cargo, 5);
            ck_assert_double_eq_tol(own.told[i].done[0].time_us,
                                    i == 3 ? 500 : 3 + (double)bytes / 100, 1e-9);
        }
        ck_assert_uint_eq(own.told[0].count, 1);
        records_free(&own.table);
    }
}
END_TEST

static uint32_t first_of_two(uint64_t seed)
{
    ccmod_result *result = NULL;
    uint32_t first;
    play own;

    play_open(&own, 3);
    for (uint32_t i = 0; i < 2; i++)
        add(&own, i, (ccmod_record){.kind = CCMOD_SEND, .peer = 2, .size_bytes = 0});
    for (uint32_t i = 0; i < 2; i++)
        add(&own, 2, (ccmod_record){.kind = CCMOD_RECEIVE, .peer = CCMOD_ANY});
    ck_assert_int_eq(run(&own, seed, &result, NULL), CCMOD_OK);
    first = own.told[2].done[0].peer;
    ccmod_result_free(result);
    records_free(&own.table);
    return first;
}

START_TEST(the_seed_draws_which_of_two_comes_first)
{
    size_t second = 0;

    for (uint64_t seed = 1; seed <= 200; seed++) {
        const uint32_t first = first_of_two(seed);

        ck_assert_uint_eq(first, first_of_two(seed));
        second += first;
    }
    ck_assert_uint_ge(second, 70);
    ck_assert_uint_le(second, 130);
}
END_TEST

static ccmod_status test_for_ever(ccmod_workload *workload, uint32_t processor,
                                  const ccmod_outcome *outcome, ccmod_record *record,
                                  ccmod_error *error)
{
    (void)workload;
    (void)outcome;
    (void)error;
    record->kind = processor == 1 ? CCMOD_AWAIT : CCMOD_END;
    return CCMOD_OK;
}

START_TEST(a_rank_that_tests_for_ever_is_named)
{
    ccmod_result *result = NULL;
    ccmod_error error;
    play own;

    play_open(&own, 2);
    own.workload.react = test_for_ever;
    ck_assert_int_eq(run(&own, 1, &result, &error), CCMOD_ERROR_DATA);
    ck_assert_ptr_nonnull(strstr(error.text, "rank 1 has made 1000000 calls"));
    records_free(&own.table);
}
END_TEST

START_TEST(a_rank_that_waits_for_ever_is_named)
{
    ccmod_result *result = NULL;
    ccmod_error error;
    play own;

    play_open(&own, 2);
    add(&own, 0, (ccmod_record){.kind = CCMOD_COMPUTE, .time_us = 1});
    add(&own, 1, (ccmod_record){.kind = CCMOD_AWAIT, .time_us = HUGE_VAL});
    ck_assert_int_eq(run(&own, 1, &result, &error), CCMOD_ERROR_DATA);
    ck_assert_ptr_nonnull(
        strstr(error.text, "1 of 2 ranks wait forever: rank 1 (line 1) waits for a message"));
    ck_assert_ptr_nonnull(strstr(error.text, "send what they wait for"));
    records_free(&own.table);
}
END_TEST

START_TEST(only_ranks_that_react_await_single_requests)
{
    ccmod_calibration calibration = ccmod_calibration_line(1, 2, 100);
    ccmod_parameters parameters = ccmod_parameters_default();
    ccmod_network *network = NULL;
    ccmod_result *result = NULL;
    ccmod_workload *workload;
    ccmod_error error;
    play own;

    play_open(&own, 2);
    add(&own, 0, (ccmod_record){.kind = CCMOD_AWAIT, .time_us = 1});
    workload = records_workload(&own.table);
    ck_assert_int_eq(ccmod_network_open("crossbar", 2, &network, NULL), 0);
    ck_assert_int_eq(
        ccmod_evaluate(workload, network, &calibration, &parameters, NULL, 0, &result, &error),
        CCMOD_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "react"));
    ccmod_workload_free(workload);
    ccmod_network_free(network);
    records_free(&own.table);
}
END_TEST

/* Where all senders are named, all messages eager, and no order at an instant counts, there is
 * nothing to react to. */
START_TEST(without_choice_the_times_are_those_of_a_workload_that_does_not_react)
{
    const random_shape shape = {
        .processors = 6, .messages = 40, .largest_bytes = 900, .longest_us = 5};
    static const ccmod_share shares[] = {CCMOD_BOTTLENECK, CCMOD_MAXMIN};

    for (uint64_t seed = 1; seed <= 60; seed++) {
        ccmod_calibration calibration = ccmod_calibration_line(1, 2, 100);
        ccmod_parameters parameters = ccmod_parameters_default();
        ccmod_result *results[2] = {NULL, NULL};
        ccmod_network *network = NULL;
        play own;

        play_open(&own, shape.processors);
        records_free(&own.table);
        own.table = records_random(&shape, seed);
        calibration.eager_bytes = 1000;
        parameters.share = shares[seed % 2];
        ck_assert_int_eq(ccmod_network_open("crossbar", shape.processors, &network, NULL), 0);
        for (int react = 0; react < 2; react++) {
            ccmod_workload *workload = react ? &own.workload : records_workload(&own.table);
            ccmod_error error;

            ck_assert_msg(ccmod_evaluate(workload, network, &calibration, &parameters, NULL, 0,
                                         &results[react], &error) == CCMOD_OK,
                          "%s", error.text);
            if (!react)
                ccmod_workload_free(workload);
        }
        for (size_t i = 0; i < shape.processors; i++)
            ck_assert_double_eq_tol(ccmod_result_processor(results[0], i).clock_us,
                                    ccmod_result_processor(results[1], i).clock_us, 1e-6);
        ck_assert_uint_eq(results[0]->messages, results[1]->messages);
        ccmod_result_free(results[0]);
        ccmod_result_free(results[1]);
        ccmod_network_free(network);
        records_free(&own.table);
    }
}
END_TEST

UNIT_MAIN("reactions", a_receive_from_any_takes_what_arrives_first,
          messages_of_a_pair_come_in_the_order_of_their_sends,
          a_wait_ends_at_its_time_and_a_test_at_once, a_wait_is_for_the_requests_that_it_names,
          a_large_message_needs_no_posted_receive, a_multicast_comes_to_all,
          the_seed_draws_which_of_two_comes_first, a_rank_that_tests_for_ever_is_named,
          a_rank_that_waits_for_ever_is_named, only_ranks_that_react_await_single_requests,
          without_choice_the_times_are_those_of_a_workload_that_does_not_react)
