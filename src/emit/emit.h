/* --emit-trace: write the messages of a measurement as a trace, without MPI and without sending
 * anything. */
#ifndef EMIT_EMIT_H
#define EMIT_EMIT_H

#include "engine/traffic.h"
#include "engine/options.h"
#include "engine/plan.h"

/* Write the trace that options->emit_trace asks for: --trace-steps steps (events of a farm) of the
 * only measurement that the options select. Under a launcher only the first rank writes.
 * CB_ERROR_USAGE, logged, if the options select no measurement or several, or cannot be traced;
 * CB_ERROR_MEMORY or CB_ERROR_SYSTEM, logged. */
cb_status emit_trace(const benchmark *definition, const bench_options *options);

/* Find the only measurement of the options in a job of `ranks` (0: as many as it needs), and its
 * shape. CB_ERROR_USAGE, logged. */
cb_status emit_choose(const benchmark *definition, const bench_options *options, size_t ranks,
                      bench_measurement *out, bench_shape *shape);

/* Run a rank's part once: begin, --trace-steps steps and finish; or as many events of a farm in a
 * closed loop. Call after rank_create; sets up and tears down what the benchmark needs. */
cb_status emit_perform(bench_rank *me, const benchmark *definition, const bench_options *options,
                       const bench_shape *shape, const bench_actions *actions);

#endif
