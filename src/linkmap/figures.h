/* Figures of pairs, over the cycles of a map. Pure. */
#ifndef LINKMAP_FIGURES_H
#define LINKMAP_FIGURES_H

#include "base/status.h"
#include "linkmap/samples.h"

/* Medians of a quantity over every `stride`-th cycle from `first` on; `room` has as many as there
 * are cycles. */
void map_pair_medians(const map_samples *samples, map_quantity quantity, size_t first,
                      size_t stride, double *room, double *medians);

/* All figures but the stalls. CB_ERROR_MEMORY, logged; free with map_figures_free in any case. */
cb_status map_figures_make(const map_samples *samples, double *room, map_figures *figures);
void map_figures_free(map_figures *figures);

#endif
