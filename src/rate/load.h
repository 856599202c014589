/* Offered load of an open loop: parsing of rates, and how many events make a run. Pure but for
 * rate_load_agree. arrivals.h has the due times of the events. */
#ifndef RATE_LOAD_H
#define RATE_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "control/control.h"
#include "rate/arrivals.h"

/* A point of a load curve: a rate, or a share of the highest frequency. */
typedef struct {
    double rate_hz; /* 0: use `share` */
    double share;   /* 0.5: half of the highest frequency */
} rate_load_point;

enum { RATE_LOAD_POINTS = 64 };

/* Fewest events of an open loop at one rate. */
enum { RATE_OPEN_EVENTS = 20 };

/* Parse "10kHz,20kHz,50%": rates with units, and shares in per cent. CB_ERROR_USAGE, logged, for
 * invalid or repeated elements. */
cb_status rate_load_parse(const char *text, rate_load_point points[RATE_LOAD_POINTS],
                          size_t *count);

/* The rates that a value of --load-curve means: "auto" is a list of its own. */
const char *rate_load_curve(const char *text);

/* The rate of a point, where an event takes `event_ns` at the highest frequency. */
double rate_load_rate_hz(const rate_load_point *point, double event_ns);

/* Events of an open loop, at least `least`, rounded by rate_arrivals_events. It takes `time_ns` at
 * its rate or, if the highest frequency is lower, at that frequency: a rate that is too high does
 * not lengthen the loop. `time_ns` may be negative: the time is over. */
uint64_t rate_load_events(const rate_arrivals *arrivals, double rate_hz, double event_ns,
                          double time_ns, uint64_t least);

/* Whether a run at this rate can end within `limit_ns`: the arrivals' period may be longer. */
bool rate_load_fits(const rate_arrivals *arrivals, double rate_hz, double limit_ns);

/* CB_ERROR_USAGE, logged, if the arrivals differ between members of the team, as those from files
 * of several hosts may. Collective over the team. */
cb_status rate_load_agree(control_team *team, const rate_arrivals *arrivals);

/* 0.99 for "p99"; 0 for an invalid name. */
double rate_quantile(const char *name);

#endif
