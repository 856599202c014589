/* The measurement of a farm. How long an event takes and how many to keep in flight are found
 * first; then come verification, the closed loop's row, and open loops.
 *
 * The supervisor decides and all others are told between two runs: numbers of events are agreed
 * before a run begins. */
#include "farm/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/counters.h"

enum {
    VERIFIED_EVENTS = 2000,
    IN_FLIGHT_EACH = 16, /* events for each destination, where the search ends */
    SEARCHED = 5
};

/* Of --max-time, for a probe and for a trial of the search; and its end, by which no other trial
 * begins. */
static const double probe_share = 0.02, search_share = 0.04, search_end = 0.25;

static cb_status run_closed(bench_farm_run *run, uint64_t in_flight, uint64_t events,
                            bench_tally *tally)
{
    return bench_farm_run_load(run, (bench_load){.events = events, .in_flight = in_flight},
                               bench_farm_plain(run), bench_farm_patience_ns(run), tally);
}

/* How long an event takes, and how many to keep in flight */

/* With no more in flight than the search would try: however many were asked for, this is short. */
static cb_status probe(bench_farm_run *run, uint64_t *probed_events)
{
    uint64_t most = IN_FLIGHT_EACH * bench_farm_destinations(run);
    uint64_t in_flight = bench_farm_destinations(run);
    uint64_t events;
    bench_tally tally;

    if (run->in_flight > 0)
        in_flight = run->in_flight < most ? run->in_flight : most;
    events = 2 * in_flight;
    for (;;) {
        CB_TRY(run_closed(run, in_flight, events, &tally));
        run->event_ns = tally.event_ns;
        *probed_events = events;
        if (tally.elapsed_ns > run->limit_ns * probe_share / 2)
            return CB_OK;
        events *= 4;
    }
}

static const double as_good = 1.03;

static bool search_is_over(const bench_farm_run *run)
{
    return run->elapsed_ns > run->limit_ns * search_end;
}

/* The time of an event with so many in flight. One that seems to be worse than the best is tried
 * again, and the better counts: others on the machine, or a rank that waits for its turn, make a
 * trial slow, and none makes it fast. */
static cb_status try_in_flight(bench_farm_run *run, uint64_t in_flight, uint64_t events,
                               double best_ns, double *each_ns)
{
    bench_tally tally;

    CB_TRY(run_closed(run, in_flight, events, &tally));
    *each_ns = tally.event_ns;
    if (*each_ns <= best_ns * as_good || search_is_over(run))
        return CB_OK;
    CB_TRY(run_closed(run, in_flight, events, &tally));
    *each_ns = fmin(*each_ns, tally.event_ns);
    return CB_OK;
}

/* The smallest number in flight with which the farm is about as fast as with any: doubled from one
 * for each destination on, until that makes it slower or the time does not allow more. Of a slow
 * farm the probe was the first trial. */
static cb_status search_in_flight(bench_farm_run *run, uint64_t probed_events)
{
    const double affordable = 0.1;
    double each_ns[SEARCHED], best_ns = HUGE_VAL;
    uint64_t in_flight = bench_farm_destinations(run);
    size_t tried = 0, chosen = 0;

    if (run->in_flight > 0)
        return CB_OK;
    for (; tried < SEARCHED; tried++, in_flight *= 2) {
        uint64_t events =
            bench_farm_events_in(run->limit_ns * search_share, run->event_ns, 2 * in_flight);

        if (tried > 0 &&
            (search_is_over(run) || (double)events * run->event_ns > run->limit_ns * affordable))
            break;
        each_ns[tried] = run->event_ns;
        if (tried > 0 || probed_events < events)
            CB_TRY(try_in_flight(run, in_flight, events, best_ns, &each_ns[tried]));
        if (tried > 0 && each_ns[tried] > best_ns * as_good)
            break;
        best_ns = fmin(best_ns, each_ns[tried]);
    }
    while (chosen + 1 < tried && each_ns[chosen] > best_ns * as_good)
        chosen++;
    run->in_flight = bench_farm_destinations(run) << chosen;
    run->event_ns = each_ns[chosen];
    return CB_OK;
}

/* Verification */

/* What destinations found in fragments, the supervisor in decisions, and all in notes. A foreign
 * message is counted as corrupted: it is not what anybody sent. A decision that took longer than
 * the patience, where nothing else came meanwhile, is whole and in order: the machine was slow. */
static cb_status gather_findings(bench_farm_run *run)
{
    const bench_farm *farm = run->me->farm;
    const bench_findings *found = &run->me->findings;
    const bench_builder_counts *built = &farm->builder.counts;
    const bench_ledger_errors *errors = &farm->ledger.errors;
    const bench_faults *faults = &farm->faults;
    uint64_t counts[] = {found->messages, farm->ledger.lost,
                         built->doubled + errors->doubled + faults->doubled,
                         found->reordered + errors->late - farm->ledger.delayed + faults->late,
                         found->corrupted + built->foreign + errors->foreign + faults->foreign};

    CB_TRY(control_sum(run->team, counts, sizeof(counts) / sizeof(counts[0])));
    run->verification = (bench_verification){.messages = counts[0],
                                             .lost = counts[1],
                                             .doubled = counts[2],
                                             .reordered = counts[3],
                                             .corrupted = counts[4],
                                             .done = true};
    run->verified = true;
    return CB_OK;
}

static cb_status verify(bench_farm_run *run)
{
    const double budget_ns = 0.5e9;
    const uint64_t patience_ns = 2000000000 + bench_farm_working_ns(run);
    uint64_t events =
        bench_farm_events_in(budget_ns, run->event_ns, 2 * bench_farm_destinations(run));
    bench_tally tally = {0};

    if (events > VERIFIED_EVENTS)
        events = VERIFIED_EVENTS;
    CB_TRY(bench_farm_run_load(run, (bench_load){.events = events, .in_flight = run->in_flight},
                               &bench_fragments_verified, patience_ns, &tally));
    CB_TRY(gather_findings(run));
    /* Stamped packets are left in the buffers: the passes to come need the known content. */
    return bench_rank_prepare(run->me);
}

/* No part of --max-time. */
static cb_status verify_apart(bench_farm_run *run)
{
    uint64_t start_ns = cb_now_ns();

    CB_TRY(verify(run));
    run->started_ns += cb_now_ns() - start_ns;
    return CB_OK;
}

/* Rows */

void bench_farm_forget(bench_farm_run *run)
{
    run->algorithm_runs = run->algorithm_ns = 0;
    run->skew_ns = 0;
    if (!run->supervisor)
        return;
    memset(run->latencies, 0, bench_farm_destinations(run) * sizeof(*run->latencies));
    memset(run->accounts, 0, bench_farm_destinations(run) * sizeof(*run->accounts));
}

/* The mean over all runs of the algorithm in all destinations, as their clocks saw them. */
static cb_status true_algorithm(const bench_farm_run *run, double *true_us)
{
    uint64_t sums[] = {run->algorithm_ns, run->algorithm_runs};

    CB_TRY(control_sum(run->team, sums, 2));
    *true_us = sums[1] > 0 ? (double)sums[0] / (double)sums[1] / 1e3 : -1;
    return CB_OK;
}

cb_status bench_farm_row(bench_farm_run *run, bench_farm_outcome *outcome)
{
    report_row row = {.broken = false};
    cb_status status;

    CB_TRY(true_algorithm(run, &outcome->algorithm_true_us));
    CB_TRY(bench_sum_counters(run->session, run->team, &outcome->counters));
    if (!run->supervisor)
        return CB_OK;
    outcome->in_flight = run->in_flight;
    outcome->latencies = run->latencies;
    outcome->accounts = run->accounts;
    outcome->destinations = bench_farm_destinations(run);
    outcome->ranks = run->me->ranks;
    outcome->skew_ns = run->skew_ns;
    outcome->touch_ns = run->touch_ns;
    if (run->verified)
        outcome->verification = run->verification;
    run->verified = false;
    status = bench_farm_figures(run->session, run->measurement, outcome, run->oversubscribed, &row);
    bench_note_verification(run->session, &outcome->verification);
    if (status == CB_OK)
        return report_add(run->session->document, &row);
    report_row_clear(&row);
    return status;
}

/* Set-up */

/* Destination 0 is the one that --slow-us slows down. */
static cb_status set_work(bench_farm_run *run)
{
    bench_session *session = run->session;
    bench_rank *me = run->me;

    if (me->farm->role != BENCH_DESTINATION)
        return CB_OK;
    if (me->farm->index == 0)
        CB_TRY(bench_algorithm_units(session, session->options->slow_us, &me->farm->slow_units));
    return bench_algorithm_units(session, run->measurement->algorithm_us, &me->algorithm.units);
}

static cb_status set_up(bench_farm_run *run, const int *ranks, size_t participants)
{
    const bench_measurement *measurement = run->measurement;
    uint64_t destinations = measurement->shape.stages[BENCH_DESTINATION];
    uint64_t room = IN_FLIGHT_EACH * destinations;

    run->in_flight = run->session->options->in_flight;
    if (run->in_flight > room)
        room = run->in_flight;
    CB_TRY(bench_rank_create(run->session, measurement, run->session->technology, ranks,
                             participants, &run->me, &run->actions));
    CB_TRY(bench_farm_join(run->me, &measurement->shape, room));
    CB_TRY(set_work(run));
    if (!run->supervisor)
        return CB_OK;
    run->latencies = cb_allocate(destinations, sizeof(*run->latencies), "histograms of latencies");
    run->touch_ns = bench_farm_plain(run) == &bench_fragments_touched
                        ? bench_measure_touch(measurement->size_bytes)
                        : -1;
    run->accounts = cb_allocate(destinations, sizeof(*run->accounts), "accounts of a row");
    return run->latencies != NULL && run->accounts != NULL ? CB_OK : CB_ERROR_MEMORY;
}

static cb_status run_passes(bench_farm_run *run)
{
    const bench_options *options = run->session->options;
    uint64_t probed_events;

    CB_TRY(probe(run, &probed_events));
    CB_TRY(search_in_flight(run, probed_events));
    if (options->verify)
        CB_TRY(verify_apart(run));
    if (bench_farm_wants_closed(options))
        CB_TRY(bench_farm_measure_closed(run));
    CB_TRY(bench_farm_measure_open(run));
    return bench_farm_record(run);
}

cb_status bench_measure_farm(bench_session *session, const bench_measurement *measurement,
                             const int *ranks, size_t participants, control_team *team)
{
    bench_farm_run run = {.session = session,
                          .measurement = measurement,
                          .team = team,
                          .supervisor = control_team_index(team) == 0,
                          .oversubscribed = bench_oversubscribed(session, ranks, participants),
                          .started_ns = cb_now_ns(),
                          .limit_ns = session->options->max_time_s * 1e9,
                          .touch_ns = -1};
    cb_status status = set_up(&run, ranks, participants);

    if (status == CB_OK)
        status = run_passes(&run);
    if (run.me != NULL)
        bench_farm_leave(run.me);
    bench_rank_destroy(session->definition, run.me);
    free(run.latencies);
    free(run.accounts);
    return status;
}
