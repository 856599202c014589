/* Clocks of different hosts: the arithmetic of offsets and drift, without the messages that feed it
 * (control_synchronise). */
#ifndef CONTROL_CLOCK_H
#define CONTROL_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* This rank's clock compared with rank 0's: instant_of_rank0 = instant_here + offset, where the
 * offset is offset_ns at at_ns and changes by drift. */
typedef struct {
    double offset_ns;
    double drift;    /* change of the offset per ns, 0 where it is not significant */
    double bound_ns; /* half of the fastest round trip: the offset cannot be wrong by more */
    uint64_t at_ns;  /* local instant to which offset_ns belongs */
} control_clock;

/* An instant of rank 0's clock on this rank's, and back. */
uint64_t control_clock_local(const control_clock *clock, uint64_t reference_ns);
uint64_t control_clock_reference(const control_clock *clock, uint64_t local_ns);

/* One exchange with rank 0: the reference on its clock, the other two on this rank's. */
typedef struct {
    uint64_t sent_ns, reference_ns, received_ns;
} control_round_trip;

/* The estimate of the fastest of `count` > 0 round trips; drift 0. */
control_clock control_clock_estimate(const control_round_trip *trips, size_t count);

/* `later` with the drift between the two estimates. */
control_clock control_clock_refresh(const control_clock *earlier, control_clock later);

#endif
