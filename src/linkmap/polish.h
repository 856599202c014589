/* Medians of a map, and its decomposition by a median polish. Pure. */
#ifndef LINKMAP_POLISH_H
#define LINKMAP_POLISH_H

#include <stddef.h>

#include "base/status.h"

/* Median of the values that are finite; NaN if there is none. Reorders them. */
double map_median(double *values, size_t count);

/* Standard deviation of the finite values, from the median absolute deviation about the median.
 * `room` has `count`. */
double map_deviation(const double *values, size_t count, double *room);

/* Decompose the logarithms of `values` (hosts * hosts, NaN: none): values[i, k] = exp(overall +
 * out[i] + in[k] + residual[i, k]). CB_ERROR_MEMORY, logged. */
typedef struct {
    double overall;
    double *out, *in, *residuals;
} map_polish;

cb_status map_decompose(const double *values, size_t hosts, map_polish *polish);
void map_polish_free(map_polish *polish);

#endif
