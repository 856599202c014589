/* The control plane: ranks of the job, teams, agreement, gathering, clocks. Always over MPI,
 * whatever technology carries the data.
 *
 * No function here is called inside a timed section. All waiting tests a request between growing
 * sleeps (10 us to 5 ms): a rank that waits in MPI_Barrier would take a core from the ranks that
 * measure. */
#ifndef CONTROL_CONTROL_H
#define CONTROL_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct control control;

/* A subset of the ranks, for one measurement or for all. Index 0 is the root of gathers and
 * broadcasts. */
typedef struct control_team control_team;

/* Rank of this process according to its launcher, before any MPI call: 0 without a launcher. */
int control_launch_rank(void);

/* Ranks that the launcher started on this host, before any MPI call: 0 when that is not known. */
int control_launch_local_size(void);

/* Whether a launcher has started this process, so that other ranks may wait for it in control_open.
 * May be called before any MPI call. */
bool control_launched(void);

/* After control_open: CB_ERROR_USAGE, logged by the first rank, if the launcher has started several
 * ranks but MPI knows each alone: it is that of another MPI, or srun without the MPI's interface.
 */
cb_status control_check_launcher(const control *plane);

/* Ask the MPI library, before it starts, to yield (or not to yield) the core while it waits. No
 * effect on a library without such a setting; the technology reports what is in effect. */
void control_request_yield(bool yield);

/* Start MPI. With `threads`, the process may create threads that make no MPI calls (thread level
 * FUNNELED). Without, the library may omit its locks (SINGLE): Open MPI 4.1 does, and then needs
 * 0.6 of the time for a small message in shared memory. Collective. The caller closes *out. */
cb_status control_open(bool threads, control **out);
void control_close(control *plane);

int control_rank(const control *plane);
int control_size(const control *plane);

/* The team of all ranks. Owned by the control plane. */
control_team *control_everyone(control *plane);

/* Call `look` from time to time while this rank waits for others, and at once after a signal; it
 * may end the process. NULL: stop calling. `look` must not call the control plane except for
 * control_abort. */
void control_look_while_waiting(control *plane, void (*look)(void *context), void *context);

/* End the job with this exit status, after its launcher has read the output of this rank. Works
 * without a control plane, also if MPI has not started. */
_Noreturn void control_abort(int exit_status);

/* Name and version of the MPI library; NULL: there is none. Owned by the plane. */
const char *control_library(const control *plane);

/* Call `visit` for each setting of the MPI library that affects its messages (thread level, and
 * MPI_T control variables of the point-to-point layers), as text. */
void control_settings(const control *plane,
                      void (*visit)(const char *name, const char *value, void *context),
                      void *context);

/* Create a team of `count` ranks in that order. Collective over its members, which all pass the
 * same list. The caller frees it. */
cb_status control_team_create(control *plane, const int *ranks, size_t count, control_team **out);
void control_team_free(control_team *team);

/* A control plane of some ranks only, numbered in that order: all its functions concern these,
 * except control_abort, which ends the job. It looks while waiting as `plane` does. Collective over
 * its members, which all pass the same list. The caller frees it. */
cb_status control_part_create(control *plane, const int *ranks, size_t count, control **out);
void control_part_free(control *part);

/* Notes between single ranks, which all have the same size in a program. `tell` returns at once,
 * `hear` receives the next note from any rank, or returns CB_EMPTY; `await` waits for one, asleep.
 */
cb_status control_tell(control *plane, int rank, const void *note, size_t bytes);
cb_status control_hear(control *plane, void *note, size_t bytes);
cb_status control_await(control *plane, void *note, size_t bytes);

size_t control_team_size(const control_team *team);
size_t control_team_index(const control_team *team); /* of this process */

/* Collective over the team. Failures are logged, in whatever rank. After one, all collective
 * functions fail at once in this process: other ranks may wait in the call that failed, so that no
 * agreement is possible, and the caller has to end the job. */
cb_status control_barrier(control_team *team);
cb_status control_broadcast(control_team *team, void *data, size_t bytes); /* from index 0 */
cb_status control_gather(control_team *team, const void *mine, size_t bytes, void *all); /* at 0 */
cb_status control_exchange(control_team *team, const void *mine, size_t bytes, void *all);
cb_status control_sum(control_team *team, uint64_t *values, size_t count);   /* result at index 0 */
cb_status control_maximum(control_team *team, double *values, size_t count); /* result everywhere */

/* control_maximum in parts: `begin` it, `advance` it now and then without waiting, and `end` it.
 * The values have to stay where they are and are valid after `end`. One at a time in a team. */
cb_status control_maximum_begin(control_team *team, double *values, size_t count);
cb_status control_maximum_advance(control_team *team);
cb_status control_maximum_end(control_team *team);

/* The worst status of all members, in all of them; CB_ERROR_CONTROL if the agreement itself fails.
 */
cb_status control_agree(control_team *team, cb_status mine);

/* This rank's clock compared with rank 0's: instant_of_rank0 = instant_here + offset, where the
 * offset is offset_ns at at_ns and changes by drift. */
typedef struct {
    double offset_ns;
    double drift;    /* change of the offset per ns, 0 where it is not significant */
    double bound_ns; /* half of the fastest round trip, the maximum error of the offset */
    uint64_t at_ns;  /* local instant of offset_ns */
} control_clock;

/* Convert an instant of rank 0's clock to this rank's, and back. */
uint64_t control_clock_local(const control_clock *clock, uint64_t reference_ns);
uint64_t control_clock_reference(const control_clock *clock, uint64_t local_ns);

/* One exchange with rank 0: the reference on its clock, the other two on this rank's. */
typedef struct {
    uint64_t sent_ns, reference_ns, received_ns;
} control_round_trip;

/* Estimate from the fastest of `count` > 0 round trips; drift 0. */
control_clock control_clock_estimate(const control_round_trip *trips, size_t count);

/* Returns `later` with the drift between the two estimates. */
control_clock control_clock_refresh(const control_clock *earlier, control_clock later);

/* Estimate the offset of every rank's clock from repeated round trips with rank 0; the fastest
 * counts. A later call refreshes *clock and estimates the drift. Collective over all ranks; *clock
 * must be zero before the first call. If a rank fails or does not answer within 10 s, all ranks
 * return the error, and the function may be called again. */
cb_status control_synchronise(control *plane, control_clock *clock);

#endif
