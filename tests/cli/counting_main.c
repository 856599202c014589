/* In the place of the engine's program of a benchmark: the ranks of an MPI job perform the one
 * measurement that the options leave, as often as a trace of it has steps, over the technology of
 * --technology; and each writes what it has sent into the file sent.RANK. */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "emit/emit.h"
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

static cb_status perform(bench_session *session, const bench_measurement *measurement,
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
    status =
        bench_rank_create(session, measurement, session->technology, ranks, count, &me, &actions);
    if (status == CB_OK)
        status = bench_perform(me, session->definition, session->options, shape, actions);
    if (status == CB_OK)
        status = transport_flush(session->technology);
    if (status == CB_OK)
        status = control_barrier(control_everyone(session->plane));
    bench_rank_destroy(session->definition, me);
    free(ranks);
    return status;
}

static cb_status run(bench_session *session)
{
    const bench_options *options = session->options;
    transport_bootstrap bootstrap = {.rank = control_rank(session->plane),
                                     .size = control_size(session->plane),
                                     .context = control_everyone(session->plane),
                                     .exchange = exchange_all};
    bench_measurement measurement;
    bench_shape shape;

    CB_TRY(bench_emit_choose(session->definition, options, (size_t)bootstrap.size, &measurement,
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

int bench_main(const benchmark *definition, const benchmark *const *registry, int argc, char **argv)
{
    options_table of;
    bench_options options;
    bench_session session = {.definition = definition, .options = &options};
    const cb_option *action;
    cb_status status;

    cb_log_identify("counting", control_launch_rank());
    options_table_make(definition, registry, &of);
    if (cb_options_defaults(&of.table, &options) != CB_OK ||
        cb_options_parse(&of.table, argc, argv, &options, NULL, &action) != CB_OK)
        return cb_status_exit(CB_ERROR_USAGE);
    status = control_open(false, &session.plane);
    if (status == CB_OK)
        status = run(&session);
    if (status != CB_OK)
        control_abort(session.plane, cb_status_exit(status));
    control_close(session.plane);
    cb_options_free(&of.table, &options);
    return EXIT_SUCCESS;
}
