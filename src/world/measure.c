/* Open what the options name, and run the session of each rank. */
#include "world/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "engine/fragments.h"
#include "engine/plan_run.h"
#include "world/plane.h"
#include "world/technology.h"
#include "world/world.h"

enum { ANY_NUMBER_OF_RANKS = 1 << 20 };

typedef struct {
    engine_job job;
    ccmod_calibration calibration;
    char *calibration_text;
    ccmod_network *network;
    ccmod_parameters parameters;
    size_t ranks;
    plan_maker make_plan;
} model_run;

static cb_status refuse(const char *name, const char *reason)
{
    cb_error("--model cannot be combined with --%s: %s; leave one of them out", name, reason);
    return CB_ERROR_USAGE;
}

/* Options that have no meaning in a model. */
static cb_status check_options(const engine_program *program)
{
    const bench_options *options = &program->options;
    const struct {
        bool given;
        const char *name, *reason;
    } rows[] = {
        {program->technology_given, "technology", "the model is the technology"},
        {program->touch_given, "touch", "reading data takes no time in a model"},
        {options->config != NULL, "config", "it is about technologies and machines"},
        {options->interface != NULL, "interface", "a model has none"},
        {options->parameter != NULL, "parameter", "a model has none"},
        {options->threads > 1, "threads", "a rank of a model is one coroutine"},
        {bench_occupation_named(options->compute) != BENCH_UNOCCUPIED, "compute",
         "a model has no cores"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].given)
            return refuse(rows[i].name, rows[i].reason);
    return CB_OK;
}

/* As many as the largest measurement needs, and those of --receivers; 0: as many as there are. */
static cb_status find_ranks_needed(const engine_program *program, size_t *out)
{
    const benchmark *definition = program->definition;
    const cb_list *receivers = &program->options.receivers;
    bench_plan plan = {0};

    CB_TRY(plan_make(definition, &program->options, ANY_NUMBER_OF_RANKS, &plan));
    for (size_t i = 0; i < plan.count; i++) {
        const bench_measurement *planned = &plan.measurements[i];
        const bench_shape shape = planned->shape.stage_count > 0
                                      ? planned->shape
                                      : shape_of_count(definition, planned->count);
        const size_t ranks = shape_ranks(&shape);

        if (ranks < ANY_NUMBER_OF_RANKS && ranks > *out)
            *out = ranks;
    }
    for (size_t i = 0; i < receivers->count; i++)
        if (receivers->values[i] >= *out)
            *out = (size_t)receivers->values[i] + 1;
    plan_free(&plan);
    return CB_OK;
}

static cb_status count_ranks(const engine_program *program, plan_maker make_plan, size_t *out)
{
    *out = (size_t)program->options.model_ranks;
    if (*out == 0 && make_plan == session_plan)
        CB_TRY(find_ranks_needed(program, out));
    if (*out > 0)
        return CB_OK;
    cb_error("--model: the number of ranks does not follow from these options; add --ranks");
    return CB_ERROR_USAGE;
}

static cb_status find_share(const char *name, ccmod_share *out)
{
    char names[128] = "";
    size_t used = 0;

    for (*out = 0; *out < CCMOD_SHARES; ++*out) {
        if (strcmp(name, ccmod_share_name(*out)) == 0)
            return CB_OK;
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used > 0 ? ", " : "",
                                 ccmod_share_name(*out));
    }
    cb_error("--share '%.64s': there is no such rule; use one of %s", name, names);
    return CB_ERROR_USAGE;
}

static cb_status failed(const ccmod_error *error)
{
    cb_error("%s", error->text);
    return error->status == CCMOD_ERROR_MEMORY ? CB_ERROR_MEMORY : CB_ERROR_USAGE;
}

static cb_status set_parameters(const bench_options *options, ccmod_parameters *out)
{
    ccmod_error error;

    *out = ccmod_parameters_default();
    out->seed = options->seed;
    CB_TRY(find_share(options->share, &out->share));
    if (options->switch_buffer != NULL &&
        ccmod_parameters_set_buffer(out, options->switch_buffer, &error) != CCMOD_OK) {
        cb_error("--switch-buffer '%.64s': %s; write 64KiB, or 1MB,shared:1",
                 options->switch_buffer, error.text);
        return CB_ERROR_USAGE;
    }
    if (options->background != NULL &&
        ccmod_parameters_set_background(out, options->background, &error) != CCMOD_OK) {
        cb_error("--background '%.64s': %s; write none, 0.3 or exp:0.3", options->background,
                 error.text);
        return CB_ERROR_USAGE;
    }
    return CB_OK;
}

/* As the library understood it, for the document. */
static cb_status write_calibration(model_run *run)
{
    size_t bytes;
    FILE *stream = open_memstream(&run->calibration_text, &bytes);

    if (stream != NULL) {
        ccmod_calibration_write(&run->calibration, stream);
        if (fclose(stream) == 0)
            return CB_OK;
    }
    cb_error("cannot keep the text of the calibration: out of memory");
    return CB_ERROR_MEMORY;
}

/* The rule of --share, else the one that the calibration found, else fifo. */
static cb_status open_model(bench_options *options, model_run *run)
{
    ccmod_error error;

    if (ccmod_calibration_open(options->model, &run->calibration, &error) != CCMOD_OK ||
        ccmod_network_open(options->network, run->ranks, &run->network, &error) != CCMOD_OK)
        return failed(&error);
    ccmod_network_use_packets(&run->calibration, run->network);
    if (ccmod_network_share_ends(&run->calibration, &run->network, &error) != CCMOD_OK)
        return failed(&error);
    if (options->share == NULL)
        options->share = ccmod_share_name(run->calibration.share_rule > 0
                                              ? (ccmod_share)(run->calibration.share_rule - 1)
                                              : CCMOD_FIFO);
    CB_TRY(set_parameters(options, &run->parameters));
    return write_calibration(run);
}

/* Each rank on a host of its own. */
static cb_status make_machines(size_t ranks, machines_of_job *out)
{
    CB_TRY(machines_allocate(ranks, out));
    out->host_count = ranks;
    for (size_t rank = 0; rank < ranks; rank++) {
        out->hosts[rank] = out->machines[rank] = (int)rank;
        out->cores[rank] = out->host_cores[rank] = 1;
    }
    return CB_OK;
}

static cb_status run_rank(void *context, world_rank *me)
{
    model_run *run = context;
    engine_session session;

    session_open_in_model(&session, &run->job, world_plane_of(me));
    return plan_carry_out(&session, &run->job, CB_OK, run->make_plan);
}

static cb_status run_world(engine_program *program, model_run *run)
{
    world_setting setting = {.network = run->network,
                             .calibration = &run->calibration,
                             .parameters = run->parameters,
                             .ranks = run->ranks,
                             .multicasts_by_tree =
                                 strcmp(program->options.group_send, BENCH_GROUP_SEND_TREE) == 0,
                             .run = run_rank,
                             .context = run};
    cb_status status, recorded;
    double end_us;

    run->job = (engine_job){.program = program,
                            .definition = program->definition,
                            .options = &program->options,
                            .ranks = run->ranks,
                            .calibration = run->calibration_text,
                            .usage = &world_usage};
    CB_TRY(make_machines(run->ranks, &run->job.machines));
    if (program->options.emit_trace != NULL)
        CB_TRY(world_recorder_open(program->options.emit_trace, program->definition->name,
                                   run->ranks, run->calibration.eager_bytes, &setting.recorder));
    status = world_run(&setting, &end_us);
    recorded = world_recorder_close(setting.recorder, end_us, status == CB_OK);
    return status == CB_OK ? recorded : status;
}

cb_status world_measure(engine_program *program, plan_maker make_plan)
{
    model_run run = {.make_plan = make_plan};
    cb_status status;

    if (control_launch_rank() != 0)
        return CB_OK;
    CB_TRY(check_options(program));
    CB_TRY(cb_fragments_read(&program->options.sizes_of_fragments));
    program->technology = &world_technology;
    program->options.technology = world_technology.name;
    program->options.touch = "none";
    if (program->options.network == NULL)
        program->options.network = "crossbar";
    if (program->options.group_send == NULL)
        program->options.group_send = BENCH_GROUP_SEND_NETWORK;
    CB_TRY(count_ranks(program, make_plan, &run.ranks));
    session_catch_signals();
    cb_streams_keep_output();
    status = open_model(&program->options, &run);
    if (status == CB_OK)
        status = run_world(program, &run);
    session_free_job(&run.job);
    ccmod_network_free(run.network);
    free(run.calibration_text);
    return status;
}
