/* Background load of cells. */
#include "model/sharing/cells.h"

#include <stdlib.h>

#include "base/random.h"

ccmod_status ccmod_background_open(ccmod_traffic *traffic)
{
    const ccmod_parameters *parameters = &traffic->parameters;
    bool varies = background_varies(traffic);

    if (!varies && parameters->background == CCMOD_BACKGROUND_NONE)
        return CCMOD_OK;
    traffic->loads = calloc(traffic->cell_count, sizeof(*traffic->loads));
    if (traffic->loads == NULL)
        return ccmod_traffic_no_memory(traffic);
    if (varies) {
        traffic->drawn = calloc(traffic->cell_count, sizeof(*traffic->drawn));
        return traffic->drawn != NULL ? CCMOD_OK : ccmod_traffic_no_memory(traffic);
    }
    for (size_t i = 0; i < traffic->cell_count; i++)
        traffic->loads[i] = parameters->background_load;
    return CCMOD_OK;
}

static double draw_load(const ccmod_traffic *traffic, uint32_t cell, uint64_t interval)
{
    const ccmod_network *network = traffic->network;
    double load;

    if (network->operations->background != NULL) {
        load = network->operations->background(network, cell, interval);
    } else {
        uint64_t place = cb_mix64(cb_mix64(traffic->parameters.seed) ^ cell);
        cb_random random = cb_random_seed(cb_mix64(place ^ cb_mix64(interval + 1)));

        load = -traffic->parameters.background_load * log(1 - cb_random_unit(&random));
    }
    return fmax(0, fmin(load, BACKGROUND_LARGEST_LOAD));
}

/* The cell's load in an interval; the last one is kept. */
static double load_in(ccmod_traffic *traffic, uint32_t cell, uint64_t interval)
{
    if (traffic->drawn[cell] != (uint32_t)interval + 1) {
        traffic->loads[cell] = draw_load(traffic, cell, interval);
        traffic->drawn[cell] = (uint32_t)interval + 1;
    }
    return traffic->loads[cell];
}

void ccmod_background_refresh(ccmod_traffic *traffic, const traffic_message *message)
{
    for (uint32_t i = 0; i < message->slot_count; i++)
        load_in(traffic, traffic->slots[message->slots + i].cell, traffic->interval);
}

void ccmod_background_draw(ccmod_traffic *traffic, uint32_t cell)
{
    load_in(traffic, cell, traffic->drawn[cell]);
}

double ccmod_background_end_us(ccmod_traffic *traffic, uint32_t cell, double start_us,
                               double work_us)
{
    double interval_us = traffic->parameters.background_interval_us;
    uint64_t interval;

    if (traffic->drawn == NULL || background_is_evaluated(traffic))
        return start_us + work_us / (1 - cell_load(traffic, cell));
    for (interval = (uint64_t)(start_us / interval_us);; interval++) {
        double left = 1 - load_in(traffic, cell, interval);
        double done_us = fmax(0, (double)(interval + 1) * interval_us - start_us) * left;

        if (work_us <= done_us)
            return start_us + work_us / left;
        work_us -= done_us;
        start_us = (double)(interval + 1) * interval_us;
    }
}

void ccmod_background_admit(ccmod_traffic *traffic, const traffic_message *message)
{
    if (traffic->drawn == NULL)
        return;
    /* intervals are not tracked while no link is in use: find the current one */
    if (traffic->live == 0 && !background_is_evaluated(traffic))
        traffic->interval = (uint64_t)((traffic->now_us + traffic_instant_us(traffic)) /
                                       traffic->parameters.background_interval_us);
    ccmod_background_refresh(traffic, message);
}
