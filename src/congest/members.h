/* Which ranks of a job are victims, and which are aggressors. Pure. */
#ifndef CONGEST_MEMBERS_H
#define CONGEST_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* The values of --aggressor-placement, ended by NULL. interleaved: both in turn, in the order of
 * the launcher and in proportion to their numbers. apart: victims on the first hosts, aggressors on
 * hosts without victims if these have enough ranks, else right after the victims. */
extern const char *const congest_placements[];

/* Choose `victim_count` + `aggressor_count` ranks of a job of `job_ranks`, whose hosts are numbered
 * from 0 without gaps. Rank 0, which writes the result, is the first victim. CB_ERROR_MEMORY,
 * logged.
 */
cb_status congest_place(bool interleaved, const int *hosts, size_t job_ranks, size_t victim_count,
                        size_t aggressor_count, int *victims, int *aggressors);

/* Number of hosts on which both are. */
size_t congest_shared_hosts(const int *hosts, const int *victims, size_t victim_count,
                            const int *aggressors, size_t aggressor_count);

#endif
