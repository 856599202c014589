/* The plain passes of one measurement.
 *
 * Warm-up finds the number of steps per block. Blocks are timed until the median is precise or
 * --max-time is over. Then come single steps, verification and the baselines. */
#ifndef ENGINE_MEASUREMENT_H
#define ENGINE_MEASUREMENT_H

#include "engine/outcome.h"
#include "engine/pass.h"
#include "engine/session.h"

/* A measurement in progress. */
struct measurement_passes {
    const measurement_setting *setting;
    pass_context pass;
    const bench_traffic *traffic; /* of the timed passes */
    measurement_outcome out;
    bool is_stream;   /* limited by the window */
    bool is_led_in;   /* timed from the end of its first step */
    double step_ns;   /* estimate, agreed on, from the clocks that time blocks */
    double wanted_ns; /* target length of a block */
    unsigned lengthenings;
};

/* What the plan keeps of a finished measurement. */
typedef struct {
    double figure_us; /* median at rank 0; negative: none */
    bool shares_left_out;
} measurement_result;

/* Make one measurement. *out has the results of the plain passes. A method that measures by itself
 * has already added its rows and leaves *out empty. The caller frees *out with
 * measurement_outcome_free. Collective over the team. */
cb_status measurement_run(const measurement_setting *setting, measurement_outcome *out);
void measurement_outcome_free(measurement_outcome *outcome);

/* Add the row of a measurement to the report. `status` is what measurement_run returned; a
 * measurement whose verification gave up still gets its row. Collective over the team; the status
 * is agreed on if all ranks know how the measurement ended. */
cb_status measurement_report(const measurement_setting *setting, measurement_outcome *outcome,
                             cb_status status, measurement_result *result);

/* Append the blocks of the last batch to the outcome; their mean becomes the estimate of a step. */
cb_status measurement_keep_blocks(measurement_passes *run);

/* Before and after the timed passes of a method: begin the row, and end what it counts. The second
 * is collective over the team. */
void measurement_begin_row(measurement_passes *run);
cb_status measurement_end_row(measurement_passes *run);

/* Compute the shares of the sources from the blocks since the last reset, if the benchmark has
 * shares. */
cb_status measurement_keep_shares(measurement_passes *run);

/* Time single steps until `until_ns` after the start of the measurement: at least one, and as many
 * as fit at the slowest pace of the last batches. Collective over the team. */
cb_status measurement_time_steps(measurement_passes *run, double until_ns);

/* With --verify, run the verification pass, which is not timed. Collective over the team. */
cb_status measurement_verify(measurement_passes *run);

/* Number of steps before the first block of a batch, which are not counted. */
uint64_t measurement_lead_in(uint64_t steps);

/* Number of steps in a block that lasts `wanted_ns` or, for a stream, holds several windows if two
 * dozen such blocks fit into the time limit. `window` 0: no stream. Pure. */
uint64_t measurement_block_steps(double step_ns, double wanted_ns, double limit_ns,
                                 unsigned window);

double measurement_mean(const double *values, size_t count);

/* Time to read a packet that is in the cache, in ns. Negative, with an error logged, if memory runs
 * out. */
double harness_touch_ns(size_t size_bytes);

#endif
