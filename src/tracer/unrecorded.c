/* The count of calls that are not recorded. */
#include "tracer/tracer.h"

#include <stdio.h>
#include <string.h>

/* Communicating calls that are not recorded: all ranks have the same list, and sum the counts. */
static const char *const unrecorded[] = {
    "messages over intercommunicators",
    "messages of ranks outside of MPI_COMM_WORLD",
    "MPI_Request_free of a receive",
    "MPI_Start of what is no persistent send or receive",
    "MPI_Neighbor_allgather",
    "MPI_Neighbor_allgatherv",
    "MPI_Neighbor_alltoall",
    "MPI_Neighbor_alltoallv",
    "MPI_Neighbor_alltoallw",
    "MPI_Ineighbor_allgather",
    "MPI_Ineighbor_allgatherv",
    "MPI_Ineighbor_alltoall",
    "MPI_Ineighbor_alltoallv",
    "MPI_Ineighbor_alltoallw",
    "MPI_Put",
    "MPI_Get",
    "MPI_Accumulate",
    "MPI_Rput",
    "MPI_Rget",
    "MPI_Raccumulate",
    "MPI_Get_accumulate",
    "MPI_Rget_accumulate",
    "MPI_Fetch_and_op",
    "MPI_Compare_and_swap",
    "MPI_Win_fence",
    "MPI_Win_start",
    "MPI_Win_post",
    "MPI_Win_lock",
    "MPI_Win_lock_all",
};

enum { UNRECORDED_CALLS = sizeof(unrecorded) / sizeof(unrecorded[0]) };

static unsigned long long calls[UNRECORDED_CALLS];

void tracer_count_unrecorded(const char *name)
{
    for (size_t i = 0; i < UNRECORDED_CALLS; i++)
        if (strcmp(unrecorded[i], name) == 0)
            calls[i] += !tracer.paused;
}

void tracer_list_unrecorded(char list[TRACER_LIST_BYTES])
{
    unsigned long long all[UNRECORDED_CALLS];
    size_t used = 0;

    list[0] = '\0';
    PMPI_Reduce(calls, all, UNRECORDED_CALLS, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, tracer.own);
    for (size_t i = 0; tracer.rank == 0 && i < UNRECORDED_CALLS; i++)
        if (all[i] > 0 && used < TRACER_LIST_BYTES)
            used += (size_t)snprintf(list + used, TRACER_LIST_BYTES - used, "%s%s (%llu)",
                                     used > 0 ? ", " : "", unrecorded[i], all[i]);
}
