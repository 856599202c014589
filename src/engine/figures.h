/* From blocks, steps and counters to the figures of a row: the formulas of
 * docs/using/benchmarks.md. */
#ifndef ENGINE_FIGURES_H
#define ENGINE_FIGURES_H

#include "engine/outcome.h"
#include "stats/stats.h"

/* What all rows have besides the conditions, by whatever passes they came about. */
typedef struct {
    const char *mode;
    double skew_ns;
    double touch_ns, algorithm_true_us; /* negative: not measured */
    const verification_result *verification;
    const cb_counts *counters;
} figures_common;

/* What the technology counted since this was last called, summed over the team, at its index 0.
 * Together. */
cb_status figures_sum_counters(engine_session *session, control_team *team, cb_counts *out);

/* The share of the packets of this pass that was lost; over a reliable technology *share stays as
 * it is. Together. */
cb_status figures_lost_share(const measurement_setting *setting, const bench_rank *me,
                             double *share);

/* The conditions under which a row was measured, and what all rows have. */
void figures_fill_common(const measurement_setting *setting, const figures_common *common,
                         report_row *row);

/* A figure with the times of its blocks in the order of measuring, both in us, and the number of
 * steps in them; the summary may have another median than that of the blocks. */
void figures_fill_blocks(report_column figure, const stats_summary *summary,
                         const double *blocks_us, size_t count, uint64_t steps, report_row *row);

/* All of a row of the plain passes; the blocks of the outcome become times of the figure. */
cb_status figures_fill(const measurement_setting *setting, const measurement_outcome *outcome,
                       report_row *row);

/* The column of a mode's figure. */
report_column figures_column(const bench_mode *mode);

/* The summary of values, which keep their order. */
cb_status figures_summarize(const double *values, size_t count, stats_summary *out);

#endif
