/* From blocks and steps to the figures of a row: the formulas of docs/methodology.md. */
#ifndef ENGINE_FIGURES_H
#define ENGINE_FIGURES_H

#include "engine/outcome.h"
#include "stats/stats.h"

/* Under which conditions a row was measured. */
void figures_conditions(const measurement_setting *setting, report_row *row);

/* All of the row; the blocks of the outcome become times of the figure. */
cb_status figures_fill(const measurement_setting *setting, const measurement_outcome *outcome,
                       report_row *row);

/* The summary of values, which keep their order. */
cb_status figures_summarize(const double *values, size_t count, stats_summary *out);

#endif
