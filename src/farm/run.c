/* One run of a farm, and the exchange of its results. */
#include "farm/run.h"

#include <string.h>

#include "base/clock.h"
#include "engine/algorithm.h"
#include "engine/figures.h"
#include "engine/pass.h"
#include "engine/verification.h"

/* Longest expected silence of a working farm, in addition to `least_ns`: all of its destinations
 * may share one core, and all fragments in flight may have to be sent before those of the next
 * event. */
static uint64_t longest_silence_ns(const farm_run *run, const farm_load *load, uint64_t least_ns)
{
    const bench_shape *shape = &run->setting->planned->shape;
    double event_us = (double)shape->stages[FARM_SOURCE] * run->setting->planned->algorithm_us +
                      run->setting->session->job->options->slow_us;

    return verification_timeout_ns(
        least_ns + (uint64_t)(1e3 * event_us * (double)shape->stages[FARM_DESTINATION]),
        run->setting->planned->size_bytes, load->in_flight * shape->stages[FARM_SOURCE],
        run->event_ns * (double)load->in_flight);
}

/* After how long a message counts as lost at this rank; 0: never. Sources and destinations wait for
 * two of the supervisor's timeouts, since they receive nothing while it waits for a lost message,
 * plus the longest pause to expect between two events of an open loop. */
static uint64_t own_timeout_ns(const farm_run *run, const farm_load *load, uint64_t timeout_ns)
{
    double turns_ns;

    if (run->supervisor || timeout_ns == 0)
        return timeout_ns;
    if (!load->open)
        return 2 * timeout_ns;
    turns_ns = 2 * (double)farm_destinations(run) * 1e9 / load->rate_hz;
    return 2 * timeout_ns +
           (uint64_t)(turns_ns + farm_arrivals_longest_ns(load->arrivals, load->rate_hz));
}

/* After all ranks have ended a run: count late and duplicate messages as well. All ranks get the
 * supervisor's tally and its time. */
static cb_status conclude_run(farm_run *run, farm_tally *tally)
{
    const farm_rank *farm = farm_of(run->me);
    struct {
        farm_tally tally;
        double elapsed_ns;
    } agreed;
    uint64_t sums[3]; /* faults, and bytes of the two steps */

    if (farm->may_lose)
        CB_TRY(farm_drain(run->me, run->actions));
    CB_TRY(farm_check_sum(run->me));
    sums[0] = farm_fault_count(farm);
    sums[1] = farm->step_bytes[0];
    sums[2] = farm->step_bytes[1];
    CB_TRY(control_sum(run->setting->team, sums, 3));
    if (run->supervisor) {
        farm_count(run->me, tally);
        tally->errors += sums[0];
        tally->step_bytes[0] = sums[1];
        tally->step_bytes[1] = sums[2];
    }
    for (size_t i = 0; run->supervisor && i < farm_destinations(run); i++) {
        const farm_account *from = &farm->ledger.accounts[i];
        farm_account *to = &run->accounts[i];

        to->decided += from->decided;
        to->lost += from->lost;
        to->in_flight_sum += from->in_flight_sum;
        if (from->in_flight_most > to->in_flight_most)
            to->in_flight_most = from->in_flight_most;
    }
    agreed.tally = *tally;
    agreed.elapsed_ns = (double)(cb_now_ns() - run->started_ns);
    CB_TRY(control_broadcast(run->setting->team, &agreed, sizeof(agreed)));
    *tally = agreed.tally;
    run->elapsed_ns = agreed.elapsed_ns;
    return CB_OK;
}

static cb_status run_with(farm_run *run, farm_load load, const farm_fragments *fragments,
                          uint64_t timeout_ns, farm_tally *tally)
{
    engine_session *session = run->setting->session;
    bench_rank *me = run->me;
    double late_ns, lateness_ns[2];

    load.wait = session->effective_wait;
    CB_TRY(pass_start_together(&session->clock, run->setting->team, run->setting->oversubscribed,
                               &late_ns));
    CB_TRY(farm_begin(me, run->next_event, load.events, fragments,
                      own_timeout_ns(run, &load, timeout_ns)));
    meters_begin(&run->meters);
    CB_TRY(run->supervisor ? farm_supervise(me, run->actions, &load, tally)
                           : farm_serve(me, run->actions));
    meters_end(&run->meters);
    session_leave_if_interrupted(session);
    CB_TRY(transport_flush(me->factory));
    run->algorithm_runs += me->algorithm.runs;
    run->algorithm_ns += me->algorithm.elapsed_ns;
    if (farm_of(me)->role == FARM_DESTINATION) {
        run->arrived.packets += me->received.packets;
        run->arrived.bytes += me->received.bytes;
        if (me->received.largest > run->arrived.largest)
            run->arrived.largest = me->received.largest;
    }
    lateness_ns[0] = late_ns;
    lateness_ns[1] = -late_ns;
    CB_TRY(control_maximum(run->setting->team, lateness_ns, 2));
    run->skew_ns = fmax(run->skew_ns, lateness_ns[0] + lateness_ns[1]);
    CB_TRY(conclude_run(run, tally));
    meters_count(&run->meters, tally->decided);
    run->next_event += tally->issued;
    return CB_OK;
}

cb_status farm_run_load(farm_run *run, farm_load load, farm_tally *tally)
{
    const uint64_t lossy_ns = 500000000;
    unsigned capabilities = transport_capabilities(run->setting->session->technology);
    bool reliable = (capabilities & TRANSPORT_RELIABLE) != 0;

    CB_TRY(run_with(run, load, run->fragments,
                    reliable ? 0 : longest_silence_ns(run, &load, lossy_ns), tally));
    counting_end(&run->setting->session->counting, run->setting->session->technology);
    return CB_OK;
}

cb_status farm_run_verifying(farm_run *run, farm_load load, farm_tally *tally)
{
    return run_with(run, load, &farm_fragments_verified, longest_silence_ns(run, &load, 2000000000),
                    tally);
}

/* Rows */

void farm_row_begin(farm_run *run)
{
    run->algorithm_runs = run->algorithm_ns = 0;
    run->arrived = (fragments_arrived){0};
    run->skew_ns = 0;
    meters_reset(&run->meters);
    counting_begin(&run->setting->session->counting, run->setting->session->technology);
    if (!run->supervisor)
        return;
    memset(run->latencies, 0, farm_destinations(run) * sizeof(*run->latencies));
    memset(run->accounts, 0, farm_destinations(run) * sizeof(*run->accounts));
    if (run->step_latencies != NULL)
        memset(run->step_latencies, 0, 2 * sizeof(*run->step_latencies));
}

/* No decision has arrived. */
static cb_status refuse(farm_run *run, const farm_outcome *outcome, report_row *row)
{
    report_row_clear(row);
    verification_note(run->setting->session, &run->verification);
    run->verification.done = false;
    return figures_refuse(run->setting, "events", outcome->tally.lost);
}

cb_status farm_row(farm_run *run, farm_outcome *outcome)
{
    engine_session *session = run->setting->session;
    report_row row = {.broken = false};
    cb_status status;

    CB_TRY(algorithm_mean_us(run->setting->team, run->algorithm_ns, run->algorithm_runs,
                             &outcome->algorithm_true_us));
    CB_TRY(counting_gather(&session->counting, session->technology, run->setting->team,
                           &outcome->counters));
    if (run->setting->planned->varied)
        CB_TRY(fragments_summarize(run->setting->team, run->arrived, &outcome->fragment_mean_bytes,
                                   &outcome->fragment_largest_bytes));
    CB_TRY(meters_report(&run->meters, run->setting->team, run->supervisor ? &row : NULL));
    if (!run->supervisor)
        return CB_OK;
    if (outcome->tally.decided == 0 && outcome->tally.lost > 0)
        return refuse(run, outcome, &row);
    outcome->in_flight = run->in_flight;
    outcome->latencies = run->latencies;
    outcome->accounts = run->accounts;
    outcome->step_latencies = run->step_latencies;
    outcome->destinations = farm_destinations(run);
    outcome->skew_ns = run->skew_ns;
    outcome->touch_ns = run->touch_ns;
    outcome->verification = run->verification;
    run->verification.done = false;
    status = farm_figures(run->setting, outcome, &row);
    outcome->frequency_hz = report_row_number(&row, REPORT_FREQUENCY_HZ, "");
    verification_note(session, &outcome->verification);
    if (status == CB_OK)
        return report_add(session->document, &row);
    report_row_clear(&row);
    return status;
}
