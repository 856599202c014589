/* Turn blocks, steps and counters into the figures of a row (docs/using/benchmarks.md). */
#ifndef ENGINE_FIGURES_H
#define ENGINE_FIGURES_H

#include "engine/outcome.h"
#include "stats/stats.h"

/* Merge the histograms of all members at index 0 of the team. Collective over the team. */
cb_status figures_sum_histogram(control_team *team, stats_histogram *histogram);

/* Sum what arrived and what was lost in this pass. Collective over the team. */
cb_status figures_sum_delivery(const measurement_setting *setting, const bench_rank *me,
                               delivery_counts *out);

/* The share (0 to 1] of the packets that arrived. */
double figures_arrived_share(const delivery_counts *delivery);

/* Whether packets were sent and none arrived: such a measurement has no figures. */
bool figures_nothing_arrived(const delivery_counts *delivery);

/* At rank 0: write the reason into the document in place of a row, and let the run fail. `what`
 * were `lost`: "packets". Returns the error of the document. */
cb_status figures_refuse(const measurement_setting *setting, const char *what, uint64_t lost);

/* The time per step that rates are made from. It is the median's unless something was lost, sent
 * again or waited for: then it is the mean, so that a rate is what was delivered in the time that
 * passed, and the row is marked. */
double figures_rate_us(const delivery_counts *delivery, const cb_counts *counters,
                       const double *blocks_us, size_t count, double median_us, report_row *row);

/* The payload of packets that may be under way to one receiver at a time. */
void figures_fill_synchronised(const bench_measurement *measurement, size_t packets,
                               report_row *row);
/* The rates of a benchmark with a scale whose step takes `time_us`; packets have this mean size.
 * The shares are those of the packets that arrived, and of the events of which all arrived. */
void figures_fill_units(const bench_scale *scale, double size_bytes, double time_us,
                        double arrived_share, double whole_share, report_row *row);

/* Fill in the conditions of the measurement and the values that all rows have. `messages` are those
 * that all receive in a step, of that mean size, for the processor time of each. The columns of
 * meters are set before. */
void figures_fill_common(const measurement_setting *setting, const char *mode, double messages,
                         double message_bytes, const row_base *base, report_row *row);

/* Set a figure with its block times in us, in the order of measuring, and the number of steps per
 * block. The summary's median may differ from that of the blocks. */
void figures_fill_blocks(report_column figure, const stats_summary *summary,
                         const double *blocks_us, size_t count, uint64_t steps, report_row *row);

/* Fill a row of the plain passes. The block times in `outcome` are converted to times of the
 * figure, and its `figure_us` is set. CB_ERROR_MEMORY, logged. */
cb_status figures_fill(const measurement_setting *setting, measurement_outcome *outcome,
                       report_row *row);

/* The column of a mode's figure. */
report_column figures_column(const bench_mode *mode);

/* Overhead and bandwidth of each part of a curve (Hockney). */
extern const bench_fit figures_hockney;

/* Summarise values without changing their order. CB_ERROR_MEMORY, logged. */
cb_status figures_summarize(const double *values, size_t count, stats_summary *out);

/* The same, and whether the values, at least `least`, are as precise as --precision asks. */
cb_status figures_are_precise(const bench_options *options, const double *values, size_t count,
                              size_t least, stats_summary *out, bool *precise);

/* What all methods do with a row: begin and end what it counts, combine the ranks, write it. */

/* Begin a row: reset what this rank counts in it. The technology's counters are read here and by
 * row_end, of which the last call before row_gather counts. Local. */
void row_begin(row_base *own, engine_session *session);
void row_end(engine_session *session);

/* Combine what all members of the team have counted. Meters go into the row (NULL except at index
 * 0); other members of *own are valid there. Collective over the team; CB_ERROR_MEMORY, logged, or
 * the control plane's error. */
cb_status row_gather(row_base *own, const measurement_setting *setting, report_row *row);

/* Fill the columns of a method; CB_ERROR_MEMORY, logged. */
typedef cb_status row_fill(void *context, const measurement_setting *setting, report_row *row);

/* At rank 0, after row_gather: add the row to the document, or the reason why none of what is
 * `counted` ("packets") has arrived; note what the verification has found. The row is empty
 * afterwards. */
cb_status row_write(const row_base *own, const measurement_setting *setting, const char *counted,
                    row_fill *fill, void *context, report_row *row);

#endif
