/* Signals of an event horizon that every share rule sends alike. */
#include "model/sharing/horizons.h"

#include <stdlib.h>

static ccmod_status signal_contention(ccmod_traffic *traffic, double clock_us)
{
    uint32_t *counts = malloc(traffic->cell_count * sizeof(*counts));
    ccmod_signal signal = {.of.system = {counts, traffic->cell_count}};
    ccmod_status status;

    if (counts == NULL)
        return ccmod_traffic_no_memory(traffic);
    for (size_t i = 0; i < traffic->cell_count; i++)
        counts[i] = traffic->cells[i].count;
    status = ccmod_signal_send(&traffic->audience, CCMOD_SIGNAL_SYSCONT, clock_us, &signal);
    free(counts);
    return status;
}

ccmod_status ccmod_horizon_signal_traffic(ccmod_traffic *traffic, double since_us)
{
    const signal_audience *audience = &traffic->audience;
    ccmod_signal cycle = {.of.cycle = {traffic->cycles, traffic->live}};

    if (audience_expects(audience, CCMOD_SIGNAL_GO_STARTEVENT))
        CCMOD_TRY(ccmod_signal_send(audience, CCMOD_SIGNAL_GO_STARTEVENT, since_us, &cycle));
    if (audience_expects(audience, CCMOD_SIGNAL_SYSCONT))
        CCMOD_TRY(signal_contention(traffic, since_us));
    return CCMOD_OK;
}

ccmod_status ccmod_horizon_signal_duration(const ccmod_traffic *traffic, double since_us,
                                           double passed_us)
{
    ccmod_signal horizon = {.of.horizon = {passed_us}};

    if (!audience_expects(&traffic->audience, CCMOD_SIGNAL_EVENTHORIZON))
        return CCMOD_OK;
    return ccmod_signal_send(&traffic->audience, CCMOD_SIGNAL_EVENTHORIZON, since_us, &horizon);
}
