/* PROGRAM NAME [OPTION]... runs, as an MPI job, the single measurement that the options select,
 * for as many steps as a trace of it has, with the technology of --technology. Each rank writes
 * the messages that it sent to the file sent.RANK. */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "benchmarks/registry.h"
#include "emit/emit.h"
#include "engine/fragments.h"
#include "engine/rank.h"
#include "engine/session.h"
#include "tests/cli/by_name.h"
#include "tests/cli/technologies_counting.h"

static cb_status exchange_all(void *context, const void *mine, size_t bytes, void *all)
{
    return control_exchange(context, mine, bytes, all);
}

static cb_status write_counts(int rank)
{
    char path[32];
    FILE *file;
    int failed;

    snprintf(path, sizeof(path), "sent.%d", rank);
    file = fopen(path, "w");
    if (file == NULL)
        return CB_ERROR_SYSTEM;
    failed = counting_write(file);
    failed |= fclose(file);
    return failed != 0 ? CB_ERROR_SYSTEM : CB_OK;
}

static cb_status perform(engine_session *session, const bench_measurement *measurement,
                         const bench_shape *shape)
{
    size_t count = shape_ranks(shape);
    int *ranks = cb_allocate(count, sizeof(*ranks), "the ranks");
    const bench_actions *actions;
    bench_rank *me = NULL;
    cb_status status;

    if (ranks == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++)
        ranks[i] = (int)i;
    status = rank_create(&(rank_setting){.definition = session->job->definition,
                                         .options = session->job->options,
                                         .measurement = measurement,
                                         .ranks = ranks,
                                         .participants = count},
                         session->technology, &me, &actions);
    if (status == CB_OK)
        status = emit_perform(me, session->job->definition, session->job->options, shape, actions);
    if (status == CB_OK)
        status = transport_flush(session->technology);
    if (status == CB_OK)
        status = control_barrier(control_everyone(session->plane));
    rank_destroy(session->job->definition, me);
    free(ranks);
    return status;
}

static cb_status run(engine_session *session)
{
    const bench_options *options = session->job->options;
    transport_bootstrap bootstrap = {.rank = control_rank(session->plane),
                                     .size = control_size(session->plane),
                                     .context = control_everyone(session->plane),
                                     .exchange = exchange_all};
    bench_measurement measurement;
    bench_shape shape;

    CB_TRY(emit_choose(session->job->definition, options, (size_t)bootstrap.size, &measurement,
                       &shape));
    if (shape_ranks(&shape) != (size_t)bootstrap.size) {
        cb_error("this measurement needs %zu ranks, and the job has %d", shape_ranks(&shape),
                 bootstrap.size);
        return CB_ERROR_USAGE;
    }
    CB_TRY(counting_open(transport_find(options->technology), &bootstrap, &session->technology));
    CB_TRY(perform(session, &measurement, &shape));
    CB_TRY(write_counts(bootstrap.rank));
    return transport_close(session->technology);
}

int main(int argc, char **argv)
{
    const benchmark *definition = by_name(&argc, &argv);
    options_table of;
    bench_options options = {.fragments = NULL};
    const engine_job job = {.definition = definition, .options = &options};
    engine_session session = {.job = &job};
    const cb_option *action;
    cb_status status;

    cb_log_identify("counting", control_launch_rank());
    options_table_make(definition, benchmarks_registry, &of);
    if (cb_options_defaults(&of.table, &options) != CB_OK ||
        cb_options_parse(&of.table, argc, argv, &options, NULL, &action) != CB_OK)
        return cb_status_exit(CB_ERROR_USAGE);
    if (fragments_parse(&options, false, false) != CB_OK)
        return cb_status_exit(CB_ERROR_USAGE);
    status = control_open(false, &session.plane);
    if (status == CB_OK)
        status = run(&session);
    if (status != CB_OK)
        control_abort(cb_status_exit(status));
    control_close(session.plane);
    cb_options_free(&of.table, &options);
    return EXIT_SUCCESS;
}
