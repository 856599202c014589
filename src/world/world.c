/* The ranks as coroutines, and their clock. */
#include "world/internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"

enum { STACK_BYTES = 256 * 1024 };

/* Virtual time begins above 0, which often means that something has not happened. */
static const double begin_ns = 1e9;

/* The world that runs: cb_virtual has no context. */
static world *running;

void world_call(world_rank *me, const ccmod_record *record)
{
    me->record = *record;
    cb_coroutines_leave(me->in->coroutines);
}

static void wait_us(world_rank *me, double us)
{
    world_call(me, &(ccmod_record){.kind = CCMOD_AWAIT, .needed = 1, .time_us = us});
}

void world_wait(world_rank *me)
{
    wait_us(me, HUGE_VAL);
}

/* The clock */

static uint64_t now_ns(void)
{
    return (uint64_t)(begin_ns + running->now_us * 1e3 + 0.5);
}

static void wait_until_ns(uint64_t until_ns, bool or_earlier)
{
    do {
        const uint64_t instant_ns = now_ns();

        wait_us(running->current, until_ns == UINT64_MAX  ? HUGE_VAL
                                  : until_ns > instant_ns ? (double)(until_ns - instant_ns) / 1e3
                                                          : 0);
    } while (!or_earlier && now_ns() < until_ns);
}

static void work_ns(uint64_t ns)
{
    if (ns > 0)
        world_call(running->current,
                   &(ccmod_record){.kind = CCMOD_COMPUTE, .time_us = (double)ns / 1e3});
}

/* If ranks that do the same started at one instant, they would stay in step, as real ones do not.
 */
static void hesitate(void)
{
    const uint64_t longest_ns = 1000;

    wait_until_ns(now_ns() + cb_random_below(&running->current->random, longest_ns), false);
}

static const cb_virtual_time virtual_time = {now_ns, wait_until_ns, work_ns, hesitate};

/* The ranks */

int world_rank_number(const world_rank *me)
{
    return (int)me->number;
}

size_t world_ranks(const world_rank *me)
{
    return me->in->setting->ranks;
}

control *world_plane_of(world_rank *me)
{
    return &me->plane.base;
}

static void run_part(void *context, size_t index)
{
    world *all = context;

    all->ranks[index].status = all->setting->run(all->setting->context, &all->ranks[index]);
}

static ccmod_status note_completions(world_rank *me, const ccmod_outcome *outcome,
                                     ccmod_error *error)
{
    for (size_t i = 0; i < outcome->done_count; i++) {
        const ccmod_completion *done = &outcome->done[i];

        if (!done->received) {
            me->pending--;
            continue;
        }
        me->posted = false;
        if (world_deliver(me, done->peer, (world_message *)(uintptr_t)done->cargo) != CB_OK)
            return ccmod_fail(error, CCMOD_ERROR_MEMORY, NULL, 0,
                              "cannot keep a message for rank %u: out of memory", me->number);
    }
    return CCMOD_OK;
}

/* One receive is always posted, and posted again before the rank continues. */
static ccmod_status react(ccmod_workload *workload, uint32_t number, const ccmod_outcome *outcome,
                          ccmod_record *record, ccmod_error *error)
{
    world *all = workload->self;
    world_rank *me = &all->ranks[number];
    bool ended;

    all->now_us = outcome->now_us;
    CCMOD_TRY(note_completions(me, outcome, error));
    if (!me->posted) {
        me->posted = true;
        *record = (ccmod_record){.kind = CCMOD_START_RECEIVE,
                                 .peer = CCMOD_ANY,
                                 .size_bytes = CCMOD_ANY_SIZE,
                                 .measured_us = -1};
        return CCMOD_OK;
    }
    all->current = me;
    cb_log_select(&me->log);
    ended = cb_coroutines_resume(all->coroutines, number);
    cb_log_select(NULL);
    *record = me->record;
    record->measured_us = -1;
    if (!ended)
        return CCMOD_OK;
    record->kind = CCMOD_END;
    all->status = me->status;
    return me->status == CB_OK ? CCMOD_OK : CCMOD_ERROR_INTERRUPTED;
}

static cb_status evaluate(world *all)
{
    const world_setting *setting = all->setting;
    ccmod_workload workload = {
        .name = NULL, .processors = setting->ranks, .react = react, .self = all};
    ccmod_result *result = NULL;
    ccmod_error error = {.text = ""};
    ccmod_status status = ccmod_evaluate(&workload, setting->network, setting->calibration,
                                         &setting->parameters, NULL, 0, &result, &error);

    ccmod_result_free(result);
    if (status == CCMOD_OK || all->status != CB_OK)
        return all->status;
    cb_error("%s", error.text);
    return status == CCMOD_ERROR_USAGE    ? CB_ERROR_USAGE
           : status == CCMOD_ERROR_MEMORY ? CB_ERROR_MEMORY
                                          : CB_ERROR_TRANSPORT;
}

cb_status world_run(const world_setting *setting)
{
    world all = {.setting = setting};
    world_meeting *everyone = NULL;
    cb_status status = CB_ERROR_MEMORY;

    all.ranks = cb_allocate(setting->ranks, sizeof(*all.ranks), "the ranks of the model");
    if (all.ranks == NULL)
        return CB_ERROR_MEMORY;
    if (world_meeting_open(setting->ranks, &everyone) != CB_OK ||
        cb_coroutines_create(setting->ranks, STACK_BYTES, run_part, &all, &all.coroutines) != CB_OK)
        goto done;
    for (uint32_t rank = 0; rank < setting->ranks; rank++) {
        all.ranks[rank] = (world_rank){
            .in = &all,
            .number = rank,
            .random = cb_random_seed(cb_mix64(setting->parameters.seed) ^ cb_mix64(rank + 1))};
        everyone->ranks[rank] = rank;
        cb_log_context_begin(&all.ranks[rank].log);
        world_plane_open(&all.ranks[rank], everyone);
    }
    running = &all;
    cb_virtual = &virtual_time;
    status = evaluate(&all);
    cb_virtual = NULL;
    running = NULL;
    for (size_t rank = 0; rank < setting->ranks; rank++)
        world_plane_close(&all.ranks[rank]);
done:
    while (all.resting != NULL) {
        transport_buffer *first = all.resting;

        all.resting = first->next;
        free(first);
    }
    cb_coroutines_free(all.coroutines);
    world_meeting_free(everyone);
    free(all.ranks);
    return status;
}
