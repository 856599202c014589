/* The passes of a measurement beside a computing task. Communication and computing are measured
 * alone and together, in the same run, with the same binding:
 *
 *   communication alone    the task asleep: how many steps make a block, then blocks
 *   computing alone        all ranks asleep
 *   both                   the step count anew, blocks in one batch without a pause, single steps
 *   computing alone,       again, so that a drift of the machine and its other users meet
 *   communication alone    both sides of a ratio
 *
 * Times are means over long blocks: a task of low priority takes the core rarely and for a whole
 * tick of the scheduler, which is the effect to be seen. The blocks with the task are one batch,
 * since a rank that rests in between gives it turns that it would not get. */
#include "engine/passes.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"

enum { TICKS_A_BLOCK = 20 };

/* Shares of --max-time at whose end a part ends; the rest is for the baselines over null. */
static const double first_alone_share = 0.17, both_share = 0.68, steps_share = 0.71,
                    second_alone_share = 0.95;

/* Of --max-time, for the computing alone each time: where several tasks share a core, each needs
 * some turns. */
static const double compute_share = 0.08;

typedef struct {
    bench_passes *run;
    host_task *task; /* of this rank, where its side is occupied */
    double block_ns;
    uint64_t alone_step_count; /* of a block */
    double alone_total_ns, alone_total_steps;
} beside_run;

/* What a rank's task did: plain data. */
typedef struct {
    uint64_t side; /* BENCH_SIDES: it does not compute */
    bench_side_work work;
} rank_work;

/* How many steps make a block, found from one step upward: the times of a few steps say little
 * beside a task that takes the core by the millisecond. */
static cb_status find_steps(const beside_run *beside, uint64_t *steps)
{
    const double near_enough = 0.8, largest_growth = 20, least_growth = 1.2;
    bench_passes *run = beside->run;
    double took_ns;

    bench_rank_reset(run->me, run->traffic, 0);
    for (*steps = 1;;) {
        double growth;

        CB_TRY(bench_run_batch(run, *steps, 1, false, &took_ns));
        run->step_ns = fmax(took_ns / (double)*steps, 0.1);
        if (took_ns >= near_enough * beside->block_ns)
            break;
        growth = beside->block_ns / fmax(took_ns, 1);
        *steps = (uint64_t)ceil((double)*steps * fmin(fmax(growth, least_growth), largest_growth));
    }
    *steps = (uint64_t)ceil(beside->block_ns / run->step_ns);
    return CB_OK;
}

/* As many blocks as fit until `share` of --max-time is over, and one at least. */
static cb_status run_until(bench_passes *run, double share, uint64_t steps, double *blocks_ns,
                           size_t *count)
{
    double left_ns = share * run->limit_ns - run->elapsed_ns;
    double fitting = left_ns / (run->step_ns * (double)steps);

    *count = (size_t)fmax(1, fmin(fitting, BENCH_BATCH_MAXIMUM));
    bench_rank_reset(run->me, run->traffic, steps);
    CB_TRY(bench_run_batch(run, steps, *count, true, blocks_ns));
    run->step_ns = bench_mean(blocks_ns, *count) / (double)steps;
    return bench_rank_check_sum(run->me);
}

static cb_status communicate_alone(beside_run *beside, double share)
{
    double blocks_ns[BENCH_BATCH_MAXIMUM];
    size_t count;

    CB_TRY(run_until(beside->run, share, beside->alone_step_count, blocks_ns, &count));
    beside->alone_total_ns += bench_mean(blocks_ns, count) * (double)count;
    beside->alone_total_steps += (double)beside->alone_step_count * (double)count;
    return CB_OK;
}

/* All ranks sleep: those that share a core with a task as well as its own. */
static cb_status compute_alone(beside_run *beside, bench_side_work *work)
{
    bench_passes *run = beside->run;
    uint64_t start_ns, units = 0;
    double late_ns;

    run->task = beside->task;
    CB_TRY(bench_start_together(run->session, run->team, run->out->oversubscribed, &late_ns));
    start_ns = cb_now_ns();
    if (run->task != NULL)
        units = host_task_units(run->task);
    bench_begin_computing(run);
    cb_sleep_ns((uint64_t)fmax(beside->block_ns, compute_share * run->limit_ns));
    if (run->task != NULL)
        work->alone_work_ns +=
            (double)(host_task_units(run->task) - units) * run->session->task_unit_ns;
    work->alone_ns += (double)(cb_now_ns() - start_ns);
    return bench_end_computing(run);
}

static cb_status do_both(beside_run *beside, bench_side_work *work)
{
    bench_passes *run = beside->run;
    double blocks_ns[BENCH_BATCH_MAXIMUM];
    size_t count;

    CB_TRY(find_steps(beside, &run->out->steps));
    run->pace = (bench_pace){.count = 0};
    CB_TRY(run_until(run, both_share, run->out->steps, blocks_ns, &count));
    work->beside_work_ns = (double)run->batch_units * run->session->task_unit_ns;
    work->beside_ns = run->batch_ns;
    CB_TRY(bench_keep_shares(run));
    CB_TRY(bench_keep_blocks(run->out, blocks_ns, count));
    return bench_time_steps(run, steps_share * run->limit_ns);
}

/* Rank 0 sums what the tasks of each side did. */
static cb_status gather_work(const bench_passes *run, const rank_work *mine, size_t participants)
{
    rank_work *all = NULL;
    cb_status status;

    if (control_team_index(run->team) == 0 &&
        (all = cb_allocate(participants, sizeof(*all), "the work of the ranks")) == NULL)
        return CB_ERROR_MEMORY;
    status = control_gather(run->team, mine, sizeof(*mine), all);
    for (size_t i = 0; status == CB_OK && all != NULL && i < participants; i++) {
        bench_side_work *sum;

        if (all[i].side >= BENCH_SIDES)
            continue;
        sum = &run->out->sides[all[i].side];
        sum->ranks++;
        sum->alone_work_ns += all[i].work.alone_work_ns;
        sum->alone_ns += all[i].work.alone_ns;
        sum->beside_work_ns += all[i].work.beside_work_ns;
        sum->beside_ns += all[i].work.beside_ns;
    }
    free(all);
    return status;
}

static const bench_role *role_of(const bench_passes *run, const bench_measurement *measurement)
{
    const bench_session *session = run->session;
    bench_shape shape = plan_layout(session->definition, session->options, measurement,
                                    (size_t)control_size(session->plane));
    size_t stage = shape_stage(&shape, run->me->self);

    return &session->definition->roles[shape_role(session->definition, &shape, stage)];
}

static cb_status run_parts(beside_run *beside, rank_work *mine)
{
    bench_passes *run = beside->run;

    CB_TRY(find_steps(beside, &beside->alone_step_count));
    CB_TRY(communicate_alone(beside, first_alone_share));
    CB_TRY(compute_alone(beside, &mine->work));
    CB_TRY(do_both(beside, &mine->work));
    CB_TRY(compute_alone(beside, &mine->work));
    run->task = NULL;
    CB_TRY(communicate_alone(beside, second_alone_share));
    run->out->alone_step_ns = beside->alone_total_ns / beside->alone_total_steps;
    run->task = beside->task;
    return run->session->options->verify ? bench_verify(run) : CB_OK;
}

cb_status bench_measure_beside(bench_passes *run, const bench_measurement *measurement,
                               size_t participants)
{
    const bench_role *role = role_of(run, measurement);
    bool computes = bench_occupies(measurement->occupation, role);
    rank_work mine = {.side = computes ? bench_side_of(role) : BENCH_SIDES};
    beside_run beside = {
        .run = run,
        .task = computes ? run->session->task : NULL,
        .block_ns = fmax(TICKS_A_BLOCK * run->session->tick_ns,
                         (both_share - first_alone_share) * run->limit_ns / BENCH_BATCH_MAXIMUM),
    };
    cb_status status = run_parts(&beside, &mine);

    run->task = NULL;
    CB_TRY(status);
    return gather_work(run, &mine, participants);
}
