/* How a pass begins and how a run is left: all participants start at one instant, and rank 0 ends
 * an interrupted run at once. */
#include "bench/engine.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"

volatile sig_atomic_t bench_signal_seen;

/* Nothing collective can be trusted to end in the time that is left, and what was measured is in
 * the document. */
void bench_leave_if_interrupted(const bench_session *session)
{
    int seen = bench_signal_seen;

    if (seen == 0 || session->document == NULL)
        return;
    (void)report_finish(session->document, seen == SIGINT ? "SIGINT" : "SIGTERM");
    _exit(EXIT_FAILURE);
}

static void wait_until(uint64_t instant_ns, bool oversubscribed)
{
    const uint64_t near_ns = 150000;
    uint64_t now_ns;

    while ((now_ns = cb_now_ns()) < instant_ns)
        if (instant_ns - now_ns > near_ns)
            cb_sleep_ns(instant_ns - now_ns - near_ns);
        else if (oversubscribed)
            sched_yield();
}

cb_status bench_start_together(const bench_session *session, control_team *team,
                               bool oversubscribed, double *late_ns)
{
    const uint64_t ahead_ns = oversubscribed ? 2000000 : 300000;
    const control_clock *clock = &session->clock;
    uint64_t instant_ns;

    CB_TRY(control_barrier(team));
    instant_ns = control_clock_reference(clock, cb_now_ns()) + ahead_ns;
    CB_TRY(control_broadcast(team, &instant_ns, sizeof(instant_ns)));
    wait_until(control_clock_local(clock, instant_ns), oversubscribed);
    *late_ns = (double)(int64_t)(control_clock_reference(clock, cb_now_ns()) - instant_ns);
    return CB_OK;
}
