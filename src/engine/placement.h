/* Which ranks take part and with which roles, by the hosts that they are on: a pure function. */
#ifndef ENGINE_PLACEMENT_H
#define ENGINE_PLACEMENT_H

#include "engine/definition.h"

/* The values of --placement, ended by NULL: block goes on to another host when one is full, cyclic
 * goes from host to host; spread shares each role out over the hosts in proportion to their ranks;
 * packed gives a role as few hosts as it can, and others than those of other roles where there are
 * such. */
extern const char *const placement_names[];

/* Fill `ranks`, of which the shape says how many there are, stage after stage. Rank 0 is always the
 * first of them, since it writes the result. `hosts` are those of all ranks of the job, numbered
 * from 0 without gaps. CB_ERROR_MEMORY, logged. */
cb_status placement_make(const char *placement, const bench_shape *shape, const int *hosts,
                         size_t job_ranks, int *ranks);

#endif
