/* Offset and drift of clocks. Separate from control_mpi.c, since none of this needs MPI. */
#include "control/control.h"

#include <math.h>

/* Half of the fastest round trip bounds the error, whatever part of it each direction took. */
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

/* A drift within the sum of the two error bounds counts as zero. */
control_clock control_clock_refresh(const control_clock *earlier, control_clock later)
{
    double moved_ns = later.offset_ns - earlier->offset_ns;
    double elapsed_ns = (double)(later.at_ns - earlier->at_ns);

    if (earlier->at_ns != 0 && later.at_ns > earlier->at_ns &&
        fabs(moved_ns) > earlier->bound_ns + later.bound_ns)
        later.drift = moved_ns / elapsed_ns;
    return later;
}

uint64_t control_clock_reference(const control_clock *clock, uint64_t local_ns)
{
    double elapsed_ns = (double)(int64_t)(local_ns - clock->at_ns);

    return local_ns + (uint64_t)(int64_t)llround(clock->offset_ns + clock->drift * elapsed_ns);
}

/* Inverts control_clock_reference: of the time passed on rank 0's clock since the estimate, this
 * clock sees 1 / (1 + drift). */
uint64_t control_clock_local(const control_clock *clock, uint64_t reference_ns)
{
    uint64_t without_drift = reference_ns - (uint64_t)(int64_t)llround(clock->offset_ns);
    double elapsed_ns = (double)(int64_t)(without_drift - clock->at_ns);

    return without_drift -
           (uint64_t)(int64_t)llround(elapsed_ns * clock->drift / (1 + clock->drift));
}
