/* What the searches for faults share. */
#ifndef LINKMAP_SEARCH_H
#define LINKMAP_SEARCH_H

#include "base/status.h"
#include "linkmap/samples.h"

/* Probability that any host of a faultless map is called unsteady or slow by chance. */
#define SEARCH_FALSE_ALARM 1e-3

typedef struct {
    const map_samples *samples;
    map_figures *figures;
    map_fault *faults;
    size_t *count;
    double *room; /* hosts * hosts or cycles, whichever is more */
} fault_search;

static inline void search_name(fault_search *search, map_fault found)
{
    if (*search->count < MAP_FAULTS_MOST)
        search->faults[(*search->count)++] = found;
}

#endif
