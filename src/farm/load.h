/* The load of an open loop: as options give it, and the instants at which events fall due, at a
 * fixed rate or as a Poisson process. Pure: an instant follows from the rate, the seed and the
 * number of the event, whatever the farm does meanwhile. */
#ifndef FARM_LOAD_H
#define FARM_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "base/status.h"

/* A point of a load curve: a rate, or a share of what the closed loop reached. */
typedef struct {
    double rate_hz; /* 0: the share counts */
    double share;   /* 0.5: half of the closed loop's frequency */
} farm_load_point;

enum { FARM_LOAD_POINTS = 64 };

/* What an open loop at one rate has at least, and how much of --max-time it takes. */
enum { FARM_OPEN_EVENTS = 20, FARM_OPEN_SHARE_PCT = 90 };

/* "10kHz,20kHz,50%": rates with units, and shares in per cent. CB_ERROR_USAGE, logged, for what is
 * no such list, or repeats an element. */
cb_status farm_load_parse(const char *text, farm_load_point points[FARM_LOAD_POINTS],
                          size_t *count);

/* 0.99 for "p99"; 0 for what is no quantile. */
double farm_quantile(const char *name);

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
