/* The measurement of a farm.
 *
 * First it finds the time per event and the best number of events in flight. Then come
 * verification, the closed loop's row, open loops and, once per run, the timeline.
 *
 * The supervisor decides; the other ranks learn the decision between two runs, and agree on the
 * numbers of events before a run starts. */
#include "farm/passes.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/traffic.h"
#include "engine/measurement.h"
#include "engine/rank.h"
#include "engine/shares.h"
#include "engine/verification.h"
#include "rate/load.h"
#include "farm/options.h"
#include "report/trace.h"
#include "stats/stats.h"
#include "timeline/write.h"

enum {
    VERIFIED_EVENTS = 2000,
    IN_FLIGHT_EACH = 16, /* events per destination at which the search ends */
    SEARCHED = 5
};

static cb_status run_closed(farm_run *run, uint64_t in_flight, uint64_t events, rate_tally *tally)
{
    return farm_run_load(run, (farm_load){.events = events, .in_flight = in_flight}, tally);
}

/* Time per event, and number of events in flight */

/* Probe with at most as many events in flight as the search would try, so that it is short. */
static cb_status probe(farm_run *run, uint64_t *probed_events)
{
    uint64_t most = IN_FLIGHT_EACH * farm_destinations(run);
    uint64_t in_flight = farm_destinations(run);
    uint64_t events;
    rate_tally tally;

    if (run->in_flight > 0)
        in_flight = run->in_flight < most ? run->in_flight : most;
    events = 2 * in_flight;
    for (;;) {
        CB_TRY(run_closed(run, in_flight, events, &tally));
        run->base.event_ns = tally.event_ns;
        *probed_events = events;
        if (tally.used_ns > run->base.limit_ns * share_probe)
            return CB_OK;
        events *= 4;
    }
}

static const double as_good = 1.03;

static bool search_is_over(const farm_run *run)
{
    return run->base.elapsed_ns > run->base.limit_ns * share_trials_end;
}

/* Time per event with `in_flight` events. A result that is worse than the best is measured again,
 * and the better one counts: other work on the machine slows a trial down but never speeds it up.
 */
static cb_status try_in_flight(farm_run *run, uint64_t in_flight, uint64_t events, double best_ns,
                               double *each_ns)
{
    rate_tally tally;

    CB_TRY(run_closed(run, in_flight, events, &tally));
    *each_ns = tally.event_ns;
    if (*each_ns <= best_ns * as_good || search_is_over(run))
        return CB_OK;
    CB_TRY(run_closed(run, in_flight, events, &tally));
    *each_ns = fmin(*each_ns, tally.event_ns);
    return CB_OK;
}

/* Find the smallest number in flight at which the farm is about as fast as with any larger one:
 * double it, starting with one event per destination, until the farm is slower or the time is over.
 * If the farm is slow, the probe counts as the first trial. */
static cb_status search_in_flight(farm_run *run, uint64_t probed_events)
{
    const double affordable = 0.1;
    double each_ns[SEARCHED], best_ns = HUGE_VAL;
    uint64_t in_flight = farm_destinations(run);
    size_t tried = 0, chosen = 0;

    if (run->in_flight > 0)
        return CB_OK;
    for (; tried < SEARCHED; tried++, in_flight *= 2) {
        uint64_t events = farm_events_in(run->base.limit_ns * share_trial,
                                         rate_event_used_ns(&run->base), 2 * in_flight);

        if (tried > 0 && (search_is_over(run) || (double)events * rate_event_used_ns(&run->base) >
                                                     run->base.limit_ns * affordable))
            break;
        each_ns[tried] = run->base.event_ns;
        if (tried > 0 || probed_events < events)
            CB_TRY(try_in_flight(run, in_flight, events, best_ns, &each_ns[tried]));
        if (tried > 0 && each_ns[tried] > best_ns * as_good)
            break;
        best_ns = fmin(best_ns, each_ns[tried]);
    }
    while (chosen + 1 < tried && each_ns[chosen] > best_ns * as_good)
        chosen++;
    run->in_flight = farm_destinations(run) << chosen;
    run->base.event_ns = each_ns[chosen];
    return CB_OK;
}

/* Verification */

/* Collect what destinations found in fragments, the supervisor in decisions, and all ranks in
 * control messages. An unexpected message counts as corrupted, since no rank sent it. A decision
 * that only took longer than the timeout is intact and in order: the machine was slow. */
static checker_findings findings_of(const bench_rank *me)
{
    const farm_rank *farm = farm_of(me);
    const checker_findings *found = &me->verification.findings;
    const farm_builder_counts *built = &farm->destination.builder.counts;
    const farm_ledger_errors *errors = &farm->supervisor.ledger.errors;
    const farm_faults *faults = &farm->faults;

    return (checker_findings){.messages = found->messages,
                              .lost = farm->supervisor.ledger.lost,
                              .duplicate = built->duplicate + errors->duplicate + faults->duplicate,
                              .reordered = found->reordered + errors->late -
                                           farm->supervisor.ledger.delayed + faults->late,
                              .corrupted = found->corrupted + built->unexpected +
                                           errors->unexpected + faults->unexpected};
}

/* Not counted in --max-time. */
static cb_status verify(farm_run *run)
{
    const double budget_ns = 0.5e9;
    uint64_t events = farm_events_in(budget_ns, run->base.event_ns, 2 * farm_destinations(run));
    const budget_mark start = budget_now();
    checker_findings found;
    rate_tally tally = {0};

    if (events > VERIFIED_EVENTS)
        events = VERIFIED_EVENTS;
    CB_TRY(farm_try_multicasts(run->base.me, true));
    CB_TRY(farm_run_verifying(run, (farm_load){.events = events, .in_flight = run->in_flight},
                              &tally));
    found = findings_of(run->base.me);
    CB_TRY(verification_sum(run->base.setting->team, &found, &run->base.row.verification));
    /* Buffers still have stamped packets; later passes need the known content. */
    CB_TRY(run->base.me->lists.own_multicast ? farm_try_multicasts(run->base.me, false)
                                             : rank_prepare(run->base.me));
    budget_leave_out(&run->base.started, start);
    return CB_OK;
}

/* The timeline. First the cost of recording is measured by closed loops with and without it. Then
 * the first events of the measured load are recorded, into memory that those loops have already
 * used. */

enum { EVENTS_LEAST = 20 };

typedef struct {
    timeline_recording base;
    uint64_t in_flight;
    bool open;
} farm_recording;

static cb_status open_recording(engine_session *session, void **state)
{
    farm_recording *recording = cb_allocate(1, sizeof(*recording), "a timeline");

    if (recording == NULL)
        return CB_ERROR_MEMORY;
    *state = recording;
    return timeline_recording_open(session, &recording->base);
}

static void close_recording(void *state)
{
    farm_recording *recording = state;

    if (recording == NULL)
        return;
    timeline_recording_close(&recording->base);
    free(recording);
}

static cb_status run_recorded(farm_run *run, timeline_recorder *recorder, const farm_load *load,
                              rate_tally *tally)
{
    farm_rank *farm = farm_of(run->base.me);
    cb_status status;

    farm->timeline = recorder;
    status = farm_run_load(run, *load, tally);
    farm->timeline = NULL;
    return status;
}

static cb_status try_loop(void *context, timeline_recorder *recorder, double *elapsed_ns)
{
    farm_run *run = context;
    double fitting = ceil(run->base.limit_ns * share_timeline_trial / fmax(run->base.event_ns, 1));
    farm_load load = {.events = (uint64_t)fmax(fitting, 4 * (double)run->in_flight),
                      .in_flight = run->in_flight};
    rate_tally tally;

    CB_TRY(run_recorded(run, recorder, &load, &tally));
    *elapsed_ns = tally.elapsed_ns;
    return CB_OK;
}

/* Record the requested number of events, unless they take longer than a measurement may. A closed
 * loop issues further events, so that the recorded ones run under full load to their end. */
static cb_status record_timeline(farm_run *run, farm_recording *recording)
{
    const bench_options *options = run->base.setting->session->job->options;
    const farm_rank *farm = farm_of(run->base.me);
    double due_ns = options->rate_hz > 0 ? 1e9 / options->rate_hz : 0;
    double fitting = run->base.limit_ns / fmax(fmax(run->base.event_ns, due_ns), 1);
    uint64_t asked = timeline_events_wanted(options);
    farm_load load;
    rate_tally tally;

    if (!recording->base.due)
        return CB_OK;
    CB_TRY(timeline_create(
        farm_timeline_entries(farm->role, farm->sources, farm->destinations, (size_t)asked),
        &recording->base.recorder));
    CB_TRY(timeline_find_cost(&recording->base, try_loop, run));
    recording->base.events = (uint64_t)fmin((double)asked, fmax(fitting, EVENTS_LEAST));
    recording->open = options->rate_hz > 0;
    recording->in_flight = run->in_flight;
    load =
        (farm_load){.events = recording->base.events + run->in_flight, .in_flight = run->in_flight};
    if (recording->open) {
        const rate_load open = rate_next_load(&run->base, options->rate_hz, recording->base.events);

        load = farm_open_load(run, &open);
    }
    timeline_restart(recording->base.recorder, run->next_event, recording->base.events);
    return run_recorded(run, recording->base.recorder, &load, &tally);
}

/* Write the trace of all ranks of the job, including those that took no part. */
static cb_status write_timeline(void *state, engine_session *session,
                                const bench_measurement *planned)
{
    farm_recording *recording = state;
    report_fact facts[TIMELINE_FACTS_MAXIMUM];
    size_t count = 0;

    if (!recording->base.due)
        return CB_OK;
    facts[count++] = (report_fact){.key = "benchmark", .text = session->job->definition->name};
    facts[count++] = (report_fact){.key = "technology", .text = session->job->options->technology};
    facts[count++] = (report_fact){.key = "mode", .text = recording->open ? "open" : "closed"};
    if (recording->open)
        facts[count++] =
            (report_fact){.key = "offered_Hz", .number = session->job->options->rate_hz};
    facts[count++] = (report_fact){.key = "size_bytes", .number = (double)planned->size_bytes};
    facts[count++] =
        (report_fact){.key = "sources", .number = (double)planned->shape.stages[FARM_SOURCE]};
    facts[count++] = (report_fact){.key = "destinations",
                                   .number = (double)planned->shape.stages[FARM_DESTINATION]};
    facts[count++] = (report_fact){.key = "algorithm_us", .number = planned->algorithm_us};
    facts[count++] =
        (report_fact){.key = "in_flight_limit", .number = (double)recording->in_flight};
    return timeline_write(session,
                          &(timeline_content){.shape = &planned->shape,
                                              .words = &farm_timeline_words,
                                              .about = facts,
                                              .about_count = count},
                          &recording->base);
}

/* The measurement */

static cb_status set_up(farm_run *run)
{
    const bench_measurement *planned = run->base.setting->planned;
    engine_session *session = run->base.setting->session;
    const bench_options *options = session->job->options;
    uint64_t destinations = farm_destinations(run), room = IN_FLIGHT_EACH * destinations;
    farm_rank *farm;

    run->in_flight = options->in_flight;
    if (run->in_flight > room)
        room = run->in_flight;
    CB_TRY(rate_run_open(&run->base));
    CB_TRY(farm_join(run->base.me, &planned->shape, room));
    farm = farm_of(run->base.me);
    if (farm->role == FARM_DESTINATION) {
        /* --slow-us applies to destination 0. */
        if (farm->index == 0)
            CB_TRY(host_work_refined_units(&session->work_rate, options->slow_us,
                                           &farm->destination.slow_units));
        return host_work_refined_units(&session->work_rate, planned->algorithm_us,
                                       &run->base.me->algorithm.units);
    }
    if (!run->base.root)
        return CB_OK;
    run->latencies = cb_allocate(destinations, sizeof(*run->latencies), "histograms of latencies");
    run->accounts = cb_allocate(destinations, sizeof(*run->accounts), "accounts of a row");
    if (farm->two_steps) {
        run->step_latencies =
            cb_allocate(2, sizeof(*run->step_latencies), "histograms of latencies");
        if (run->step_latencies == NULL)
            return CB_ERROR_MEMORY;
        farm->supervisor.step_latencies = run->step_latencies;
    }
    return run->latencies != NULL && run->accounts != NULL ? CB_OK : CB_ERROR_MEMORY;
}

static cb_status run_passes(farm_run *run, farm_recording *recording)
{
    const bench_options *options = run->base.setting->session->job->options;
    uint64_t probed_events;

    CB_TRY(probe(run, &probed_events));
    CB_TRY(search_in_flight(run, probed_events));
    if (options->verify)
        CB_TRY(verify(run));
    if (options->rate_hz <= 0)
        CB_TRY(farm_measure_closed(run));
    CB_TRY(rate_measure(&run->base));
    return record_timeline(run, recording);
}

static farm_run run_of(const measurement_setting *setting)
{
    return (farm_run){.base = {.kind = &farm_rate_kind, .setting = setting},
                      .fragments = farm_fragments_for(setting->session->job->options)};
}

static void leave(farm_run *run, cb_status status)
{
    if (run->base.me != NULL && (status == CB_OK || !run->base.setting->planned->own_multicast))
        farm_leave(run->base.me);
    rate_run_close(&run->base, status);
    free(run->latencies);
    free(run->step_latencies);
    free(run->accounts);
}

static cb_status measure(void *recording, const measurement_setting *setting)
{
    farm_run run = run_of(setting);
    cb_status status = set_up(&run);

    if (status == CB_OK)
        status = run_passes(&run, recording);
    leave(&run, status);
    return status;
}

/* A load beside another measurement: as many events in flight as its own measurement would find,
 * then one closed or open loop after the other. */
static cb_status load_in_turns(farm_run *run, method_load *load)
{
    const bench_options *options = run->base.setting->session->job->options;
    const size_t sources = farm_of(run->base.me)->sources;
    const size_t fetched = farm_fetched(options, sources);
    uint64_t events;
    bool goes_on = true;

    CB_TRY(probe(run, &events));
    CB_TRY(search_in_flight(run, events));
    while (goes_on) {
        farm_load turn = {.in_flight = run->in_flight,
                          .events = farm_events_in(load->turn_ns, run->base.event_ns,
                                                   2 * farm_destinations(run))};
        rate_tally tally = {0};
        double packets;

        if (options->rate_hz > 0) {
            const rate_load open = rate_next_load(
                &run->base, options->rate_hz,
                rate_load_events(&run->base.arrivals, options->rate_hz, run->base.event_ns,
                                 load->turn_ns, RATE_OPEN_EVENTS));

            turn = farm_open_load(run, &open);
        }
        rate_row_begin(&run->base);
        CB_TRY(farm_run_load(run, turn, &tally));
        if (options->rate_hz <= 0)
            run->base.event_ns = tally.event_ns;
        packets = (double)tally.decided * (double)fetched +
                  (double)tally.accepted * (double)(sources - fetched);
        CB_TRY(load->end_turn(load, packets, tally.elapsed_ns, &goes_on));
    }
    return CB_OK;
}

static cb_status load_network(const measurement_setting *setting, method_load *load)
{
    farm_run run = run_of(setting);
    cb_status status = set_up(&run);

    if (status == CB_OK)
        status = load_in_turns(&run, load);
    leave(&run, status);
    return status;
}

const measurement_method farm_method = {
    .several_unanswered = true,
    .control_message_bytes = sizeof(farm_message),
    .labels = true,
    .needs = TRANSPORT_DELIVERS,
    .takes = BENCH_TAKES_FARM | BENCH_TAKES_LOAD | BENCH_TAKES_TIMELINE,
    .open = open_recording,
    .close = close_recording,
    .measure = measure,
    .load = load_network,
    .conclude = write_timeline,
};
