/* Medians and spreads of pairs. */
#include "linkmap/figures.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "linkmap/polish.h"

void map_pair_medians(const map_samples *samples, map_quantity quantity, size_t first,
                      size_t stride, double *room, double *medians)
{
    const size_t hosts = samples->hosts;

    for (size_t from = 0; from < hosts; from++)
        for (size_t to = 0; to < hosts; to++) {
            size_t count = 0;

            for (size_t cycle = first; cycle < samples->cycles; cycle += stride)
                room[count++] = (double)map_sample(samples, cycle, from, to)[quantity];
            medians[from * hosts + to] = map_median(room, count);
        }
}

static void pair_spreads(const map_samples *samples, map_figures *figures, double *room)
{
    const size_t hosts = samples->hosts;

    for (size_t from = 0; from < hosts; from++)
        for (size_t to = 0; to < hosts; to++) {
            const size_t pair = from * hosts + to;
            double longest = (double)NAN;
            size_t count = 0;

            for (size_t cycle = 0; cycle < samples->cycles; cycle++) {
                const double time = (double)map_sample(samples, cycle, from, to)[MAP_ONE_WAY];

                longest = isfinite(time) ? fmax(longest, time) : longest;
                room[cycle] = fabs(log(time / figures->median[MAP_ONE_WAY][pair]));
                count += isfinite(time);
            }
            figures->longest_s[pair] = longest;
            figures->spread[pair] = map_median(room, samples->cycles);
            figures->samples[pair] = (double)count;
        }
}

static cb_status allocate_figures(size_t pairs, map_figures *figures)
{
    double **const all[] = {&figures->median[MAP_WAKE],
                            &figures->median[MAP_LATENCY],
                            &figures->median[MAP_ONE_WAY],
                            &figures->median[MAP_BOTH_WAYS],
                            &figures->median[MAP_LOSS],
                            &figures->longest_s,
                            &figures->spread,
                            &figures->stalls,
                            &figures->samples};
    cb_status status = CB_OK;

    *figures = (map_figures){0};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        *all[i] = cb_allocate(pairs, sizeof(double), "the figures of a map");
        if (*all[i] == NULL)
            status = CB_ERROR_MEMORY;
    }
    return status;
}

void map_figures_free(map_figures *figures)
{
    for (size_t quantity = 0; quantity < MAP_QUANTITIES; quantity++)
        free(figures->median[quantity]);
    free(figures->longest_s);
    free(figures->spread);
    free(figures->stalls);
    free(figures->samples);
    *figures = (map_figures){0};
}

cb_status map_figures_make(const map_samples *samples, double *room, map_figures *figures)
{
    CB_TRY(allocate_figures(samples->hosts * samples->hosts, figures));
    for (map_quantity quantity = MAP_WAKE; quantity < MAP_QUANTITIES; quantity++)
        map_pair_medians(samples, quantity, 0, 1, room, figures->median[quantity]);
    pair_spreads(samples, figures, room);
    return CB_OK;
}
