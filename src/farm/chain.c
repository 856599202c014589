/* Sources issue on schedule, stages pass events on, the last stage takes the times. Before the
 * loads, the highest rate is estimated by events that are all due at once. */
#include "farm/chain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/algorithm.h"
#include "engine/figures.h"
#include "engine/fragments.h"
#include "engine/measurement.h"
#include "engine/pass.h"
#include "engine/rank.h"
#include "engine/verification.h"
#include "farm/figures.h"
#include "farm/load.h"
#include "farm/search.h"

enum { VERIFIED_EVENTS = 2000, FIRST_PROBE = 2, PROBED = 32 };

/* Shares of --max-time: of a probe; of a probe of fewer than PROBED events; of a load; and at
 * least, after slow probes. */
static const double probe_share = 0.05, few_share = 0.1, open_share = FARM_OPEN_SHARE_PCT / 100.0,
                    least_share = 0.5;

/* A rate at which all events are due at once. */
static const double unlimited_hz = 1e9;

/* Equal in all participants, except what this rank does. */
typedef struct {
    const chain_kind *kind;
    chain_rank rank;
    const bench_traffic *traffic;
    bool root; /* makes the rows */
    meters meters;
    uint64_t started_ns;
    double limit_ns, elapsed_ns, event_ns; /* --max-time; so far; per event at the highest rate */
    farm_arrivals arrivals;
    uint64_t runs;
    double touch_ns;
    fragments_arrived arrived; /* at the last stage, since the last row, if sizes vary */
    double fragment_mean_bytes, fragment_largest_bytes;
    delivery_counts delivery; /* of the last load */
    verification_result verification;
} chain;

static void leave_after_signal(const chain_rank *run)
{
    if (session_signal_seen != 0)
        session_leave_if_interrupted(run->setting->session);
}

void chain_pause(const chain_rank *run, uint64_t now_ns, uint64_t due_ns)
{
    const uint64_t near_ns = 100000, longest_ns = 1000000;
    const transport_wait wait = run->me->factory->wait;

    leave_after_signal(run);
    if (wait == TRANSPORT_WAIT_BLOCK && due_ns - now_ns > near_ns)
        cb_sleep_ns((due_ns - now_ns) / 2 < longest_ns ? (due_ns - now_ns) / 2 : longest_ns);
    else if (wait != TRANSPORT_WAIT_SPIN)
        bench_yield(run->me->factory);
}

/* Pipelines */

/* Wait for a due time. The technology makes progress, and acknowledgements that have arrived are
 * taken, meanwhile. */
static cb_status wait_until_due(chain_rank *run, uint64_t due_ns)
{
    uint64_t now_ns;

    while ((now_ns = cb_now_ns()) < due_ns) {
        cb_status status = bench_try_acknowledgement(run->me, &run->me->peers[0]);

        if (status != CB_OK && status != CB_EMPTY)
            return status;
        chain_pause(run, now_ns, due_ns);
    }
    return CB_OK;
}

static cb_status issue_events(chain_rank *run, const chain_load *load, farm_schedule schedule,
                              chain_times *out)
{
    uint64_t first_ns = 0, first_due_ns = 0, due_ns = 0, now_ns = 0;

    out->late_ns = fmax(0, (double)(int64_t)(cb_now_ns() - schedule.start_ns));
    for (uint64_t number = 1; number <= load->events; number++) {
        due_ns = farm_schedule_next(&schedule);
        CB_TRY(wait_until_due(run, due_ns));
        leave_after_signal(run);
        CB_TRY(run->actions->step(run->me));
        now_ns = cb_now_ns();
        if (number == 1) {
            first_ns = now_ns;
            first_due_ns = due_ns;
        }
        if (number == (load->events + 1) / 2)
            out->backlog_middle = (double)farm_schedule_overdue(&schedule, due_ns, now_ns);
    }
    out->backlog_end = (double)farm_schedule_overdue(&schedule, due_ns, now_ns);
    out->issue_span_ns = (double)(now_ns - first_ns);
    out->due_span_ns = (double)(due_ns - first_due_ns);
    return CB_OK;
}

static cb_status pass_events(chain_rank *run, const chain_load *load, farm_schedule schedule,
                             chain_times *out)
{
    uint64_t first_ns = 0, now_ns = 0;

    for (uint64_t number = 1; number <= load->events; number++) {
        uint64_t due_ns = farm_schedule_next(&schedule);

        leave_after_signal(run);
        CB_TRY(run->actions->step(run->me));
        if (!run->last)
            continue;
        now_ns = cb_now_ns();
        stats_histogram_record(run->latency, now_ns > due_ns ? now_ns - due_ns : 0);
        if (number == 1)
            first_ns = now_ns;
        if (number == (load->events + 1) / 2)
            out->pending_middle = (double)farm_schedule_due(&schedule, now_ns);
    }
    if (!run->last)
        return CB_OK;
    out->pending_end = (double)farm_schedule_due(&schedule, now_ns);
    out->arrival_span_ns = (double)(now_ns - first_ns);
    return CB_OK;
}

static cb_status run_pipeline(chain_rank *run, const chain_load *load, farm_schedule schedule,
                              chain_times *out)
{
    return run->source ? issue_events(run, load, schedule, out)
                       : pass_events(run, load, schedule, out);
}

static const chain_kind pipeline = {.run = run_pipeline};

/* A common start in the near future, on this rank's clock. */
static cb_status agree_on_start(const chain_rank *run, uint64_t *local_ns)
{
    const control_clock *clock = &run->setting->session->clock;
    const uint64_t ahead_ns = run->setting->oversubscribed ? 5000000 : 1000000;
    uint64_t start_ns;

    CB_TRY(control_barrier(run->setting->team));
    start_ns = control_clock_reference(clock, cb_now_ns()) + ahead_ns;
    CB_TRY(control_broadcast(run->setting->team, &start_ns, sizeof(start_ns)));
    *local_ns = control_clock_local(clock, start_ns);
    return CB_OK;
}

/* Fragments in a message. */
static size_t packed_in(const chain *run)
{
    const engine_session *session = run->rank.setting->session;

    return bench_packed(session->definition, session->options);
}

/* The next whole number of steps, and at least some, since figures are those after the first. */
static uint64_t whole_steps(const chain *run, uint64_t events)
{
    const uint64_t each = run->rank.step_events, least = 4;
    const uint64_t steps = (events + each - 1) / each;

    return each == 1 || steps >= least ? steps * each : least * each;
}

static cb_status run_load(chain *run, const chain_load *load, chain_times *out)
{
    double values[sizeof(*out) / sizeof(double) + 1];
    bench_rank *me = run->rank.me;
    farm_schedule schedule;
    uint64_t start_ns;

    *out = (chain_times){0};
    rank_reset(me, run->traffic);
    CB_TRY(agree_on_start(&run->rank, &start_ns));
    schedule = farm_schedule_make(load->arrivals, load->rate_hz, load->seed, start_ns);
    meters_begin(&run->meters);
    CB_TRY(run->kind->run(&run->rank, load, schedule, out));
    meters_end(&run->meters);
    meters_count(&run->meters, load->events / run->rank.step_events);
    CB_TRY(run->rank.actions->finish(me));
    CB_TRY(transport_flush(me->factory));
    CB_TRY(rank_check_sum(me));
    if (run->rank.last)
        run->arrived = (fragments_arrived){me->received.packets * packed_in(run),
                                           me->received.bytes, me->received.largest};
    /* Other ranks may have given up, so all go on to the sum of the counts. */
    if (run->traffic == &verification_traffic)
        return CB_OK;
    memcpy(values, out, sizeof(*out));
    values[sizeof(*out) / sizeof(double)] = (double)(cb_now_ns() - run->started_ns);
    CB_TRY(control_maximum(run->rank.setting->team, values, sizeof(values) / sizeof(values[0])));
    memcpy(out, values, sizeof(*out));
    run->elapsed_ns = values[sizeof(*out) / sizeof(double)];
    return CB_OK;
}

/* The time per event when all events are due at once. The first probes have few events, because an
 * event may take long; if they are quick, more follow whatever the starts of probes take. */
static cb_status probe(chain *run)
{
    chain_load load = {
        .events = FIRST_PROBE, .rate_hz = unlimited_hz, .arrivals = &farm_arrivals_periodic};
    chain_times times;

    for (;;) {
        const bool few = load.events < PROBED;

        load.events = whole_steps(run, load.events);
        CB_TRY(run_load(run, &load, &times));
        run->event_ns =
            fmax(times.arrival_span_ns / (double)(load.events - run->rank.step_events), 1);
        if (times.arrival_span_ns > (few ? few_share : probe_share) * run->limit_ns ||
            (!few && run->elapsed_ns > 3 * probe_share * run->limit_ns))
            return CB_OK;
        load.events *= 4;
    }
}

/* Not counted in --max-time. */
static cb_status verify(chain *run)
{
    const double budget_ns = 0.5e9;
    const bench_traffic *traffic = run->traffic;
    const uint64_t start_ns = cb_now_ns();
    chain_load load = {.rate_hz = unlimited_hz, .arrivals = &farm_arrivals_periodic};
    chain_times times;
    bench_rank *me = run->rank.me;
    cb_status status;

    load.events =
        whole_steps(run, (uint64_t)fmax(4, fmin(VERIFIED_EVENTS, budget_ns / run->event_ns)));
    me->verification.timeout_ns = verification_timeout_ns(
        5000000000, me->size_bytes, (uint64_t)me->window * run->rank.setting->participants,
        run->event_ns * (double)me->window);
    run->traffic = &verification_traffic;
    status = run_load(run, &load, &times);
    run->traffic = traffic;
    CB_TRY(
        verification_sum(run->rank.setting->team, &me->verification.findings, &run->verification));
    status = control_agree(run->rank.setting->team, status);
    if (status != CB_OK && run->root)
        verification_note(run->rank.setting->session, &run->verification);
    CB_TRY(status);
    CB_TRY(rank_prepare(me));
    run->started_ns += cb_now_ns() - start_ns;
    return CB_OK;
}

/* One load */

/* The accounts of a load in the terms of a farm's open loop, so that the same rule tells whether it
 * is saturated: events in flight are those that are due and have not arrived. */
static farm_outcome outcome_of(const chain *run, const chain_load *load, const chain_times *times)
{
    return (farm_outcome){.open = true,
                          .offered_hz = load->rate_hz,
                          .destinations = run->rank.setting->participants,
                          .tally = {.issued = load->events,
                                    .decided = load->events,
                                    .due = load->events + (uint64_t)times->backlog_end,
                                    .backlog_middle = (uint64_t)times->backlog_middle,
                                    .backlog_end = (uint64_t)times->backlog_end,
                                    .in_flight_middle = (uint64_t)times->pending_middle,
                                    .in_flight_end = (uint64_t)times->pending_end,
                                    .decision_span_ns = times->arrival_span_ns,
                                    .issue_span_ns = times->issue_span_ns,
                                    .due_span_ns = times->due_span_ns},
                          .skew_ns = times->late_ns};
}

static cb_status run_at(chain *run, double rate_hz, double time_ns, uint64_t least,
                        farm_outcome *out)
{
    const bench_options *options = run->rank.setting->session->options;
    const chain_load load = {.events =
                                 whole_steps(run, farm_load_events(&run->arrivals, rate_hz,
                                                                   run->event_ns, time_ns, least)),
                             .rate_hz = rate_hz,
                             .arrivals = &run->arrivals,
                             .seed = options->seed + run->runs++};
    chain_times times;

    memset(run->rank.latency, 0, sizeof(*run->rank.latency));
    meters_reset(&run->meters);
    counting_begin(&run->rank.setting->session->counting, run->rank.setting->session->technology);
    run->rank.me->algorithm.runs = run->rank.me->algorithm.elapsed_ns = 0;
    CB_TRY(run_load(run, &load, &times));
    counting_end(&run->rank.setting->session->counting, run->rank.setting->session->technology);
    CB_TRY(figures_sum_histogram(run->rank.setting->team, run->rank.latency));
    CB_TRY(figures_sum_delivery(run->rank.setting, run->rank.me, &run->delivery));
    *out = outcome_of(run, &load, &times);
    return CB_OK;
}

static void fill_row(chain *run, const farm_outcome *outcome, report_row *row)
{
    const bench_measurement *planned = run->rank.setting->planned;
    const farm_tally *tally = &outcome->tally;
    const benchmark *definition = run->rank.setting->session->definition;
    const bench_options *options = run->rank.setting->session->options;
    const double events = (double)(tally->decided - run->rank.step_events);
    const double frequency_hz = events / tally->decision_span_ns * 1e9;
    const double size_bytes =
        planned->varied ? run->fragment_mean_bytes : (double)planned->size_bytes;
    const size_t packets = bench_step_packets(definition, options, planned->mode, planned->count);
    const figures_common common = {.mode = "open",
                                   .skew_ns = outcome->skew_ns,
                                   .touch_ns = run->touch_ns,
                                   .algorithm_true_us = outcome->algorithm_true_us,
                                   .verification = &run->verification,
                                   .counters = &outcome->counters,
                                   .messages =
                                       figures_arrived_share(&run->delivery) * (double)packets,
                                   .message_bytes = size_bytes};

    figures_fill_common(run->rank.setting, &common, row);
    report_set_text(row, REPORT_ARRIVALS, run->rank.setting->session->options->arrivals);
    farm_fill_load(outcome, row);
    if (run->delivery.lost > 0)
        report_set_text(row, REPORT_RATES_FROM, "totals");
    if (definition->units != NULL) {
        const bench_scale scale = definition->units->scale(options, planned->count);
        const double arrived = figures_arrived_share(&run->delivery);
        const double whole =
            report_row_number(row, REPORT_COMPLETE, "") / report_row_number(row, REPORT_ISSUED, "");

        figures_fill_units(&scale, size_bytes, 1e6 * (double)scale.events / frequency_hz, arrived,
                           whole, row);
    } else {
        report_set_number(row, REPORT_FREQUENCY_HZ, frequency_hz);
        report_set_number(row, REPORT_THROUGHPUT_MBPS,
                          (double)packets * size_bytes * frequency_hz / 1e6);
    }
    figures_fill_fragments(planned, run->fragment_mean_bytes, run->fragment_largest_bytes, row);
    report_set_distribution(row, REPORT_EVENT_LATENCY_US, run->rank.latency, 1);
    if (run->kind != &pipeline)
        return;
    report_set_number(row, REPORT_ISSUED, (double)tally->issued);
    report_set_number(row, REPORT_WINDOW, run->rank.me->window);
}

static cb_status add_row(chain *run, farm_outcome *outcome)
{
    engine_session *session = run->rank.setting->session;
    control_team *team = run->rank.setting->team;
    report_row row = {.broken = false};
    cb_status status;

    CB_TRY(algorithm_mean_us(team, run->rank.me->algorithm.elapsed_ns, run->rank.me->algorithm.runs,
                             &outcome->algorithm_true_us));
    CB_TRY(counting_gather(&session->counting, session->technology, team, &outcome->counters));
    if (run->rank.setting->planned->varied)
        CB_TRY(fragments_summarize(team, run->arrived, &run->fragment_mean_bytes,
                                   &run->fragment_largest_bytes));
    CB_TRY(meters_report(&run->meters, team, run->root ? &row : NULL));
    if (run->kind->fill != NULL)
        CB_TRY(run->kind->fill(&run->rank, team, run->root ? &row : NULL));
    if (!run->root)
        return CB_OK;
    verification_note(session, &run->verification);
    if (figures_nothing_arrived(&run->delivery)) {
        status = figures_refuse(run->rank.setting, "packets", run->delivery.lost);
    } else {
        fill_row(run, outcome, &row);
        status = report_add(session->document, &row);
    }
    run->verification.done = false;
    report_row_clear(&row);
    return status;
}

static cb_status measure_rate(chain *run, double rate_hz, double time_ns)
{
    farm_outcome outcome;

    if (!farm_load_fits(&run->arrivals, rate_hz, run->limit_ns) ||
        (double)whole_steps(run, 1) * 1e9 / rate_hz > run->limit_ns) {
        if (run->root)
            cb_warning("the rate %g Hz is left out: the period of --arrivals, or the fewest events "
                       "of a run, take longer than --max-time there; use a longer --max-time, or "
                       "higher rates",
                       rate_hz);
        return CB_OK;
    }
    CB_TRY(run_at(run, rate_hz, time_ns, FARM_OPEN_EVENTS, &outcome));
    return add_row(run, &outcome);
}

static cb_status measure_curve(chain *run, const char *text)
{
    farm_load_point points[FARM_LOAD_POINTS];
    size_t count;

    CB_TRY(farm_load_parse(farm_load_curve(text), points, &count));
    for (size_t i = 0; i < count; i++)
        CB_TRY(measure_rate(run, farm_load_rate_hz(&points[i], run->event_ns),
                            open_share * run->limit_ns));
    return CB_OK;
}

/* The search for the highest rate */

typedef struct {
    chain *run;
    double quantile, deadline_ns, reached_ns;
    farm_search search;
} rate_search;

/* A rate holds if the pipeline is not saturated, nothing is lost, and the quantile is within the
 * deadline. */
static cb_status try_rate(void *context, double rate_hz, farm_trial *out)
{
    rate_search *rates = context;
    chain *run = rates->run;
    farm_outcome outcome;

    CB_TRY(
        run_at(run, rate_hz, farm_search_trial_ns(&rates->search), rates->search.events, &outcome));
    *out = (farm_trial){.now_ns = run->elapsed_ns};
    if (run->root) {
        rates->reached_ns = stats_histogram_quantile(run->rank.latency, rates->quantile);
        out->holds = !farm_saturated(&outcome) && run->delivery.lost == 0 &&
                     rates->reached_ns <= rates->deadline_ns;
    }
    return control_broadcast(run->rank.setting->team, &out->holds, sizeof(out->holds));
}

static void explain_failure(const rate_search *rates, char *why, size_t size)
{
    const bench_options *options = rates->run->rank.setting->session->options;

    if (rates->search.out_of_time)
        snprintf(why, size,
                 "no rate was confirmed in %.3g s, the time limit of this search; use a longer "
                 "--max-time, or a lower --quantile",
                 farm_search_limit_ns(&rates->search) / 1e9);
    else if (rates->reached_ns > rates->deadline_ns)
        snprintf(why, size,
                 "%s of the last trial was %.1f us; use a --deadline-us above %g, a lower "
                 "--quantile, or a longer --max-time",
                 options->quantile, rates->reached_ns / 1e3, options->deadline_us);
    else
        snprintf(why, size,
                 "no rate holds in all of its trials below one that holds in none (%s of the last "
                 "trial was %.1f us): the pipeline did not keep the schedule, or other work used "
                 "the machine; use a longer --max-time",
                 options->quantile, rates->reached_ns / 1e3);
}

/* Report a search without result in the document; the run fails after all else is measured. */
static cb_status report_failed_search(const rate_search *rates)
{
    const measurement_setting *setting = rates->run->rank.setting;
    char what[160], why[320];

    if (!rates->run->root)
        return CB_OK;
    if (setting->planned->topology[0] != '\0')
        snprintf(what, sizeof(what), "--find-rate at %zu bytes, topology %s, algorithm %g us",
                 setting->planned->size_bytes, setting->planned->topology,
                 setting->planned->algorithm_us);
    else
        snprintf(what, sizeof(what), "--find-rate at %zu bytes, %zu processors",
                 setting->planned->size_bytes, setting->participants);
    explain_failure(rates, why, sizeof(why));
    cb_error("%s: %s", what, why);
    setting->session->verdict.search_failed = true;
    return report_skip(setting->session->document, what, why);
}

static cb_status find_rate(chain *run)
{
    const bench_options *options = run->rank.setting->session->options;
    const double quantile = farm_quantile(options->quantile);
    rate_search rates = {
        .run = run, .quantile = quantile, .deadline_ns = options->deadline_us * 1e3};
    farm_found found = {.repeats = 0};
    farm_outcome outcome;

    rates.search = (farm_search){
        .try_rate = try_rate,
        .context = &rates,
        .limit_ns = run->limit_ns,
        .event_ns = run->event_ns,
        .events = farm_arrivals_events(&run->arrivals, 0, farm_search_events(quantile)),
        .now_ns = run->elapsed_ns};
    CB_TRY(farm_search_highest(&rates.search, &found));
    if (found.repeats == 0)
        return report_failed_search(&rates);
    CB_TRY(run_at(run, found.rate_hz, run->limit_ns / 2, rates.search.events, &outcome));
    outcome.found = found;
    return add_row(run, &outcome);
}

/* The measurement */

static cb_status set_up(chain *run)
{
    const measurement_setting *setting = run->rank.setting;
    engine_session *session = setting->session;
    const rank_setting place = {.definition = session->definition,
                                .options = session->options,
                                .measurement = setting->planned,
                                .ranks = setting->ranks,
                                .participants = setting->participants,
                                .cache_bytes = session->machines.cache_bytes};
    const bench_shape *shape = &setting->planned->shape;
    chain_rank *rank = &run->rank;
    size_t stage;

    rank->latency = cb_allocate(1, sizeof(*rank->latency), "a histogram of latencies");
    if (rank->latency == NULL)
        return CB_ERROR_MEMORY;
    CB_TRY(farm_arrivals_parse(session->options->arrivals, &run->arrivals));
    CB_TRY(farm_load_agree(run->rank.setting->team, &run->arrivals));
    CB_TRY(rank_create(&place, session->technology, &rank->me, &rank->actions));
    CB_TRY(rank_set_up(session->definition, rank->me));
    CB_TRY(control_barrier(setting->team));
    stage = shape->stage_count > 0 ? shape_stage(shape, rank->me->place.self) : 0;
    rank->source = stage == 0;
    rank->last = stage + 1 >= shape->stage_count;
    rank->step_events =
        session->definition->units != NULL
            ? session->definition->units->scale(session->options, setting->planned->count).events
            : 1;
    if (run->root && traffic_touches(run->traffic))
        run->touch_ns = harness_touch_ns(plan_typical_bytes(setting->planned));
    return algorithm_units(&session->work_rate, setting->planned->algorithm_us,
                           &rank->me->algorithm.units);
}

static cb_status run_loads(chain *run)
{
    const bench_options *options = run->rank.setting->session->options;

    CB_TRY(probe(run));
    if (options->verify)
        CB_TRY(verify(run));
    if (options->rate_hz > 0)
        return measure_rate(run, options->rate_hz,
                            fmax(run->limit_ns - run->elapsed_ns, least_share * run->limit_ns));
    return options->load_curve != NULL ? measure_curve(run, options->load_curve) : find_rate(run);
}

cb_status chain_measure(const chain_kind *kind, const measurement_setting *setting)
{
    const bench_options *options = setting->session->options;
    chain run = {.kind = kind,
                 .rank = {.setting = setting},
                 .traffic = fragments_traffic(options),
                 .root = control_team_index(setting->team) == 0,
                 .started_ns = cb_now_ns(),
                 .limit_ns = options->max_time_s * 1e9,
                 .touch_ns = -1};
    cb_status status = set_up(&run);

    if (status == CB_OK)
        status = run_loads(&run);
    /* After a failure this rank ends the job. Destroying a group is collective and could block it.
     */
    if (status == CB_OK || !setting->planned->own_multicast)
        rank_destroy(setting->session->definition, run.rank.me);
    farm_arrivals_free(&run.arrivals);
    free(run.rank.latency);
    return status;
}

static cb_status measure(void *state, const measurement_setting *setting)
{
    (void)state;
    return chain_measure(&pipeline, setting);
}

static const char *obstacle(const bench_options *options, const bench_measurement *planned,
                            unsigned capabilities)
{
    const unsigned stream = TRANSPORT_ORDERED | TRANSPORT_RELIABLE;

    (void)options;
    (void)planned;
    if ((capabilities & TRANSPORT_DELIVERS) == 0)
        return "the technology delivers no messages, which a farm needs";
    if ((capabilities & stream) != stream)
        return "packets of a pipeline carry no event number, so they need a reliable technology "
               "that keeps order";
    return NULL;
}

const measurement_method chain_closed_method = {.plain_traffic = true, .obstacle = obstacle};
const measurement_method chain_method = {.measure = measure, .obstacle = obstacle};
