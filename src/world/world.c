/* The ranks as coroutines, and their clock. */
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "control/operations.h"
#include "world/plane.h"
#include "world/technology.h"

enum { STACK_BYTES = 256 * 1024 };

/* Virtual time begins above 0, which often means that something has not happened. */
static const double begin_ns = 1e9;

/* The world that runs: cb_virtual has no context. */
static world *running;

/* The clock */

static uint64_t now_ns(void)
{
    return (uint64_t)(begin_ns + running->now_us * 1e3 + 0.5);
}

static void wait_until_ns(uint64_t until_ns, bool or_earlier)
{
    do {
        const uint64_t instant_ns = now_ns();

        world_wait_us(running->current, until_ns == UINT64_MAX ? HUGE_VAL
                                        : until_ns > instant_ns
                                            ? (double)(until_ns - instant_ns) / 1e3
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

static uint64_t count_messages(void)
{
    return running->messages;
}

static const cb_virtual_time virtual_time = {now_ns, wait_until_ns, work_ns, hesitate,
                                             count_messages};

/* The work of processors, and after them of links per message that they can carry at a time */

static size_t count_places(void)
{
    const ccmod_result *now = running->workload->so_far;

    return now->processors + now->cells;
}

static double work_us(size_t place)
{
    const ccmod_result *now = running->workload->so_far;
    const double *widths = running->network->widths;
    const size_t cell = place - now->processors;

    if (place < now->processors) {
        const ccmod_processor processor = ccmod_result_processor(now, place);

        return processor.send_us + processor.compute_us;
    }
    return ccmod_result_cell(now, cell).work_us / (widths != NULL ? widths[cell] : 1);
}

static void begin_usage(void)
{
    const size_t count = count_places();

    if (running->work_us == NULL)
        running->work_us = cb_allocate(count, sizeof(double), "the work of a model's links");
    for (size_t place = 0; running->work_us != NULL && place < count; place++)
        running->work_us[place] = work_us(place);
}

/* Find the busiest place. Of those that are as busy, to rounding, the first. */
static void end_usage(void)
{
    const double rounding = 1 + 1e-9;
    const size_t count = running->work_us != NULL ? count_places() : 0;
    double most_us = 0;

    for (size_t place = 0; place < count; place++) {
        const double busy_us = work_us(place) - running->work_us[place];

        if (busy_us > most_us * rounding) {
            most_us = busy_us;
            running->busiest = place;
        }
    }
    running->busy_us = most_us;
}

static void find_limit(uint64_t took_ns, engine_limit *out)
{
    const size_t processors = running->count, place = running->busiest;

    out->load = took_ns > 0 ? fmin(1, running->busy_us * 1e3 / (double)took_ns) : 0;
    if (place < processors) {
        snprintf(out->place, sizeof(out->place), "rank %zu", place);
    } else {
        const uint32_t cell = (uint32_t)(place - processors);
        char name[sizeof(out->place) - sizeof(", outward")];

        ccmod_link_name(running->network, cell / 2, name, sizeof(name));
        snprintf(out->place, sizeof(out->place), "%s, %s", name,
                 cell % 2 == CCMOD_INWARD ? "inward" : "outward");
    }
}

const engine_usage world_usage = {begin_usage, end_usage, find_limit};

/* The ranks */

/* A world and what it runs. */
typedef struct {
    world world;
    const world_setting *setting;
} whole_run;

static void run_part(void *context, size_t index)
{
    whole_run *run = context;
    world_rank *me = &run->world.ranks[index];

    me->status = run->setting->run(run->setting->context, me);
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
        if (world_deliver(me, done->peer, done->cargo) != CB_OK)
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

/* A few times per second. No rank runs: they all wait. */
static bool look(void *context, const ccmod_progress *progress)
{
    world_rank *first = context;

    (void)progress;
    cb_log_select(&first->log);
    control_look(world_plane_of(first));
    cb_log_select(NULL);
    return true;
}

static cb_status evaluate(whole_run *run)
{
    const world_setting *setting = run->setting;
    ccmod_parameters parameters = setting->parameters;
    ccmod_workload workload = {.processors = setting->ranks, .react = react, .self = &run->world};
    ccmod_result *result = NULL;
    ccmod_error error = {.text = ""};
    ccmod_status status;

    run->world.workload = &workload;
    run->world.network = setting->network;
    parameters.progress = look;
    parameters.progress_context = &run->world.ranks[0];
    status = ccmod_evaluate(&workload, setting->network, setting->calibration, &parameters, NULL, 0,
                            &result, &error);
    ccmod_result_free(result);
    if (status == CCMOD_OK || run->world.status != CB_OK)
        return run->world.status;
    cb_error("%s", error.text);
    return status == CCMOD_ERROR_USAGE    ? CB_ERROR_USAGE
           : status == CCMOD_ERROR_MEMORY ? CB_ERROR_MEMORY
                                          : CB_ERROR_TRANSPORT;
}

static cb_status set_up(whole_run *run)
{
    const world_setting *setting = run->setting;
    world *all = &run->world;

    all->count = setting->ranks;
    all->recorder = setting->recorder;
    all->multicasts_by_tree = setting->multicasts_by_tree;
    all->has_multicasts =
        all->multicasts_by_tree || ccmod_share_has_multicasts(setting->parameters.share);
    all->ranks = cb_allocate(all->count, sizeof(*all->ranks), "the ranks of the model");
    if (all->ranks == NULL)
        return CB_ERROR_MEMORY;
    for (uint32_t rank = 0; rank < all->count; rank++) {
        all->ranks[rank] = (world_rank){
            .in = all,
            .number = rank,
            .random = cb_random_seed(cb_mix64(setting->parameters.seed) ^ cb_mix64(rank + 1))};
        cb_log_context_begin(&all->ranks[rank].log);
    }
    CB_TRY(world_planes_open(all));
    return cb_coroutines_create(all->count, STACK_BYTES, run_part, run, &all->coroutines);
}

cb_status world_run(const world_setting *setting, double *end_us)
{
    whole_run run = {.setting = setting};
    cb_status status = set_up(&run);

    if (status == CB_OK) {
        running = &run.world;
        cb_virtual = &virtual_time;
        status = evaluate(&run);
        cb_virtual = NULL;
        running = NULL;
    }
    *end_us = run.world.now_us;
    world_planes_close(&run.world);
    world_free_messages(&run.world);
    cb_coroutines_free(run.world.coroutines);
    free(run.world.work_us);
    free(run.world.ranks);
    return status;
}
