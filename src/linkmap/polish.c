/* The median of each row and of each column is moved into its effect, again and again. */
#include "linkmap/polish.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "stats/stats.h"

enum { POLISH_ROUNDS = 12 };

/* Of a normal distribution: standard deviation / median absolute deviation. */
static const double mad_to_deviation = 1.4826;

double map_median(double *values, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            values[kept++] = values[i];
    qsort(values, kept, sizeof(*values), cb_ascending_reals);
    return stats_quantile(values, kept, 0.5);
}

double map_deviation(const double *values, size_t count, double *room)
{
    double middle;

    memcpy(room, values, count * sizeof(*room));
    middle = map_median(room, count);
    for (size_t i = 0; i < count; i++)
        room[i] = fabs(values[i] - middle);
    return mad_to_deviation * map_median(room, count);
}

/* Move the median of each row (or column) of the residuals into its effect. */
static void take_medians(double *residuals, size_t hosts, size_t step, size_t next, double *effects,
                         double *room)
{
    for (size_t line = 0; line < hosts; line++) {
        double *first = residuals + line * next, middle;

        for (size_t i = 0; i < hosts; i++)
            room[i] = first[i * step];
        middle = map_median(room, hosts);
        if (!isfinite(middle))
            continue;
        effects[line] += middle;
        for (size_t i = 0; i < hosts; i++)
            first[i * step] -= middle;
    }
}

static void centre_effects(double *effects, size_t hosts, double *overall, double *room)
{
    double middle;

    memcpy(room, effects, hosts * sizeof(*room));
    middle = map_median(room, hosts);
    if (!isfinite(middle))
        return;
    *overall += middle;
    for (size_t i = 0; i < hosts; i++)
        effects[i] -= middle;
}

cb_status map_decompose(const double *values, size_t hosts, map_polish *polish)
{
    double *room = cb_allocate(hosts, sizeof(*room), "the decomposition of a map");

    *polish = (map_polish){
        .out = cb_allocate(hosts, sizeof(double), "the decomposition of a map"),
        .in = cb_allocate(hosts, sizeof(double), "the decomposition of a map"),
        .residuals = cb_allocate(hosts * hosts, sizeof(double), "the decomposition of a map")};
    if (room == NULL || polish->out == NULL || polish->in == NULL || polish->residuals == NULL) {
        free(room);
        map_polish_free(polish);
        return CB_ERROR_MEMORY;
    }
    for (size_t i = 0; i < hosts * hosts; i++)
        polish->residuals[i] = values[i] > 0 ? log(values[i]) : (double)NAN;
    for (size_t round = 0; round < POLISH_ROUNDS; round++) {
        take_medians(polish->residuals, hosts, 1, hosts, polish->out, room);
        take_medians(polish->residuals, hosts, hosts, 1, polish->in, room);
        centre_effects(polish->out, hosts, &polish->overall, room);
        centre_effects(polish->in, hosts, &polish->overall, room);
    }
    free(room);
    return CB_OK;
}

void map_polish_free(map_polish *polish)
{
    free(polish->out);
    free(polish->in);
    free(polish->residuals);
    *polish = (map_polish){0};
}
