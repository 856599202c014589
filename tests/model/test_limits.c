/* Cases that would take unlimited time or memory: clocks so large that a double cannot resolve
 * the next step, messages that are not received, many concurrent messages, and endless workloads
 * whose evaluation is ended. */
#include <math.h>
#include <string.h>

#include <ccmod/ccmod.h>

#include "model/sharing/conversations.h"
#include "tests/model/trace_text.h"
#include "tests/common/unit.h"

static ccmod_status evaluate(const char *text, bool plain, ccmod_result **out, ccmod_error *error)
{
    ccmod_calibration calibration = ccmod_calibration_line(1, 2, 100);
    ccmod_parameters parameters = ccmod_parameters_default();

    parameters.plain = plain;
    return text_evaluate(text, &calibration, &parameters, out, error);
}

/* At 10^15 us neighbouring doubles are 0.125 us apart, and a byte takes 0.01 us. */
START_TEST(a_message_shorter_than_the_resolution_of_the_clock_ends)
{
    static const char text[] = "%cct 1 ranks 2 unit us\n0: c 1e15\ns 1 1\n1: r 0 1\n";

    for (int i = 0; i < 2; i++) {
        ccmod_result *result = NULL;
        ccmod_error error;

        ck_assert_int_eq(evaluate(text, i == 1, &result, &error), CCMOD_OK);
        ck_assert_double_eq_tol(result->end_us, 1e15 + 3, 1);
        ccmod_result_free(result);
    }
}
END_TEST

START_TEST(a_clock_beyond_the_largest_time_is_refused)
{
    ccmod_result *result = NULL;
    ccmod_error error;

    ck_assert_int_eq(
        evaluate("%cct 1 ranks 1 unit us\n0:\n@ 2000\nc 1e15\n;\n", false, &result, &error),
        CCMOD_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(error.text, "model time"));
}
END_TEST

START_TEST(an_endless_series_of_started_messages_is_refused)
{
    ccmod_calibration calibration = ccmod_calibration_line(1, 2, 100);
    ccmod_parameters parameters = ccmod_parameters_default();
    ccmod_result *result = NULL;
    ccmod_error error;

    parameters.open_messages = 1000;
    ck_assert_int_eq(text_evaluate("%cct 1 ranks 2 unit us\n0:\n@ 1000000000000\nis 1 5\n;\n",
                                   &calibration, &parameters, &result, &error),
                     CCMOD_ERROR_USAGE);
    ck_assert_uint_eq(error.line, 4);
    ck_assert_ptr_nonnull(strstr(error.text, "rank 0"));
}
END_TEST

static ccmod_result *evaluate_crowd(const char *text, const char *network_name, bool plain)
{
    ccmod_calibration calibration = ccmod_calibration_line(0, 2, 10);
    ccmod_parameters parameters = ccmod_parameters_default();
    ccmod_trace *trace = text_trace(text);
    ccmod_workload *workload = NULL;
    ccmod_network *network = NULL;
    ccmod_result *result = NULL;
    ccmod_error error;

    calibration.eager_bytes = 1024;
    parameters.plain = plain;
    ck_assert(ccmod_trace_workload(trace, 1, &workload, NULL) == CCMOD_OK);
    ck_assert(ccmod_network_open(network_name, 40, &network, NULL) == CCMOD_OK);
    ck_assert_msg(ccmod_evaluate(workload, network, &calibration, &parameters, NULL, 0, &result,
                                 &error) == CCMOD_OK,
                  "%s", error.text);
    ccmod_network_free(network);
    ccmod_workload_free(workload);
    ccmod_trace_close(trace);
    return result;
}

/* If links have equal contention either may be the bottleneck; the total of lost time is the
 * same. */
static double all_lost_us(const ccmod_result *result)
{
    double sum_us = 0;

    for (size_t cell = 0; cell < result->cells; cell++)
        sum_us += ccmod_result_cell(result, cell).lost_us;
    return sum_us;
}

/* Twenty sources send to twenty destinations concurrently: every link has secondary slots whose
 * bottleneck changes often. No processor waits for another, so nothing amplifies a rounding
 * error. */
START_TEST(many_messages_end_as_in_the_plain_computation)
{
    static const char *const networks[] = {"crossbar:40",
                                           "fattree:levels=2,radix=8,oversubscription=3"};
    static const char text[] = "%cct 1 ranks 40 unit us\n"
                               "0-19:\n@ 60\nc uniform(0,30)\n"
                               "s 20+(%r*3+%i*7)%20 100+(%r*3+%i*7)%20*31\n;\n"
                               "20-39:\n@ 60\nr any 100+(%r-20)*31\n;\n";

    for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++) {
        ccmod_result *crowd = evaluate_crowd(text, networks[i], false);
        ccmod_result *plain = evaluate_crowd(text, networks[i], true);

        ck_assert_double_eq_tol(all_lost_us(crowd), all_lost_us(plain), 1e-9 * all_lost_us(plain));
        for (size_t rank = 0; rank < plain->processors; rank++)
            ck_assert_double_eq_tol(ccmod_result_processor(crowd, rank).clock_us,
                                    ccmod_result_processor(plain, rank).clock_us,
                                    1e-9 * plain->end_us);
        ccmod_result_free(crowd);
        ccmod_result_free(plain);
    }
}
END_TEST

/* A rank that receives 100 000 messages per second on average, at random times. */
static const char random_times[] = "%cct 1 ranks 2 unit us\n0:\n@ 1000000000000\nr any 8\n;\n"
                                   "1:\n@ 1000000000000\nc exp(10)\ns 0 8\n;\n";

/* The same rate in bursts of a hundred. */
static const char bursts[] = "%cct 1 ranks 2 unit us\n0:\n@ 1000000000000\nr any 8\n;\n"
                             "1:\n@ 1000000000000\nc 1000\n@ 100\ns 0 8\n;\n;\n";

static const double true_rate = 1e5;

static ccmod_status evaluate_rate(const char *text, const ccmod_parameters *parameters,
                                  ccmod_result **out, ccmod_error *error)
{
    ccmod_calibration calibration = ccmod_calibration_line(0, 2, 1e6);

    calibration.eager_bytes = 1024;
    return text_evaluate(text, &calibration, parameters, out, error);
}

static ccmod_result *stopped(const char *text, const ccmod_parameters *parameters)
{
    ccmod_result *result = NULL;
    ccmod_error error;

    ck_assert_msg(evaluate_rate(text, parameters, &result, &error) == CCMOD_OK, "%s", error.text);
    return result;
}

START_TEST(an_evaluation_ends_at_the_given_time)
{
    ccmod_parameters parameters = ccmod_parameters_default();
    ccmod_result *result;

    parameters.until_us = 12345.5;
    result = stopped(random_times, &parameters);
    ck_assert_int_eq(result->stopped_by, CCMOD_STOPPED_BY_TIME);
    ck_assert_double_eq(result->end_us, 12345.5);
    ck_assert_uint_eq(result->rate.received, 0);
    ccmod_result_free(result);
}
END_TEST

START_TEST(a_time_limit_after_the_end_of_the_traces_changes_nothing)
{
    ccmod_parameters parameters = ccmod_parameters_default();
    ccmod_result *result;

    parameters.until_us = 100;
    result = stopped("%cct 1 ranks 1 unit us\n0: c 50\n", &parameters);
    ck_assert_int_eq(result->stopped_by, CCMOD_STOPPED_BY_TRACE);
    ck_assert_double_eq(result->end_us, 50);
    ccmod_result_free(result);
}
END_TEST

/* A true 95 % interval misses more than 5 of 40 times in one of 70 cases; the draws are the same
 * in every run. */
START_TEST(the_interval_of_a_rate_has_its_stated_coverage)
{
    enum { SEEDS = 40, MOST_MISSES = 5 };
    ccmod_parameters parameters = ccmod_parameters_default();
    int misses = 0;

    parameters.rate_of = 0;
    parameters.precision = 0.05;
    for (parameters.seed = 1; parameters.seed <= SEEDS; parameters.seed++) {
        ccmod_result *result = stopped(random_times, &parameters);

        ck_assert_int_eq(result->stopped_by, CCMOD_STOPPED_BY_PRECISION);
        ck_assert_double_le(result->rate.high_per_s, 1.05 * result->rate.per_s);
        ck_assert_double_ge(result->rate.low_per_s, 0.95 * result->rate.per_s);
        misses += true_rate < result->rate.low_per_s || true_rate > result->rate.high_per_s;
        ccmod_result_free(result);
    }
    ck_assert_int_le(misses, MOST_MISSES);
}
END_TEST

START_TEST(the_rate_of_bursts_is_estimated_from_whole_rounds)
{
    ccmod_parameters parameters = ccmod_parameters_default();
    ccmod_result *result;

    parameters.rate_of = 0;
    parameters.rate_round = 100;
    parameters.until_us = 30000;
    result = stopped(bursts, &parameters);
    ck_assert_double_eq_tol(result->rate.per_s, true_rate, 1);
    ck_assert_double_le(result->rate.high_per_s - result->rate.low_per_s, 1);
    ccmod_result_free(result);
}
END_TEST

START_TEST(too_few_receives_give_no_rate)
{
    ccmod_parameters parameters = ccmod_parameters_default();
    ccmod_result *result;

    parameters.rate_of = 0;
    parameters.until_us = 60;
    result = stopped(random_times, &parameters);
    ck_assert_uint_gt(result->rate.received, 0);
    ck_assert_uint_eq(result->rate.batches, 0);
    ccmod_result_free(result);
}
END_TEST

START_TEST(invalid_time_limits_and_precisions_are_refused)
{
    const struct {
        double until_us, precision;
        uint32_t rate_of;
        const char *said;
    } wrong[] = {{-1, 0, CCMOD_NOBODY, "until"},
                 {HUGE_VAL, 0, CCMOD_NOBODY, "until"},
                 {0, 0.01, CCMOD_NOBODY, "without a rank"},
                 {0, 1, 0, "precision"},
                 {0, 0.01, 2, "rank 2"}};

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ccmod_parameters parameters = ccmod_parameters_default();
        ccmod_result *result = NULL;
        ccmod_error error;

        parameters.until_us = wrong[i].until_us;
        parameters.precision = wrong[i].precision;
        parameters.rate_of = wrong[i].rate_of;
        ck_assert_int_eq(evaluate_rate(random_times, &parameters, &result, &error),
                         CCMOD_ERROR_USAGE);
        ck_assert_msg(strstr(error.text, wrong[i].said) != NULL, "%s", error.text);
    }
}
END_TEST

START_TEST(the_state_of_many_pairs_is_kept)
{
    enum { RANKS = 50 };
    conversation_table table;

    ck_assert(ccmod_conversations_open(&table));
    for (uint32_t i = 0; i < RANKS * RANKS; i++) {
        conversation *one = ccmod_conversation_of(&table, i / RANKS, i % RANKS);

        ck_assert_ptr_nonnull(one);
        ck_assert_msg(isinf(one->received_us), "conversation %u was there before", i);
        one->received_us = i;
    }
    for (uint32_t i = 0; i < RANKS * RANKS; i++)
        ck_assert_double_eq(ccmod_conversation_of(&table, i / RANKS, i % RANKS)->received_us, i);
    ccmod_conversations_close(&table);
}
END_TEST

UNIT_MAIN("limits", a_message_shorter_than_the_resolution_of_the_clock_ends,
          a_clock_beyond_the_largest_time_is_refused,
          an_endless_series_of_started_messages_is_refused,
          many_messages_end_as_in_the_plain_computation, an_evaluation_ends_at_the_given_time,
          a_time_limit_after_the_end_of_the_traces_changes_nothing,
          the_interval_of_a_rate_has_its_stated_coverage,
          the_rate_of_bursts_is_estimated_from_whole_rounds, too_few_receives_give_no_rate,
          invalid_time_limits_and_precisions_are_refused, the_state_of_many_pairs_is_kept)
