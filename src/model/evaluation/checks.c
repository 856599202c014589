/* What an evaluation is given, looked at before it begins. */
#include <ccmod/evaluation.h>

#include <math.h>

#include "model/sharing/background.h"
#include "model/sharing/traffic.h"

static ccmod_status check_calibration(const ccmod_calibration *calibration, ccmod_error *error)
{
    bool right = calibration->line_count > 0 && calibration->line_count <= CCMOD_LINES &&
                 calibration->hold_count <= CCMOD_LINES;
    const double extras[] = {calibration->hop_us, calibration->gap_us, calibration->barrier_us,
                             calibration->acknowledgement_us};

    for (size_t i = 0; right && i < calibration->line_count; i++) {
        const ccmod_line *line = &calibration->lines[i];

        right = line->overhead_us >= 0 && line->latency_us >= 0 && line->us_per_byte >= 0 &&
                isfinite(line->overhead_us + line->latency_us + line->us_per_byte);
    }
    for (size_t i = 0; right && i < calibration->hold_count; i++) {
        const ccmod_line *hold = &calibration->holds[i];

        right = hold->latency_us >= 0 && hold->us_per_byte >= 0 &&
                isfinite(hold->latency_us + hold->us_per_byte);
    }
    for (size_t i = 0; i < sizeof(extras) / sizeof(extras[0]); i++)
        right = right && extras[i] >= 0 && isfinite(extras[i]);
    if (right)
        return CCMOD_OK;
    return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                      "cannot evaluate with this calibration: it needs 1 to %d lines, and every "
                      "time of it must be 0 or more and finite; correct it",
                      (int)CCMOD_LINES);
}

static ccmod_status check_parameters(const ccmod_parameters *parameters, ccmod_error *error)
{
    if (!(parameters->background_load >= 0 &&
          parameters->background_load <= BACKGROUND_LARGEST_LOAD))
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "cannot evaluate with a background load of %g; it must be between 0 and "
                          "%g",
                          parameters->background_load, BACKGROUND_LARGEST_LOAD);
    if (!(parameters->background_interval_us >= 1) || isinf(parameters->background_interval_us))
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "cannot evaluate with background intervals of %g us; they must be at "
                          "least 1 us long",
                          parameters->background_interval_us);
    return CCMOD_OK;
}

/* What ends an evaluation before its traces do. */
static ccmod_status check_stop(const ccmod_parameters *parameters, const ccmod_workload *workload,
                               ccmod_error *error)
{
    bool counted = parameters->rate_of != CCMOD_NOBODY;

    if (!(parameters->until_us >= 0) || isinf(parameters->until_us))
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "cannot evaluate until %g us; give a time above 0, or 0 for all of the "
                          "trace",
                          parameters->until_us);
    if (!(parameters->precision >= 0 && parameters->precision < 1) ||
        (parameters->precision > 0 && !counted))
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "cannot evaluate to a precision of %g of nobody's rate; say whose "
                          "receives are counted, and give a share from 0 to below 1",
                          parameters->precision);
    if (counted && parameters->rate_of >= workload->processors)
        return ccmod_fail(error, CCMOD_ERROR_USAGE, workload->name, 0,
                          "cannot count what rank %u receives: there are %zu ranks; name one of "
                          "them",
                          parameters->rate_of, workload->processors);
    return CCMOD_OK;
}

static ccmod_status check_network(const ccmod_network *network, const ccmod_workload *workload,
                                  ccmod_error *error)
{
    if (workload->processors < 1 || workload->processors > TRAFFIC_LARGEST_COUNT ||
        workload->processors > network->nodes)
        return ccmod_fail(error, CCMOD_ERROR_USAGE, workload->name, 0,
                          "cannot evaluate %zu ranks on the network '%s' of %zu nodes; take as "
                          "many nodes as ranks at least",
                          workload->processors, network->name, network->nodes);
    if (network->longest_route < 1 || network->payload_bytes < 1 ||
        network->links > (TRAFFIC_NONE - 1) / 2)
        return ccmod_fail(error, CCMOD_ERROR_USAGE, NULL, 0,
                          "the network '%s' is not complete: it must state its longest route, the "
                          "payload of a packet, and fewer than 2^31 links",
                          network->name);
    return CCMOD_OK;
}

ccmod_status ccmod_check(const ccmod_workload *workload, const ccmod_network *network,
                         const ccmod_calibration *calibration, const ccmod_parameters *parameters,
                         ccmod_error *error)
{
    CCMOD_TRY(check_calibration(calibration, error));
    CCMOD_TRY(check_parameters(parameters, error));
    CCMOD_TRY(check_stop(parameters, workload, error));
    return check_network(network, workload, error);
}
