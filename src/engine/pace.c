/* The pace of the last few batches, and what may be staked on the next one. */
#include "engine/pace.h"

#include <math.h>
#include <stdbool.h>

/* Of the limit, on one batch; and how far apart batches are on a machine that is quiet. */
static const double steady_stake = 0.25, unsteady_stake = 0.125, steady_ratio = 1.25;

void pace_note(batch_pace *pace, double batch_ns, double steps)
{
    pace->steps_ns[pace->count++ % PACE_BATCHES] = fmax(batch_ns / steps, 0.1);
}

static size_t kept(const batch_pace *pace)
{
    return pace->count < PACE_BATCHES ? pace->count : PACE_BATCHES;
}

double pace_latest_ns(const batch_pace *pace)
{
    return pace->count > 0 ? pace->steps_ns[(pace->count - 1) % PACE_BATCHES] : 0;
}

double pace_slowest_ns(const batch_pace *pace)
{
    double slowest_ns = 0;

    for (size_t i = 0; i < kept(pace); i++)
        slowest_ns = fmax(slowest_ns, pace->steps_ns[i]);
    return slowest_ns;
}

static double fastest_of(const batch_pace *pace)
{
    double fastest_ns = HUGE_VAL;

    for (size_t i = 0; i < kept(pace); i++)
        fastest_ns = fmin(fastest_ns, pace->steps_ns[i]);
    return fastest_ns;
}

double pace_affordable(const batch_pace *pace, double left_ns, double limit_ns)
{
    double slowest_ns = pace_slowest_ns(pace);
    bool steady = slowest_ns <= steady_ratio * fastest_of(pace);
    double stake_ns = limit_ns * (steady ? steady_stake : unsteady_stake);

    return pace->count > 0 ? fmin(left_ns, stake_ns) / slowest_ns : HUGE_VAL;
}
