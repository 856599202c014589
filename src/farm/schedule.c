/* The instants of an open loop. A periodic one is computed from the number of the event and not
 * added up, so that no rounding gathers. */
#include "farm/schedule.h"

#include <math.h>

enum { COUNTED_SINGLY = 1000000 };

farm_schedule farm_schedule_make(double rate_hz, bool poisson, uint64_t seed, uint64_t start_ns)
{
    return (farm_schedule){.interval_ns = 1e9 / rate_hz,
                           .poisson = poisson,
                           .random = cb_random_seed(seed),
                           .start_ns = start_ns};
}

static uint64_t periodic_instant(const farm_schedule *schedule, uint64_t number)
{
    return schedule->start_ns + (uint64_t)((double)number * schedule->interval_ns);
}

uint64_t farm_schedule_next(farm_schedule *schedule)
{
    schedule->number++;
    if (!schedule->poisson)
        return periodic_instant(schedule, schedule->number);
    schedule->elapsed_ns -= log1p(-cb_random_unit(&schedule->random)) * schedule->interval_ns;
    return schedule->start_ns + (uint64_t)schedule->elapsed_ns;
}

/* Instants are whole nanoseconds, so that all of the last one counts. Rounding may bring the
 * quotient up to the event after, never down, up to 2^53 ns: 104 days. */
static uint64_t due_periodically(const farm_schedule *schedule, uint64_t until_ns)
{
    double elapsed_ns = (double)(until_ns - schedule->start_ns) + 1;
    uint64_t due = (uint64_t)(elapsed_ns / schedule->interval_ns);

    while (due > 0 && periodic_instant(schedule, due) > until_ns)
        due--;
    return due > schedule->number ? due - schedule->number : 0;
}

uint64_t farm_schedule_due(const farm_schedule *schedule, uint64_t until_ns)
{
    farm_schedule ahead = *schedule;
    uint64_t due = 0, instant_ns = 0;

    if (until_ns < schedule->start_ns)
        return 0;
    if (!schedule->poisson)
        return due_periodically(schedule, until_ns);
    while (due < COUNTED_SINGLY && (instant_ns = farm_schedule_next(&ahead)) <= until_ns)
        due++;
    if (instant_ns <= until_ns && due > 0)
        due += (uint64_t)((double)(until_ns - instant_ns) / schedule->interval_ns);
    return due;
}
