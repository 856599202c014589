/* The distribution of single steps as a JSON value. Internal to src/report. */
#ifndef REPORT_STEPS_H
#define REPORT_STEPS_H

#include <jansson.h>

#include "stats/histogram.h"

/* Percentiles, maximum and cells of `steps` (ns) divided by `divisor`, in us. NULL when nothing was
 * recorded. */
json_t *report_steps(const stats_histogram *steps, double divisor);

#endif
