/* One run of a farm: all start together, each does its part, and all learn what came of it. */
#include "farm/measure.h"

#include <math.h>

#include "base/clock.h"
#include "engine/block.h"
#include "engine/traffic.h"

const bench_fragments *bench_farm_plain(const bench_farm_run *run)
{
    return bench_plain_traffic(run->session->options) == &bench_touching ? &bench_fragments_touched
                                                                         : &bench_fragments_bare;
}

uint64_t bench_farm_working_ns(const bench_farm_run *run)
{
    const bench_shape *shape = &run->measurement->shape;
    double event_us = (double)shape->stages[BENCH_SOURCE] * run->measurement->algorithm_us +
                      run->session->options->slow_us;

    return (uint64_t)(1e3 * event_us * (double)shape->stages[BENCH_DESTINATION]);
}

uint64_t bench_farm_patience_ns(const bench_farm_run *run)
{
    const uint64_t lossy_ns = 500000000;
    unsigned capabilities = transport_capabilities(run->session->technology);

    return (capabilities & TRANSPORT_RELIABLE) != 0 ? 0 : lossy_ns + bench_farm_working_ns(run);
}

/* Sources and destinations wait for two of the supervisor's patiences, for while it waits for what
 * is lost they hear nothing, and for the longest pause that an open loop can be thought to make
 * between two events. */
static uint64_t own_patience_ns(const bench_farm_run *run, const bench_load *load,
                                uint64_t patience_ns)
{
    const double longest_draw = 30; /* mean intervals of a Poisson process */
    double interval_ns = load->open ? 1e9 / load->rate_hz : 0;
    double intervals =
        2 * (double)bench_farm_destinations(run) + (load->poisson ? longest_draw : 0);

    if (run->supervisor || patience_ns == 0)
        return patience_ns;
    return 2 * patience_ns + (uint64_t)(intervals * interval_ns);
}

static cb_status serve_or_supervise(const bench_farm_run *run, const bench_load *load,
                                    bench_tally *tally)
{
    return run->supervisor ? bench_farm_supervise(run->me, run->actions, load, tally)
                           : bench_farm_serve(run->me, run->actions);
}

static void add_accounts(const bench_farm_run *run)
{
    for (size_t i = 0; i < bench_farm_destinations(run); i++) {
        const bench_account *from = &run->me->farm->ledger.accounts[i];
        bench_account *to = &run->accounts[i];

        to->decided += from->decided;
        to->lost += from->lost;
        to->in_flight_sum += from->in_flight_sum;
        if (from->in_flight_most > to->in_flight_most)
            to->in_flight_most = from->in_flight_most;
    }
}

/* The supervisor's tally is everybody's, and so is its clock. */
static cb_status tell(bench_farm_run *run, bench_tally *tally)
{
    struct {
        bench_tally tally;
        double elapsed_ns;
    } told = {*tally, (double)(cb_now_ns() - run->started_ns)};

    CB_TRY(control_broadcast(run->team, &told, sizeof(told)));
    *tally = told.tally;
    run->elapsed_ns = told.elapsed_ns;
    return CB_OK;
}

/* When all have ended a run: what came too late or twice is counted as well. */
static cb_status settle(bench_farm_run *run, bench_tally *tally)
{
    bench_farm *farm = run->me->farm;
    uint64_t faults;

    if (farm->patient)
        CB_TRY(bench_farm_drain(run->me, run->actions));
    CB_TRY(bench_farm_check_sum(run->me));
    faults = bench_farm_fault_count(farm);
    CB_TRY(control_sum(run->team, &faults, 1));
    if (run->supervisor) {
        bench_farm_count(run->me, tally);
        tally->errors += faults;
        add_accounts(run);
    }
    return tell(run, tally);
}

cb_status bench_farm_run_load(bench_farm_run *run, bench_load load,
                              const bench_fragments *fragments, uint64_t patience_ns,
                              bench_tally *tally)
{
    double late_ns, lateness_ns[2];

    load.wait = run->session->effective_wait;
    CB_TRY(bench_start_together(run->session, run->team, run->oversubscribed, &late_ns));
    CB_TRY(bench_farm_begin(run->me, run->next_event, load.events, fragments,
                            own_patience_ns(run, &load, patience_ns)));
    CB_TRY(serve_or_supervise(run, &load, tally));
    bench_leave_if_interrupted(run->session);
    CB_TRY(transport_flush(run->me->factory));
    run->algorithm_runs += run->me->algorithm.runs;
    run->algorithm_ns += run->me->algorithm.elapsed_ns;
    lateness_ns[0] = late_ns;
    lateness_ns[1] = -late_ns;
    CB_TRY(control_maximum(run->team, lateness_ns, 2));
    run->skew_ns = fmax(run->skew_ns, lateness_ns[0] + lateness_ns[1]);
    CB_TRY(settle(run, tally));
    run->next_event += tally->issued;
    return CB_OK;
}
