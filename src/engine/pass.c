/* The batches of a pass: their length, their common start, their blocks. */
#include "engine/pass.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "engine/rank.h"
#include "engine/senders.h"

/* Share of the limit that one batch may use, on a steady machine or not; and the ratio of batch
 * times up to which the machine counts as steady. */
static const double steady_stake = 0.25, unsteady_stake = 0.125, steady_ratio = 1.25;

void pace_note(batch_pace *pace, double batch_ns, double steps)
{
    pace->steps_ns[pace->count++ % PACE_BATCHES] = fmax(batch_ns / steps, 0.1);
}

static size_t batches_kept(const batch_pace *pace)
{
    return pace->count < PACE_BATCHES ? pace->count : PACE_BATCHES;
}

double pace_latest_ns(const batch_pace *pace)
{
    return pace->count > 0 ? pace->steps_ns[(pace->count - 1) % PACE_BATCHES] : 0;
}

double pace_slowest_ns(const batch_pace *pace)
{
    double slowest_ns = 0;

    for (size_t i = 0; i < batches_kept(pace); i++)
        slowest_ns = fmax(slowest_ns, pace->steps_ns[i]);
    return slowest_ns;
}

double pace_affordable(const batch_pace *pace, double left_ns, double limit_ns)
{
    double slowest_ns = pace_slowest_ns(pace), fastest_ns = HUGE_VAL;
    bool steady;

    for (size_t i = 0; i < batches_kept(pace); i++)
        fastest_ns = fmin(fastest_ns, pace->steps_ns[i]);
    steady = slowest_ns <= steady_ratio * fastest_ns;
    return pace->count > 0
               ? fmin(left_ns, limit_ns * (steady ? steady_stake : unsteady_stake)) / slowest_ns
               : HUGE_VAL;
}

cb_status pass_agree_on_start(const control_clock *clock, control_team *team, uint64_t ahead_ns,
                              uint64_t *start_ns)
{
    uint64_t instant_ns;

    CB_TRY(control_barrier(team));
    instant_ns = control_clock_reference(clock, cb_now_ns()) + ahead_ns;
    CB_TRY(control_broadcast(team, &instant_ns, sizeof(instant_ns)));
    *start_ns = control_clock_local(clock, instant_ns);
    return CB_OK;
}

cb_status pass_start_together(const control_clock *clock, control_team *team, bool oversubscribed,
                              double *late_ns)
{
    const uint64_t ahead_ns = oversubscribed ? 2000000 : 300000;
    wait_terms start = {.manner = {.yields = oversubscribed, .longest_sleep_ns = ahead_ns},
                        .timeout_ns = WAIT_WITHOUT_END};

    CB_TRY(pass_agree_on_start(clock, team, ahead_ns, &start.due_ns));
    wait_until(&start);
    if (cb_virtual != NULL)
        cb_virtual->hesitate();
    *late_ns = (double)(int64_t)(cb_now_ns() - start.due_ns);
    return CB_OK;
}

void pass_begin_timing(pass_context *context)
{
    const double stuck_ns = 30e9;

    if (context->task != NULL)
        host_task_run(context->task, (uint64_t)(stuck_ns + 2 * context->limit_ns));
    meters_begin(&context->meters);
}

cb_status pass_end_timing(pass_context *context)
{
    meters_end(&context->meters);
    if (context->task == NULL || host_task_pause(context->task))
        return CB_OK;
    cb_error("the communication of rank %d made no progress beside the computing "
             "task, which was stopped; use another --wait, or leave out --compute",
             control_rank(context->session->plane));
    return CB_ERROR_TRANSPORT;
}

/* Agree on what the batch used, and the time of each block: the slowest rank's. */
static cb_status agree_on_times(pass_context *context, budget_mark start, double late_ns)
{
    const bench_options *options = context->session->job->options;
    const pass_batch *batch = &context->batch;
    double values[PASS_BLOCKS_MAXIMUM + 5];
    double *others = &values[batch->blocks];

    memcpy(values, context->blocks_ns, batch->blocks * sizeof(*values));
    others[0] = budget_used_ns(options, context->started);
    others[1] = late_ns;
    others[2] = -late_ns;
    others[3] = budget_used_ns(options, start);
    others[4] = budget_messages_ns(options, start);
    CB_TRY(control_maximum(context->team, values, batch->blocks + 5));
    memcpy(context->blocks_ns, values, batch->blocks * sizeof(*values));
    context->elapsed_ns = others[0];
    context->messages_ns = others[4];
    context->skew_ns = fmax(context->skew_ns, others[1] + others[2]);
    pace_note(&context->pace, others[3], (double)(batch->lead_in + batch->blocks * batch->steps));
    context->paced_window = context->me->window;
    return CB_OK;
}

/* The loop over blocks is not a function of its own: block_run is the only call between a pass and
 * a step. */
cb_status pass_run(pass_context *context, const pass_plan *pass)
{
    const wait_watch watch = session_watch(context->session);
    pass_batch *batch = &context->batch, next = {.blocks = 0};
    bench_rank *me = context->me;

    rank_reset(me, pass->traffic);
    do {
        budget_mark start;
        uint64_t first_block_ns, units;
        double late_ns, ignored_ns;

        if (pass->next == NULL)
            next = (pass_batch){.steps = pass->steps, .blocks = 1};
        else
            CB_TRY(pass->next(pass->decider, context, &next));
        if (next.blocks == 0)
            return CB_OK;
        *batch = next;
        CB_TRY(pass_start_together(&context->session->clock, context->team, context->oversubscribed,
                                   &late_ns));
        start = budget_now();
        pass_begin_timing(context);
        if (batch->lead_in > 0)
            CB_TRY(block_run(me, context->actions, batch->lead_in, &ignored_ns));
        units = context->task != NULL ? host_task_units(context->task) : 0;
        first_block_ns = cb_now_ns();
        for (size_t i = 0; i < batch->blocks; i++) {
            if (pass->histogram != NULL && context->actions->timed)
                CB_TRY(block_run_stepwise(me, context->actions, batch->steps, pass->histogram,
                                          &watch));
            else
                CB_TRY(block_run(me, context->actions, batch->steps, &context->blocks_ns[i]));
            if (!context->actions->timed)
                context->blocks_ns[i] = 0;
            /* After a signal, the timed row is written before the verification pass ends. */
            if (pass->next != NULL || pass->histogram != NULL)
                session_leave_if_interrupted(context->session);
        }
        context->batch_ns = (double)(cb_now_ns() - first_block_ns);
        context->batch_units = context->task != NULL ? host_task_units(context->task) - units : 0;
        context->batch_turns = context->task != NULL ? host_task_recorded_turns(context->task)
                                                     : (host_task_turns){.count = 0};
        CB_TRY(pass_end_timing(context));
        meters_count(&context->meters, batch->lead_in + batch->blocks * batch->steps);
        CB_TRY(transport_flush(me->factory));
        if (pass->next != NULL)
            CB_TRY(agree_on_times(context, start, late_ns));
    } while (pass->next != NULL);
    return CB_OK;
}
