/* After the plain passes, a pass in which builders read the clock at each event. No rank waits for
 * another in it but by the schedule, so that rates and shares show who is served better. With
 * --timeline one more pass is recorded. */
#include "evb/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/figures.h"
#include "engine/measurement.h"
#include "engine/shares.h"
#include "evb/schedules.h"
#include "evb/unit.h"
#include "rate/chain.h"
#include "timeline/write.h"

enum { TURNS_LEAST = 4, TURNS_MOST = 20000 };

/* What rank 0 reports; equal in all participants. */
typedef struct {
    stats_histogram latency;
    double builder_fairness, source_fairness; /* negative: not measured */
    uint64_t account[4];                      /* as evb_account, of all builders */
} evb_found;

typedef struct {
    evb_found found;
    timeline_recording recording;
} evb_state;

static cb_status open_state(engine_session *session, void **out)
{
    evb_state *state = cb_allocate(1, sizeof(*state), "the figures of event building");

    if (state == NULL)
        return CB_ERROR_MEMORY;
    *out = state;
    return timeline_recording_open(session, &state->recording);
}

static void close_state(void *closed)
{
    evb_state *state = closed;

    if (state == NULL)
        return;
    timeline_recording_close(&state->recording);
    free(state);
}

/* Jain's index of n values: 1 if they are equal, 1 / n if one has all. */
static double jain_index(const double *values, size_t count)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < count; i++) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    return squares > 0 ? sum * sum / ((double)count * squares) : -1;
}

/* Index of the sum of an array with a slot per unit, of which each rank fills some. */
static cb_status index_of_sum(control_team *team, uint64_t *values, size_t units, double *out)
{
    double *shares = cb_allocate(units, sizeof(*shares), "the shares of units");
    cb_status status;

    if (shares == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY_TO(done, status = control_sum(team, values, units));
    for (size_t i = 0; i < units; i++)
        shares[i] = (double)values[i];
    *out = jain_index(shares, units);
done:
    free(shares);
    return status;
}

/* Rates of builders, in events per 1000 s so that whole numbers can be summed; and messages by
 * source. */
static cb_status compare_units(measurement_passes *run, const evb_unit *unit, uint64_t turns,
                               uint64_t start_ns, evb_found *found)
{
    control_team *team = run->pass.team;
    uint64_t *values = cb_allocate(unit->units, sizeof(*values), "the shares of units");
    cb_status status;

    if (values == NULL)
        return CB_ERROR_MEMORY;
    if (unit->builds && unit->last_ns > start_ns)
        values[unit->index] =
            (uint64_t)(1e12 * (double)(turns * unit->pack) / (double)(unit->last_ns - start_ns));
    CB_TRY_TO(done, status = index_of_sum(team, values, unit->units, &found->builder_fairness));
    memset(values, 0, unit->units * sizeof(*values));
    for (size_t source = 0; unit->builds && source < unit->units; source++)
        if (!unit->folded || source != unit->index)
            values[source] = unit->peers[evb_readout(run->pass.me, source)].share;
    status = index_of_sum(team, values, unit->units, &found->source_fairness);
done:
    free(values);
    return status;
}

static cb_status time_events(measurement_passes *run, evb_found *found)
{
    pass_context *pass = &run->pass;
    evb_unit *unit = evb_of(pass->me);
    double elapsed_ns = budget_used_ns(pass->session->job->options, pass->started);
    double step_ns = fmax(run->step_ns, pace_slowest_ns(&pass->pace));
    uint64_t turns, start_ns;

    memset(found, 0, sizeof(*found));
    CB_TRY(control_maximum(pass->team, &elapsed_ns, 1));
    turns = (uint64_t)fmin(
        TURNS_MOST,
        fmax(TURNS_LEAST, (pass->limit_ns * share_latencies_end - elapsed_ns) / step_ns));
    CB_TRY(control_barrier(pass->team));
    unit->latency = unit->builds ? &found->latency : NULL;
    unit->share_turns = turns;
    unit->share_complete = false;
    for (size_t i = 0; i < pass->me->peer_count; i++)
        unit->peers[i].share = 0;
    start_ns = cb_now_ns();
    CB_TRY(pass_run(pass, &(pass_plan){run->traffic, .steps = turns}));
    unit->latency = NULL;
    unit->share_turns = 0;
    CB_TRY(compare_units(run, unit, turns, start_ns, found));
    return figures_sum_histogram(pass->team, &found->latency);
}

static void fill_conditions(const measurement_setting *setting, report_row *row)
{
    const evb_options *own = (const void *)setting->session->job->options->own;

    report_set_text(row, REPORT_SCHEDULE, own->schedule);
    report_set_text(row, REPORT_FOLDING, own->folding);
    report_set_number(row, REPORT_PACK, (double)own->pack);
}

/* Sum the accounts of builders over the team. */
static cb_status sum_accounts(control_team *team, const evb_account *account, uint64_t out[4])
{
    out[0] = account->issued;
    out[1] = account->complete;
    out[2] = account->lost;
    out[3] = account->incomplete;
    return control_sum(team, out, 4);
}

static void fill_account(const uint64_t account[4], report_row *row)
{
    report_set_number(row, REPORT_ISSUED, (double)account[0]);
    report_set_number(row, REPORT_COMPLETE, (double)account[1]);
    report_set_number(row, REPORT_LOST, (double)account[2]);
    report_set_number(row, REPORT_INCOMPLETE, (double)account[3]);
}

/* Timeline: messages with fragments, except those of the own readout */

/* The entries of rank 0's memory allow fewer than a measurement of many units may ask for. */
static uint64_t recorded_events(const measurement_passes *run, const evb_unit *unit)
{
    const double of_turn = (double)unit->units * (double)unit->pack;
    const double asked = (double)timeline_events_wanted(run->setting->session->job->options);
    const double in_time = fmax(1, floor(run->pass.limit_ns / fmax(run->step_ns, 1))) * of_turn;
    const double in_memory = TIMELINE_ENTRIES / (2 * (double)unit->units) * (double)unit->pack;

    return (uint64_t)fmin(asked, fmin(in_time, in_memory));
}

static cb_status try_turns(void *context, timeline_recorder *recorder, double *elapsed_ns)
{
    measurement_passes *run = context;
    const uint64_t start_ns = cb_now_ns();
    evb_unit *unit = evb_of(run->pass.me);
    const double fitting = ceil(run->pass.limit_ns * share_timeline_trial / fmax(run->step_ns, 1));
    cb_status status;

    unit->timeline = recorder;
    status = pass_run(&run->pass, &(pass_plan){run->traffic, .steps = (uint64_t)fmax(fitting, 1)});
    unit->timeline = NULL;
    *elapsed_ns = (double)(cb_now_ns() - start_ns);
    return status;
}

/* Another turn follows those that are recorded, so that these run under full load to their end. */
static cb_status record_timeline(measurement_passes *run, timeline_recording *recording)
{
    evb_unit *unit = evb_of(run->pass.me);
    const uint64_t of_turn = unit->units * unit->pack;
    uint64_t turns;
    cb_status status;

    if (!recording->due)
        return CB_OK;
    recording->events = recorded_events(run, unit);
    turns = (recording->events + of_turn - 1) / of_turn;
    CB_TRY(timeline_create(turns * 2 * unit->units, &recording->recorder));
    CB_TRY(timeline_find_cost(recording, try_turns, run));
    timeline_restart(recording->recorder, evb_event(unit, unit->opened, 0), recording->events);
    unit->timeline = recording->recorder;
    status = pass_run(&run->pass, &(pass_plan){run->traffic, .steps = turns + 1});
    unit->timeline = NULL;
    return status;
}

static cb_status write_timeline(void *made, engine_session *session,
                                const bench_measurement *planned)
{
    static const timeline_words folded = {
        .roles = {"node"}, .sends = {{{"send", "send", "fragment"}}}, .takes = {{"take fragment"}}};
    static const timeline_words unfolded = {
        .roles = {"readout", "builder"},
        .sends = {{{NULL, NULL, NULL}, {"send", "send", "fragment"}}},
        .takes = {{NULL, "take fragment"}}};
    evb_state *state = made;
    const evb_options *own = (const void *)session->job->options->own;
    const bool is_folded = evb_is_folded(session->job->options);
    const size_t units = evb_units(session->job->options, planned->count);
    const bench_shape shape = {.stages = {units, is_folded ? 0 : units},
                               .stage_count = is_folded ? 1 : 2};
    const report_fact facts[] = {
        {.key = "benchmark", .text = session->job->definition->name},
        {.key = "technology", .text = session->job->options->technology},
        {.key = "mode", .text = planned->mode->name},
        {.key = "schedule", .text = own->schedule},
        {.key = "folding", .text = own->folding},
        {.key = "units", .number = (double)units},
        {.key = "pack", .number = (double)own->pack},
        {.key = "size_bytes", .number = (double)planned->size_bytes},
    };

    if (!state->recording.due)
        return CB_OK;
    return timeline_write(session,
                          &(timeline_content){.shape = &shape,
                                              .words = is_folded ? &folded : &unfolded,
                                              .about = facts,
                                              .about_count = sizeof(facts) / sizeof(facts[0])},
                          &state->recording);
}

static cb_status after_passes(void *made, measurement_passes *run)
{
    evb_state *state = made;

    CB_TRY(time_events(run, &state->found));
    CB_TRY(sum_accounts(run->pass.team, &evb_of(run->pass.me)->account, state->found.account));
    if (state->found.account[0] > 0)
        run->out.whole_share = (double)state->found.account[1] / (double)state->found.account[0];
    return record_timeline(run, &state->recording);
}

static void fill_row(const void *state, const measurement_setting *setting, report_row *row)
{
    const evb_found *found = &((const evb_state *)state)->found;

    fill_conditions(setting, row);
    if (found->latency.samples > 0)
        report_set_distribution(row, REPORT_EVENT_LATENCY_US, &found->latency, 1);
    fill_account(found->account, row);
    if (found->builder_fairness > 0)
        report_set_number(row, REPORT_BUILDER_FAIRNESS, found->builder_fairness);
    if (found->source_fairness > 0)
        report_set_number(row, REPORT_SOURCE_FAIRNESS, found->source_fairness);
}

/* At a rate */

static cb_status clear_account(chain_run *run)
{
    evb_of(run->base.me)->account = (evb_account){0};
    return CB_OK;
}

/* Begin each turn when its last event is due. All turns that have begun are complete before a wait,
 * so no message is handled late by it. */
static cb_status run_turns(chain_run *run, const rate_load *load, rate_schedule schedule,
                           chain_times *out)
{
    bench_rank *me = run->base.me;
    evb_unit *unit = evb_of(me);
    const uint64_t turns = load->events / run->base.step_events, middle = (turns + 1) / 2;
    evb_due due = {.schedule = schedule, .middle = middle};
    uint64_t first_ns = 0, first_due_ns = 0, due_ns = 0, now_ns = 0;
    wait_terms terms = chain_terms(run, due_ns);
    cb_status status;

    if (unit->builds) {
        unit->latency = run->latency;
        unit->due = &due;
    }
    out->late_ns = fmax(0, (double)(int64_t)(cb_now_ns() - schedule.start_ns));
    for (uint64_t turn = 1; turn <= turns; turn++) {
        for (uint64_t event = 0; event < run->base.step_events; event++)
            due_ns = rate_schedule_next(&schedule);
        terms.due_ns = due_ns;
        if (cb_now_ns() < due_ns)
            CB_TRY_TO(done, status = evb_complete_turns(me));
        wait_until(&terms);
        now_ns = cb_now_ns();
        if (turn == 1) {
            first_ns = now_ns;
            first_due_ns = due_ns;
        }
        if (turn == middle)
            out->backlog_middle = (double)rate_schedule_overdue(&schedule, due_ns, now_ns);
        wait_yield(&terms); /* late turns as well */
        CB_TRY_TO(done, status = evb_run_turn(me));
    }
    out->backlog_end = (double)rate_schedule_overdue(&schedule, due_ns, now_ns);
    out->issue_span_ns = (double)(now_ns - first_ns);
    out->due_span_ns = (double)(due_ns - first_due_ns);
    status = evb_complete_turns(me);
    if (unit->builds) {
        out->pending_middle = due.pending_middle;
        out->pending_end = (double)rate_schedule_due(&due.schedule, unit->last_ns);
        out->arrival_span_ns = (double)(unit->last_ns - due.first_ns);
    }
done:
    unit->latency = NULL;
    unit->due = NULL;
    return status;
}

static cb_status gather_at_rate(rate_run *base)
{
    evb_unit *unit = evb_of(base->me);

    return sum_accounts(base->setting->team, &unit->account, unit->accounts);
}

static cb_status fill_at_rate(rate_run *base, rate_outcome *outcome, report_row *row)
{
    const chain_run *run = (const chain_run *)base;
    const uint64_t *account = evb_of(base->me)->accounts;
    const engine_session *session = base->setting->session;
    const bench_scale scale = session->job->definition->units->scale(session->job->options,
                                                                     base->setting->planned->count);
    const double size_bytes = chain_packet_bytes(run, outcome);
    const double step_us = 1e6 * (double)scale.events / chain_frequency_hz(run, outcome);
    const double arrived = figures_arrived_share(&outcome->base.delivery);

    CB_TRY(chain_fill(run, outcome, row));
    fill_conditions(base->setting, row);
    fill_account(account, row);
    figures_fill_units(&scale, size_bytes, step_us, arrived,
                       (double)account[1] / (double)account[0], row);
    return CB_OK;
}

static cb_status measure_at_rate(void *state, const measurement_setting *setting)
{
    static const chain_method_parts parts = {
        .before = clear_account, .run = run_turns, .gather = gather_at_rate, .fill = fill_at_rate};

    (void)state;
    return chain_measure(&parts, setting);
}

static const measurement_method at_rate = {.several_unanswered = true,
                                           .control_message_bytes = EVB_CONTROL_BYTES,
                                           .measure = measure_at_rate,
                                           .needs = TRANSPORT_DELIVERS,
                                           .obstacle = evb_obstacle};

const measurement_method evb_method = {
    .several_unanswered = true,
    .no_harness = true,
    .control_message_bytes = EVB_CONTROL_BYTES,
    .open = open_state,
    .close = close_state,
    .timed_traces = true,
    .takes = BENCH_TAKES_LOAD | BENCH_TAKES_TIMELINE,
    .at_rate = &at_rate,
    .check = evb_check,
    .needs = TRANSPORT_DELIVERS,
    .obstacle = evb_obstacle,
    .after_passes = after_passes,
    .fill_row = fill_row,
    .conclude = write_timeline,
};
