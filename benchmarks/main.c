/* The program of a benchmark. Compiled once for each, with -DBENCHMARK=cb_NAME, and with
 * -DPLAN=FUNCTION if its plan does not follow from its options by plan_make. Only that program
 * links the function. */
#include "benchmarks/registry.h"
#include "congest/congest.h"
#include "emit/emit.h"
#include "engine/plan_run.h"
#include "replay/replay.h"
#include "world/measure.h"

#ifndef PLAN
#define PLAN session_plan
#endif

int main(int argc, char **argv)
{
    const benchmark *definition = &BENCHMARK;
    engine_program program;
    engine_job job;
    engine_session session;
    cb_status status = program_begin(&program, definition, benchmarks_registry, argc, argv);

    if (status != CB_OK || program.done)
        return program_end(&program, status);
    if (program.options.model != NULL)
        return program_end(&program, world_measure(&program, PLAN));
    if (program.options.emit_trace != NULL) {
        status = cb_fragments_read(&program.options.sizes_of_fragments);
        return program_end(&program,
                           status == CB_OK ? emit_trace(definition, &program.options) : status);
    }
    status = session_open(&session, &job, &program);
    status = plan_carry_out(&session, &job, status, PLAN);
    session_free_job(&job);
    return program_end(&program, status);
}
