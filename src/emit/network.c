/* A record of a rank is what its coroutine asks for when it pauses. Sends never wait for their
 * receives: the programs whose order depends on the network have windows of their own. */
#include "emit/network.h"

#include <string.h>

#include <ccmod/ccmod.h>

#include "base/log.h"
#include "base/memory.h"

static const double default_bandwidth_MBps = 1000;

struct emit_network {
    ccmod_network *network;
    ccmod_calibration calibration;
    ccmod_parameters parameters;
    /* Of a run */
    emit_scheduler *scheduler;
    emit_recorder *recorder;
    cb_status status; /* of the first rank that failed */
};

static cb_status report(ccmod_status status, const ccmod_error *error)
{
    if (status == CCMOD_OK)
        return CB_OK;
    cb_error("--emit-trace: %s", error->text);
    return status == CCMOD_ERROR_MEMORY ? CB_ERROR_MEMORY : CB_ERROR_USAGE;
}

static cb_status parse_share(const char *text, ccmod_share *out)
{
    static const ccmod_share usable[] = {CCMOD_FIFO, CCMOD_TCP, CCMOD_MAXMIN, CCMOD_BOTTLENECK};

    *out = CCMOD_FIFO;
    if (text == NULL)
        return CB_OK;
    for (size_t i = 0; i < sizeof(usable) / sizeof(usable[0]); i++)
        if (strcmp(text, ccmod_share_name(usable[i])) == 0) {
            *out = usable[i];
            return CB_OK;
        }
    cb_error("--trace-share '%s': it is no rule of ccmod; use one of %s, %s, %s and %s", text,
             ccmod_share_name(usable[0]), ccmod_share_name(usable[1]), ccmod_share_name(usable[2]),
             ccmod_share_name(usable[3]));
    return CB_ERROR_USAGE;
}

static ccmod_status open_model(const bench_options *options, size_t ranks, emit_network *made,
                               ccmod_error *error)
{
    const char *network = options->trace_network;
    ccmod_status status = CCMOD_OK;

    made->calibration = ccmod_calibration_line(0, 0, default_bandwidth_MBps);
    if (options->trace_calibration != NULL)
        status = ccmod_calibration_open(options->trace_calibration, &made->calibration, error);
    made->calibration.eager_bytes = UINT64_MAX;
    if (status == CCMOD_OK)
        status = ccmod_network_open(network != NULL ? network : "crossbar", ranks, &made->network,
                                    error);
    return status == CCMOD_OK ? ccmod_network_share_ends(&made->calibration, &made->network, error)
                              : status;
}

cb_status emit_network_open(const bench_options *options, size_t ranks, emit_network **out)
{
    emit_network *made = cb_allocate(1, sizeof(*made), "the network of a trace");
    ccmod_error error;

    *out = made;
    if (made == NULL)
        return CB_ERROR_MEMORY;
    made->parameters = ccmod_parameters_default();
    made->parameters.seed = options->seed;
    CB_TRY(parse_share(options->trace_share, &made->parameters.share));
    return report(open_model(options, ranks, made, &error), &error);
}

void emit_network_close(emit_network *network)
{
    if (network == NULL)
        return;
    ccmod_network_free(network->network);
    free(network);
}

static ccmod_status next_record(ccmod_workload *workload, uint32_t rank, ccmod_record *record,
                                ccmod_error *error)
{
    static const ccmod_record_kind kinds[] = {[EMIT_SEND] = CCMOD_START_SEND,
                                              [EMIT_RECEIVE] = CCMOD_RECEIVE,
                                              [EMIT_LISTEN] = CCMOD_LISTEN,
                                              [EMIT_COMPUTE] = CCMOD_COMPUTE};
    emit_network *network = workload->self;
    const emit_request *request = emit_recorder_request(network->recorder, rank);
    bool ended;

    network->status = emit_scheduler_resume(network->scheduler, rank, &ended);
    if (network->status != CB_OK)
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0, "rank %u failed", rank);
    *record = (ccmod_record){.kind = ended ? CCMOD_END : kinds[request->action],
                             .peer = request->peer,
                             .size_bytes = request->action == EMIT_RECEIVE ? CCMOD_ANY_SIZE
                                                                           : request->size_bytes,
                             .time_us = request->time_us,
                             .measured_us = -1};
    return CCMOD_OK;
}

static ccmod_status note_arrival(void *self, const ccmod_signal *signal, ccmod_error *error)
{
    const emit_network *network = self;

    (void)error;
    emit_recorder_arrive(network->recorder, signal->of.message.destinations[0],
                         signal->of.message.source);
    return CCMOD_OK;
}

cb_status emit_network_run(emit_network *network, emit_scheduler *scheduler,
                           emit_recorder *recorder)
{
    ccmod_workload workload = {.name = "the ranks of the trace",
                               .processors = emit_recorder_ranks(recorder),
                               .next = next_record,
                               .self = network};
    const ccmod_observer observer = {.wanted = CCMOD_WANTS(CCMOD_SIGNAL_UPPR_END),
                                     .signal = note_arrival,
                                     .self = network};
    ccmod_result *result = NULL;
    ccmod_error error;
    ccmod_status status;

    network->scheduler = scheduler;
    network->recorder = recorder;
    network->status = CB_OK;
    status = ccmod_evaluate(&workload, network->network, &network->calibration,
                            &network->parameters, &observer, 1, &result, &error);
    ccmod_result_free(result);
    return network->status != CB_OK ? network->status : report(status, &error);
}
