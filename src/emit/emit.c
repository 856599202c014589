/* All ranks of a measurement run the benchmark's own loops over the recorder, in one process, and
 * what they sent and received is the trace. So no pattern is written down twice. */
#include "emit/emit.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "control/control.h"
#include "engine/block.h"
#include "farm/loops.h"
#include "emit/recorder.h"
#include "engine/rank.h"
#include "engine/traffic.h"
#include "farm/messages.h"
#include "report/file.h"

/* A job in which no count is too large; and events in flight for each destination, where the engine
 * would search for the best number. */
enum { ANY_NUMBER_OF_RANKS = 1 << 20, IN_FLIGHT_EACH = 4 };

/* The one measurement of a plan; where it has others, the reference measured beside it is left out.
 */
static cb_status choose_one(const benchmark *definition, const bench_plan *plan,
                            bench_measurement *out)
{
    bool others = false;
    size_t found = 0;

    for (size_t i = 0; i < plan->count; i++)
        others = others || plan->measurements[i].count != definition->reference;
    for (size_t i = 0; i < plan->count; i++)
        if (!others || plan->measurements[i].count != definition->reference) {
            *out = plan->measurements[i];
            found++;
        }
    if (found == 1)
        return CB_OK;
    cb_error("--emit-trace: a trace is of one measurement, and these options leave %zu; give one "
             "size by --sizes, and one each of the numbers of ranks, modes, lists and times that "
             "cb_%s has",
             found, definition->name);
    return CB_ERROR_USAGE;
}

/* What is measured and cannot be recorded. */
static cb_status check_options(const bench_options *options)
{
    const struct {
        bool given;
        const char *name, *reason;
    } rows[] = {
        {options->rate_hz > 0, "rate", "when events fall due is not in a trace"},
        {options->load_curve != NULL, "load-curve", "when events fall due is not in a trace"},
        {options->find_rate, "find-rate", "when events fall due is not in a trace"},
        {options->placement != NULL, "placement", "a trace knows ranks, and no hosts"},
        {options->group != NULL, "group", "no configuration is read for it; use --receivers"},
        {options->slow_us > 0, "slow-us", "it is an experiment with a measurement"},
        {bench_occupation_named(options->compute) != BENCH_UNOCCUPIED, "compute",
         "a trace has no other task on a core"},
        {options->verify, "verify", "no message is moved that could be checked"},
        {options->timeline != NULL, "timeline", "nothing is run that could be noted"},
        {options->output != NULL, "output", "nothing is measured, and there is no result"},
        {options->format != NULL, "format", "nothing is measured, and there is no result"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].given) {
            cb_error("--emit-trace does not go with --%s: %s; leave one of them out", rows[i].name,
                     rows[i].reason);
            return CB_ERROR_USAGE;
        }
    return CB_OK;
}

cb_status emit_choose(const benchmark *definition, const bench_options *options, size_t ranks,
                      bench_measurement *out, bench_shape *shape)
{
    bench_plan plan;
    cb_status status;

    CB_TRY(check_options(options));
    CB_TRY(plan_make(definition, options, ranks > 0 ? ranks : ANY_NUMBER_OF_RANKS, &plan));
    status = choose_one(definition, &plan, out);
    plan_free(&plan);
    CB_TRY(status);
    *shape = out->shape.stage_count > 0 ? out->shape : shape_of_count(definition, out->count);
    *shape = plan_layout(definition, options, out, ranks > 0 ? ranks : shape_ranks(shape));
    if (shape_ranks(shape) <= EMIT_COROUTINES_MAXIMUM)
        return CB_OK;
    cb_error("--emit-trace: %zu ranks are more than the %d that are recorded at a time; ask for "
             "fewer",
             shape_ranks(shape), EMIT_COROUTINES_MAXIMUM);
    return CB_ERROR_USAGE;
}

/* A rank's part */

static cb_status perform_farm(bench_rank *me, const bench_options *options,
                              const bench_shape *shape, const bench_actions *actions)
{
    uint64_t in_flight = options->in_flight > 0 ? options->in_flight
                                                : IN_FLIGHT_EACH * shape->stages[FARM_DESTINATION];
    farm_load load = {.events = options->trace_steps, .in_flight = in_flight};
    farm_tally tally;

    CB_TRY(farm_join(me, shape, in_flight));
    CB_TRY(farm_begin(me, 0, load.events, &farm_fragments_bare, 0));
    return farm_of(me)->role == FARM_SUPERVISOR ? farm_supervise(me, actions, &load, &tally)
                                                : farm_serve(me, actions);
}

cb_status emit_perform(bench_rank *me, const benchmark *definition, const bench_options *options,
                       const bench_shape *shape, const bench_actions *actions)
{
    double elapsed_ns;
    cb_status status;

    rank_reset(me, &traffic_bare);
    if (definition->method == &farm_method) {
        status = perform_farm(me, options, shape, actions);
        farm_leave(me);
        return status;
    }
    CB_TRY(rank_set_up(definition, me));
    return block_run(me, actions, options->trace_steps, &elapsed_ns);
}

/* All of them */

typedef struct {
    const benchmark *definition;
    const bench_options *options;
    bench_measurement measurement;
    bench_shape shape;
    emit_recorder *recorder;
    emit_scheduler *scheduler;
    size_t count;
    int *ranks;
    struct emit_rank *parts;
} emission;

typedef struct emit_rank {
    emission *all;
    bench_rank *me;
    const bench_actions *actions;
} emit_rank;

/* In the place of the algorithm. */
static cb_status record_algorithm(void *context)
{
    const emit_rank *part = context;

    return emit_recorder_compute(part->all->recorder, part->me->place.self,
                                 part->all->measurement.algorithm_us);
}

static cb_status perform(void *context, size_t member)
{
    emission *all = context;
    emit_rank *part = &all->parts[member];

    return emit_perform(part->me, all->definition, all->options, &all->shape, part->actions);
}

static cb_status make_part(emission *all, size_t rank)
{
    const rank_setting place = {.definition = all->definition,
                                .options = all->options,
                                .measurement = &all->measurement,
                                .ranks = all->ranks,
                                .participants = all->count};
    emit_rank *part = &all->parts[rank];

    part->all = all;
    CB_TRY(
        rank_create(&place, emit_recorder_factory(all->recorder, rank), &part->me, &part->actions));
    if (all->measurement.algorithm_us > 0) {
        part->me->algorithm =
            (bench_algorithm){.instead = record_algorithm, .context = part, .units = 1};
    }
    /* A source answers the rank that asked. */
    if (all->definition->method == &farm_method && shape_stage(&all->shape, rank) == FARM_SOURCE)
        emit_recorder_depends_on_sender(all->recorder, rank);
    return CB_OK;
}

static cb_status make_all(emission *all)
{
    all->ranks = cb_allocate(all->count, sizeof(*all->ranks), "the ranks of a trace");
    all->parts = cb_allocate(all->count, sizeof(*all->parts), "the ranks of a trace");
    if (all->ranks == NULL || all->parts == NULL)
        return CB_ERROR_MEMORY;
    for (size_t rank = 0; rank < all->count; rank++)
        all->ranks[rank] = (int)rank;
    CB_TRY(emit_recorder_open(all->count, &all->recorder));
    for (size_t rank = 0; rank < all->count; rank++)
        CB_TRY(make_part(all, rank));
    CB_TRY(emit_scheduler_create(all->count, perform, all, &all->scheduler));
    emit_recorder_set_scheduler(all->recorder, all->scheduler);
    return emit_scheduler_run(all->scheduler);
}

static void write_trace(FILE *stream, void *context)
{
    const emission *all = context;
    const bench_measurement *measurement = &all->measurement;

    fprintf(stream, "%%cct 1 ranks %zu unit us\n# cb_%s, mode %s, %llu steps of %zu bytes\n",
            all->count, all->definition->name, measurement->mode->name,
            (unsigned long long)all->options->trace_steps, measurement->size_bytes);
    emit_recorder_write(all->recorder, stream);
}

static const report_file_use trace_use = {.what = "the trace", .option = "--emit-trace"};

cb_status emit_trace(const benchmark *definition, const bench_options *options)
{
    emission all = {.definition = definition, .options = options};
    char *target;
    cb_status status;

    if (control_launch_rank() != 0)
        return CB_OK;
    CB_TRY(emit_choose(definition, options, (size_t)options->trace_ranks, &all.measurement,
                       &all.shape));
    target = report_file_target(options->emit_trace, &trace_use);
    if (target == NULL || report_file_check(target, &trace_use) != CB_OK) {
        free(target);
        return CB_ERROR_USAGE;
    }
    all.count = shape_ranks(&all.shape);
    status = make_all(&all);
    if (status == CB_OK)
        status = report_file_replace(target, &trace_use, write_trace, &all);
    for (size_t rank = 0; all.parts != NULL && rank < all.count; rank++)
        rank_destroy(definition, all.parts[rank].me);
    emit_scheduler_free(all.scheduler);
    emit_recorder_close(all.recorder);
    free(all.parts);
    free(all.ranks);
    free(target);
    return status;
}
