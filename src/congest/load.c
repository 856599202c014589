/* Turns of the load, at the end of which all aggressors agree whether to go on; the first one has
 * the notes. Blocks of a benchmark follow each other without a pause: the agreement that begins
 * after one epoch of turns is needed after the next only. The loops of a farm meet between two
 * turns in any case; these are longer, so that this takes a small part of the time. */
#include "congest/load.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "engine/traffic.h"
#include "engine/pass.h"
#include "engine/figures.h"
#include "engine/fragments.h"
#include "engine/measurement.h"
#include "engine/rank.h"
#include "engine/wait.h"
#include "host/work.h"

/* A load of which no turn gets half of the wanted length counts as running after some. */
enum { TURNS_BEFORE = 20, EPOCH = 4 };
static const double first_turn_ns = 50e6;

/* A block of a stream ends when its last packet is acknowledged: it has room for some windows. */
enum { WINDOWS_A_TURN = 4 };

/* A turn is lengthened while the pause after it is more than a share of it: to a second, or to a
 * third of the victim's phase if that is more. */
static const double long_turn_ns = 1e9, turn_share = 1.0 / 3, pause_share = 0.02;

static double longest_turn_ns(const congest_load *load)
{
    return fmax(long_turn_ns, turn_share * 1e9 * load->session.job->options->max_time_s);
}

/* What is agreed on: the maximum over all aggressors. */
enum { STOPPED, ELAPSED, PAUSE, AGREED };

/* The turns of one load. */
typedef struct {
    method_load method; /* first, so that a method's load is this */
    congest_load *load;
    bool leads; /* has the notes */
    bool running, stopped;
    bool lags;             /* agreements are needed an epoch later */
    bool agreeing;         /* one has begun */
    unsigned turns_before; /* it was running */
    unsigned epoch_turns;  /* since an agreement began */
    double values[AGREED]; /* of the agreement under way, or of the last one */
    uint64_t ended_ns;     /* the last turn; 0: none has */
    uint64_t running_ns;   /* since when it is */
    congest_note tally;
} load_turns;

static cb_status tell_rank_0(const congest_load *load, const congest_note *note)
{
    return control_tell(load->job, 0, note, sizeof(*note));
}

static cb_status begin_counting(load_turns *turns)
{
    turns->running = true;
    turns->running_ns = cb_now_ns();
    turns->tally.event = CONGEST_RUNNING;
    return turns->leads ? tell_rank_0(turns->load, &turns->tally) : CB_OK;
}

static cb_status hear_stop(load_turns *turns)
{
    congest_note note;
    cb_status status = control_hear(turns->load->job, &note, sizeof(note));

    turns->stopped = status == CB_OK;
    return status == CB_EMPTY ? CB_OK : status;
}

static cb_status agree_at_once(load_turns *turns, double elapsed_ns, double pause_ns, bool *goes_on)
{
    turns->values[STOPPED] = turns->stopped;
    turns->values[ELAPSED] = elapsed_ns;
    turns->values[PAUSE] = pause_ns;
    CB_TRY(control_maximum(turns->load->setting.team, turns->values, AGREED));
    *goes_on = turns->values[STOPPED] == 0;
    return CB_OK;
}

/* An agreement ends after the same turn in all aggressors. The values belong to it until then. */
static cb_status agree_later(load_turns *turns, double elapsed_ns, bool *goes_on)
{
    control_team *team = turns->load->setting.team;

    if (turns->agreeing && ++turns->epoch_turns < EPOCH)
        return control_maximum_advance(team);
    if (turns->agreeing) {
        CB_TRY(control_maximum_end(team));
        turns->agreeing = false;
        *goes_on = turns->values[STOPPED] == 0;
        if (!*goes_on)
            return CB_OK;
    }
    turns->epoch_turns = 0;
    turns->agreeing = true;
    turns->values[STOPPED] = turns->stopped;
    turns->values[ELAPSED] = elapsed_ns;
    turns->values[PAUSE] = 0;
    return control_maximum_begin(team, turns->values, AGREED);
}

static cb_status end_turn(method_load *method, double packets, double elapsed_ns, bool *goes_on)
{
    load_turns *turns = (load_turns *)method;
    const uint64_t now_ns = cb_now_ns();
    bool lengthened;
    double pause_ns = turns->ended_ns > 0 ? (double)(now_ns - turns->ended_ns) - elapsed_ns : 0;

    if (turns->running) {
        turns->tally.turns++;
        turns->tally.packets += packets;
        turns->tally.busy_ns += elapsed_ns;
        turns->tally.elapsed_ns = (double)(now_ns - turns->running_ns);
    }
    if (turns->leads && !turns->stopped)
        CB_TRY(hear_stop(turns));
    *goes_on = true;
    CB_TRY(turns->running && turns->lags ? agree_later(turns, elapsed_ns, goes_on)
                                         : agree_at_once(turns, elapsed_ns, pause_ns, goes_on));
    session_leave_if_interrupted(&turns->load->session);
    turns->ended_ns = cb_now_ns();
    lengthened = !turns->lags && turns->values[PAUSE] > pause_share * method->turn_ns &&
                 method->turn_ns < longest_turn_ns(turns->load);
    if (lengthened)
        method->turn_ns *= 2;
    if (!turns->running && ((!lengthened && turns->values[ELAPSED] >= method->turn_ns / 2) ||
                            ++turns->turns_before == TURNS_BEFORE))
        return begin_counting(turns);
    return CB_OK;
}

/* Blocks of a benchmark without a load of its own */

/* Data packets of a step, of all destinations. */
static double packets_of_step(const congest_load *load)
{
    const bench_measurement *planned = load->setting.planned;

    return (double)bench_step_packets(load->session.job->definition, load->session.job->options,
                                      planned->mode, planned->count) *
           planned->mode->divisor;
}

/* The steps of the next turn, from the length of the last one, which all have agreed on. When the
 * load runs, they stay. */
static uint64_t next_steps(const load_turns *turns, uint64_t steps)
{
    double growth = turns->method.turn_ns / fmax(turns->values[ELAPSED], 1);

    if (turns->running)
        return steps;
    return (uint64_t)fmax(1, ceil((double)steps * fmin(fmax(growth, 0.1), 20)));
}

/* Steps that fall due one after another. A late step follows at once. */
static cb_status run_due_steps(bench_rank *me, const bench_actions *actions,
                               rate_schedule *schedule, uint64_t steps)
{
    wait_terms terms = {
        .manner = {.yields = !me->factory->polls_yield, .longest_sleep_ns = WAIT_WITHOUT_END},
        .timeout_ns = WAIT_WITHOUT_END};

    if (actions->begin != NULL)
        CB_TRY(actions->begin(me));
    for (uint64_t i = 0; i < steps; i++) {
        terms.due_ns = rate_schedule_next(schedule);
        wait_until(&terms);
        CB_TRY(actions->step(me));
    }
    me->blocks++;
    return actions->finish != NULL ? actions->finish(me) : CB_OK;
}

static cb_status run_blocks(void *state, measurement_passes *run)
{
    load_turns *turns = state;
    const congest_load *load = turns->load;
    const double step_packets = packets_of_step(load);
    bench_rank *me = run->pass.me;
    rate_schedule schedule;
    uint64_t steps = 1;
    bool goes_on = true;
    delivery_counts delivery;
    double late_ns;

    turns->lags = true;
    rank_reset(me, run->traffic);
    CB_TRY(pass_start_together(&load->session.clock, run->pass.team, run->pass.oversubscribed,
                               &late_ns));
    if (load->rate_hz > 0)
        schedule = rate_schedule_make(load->arrivals, load->rate_hz,
                                      load->session.job->options->seed, cb_now_ns());
    while (goes_on) {
        const uint64_t start_ns = cb_now_ns();
        double ignored_ns;

        if (load->rate_hz > 0) {
            steps = (uint64_t)fmax(1, load->rate_hz * turns->method.turn_ns / 1e9);
            CB_TRY(run_due_steps(me, run->pass.actions, &schedule, steps));
        } else {
            CB_TRY(block_run(me, run->pass.actions, steps, &ignored_ns));
        }
        turns->tally.steps += turns->running ? (double)steps : 0;
        CB_TRY(turns->method.end_turn(&turns->method, (double)steps * step_packets,
                                      (double)(cb_now_ns() - start_ns), &goes_on));
        if (run->is_stream && !turns->running)
            turns->method.turn_ns =
                fmin(longest_turn_ns(load),
                     fmax(first_turn_ns, (double)WINDOWS_A_TURN * me->window *
                                             turns->values[ELAPSED] / (double)steps));
        steps = next_steps(turns, steps);
    }
    CB_TRY(transport_flush(me->factory));
    CB_TRY(rank_check_sum(me));
    CB_TRY(figures_sum_delivery(run->setting, me, &delivery));
    turns->tally.packets *= figures_arrived_share(&delivery);
    return CB_OK;
}

static const measurement_method block_method = {.no_harness = true, .run_passes = run_blocks};

static cb_status send_blocks(congest_load *load, load_turns *turns)
{
    measurement_outcome outcome;
    cb_status status;

    load->session.method = &block_method;
    load->session.method_state = turns;
    status = measurement_run(&load->setting, &outcome);
    measurement_outcome_free(&outcome);
    return status;
}

/* Loads that send nothing */

static cb_status work_on(void *state)
{
    *(uint64_t *)state = host_work_on(*(uint64_t *)state, 100);
    return CB_EMPTY;
}

static cb_status compute_turns(load_turns *turns)
{
    uint64_t state = 0;
    bool goes_on = true;

    while (goes_on) {
        const uint64_t start_ns = cb_now_ns();
        const wait_terms terms = {.due_ns = start_ns + (uint64_t)turns->method.turn_ns,
                                  .timeout_ns = WAIT_WITHOUT_END};

        (void)wait_for(&terms, work_on, &state);
        CB_TRY(
            turns->method.end_turn(&turns->method, 0, (double)(cb_now_ns() - start_ns), &goes_on));
    }
    return CB_OK;
}

/* The others sleep already, until the first aggressor tells them what comes next. */
static cb_status sleep_until_stopped(load_turns *turns)
{
    congest_note note;

    if (!turns->leads)
        return CB_OK;
    CB_TRY(begin_counting(turns));
    return control_await(turns->load->job, &note, sizeof(note));
}

cb_status congest_load_run(congest_load *load)
{
    const measurement_method *method = load->command->definition.method;
    load_turns turns = {.method = {.turn_ns = first_turn_ns, .end_turn = end_turn},
                        .load = load,
                        .leads = control_team_index(load->setting.team) == 0,
                        .tally.rank = control_rank(load->job)};

    if (load->command->kind == CONGEST_SLEEPS)
        CB_TRY(sleep_until_stopped(&turns));
    else if (load->command->kind == CONGEST_COMPUTES)
        CB_TRY(compute_turns(&turns));
    else if (method != NULL && method->load != NULL)
        CB_TRY(method->load(&load->setting, &turns.method));
    else
        CB_TRY(send_blocks(load, &turns));
    turns.tally.event = CONGEST_TALLY;
    return turns.leads ? tell_rank_0(load, &turns.tally) : CB_OK;
}
