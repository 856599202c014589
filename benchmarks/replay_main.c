/* The program that plays traces: the trace takes the place of the plan. Other benchmarks do not
 * need the model library, so that the method is not in the definition. */
#include "benchmarks/registry.h"
#include "engine/plan_run.h"
#include "replay/replay.h"

int main(int argc, char **argv)
{
    engine_program program;
    engine_job job;
    engine_session session;
    bench_plan plan = {0};
    cb_status status = program_begin(&program, &BENCHMARK, benchmarks_registry, argc, argv);

    if (status != CB_OK || program.done)
        return program_end(&program, status);
    status = session_open(&session, &job, &program);
    if (status == CB_OK)
        status = replay_plan(&session, &plan);
    if (status == CB_OK)
        status = session_start(&session, &job, &plan);
    if (status == CB_OK)
        status = plan_run(&session, &plan);
    status = session_close(&session, status);
    session_free_job(&job);
    plan_free(&plan);
    return program_end(&program, status);
}
