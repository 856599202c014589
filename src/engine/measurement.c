/* The plain passes of a measurement, and the baselines. Decisions depend only on numbers that the
 * participants have agreed on, so all decide alike. */
#include "engine/measurement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/traffic.h"
#include "engine/pass.h"
#include "engine/figures.h"
#include "engine/fragments.h"
#include "engine/rank.h"
#include "engine/senders.h"
#include "engine/shares.h"
#include "engine/verification.h"

enum {
    BLOCKS_MINIMUM = 20,     /* before the precision is trusted */
    STEPS_RECORDED = 200000, /* at most, in the pass of single steps */
    LENGTHENINGS = 3,
    GROUP_REPEATS = 7, /* times a group is made, at most */
    VERIFIED_STEPS = 2000,
    HARNESS_BLOCKS = 11, /* over null */
    HARNESS_BLOCK_NS = 500000
};

static const double block_ns = 1e6, oversubscribed_block_ns = 5e6;

/* A stream's block ends when its last packet is acknowledged, and shares of unsynchronised sources
 * need whole windows. So a block holds WINDOWS_A_BLOCK windows if BLOCKS_OF_WINDOWS such blocks fit
 * into the time. */
enum { WINDOWS_A_BLOCK = 16, BLOCKS_OF_WINDOWS = 24, WINDOWS_FOR_SHARES = 4 };

/* Of a thread, in a block that shows shares of threads. */
enum { PACKETS_FOR_SHARES = 16 };

/* Warm-up */

uint64_t measurement_lead_in(uint64_t steps)
{
    return steps / 8 + 1;
}

uint64_t measurement_block_steps(double step_ns, double wanted_ns, double limit_ns, unsigned window)
{
    double room_ns = limit_ns * (share_blocks_end - share_warm_up_end) / BLOCKS_OF_WINDOWS;
    double of_windows = fmin((double)WINDOWS_A_BLOCK * window, floor(room_ns / step_ns));

    return (uint64_t)fmax(fmax(1, of_windows), ceil(wanted_ns / step_ns));
}

/* Limit the steps of a block so that neither a warm-up block nor a later one takes longer than the
 * warm-up's share at the pace of the last batch. Block times are not enough: the first steps may
 * have been waited for before the clock started. */
static uint64_t within_warm_up(const measurement_passes *run, uint64_t steps)
{
    double fitting = run->pass.limit_ns * share_warm_up_end / pace_latest_ns(&run->pass.pace);

    return (uint64_t)fmax(1, fmin((double)steps, fitting));
}

/* Of the warm-up's block. */
static double used_ns(const pass_context *pass)
{
    return fmax(pass->blocks_ns[0], pass->messages_ns);
}

/* Lengthen blocks from one step on, for at least a part of the warm-up. */
static cb_status grow_block(void *decider, const pass_context *pass, pass_batch *next)
{
    measurement_passes *run = decider;
    double share_ns = pass->limit_ns * share_warm_up_end, took_ns, growth;

    if (next->blocks == 0) {
        *next = (pass_batch){.steps = 1, .blocks = 1};
        return CB_OK;
    }
    took_ns = used_ns(pass);
    run->step_ns = fmax(took_ns / (double)next->steps, 0.1);
    growth = run->wanted_ns / fmax(took_ns, 1);
    if (pass->elapsed_ns > share_ns || (growth < 1.5 && pass->elapsed_ns > share_ns / 4))
        next->blocks = 0;
    next->steps =
        within_warm_up(run, (uint64_t)ceil((double)next->steps * fmin(fmax(growth, 1), 20)));
    return CB_OK;
}

/* At the start of a pipeline's first event each link has a window of packets in flight, which would
 * count as work done since. If a block has no room for many windows, windows are made smaller. */
static void set_steps(measurement_passes *run, uint64_t steps)
{
    unsigned asked = (unsigned)run->setting->session->job->options->window;
    uint64_t fitting = steps / WINDOWS_A_BLOCK;

    run->out.steps = steps;
    if (!run->is_led_in)
        return;
    run->out.window = fitting < asked ? (unsigned)fitting : asked;
    rank_set_window(run->pass.me, run->out.window);
}

/* A block of a few steps mostly waits for late ranks and the last acknowledgement. The time of a
 * step shows in longer blocks after a lead-in. If the shortest block is already too long, it is not
 * lengthened. */
static cb_status lengthen_block(void *decider, const pass_context *pass, pass_batch *next)
{
    const double enough = 1.5, latest_ns = 2 * share_warm_up_end * pass->limit_ns;
    measurement_passes *run = decider;
    bool first = next->blocks == 0, done;
    uint64_t steps;

    if (!first)
        run->step_ns = fmax(used_ns(pass) / (double)next->steps, 0.1);
    steps = within_warm_up(
        run, measurement_block_steps(run->step_ns, run->wanted_ns, pass->limit_ns,
                                     (unsigned)run->setting->session->job->options->window));
    if (run->is_led_in && steps < WINDOWS_A_BLOCK)
        steps = WINDOWS_A_BLOCK;
    set_steps(run, steps);
    done =
        !first && ((double)steps <= enough * (double)next->steps || pass->elapsed_ns > latest_ns);
    if (done || run->lengthenings++ == LENGTHENINGS || within_warm_up(run, steps) != steps)
        next->blocks = 0;
    else
        *next = (pass_batch){.lead_in = measurement_lead_in(steps), .steps = steps, .blocks = 1};
    return CB_OK;
}

static cb_status warm_up(measurement_passes *run)
{
    pass_context *pass = &run->pass;
    uint64_t clocks = pass->actions->timed ? 1 : 0;

    CB_TRY(pass_run(pass, &(pass_plan){run->traffic, grow_block, .decider = run}));
    if (run->is_stream)
        return pass_run(pass, &(pass_plan){run->traffic, lengthen_block, .decider = run});
    /* If several clocks count, the longest block does, and a delay of any rank lengthens a block of
     * one step. So such blocks get several steps, as for a window. */
    CB_TRY(control_sum(pass->team, &clocks, 1));
    CB_TRY(control_broadcast(pass->team, &clocks, sizeof(clocks)));
    run->out.steps =
        within_warm_up(run, measurement_block_steps(run->step_ns, run->wanted_ns, pass->limit_ns,
                                                    clocks > 1 ? 1 : 0));
    return CB_OK;
}

/* Blocks */

double measurement_mean(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

cb_status measurement_keep_blocks(measurement_passes *run)
{
    measurement_outcome *out = &run->out;
    const double *blocks_ns = run->pass.blocks_ns;
    size_t count = run->pass.batch.blocks;

    if (out->block_count + count > out->block_room) {
        size_t room = 2 * (out->block_count + count);
        double *moved = realloc(out->blocks_ns, room * sizeof(*moved));

        if (moved == NULL) {
            cb_error("cannot store the times of %zu blocks: out of memory; use a shorter "
                     "--max-time",
                     room);
            return CB_ERROR_MEMORY;
        }
        out->blocks_ns = moved;
        out->block_room = room;
    }
    memcpy(out->blocks_ns + out->block_count, blocks_ns, count * sizeof(*blocks_ns));
    out->block_count += count;
    run->step_ns = measurement_mean(blocks_ns, count) / (double)run->pass.batch.steps;
    return CB_OK;
}

/* The next batch: as many blocks as exist so far, within what the pace allows. */
static size_t blocks_that_fit(const measurement_passes *run)
{
    const pass_context *pass = &run->pass;
    double left_ns = pass->limit_ns * share_blocks_end - pass->elapsed_ns;
    double affordable = pace_affordable(&pass->pace, left_ns, pass->limit_ns);
    double lead_in = (double)measurement_lead_in(run->out.steps);
    double wanted = fmin(fmax(10, (double)run->out.block_count), PASS_BLOCKS_MAXIMUM);

    return (size_t)fmax(0, fmin(wanted, (affordable - lead_in) / (double)run->out.steps));
}

/* After the warm-up, batches of the final length count. Of the earlier ones only the last counts,
 * and it does not if links then had a wider window, which can be ten times as fast. */
static size_t first_blocks(measurement_passes *run)
{
    double latest_ns = pace_latest_ns(&run->pass.pace);
    size_t fitting;

    run->pass.pace = (batch_pace){.count = 0};
    if (run->pass.paced_window != run->pass.me->window)
        return 1;
    pace_note(&run->pass.pace, latest_ns, 1);
    fitting = blocks_that_fit(run);
    return fitting > 0 ? fitting : 1;
}

static cb_status add_blocks(void *decider, const pass_context *pass, pass_batch *next)
{
    measurement_passes *run = decider;
    measurement_outcome *out = &run->out;
    size_t blocks;

    if (next->blocks == 0) {
        blocks = first_blocks(run);
    } else {
        stats_summary summary;
        bool precise;

        CB_TRY(measurement_keep_blocks(run));
        CB_TRY(figures_are_precise(pass->session->job->options, out->blocks_ns, out->block_count,
                                   BLOCKS_MINIMUM, &summary, &precise));
        blocks = precise ? 0 : blocks_that_fit(run);
        out->stopped_by =
            precise ? "precision" : budget_limit(pass->session->job->options, pass->started);
    }
    *next = (pass_batch){
        .lead_in = measurement_lead_in(out->steps), .steps = out->steps, .blocks = blocks};
    return CB_OK;
}

/* In less than a few windows a source is ahead or late by chance. */
cb_status measurement_keep_shares(measurement_passes *run)
{
    measurement_outcome *out = &run->out;
    const bench_rank *me = run->pass.me;
    double total = 0;

    if (!run->pass.actions->timed)
        return CB_OK;
    for (size_t i = 0; i < me->peer_count; i++)
        total += (double)me->peers[i].share;
    if (total == 0)
        return CB_OK;
    out->shares_left_out = out->steps < (uint64_t)WINDOWS_FOR_SHARES * me->window;
    if (out->shares_left_out)
        return CB_OK;
    out->shares = cb_allocate(me->peer_count, sizeof(*out->shares), "the shares of the sources");
    if (out->shares == NULL)
        return CB_ERROR_MEMORY;
    out->share_count = me->peer_count;
    for (size_t i = 0; i < out->share_count; i++)
        out->shares[i] = (double)me->peers[i].share / total;
    return CB_OK;
}

/* The mean over all sources, by thread. */
static cb_status keep_thread_shares(measurement_passes *run)
{
    measurement_outcome *out = &run->out;
    const bench_rank *me = run->pass.me;
    const size_t threads = me->threads;
    uint64_t packets[OPTIONS_THREADS_MOST] = {0}, total = 0;

    if (threads < 2)
        return CB_OK;
    if (me->senders != NULL)
        senders_packets(me->senders, packets);
    CB_TRY(control_sum(run->pass.team, packets, threads));
    for (size_t i = 0; i < threads; i++)
        total += packets[i];
    if (total == 0 || out->steps < (uint64_t)WINDOWS_FOR_SHARES * me->window ||
        out->steps < PACKETS_FOR_SHARES * threads)
        return CB_OK;
    out->thread_shares = cb_allocate(threads, sizeof(*out->thread_shares), "the shares of threads");
    if (out->thread_shares == NULL)
        return CB_ERROR_MEMORY;
    out->thread_count = threads;
    for (size_t i = 0; i < threads; i++)
        out->thread_shares[i] = (double)packets[i] / (double)total;
    return CB_OK;
}

/* Single steps */

static double slowest_step_ns(const measurement_passes *run)
{
    return fmax(run->step_ns, pace_slowest_ns(&run->pass.pace));
}

cb_status measurement_time_steps(measurement_passes *run, double until_ns)
{
    double left_ns = until_ns - run->pass.elapsed_ns;
    uint64_t steps = (uint64_t)fmax(1, fmin(STEPS_RECORDED, left_ns / slowest_step_ns(run)));
    stats_histogram *histogram = cb_allocate(1, sizeof(*histogram), "a histogram of steps");

    if (histogram == NULL)
        return CB_ERROR_MEMORY;
    run->out.histogram = histogram;
    CB_TRY(
        pass_run(&run->pass, &(pass_plan){run->traffic, .steps = steps, .histogram = histogram}));
    CB_TRY(figures_sum_histogram(run->pass.team, histogram));
    return rank_check_sum(run->pass.me);
}

/* Verification. A multicast of the technology is announced too, so that waiting for it can end. No
 * packet is in flight at this point. If a rank gives up, its counts are still summed: the others
 * give up as well. */
cb_status measurement_verify(measurement_passes *run)
{
    const engine_session *session = run->setting->session;
    const double budget_ns = 0.5e9;
    const uint64_t without_window = 16;
    uint64_t steps = (uint64_t)fmax(4, fmin(VERIFIED_STEPS, budget_ns / slowest_step_ns(run)));
    bench_rank *me = run->pass.me;
    uint64_t unanswered; /* steps */
    bool reliable;
    cb_status status;

    if (!session->job->options->verify)
        return CB_OK;
    rank_release_packet(me);
    me->preparation.try_multicast = run->setting->planned->own_multicast;
    if (me->preparation.try_multicast)
        CB_TRY(rank_prepare(me));
    /* Over a reliable technology a late sender only lacks a core, so the timeout is longer. A peer
     * may have to receive a window of messages from each of its peers before it answers. */
    reliable = (transport_capabilities(session->technology) & TRANSPORT_RELIABLE) != 0;
    unanswered = me->window > 0 ? me->window : without_window;
    unanswered = steps < unanswered ? steps : unanswered;
    me->verification.timeout_ns = verification_timeout_ns(
        reliable ? 5000000000 : 2000000000, me->size_bytes, unanswered * run->setting->participants,
        slowest_step_ns(run) * (double)unanswered);
    status = pass_run(&run->pass, &(pass_plan){&verification_traffic, .steps = steps});
    CB_TRY(
        verification_sum(run->pass.team, &me->verification.findings, &run->out.base.verification));
    return control_agree(run->pass.team, status);
}

/* Groups */

/* Start together, make or free the groups, and take the time of the slowest rank, per group. */
static cb_status time_group(measurement_passes *run, bool makes, double *each_ns)
{
    const benchmark *definition = run->setting->session->job->definition;
    pass_context *pass = &run->pass;
    double late_ns, values[2];
    uint64_t start_ns;

    CB_TRY(pass_start_together(&pass->session->clock, pass->team, pass->oversubscribed, &late_ns));
    start_ns = cb_now_ns();
    if (makes)
        CB_TRY(rank_set_up(definition, pass->me));
    else
        rank_tear_down(definition, pass->me);
    values[0] = (double)(cb_now_ns() - start_ns) / (double)pass->me->groups_made;
    values[1] = budget_used_ns(pass->session->job->options, pass->started);
    CB_TRY(control_maximum(pass->team, values, 2));
    *each_ns = values[0];
    pass->elapsed_ns = values[1];
    return CB_OK;
}

/* Times to make and to free a group: medians over one or more rounds, each of which frees what it
 * made. */
static cb_status time_groups(measurement_passes *run)
{
    double made_ns[GROUP_REPEATS], freed_ns[GROUP_REPEATS];
    size_t rounds = 0;

    do {
        rank_tear_down(run->setting->session->job->definition, run->pass.me);
        CB_TRY(time_group(run, true, &made_ns[rounds]));
        CB_TRY(time_group(run, false, &freed_ns[rounds]));
        rounds++;
    } while (rounds < GROUP_REPEATS &&
             run->pass.elapsed_ns < run->pass.limit_ns * share_groups_end);
    run->out.group_create_ns = stats_summarize(made_ns, rounds).median;
    run->out.group_free_ns = stats_summarize(freed_ns, rounds).median;
    return CB_OK;
}

/* The whole measurement */

static cb_status make_rank(measurement_passes *run, const rank_setting *place)
{
    engine_session *session = run->setting->session;
    pass_context *pass = &run->pass;

    CB_TRY(rank_create(place, session->technology, &pass->me, &pass->actions));
    rank_reset(pass->me, run->traffic);
    CB_TRY(host_work_refined_units(&session->work_rate, run->setting->planned->algorithm_us,
                                   &pass->me->algorithm.units));
    if (session->job->definition->lists && run->setting->planned->list != BENCH_NEW)
        CB_TRY(time_groups(run));
    return rank_set_up(session->job->definition, pass->me);
}

void measurement_begin_row(measurement_passes *run)
{
    meters_reset(&run->pass.meters);
    run->pass.skew_ns = 0;
    row_begin(&run->out.base, run->setting->session);
}

/* Sizes are those of the packets that the timed role received. */
cb_status measurement_end_row(measurement_passes *run)
{
    const engine_session *session = run->setting->session;
    const bench_rank *me = run->pass.me;
    row_base *row = &run->out.base;

    row_end(run->setting->session);
    row->timed = run->pass.meters;
    row->algorithm_runs = me->algorithm.runs;
    row->algorithm_ns = me->algorithm.elapsed_ns;
    if (run->pass.actions->timed)
        row->arrived = (fragments_arrived){
            me->received.packets * bench_packed(session->job->definition, session->job->options),
            me->received.bytes, me->received.largest};
    return figures_sum_delivery(run->setting, me, &row->delivery);
}

static cb_status run_plain_passes(measurement_passes *run)
{
    CB_TRY(warm_up(run));
    measurement_begin_row(run);
    CB_TRY(pass_run(&run->pass, &(pass_plan){run->traffic, add_blocks, .decider = run}));
    CB_TRY(measurement_end_row(run));
    CB_TRY(rank_check_sum(run->pass.me));
    CB_TRY(measurement_keep_shares(run));
    CB_TRY(keep_thread_shares(run));
    CB_TRY(measurement_time_steps(run, run->pass.limit_ns * share_steps_end));
    return measurement_verify(run);
}

/* Doubles the steps of a block from one, since one step can be longer than a block. */
static cb_status median_step(bench_rank *me, const bench_actions *actions, double wanted_ns,
                             double *step_ns)
{
    double blocks_ns[HARNESS_BLOCKS], elapsed_ns = 0;
    uint64_t steps;

    for (steps = 1; steps < (1ull << 40); steps *= 2) {
        CB_TRY(block_run(me, actions, steps, &elapsed_ns));
        if (elapsed_ns >= wanted_ns)
            break;
    }
    for (size_t i = 0; i < HARNESS_BLOCKS; i++)
        CB_TRY(block_run(me, actions, steps, &blocks_ns[i]));
    *step_ns = stats_summarize(blocks_ns, HARNESS_BLOCKS).median / (double)steps;
    return CB_OK;
}

/* Cost of the harness: the time of a step over null in this process only, measured in at most
 * `budget_ns`. */
static cb_status step_over_null(const rank_setting *setting, transport_factory *null,
                                const bench_traffic *traffic, double budget_ns, double *step_ns)
{
    double wanted_ns = fmin(budget_ns / (HARNESS_BLOCKS + 2), HARNESS_BLOCK_NS);
    const bench_actions *actions;
    bench_rank *me;
    cb_status status;

    CB_TRY(rank_create(setting, null, &me, &actions));
    rank_reset(me, traffic);
    if ((status = rank_set_up(setting->definition, me)) == CB_OK)
        status = median_step(me, actions, wanted_ns, step_ns);
    rank_destroy(setting->definition, me);
    return status;
}

double harness_touch_ns(size_t size_bytes)
{
    enum { REPEATS = 9, BYTES_EACH = 1 << 20 };
    size_t touches = size_bytes > 0 ? BYTES_EACH / size_bytes + 1 : 1024;
    void *data = cb_allocate_aligned(CB_CACHE_LINE, size_bytes, "a packet to touch");
    volatile uint64_t sink = 0;
    double repeats_ns[REPEATS];

    if (data == NULL)
        return -1;
    for (size_t repeat = 0; repeat < REPEATS; repeat++) {
        uint64_t start_ns = cb_now_ns();

        for (size_t i = 0; i < touches; i++)
            sink = sink + traffic_touch(data, size_bytes);
        repeats_ns[repeat] = (double)(cb_now_ns() - start_ns) / (double)touches;
    }
    free(data);
    return stats_summarize(repeats_ns, REPEATS).median;
}

/* Group 2 has roles that a single process cannot run over null, and null takes one sending thread.
 */
static cb_status measure_baselines(measurement_passes *run, const rank_setting *place)
{
    const measurement_setting *setting = run->setting;
    const measurement_method *method = setting->session->method;
    double budget_ns = run->pass.limit_ns * (1 - share_steps_end) / 2;

    /* In a model neither takes time. */
    if (control_team_index(setting->team) != 0 || cb_virtual != NULL)
        return CB_OK;
    if (traffic_touches(run->traffic))
        run->out.base.touch_ns = harness_touch_ns(plan_typical_bytes(setting->planned));
    return setting->planned->shape.stage_count > 0 || run->pass.me->senders != NULL ||
                   (method != NULL && method->no_harness)
               ? CB_OK
               : step_over_null(place, setting->session->null, run->traffic, budget_ns,
                                &run->out.harness_ns);
}

cb_status measurement_run(const measurement_setting *setting, measurement_outcome *out)
{
    engine_session *session = setting->session;
    const measurement_method *method = session->method;
    const rank_setting place = rank_setting_of(setting);
    const double limit_ns = session->job->options->max_time_s * 1e9;
    measurement_passes run = {
        .setting = setting,
        .pass = {.session = session,
                 .team = setting->team,
                 .oversubscribed = setting->oversubscribed,
                 .started = budget_now(),
                 .limit_ns = limit_ns},
        .traffic = fragments_traffic(session->job->options),
        .is_stream = traffic_is_stream(setting->planned->mode),
        .is_led_in = bench_is_led_in(setting->planned->mode),
        .wanted_ns =
            fmin(setting->oversubscribed ? oversubscribed_block_ns : block_ns, limit_ns / 100),
        .out = {.base = {.touch_ns = -1},
                .group_create_ns = -1,
                .group_free_ns = -1,
                .harness_ns = -1,
                .whole_share = -1},
    };
    cb_status status;

    *out = (measurement_outcome){0};
    if (method != NULL && method->measure != NULL)
        return method->measure(session->method_state, setting);
    if ((status = make_rank(&run, &place)) != CB_OK)
        goto done;
    status = method != NULL && method->run_passes != NULL
                 ? method->run_passes(session->method_state, &run)
                 : run_plain_passes(&run);
    run.out.base.skew_ns = run.pass.skew_ns;
    if (status != CB_OK)
        goto done;
    if (method != NULL && method->after_passes != NULL &&
        (status = method->after_passes(session->method_state, &run)) != CB_OK)
        goto done;
    if ((status = measure_baselines(&run, &place)) == CB_OK)
        status = control_barrier(setting->team);
done:
    /* After a failure that the others may not know about, this rank ends the job. Destroying groups
     * is collective and could block it. */
    if (status == CB_OK || run.out.base.verification.done || !setting->planned->own_multicast)
        rank_destroy(session->job->definition, run.pass.me);
    *out = run.out;
    return status;
}

typedef struct {
    measurement_outcome *outcome;
    bool passed;
} row_source;

/* After a failed verification, which ends the passes, the method's own figures are left out. */
static cb_status fill_row(void *context, const measurement_setting *setting, report_row *row)
{
    const row_source *of = context;
    const measurement_method *method = setting->session->method;

    CB_TRY(figures_fill(setting, of->outcome, row));
    if (method != NULL && method->fill_row != NULL && (of->passed || method->after_passes == NULL))
        method->fill_row(setting->session->method_state, setting, row);
    return CB_OK;
}

/* Meters of the process contain a computing task. */
cb_status measurement_report(const measurement_setting *setting, measurement_outcome *outcome,
                             cb_status status, measurement_result *result)
{
    const engine_session *session = setting->session;
    const bool all_know = status == CB_OK || outcome->base.verification.done;
    const bool writes = session->document != NULL && all_know && outcome->block_count > 0;
    const bool metered = writes && setting->planned->occupation == BENCH_UNOCCUPIED;
    row_source of = {.outcome = outcome, .passed = status == CB_OK};
    report_row row = {.broken = false};

    *result = (measurement_result){.figure_us = -1, .shares_left_out = outcome->shares_left_out};
    if (!all_know || (session->method != NULL && session->method->measure != NULL))
        return status;
    CB_TRY(row_gather(&outcome->base, setting, metered ? &row : NULL));
    if (writes) {
        cb_status written = row_write(&outcome->base, setting, "packets", fill_row, &of, &row);

        result->figure_us = outcome->figure_us;
        status = status == CB_OK ? written : status;
    }
    return control_agree(setting->team, status);
}

void measurement_outcome_free(measurement_outcome *outcome)
{
    free(outcome->blocks_ns);
    free(outcome->histogram);
    free(outcome->shares);
    free(outcome->thread_shares);
    *outcome = (measurement_outcome){0};
}
