/* Arrivals of events at a rate (--arrivals): the process, and the due times that follow from it.
 *
 *   periodic           equal intervals
 *   poisson            exponential intervals
 *   gamma:SHAPE        gamma intervals of that shape; 1 is a Poisson process
 *   bursts:LENGTH,GAP  LENGTH events, GAP apart; a burst starts LENGTH / rate after the one before
 *   train:FILE         events in the filled slots of an orbit (train.h)
 *
 * The mean rate of each is the given rate. A due time depends only on process, rate, seed and event
 * number, not on what the ranks do. docs/reference/arrivals.md defines the processes. */
#ifndef RATE_ARRIVALS_H
#define RATE_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "base/status.h"
#include "rate/train.h"

typedef enum {
    FARM_PERIODIC,
    FARM_POISSON,
    FARM_GAMMA,
    FARM_BURSTS,
    RATE_TRAIN,
    FARM_PROCESSES
} rate_process;

/* A process; all zero is FARM_PERIODIC. */
typedef struct {
    rate_process process;
    double shape;    /* FARM_GAMMA */
    uint64_t length; /* FARM_BURSTS: events of a burst, */
    double gap_ns;   /* and the time between two of them */
    rate_train train;
} rate_arrivals;

extern const rate_arrivals rate_arrivals_periodic;

/* Parse a value of --arrivals (NULL: periodic), and read its file. CB_ERROR_USAGE, logged;
 * CB_ERROR_MEMORY. Free with rate_arrivals_free. */
cb_status rate_arrivals_parse(const char *text, rate_arrivals *out);
void rate_arrivals_free(rate_arrivals *arrivals);

/* CB_ERROR_USAGE, logged, if events that are so far apart as the process says cannot come at this
 * rate: bursts that do not end before the next one, or more events than filled slots. A schedule of
 * such a rate has smaller gaps or shorter slots, just as small as the rate needs. */
cb_status rate_arrivals_check_rate(const rate_arrivals *arrivals, double rate_hz);

/* The number of events after which the intervals repeat; 1 if they do not. */
uint64_t rate_arrivals_period(const rate_arrivals *arrivals);

/* The number of events of a run, `wanted` or the next one above `least` that makes the run even:
 * twice a whole number of periods, and the first event of the next one. So the events of a run have
 * the offered rate, and its middle and its end are at the same place of a period. */
uint64_t rate_arrivals_events(const rate_arrivals *arrivals, uint64_t wanted, uint64_t least);

/* A pause between two events that is not exceeded, but for one random draw in 10^13. */
double rate_arrivals_longest_ns(const rate_arrivals *arrivals, double rate_hz);

/* Due times of one run. It refers to the process. */
typedef struct {
    const rate_arrivals *arrivals;
    double interval_ns; /* mean */
    double step_ns;     /* bursts: between two events of a burst; train: length of a slot */
    double chance;      /* train: of a filled slot to have an event */
    cb_random random;
    uint64_t start_ns;
    uint64_t number;   /* of events made so far */
    uint64_t bunch;    /* train: filled slots passed so far */
    double elapsed_ns; /* random intervals: from the start to the last event made */
} rate_schedule;

/* Make a schedule of events at `rate_hz` (above 0). Periodic events, bursts and orbits start one
 * mean interval after `start_ns`, and the first random interval starts at `start_ns`. */
rate_schedule rate_schedule_make(const rate_arrivals *arrivals, double rate_hz, uint64_t seed,
                                 uint64_t start_ns);

/* Hot. The time at which the next event falls due. Never earlier than the previous one. */
uint64_t rate_schedule_next(rate_schedule *schedule);

/* Number of further events that fall due by `until_ns`. Unless the process is periodic, they are
 * counted one by one up to a million, then estimated from the mean. */
uint64_t rate_schedule_due(const rate_schedule *schedule, uint64_t until_ns);

/* The same without the events that are due together with the last one made, at `made_ns`: the rest
 * of a burst without gaps. */
uint64_t rate_schedule_overdue(const rate_schedule *schedule, uint64_t made_ns, uint64_t until_ns);

#endif
