/* The timed loops. They call only the benchmark's actions and the clock, and look for a signal. */
#include "engine/block.h"

#include "base/clock.h"
#include "engine/senders.h"

static cb_status do_nothing(bench_rank *me)
{
    (void)me;
    return CB_OK;
}

static bench_action or_nothing(bench_action action)
{
    return action != NULL ? action : do_nothing;
}

/* Shares are reset before the clock of the block starts. */
static void open_block(bench_rank *me, uint64_t steps)
{
    me->shares = (bench_shares){.block_steps = steps};
    for (size_t i = 0; i < me->peer_count; i++)
        me->peers[i].block_received = 0;
}

cb_status block_run(bench_rank *me, const bench_actions *actions, uint64_t steps,
                    double *elapsed_ns)
{
    bench_action begin = or_nothing(actions->begin), step = actions->step;
    bench_action finish = or_nothing(actions->finish);
    uint64_t start_ns, last_step_ns;

    open_block(me, steps);
    start_ns = cb_now_ns();
    CB_TRY(begin(me));
    if (actions->starts_after_begin)
        start_ns = cb_now_ns();
    if (me->senders != NULL)
        CB_TRY(senders_send(me->senders, steps, NULL));
    else
        for (uint64_t i = 0; i < steps; i++)
            CB_TRY(step(me));
    last_step_ns = cb_now_ns();
    CB_TRY(finish(me));
    *elapsed_ns = (double)((actions->ends_before_finish ? last_step_ns : cb_now_ns()) - start_ns);
    me->blocks++;
    return CB_OK;
}

cb_status block_run_stepwise(bench_rank *me, const bench_actions *actions, uint64_t steps,
                             stats_histogram *histogram, const wait_watch *watch)
{
    bench_action step = actions->step;
    uint64_t before_ns, now_ns;

    open_block(me, steps);
    CB_TRY(or_nothing(actions->begin)(me));
    if (me->senders != NULL)
        CB_TRY(senders_send(me->senders, steps, histogram));
    before_ns = cb_now_ns();
    for (uint64_t i = 0; i < steps && me->senders == NULL; i++) {
        CB_TRY(step(me));
        now_ns = cb_now_ns();
        stats_histogram_record(histogram, now_ns - before_ns);
        if (*watch->seen != 0)
            watch->leave(watch->context);
        before_ns = now_ns;
    }
    CB_TRY(or_nothing(actions->finish)(me));
    me->blocks++;
    return CB_OK;
}
