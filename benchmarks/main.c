/* The program of a benchmark. Compiled once for each, with -DBENCHMARK=cb_NAME. */
#include "benchmarks/registry.h"
#include "emit/emit.h"
#include "engine/plan_run.h"

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
        status = definition->plan != NULL
                     ? definition->plan(&session, &plan)
                     : session_agree_on_plan(
                           &session, plan_make(definition, &program.options, job.ranks, &plan));
    if (status == CB_OK)
        status = session_start(&session, &job, &plan);
    if (status == CB_OK)
        status = plan_run(&session, &plan);
    status = session_close(&session, &job, status);
    plan_free(&plan);
    return program_end(&program, status);
}
