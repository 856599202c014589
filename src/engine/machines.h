/* The hosts that the ranks of a job are on, and which of them share cores. */
#ifndef ENGINE_MACHINES_H
#define ENGINE_MACHINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "host/host.h"

/* What a rank reports about the machine it runs on: plain data. */
typedef struct {
    char host[HOST_TEXT];
    char machine[HOST_TEXT]; /* hosts with the same one share its cores */
    char binding[HOST_TEXT]; /* as host_binding gives it */
    uint32_t usable_cores, host_cores;
} machines_rank;

/* Of all ranks, the same in each. */
typedef struct {
    int *hosts; /* of each rank, the index of its host */
    size_t host_count;
    unsigned *host_cores;        /* of each host */
    int *machines;               /* of each rank, the first rank whose host shares its cores */
    unsigned *cores;             /* of each rank: how many it may run on */
    char (*bindings)[HOST_TEXT]; /* of each rank */
    size_t cache_bytes;          /* of the largest cache of this rank's host */
} machines_of_job;

/* Number the hosts in order of their first ranks. CB_ERROR_MEMORY, logged. The caller frees it. */
cb_status machines_list(const machines_rank *all, size_t ranks, machines_of_job *out);
void machines_free(machines_of_job *machines);

/* How many of these ranks share the machine and, with `same_binding`, the binding of `rank`. */
size_t machines_sharing(const machines_of_job *machines, const int *ranks, size_t count, int rank,
                        bool same_binding);

/* Whether a host, or the cores that several ranks are bound to, has fewer cores than busy ranks. */
bool machines_oversubscribed(const machines_of_job *machines, const int *ranks, size_t count);

#endif
