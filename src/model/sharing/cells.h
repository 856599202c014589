/* Cells (links in one direction): contention, background load, and the resulting time of a message.
 * Inline, since it is hot. The background is none, one load for all cells, or random for each cell
 * and interval: a pure function of seed, cell and interval, so that idle cells need none. An
 * interval is one of time or, as in the article, one evaluation. Internal to src/model. */
#ifndef MODEL_SHARING_CELLS_H
#define MODEL_SHARING_CELLS_H

#include "model/sharing/traffic.h"

/* Number of messages that the cell carries at full rate. */
static inline double cell_width(const ccmod_traffic *traffic, uint32_t cell)
{
    return traffic->network->widths != NULL ? traffic->network->widths[cell] : 1;
}

/* Contention of a cell: messages per width, at least 1; the factor by which a message is slower
 * than on the quiet network. */
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

/* Time of `work_us` of quiet time on this cell. */
static inline double cell_time(const ccmod_traffic *traffic, uint32_t cell, double work_us)
{
    double time_us = work_us * cell_pressure(traffic, cell);

    return traffic->loads != NULL ? time_us / (1 - traffic->loads[cell]) : time_us;
}

/* BA of the messages with their bottleneck here. */
static inline double cell_availability(const ccmod_traffic *traffic, uint32_t cell)
{
    return (1 - cell_load(traffic, cell)) / cell_pressure(traffic, cell);
}

/* Whether a message on both cells has its bottleneck on `left`: more contention, or equal
 * contention and a higher background load. */
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

/* Loads stay below 1, so that every message makes progress. */
#define BACKGROUND_LARGEST_LOAD 0.99

/* Whether loads are random. */
static inline bool background_varies(const ccmod_traffic *traffic)
{
    return traffic->network->operations->background != NULL ||
           traffic->parameters.background == CCMOD_BACKGROUND_EXPONENTIAL;
}

/* Set constant loads; random ones are drawn for a cell when a message arrives. */
ccmod_status ccmod_background_open(ccmod_traffic *traffic);
/* A message enters the links: update the loads of its cells to the current interval. */
void ccmod_background_admit(ccmod_traffic *traffic, const traffic_message *message);
/* traffic->interval has advanced: update the loads of the message's cells. */
void ccmod_background_refresh(ccmod_traffic *traffic, const traffic_message *message);
/* Evaluate a single cell, with fifo: draw its next load. */
void ccmod_background_draw(ccmod_traffic *traffic, uint32_t cell);
/* With fifo: when `work_us` of quiet time is done that the cell begins at `start_us`. A load that
 * is drawn in intervals of time changes meanwhile. */
double ccmod_background_end_us(ccmod_traffic *traffic, uint32_t cell, double start_us,
                               double work_us);

/* Whether random loads are drawn at each evaluation of a cell instead of in intervals of time. */
static inline bool background_is_evaluated(const ccmod_traffic *traffic)
{
    return traffic->drawn != NULL && !(traffic->parameters.background_interval_us > 0);
}

/* End of the interval; infinite if loads are not drawn in intervals or no message is on the links.
 */
static inline double background_boundary_us(const ccmod_traffic *traffic)
{
    if (traffic->drawn == NULL || traffic->live == 0 || background_is_evaluated(traffic))
        return HUGE_VAL;
    return (double)(traffic->interval + 1) * traffic->parameters.background_interval_us;
}

#endif
