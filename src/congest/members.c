/* The ranks in the order in which they are given to victims and aggressors. */
#include "congest/members.h"

#include <stdlib.h>

#include "base/memory.h"

const char *const congest_placements[] = {"interleaved", "apart", NULL};

/* Bresenham's line: of n = victims + aggressors places, spread the victims evenly. */
static void place_in_turn(size_t victim_count, size_t aggressor_count, int *victims,
                          int *aggressors)
{
    const size_t all = victim_count + aggressor_count;
    size_t placed = 0;

    for (size_t rank = 0; rank < all; rank++)
        if (placed < victim_count && placed * all <= rank * victim_count)
            victims[placed++] = (int)rank;
        else
            aggressors[rank - placed] = (int)rank;
}

/* Ranks by host; hosts are numbered in the order of their first ranks. */
static void order_by_host(const int *hosts, size_t job_ranks, int *order)
{
    size_t count = 0;

    for (int host = 0; count < job_ranks; host++)
        for (size_t rank = 0; rank < job_ranks; rank++)
            if (hosts[rank] == host)
                order[count++] = (int)rank;
}

cb_status congest_place(bool interleaved, const int *hosts, size_t job_ranks, size_t victim_count,
                        size_t aggressor_count, int *victims, int *aggressors)
{
    size_t next;
    int *order;

    if (interleaved) {
        place_in_turn(victim_count, aggressor_count, victims, aggressors);
        return CB_OK;
    }
    order = cb_allocate(job_ranks, sizeof(*order), "the ranks by host");
    if (order == NULL)
        return CB_ERROR_MEMORY;
    order_by_host(hosts, job_ranks, order);
    for (size_t i = 0; i < victim_count; i++)
        victims[i] = order[i];
    next = victim_count;
    while (next < job_ranks && hosts[order[next]] == hosts[order[victim_count - 1]])
        next++;
    if (next + aggressor_count > job_ranks)
        next = victim_count;
    for (size_t i = 0; i < aggressor_count; i++)
        aggressors[i] = order[next + i];
    free(order);
    return CB_OK;
}

size_t congest_shared_hosts(const int *hosts, const int *victims, size_t victim_count,
                            const int *aggressors, size_t aggressor_count)
{
    size_t shared = 0;

    for (size_t i = 0; i < victim_count; i++) {
        const int host = hosts[victims[i]];
        bool counted = false, aggressor = false;

        for (size_t k = 0; k < i; k++)
            counted = counted || hosts[victims[k]] == host;
        for (size_t k = 0; k < aggressor_count; k++)
            aggressor = aggressor || hosts[aggressors[k]] == host;
        shared += !counted && aggressor;
    }
    return shared;
}
