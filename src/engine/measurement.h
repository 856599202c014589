/* The passes of a measurement: warm-up, which finds how many steps make a block; blocks, until the
 * median is precise or the time is over; single steps; verification; and the baselines. */
#ifndef ENGINE_MEASUREMENT_H
#define ENGINE_MEASUREMENT_H

#include "engine/outcome.h"
#include "engine/pass.h"
#include "engine/session.h"

/* A measurement under way. */
struct measurement_passes {
    const measurement_setting *setting;
    pass_context pass;
    const bench_traffic *traffic; /* of timed passes */
    measurement_outcome out;
    bool is_stream;   /* bounded by the window */
    bool is_led_in;   /* and timed from its first event on */
    double step_ns;   /* estimate, agreed, by the clocks that time blocks */
    double wanted_ns; /* of a block */
    unsigned lengthenings;
};

/* What a plan needs to know of a measurement that was made. */
typedef struct {
    double figure_us; /* the median at rank 0; negative: there is none */
    bool shares_left_out;
} measurement_result;

/* Make one measurement. *out is the plain passes'; a method that measures itself has handed over
 * its rows and leaves it empty. The caller frees *out. Together. */
cb_status measurement_run(const measurement_setting *setting, measurement_outcome *out);
void measurement_outcome_free(measurement_outcome *outcome);

/* Hand the row of a measurement to the report, of which `status` came: also of one whose
 * verification was given up. Together, and agreed where all know how it ended. */
cb_status measurement_report(const measurement_setting *setting, measurement_outcome *outcome,
                             cb_status status, measurement_result *result);

/* Append the blocks of the last batch to those of the outcome; their mean is the new estimate of a
 * step. */
cb_status measurement_keep_blocks(measurement_passes *run);

/* Shares of the sources in the blocks since the last reset, where there are any. */
cb_status measurement_keep_shares(measurement_passes *run);

/* Single steps until `until_ns` after the beginning of the measurement, one at least; as many as
 * fit at the slowest pace of the last batches. Together. */
cb_status measurement_time_steps(measurement_passes *run, double until_ns);

/* With --verify, the verifying pass, which is not timed. Together. */
cb_status measurement_verify(measurement_passes *run);

/* The steps before the first block of a batch, which are not counted. */
uint64_t measurement_lead_in(uint64_t steps);

/* How many steps make a block that lasts `wanted_ns` or, of a stream, holds some windows, as long
 * as two dozen of those fit into the time limit; `window` 0: no stream. Pure. */
uint64_t measurement_block_steps(double step_ns, double wanted_ns, double limit_ns,
                                 unsigned window);

double measurement_mean(const double *values, size_t count);

/* The touching of a packet that is in cache, as it is after a hot receive; negative, with an error
 * logged, when there is no memory. */
double harness_touch_ns(size_t size_bytes);

#endif
