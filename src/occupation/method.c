/* The passes of --compute, and the computing task of each rank.
 *
 * A rank creates its task once and is bound to one core with it. The task sleeps except in batches
 * that need it. Communication and computing are measured separately and together, in the same run
 * with the same binding:
 *
 *   communication only    the task sleeps: steps per block, then blocks
 *   computing only        all ranks sleep
 *   both                  steps per block again; blocks in one batch without a pause; single steps
 *   computing only,       repeated, so that a drift of the machine, or its other users, affect
 *   communication only    both terms of a ratio
 *
 * Times are means over long blocks: a task of low priority gets the core rarely, but for a whole
 * tick of the scheduler, and that effect is measured. Blocks with the task are one batch, since a
 * rank that rests between batches would give the task additional turns. */
#include "occupation/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/figures.h"
#include "engine/measurement.h"
#include "engine/rank.h"

enum { TURNS_MINIMUM = 5, PERIODS_MINIMUM = 2, TICKS_A_BLOCK = 20 };

/* The shorter of a share of --max-time and a fixed time; if several tasks share a core, each needs
 * some turns, so there is no fixed time. */
static double part_ns(double limit_ns, double share, double most_ns, bool oversubscribed)
{
    return oversubscribed ? share * limit_ns : fmin(share * limit_ns, most_ns);
}

occupation_parts occupation_parts_of(double limit_ns, bool oversubscribed)
{
    const double alone_ns = part_ns(limit_ns, 0.17, 500e6, oversubscribed);
    const double compute_ns = part_ns(limit_ns, 0.08, 250e6, oversubscribed);
    const double steps_ns = part_ns(limit_ns, 0.03, 100e6, oversubscribed);
    const double again_ns = part_ns(limit_ns, 0.16, 500e6, oversubscribed);
    const double rest_ns = part_ns(limit_ns, 0.05, 150e6, oversubscribed);
    occupation_parts parts = {.first_alone_ns = alone_ns,
                              .second_alone_ns = limit_ns - rest_ns,
                              .compute_ns = compute_ns};

    parts.steps_ns = parts.second_alone_ns - again_ns - compute_ns;
    parts.both_ns = parts.steps_ns - steps_ns;
    return parts;
}

double occupation_compute_ns(size_t ranks, double tick_ns)
{
    const double spare = 1.5, parts = 2;

    return spare * TURNS_MINIMUM * (double)ranks * tick_ns / parts;
}

occupation_figures occupation_figures_of(const occupation_work *work, double tick_ns)
{
    const occupation_figures none = {(double)NAN, (double)NAN, (double)NAN, false};
    occupation_figures figures = none;
    double turn_each_ns = (double)work->ranks * tick_ns, done_ns = work->beside_work_ns;
    bool few = done_ns < TURNS_MINIMUM * turn_each_ns;
    bool periodic = work->whole_periods >= PERIODS_MINIMUM && work->whole_share > 0;
    double alone_share, beside_share;

    if (work->ranks == 0 || work->alone_ns <= 0 || work->beside_ns <= 0)
        return figures;
    alone_share = work->alone_work_ns / work->alone_ns;
    figures.alone_pct = 100 * alone_share;
    if (work->alone_work_ns < TURNS_MINIMUM * turn_each_ns)
        return figures;
    figures.at_least = few && !periodic;
    if (few && periodic)
        beside_share = work->whole_share / (double)work->ranks;
    else
        beside_share = (done_ns + (few ? turn_each_ns : 0)) / work->beside_ns;
    figures.slowdown = alone_share / beside_share;
    if (figures.at_least && figures.slowdown < 1)
        return (occupation_figures){figures.alone_pct, none.slowdown, none.left_pct, false};
    figures.left_pct = 100 / figures.slowdown;
    return figures;
}

void occupation_fill_row(const occupation_result *found, double step_ns, report_row *row)
{
    if (found->alone_step_ns <= 0)
        return;
    report_set_number(row, REPORT_SLOWDOWN_COMMUNICATION, step_ns / found->alone_step_ns);
    for (bench_side side = 0; side < BENCH_SIDES; side++) {
        occupation_figures figures = occupation_figures_of(&found->sides[side], found->tick_ns);
        const char *name = bench_side_name(side);

        report_set_member(row, REPORT_COMPUTING_ALONE_PCT, figures.alone_pct, "%s", name);
        report_set_member(row, REPORT_SLOWDOWN_COMPUTING, figures.slowdown, "%s", name);
        report_set_member(row, REPORT_COMPUTING_LEFT_PCT, figures.left_pct, "%s", name);
        if (figures.at_least)
            report_set_member_flag(row, REPORT_SLOWDOWN_COMPUTING_AT_LEAST, true, "%s", name);
    }
}

/* Work of a rank's task. Plain data. */
typedef struct {
    uint64_t side; /* BENCH_SIDES: this rank has no task */
    occupation_work work;
} rank_work;

/* State of the method. */
typedef struct {
    host_task *task;
    double unit_ns; /* time per unit of work on this rank's core */
    size_t ranks_a_core;
    /* Of the current measurement */
    occupation_parts parts;
    measurement_passes *run;
    host_task *own_task; /* this rank's task, if its side computes */
    double block_ns;
    uint64_t alone_steps; /* steps per block without the task */
    double alone_total_ns, alone_total_steps;
    occupation_result found; /* sides at rank 0 only; the tick is the longest of all hosts */
} occupation;

/* What a rank reports about its computing. Plain data. */
typedef struct {
    char binding[HOST_TEXT];
    char priority[HOST_TEXT];
    double unit_ns, spread_pct, tick_ns;
} computing_report;

/* Bind this rank to one core and create its task there. Ranks that may use the same cores are
 * spread over them. */
static cb_status bind_to_core(occupation *state, const engine_session *session,
                              computing_report *mine)
{
    const machines_of_job *machines = &session->job->machines;
    int rank = control_rank(session->plane);
    unsigned cores = host_usable_cores(session->host), before = 0;
    host_work_rate rate;

    for (int other = 0; other < rank; other++)
        before += machines_sharing(machines, &other, 1, rank, true) > 0;
    CB_TRY(host_bind_core(session->host, cores > 0 ? before % cores : 0));
    CB_TRY(host_work_calibrate(&rate));
    CB_TRY(host_task_create(&state->task));
    state->unit_ns = rate.unit_ns;
    *mine = (computing_report){.unit_ns = rate.unit_ns,
                               .spread_pct = rate.spread_pct,
                               .tick_ns = host_scheduler_tick_ns()};
    host_binding(session->host, mine->binding, sizeof(mine->binding));
    strncpy(mine->priority, host_task_priority(state->task), sizeof(mine->priority) - 1);
    return CB_OK;
}

/* The largest number of ranks on one core of any host. */
static size_t most_on_a_core(const machines_of_job *machines, size_t ranks)
{
    size_t most = 1;

    for (size_t rank = 0; rank < ranks; rank++) {
        size_t sharing = 0;

        for (size_t other = 0; other < ranks; other++) {
            int one = (int)other;

            sharing += machines_sharing(machines, &one, 1, (int)rank, true) > 0;
        }
        most = sharing > most ? sharing : most;
    }
    return most;
}

/* All ranks use the longest tick of their hosts. */
static void renew_bindings(occupation *state, machines_of_job *machines,
                           const computing_report *all, size_t ranks)
{
    for (size_t rank = 0; rank < ranks; rank++) {
        memcpy(machines->bindings[rank], all[rank].binding, sizeof(machines->bindings[rank]));
        machines->cores[rank] = 1;
        if (all[rank].tick_ns > state->found.tick_ns)
            state->found.tick_ns = all[rank].tick_ns;
    }
    state->ranks_a_core = most_on_a_core(machines, ranks);
}

static void put_computing(report_document *document, const computing_report *all, size_t ranks)
{
    for (size_t rank = 0; rank < ranks; rank++) {
        const computing_report *one = &all[rank];
        const struct {
            const char *key;
            double value;
        } numbers[] = {{"unit_ns", one->unit_ns},
                       {"spread_pct", one->spread_pct},
                       {"tick_ms", one->tick_ns / 1e6}};

        report_put_text(document, one->binding, "environment.ranks.%zu.cores", rank);
        report_put_text(document, one->priority, "environment.ranks.%zu.computing.priority", rank);
        for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
            report_put_number(document, numbers[i].value, "environment.ranks.%zu.computing.%s",
                              rank, numbers[i].key);
    }
}

static cb_status open_state(engine_session *session, void **out)
{
    (void)session;
    *out = cb_allocate(1, sizeof(occupation), "the computing task");
    return *out != NULL ? CB_OK : CB_ERROR_MEMORY;
}

static void close_state(void *context)
{
    occupation *state = context;

    if (state != NULL)
        host_task_destroy(state->task, NULL);
    free(state);
}

static cb_status start(void *state, engine_session *session, engine_job *job)
{
    control_team *everyone = control_everyone(session->plane);
    size_t ranks = (size_t)control_size(session->plane);
    computing_report mine = {.unit_ns = 0}, *all;
    cb_status status;

    CB_TRY(control_agree(everyone, bind_to_core(state, session, &mine)));
    all = cb_allocate(ranks, sizeof(*all), "the core and task of each rank");
    if (all == NULL)
        return CB_ERROR_MEMORY;
    status = control_exchange(everyone, &mine, sizeof(mine), all);
    if (status == CB_OK)
        renew_bindings(state, &job->machines, all, ranks);
    if (status == CB_OK && session->document != NULL)
        put_computing(session->document, all, ranks);
    free(all);
    return status;
}

/* Find the steps per block, starting from one step: beside a task that takes the core for
 * milliseconds, the time of a few steps means little. */
static cb_status grow_block(void *decider, const pass_context *pass, pass_batch *next)
{
    const double near_enough = 0.8, largest_growth = 20, least_growth = 1.2;
    occupation *state = decider;
    double took_ns = pass->blocks_ns[0], growth;

    if (next->blocks == 0) {
        *next = (pass_batch){.steps = 1, .blocks = 1};
        return CB_OK;
    }
    state->run->step_ns = fmax(took_ns / (double)next->steps, 0.1);
    growth = fmin(fmax(state->block_ns / fmax(took_ns, 1), least_growth), largest_growth);
    if (took_ns >= near_enough * state->block_ns)
        next->blocks = 0;
    next->steps = (uint64_t)ceil((double)next->steps * growth);
    return CB_OK;
}

static cb_status find_steps(occupation *state, uint64_t *steps)
{
    measurement_passes *run = state->run;

    CB_TRY(pass_run(&run->pass, &(pass_plan){run->traffic, grow_block, .decider = state}));
    *steps = (uint64_t)ceil(state->block_ns / run->step_ns);
    return CB_OK;
}

/* One batch. */
typedef struct {
    uint64_t steps;
    double until_ns; /* since the start of the measurement */
    double step_ns;
} single_batch;

/* As many blocks as fit, but at least one. */
static cb_status fill_time(void *decider, const pass_context *pass, pass_batch *next)
{
    const single_batch *wanted = decider;
    double left_ns = wanted->until_ns - pass->elapsed_ns;
    double fitting = left_ns / (wanted->step_ns * (double)wanted->steps);

    if (next->blocks == 0)
        *next = (pass_batch){.lead_in = measurement_lead_in(wanted->steps),
                             .steps = wanted->steps,
                             .blocks = (size_t)fmax(1, fmin(fitting, PASS_BLOCKS_MAXIMUM))};
    else
        next->blocks = 0;
    return CB_OK;
}

static cb_status run_until(occupation *state, double until_ns, uint64_t steps)
{
    measurement_passes *run = state->run;
    single_batch batch = {.steps = steps, .until_ns = until_ns, .step_ns = run->step_ns};

    CB_TRY(pass_run(&run->pass, &(pass_plan){run->traffic, fill_time, .decider = &batch}));
    run->step_ns = measurement_mean(run->pass.blocks_ns, run->pass.batch.blocks) / (double)steps;
    return rank_check_sum(run->pass.me);
}

static cb_status communicate_alone(occupation *state, double until_ns)
{
    CB_TRY(run_until(state, until_ns, state->alone_steps));
    state->alone_total_steps += (double)state->alone_steps * (double)state->run->pass.batch.blocks;
    state->alone_total_ns +=
        state->run->step_ns * (double)state->alone_steps * (double)state->run->pass.batch.blocks;
    return CB_OK;
}

/* All ranks sleep, including those that share a core with a task of another rank. */
static cb_status compute_alone(occupation *state, occupation_work *work)
{
    pass_context *pass = &state->run->pass;
    host_task *task = state->own_task;
    uint64_t start_ns, units;
    double late_ns;

    pass->task = task;
    CB_TRY(pass_start_together(&pass->session->clock, pass->team, pass->oversubscribed, &late_ns));
    start_ns = cb_now_ns();
    units = task != NULL ? host_task_units(task) : 0;
    pass_begin_timing(pass);
    cb_sleep_ns((uint64_t)fmax(fmax(state->block_ns, state->parts.compute_ns),
                               occupation_compute_ns(state->ranks_a_core, state->found.tick_ns)));
    if (task != NULL)
        work->alone_work_ns += (double)(host_task_units(task) - units) * state->unit_ns;
    work->alone_ns += (double)(cb_now_ns() - start_ns);
    return pass_end_timing(pass);
}

/* The part of the core that this rank's task had in the whole periods of the last batch. */
static void keep_whole_periods(const occupation *state, occupation_work *work)
{
    const host_task_turns *turns = &state->run->pass.batch_turns;

    if (turns->count < 2 || turns->last_ns <= turns->first_ns)
        return;
    work->whole_periods = turns->count - 1;
    work->whole_share = (double)(turns->last_units - turns->first_units) * state->unit_ns /
                        (double)(turns->last_ns - turns->first_ns);
}

static cb_status do_both(occupation *state, occupation_work *work)
{
    measurement_passes *run = state->run;

    CB_TRY(find_steps(state, &run->out.steps));
    run->pass.pace = (batch_pace){.count = 0};
    measurement_begin_row(run);
    CB_TRY(run_until(state, state->parts.both_ns, run->out.steps));
    work->beside_work_ns = (double)run->pass.batch_units * state->unit_ns;
    work->beside_ns = run->pass.batch_ns;
    keep_whole_periods(state, work);
    CB_TRY(measurement_end_row(run));
    CB_TRY(measurement_keep_shares(run));
    return measurement_keep_blocks(run);
}

/* Rank 0 sums the work of the tasks of each side. */
static cb_status gather_work(occupation *state, const rank_work *mine)
{
    const measurement_setting *setting = state->run->setting;
    rank_work *all = NULL;
    cb_status status;

    if (control_team_index(setting->team) == 0 &&
        (all = cb_allocate(setting->participants, sizeof(*all), "the work of the ranks")) == NULL)
        return CB_ERROR_MEMORY;
    status = control_gather(setting->team, mine, sizeof(*mine), all);
    for (size_t i = 0; status == CB_OK && all != NULL && i < setting->participants; i++) {
        occupation_work *sum;

        if (all[i].side >= BENCH_SIDES)
            continue;
        sum = &state->found.sides[all[i].side];
        if (sum->ranks++ == 0 || all[i].work.whole_periods < sum->whole_periods)
            sum->whole_periods = all[i].work.whole_periods;
        sum->whole_share += all[i].work.whole_share;
        sum->alone_work_ns += all[i].work.alone_work_ns;
        sum->alone_ns += all[i].work.alone_ns;
        sum->beside_work_ns += all[i].work.beside_work_ns;
        sum->beside_ns += all[i].work.beside_ns;
    }
    free(all);
    return status;
}

static const bench_role *role_of(const measurement_passes *run)
{
    const engine_session *session = run->setting->session;
    bench_shape shape = plan_layout(session->job->definition, session->job->options,
                                    run->setting->planned, (size_t)control_size(session->plane));
    size_t stage = shape_stage(&shape, run->pass.me->place.self);

    return &session->job->definition->roles[shape_role(session->job->definition, &shape, stage)];
}

static cb_status run_passes(void *context, measurement_passes *run)
{
    occupation *state = context;
    const bench_role *role = role_of(run);
    bool computes = bench_occupies(run->setting->planned->occupation, role);
    occupation_parts parts = occupation_parts_of(run->pass.limit_ns, run->pass.oversubscribed);
    rank_work mine = {.side = computes ? bench_side_of(role) : BENCH_SIDES};

    *state = (occupation){.task = state->task,
                          .unit_ns = state->unit_ns,
                          .ranks_a_core = state->ranks_a_core,
                          .found.tick_ns = state->found.tick_ns,
                          .parts = parts,
                          .run = run,
                          .own_task = computes ? state->task : NULL,
                          .block_ns =
                              fmax(TICKS_A_BLOCK * state->found.tick_ns,
                                   (parts.both_ns - parts.first_alone_ns) / PASS_BLOCKS_MAXIMUM)};
    CB_TRY(find_steps(state, &state->alone_steps));
    CB_TRY(communicate_alone(state, parts.first_alone_ns));
    CB_TRY(compute_alone(state, &mine.work));
    CB_TRY(do_both(state, &mine.work));
    CB_TRY(measurement_time_steps(run, parts.steps_ns));
    CB_TRY(compute_alone(state, &mine.work));
    run->pass.task = NULL;
    CB_TRY(communicate_alone(state, parts.second_alone_ns));
    state->found.alone_step_ns = state->alone_total_ns / state->alone_total_steps;
    run->pass.task = state->own_task;
    CB_TRY(measurement_verify(run));
    run->pass.task = NULL;
    return gather_work(state, &mine);
}

static void fill_row(const void *context, const measurement_setting *setting, report_row *row)
{
    const occupation *state = context;
    const bench_mode *mode = setting->planned->mode;
    double figure_us = report_row_figure(row, figures_column(mode));

    occupation_fill_row(&state->found, figure_us * mode->divisor * 1e3, row);
}

const measurement_method occupation_method = {
    .makes_threads = true,
    .open = open_state,
    .close = close_state,
    .start = start,
    .run_passes = run_passes,
    .fill_row = fill_row,
};
