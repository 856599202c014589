/* Single trials bisect a bracket of rates; repeated trials confirm its ends. */
#include "rate/search.h"

#include <math.h>

enum { REPEATS = 5, FINE_STEPS = 12, COARSE_STEPS = 10, LOWER_RATES = 2 };

uint64_t rate_search_events(double quantile)
{
    const double beyond = 10;

    return (uint64_t)ceil(beyond / (1 - quantile));
}

double rate_search_trial_ns(const rate_search *search)
{
    return search->limit_ns / 5;
}

static double capacity_hz(const rate_search *search)
{
    return 1e9 / search->event_ns;
}

/* A bracket and both confirmations need about 20 times the fewest events. The last term is for
 * short
 * --max-time, where starting a trial takes longer than the trial. */
double rate_search_limit_ns(const rate_search *search)
{
    const double most_trials = 200, most_fewest = 30, least_ns = 30e9;
    double fewest_ns = (double)search->events * search->event_ns;

    return fmax(fmax(most_trials * rate_search_trial_ns(search), most_fewest * fewest_ns),
                least_ns);
}

/* Whether a trial would end in time. */
static bool trial_fits(const rate_search *search, double rate_hz, double end_ns)
{
    double event_ns = fmax(1e9 / rate_hz, search->event_ns);
    double expected_ns = fmax(rate_search_trial_ns(search), (double)search->events * event_ns);

    return search->now_ns + expected_ns <= end_ns;
}

/* When the time is over, no rate holds. */
static cb_status try_rate(rate_search *search, double rate_hz, bool *holds)
{
    rate_trial trial = {.holds = false};

    *holds = false;
    search->out_of_time = search->out_of_time || !trial_fits(search, rate_hz, search->end_ns);
    if (search->out_of_time)
        return CB_OK;
    CB_TRY(search->try_rate(search->context, rate_hz, &trial));
    search->now_ns = trial.now_ns;
    search->silent = trial.silent;
    *holds = trial.holds;
    return CB_OK;
}

static cb_status try_often(rate_search *search, double rate_hz, size_t *held)
{
    *held = 0;
    for (size_t i = 0; i < REPEATS && !search->out_of_time; i++) {
        bool holds;

        CB_TRY(try_rate(search, rate_hz, &holds));
        *held += holds;
    }
    return CB_OK;
}

/* Find a rate that holds. Start with a tenth of the highest frequency, or half of it if a
 * trial at a tenth would take longer than --max-time. If it fails, go lower while this takes at
 * most a third of the time; the rest is for the bracket. */
static cb_status find_low(rate_search *search, double *low_hz, bool *holds)
{
    const double quiet_share = 0.1, affordable_share = 0.5, step = 3;
    double low_end_ns = search->now_ns + (search->end_ns - search->now_ns) / 3;
    double quiet_ns = (double)search->events * search->event_ns / quiet_share;

    *low_hz = capacity_hz(search) * (quiet_ns < search->limit_ns ? quiet_share : affordable_share);
    CB_TRY(try_rate(search, *low_hz, holds));
    for (size_t i = 0; i < LOWER_RATES && !*holds && !search->silent; i++) {
        if (!trial_fits(search, *low_hz / step, low_end_ns))
            break;
        *low_hz /= step;
        CB_TRY(try_rate(search, *low_hz, holds));
    }
    return CB_OK;
}

/* Bisect between a rate that held and one that did not, down to the resolution. */
static cb_status bisect_rates(rate_search *search, double *low_hz, double *high_hz)
{
    const double resolution = 1.04;

    while (*high_hz / *low_hz > resolution && !search->out_of_time) {
        double middle_hz = sqrt(*low_hz * *high_hz);
        bool holds;

        CB_TRY(try_rate(search, middle_hz, &holds));
        *(holds ? low_hz : high_hz) = middle_hz;
    }
    return CB_OK;
}

/* Small steps first; large ones if the machine is too noisy for them. */
static double step_away(size_t steps)
{
    return steps < FINE_STEPS ? 1.05 : 2;
}

/* Go down from a rate until it holds in all repetitions; *found is the highest that held in most.
 */
static cb_status confirm_low(rate_search *search, double rate_hz, rate_found *found)
{
    for (size_t i = 0; i < FINE_STEPS + COARSE_STEPS && !search->out_of_time; i++) {
        size_t held;

        CB_TRY(try_often(search, rate_hz, &held));
        if (2 * found->held <= REPEATS)
            *found = (rate_found){.rate_hz = rate_hz, .held = held, .repeats = REPEATS};
        if (held == REPEATS) {
            found->low_hz = rate_hz;
            return CB_OK;
        }
        rate_hz /= step_away(i);
    }
    found->repeats = 0;
    return CB_OK;
}

/* Go up from a rate until it holds in no repetition. */
static cb_status confirm_high(rate_search *search, double rate_hz, rate_found *found)
{
    for (size_t i = 0; i < FINE_STEPS + COARSE_STEPS; i++) {
        size_t held;

        CB_TRY(try_often(search, rate_hz, &held));
        if (search->out_of_time)
            break;
        if (held == 0) {
            found->high_hz = rate_hz;
            return CB_OK;
        }
        if (2 * held > REPEATS) {
            found->rate_hz = rate_hz;
            found->held = held;
        }
        rate_hz *= step_away(i);
    }
    found->repeats = 0;
    return CB_OK;
}

/* The first upper rate is a little above the highest frequency. */
cb_status rate_search_highest(rate_search *search, rate_found *found)
{
    double low_hz, high_hz = 1.2 * capacity_hz(search);
    bool holds;

    *found = (rate_found){.repeats = 0};
    search->silent = search->out_of_time = false;
    search->end_ns = search->now_ns + rate_search_limit_ns(search);
    CB_TRY(find_low(search, &low_hz, &holds));
    if (!holds)
        return CB_OK;
    CB_TRY(bisect_rates(search, &low_hz, &high_hz));
    /* A single trial may pass or fail by chance. So the bracket is widened until the lower rate
     * holds in all repetitions and the upper one in none; without such rates, found->repeats is 0.
     */
    CB_TRY(confirm_low(search, low_hz, found));
    return found->repeats > 0 ? confirm_high(search, high_hz, found) : CB_OK;
}
