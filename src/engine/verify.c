/* The verifying pass of a measurement, not timed: every byte and every number is checked, and what
 * is missing is given up in the end. */
#include "engine/passes.h"

#include <math.h>

#include "engine/block.h"
#include "engine/traffic.h"

enum { VERIFIED_STEPS = 2000 };

static cb_status add_findings(const bench_passes *run)
{
    const bench_findings *found = &run->me->findings;
    uint64_t counts[] = {found->messages, found->lost, found->doubled, found->reordered,
                         found->corrupted};

    CB_TRY(control_sum(run->team, counts, sizeof(counts) / sizeof(counts[0])));
    run->out->verification = (bench_verification){.messages = counts[0],
                                                  .lost = counts[1],
                                                  .doubled = counts[2],
                                                  .reordered = counts[3],
                                                  .corrupted = counts[4],
                                                  .done = true};
    return CB_OK;
}

/* A multicast of the technology's own is not waited for without end either: that is announced. No
 * packet is under way, and none will be before all have met. */
static cb_status prepare_verification(const bench_passes *run)
{
    run->me->preparation.try_multicast = run->me->own_multicast;
    return run->me->own_multicast ? bench_rank_prepare(run->me) : CB_OK;
}

/* How long a packet is waited for. Over a technology that promises to lose none, it is rather the
 * rank that sends it which has no core than the packet that is lost. */
static double verifying_patience_s(const bench_passes *run)
{
    unsigned capabilities = transport_capabilities(run->session->technology);

    return (capabilities & TRANSPORT_RELIABLE) != 0 ? 5 : 2;
}

/* A pass that a rank had to give up is still counted: the others give up as well. */
cb_status bench_verify(const bench_passes *run)
{
    const double budget_ns = 0.5e9;
    double step_ns = fmax(run->step_ns, bench_pace_slowest_ns(&run->pace));
    uint64_t steps = (uint64_t)fmax(4, fmin(VERIFIED_STEPS, budget_ns / step_ns));
    double late_ns, ignored_ns;
    cb_status status;

    CB_TRY(prepare_verification(run));
    bench_rank_reset(run->me, &bench_verifying, steps);
    run->me->patience_ns = (uint64_t)(verifying_patience_s(run) * 1e9);
    CB_TRY(bench_start_together(run->session, run->team, run->out->oversubscribed, &late_ns));
    bench_begin_computing(run);
    status = bench_run_block(run->me, run->actions, steps, &ignored_ns);
    if (status == CB_OK)
        status = bench_end_computing(run);
    if (status == CB_OK)
        status = transport_flush(run->me->factory);
    CB_TRY(add_findings(run));
    return control_agree(run->team, status);
}
