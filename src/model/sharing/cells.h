/* Cells, links in one direction: how much messages press on one, its background load, and what both
 * make of a message's time. Hot, and so inline. The background is none, one for all cells, or drawn
 * for each cell and interval; a drawn load is a function of seed, cell and interval alone, so that
 * cells without messages need none. Internal to src/model. */
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

/* Loads stay below 1, so that every message moves. */
#define BACKGROUND_LARGEST_LOAD 0.99

/* Loads that never change are filled in; others are drawn for a cell when a message comes to it. */
ccmod_status ccmod_background_open(ccmod_traffic *traffic);
/* A message comes to the links: its cells have the load of this interval. */
void ccmod_background_admit(ccmod_traffic *traffic, const traffic_message *message);
/* traffic->interval has gone on: so have the loads of the message's cells. */
void ccmod_background_refresh(ccmod_traffic *traffic, const traffic_message *message);

/* When the interval ends, if that matters: never without drawn loads or without messages on the
 * links. */
static inline double background_boundary_us(const ccmod_traffic *traffic)
{
    if (traffic->drawn == NULL || traffic->live == 0)
        return HUGE_VAL;
    return (double)(traffic->interval + 1) * traffic->parameters.background_interval_us;
}

#endif
