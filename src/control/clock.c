/* Clocks against each other: the arithmetic of offsets and drift, without messages. */
#include "control/clock.h"

#include <math.h>

/* The half of the fastest round trip bounds the error, whatever the two ways cost each. */
control_clock control_clock_estimate(const control_round_trip *trips, size_t count)
{
    control_clock clock = {.bound_ns = (double)INFINITY};

    for (size_t i = 0; i < count; i++) {
        double half_ns = (double)(trips[i].received_ns - trips[i].sent_ns) / 2.0;

        if (half_ns < clock.bound_ns) {
            clock.bound_ns = half_ns;
            clock.at_ns = trips[i].sent_ns + (uint64_t)half_ns;
            clock.offset_ns = (double)((int64_t)(trips[i].reference_ns - clock.at_ns));
        }
    }
    return clock;
}

/* A drift smaller than what the two bounds could make up is none. */
control_clock control_clock_refresh(const control_clock *earlier, control_clock later)
{
    double moved_ns = later.offset_ns - earlier->offset_ns;
    double elapsed_ns = (double)(later.at_ns - earlier->at_ns);

    if (earlier->at_ns != 0 && later.at_ns > earlier->at_ns &&
        fabs(moved_ns) > earlier->bound_ns + later.bound_ns)
        later.drift = moved_ns / elapsed_ns;
    return later;
}

static double offset_at(const control_clock *clock, uint64_t local_ns)
{
    return clock->offset_ns + clock->drift * (double)(int64_t)(local_ns - clock->at_ns);
}

uint64_t control_clock_reference(const control_clock *clock, uint64_t local_ns)
{
    return local_ns + (uint64_t)(int64_t)llround(offset_at(clock, local_ns));
}

/* The line solved for the local instant: of the time by which the reference has moved on since the
 * anchor, this clock sees the part 1 / (1 + drift). */
uint64_t control_clock_local(const control_clock *clock, uint64_t reference_ns)
{
    uint64_t without_drift = reference_ns - (uint64_t)(int64_t)llround(clock->offset_ns);
    double elapsed_ns = (double)(int64_t)(without_drift - clock->at_ns);

    return without_drift -
           (uint64_t)(int64_t)llround(elapsed_ns * clock->drift / (1 + clock->drift));
}
