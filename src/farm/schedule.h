/* When events fall due in an open loop: at a fixed rate, or as a Poisson process. Pure: an instant
 * follows from the rate, the seed and the number of the event, whatever the farm does meanwhile. */
#ifndef FARM_SCHEDULE_H
#define FARM_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"

typedef struct {
    double interval_ns; /* mean */
    bool poisson;
    cb_random random;
    uint64_t start_ns;
    uint64_t number;   /* of events made so far */
    double elapsed_ns; /* from the start to the last one made, of a Poisson process */
} farm_schedule;

/* Events at `rate_hz` (above 0), the first one interval after `start_ns`: a fixed interval, or one
 * drawn from an exponential distribution. */
farm_schedule farm_schedule_make(double rate_hz, bool poisson, uint64_t seed, uint64_t start_ns);

/* Hot. The instant at which the next event falls due. Never earlier than the one before. */
uint64_t farm_schedule_next(farm_schedule *schedule);

/* How many events, beside those made, fall due up to an instant; those of a Poisson process are
 * counted one by one up to a million, and beyond by their mean. */
uint64_t farm_schedule_due(const farm_schedule *schedule, uint64_t until_ns);

#endif
