/* Calibration of the algorithm's work, and the check for drift. */
#include "engine/algorithm.h"

#include <math.h>

#include "base/log.h"

cb_status algorithm_mean_us(control_team *team, uint64_t elapsed_ns, uint64_t runs, double *mean_us)
{
    uint64_t sums[] = {elapsed_ns, runs};

    CB_TRY(control_sum(team, sums, 2));
    *mean_us = sums[1] > 0 ? (double)sums[0] / (double)sums[1] / 1e3 : -1;
    return CB_OK;
}

/* Write the fastest and the slowest rank's time per unit of work. */
static cb_status put_rates(const engine_session *session)
{
    double unit_ns[2] = {session->work_rate.unit_ns, -session->work_rate.unit_ns};

    CB_TRY(control_maximum(control_everyone(session->plane), unit_ns, 2));
    if (session->document == NULL)
        return CB_OK;
    report_put_number(session->document, -unit_ns[1], "environment.algorithm.least_unit_ns");
    report_put_number(session->document, unit_ns[0], "environment.algorithm.most_unit_ns");
    return CB_OK;
}

cb_status algorithm_calibrate(engine_session *session, const bench_plan *plan)
{
    bool wanted = session->job->options->slow_us > 0;

    for (size_t i = 0; i < plan->count; i++)
        wanted = wanted || plan->measurements[i].algorithm_us > 0;
    if (!wanted)
        return CB_OK;
    CB_TRY(host_work_calibrate(&session->work_rate));
    return put_rates(session);
}

cb_status algorithm_units(host_work_rate *rate, double us, uint64_t *units)
{
    *units = 0;
    if (us <= 0)
        return CB_OK;
    CB_TRY(host_work_refine(rate));
    *units = host_work_units(rate, us);
    return CB_OK;
}

enum { CHECKS = 3 };

static const double tolerated_pct = 5;

/* Deviation of a new calibration from the one in use. A large deviation is measured again, since
 * another process may have used the core during the first attempt. */
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

cb_status algorithm_check(const engine_session *session)
{
    double drift_pct;

    if (session->work_rate.unit_ns <= 0)
        return CB_OK;
    CB_TRY(put_rates(session));
    CB_TRY(find_drift(&session->work_rate, &drift_pct));
    CB_TRY(control_maximum(control_everyone(session->plane), &drift_pct, 1));
    if (session->document == NULL)
        return CB_OK;
    report_put_number(session->document, drift_pct, "environment.algorithm.drift_pct");
    if (drift_pct > tolerated_pct)
        cb_warning("the algorithm's calibration drifted by %.1f %% during the run: cores "
                   "changed their clock rate or are shared with other processes; compare "
                   "algorithm_us with the measured algorithm_true_us, or fix the clock "
                   "rate",
                   drift_pct);
    return CB_OK;
}
