/* --model: run a benchmark in a model. */
#ifndef WORLD_MEASURE_H
#define WORLD_MEASURE_H

#include "engine/plan_run.h"

/* Measure in place of MPI's ranks, and write the result. Under a launcher only the first rank does.
 * CB_ERROR_USAGE, logged, for options that have no meaning in a model, and files that cannot be
 * read; otherwise as a run. */
cb_status world_measure(engine_program *program, plan_maker make_plan);

#endif
