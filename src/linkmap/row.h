/* A map as the row of a result, and its faults as messages. */
#ifndef LINKMAP_ROW_H
#define LINKMAP_ROW_H

#include "linkmap/faults.h"
#include "linkmap/places.h"
#include "report/row.h"

/* A map at rank 0. Hosts are numbered as in the samples; the row has them in `order`. */
typedef struct {
    size_t hosts, cycles, packets, size_bytes;
    const link_place *places;
    const size_t *order;
    const map_figures *figures; /* NULL: the pattern has no pairs */
    const map_fault *faults;
    size_t fault_count;
} map_description;

void row_fill_map(const map_description *map, report_row *row);

/* Set a figure with the least, the middle and the largest of values, of which NaN are left out. */
cb_status row_fill_spread(report_column column, const double *values, size_t count,
                          report_row *row);

/* Log a fault as a warning. */
void row_warn(const map_description *map, const map_fault *fault);

#endif
