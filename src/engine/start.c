/* How a pass begins and how a run is left: all participants start at one instant, and rank 0 ends
 * an interrupted run at once; any other rank, where the signal came to it alone, a little later. */
#include "engine/session.h"

#include <sched.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"

volatile sig_atomic_t bench_signal_seen;

static const char *signal_name(int number)
{
    return number == SIGINT ? "SIGINT" : "SIGTERM";
}

/* Nothing collective can be trusted to end in the time that is left, and what was measured is in
 * the document. The others are told all the same: MPICH's launcher takes no notice of ranks on
 * other hosts when one has gone, and they would wait for it without end. */
static _Noreturn void leave(const bench_session *session, int seen)
{
    const char *output = session->options->output;

    if (report_finish(session->document, signal_name(seen)) == CB_OK)
        cb_error("%s ends the run; what was measured until then is %s%s; run again for the rest",
                 signal_name(seen), output != NULL ? "in " : "on standard output",
                 output != NULL ? output : "");
    control_abort(session->plane, EXIT_FAILURE);
}

/* Rank 0, if the signal came to it as well, leaves first, and the launcher ends the others. */
static void end_job_in_a_moment(bench_session *session, int seen)
{
    const uint64_t moment_ns = 3000000000;
    uint64_t now_ns = cb_now_ns();

    if (session->interrupted_ns == 0)
        session->interrupted_ns = now_ns;
    if (now_ns - session->interrupted_ns < moment_ns)
        return;
    cb_error("%s came to this rank and ends the job; what was measured until then is in the "
             "result; run again for the rest",
             signal_name(seen));
    control_abort(session->plane, EXIT_FAILURE);
}

void bench_leave_if_interrupted(bench_session *session)
{
    int seen = bench_signal_seen;

    if (seen == 0)
        return;
    if (session->document != NULL)
        leave(session, seen);
    end_job_in_a_moment(session, seen);
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
