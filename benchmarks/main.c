/* The program of a benchmark. Compiled once for each, with -DBENCHMARK=cb_NAME, and with
 * -DPLAN=FUNCTION if its plan does not follow from its options by plan_make. Only that program
 * links the function and what it needs: the model library, to play traces. */
#include "benchmarks/registry.h"
#include "congest/congest.h"
#include "emit/emit.h"
#include "engine/plan_run.h"
#include "replay/replay.h"

#ifndef PLAN
#define PLAN session_plan
#endif

int main(int argc, char **argv)
{
    const benchmark *definition = &BENCHMARK;
    engine_program program;
    engine_job job;
    engine_session session;
    bench_plan plan = {0};
    cb_status status = program_begin(&program, definition, benchmarks_registry, argc, argv);

    if (status != CB_OK || program.done)
        return program_end(&program, status);
    if (program.options.emit_trace != NULL) {
        status = cb_fragments_read(&program.options.sizes_of_fragments);
        return program_end(&program,
                           status == CB_OK ? emit_trace(definition, &program.options) : status);
    }
    status = session_open(&session, &job, &program);
    if (status == CB_OK)
        status = PLAN(&session, &plan);
    if (status == CB_OK)
        status = session_start(&session, &job, &plan);
    if (status == CB_OK)
        status = plan_run(&session, &plan);
    status = session_close(&session, &job, status);
    plan_free(&plan);
    return program_end(&program, status);
}
