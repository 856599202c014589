/* The program of every benchmark. */
#include "emit/emit.h"
#include "engine/plan_run.h"

int bench_main(const bench_definition *definition, int argc, char **argv)
{
    engine_program program;
    engine_session session;
    bench_plan plan = {0};
    cb_status status = program_begin(&program, definition, argc, argv);

    if (status != CB_OK || program.done)
        return program_end(&program, status);
    if (program.options.emit_trace != NULL)
        return program_end(&program, emit_trace(definition, &program.options));
    status = session_open(&session, &program);
    if (status == CB_OK)
        status = bench_plan_make(definition, &program.options, (size_t)control_size(session.plane),
                                 &plan);
    if (status == CB_OK)
        status = session_start(&session, &plan);
    if (status == CB_OK)
        status = plan_run(&session, &plan);
    status = session_close(&session, status);
    bench_plan_free(&plan);
    return program_end(&program, status);
}
