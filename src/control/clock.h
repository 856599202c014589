/* The arithmetic of clock offsets, apart from the messages that feed it. */
#ifndef CONTROL_CLOCK_H
#define CONTROL_CLOCK_H

#include "control/control.h"

/* One exchange with rank 0, each instant on the clock of who noted it. */
typedef struct {
    uint64_t sent_ns, reference_ns, received_ns;
} control_round_trip;

/* The estimate of the fastest of `count` > 0 round trips; drift 0. */
control_clock control_clock_estimate(const control_round_trip *trips, size_t count);

/* `later` with the drift that lies between two estimates. */
control_clock control_clock_refresh(const control_clock *earlier, control_clock later);

#endif
