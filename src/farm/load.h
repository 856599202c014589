/* Offered load of an open loop: parsing of rates, and the due times of events.
 *
 * Events fall due at a fixed rate or as a Poisson process. Pure: a due time depends only on rate,
 * seed and event number, not on what the farm does. */
#ifndef FARM_LOAD_H
#define FARM_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "base/status.h"

/* A point of a load curve: a rate, or a share of the highest frequency. */
typedef struct {
    double rate_hz; /* 0: use `share` */
    double share;   /* 0.5: half of the highest frequency */
} farm_load_point;

enum { FARM_LOAD_POINTS = 64 };

/* Fewest events of an open loop at one rate, and its share of --max-time. */
enum { FARM_OPEN_EVENTS = 20, FARM_OPEN_SHARE_PCT = 90 };

/* Parse "10kHz,20kHz,50%": rates with units, and shares in per cent. CB_ERROR_USAGE, logged, for
 * invalid or repeated elements. */
cb_status farm_load_parse(const char *text, farm_load_point points[FARM_LOAD_POINTS],
                          size_t *count);

/* The rates that a value of --load-curve means: "auto" is a list of its own. */
const char *farm_load_curve(const char *text);

/* The rate of a point, where an event takes `event_ns` at the highest frequency. */
double farm_load_rate_hz(const farm_load_point *point, double event_ns);

/* Events of an open loop, at least `least`. It takes `time_ns` at its rate or, if the highest
 * frequency is lower, at that frequency: a rate that is too high does not lengthen the loop. */
uint64_t farm_load_events(double rate_hz, double event_ns, double time_ns, uint64_t least);

/* 0.99 for "p99"; 0 for an invalid name. */
double farm_quantile(const char *name);

typedef struct {
    double interval_ns; /* mean */
    bool poisson;
    cb_random random;
    uint64_t start_ns;
    uint64_t number;   /* of events made so far */
    double elapsed_ns; /* Poisson: from the start to the last event made */
} farm_schedule;

/* Make a schedule of events at `rate_hz` (above 0). The first is due one interval after `start_ns`.
 * Intervals are fixed, or drawn from an exponential distribution. */
farm_schedule farm_schedule_make(double rate_hz, bool poisson, uint64_t seed, uint64_t start_ns);

/* Hot. The time at which the next event falls due. Never earlier than the previous one. */
uint64_t farm_schedule_next(farm_schedule *schedule);

/* Number of further events that fall due by `until_ns`. For a Poisson process they are counted one
 * by one up to a million, then estimated from the mean. */
uint64_t farm_schedule_due(const farm_schedule *schedule, uint64_t until_ns);

#endif
