/* Evaluations are deterministic, also concurrently and with observers; observers get consistent
 * signals and may end an evaluation; invalid parameters are refused. */
#include "tests/model/evaluation.h"

#include <pthread.h>
#include <string.h>

#include "tests/model/trace_text.h"

static const char busy[] = HEAD "*:\n@ 200\nis (%r+1+%i%3)%%n 100+%i\nir (%r-1-%i%3)%%n 100+%i\n"
                                "c exp(5)\nw\n;\n";

/* All results of an evaluation, compared bit by bit. */
typedef struct {
    double end_us, lost_us;
    ccmod_processor processors[4];
} all_figures;

static all_figures figures_of(uint64_t seed)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);
    ccmod_result *result;
    all_figures figures;

    memset(&figures, 0, sizeof(figures));
    parameters.seed = seed;
    result = evaluate(busy, &calibration, &parameters);
    figures.end_us = result->end_us;
    figures.lost_us = ccmod_result_cell(result, result->bottleneck).lost_us;
    for (size_t i = 0; i < 4; i++)
        figures.processors[i] = ccmod_result_processor(result, i);
    ccmod_result_free(result);
    return figures;
}

START_TEST(the_same_input_gives_the_same_result_bit_for_bit)
{
    all_figures first = figures_of(1), again = figures_of(1), other = figures_of(2);

    ck_assert_mem_eq(&first, &again, sizeof(first));
    ck_assert_mem_ne(&first, &other, sizeof(first));
}
END_TEST

static void *evaluate_in_thread(void *out)
{
    *(all_figures *)out = figures_of(1);
    return NULL;
}

START_TEST(evaluations_may_run_concurrently)
{
    all_figures alone = figures_of(1), found[3];
    pthread_t threads[3];

    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, evaluate_in_thread, &found[i]), 0);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert_mem_eq(&found[i], &alone, sizeof(alone));
    }
}
END_TEST

/* Observers */

typedef struct {
    uint64_t seen[CCMOD_SIGNALS];
    double covered_us[4]; /* end of the last interval of a processor */
    double packets;       /* consumed */
    double horizon_us;    /* sum */
    uint64_t fail_after;  /* number of messages; 0: never */
} witness;

static ccmod_status witness_signal(void *self, const ccmod_signal *signal, ccmod_error *error)
{
    witness *seen = self;

    seen->seen[signal->kind]++;
    if (signal->kind == CCMOD_SIGNAL_UPPR_PROC) {
        uint32_t processor = signal->of.interval.processor;

        ck_assert_double_eq_tol(signal->of.interval.since_us, seen->covered_us[processor], exact);
        ck_assert(signal->clock_us > signal->of.interval.since_us);
        seen->covered_us[processor] = signal->clock_us;
    }
    if (signal->kind == CCMOD_SIGNAL_UPPR_PCNS)
        seen->packets += signal->of.message.consumed_packets;
    if (signal->kind == CCMOD_SIGNAL_EVENTHORIZON)
        seen->horizon_us += signal->of.horizon.duration_us;
    if (signal->kind == CCMOD_SIGNAL_UPPR_END && signal->of.message.id + 1 == seen->fail_after)
        return ccmod_fail(error, CCMOD_ERROR_SYSTEM, NULL, 0, "the witness has had enough");
    return CCMOD_OK;
}

static ccmod_status observe(witness *seen, uint32_t wanted, ccmod_result **result,
                            ccmod_error *error)
{
    ccmod_observer observer = {wanted, witness_signal, seen};
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);
    ccmod_trace *trace = text_trace(busy);
    ccmod_workload *workload = NULL;
    ccmod_network *network = NULL;
    ccmod_status status;

    ck_assert_int_eq(ccmod_trace_workload(trace, 1, &workload, error), CCMOD_OK);
    ck_assert_int_eq(ccmod_network_open("crossbar", 4, &network, error), CCMOD_OK);
    status =
        ccmod_evaluate(workload, network, &calibration, &parameters, &observer, 1, result, error);
    ccmod_network_free(network);
    ccmod_workload_free(workload);
    ccmod_trace_close(trace);
    return status;
}

START_TEST(all_fifteen_signals_are_sent_and_consistent)
{
    witness seen = {.fail_after = 0};
    ccmod_result *result = NULL;
    ccmod_error error;

    ck_assert_int_eq(observe(&seen, CCMOD_WANTS_ALL, &result, &error), CCMOD_OK);
    for (size_t i = 0; i < CCMOD_SIGNALS; i++)
        ck_assert_msg(seen.seen[i] > 0, "no signal %s", ccmod_signal_name((ccmod_signal_kind)i));
    ck_assert_uint_eq(seen.seen[CCMOD_SIGNAL_NEWSCOM], result->messages);
    ck_assert_uint_eq(seen.seen[CCMOD_SIGNAL_UPPR_END], result->messages);
    ck_assert_uint_eq(seen.seen[CCMOD_SIGNAL_MSGCONT], seen.seen[CCMOD_SIGNAL_UPPR_PCNS]);
    ck_assert_double_eq_tol(seen.horizon_us, result->end_us, 1e-6);
    /* one packet per message; the link may be left a moment before its end */
    ck_assert_double_eq_tol(seen.packets, (double)result->messages, 0.5);
    for (size_t i = 0; i < 4; i++)
        ck_assert_double_eq_tol(seen.covered_us[i], clock_of(result, i), exact);
    ccmod_result_free(result);
}
END_TEST

START_TEST(observers_do_not_change_the_result)
{
    const uint32_t wishes[] = {CCMOD_WANTS_ALL, CCMOD_WANTS_ALL & ~CCMOD_WANTS_HORIZONS};
    all_figures alone = figures_of(1);

    for (size_t i = 0; i < 2; i++) {
        witness seen = {.fail_after = 0};
        ccmod_result *result = NULL;
        ccmod_error error;

        ck_assert_int_eq(observe(&seen, wishes[i], &result, &error), CCMOD_OK);
        ck_assert_double_eq_tol(result->end_us, alone.end_us, 1e-6);
        ccmod_result_free(result);
    }
}
END_TEST

START_TEST(an_observer_that_fails_ends_the_evaluation)
{
    witness seen = {.fail_after = 10};
    ccmod_result *result = NULL;
    ccmod_error error;

    ck_assert_int_eq(observe(&seen, CCMOD_WANTS_ALL, &result, &error), CCMOD_ERROR_SYSTEM);
    ck_assert_str_eq(error.text, "the witness has had enough");
}
END_TEST

static bool stop_at_once(void *context, const ccmod_progress *progress)
{
    ck_assert(progress->clock_us > 0);
    ++*(int *)context;
    return false;
}

START_TEST(the_progress_callback_can_end_the_evaluation)
{
    ccmod_calibration calibration = article();
    ccmod_parameters parameters = in_mode(CCMOD_SPLIT);
    ccmod_result *result = NULL;
    ccmod_error error;
    int asked = 0;

    parameters.progress = stop_at_once;
    parameters.progress_context = &asked;
    /* runs for thousands of years */
    ck_assert_int_eq(text_evaluate(HEAD "*:\n@ 1000000000000000\nc 100\nb\n;\n", &calibration,
                                   &parameters, &result, &error),
                     CCMOD_ERROR_INTERRUPTED);
    ck_assert_int_eq(asked, 1);
}
END_TEST

START_TEST(parameters_out_of_range_are_refused)
{
    ccmod_calibration calibration = ccmod_calibration_line(1, -1, 1);
    ccmod_parameters parameters = ccmod_parameters_default();
    ccmod_result *result = NULL;
    ccmod_error error;

    ck_assert_int_eq(text_evaluate(HEAD, &calibration, &parameters, &result, &error),
                     CCMOD_ERROR_USAGE);
    calibration = ccmod_calibration_line(1, 1, 0); /* an infinite number of bytes */
    ck_assert_int_eq(text_evaluate(HEAD, &calibration, &parameters, &result, &error),
                     CCMOD_ERROR_USAGE);
    calibration = article();
    parameters.background_load = 1;
    ck_assert_int_eq(text_evaluate(HEAD, &calibration, &parameters, &result, &error),
                     CCMOD_ERROR_USAGE);
    parameters.background_load = 0;
    parameters.background_interval_us = 0.5;
    ck_assert_int_eq(text_evaluate(HEAD, &calibration, &parameters, &result, &error),
                     CCMOD_ERROR_USAGE);
}
END_TEST

UNIT_PART(evaluation_observers, the_same_input_gives_the_same_result_bit_for_bit,
          evaluations_may_run_concurrently, all_fifteen_signals_are_sent_and_consistent,
          observers_do_not_change_the_result, an_observer_that_fails_ends_the_evaluation,
          the_progress_callback_can_end_the_evaluation, parameters_out_of_range_are_refused)
