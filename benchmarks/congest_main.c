/* The program that measures a benchmark beside another: these take the place of the plan. */
#include "benchmarks/registry.h"
#include "congest/congest.h"
#include "engine/plan_run.h"

int main(int argc, char **argv)
{
    engine_program program;
    engine_session session;
    bench_plan plan = {0};
    cb_status status = program_begin(&program, &BENCHMARK, benchmarks_registry, argc, argv);

    if (status != CB_OK || program.done)
        return program_end(&program, status);
    status = session_open(&session, &program);
    if (status == CB_OK)
        status = congest_plan(&session, &plan);
    if (status == CB_OK)
        status = session_start(&session, &plan);
    if (status == CB_OK)
        status = plan_run(&session, &plan);
    status = session_close(&session, status);
    plan_free(&plan);
    return program_end(&program, status);
}
