/* Background load of links: none, one for all, or drawn for each cell and interval. A drawn load is
 * a function of seed, cell and interval alone, so that cells without messages need none. Internal
 * to src/model. */
#ifndef MODEL_SHARING_BACKGROUND_H
#define MODEL_SHARING_BACKGROUND_H

#include "model/sharing/traffic.h"

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
