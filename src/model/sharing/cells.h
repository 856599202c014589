/* How much messages press on a cell, a link in one direction, and what that makes of their time.
 * Hot, and so inline. Internal to src/model. */
#ifndef MODEL_SHARING_CELLS_H
#define MODEL_SHARING_CELLS_H

#include "model/sharing/traffic.h"

/* How many messages the cell carries at full rate. */
static inline double cell_width(const ccmod_traffic *traffic, uint32_t cell)
{
    return traffic->network->widths != NULL ? traffic->network->widths[cell] : 1;
}

/* How much faster a message would be on the quiet network: messages per width, at least 1. */
static inline double cell_pressure_of(const ccmod_traffic *traffic, uint32_t cell, double count)
{
    if (traffic->network->widths != NULL)
        count /= traffic->network->widths[cell];
    return count > 1 ? count : 1;
}

static inline double cell_pressure(const ccmod_traffic *traffic, uint32_t cell)
{
    return cell_pressure_of(traffic, cell, traffic->cells[cell].count);
}

static inline double cell_load(const ccmod_traffic *traffic, uint32_t cell)
{
    return traffic->loads != NULL ? traffic->loads[cell] : 0;
}

/* How long `work_us` of quiet time take here. */
static inline double cell_time(const ccmod_traffic *traffic, uint32_t cell, double work_us)
{
    double time_us = work_us * cell_pressure(traffic, cell);

    return traffic->loads != NULL ? time_us / (1 - traffic->loads[cell]) : time_us;
}

/* BA of the messages whose bottleneck is here. */
static inline double cell_availability(const ccmod_traffic *traffic, uint32_t cell)
{
    return (1 - cell_load(traffic, cell)) / cell_pressure(traffic, cell);
}

/* Whether a message on both has its bottleneck on `left`: more contention, or as much and a higher
 * background load. */
static inline bool cell_presses_more(const ccmod_traffic *traffic, uint32_t left, uint32_t right)
{
    double a, b;

    if (traffic->network->widths == NULL && traffic->loads == NULL)
        return traffic->cells[left].count > traffic->cells[right].count &&
               traffic->cells[left].count > 1;
    a = cell_pressure(traffic, left);
    b = cell_pressure(traffic, right);
    return a > b || (!(a < b) && cell_load(traffic, left) > cell_load(traffic, right));
}

#endif
