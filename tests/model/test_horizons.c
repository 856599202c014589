/* The signals of an evaluation are consistent with each other and with the result, for every
 * kind of network, mode and share rule: horizons fill the time, messages consume all their
 * packets, and their rates follow from the contention array. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/graph.h"
#include "tests/model/networks.h"
#include "tests/model/records.h"
#include "tests/common/unit.h"

enum { PROCESSORS = 12, MESSAGES = 4096 };

static const double tolerance = 1e-6;

/* The state of a message while it exists. */
typedef struct {
    bool started, ended;
    double packets, consumed;
    double remaining_us;
    double start_us;
} seen_message;

typedef struct {
    seen_message messages[MESSAGES];
    size_t started, ended;
    uint32_t *contention; /* from the last SYSCONT signal */
    const ccmod_network *network;
    double horizons_us, intervals_us[PROCESSORS], end_us;
    uint64_t kinds;
    bool queued; /* share rule fifo */
} seen_signals;

static seen_message *message_of(seen_signals *seen, const ccmod_signal *signal)
{
    ck_assert_uint_lt(signal->of.message.id, MESSAGES);
    return &seen->messages[signal->of.message.id];
}

static void check_config(seen_signals *seen, const ccmod_signal *signal)
{
    seen->network = signal->of.config.network;
    seen->contention = calloc(2 * seen->network->links, sizeof(*seen->contention));
    ck_assert_ptr_nonnull(seen->contention);
}

static void check_system(seen_signals *seen, const ccmod_signal *signal)
{
    ck_assert_uint_eq(signal->of.system.cell_count, 2 * seen->network->links);
    memcpy(seen->contention, signal->of.system.messages,
           signal->of.system.cell_count * sizeof(*seen->contention));
}

static void check_start(seen_signals *seen, const ccmod_signal *signal)
{
    seen_message *message = message_of(seen, signal);

    ck_assert(!message->started);
    ck_assert_uint_eq(signal->of.message.id, seen->started++);
    message->started = true;
    message->packets = (double)signal->of.message.packets;
    message->remaining_us = HUGE_VAL;
    message->start_us = signal->clock_us;
}

/* The bottleneck is a cell of the route, and no other cell has more messages per width; with
 * share rule bottleneck it alone sets the rate. */
static void check_contention(seen_signals *seen, const ccmod_signal *signal)
{
    const ccmod_message *message = &signal->of.message;
    const double *widths = seen->network->widths;
    bool found = false;

    for (size_t i = 0; i < message->cell_count; i++)
        found = found || message->cells[i] == message->bottleneck;
    ck_assert(found);
    ck_assert_double_ge(message->contention, 1);
    ck_assert_double_eq_tol(message->contention,
                            fmax(1, seen->contention[message->bottleneck] /
                                        (widths != NULL ? widths[message->bottleneck] : 1)),
                            tolerance);
}

static void check_cost(seen_signals *seen, const ccmod_signal *signal)
{
    (void)seen;
    ck_assert_double_gt(signal->of.message.availability, 0);
    ck_assert_double_le(signal->of.message.availability, 1 + tolerance);
    ck_assert_double_ge(signal->of.message.cost_us,
                        signal->of.message.quiet.transfer_us * (1 - tolerance));
}

static void check_horizon(seen_signals *seen, const ccmod_signal *signal)
{
    ck_assert_double_eq_tol(signal->clock_us, seen->horizons_us, tolerance);
    ck_assert_double_gt(signal->of.horizon.duration_us, 0);
    seen->horizons_us += signal->of.horizon.duration_us;
}

static void check_remaining(seen_signals *seen, const ccmod_signal *signal)
{
    seen_message *message = message_of(seen, signal);

    if (seen->queued) /* a message may wait for a horizon */
        ck_assert_double_le(signal->of.message.remaining_us, message->remaining_us);
    else
        ck_assert_double_lt(signal->of.message.remaining_us, message->remaining_us);
    message->remaining_us = signal->of.message.remaining_us;
}

static void check_packets(seen_signals *seen, const ccmod_signal *signal)
{
    seen_message *message = message_of(seen, signal);

    ck_assert_double_ge(signal->of.message.consumed_packets, -tolerance);
    message->consumed += signal->of.message.consumed_packets;
}

static void check_interval(seen_signals *seen, const ccmod_signal *signal)
{
    uint32_t processor = signal->of.interval.processor;

    ck_assert_double_eq_tol(signal->of.interval.since_us, seen->intervals_us[processor], tolerance);
    ck_assert_double_gt(signal->clock_us, signal->of.interval.since_us);
    seen->intervals_us[processor] = signal->clock_us;
}

static void check_message_end(seen_signals *seen, const ccmod_signal *signal)
{
    seen_message *message = message_of(seen, signal);

    ck_assert(message->started && !message->ended);
    ck_assert_double_eq_tol(signal->of.message.cost_us, signal->clock_us - message->start_us,
                            tolerance);
    ck_assert_double_ge(signal->of.message.contention, 1);
    if (signal->of.message.quiet.transfer_us > 0)
        ck_assert_double_eq_tol(message->consumed, message->packets, 1e-3 * message->packets);
    message->ended = true;
    seen->ended++;
}

static void check_end(seen_signals *seen, const ccmod_signal *signal)
{
    seen->end_us = signal->clock_us;
}

static void (*const checks[CCMOD_SIGNALS])(seen_signals *seen, const ccmod_signal *signal) = {
    [CCMOD_SIGNAL_CONFIG] = check_config,        [CCMOD_SIGNAL_GO_END] = check_end,
    [CCMOD_SIGNAL_NEWSCOM] = check_start,        [CCMOD_SIGNAL_SYSCONT] = check_system,
    [CCMOD_SIGNAL_MSGCONT] = check_contention,   [CCMOD_SIGNAL_COMMCOST] = check_cost,
    [CCMOD_SIGNAL_EVENTHORIZON] = check_horizon, [CCMOD_SIGNAL_UPPR_PROC] = check_interval,
    [CCMOD_SIGNAL_UPPR_SCOM] = check_remaining,  [CCMOD_SIGNAL_UPPR_PCNS] = check_packets,
    [CCMOD_SIGNAL_UPPR_END] = check_message_end,
};

static ccmod_status take_signal(void *self, const ccmod_signal *signal, ccmod_error *error)
{
    seen_signals *seen = self;

    (void)error;
    seen->kinds |= CCMOD_WANTS(signal->kind);
    if (checks[signal->kind] != NULL)
        checks[signal->kind](seen, signal);
    return CCMOD_OK;
}

static void check_totals(const seen_signals *seen, const ccmod_result *result)
{
    ck_assert_uint_eq(seen->kinds, CCMOD_WANTS_ALL);
    ck_assert_uint_eq(seen->started, result->messages);
    ck_assert_uint_eq(seen->ended, result->messages);
    ck_assert_double_eq_tol(seen->end_us, result->end_us, tolerance);
    ck_assert_double_eq_tol(seen->horizons_us, result->end_us, tolerance);
    for (size_t i = 0; i < PROCESSORS; i++)
        ck_assert_double_eq_tol(seen->intervals_us[i], ccmod_result_processor(result, i).clock_us,
                                tolerance);
}

/* Observers of horizons change nothing: fifo uses the same algorithm. */
static void check_alone(const record_table *table, const ccmod_network *network,
                        const ccmod_calibration *calibration, const ccmod_parameters *parameters,
                        const ccmod_result *observed)
{
    ccmod_workload *workload = records_workload(table);
    ccmod_result *result = NULL;
    ccmod_error error;

    ck_assert_msg(ccmod_evaluate(workload, network, calibration, parameters, NULL, 0, &result,
                                 &error) == CCMOD_OK,
                  "%s", error.text);
    ck_assert_double_eq(result->end_us, observed->end_us);
    ck_assert_uint_eq(result->cycles, observed->cycles);
    ccmod_result_free(result);
    ccmod_workload_free(workload);
}

static void evaluate(const ccmod_network *network, ccmod_mode mode, ccmod_share share,
                     uint64_t seed)
{
    static const random_shape shape = {PROCESSORS, 12, 3000, 50, true};
    record_table table = records_random(&shape, seed);
    ccmod_workload *workload = records_workload(&table);
    ccmod_calibration calibration = ccmod_calibration_line(3, 7, 80);
    ccmod_parameters parameters = ccmod_parameters_default();
    seen_signals *seen = calloc(1, sizeof(*seen));
    ccmod_observer observer = {CCMOD_WANTS_ALL, take_signal, seen};
    ccmod_result *result = NULL;
    ccmod_error error;

    ck_assert_ptr_nonnull(seen);
    parameters.mode = mode;
    parameters.share = share;
    seen->queued = share == CCMOD_FIFO;
    ck_assert_msg(ccmod_evaluate(workload, network, &calibration, &parameters, &observer, 1,
                                 &result, &error) == CCMOD_OK,
                  "%s", error.text);
    check_totals(seen, result);
    if (share == CCMOD_FIFO)
        check_alone(&table, network, &calibration, &parameters, result);
    ccmod_result_free(result);
    ccmod_workload_free(workload);
    records_free(&table);
    free(seen->contention);
    free(seen);
}

static void evaluate_all(ccmod_mode mode, ccmod_share share)
{
    for (size_t i = 0; network_text(i) != NULL; i++) {
        ccmod_network *network = graph_open(network_text(i), PROCESSORS);

        for (uint64_t seed = 1; seed <= 4; seed++)
            evaluate(network, mode, share, 100 * i + seed);
        ccmod_network_free(network);
    }
}

START_TEST(signals_of_mode_paper_agree)
{
    evaluate_all(CCMOD_PAPER, CCMOD_BOTTLENECK);
}
END_TEST

START_TEST(signals_of_mode_split_agree)
{
    evaluate_all(CCMOD_SPLIT, CCMOD_BOTTLENECK);
}
END_TEST

START_TEST(signals_of_max_min_shares_agree)
{
    evaluate_all(CCMOD_SPLIT, CCMOD_MAXMIN);
}
END_TEST

START_TEST(signals_of_packets_one_after_the_other_agree)
{
    evaluate_all(CCMOD_SPLIT, CCMOD_FIFO);
    evaluate_all(CCMOD_PAPER, CCMOD_FIFO);
}
END_TEST

UNIT_MAIN("horizons", signals_of_mode_paper_agree, signals_of_mode_split_agree,
          signals_of_max_min_shares_agree, signals_of_packets_one_after_the_other_agree)
