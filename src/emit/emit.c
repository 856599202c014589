/* All ranks of a measurement run the benchmark's own loops over the recorder, in one process; what
 * they send and receive is the trace. So each pattern is defined in one place only. */
#include "emit/emit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "control/control.h"
#include "engine/fragments.h"
#include "rate/arrivals.h"
#include "farm/loops.h"
#include "emit/recorder.h"
#include "engine/rank.h"
#include "engine/traffic.h"
#include "farm/messages.h"
#include "base/output.h"

/* A job large enough for every count; and events in flight per destination, for which the engine
 * would search. */
enum { ANY_NUMBER_OF_RANKS = 1 << 20, IN_FLIGHT_EACH = 4 };

/* Choose the measurement of a plan. A reference that is measured beside it is ignored. */
static cb_status choose_one(const benchmark *definition, const bench_plan *plan,
                            bench_measurement *out)
{
    bool others = false;
    size_t found = 0;

    for (size_t i = 0; i < plan->count; i++)
        others = others || plan->measurements[i].count != definition->ratio.reference;
    for (size_t i = 0; i < plan->count; i++)
        if (!others || plan->measurements[i].count != definition->ratio.reference) {
            *out = plan->measurements[i];
            found++;
        }
    if (found == 1)
        return CB_OK;
    cb_error("--emit-trace writes a trace of one measurement, but these options "
             "select %zu; choose one size (--sizes), and one each of the counts, "
             "modes, lists and times of cb_%s",
             found, definition->name);
    return CB_ERROR_USAGE;
}

/* Options that have no effect in a trace are rejected. */
static cb_status check_options(const bench_options *options)
{
    const struct {
        bool given;
        const char *name, *reason;
    } rows[] = {
        {options->rate_hz > 0, "rate", "due times are not in a trace"},
        {options->load_curve != NULL, "load-curve", "due times are not in a trace"},
        {options->find_rate, "find-rate", "due times are not in a trace"},
        {options->placement != NULL, "placement", "a trace has ranks, but no hosts"},
        {options->group != NULL, "group", "no configuration is read for a trace; use --receivers"},
        {options->slow_us > 0, "slow-us", "it applies to measurements only"},
        {bench_occupation_named(options->compute) != BENCH_UNOCCUPIED, "compute",
         "a trace has no computing task"},
        {options->threads > 1, "threads", "a rank of a trace performs one call after another"},
        {options->verify, "verify", "no message is sent that could be checked"},
        {options->timeline != NULL, "timeline", "nothing runs that could be recorded"},
        {options->output != NULL, "output", "nothing is measured, so there is no result"},
        {options->format != NULL, "format", "nothing is measured, so there is no result"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].given) {
            cb_error("--emit-trace cannot be combined with --%s: %s; leave one of them out",
                     rows[i].name, rows[i].reason);
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
    cb_error("--emit-trace: %zu ranks are more than the limit of %d; use fewer", shape_ranks(shape),
             EMIT_COROUTINES_MAXIMUM);
    return CB_ERROR_USAGE;
}

/* The ranks of a trace */

typedef struct {
    const benchmark *definition;
    const bench_options *options;
    bench_measurement measurement;
    bench_shape shape;
    emit_recorder *recorder;
    emit_scheduler *scheduler;
    size_t count;
    int *ranks;
    rate_arrivals arrivals;   /* of pauses before events */
    bool named[BENCH_STAGES]; /* receives of this stage name their senders */
    struct emit_rank *parts;
    cb_status written;
} emission;

typedef struct emit_rank {
    emission *all;
    bench_rank *me;
    const bench_actions *actions;
    double time_us;       /* time of the algorithm, or mean time of the pause before a step */
    uint64_t step_events; /* events of a step, each after a pause */
    rate_schedule pauses; /* of a rank that pauses: due times of its events, if they are not
                           * periodic, */
    uint64_t paused_ns;   /* and the last one; times count from the start */
} emit_rank;

/* A rank's part */

/* With --trace-pace-us the supervisor pauses before each event, for the intervals of --arrivals. In
 * a real run this time passes while it waits for the decision that makes room, so it is recorded
 * before that receive: when the previous event is issued. */
static cb_status issue_and_pace(bench_rank *me)
{
    const emit_rank *part = me->algorithm.context;

    CB_TRY(part->actions->step(me));
    return farm_of(me)->supervisor.ledger.issued + 1 < part->all->options->trace_steps
               ? bench_run_algorithm(&me->algorithm)
               : CB_OK;
}

static const farm_fragments *traced_fragments(const bench_options *options)
{
    return fragments_vary(options) ? &farm_fragments_varied_bare : &farm_fragments_bare;
}

static cb_status perform_farm(bench_rank *me, const bench_options *options,
                              const bench_shape *shape, const bench_actions *actions, bool recorded)
{
    const bench_actions paced = {.step = issue_and_pace};
    uint64_t in_flight = options->in_flight > 0 ? options->in_flight
                                                : IN_FLIGHT_EACH * shape->stages[FARM_DESTINATION];
    farm_load load = {.events = options->trace_steps, .in_flight = in_flight};
    rate_tally tally;

    CB_TRY(farm_join(me, shape, in_flight));
    /* The recorder keeps messages by sender, whether they were sent to a rank or to a group. */
    if (recorded)
        farm_of(me)->hears_groups = false;
    CB_TRY(farm_begin(me, 0, load.events, traced_fragments(options), 0));
    if (farm_of(me)->role != FARM_SUPERVISOR)
        return farm_serve(me, actions);
    if (options->trace_pace_us > 0) {
        CB_TRY(bench_run_algorithm(&me->algorithm));
        actions = &paced;
    }
    return farm_supervise(me, actions, &load, &tally);
}

/* With --trace-pace-us each source of a pipeline pauses before an event. */
static cb_status pause_and_step(bench_rank *me)
{
    const emit_rank *part = me->algorithm.context;

    CB_TRY(bench_run_algorithm(&me->algorithm));
    return part->actions->step(me);
}

static cb_status perform_part(bench_rank *me, const benchmark *definition,
                              const bench_options *options, const bench_shape *shape,
                              const bench_actions *actions, bool recorded)
{
    bench_actions paced = *actions;
    double elapsed_ns;
    cb_status status;

    rank_reset(me, fragments_vary(options) ? &traffic_varied_bare : &traffic_bare);
    if (definition->method == &farm_method) {
        status = perform_farm(me, options, shape, actions, recorded);
        farm_leave(me);
        return status;
    }
    if (options->trace_pace_us > 0 && shape_stage(shape, me->place.self) == 0) {
        paced.step = pause_and_step;
        if (paced.begin != NULL) /* the first event of a block */
            paced.begin = pause_and_step;
        actions = &paced;
    }
    CB_TRY(rank_set_up(definition, me));
    for (uint64_t block = 0; block < options->trace_blocks; block++)
        CB_TRY(block_run(me, actions, options->trace_steps, &elapsed_ns));
    return CB_OK;
}

cb_status emit_perform(bench_rank *me, const benchmark *definition, const bench_options *options,
                       const bench_shape *shape, const bench_actions *actions)
{
    return perform_part(me, definition, options, shape, actions, false);
}

/* All of them */

/* Whether ranks of a stage receive from ranks of several stages. */
static bool hears_several(const emission *all, size_t stage)
{
    const bench_role *role =
        &all->definition->roles[shape_role(all->definition, &all->shape, stage)];

    return (role->heard & (role->heard - 1)) != 0;
}

/* Whether the next action of a rank depends on the sender: a source of a farm answers the rank that
 * asked, and an assignment differs from a fragment; a builder acknowledges to the sender. */
static bool depends_on_sender(const emission *all, size_t stage)
{
    if (method_keeps_time(all->definition->method))
        return true;
    return all->definition->method == &farm_method &&
           (stage == FARM_SOURCE || hears_several(all, stage));
}

/* Called in place of the algorithm. */
static cb_status record_algorithm(void *context)
{
    const emit_rank *part = context;

    return emit_recorder_compute(part->all->recorder, part->me->place.self, part->time_us);
}

/* Called in place of a pause whose length is drawn. */
static cb_status record_pause(void *context)
{
    emit_rank *part = context;
    uint64_t due_ns = 0;
    double pause_us;

    for (uint64_t event = 0; event < part->step_events; event++)
        due_ns = rate_schedule_next(&part->pauses);
    pause_us = (double)(due_ns - part->paused_ns) / 1e3;
    part->paused_ns = due_ns;
    return pause_us > 0 ? emit_recorder_compute(part->all->recorder, part->me->place.self, pause_us)
                        : CB_OK;
}

static cb_status perform(void *context, size_t member)
{
    emission *all = context;
    emit_rank *part = &all->parts[member];

    return perform_part(part->me, all->definition, all->options, &all->shape, part->actions, true);
}

/* Farms have no blocks. */
static uint64_t traced_blocks(const bench_options *options)
{
    return options->trace_blocks > 0 ? options->trace_blocks : 1;
}

static cb_status make_part(emission *all, size_t rank)
{
    const rank_setting place = {.definition = all->definition,
                                .options = all->options,
                                .measurement = &all->measurement,
                                .ranks = all->ranks,
                                .participants = all->count,
                                .packets =
                                    traced_blocks(all->options) * (all->options->trace_steps + 1)};
    const size_t stage = shape_stage(&all->shape, rank);
    const bool farm = all->definition->method == &farm_method;
    const bench_scale scale = all->definition->units != NULL
                                  ? all->definition->units->scale(all->options, all->count)
                                  : (bench_scale){.events = 1, .receivers = all->count};
    const bool pauses = all->definition->method != NULL &&
                        (all->definition->method->takes & BENCH_TAKES_LOAD) != 0 && stage == 0 &&
                        rank < scale.receivers;
    const double pause_us = all->options->trace_pace_us * (double)scale.events;
    emit_rank *part = &all->parts[rank];

    part->all = all;
    part->step_events = scale.events;
    CB_TRY(
        rank_create(&place, emit_recorder_factory(all->recorder, rank), &part->me, &part->actions));
    part->time_us = pauses ? pause_us : all->measurement.algorithm_us;
    if (part->time_us > 0)
        part->me->algorithm =
            (bench_algorithm){.instead = record_algorithm, .context = part, .units = 1};
    if (fragments_vary(all->options)) {
        const bench_span senders = fragments_senders(all->definition, &all->shape, stage);

        emit_recorder_take_any_size(all->recorder, rank, senders.first, senders.count);
    }
    if (pauses && part->time_us > 0 && all->arrivals.process != FARM_PERIODIC) {
        part->pauses = rate_schedule_make(&all->arrivals, 1e6 / all->options->trace_pace_us,
                                          all->options->seed, 0);
        part->me->algorithm.instead = record_pause;
    }
    if (all->named[stage])
        emit_recorder_name_senders(all->recorder, rank);
    /* Decisions are received in any order, and assignments as soon as they arrive. */
    if (farm && stage == FARM_SUPERVISOR)
        emit_recorder_hear_first(all->recorder, rank, all->count);
    else if (farm && hears_several(all, stage))
        emit_recorder_hear_first(all->recorder, rank, shape_span(&all->shape, FARM_SOURCE).first);
    return CB_OK;
}

static cb_status create_parts(emission *all)
{
    all->parts = cb_allocate(all->count, sizeof(*all->parts), "the ranks of a trace");
    if (all->parts == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(emit_recorder_open(all->count, &all->recorder));
    if (strcmp(all->options->trace_group_send, "tree") == 0)
        emit_recorder_send_by_tree(all->recorder);
    if (method_keeps_time(all->definition->method))
        CB_TRY(emit_recorder_keep_time(all->recorder, all->options->seed));
    for (size_t rank = 0; rank < all->count; rank++)
        CB_TRY(make_part(all, rank));
    CB_TRY(emit_scheduler_create(all->count, perform, all, &all->scheduler));
    emit_recorder_set_scheduler(all->recorder, all->scheduler);
    if (method_keeps_time(all->definition->method)) {
        const emit_events events = emit_recorder_events(all->recorder);

        CB_TRY(emit_scheduler_run_by_time(all->scheduler, &events));
    } else {
        CB_TRY(emit_scheduler_run(all->scheduler));
    }
    return emit_recorder_finish(all->recorder);
}

static void destroy_parts(emission *all)
{
    for (size_t rank = 0; all->parts != NULL && rank < all->count; rank++)
        rank_destroy(all->definition, all->parts[rank].me);
    emit_scheduler_free(all->scheduler);
    emit_recorder_close(all->recorder);
    free(all->parts);
    all->parts = NULL;
    all->scheduler = NULL;
    all->recorder = NULL;
}

/* Record, and repeat with the stage named whenever receives of a stage turn out to depend on the
 * sender. */
static cb_status record_all(emission *all)
{
    cb_status status;
    size_t rank;

    all->ranks = cb_allocate(all->count, sizeof(*all->ranks), "the ranks of a trace");
    if (all->ranks == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < all->count; i++)
        all->ranks[i] = (int)i;
    for (size_t stage = 0; stage < all->shape.stage_count; stage++)
        all->named[stage] = depends_on_sender(all, stage);
    while ((status = create_parts(all)) != CB_OK && all->recorder != NULL &&
           emit_recorder_must_name(all->recorder, &rank)) {
        all->named[shape_stage(&all->shape, rank)] = true;
        destroy_parts(all);
    }
    return status;
}

static void write_trace(FILE *stream, void *context)
{
    emission *all = context;
    const bench_measurement *measurement = &all->measurement;

    fprintf(stream, "%%cct 1 ranks %zu unit us\n# cb_%s, mode %s, ", all->count,
            all->definition->name, measurement->mode->name);
    if (all->options->trace_blocks > 1)
        fprintf(stream, "%llu blocks of ", (unsigned long long)all->options->trace_blocks);
    fprintf(stream, "%llu steps of ", (unsigned long long)all->options->trace_steps);
    if (measurement->varied)
        fprintf(stream, "fragments %s, mean %.0f bytes, correlation %g, seed %llu\n",
                all->options->fragments, measurement->mean_bytes, all->options->correlation,
                (unsigned long long)all->options->seed);
    else
        fprintf(stream, "%zu bytes\n", measurement->size_bytes);
    all->written = emit_recorder_write(all->recorder, stream);
}

static cb_status write_to_standard_output(emission *all)
{
    write_trace(stdout, all);
    return cb_streams_flush(stdout, "the trace", ", or name one with --emit-trace");
}

/* Sends of different sizes do not fold into loops. */
static cb_status check_length(const emission *all)
{
    const uint64_t most = 1 << 22;
    const size_t sources = fragments_sources(all->definition, all->options, &all->shape);
    const uint64_t steps = all->options->trace_steps;

    if (!all->measurement.varied || steps <= most / sources / traced_blocks(all->options))
        return CB_OK;
    cb_error(
        "--emit-trace: each fragment of varying size is a line of the trace, and %llu steps of "
        "%zu sources make more than %llu; use a smaller --trace-steps",
        (unsigned long long)steps, sources, (unsigned long long)most);
    return CB_ERROR_USAGE;
}

static const cb_output_use trace_use = {.what = "the trace", .option = "--emit-trace"};

cb_status emit_trace(const benchmark *definition, const bench_options *options)
{
    emission all = {.definition = definition, .options = options};
    const bool to_file = strcmp(options->emit_trace, "-") != 0;
    char *target = NULL;
    cb_status status;

    if (control_launch_rank() != 0)
        return CB_OK;
    CB_TRY(emit_choose(definition, options, (size_t)options->trace_ranks, &all.measurement,
                       &all.shape));
    CB_TRY(check_length(&all));
    CB_TRY(rate_arrivals_parse(options->arrivals, &all.arrivals));
    if (to_file) {
        target = cb_output_target(options->emit_trace, &trace_use);
        if (target == NULL || cb_output_check(target, &trace_use) != CB_OK) {
            rate_arrivals_free(&all.arrivals);
            free(target);
            return CB_ERROR_USAGE;
        }
    }
    all.count = shape_ranks(&all.shape);
    status = record_all(&all);
    if (status == CB_OK)
        status = to_file ? cb_output_replace(target, &trace_use, write_trace, &all)
                         : write_to_standard_output(&all);
    if (status == CB_OK)
        status = all.written;
    destroy_parts(&all);
    rate_arrivals_free(&all.arrivals);
    free(all.ranks);
    free(target);
    return status;
}
