/* The algorithm of receiving processors: work that is calibrated on each rank's core before the
 * first measurement and again before each, and held against the clock after the last. */
#include "engine/session.h"

#include <math.h>

#include "base/log.h"

static bool wanted(const bench_session *session, const bench_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        if (plan->measurements[i].algorithm_us > 0)
            return true;
    return session->options->slow_us > 0;
}

/* What ranks work with: the fastest and the slowest of them. */
static cb_status put_rates(const bench_session *session)
{
    double unit_ns[2] = {session->work.unit_ns, -session->work.unit_ns};

    CB_TRY(control_maximum(control_everyone(session->plane), unit_ns, 2));
    if (session->document == NULL)
        return CB_OK;
    report_put_number(session->document, -unit_ns[1], "environment.algorithm.least_unit_ns");
    report_put_number(session->document, unit_ns[0], "environment.algorithm.most_unit_ns");
    return CB_OK;
}

cb_status bench_calibrate_algorithm(bench_session *session, const bench_plan *plan)
{
    if (!wanted(session, plan))
        return CB_OK;
    CB_TRY(host_work_calibrate(&session->work));
    return put_rates(session);
}

cb_status bench_algorithm_units(bench_session *session, double us, uint64_t *units)
{
    *units = 0;
    if (us <= 0)
        return CB_OK;
    CB_TRY(host_work_refine(&session->work));
    *units = host_work_units(&session->work, us);
    return CB_OK;
}

enum { CHECKS = 3 };

static const double tolerated_pct = 5;

/* How far a calibration is from what was worked with. One that is off is repeated, since it may
 * have met somebody else on the core, as none of the run need have. */
static cb_status find_drift(const host_work_rate *rate, double *drift_pct)
{
    host_work_rate now;

    CB_TRY(host_work_calibrate(&now));
    for (size_t i = 1;; i++) {
        *drift_pct = 100 * fabs(now.unit_ns / rate->unit_ns - 1);
        if (*drift_pct <= tolerated_pct || i == CHECKS)
            return CB_OK;
        CB_TRY(host_work_refine(&now));
    }
}

cb_status bench_check_algorithm(const bench_session *session)
{
    double drift_pct;

    if (session->work.unit_ns <= 0)
        return CB_OK;
    CB_TRY(put_rates(session));
    CB_TRY(find_drift(&session->work, &drift_pct));
    CB_TRY(control_maximum(control_everyone(session->plane), &drift_pct, 1));
    if (session->document == NULL)
        return CB_OK;
    report_put_number(session->document, drift_pct, "environment.algorithm.drift_pct");
    if (drift_pct > tolerated_pct)
        cb_warning(
            "the algorithm's calibration drifted by %.1f %% during the run: the cores changed "
            "their speed or are shared; algorithm_true_us says how long it really took",
            drift_pct);
    return CB_OK;
}
