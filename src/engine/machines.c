/* Hosts, machines and bindings of the ranks of a job. */
#include "engine/machines.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The first rank that reports the same as this one in the text at `offset`: it stands for its host,
 * or for its machine. */
static size_t first_alike(const machines_rank *all, size_t rank, size_t offset)
{
    const char *own = (const char *)&all[rank] + offset;
    size_t first = 0;

    while (strcmp((const char *)&all[first] + offset, own) != 0)
        first++;
    return first;
}

cb_status machines_list(const machines_rank *all, size_t ranks, machines_of_job *out)
{
    out->hosts = cb_allocate(ranks, sizeof(*out->hosts), "the hosts of the ranks");
    out->machines = cb_allocate(ranks, sizeof(*out->machines), "the hosts of the ranks");
    out->cores = cb_allocate(ranks, sizeof(*out->cores), "the cores of the ranks");
    out->host_cores = cb_allocate(ranks, sizeof(*out->host_cores), "the cores of the hosts");
    out->bindings = cb_allocate(ranks, sizeof(*out->bindings), "the bindings of the ranks");
    if (out->hosts == NULL || out->machines == NULL || out->cores == NULL ||
        out->host_cores == NULL || out->bindings == NULL)
        return CB_ERROR_MEMORY;
    for (size_t rank = 0; rank < ranks; rank++) {
        size_t first = first_alike(all, rank, offsetof(machines_rank, host));

        out->hosts[rank] = first == rank ? (int)out->host_count++ : out->hosts[first];
        out->machines[rank] = (int)first_alike(all, rank, offsetof(machines_rank, machine));
        out->cores[rank] = all[rank].usable_cores;
        out->host_cores[out->hosts[rank]] = all[rank].host_cores;
        memcpy(out->bindings[rank], all[rank].binding, sizeof(out->bindings[rank]));
    }
    return CB_OK;
}

void machines_free(machines_of_job *machines)
{
    free(machines->hosts);
    free(machines->machines);
    free(machines->cores);
    free(machines->host_cores);
    free(machines->bindings);
    *machines = (machines_of_job){0};
}

size_t machines_sharing(const machines_of_job *machines, const int *ranks, size_t count, int rank,
                        bool same_binding)
{
    size_t sharing = 0;

    for (size_t i = 0; i < count; i++)
        sharing +=
            machines->machines[ranks[i]] == machines->machines[rank] &&
            (!same_binding || strcmp(machines->bindings[ranks[i]], machines->bindings[rank]) == 0);
    return sharing;
}

bool machines_oversubscribed(const machines_of_job *machines, const int *ranks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int rank = ranks[i];

        if (machines_sharing(machines, ranks, count, rank, false) >
                machines->host_cores[machines->hosts[rank]] ||
            machines_sharing(machines, ranks, count, rank, true) > machines->cores[rank])
            return true;
    }
    return false;
}
