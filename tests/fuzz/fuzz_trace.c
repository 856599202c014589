/* Fuzz target for traces: the text is parsed, its records are played, and small traces are
 * evaluated in both modes. An accepted trace must be played within its bounds; a refused one
 * must get a message with file and reason; and two evaluations must give the same result. */
#include <math.h>
#include <string.h>

#include <ccmod/ccmod.h>

#include "tests/fuzz/fuzz.h"

enum { RANKS = 24, RECORDS = 3000 };

static void require_error(ccmod_status status, const ccmod_error *error)
{
    FUZZ_REQUIRE(status == error->status);
    FUZZ_REQUIRE(memchr(error->text, '\0', sizeof(error->text)) != NULL);
    FUZZ_REQUIRE(strncmp(error->text, "fuzz.cct", 8) == 0);
    FUZZ_REQUIRE(strlen(error->text) > 20);
}

/* End an evaluation that takes too long; check its records. */
typedef struct {
    size_t ranks, left;
} record_limit;

static bool has_size(ccmod_record_kind kind)
{
    return ccmod_sends(kind) || kind == CCMOD_RECEIVE || kind == CCMOD_START_RECEIVE ||
           kind == CCMOD_MULTICAST;
}

static bool receives(ccmod_record_kind kind)
{
    return kind == CCMOD_RECEIVE || kind == CCMOD_START_RECEIVE;
}

static ccmod_status check_record(void *self, const ccmod_signal *signal, ccmod_error *error)
{
    record_limit *limit = self;
    const ccmod_record *record = signal->of.event.record;

    FUZZ_REQUIRE(record->kind < CCMOD_RECORDS);
    FUZZ_REQUIRE(!has_size(record->kind) || record->size_bytes <= UINT64_C(1) << 53 ||
                 (receives(record->kind) && record->size_bytes == CCMOD_ANY_SIZE));
    FUZZ_REQUIRE(record->kind != CCMOD_COMPUTE ||
                 (record->time_us >= 0 && isfinite(record->time_us)));
    FUZZ_REQUIRE(record->kind == CCMOD_END || record->line > 0);
    if (limit->left-- > 0)
        return CCMOD_OK;
    return ccmod_fail(error, CCMOD_ERROR_INTERRUPTED, "fuzz.cct", 0, "enough of this evaluation");
}

/* The end time, or a negative number after an error. */
static double evaluate(const ccmod_trace *trace, ccmod_mode mode, ccmod_share share, bool plain)
{
    record_limit limit = {ccmod_trace_ranks(trace), RECORDS};
    ccmod_observer observer = {CCMOD_WANTS(CCMOD_SIGNAL_CREATEEVENT), check_record, &limit};
    ccmod_calibration calibration = ccmod_calibration_line(1, 2, 100);
    ccmod_parameters parameters = ccmod_parameters_default();
    ccmod_workload *workload = NULL;
    ccmod_network *network = NULL;
    ccmod_result *result = NULL;
    ccmod_error error;
    double end_us = -1;
    ccmod_status status;

    parameters.mode = mode;
    parameters.share = share;
    parameters.plain = plain;
    calibration.eager_bytes = 50;
    calibration.acknowledgement_us = 3;
    FUZZ_REQUIRE(ccmod_network_open("crossbar", limit.ranks, &network, &error) == CCMOD_OK);
    FUZZ_REQUIRE(ccmod_trace_workload(trace, 1, &workload, &error) == CCMOD_OK);
    status =
        ccmod_evaluate(workload, network, &calibration, &parameters, &observer, 1, &result, &error);
    if (status == CCMOD_OK)
        end_us = result->end_us;
    else
        require_error(status, &error);
    ccmod_result_free(result);
    ccmod_workload_free(workload);
    ccmod_network_free(network);
    return end_us;
}

static void evaluate_all(const ccmod_trace *trace)
{
    double split_us = evaluate(trace, CCMOD_SPLIT, CCMOD_BOTTLENECK, false);
    double again_us = evaluate(trace, CCMOD_SPLIT, CCMOD_BOTTLENECK, false);

    FUZZ_REQUIRE(!(split_us < again_us) && !(split_us > again_us));
    evaluate(trace, CCMOD_SPLIT, CCMOD_BOTTLENECK, true);
    evaluate(trace, CCMOD_SPLIT, CCMOD_FIFO, false);
    evaluate(trace, CCMOD_PAPER, CCMOD_BOTTLENECK, false);
}

static void try_text(const char *text, size_t size)
{
    ccmod_trace *trace = NULL;
    ccmod_error error;
    ccmod_status status = ccmod_trace_parse("fuzz.cct", text, size, &trace, &error);

    if (status != CCMOD_OK) {
        require_error(status, &error);
        return;
    }
    FUZZ_REQUIRE(ccmod_trace_ranks(trace) > 0);
    if (ccmod_trace_ranks(trace) <= RANKS)
        evaluate_all(trace);
    ccmod_trace_close(trace);
}

/* The input as it is, and after a valid head, since most changes to a head end the reading at
 * once. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char head[] = "%cct 1 ranks 4 unit us\n*:\n";
    char *headed = malloc(sizeof(head) - 1 + size);

    try_text((const char *)data, size);
    FUZZ_REQUIRE(headed != NULL);
    memcpy(headed, head, sizeof(head) - 1);
    memcpy(headed + sizeof(head) - 1, data, size);
    try_text(headed, sizeof(head) - 1 + size);
    free(headed);
    return 0;
}
