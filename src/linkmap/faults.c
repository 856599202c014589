/* The searches in their order: a host that stalls explains slow pairs, a slow host slow pairs. */
#include "linkmap/faults.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "linkmap/figures.h"
#include "linkmap/slow.h"
#include "linkmap/stalls.h"

const char *map_kind_name(map_kind kind)
{
    static const char *const names[] = {"slow", "lossy", "flapping", "lost"};

    return names[kind];
}

const char *map_direction_name(map_direction direction)
{
    static const char *const names[] = {"out", "in", "both"};

    return names[direction];
}

cb_status map_analyse(const map_samples *samples, map_figures *figures, map_fault *faults,
                      size_t *count)
{
    static const map_quantity slow[] = {MAP_ONE_WAY, MAP_BOTH_WAYS, MAP_LATENCY};
    const size_t pairs = samples->hosts * samples->hosts;
    double *room = cb_allocate(pairs > samples->cycles ? pairs : samples->cycles, sizeof(double),
                               "the figures of a map");
    fault_search search = {
        .samples = samples, .figures = figures, .faults = faults, .count = count, .room = room};
    cb_status status;

    *count = 0;
    *figures = (map_figures){0};
    if (room == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY_TO(done, status = map_figures_make(samples, room, figures));
    CB_TRY_TO(done, status = stalls_find(&search));
    for (size_t i = 0; i < 2 * sizeof(slow) / sizeof(slow[0]); i++)
        if (samples->hosts >= MAP_HOSTS_LEAST)
            CB_TRY_TO(done, status = slow_find(&search, slow[i / 2], i % 2 != 0));
done:
    free(room);
    return status;
}

static void add_fault(map_fault *faults, size_t *count, map_fault one)
{
    if (*count < MAP_FAULTS_MOST)
        faults[(*count)++] = one;
}

static map_fault lost_fault(size_t host, int peer)
{
    return (map_fault){
        .kind = MAP_LOST, .direction = MAP_BOTH_DIRECTIONS, .host = (int)host, .peer = peer};
}

void map_put_lost_first(size_t hosts, const bool *lost, const bool *lost_pairs, map_fault *faults,
                        size_t *count)
{
    map_fault found[MAP_FAULTS_MOST];
    const size_t found_count = *count;

    memcpy(found, faults, found_count * sizeof(*found));
    *count = 0;
    for (size_t one = 0; one < hosts; one++)
        if (lost[one])
            add_fault(faults, count, lost_fault(one, MAP_NOWHERE));
    for (size_t one = 0; one < hosts; one++)
        for (size_t other = one + 1; other < hosts; other++)
            if (lost_pairs[one * hosts + other] && !lost[one] && !lost[other])
                add_fault(faults, count, lost_fault(one, (int)other));
    for (size_t i = 0; i < found_count; i++)
        add_fault(faults, count, found[i]);
}
