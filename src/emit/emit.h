/* The trace of a measurement, from its parameters alone: nothing is sent anywhere. */
#ifndef EMIT_EMIT_H
#define EMIT_EMIT_H

#include "engine/benchmark.h"
#include "engine/options.h"
#include "engine/plan.h"

/* Write the trace that options->emit_trace asks for: --trace-steps steps, or events of a farm, of
 * the one measurement that the options leave. Without MPI; of a launcher's ranks only the first
 * does anything. CB_ERROR_USAGE, logged, where they leave none or several, or ask for what a trace
 * cannot have. */
cb_status emit_trace(const benchmark *definition, const bench_options *options);

/* The one measurement of those options in a job of `ranks`, 0 for as many as it takes; and how its
 * ranks are laid out. CB_ERROR_USAGE, logged. */
cb_status emit_choose(const benchmark *definition, const bench_options *options, size_t ranks,
                      bench_measurement *out, bench_shape *shape);

/* A rank's part in a measurement, once: begin, --trace-steps steps and finish, or as many events in
 * a closed loop. What it was made for by rank_create is made whole before, and unmade after it. */
cb_status emit_perform(bench_rank *me, const benchmark *definition, const bench_options *options,
                       const bench_shape *shape, const bench_actions *actions);

#endif
