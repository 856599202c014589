/* One run of a farm, and the exchange of its results. */
#include "farm/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/figures.h"
#include "engine/pass.h"
#include "engine/verification.h"
#include "farm/figures.h"

/* Longest expected silence of a working farm, in addition to `least_ns`: all of its destinations
 * may share one core, and all fragments in flight may have to be sent before those of the next
 * event. */
static uint64_t longest_silence_ns(const farm_run *run, const farm_load *load, uint64_t least_ns)
{
    const bench_shape *shape = &run->base.setting->planned->shape;
    double event_us =
        (double)shape->stages[FARM_SOURCE] * run->base.setting->planned->algorithm_us +
        run->base.setting->session->job->options->slow_us;

    return verification_timeout_ns(
        least_ns + (uint64_t)(1e3 * event_us * (double)shape->stages[FARM_DESTINATION]),
        run->base.setting->planned->size_bytes, load->in_flight * shape->stages[FARM_SOURCE],
        run->base.event_ns * (double)load->in_flight);
}

/* After how long a message counts as lost at this rank; 0: never. Sources and destinations wait for
 * two of the supervisor's timeouts, since they receive nothing while it waits for a lost message,
 * plus the longest pause to expect between two events of an open loop. */
static uint64_t own_timeout_ns(const farm_run *run, const farm_load *load, uint64_t timeout_ns)
{
    double turns_ns;

    if (run->base.root || timeout_ns == 0)
        return timeout_ns;
    if (!load->open)
        return 2 * timeout_ns;
    turns_ns = 2 * (double)farm_destinations(run) * 1e9 / load->rate_hz;
    return 2 * timeout_ns +
           (uint64_t)(turns_ns + rate_arrivals_longest_ns(load->arrivals, load->rate_hz));
}

/* After all ranks have ended a run: count late and duplicate messages as well. All ranks get the
 * supervisor's tally and its time. */
static cb_status conclude_run(farm_run *run, budget_mark start, rate_tally *tally)
{
    const bench_options *options = run->base.setting->session->job->options;
    const farm_rank *farm = farm_of(run->base.me);
    struct {
        rate_tally tally;
        double elapsed_ns, messages_ns;
    } agreed;
    uint64_t sums[3]; /* faults, and bytes of the two steps */

    if (farm->may_lose)
        CB_TRY(farm_drain(run->base.me, run->base.actions));
    CB_TRY(farm_check_sum(run->base.me));
    sums[0] = farm_fault_count(farm);
    sums[1] = farm->destination.step_bytes[0];
    sums[2] = farm->destination.step_bytes[1];
    CB_TRY(control_sum(run->base.setting->team, sums, 3));
    if (run->base.root) {
        farm_count(run->base.me, tally);
        tally->errors += sums[0];
        tally->step_bytes[0] = sums[1];
        tally->step_bytes[1] = sums[2];
        tally->used_ns = fmax(tally->elapsed_ns, budget_messages_ns(options, start));
    }
    for (size_t i = 0; run->base.root && i < farm_destinations(run); i++) {
        const farm_account *from = &farm->supervisor.ledger.accounts[i];
        farm_account *to = &run->accounts[i];

        to->decided += from->decided;
        to->lost += from->lost;
        to->in_flight_sum += from->in_flight_sum;
        if (from->in_flight_most > to->in_flight_most)
            to->in_flight_most = from->in_flight_most;
    }
    agreed.tally = *tally;
    agreed.elapsed_ns = budget_used_ns(options, run->base.started);
    agreed.messages_ns = budget_messages_ns(options, start) / (double)tally->issued;
    CB_TRY(control_broadcast(run->base.setting->team, &agreed, sizeof(agreed)));
    *tally = agreed.tally;
    run->base.elapsed_ns = agreed.elapsed_ns;
    run->base.messages_ns = agreed.messages_ns;
    run->base.row.delivery.arrived += tally->decided;
    run->base.row.delivery.lost += tally->lost;
    return CB_OK;
}

static cb_status run_with(farm_run *run, farm_load load, const farm_fragments *fragments,
                          uint64_t timeout_ns, rate_tally *tally)
{
    engine_session *session = run->base.setting->session;
    bench_rank *me = run->base.me;
    const budget_mark start = budget_now();
    double late_ns, lateness_ns[2];

    load.wait = session->effective_wait;
    CB_TRY(pass_start_together(&session->clock, run->base.setting->team,
                               run->base.setting->oversubscribed, &late_ns));
    CB_TRY(farm_begin(me, run->next_event, load.events, fragments,
                      own_timeout_ns(run, &load, timeout_ns)));
    meters_begin(&run->base.row.timed);
    CB_TRY(run->base.root ? farm_supervise(me, run->base.actions, &load, tally)
                          : farm_serve(me, run->base.actions));
    meters_end(&run->base.row.timed);
    session_leave_if_interrupted(session);
    CB_TRY(transport_flush(me->factory));
    run->base.row.algorithm_runs += me->algorithm.runs;
    run->base.row.algorithm_ns += me->algorithm.elapsed_ns;
    if (farm_of(me)->role == FARM_DESTINATION) {
        run->base.row.arrived.packets += me->received.packets;
        run->base.row.arrived.bytes += me->received.bytes;
        if (me->received.largest > run->base.row.arrived.largest)
            run->base.row.arrived.largest = me->received.largest;
    }
    lateness_ns[0] = late_ns;
    lateness_ns[1] = -late_ns;
    CB_TRY(control_maximum(run->base.setting->team, lateness_ns, 2));
    run->base.row.skew_ns = fmax(run->base.row.skew_ns, lateness_ns[0] + lateness_ns[1]);
    CB_TRY(conclude_run(run, start, tally));
    meters_count(&run->base.row.timed, tally->decided);
    run->next_event += tally->issued;
    return CB_OK;
}

cb_status farm_run_load(farm_run *run, farm_load load, rate_tally *tally)
{
    const uint64_t lossy_ns = 500000000;
    unsigned capabilities = transport_capabilities(run->base.setting->session->technology);
    bool reliable = (capabilities & TRANSPORT_RELIABLE) != 0;

    CB_TRY(run_with(run, load, run->fragments,
                    reliable ? 0 : longest_silence_ns(run, &load, lossy_ns), tally));
    row_end(run->base.setting->session);
    return CB_OK;
}

cb_status farm_run_verifying(farm_run *run, farm_load load, rate_tally *tally)
{
    return run_with(run, load, &farm_fragments_verified, longest_silence_ns(run, &load, 2000000000),
                    tally);
}

/* Rows and open loops */

static void reset(rate_run *base)
{
    farm_run *run = (farm_run *)base;

    if (!base->root)
        return;
    memset(run->latencies, 0, farm_destinations(run) * sizeof(*run->latencies));
    memset(run->accounts, 0, farm_destinations(run) * sizeof(*run->accounts));
    if (run->step_latencies != NULL)
        memset(run->step_latencies, 0, 2 * sizeof(*run->step_latencies));
}

static cb_status fill_row(rate_run *base, rate_outcome *outcome, report_row *row)
{
    const farm_run *run = (const farm_run *)base;
    const farm_outcome of_farm = {.rate = outcome,
                                  .in_flight = run->in_flight,
                                  .latencies = run->latencies,
                                  .accounts = run->accounts,
                                  .step_latencies = run->step_latencies};

    outcome->destinations = farm_destinations(run);
    return farm_figures(base->setting, &of_farm, row);
}

farm_load farm_open_load(const farm_run *run, const rate_load *load)
{
    return (farm_load){.events = load->events,
                       .in_flight = run->in_flight,
                       .latencies = run->latencies,
                       .open = true,
                       .rate_hz = load->rate_hz,
                       .arrivals = load->arrivals,
                       .seed = load->seed};
}

static cb_status run_load(rate_run *base, const rate_load *load, rate_outcome *out)
{
    farm_run *run = (farm_run *)base;

    out->destinations = farm_destinations(run);
    return farm_run_load(run, farm_open_load(run, load), &out->tally);
}

static cb_status run_single(rate_run *base, uint64_t events, rate_outcome *out)
{
    farm_run *run = (farm_run *)base;

    return farm_run_load(run,
                         (farm_load){.events = events, .in_flight = 1, .latencies = run->latencies},
                         &out->tally);
}

static double latency_ns(const rate_run *base, double quantile)
{
    const farm_run *run = (const farm_run *)base;
    stats_histogram *all = cb_allocate(1, sizeof(*all), "a histogram of latencies");
    double value_ns;

    if (all == NULL)
        return HUGE_VAL;
    for (size_t i = 0; i < farm_destinations(run); i++)
        stats_histogram_merge(all, &run->latencies[i]);
    value_ns = all->samples > 0 ? stats_histogram_quantile(all, quantile) : HUGE_VAL;
    free(all);
    return value_ns;
}

const rate_kind farm_rate_kind = {.counted = "events",
                                  .run_load = run_load,
                                  .run_single = run_single,
                                  .reset = reset,
                                  .latency_ns = latency_ns,
                                  .fill = fill_row};
