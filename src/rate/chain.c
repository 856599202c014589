/* Sources issue on schedule, stages pass events on, the last stage takes the times. Before the
 * loads, the highest rate is estimated by events that are all due at once. */
#include "rate/chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/traffic.h"
#include "engine/figures.h"
#include "engine/pass.h"
#include "engine/rank.h"
#include "engine/shares.h"
#include "engine/verification.h"

enum { VERIFIED_EVENTS = 2000, FIRST_PROBE = 2, PROBED = 32 };

/* A rate at which all events are due at once. */
static const double unlimited_hz = 1e9;

/* Nothing is timed by when the wait ends: it sleeps at once, as long as it may. */
wait_terms chain_terms(const chain_run *run, uint64_t due_ns)
{
    wait_terms terms = {.manner =
                            wait_manner_of(run->base.me->factory->wait, run->base.me->factory),
                        .due_ns = due_ns,
                        .timeout_ns = WAIT_WITHOUT_END,
                        .watch = session_watch(run->base.setting->session)};

    terms.manner.awake_polls = terms.manner.sleep_part = 0;
    return terms;
}

/* Pipelines */

/* Acknowledgements that have arrived do not end the wait. */
static cb_status take_acknowledgement(void *me)
{
    cb_status status = bench_try_acknowledgement(me, &((bench_rank *)me)->peers[0]);

    return status == CB_OK ? CB_EMPTY : status;
}

static cb_status issue_events(chain_run *run, const rate_load *load, rate_schedule schedule,
                              chain_times *out)
{
    uint64_t first_ns = 0, first_due_ns = 0, due_ns = 0, now_ns = 0;
    wait_terms terms = chain_terms(run, due_ns);

    out->late_ns = fmax(0, (double)(int64_t)(cb_now_ns() - schedule.start_ns));
    for (uint64_t number = 1; number <= load->events; number++) {
        terms.due_ns = due_ns = rate_schedule_next(&schedule);
        if (cb_now_ns() < due_ns) {
            /* The technology makes progress meanwhile. */
            cb_status status = wait_for(&terms, take_acknowledgement, run->base.me);

            if (status != CB_EMPTY)
                return status;
        }
        session_leave_if_interrupted(run->base.setting->session);
        CB_TRY(run->base.actions->step(run->base.me));
        now_ns = cb_now_ns();
        if (number == 1) {
            first_ns = now_ns;
            first_due_ns = due_ns;
        }
        if (number == (load->events + 1) / 2)
            out->backlog_middle = (double)rate_schedule_overdue(&schedule, due_ns, now_ns);
    }
    out->backlog_end = (double)rate_schedule_overdue(&schedule, due_ns, now_ns);
    out->issue_span_ns = (double)(now_ns - first_ns);
    out->due_span_ns = (double)(due_ns - first_due_ns);
    return CB_OK;
}

static cb_status pass_events(chain_run *run, const rate_load *load, rate_schedule schedule,
                             chain_times *out)
{
    uint64_t first_ns = 0, now_ns = 0;

    for (uint64_t number = 1; number <= load->events; number++) {
        uint64_t due_ns = rate_schedule_next(&schedule);

        session_leave_if_interrupted(run->base.setting->session);
        CB_TRY(run->base.actions->step(run->base.me));
        if (!run->last)
            continue;
        now_ns = cb_now_ns();
        stats_histogram_record(run->latency, now_ns > due_ns ? now_ns - due_ns : 0);
        if (number == 1)
            first_ns = now_ns;
        if (number == (load->events + 1) / 2)
            out->pending_middle = (double)rate_schedule_due(&schedule, now_ns);
    }
    if (!run->last)
        return CB_OK;
    out->pending_end = (double)rate_schedule_due(&schedule, now_ns);
    out->arrival_span_ns = (double)(now_ns - first_ns);
    return CB_OK;
}

static cb_status run_pipeline(chain_run *run, const rate_load *load, rate_schedule schedule,
                              chain_times *out)
{
    return run->source ? issue_events(run, load, schedule, out)
                       : pass_events(run, load, schedule, out);
}

/* One load. The counts are those of a farm's open loop, so that the same rule tells
 * whether it is saturated: events in flight are those that are due and have not arrived. */
static cb_status run_load(rate_run *base, const rate_load *load, rate_outcome *out)
{
    chain_run *run = (chain_run *)base;
    bench_rank *me = base->me;
    engine_session *session = base->setting->session;
    chain_times times = {0};
    const budget_mark start = budget_now();
    double values[sizeof(times) / sizeof(double) + 2];
    double *used = &values[sizeof(times) / sizeof(double)];
    rate_schedule schedule;
    uint64_t start_ns;

    rank_reset(me, run->traffic);
    me->algorithm.runs = me->algorithm.elapsed_ns = 0;
    if (run->parts->before != NULL)
        CB_TRY(run->parts->before(run));
    CB_TRY(pass_agree_on_start(&session->clock, base->setting->team,
                               base->setting->oversubscribed ? 5000000 : 1000000, &start_ns));
    schedule = rate_schedule_make(load->arrivals, load->rate_hz, load->seed, start_ns);
    meters_begin(&base->row.timed);
    CB_TRY(run->parts->run(run, load, schedule, &times));
    meters_end(&base->row.timed);
    meters_count(&base->row.timed, load->events / run->base.step_events);
    if (base->actions->finish != NULL)
        CB_TRY(base->actions->finish(me));
    CB_TRY(transport_flush(me->factory));
    CB_TRY(rank_check_sum(me));
    /* Other ranks may have given up, so all go on to the sum of the counts. */
    if (run->traffic == &verification_traffic)
        return CB_OK;
    memcpy(values, &times, sizeof(times));
    used[0] = budget_used_ns(session->job->options, base->started);
    used[1] = budget_messages_ns(session->job->options, start) / (double)load->events;
    CB_TRY(control_maximum(base->setting->team, values, sizeof(values) / sizeof(values[0])));
    memcpy(&times, values, sizeof(times));
    base->elapsed_ns = used[0];
    base->messages_ns = used[1];
    row_end(session);
    CB_TRY(figures_sum_histogram(base->setting->team, run->latency));
    CB_TRY(figures_sum_delivery(base->setting, me, &base->row.delivery));
    if (run->last)
        base->row.arrived = (fragments_arrived){
            me->received.packets * bench_packed(session->job->definition, session->job->options),
            me->received.bytes, me->received.largest};
    base->row.algorithm_runs = me->algorithm.runs;
    base->row.algorithm_ns = me->algorithm.elapsed_ns;
    base->row.skew_ns = times.late_ns;
    out->destinations = base->setting->participants;
    out->tally = (rate_tally){.issued = load->events,
                              .decided = load->events,
                              .due = load->events + (uint64_t)times.backlog_end,
                              .backlog_middle = (uint64_t)times.backlog_middle,
                              .backlog_end = (uint64_t)times.backlog_end,
                              .in_flight_middle = (uint64_t)times.pending_middle,
                              .in_flight_end = (uint64_t)times.pending_end,
                              .decision_span_ns = times.arrival_span_ns,
                              .issue_span_ns = times.issue_span_ns,
                              .due_span_ns = times.due_span_ns};
    return CB_OK;
}

/* The time per event when all events are due at once. The first probes have few events, because an
 * event may take long; if they are quick, more follow whatever the starts of probes take. */
static cb_status estimate_event(chain_run *run)
{
    rate_load load = {
        .events = FIRST_PROBE, .rate_hz = unlimited_hz, .arrivals = &rate_arrivals_periodic};
    rate_outcome outcome;

    for (;;) {
        const bool few = load.events < PROBED;

        load.events = rate_whole_steps(&run->base, load.events);
        CB_TRY(run_load(&run->base, &load, &outcome));
        run->base.event_ns =
            fmax(outcome.tally.decision_span_ns / (double)(load.events - run->base.step_events), 1);
        if (outcome.tally.decision_span_ns >
                (few ? share_short_chain_probe : share_chain_probe) * run->base.limit_ns ||
            (!few && run->base.elapsed_ns > 3 * share_chain_probe * run->base.limit_ns))
            return CB_OK;
        load.events *= 4;
    }
}

/* Not counted in --max-time. */
static cb_status verify_events(chain_run *run)
{
    const double budget_ns = 0.5e9;
    const measurement_setting *setting = run->base.setting;
    const bench_traffic *traffic = run->traffic;
    const budget_mark start = budget_now();
    rate_load load = {.rate_hz = unlimited_hz, .arrivals = &rate_arrivals_periodic};
    rate_outcome outcome;
    bench_rank *me = run->base.me;
    cb_status status;

    load.events = rate_whole_steps(
        &run->base, (uint64_t)fmax(4, fmin(VERIFIED_EVENTS, budget_ns / run->base.event_ns)));
    me->verification.timeout_ns = verification_timeout_ns(
        5000000000, me->size_bytes, (uint64_t)me->window * setting->participants,
        run->base.event_ns * (double)me->window);
    run->traffic = &verification_traffic;
    status = run_load(&run->base, &load, &outcome);
    run->traffic = traffic;
    CB_TRY(
        verification_sum(setting->team, &me->verification.findings, &run->base.row.verification));
    status = control_agree(setting->team, status);
    if (status != CB_OK && run->base.root)
        verification_note(setting->session, &run->base.row.verification);
    CB_TRY(status);
    CB_TRY(rank_prepare(me));
    budget_leave_out(&run->base.started, start);
    return CB_OK;
}

/* Rows */

static void reset(rate_run *base)
{
    stats_histogram *latency = ((chain_run *)base)->latency;

    memset(latency, 0, sizeof(*latency));
}

static double latency_ns(const rate_run *base, double quantile)
{
    const stats_histogram *latency = ((const chain_run *)base)->latency;

    return latency->samples > 0 ? stats_histogram_quantile(latency, quantile) : HUGE_VAL;
}

cb_status chain_fill(const chain_run *run, const rate_outcome *outcome, report_row *row)
{
    const measurement_setting *setting = run->base.setting;
    const bench_measurement *planned = setting->planned;
    const double packets =
        (double)bench_step_packets(setting->session->job->definition,
                                   setting->session->job->options, planned->mode, planned->count);

    figures_fill_common(setting, "open", figures_arrived_share(&outcome->base.delivery) * packets,
                        chain_packet_bytes(run, outcome), &outcome->base, row);
    report_set_text(row, REPORT_ARRIVALS, setting->session->job->options->arrivals);
    rate_fill_load(outcome, row);
    if (outcome->base.delivery.lost > 0)
        report_set_text(row, REPORT_RATES_FROM, "totals");
    report_set_distribution(row, REPORT_EVENT_LATENCY_US, run->latency, 1);
    return CB_OK;
}

double chain_frequency_hz(const chain_run *run, const rate_outcome *outcome)
{
    return (double)(outcome->tally.decided - run->base.step_events) /
           outcome->tally.decision_span_ns * 1e9;
}

double chain_packet_bytes(const chain_run *run, const rate_outcome *outcome)
{
    const bench_measurement *planned = run->base.setting->planned;

    return planned->varied ? outcome->base.fragment_mean_bytes : (double)planned->size_bytes;
}

static cb_status fill_pipeline(rate_run *base, rate_outcome *outcome, report_row *row)
{
    const chain_run *run = (const chain_run *)base;
    const bench_measurement *planned = base->setting->planned;
    const double packets = (double)bench_packets_of(planned->mode->packets, planned->count);
    const double frequency_hz = chain_frequency_hz(run, outcome);
    const double size_bytes = chain_packet_bytes(run, outcome);

    CB_TRY(chain_fill(run, outcome, row));
    report_set_number(row, REPORT_FREQUENCY_HZ, frequency_hz);
    report_set_number(row, REPORT_THROUGHPUT_MBPS, packets * size_bytes * frequency_hz / 1e6);
    report_set_number(row, REPORT_ISSUED, (double)outcome->tally.issued);
    report_set_number(row, REPORT_WINDOW, base->me->window);
    return CB_OK;
}

/* The measurement */

cb_status chain_measure(const chain_method_parts *parts, const measurement_setting *setting)
{
    engine_session *session = setting->session;
    const bench_options *options = session->job->options;
    const benchmark *definition = session->job->definition;
    const bench_shape *shape = &setting->planned->shape;
    const rate_kind kind = {.counted = "packets",
                            .run_load = run_load,
                            .reset = reset,
                            .gather = parts->gather,
                            .latency_ns = latency_ns,
                            .fill = parts->fill != NULL ? parts->fill : fill_pipeline};
    chain_run run = {
        .base = {.kind = &kind, .setting = setting, .step_events = 1},
        .parts = parts,
        .traffic = fragments_traffic(options),
        .latency = cb_allocate(1, sizeof(*run.latency), "a histogram of latencies"),
    };
    cb_status status = run.latency != NULL ? rate_run_open(&run.base) : CB_ERROR_MEMORY;
    size_t stage;

    if (status != CB_OK || (status = rank_set_up(definition, run.base.me)) != CB_OK ||
        (status = control_barrier(setting->team)) != CB_OK)
        goto done;
    stage = shape->stage_count > 0 ? shape_stage(shape, run.base.me->place.self) : 0;
    run.source = stage == 0;
    run.last = stage + 1 >= shape->stage_count;
    if (definition->units != NULL)
        run.base.step_events = definition->units->scale(options, setting->planned->count).events;
    status = host_work_refined_units(&session->work_rate, setting->planned->algorithm_us,
                                     &run.base.me->algorithm.units);
    if (status != CB_OK || (status = estimate_event(&run)) != CB_OK ||
        (options->verify && (status = verify_events(&run)) != CB_OK))
        goto done;
    status = rate_measure(&run.base);
done:
    rate_run_close(&run.base, status);
    free(run.latency);
    return status;
}

static cb_status measure(void *state, const measurement_setting *setting)
{
    (void)state;
    return chain_measure(&(chain_method_parts){.run = run_pipeline}, setting);
}

static const measurement_method pipeline_at_rate = {.measure = measure,
                                                    .needs = TRANSPORT_DELIVERS | TRANSPORT_STREAM};

const measurement_method chain_method = {.plain_traffic = true,
                                         .needs = TRANSPORT_DELIVERS | TRANSPORT_STREAM,
                                         .takes = BENCH_TAKES_LOAD,
                                         .at_rate = &pipeline_at_rate};
