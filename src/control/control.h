/* The control plane: the ranks of the job, teams, agreement, gathering, clocks. Always over MPI,
 * whatever technology moves the data.
 *
 * No function here is called inside a timed section. All waiting is by testing with growing sleeps
 * (10 us to 5 ms): a rank that waits in MPI_Barrier would take a core from the ranks that measure.
 */
#ifndef CONTROL_CONTROL_H
#define CONTROL_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct control control;

/* A subset of the ranks, for one measurement or for all; the rank at index 0 gathers. */
typedef struct control_team control_team;

/* Rank of this process according to its launcher, before any MPI call: 0 without a launcher. */
int control_launch_rank(void);

/* Ranks that the launcher started on this host, before any MPI call: 0 when that is not known. */
int control_launch_local_size(void);

/* Whether a launcher has started this process, so that others may wait for it in control_open:
 * before any MPI call. */
bool control_launched(void);

/* Ask the MPI library, before it starts, to yield the core while it waits, or not to. A library
 * without such a setting is not affected; the technology reads back what happens. */
void control_request_yield(bool yield);

/* Start MPI. With `threads` the process may make others beside this one, as long as they call
 * nothing of MPI (thread level FUNNELED). Without, the library may leave out its locks (SINGLE):
 * Open MPI 4.1 does, and needs 0.6 of the time for a small message in shared memory. Collective.
 * The caller closes *out. */
cb_status control_open(bool threads, control **out);
void control_close(control *plane);

int control_rank(const control *plane);
int control_size(const control *plane);

/* All ranks. Owned by the control plane. */
control_team *control_everyone(control *plane);

/* While this rank waits for others `look` is called from time to time, and at once when a signal
 * has come; it may end the process. NULL: stop that. It must call nothing of the control plane
 * except control_abort. */
void control_look_while_waiting(control *plane, void (*look)(void *context), void *context);

/* End the whole job with this exit status, once its launcher has read the output of this rank. */
_Noreturn void control_abort(control *plane, int exit_status);

/* Name and version of the MPI library; static storage of the plane. */
const char *control_library(const control *plane);

/* Call `visit` for the settings of the MPI library that shape its messages (the thread level, and
 * MPI_T control variables of the point-to-point layers), as text. */
void control_settings(const control *plane,
                      void (*visit)(const char *name, const char *value, void *context),
                      void *context);

/* A team of `count` ranks in that order; collective over its members, which all pass the same list.
 * The caller frees it. */
cb_status control_team_create(control *plane, const int *ranks, size_t count, control_team **out);
void control_team_free(control_team *team);

size_t control_team_size(const control_team *team);
size_t control_team_index(const control_team *team); /* of this process */

/* Collective over the team. Failures are logged. */
cb_status control_barrier(control_team *team);
cb_status control_broadcast(control_team *team, void *data, size_t bytes); /* from index 0 */
cb_status control_gather(control_team *team, const void *mine, size_t bytes, void *all); /* at 0 */
cb_status control_exchange(control_team *team, const void *mine, size_t bytes, void *all);
cb_status control_sum(control_team *team, uint64_t *values, size_t count);   /* result at index 0 */
cb_status control_maximum(control_team *team, double *values, size_t count); /* result everywhere */

/* The worst status of all members, everywhere; CB_ERROR_CONTROL when it cannot be agreed. */
cb_status control_agree(control_team *team, cb_status mine);

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

/* Estimate the offset of every rank's clock by repeated round trips with rank 0, of which the
 * fastest counts. A later call refreshes *clock and finds the drift. Collective over all ranks;
 * *clock is zero before the first call. When a rank fails, or does not answer for 10 s, all return
 * the error; it can be called again. */
cb_status control_synchronise(control *plane, control_clock *clock);

#endif
