/* A session without the engine's plan, document and environment. */
#include "tests/perf/session.h"

#include <stdlib.h>

#include "base/log.h"
#include "benchmarks/registry.h"

static cb_status exchange(void *context, const void *mine, size_t bytes, void *all)
{
    return control_exchange(context, mine, bytes, all);
}

static cb_status run(engine_session *session, int ranks, transport_wait wait,
                     cb_status (*compare)(engine_session *session))
{
    transport_bootstrap bootstrap = {.rank = control_rank(session->plane),
                                     .size = control_size(session->plane),
                                     .context = control_everyone(session->plane),
                                     .exchange = exchange};

    if (bootstrap.size != ranks) {
        cb_error("needs %d ranks and has %d", ranks, bootstrap.size);
        return CB_ERROR_USAGE;
    }
    CB_TRY(control_synchronise(session->plane, &session->clock));
    CB_TRY(transport_open(transport_find("mpi"), &bootstrap, &session->technology));
    CB_TRY(transport_set_wait(session->technology, wait, &session->effective_wait));
    CB_TRY(compare(session));
    return transport_close(session->technology);
}

/* Counted from the cores of the host: a bound rank may use only one of them. */
static bool ranks_share_cores(const host *machine, int ranks)
{
    host_environment environment;

    host_capture(machine, &environment);
    return (uint64_t)ranks > environment.cores;
}

int perf_main(const benchmark *definition, const char *program, int ranks,
              cb_status (*compare)(engine_session *session), int argc, char **argv)
{
    options_table of;
    bench_options options = {.fragments = NULL};
    const engine_job job = {.definition = definition, .options = &options};
    engine_session session = {.job = &job};
    transport_wait wait = TRANSPORT_WAIT_SPIN;
    const cb_option *action = NULL;
    cb_status status;

    options_table_make(definition, benchmarks_registry, &of);
    status = cb_options_defaults(&of.table, &options);
    cb_log_identify(program, -1);
    if (status == CB_OK)
        status = cb_options_parse(&of.table, argc, argv, &options, NULL, &action);
    if (status == CB_OK)
        status = host_open(&session.host);
    if (status == CB_OK && ranks_share_cores(session.host, ranks))
        wait = TRANSPORT_WAIT_YIELD;
    control_request_yield(wait != TRANSPORT_WAIT_SPIN);
    if (status == CB_OK)
        status = control_open(false, &session.plane);
    if (status != CB_OK)
        return cb_status_exit(status);
    status = run(&session, ranks, wait, compare);
    if (status != CB_OK)
        control_abort(cb_status_exit(status));
    control_close(session.plane);
    host_close(session.host);
    cb_options_free(&of.table, &options);
    return EXIT_SUCCESS;
}
