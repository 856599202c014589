/* The passes of a measurement: warm-up, which finds how many steps make a block; blocks, until
 * the median is precise or the time is over; single steps; verification.
 *
 * All decisions follow from numbers that the participants have agreed on, so that all decide alike.
 * Between batches of blocks the ranks meet in the control plane; inside a batch only the data plane
 * is used. */
#include "engine/passes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/block.h"
#include "engine/counters.h"
#include "engine/traffic.h"

enum {
    BLOCKS_MINIMUM = 20,    /* before the precision is believed */
    STEPS_RECORDED = 200000 /* at most, in the pass of single steps */
};

/* Shares of --max-time at whose end a pass ends; the rest is for the baselines. */
static const double warm_up_share = 0.12, blocks_share = 0.70, steps_share = 0.92;

/* Of --max-time, for the making of groups before all passes. */
static const double groups_share = 0.10;

static const double block_ns = 1e6, oversubscribed_block_ns = 5e6;

/* A stream's block ends when its last packet was acknowledged, and sources that are not
 * synchronised have their shares over whole windows. So a block holds some windows, as long as so
 * many blocks fit into the time. */
enum { WINDOWS_A_BLOCK = 16, BLOCKS_OF_WINDOWS = 24, WINDOWS_FOR_SHARES = 4 };

/* The task beside */

void bench_begin_computing(const bench_passes *run)
{
    const double patience_ns = 30e9;

    if (run->task != NULL)
        host_task_run(run->task, (uint64_t)(patience_ns + 2 * run->limit_ns));
}

cb_status bench_end_computing(const bench_passes *run)
{
    if (run->task == NULL || host_task_pause(run->task))
        return CB_OK;
    cb_error("the communication of rank %d did not come to an end beside the computing task, which "
             "was stopped in the end; use another --wait, or leave out --compute",
             control_rank(run->session->plane));
    return CB_ERROR_TRANSPORT;
}

static uint64_t units_done(const bench_passes *run)
{
    return run->task != NULL ? host_task_units(run->task) : 0;
}

/* Batches of blocks */

/* The blocks of a batch by this rank's clock; 0 where its clock does not count. */
static cb_status run_blocks(bench_passes *run, uint64_t steps, size_t count, double *blocks_ns)
{
    uint64_t units = units_done(run), start_ns = cb_now_ns();

    for (size_t i = 0; i < count; i++) {
        CB_TRY(bench_run_block(run->me, run->actions, steps, &blocks_ns[i]));
        if (!run->actions->timed)
            blocks_ns[i] = 0;
        bench_leave_if_interrupted(run->session);
    }
    run->batch_ns = (double)(cb_now_ns() - start_ns);
    run->batch_units = units_done(run) - units;
    return CB_OK;
}

/* Before the blocks of a batch, not counted. */
static uint64_t steps_of_lead_in(uint64_t steps)
{
    return steps / 8 + 1;
}

cb_status bench_run_batch(bench_passes *run, uint64_t steps, size_t count, bool lead_in,
                          double *blocks_ns)
{
    double values[BENCH_BATCH_MAXIMUM + 4], ignored;
    uint64_t all_steps = count * steps + (lead_in ? steps_of_lead_in(steps) : 0), start_ns;
    double late_ns;

    CB_TRY(bench_start_together(run->session, run->team, run->out->oversubscribed, &late_ns));
    start_ns = cb_now_ns();
    bench_begin_computing(run);
    if (lead_in)
        CB_TRY(bench_run_block(run->me, run->actions, steps_of_lead_in(steps), &ignored));
    CB_TRY(run_blocks(run, steps, count, values));
    CB_TRY(bench_end_computing(run));
    CB_TRY(transport_flush(run->me->factory));
    values[count] = (double)(cb_now_ns() - run->started_ns);
    values[count + 1] = late_ns;
    values[count + 2] = -late_ns;
    values[count + 3] = (double)(cb_now_ns() - start_ns);
    CB_TRY(control_maximum(run->team, values, count + 4));
    memcpy(blocks_ns, values, count * sizeof(*blocks_ns));
    run->elapsed_ns = values[count];
    bench_pace_note(&run->pace, values[count + 3], (double)all_steps);
    run->paced_window = run->out->window;
    if (lead_in)
        run->out->skew_ns = fmax(run->out->skew_ns, values[count + 1] + values[count + 2]);
    return CB_OK;
}

uint64_t bench_steps_of_block(double step_ns, double wanted_ns, double limit_ns, unsigned window)
{
    double room_ns = limit_ns * (blocks_share - warm_up_share) / BLOCKS_OF_WINDOWS;
    double of_windows = fmin((double)WINDOWS_A_BLOCK * window, floor(room_ns / step_ns));

    return (uint64_t)fmax(fmax(1, of_windows), ceil(wanted_ns / step_ns));
}

/* No block of the warm-up, and none that it leads to, takes more than the share of the warm-up at
 * the pace of the last batch. Blocks alone can mislead: the first steps that a clock sees may have
 * been waited for before it ran. */
static uint64_t within_warm_up(const bench_passes *run, uint64_t steps)
{
    double fitting = run->limit_ns * warm_up_share / bench_pace_latest_ns(&run->pace);

    return (uint64_t)fmax(1, fmin((double)steps, fitting));
}

static uint64_t steps_wanted(const bench_passes *run, double wanted_ns)
{
    uint64_t steps =
        within_warm_up(run, bench_steps_of_block(run->step_ns, wanted_ns, run->limit_ns,
                                                 (unsigned)run->session->options->window));

    return run->led_in && steps < WINDOWS_A_BLOCK ? WINDOWS_A_BLOCK : steps;
}

/* What was sent ahead of a pipeline's first event, a window on each link, would pass for work that
 * was done since. Where a block has no room for many windows they are narrower. */
static void set_steps(bench_passes *run, uint64_t steps)
{
    unsigned asked = (unsigned)run->session->options->window;
    uint64_t fitting = steps / WINDOWS_A_BLOCK;

    run->out->steps = steps;
    if (!run->led_in)
        return;
    run->out->window = fitting < asked ? (unsigned)fitting : asked;
    bench_rank_set_window(run->me, run->out->window);
}

/* A block of a few steps is mostly the wait for who came late to it and for its last
 * acknowledgement: what a step takes shows in longer ones, behind a lead-in. Where the least that
 * there are takes too long already there is nothing to lengthen. */
static cb_status lengthen_blocks(bench_passes *run, double wanted_ns)
{
    enum { ATTEMPTS = 3 };
    const double enough = 1.5, latest_ns = 2 * warm_up_share * run->limit_ns;
    uint64_t steps = steps_wanted(run, wanted_ns);

    set_steps(run, steps);
    for (size_t attempt = 0; attempt < ATTEMPTS && within_warm_up(run, steps) == steps; attempt++) {
        double took_ns;

        set_steps(run, steps);
        CB_TRY(bench_run_batch(run, steps, 1, true, &took_ns));
        run->step_ns = fmax(took_ns / (double)steps, 0.1);
        steps = steps_wanted(run, wanted_ns);
        if ((double)steps <= enough * (double)run->out->steps || run->elapsed_ns > latest_ns)
            break;
    }
    set_steps(run, steps);
    return CB_OK;
}

/* Where several clocks count, the longest block does, and what comes late by chance to one of the
 * ranks makes each block of one step longer: blocks of some steps then, as long as so many fit. */
static cb_status set_steps_of_clocks(const bench_passes *run, double wanted_ns)
{
    uint64_t clocks = run->actions->timed ? 1 : 0;

    CB_TRY(control_sum(run->team, &clocks, 1));
    CB_TRY(control_broadcast(run->team, &clocks, sizeof(clocks)));
    run->out->steps = within_warm_up(
        run, bench_steps_of_block(run->step_ns, wanted_ns, run->limit_ns, clocks > 1 ? 1 : 0));
    return CB_OK;
}

/* How many steps make a block: grown until a block is long enough, at least through the warm-up. */
static cb_status warm_up(bench_passes *run)
{
    double wanted_ns = run->out->oversubscribed ? oversubscribed_block_ns : block_ns;
    double share_ns = run->limit_ns * warm_up_share, took_ns;
    uint64_t steps = 1;

    if (wanted_ns > run->limit_ns / 100)
        wanted_ns = run->limit_ns / 100;
    for (;;) {
        double growth;

        CB_TRY(bench_run_batch(run, steps, 1, false, &took_ns));
        run->step_ns = fmax(took_ns / (double)steps, 0.1);
        growth = wanted_ns / fmax(took_ns, 1);
        if (run->elapsed_ns > share_ns)
            break;
        if (growth < 1.5 && run->elapsed_ns > share_ns / 4)
            break;
        steps = within_warm_up(run, (uint64_t)ceil((double)steps * fmin(fmax(growth, 1), 20)));
    }
    if (run->is_stream)
        return lengthen_blocks(run, wanted_ns);
    return set_steps_of_clocks(run, wanted_ns);
}

cb_status bench_keep_blocks(bench_outcome *out, const double *blocks_ns, size_t count)
{
    if (out->block_count + count > out->block_room) {
        size_t room = 2 * (out->block_count + count);
        double *moved = realloc(out->blocks_ns, room * sizeof(*moved));

        if (moved == NULL) {
            cb_error("cannot keep the times of %zu blocks: out of memory", room);
            return CB_ERROR_MEMORY;
        }
        out->blocks_ns = moved;
        out->block_room = room;
    }
    memcpy(out->blocks_ns + out->block_count, blocks_ns, count * sizeof(*blocks_ns));
    out->block_count += count;
    return CB_OK;
}

static cb_status precision_now(const bench_outcome *out, double *precision_pct)
{
    stats_summary summary;

    CB_TRY(bench_summarize(out->blocks_ns, out->block_count, &summary));
    *precision_pct = stats_precision_pct(&summary);
    return CB_OK;
}

/* The next batch: as long as what there is already, within what may be staked on it. */
static size_t next_batch(const bench_passes *run)
{
    double left_ns = run->limit_ns * blocks_share - run->elapsed_ns;
    double affordable = bench_pace_affordable(&run->pace, left_ns, run->limit_ns);
    double steps = (double)run->out->steps, lead_in = (double)steps_of_lead_in(run->out->steps);
    double wanted = fmax(10, (double)run->out->block_count);

    return (size_t)fmax(0, fmin(fmin(wanted, BENCH_BATCH_MAXIMUM), (affordable - lead_in) / steps));
}

/* From here on batches of the final length count, and of those before the last alone; and not that
 * one either where links had a wider window then, which can have been ten times as fast. */
static size_t first_batch(bench_passes *run)
{
    double step_ns = bench_pace_latest_ns(&run->pace);

    run->pace = (bench_pace){.count = 0};
    if (run->paced_window != run->out->window)
        return 1;
    bench_pace_note(&run->pace, step_ns, 1);
    return next_batch(run);
}

double bench_mean(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* The estimate of a step is a mean: what is left of the time is spent by all blocks, not by one. */
static cb_status time_blocks(bench_passes *run)
{
    bench_outcome *out = run->out;
    double blocks_ns[BENCH_BATCH_MAXIMUM], precision_pct;
    size_t count = first_batch(run);

    out->stopped_by = "max-time";
    bench_rank_reset(run->me, run->traffic, out->steps);
    do {
        count = count > 0 ? count : 1;
        CB_TRY(bench_run_batch(run, out->steps, count, true, blocks_ns));
        CB_TRY(bench_keep_blocks(out, blocks_ns, count));
        run->step_ns = bench_mean(blocks_ns, count) / (double)out->steps;
        CB_TRY(precision_now(out, &precision_pct));
        if (out->block_count >= BLOCKS_MINIMUM &&
            precision_pct <= run->session->options->precision_pct) {
            out->stopped_by = "precision";
            break;
        }
        count = next_batch(run);
    } while (count > 0);
    return bench_rank_check_sum(run->me);
}

/* Single steps */

static cb_status merge_histogram(const bench_passes *run, stats_histogram *mine)
{
    double maximum_ns = (double)mine->maximum_ns;

    /* Cells, samples and dropped add up; the maximum does not. */
    CB_TRY(control_sum(run->team, mine->counts, STATS_HISTOGRAM_CELLS));
    CB_TRY(control_sum(run->team, &mine->samples, 1));
    CB_TRY(control_sum(run->team, &mine->dropped, 1));
    CB_TRY(control_maximum(run->team, &maximum_ns, 1));
    mine->maximum_ns = (uint64_t)maximum_ns;
    return CB_OK;
}

cb_status bench_time_steps(bench_passes *run, double until_ns)
{
    double left_ns = until_ns - run->elapsed_ns;
    double step_ns = fmax(run->step_ns, bench_pace_slowest_ns(&run->pace));
    uint64_t steps = (uint64_t)fmax(1, fmin(STEPS_RECORDED, left_ns / step_ns));
    stats_histogram *histogram = cb_allocate(1, sizeof(*histogram), "a histogram of steps");
    double late_ns, ignored_ns;

    if (histogram == NULL)
        return CB_ERROR_MEMORY;
    run->out->histogram = histogram;
    bench_rank_reset(run->me, run->traffic, steps);
    CB_TRY(bench_start_together(run->session, run->team, run->out->oversubscribed, &late_ns));
    bench_begin_computing(run);
    if (run->actions->timed)
        CB_TRY(bench_record_steps(run->me, run->actions, steps, histogram));
    else
        CB_TRY(bench_run_block(run->me, run->actions, steps, &ignored_ns));
    CB_TRY(bench_end_computing(run));
    CB_TRY(transport_flush(run->me->factory));
    bench_leave_if_interrupted(run->session);
    CB_TRY(merge_histogram(run, histogram));
    return bench_rank_check_sum(run->me);
}

/* Shares, groups */

/* In less than some windows a source is ahead or behind by chance. */
cb_status bench_keep_shares(const bench_passes *run)
{
    bench_outcome *out = run->out;
    double total = 0;

    if (!run->session->definition->shares || !run->actions->timed)
        return CB_OK;
    for (size_t i = 0; i < run->me->peer_count; i++)
        total += (double)run->me->peers[i].share;
    if (total == 0)
        return CB_OK;
    if (out->steps < (uint64_t)WINDOWS_FOR_SHARES * run->me->window) {
        run->session->shares_left_out = true;
        return CB_OK;
    }
    out->shares =
        cb_allocate(run->me->peer_count, sizeof(*out->shares), "the shares of the sources");
    if (out->shares == NULL)
        return CB_ERROR_MEMORY;
    out->share_count = run->me->peer_count;
    for (size_t i = 0; i < out->share_count; i++)
        out->shares[i] = (double)run->me->peers[i].share / total;
    return CB_OK;
}

/* One making, started together and timed by the rank that took longest. */
static cb_status time_making(bench_passes *run, double *group_ns)
{
    double late_ns, values[2];
    uint64_t start_ns;

    bench_rank_tear_down(run->session->definition, run->me);
    CB_TRY(bench_start_together(run->session, run->team, run->out->oversubscribed, &late_ns));
    start_ns = cb_now_ns();
    CB_TRY(bench_rank_set_up(run->session->definition, run->me));
    values[0] = (double)(cb_now_ns() - start_ns) / (double)run->me->group_count;
    values[1] = (double)(cb_now_ns() - run->started_ns);
    CB_TRY(control_maximum(run->team, values, 2));
    *group_ns = values[0];
    run->elapsed_ns = values[1];
    return CB_OK;
}

/* What making a group costs: the median over some makings, one at least. The last one is kept. */
static cb_status time_groups(bench_passes *run)
{
    enum { MAKINGS = 7 };
    double each_ns[MAKINGS];
    size_t made = 0;

    do
        CB_TRY(time_making(run, &each_ns[made++]));
    while (made < MAKINGS && run->elapsed_ns < run->limit_ns * groups_share);
    run->out->group_create_ns = stats_summarize(each_ns, made).median;
    return CB_OK;
}

/* The mean over all runs of the algorithm, as the clocks of those saw them who ran it. */
static cb_status note_algorithm(const bench_passes *run)
{
    const bench_algorithm *mine = &run->me->algorithm;
    uint64_t sums[] = {mine->elapsed_ns, mine->runs};

    CB_TRY(control_sum(run->team, sums, 2));
    if (sums[1] > 0)
        run->out->algorithm_true_us = (double)sums[0] / (double)sums[1] / 1e3;
    return CB_OK;
}

static cb_status set_up(bench_passes *run, const bench_measurement *measurement, const int *ranks,
                        size_t participants)
{
    CB_TRY(bench_rank_create(run->session, measurement, run->session->technology, ranks,
                             participants, &run->me, &run->actions));
    bench_rank_reset(run->me, run->traffic, 0);
    CB_TRY(
        bench_algorithm_units(run->session, measurement->algorithm_us, &run->me->algorithm.units));
    return measurement->own_multicast ? time_groups(run)
                                      : bench_rank_set_up(run->session->definition, run->me);
}

static cb_status run_passes(bench_passes *run)
{
    CB_TRY(warm_up(run));
    CB_TRY(time_blocks(run));
    CB_TRY(bench_note_losses(run));
    CB_TRY(bench_keep_shares(run));
    CB_TRY(note_algorithm(run));
    CB_TRY(bench_time_steps(run, run->limit_ns * steps_share));
    return run->session->options->verify ? bench_verify(run) : CB_OK;
}

static cb_status measure_baselines(const bench_passes *run, const bench_measurement *measurement,
                                   const int *ranks, size_t participants)
{
    double budget_ns = run->limit_ns * (1 - steps_share) / 2;

    run->out->touch_ns =
        run->traffic == &bench_touching ? bench_measure_touch(measurement->size_bytes) : -1;
    if (measurement->shape.stage_count > 0)
        return CB_OK; /* group 2 has roles that one process alone cannot play */
    return bench_measure_harness(run->session, measurement, ranks, participants, budget_ns,
                                 &run->out->harness_ns);
}

cb_status bench_measure(bench_session *session, const bench_measurement *measurement,
                        const int *ranks, size_t participants, control_team *team,
                        bench_outcome *out)
{
    bench_passes run = {.session = session,
                        .team = team,
                        .traffic = bench_plain_traffic(session->options),
                        .out = out,
                        .is_stream = bench_is_stream(measurement->mode),
                        .led_in = bench_is_led_in(measurement->mode),
                        .started_ns = cb_now_ns(),
                        .limit_ns = session->options->max_time_s * 1e9};
    cb_status status;

    *out = (bench_outcome){.oversubscribed = bench_oversubscribed(session, ranks, participants),
                           .group_create_ns = -1,
                           .harness_ns = -1,
                           .touch_ns = -1,
                           .algorithm_true_us = -1};
    status = set_up(&run, measurement, ranks, participants);
    if (status == CB_OK)
        status = measurement->occupation == BENCH_UNOCCUPIED
                     ? run_passes(&run)
                     : bench_measure_beside(&run, measurement, participants);
    if (status == CB_OK && control_team_index(team) == 0)
        status = measure_baselines(&run, measurement, ranks, participants);
    if (status == CB_OK)
        status = bench_sum_counters(session, team, &out->counters);
    if (status == CB_OK)
        status = control_barrier(team);
    /* After a failure of which the others do not know this rank ends the job. Groups that all
     * destroy together would only keep it from that. */
    if (status == CB_OK || out->verification.done || !measurement->own_multicast)
        bench_rank_destroy(session->definition, run.me);
    return status;
}

void bench_outcome_free(bench_outcome *outcome)
{
    free(outcome->blocks_ns);
    free(outcome->histogram);
    free(outcome->shares);
    *outcome = (bench_outcome){0};
}
