/* Rows of loads, and the choice of loads: one rate, the points of a curve, or the trials of a
 * search. */
#include "rate/rates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "engine/figures.h"
#include "engine/measurement.h"
#include "engine/rank.h"
#include "engine/shares.h"
#include "rate/load.h"
#include "rate/search.h"

/* An open loop needs a minimum of events within --max-time. */
static cb_status check_rate(const bench_options *options, const rate_arrivals *arrivals,
                            double rate_hz)
{
    const uint64_t events = rate_arrivals_events(arrivals, 0, RATE_OPEN_EVENTS);
    double needed_s = (double)events / rate_hz / share_load;

    if (rate_hz <= 0)
        return CB_OK;
    CB_TRY(rate_arrivals_check_rate(arrivals, rate_hz));
    if (needed_s <= options->max_time_s)
        return CB_OK;
    cb_error("an open loop at %g Hz needs %.3g s for %llu events, but --max-time is %g"
             " s; use a higher rate, or a longer --max-time",
             rate_hz, needed_s, (unsigned long long)events, options->max_time_s);
    return CB_ERROR_USAGE;
}

static cb_status check_rates(const bench_options *options, const rate_arrivals *arrivals)
{
    rate_load_point points[RATE_LOAD_POINTS];
    size_t count;

    if (options->load_curve == NULL || strcmp(options->load_curve, "auto") == 0)
        return check_rate(options, arrivals, options->rate_hz);
    CB_TRY(rate_load_parse(options->load_curve, points, &count));
    for (size_t i = 0; i < count; i++)
        CB_TRY(check_rate(options, arrivals, points[i].rate_hz));
    return CB_OK;
}

cb_status rate_check(const bench_options *options)
{
    int kinds = (options->rate_hz > 0) + (options->load_curve != NULL) + options->find_rate;
    rate_arrivals arrivals;
    cb_status status;

    if (kinds > 1) {
        cb_error("--rate, --load-curve and --find-rate exclude each other; use only one "
                 "of them");
        return CB_ERROR_USAGE;
    }
    if (options->find_rate && options->deadline_us <= 0) {
        cb_error("--find-rate needs a deadline; add --deadline-us");
        return CB_ERROR_USAGE;
    }
    if (!options->find_rate && options->deadline_us > 0) {
        cb_error("--deadline-us has no effect without --find-rate; leave it out, or add "
                 "the other");
        return CB_ERROR_USAGE;
    }
    CB_TRY(rate_arrivals_parse(options->arrivals, &arrivals));
    status = check_rates(options, &arrivals);
    rate_arrivals_free(&arrivals);
    return status;
}

enum { QUIET_EVENTS = 20 };

cb_status rate_run_open(rate_run *run)
{
    const measurement_setting *setting = run->setting;
    const bench_options *options = setting->session->job->options;
    const rank_setting place = rank_setting_of(setting);

    run->root = control_team_index(setting->team) == 0;
    run->started = budget_now();
    run->limit_ns = options->max_time_s * 1e9;
    run->row.touch_ns = -1;
    CB_TRY(rate_arrivals_parse(options->arrivals, &run->arrivals));
    CB_TRY(rate_load_agree(setting->team, &run->arrivals));
    CB_TRY(rank_create(&place, setting->session->technology, &run->me, &run->actions));
    if (run->root && traffic_touches(fragments_traffic(options)))
        run->row.touch_ns = harness_touch_ns(plan_typical_bytes(setting->planned));
    return CB_OK;
}

/* After a failure that the others may not know about, this rank ends the job. Destroying a group is
 * collective and could block it. */
void rate_run_close(rate_run *run, cb_status status)
{
    if (status == CB_OK || !run->setting->planned->own_multicast)
        rank_destroy(run->setting->session->job->definition, run->me);
    rate_arrivals_free(&run->arrivals);
}

/* Rows */

void rate_row_begin(rate_run *run)
{
    row_begin(&run->row, run->setting->session);
    run->kind->reset(run);
}

typedef struct {
    rate_run *run;
    rate_outcome *outcome;
} filling;

static cb_status fill_row(void *context, const measurement_setting *setting, report_row *row)
{
    const filling *of = context;

    (void)setting;
    CB_TRY(of->run->kind->fill(of->run, of->outcome, row));
    of->outcome->frequency_hz = report_row_number(row, REPORT_FREQUENCY_HZ, "");
    return CB_OK;
}

cb_status rate_row_add(rate_run *run, rate_outcome *outcome)
{
    filling of = {.run = run, .outcome = outcome};
    report_row row = {.broken = false};

    CB_TRY(row_gather(&run->row, run->setting, run->root ? &row : NULL));
    if (run->kind->gather != NULL)
        CB_TRY(run->kind->gather(run));
    if (!run->root)
        return CB_OK;
    outcome->base = run->row;
    run->row.verification.done = false;
    return row_write(&outcome->base, run->setting, run->kind->counted, fill_row, &of, &row);
}

/* Loads */

rate_load rate_next_load(rate_run *run, double rate_hz, uint64_t events)
{
    return (rate_load){.events = events,
                       .rate_hz = rate_hz,
                       .arrivals = &run->arrivals,
                       .seed = run->setting->session->job->options->seed + run->open_runs++};
}

uint64_t rate_whole_steps(const rate_run *run, uint64_t events)
{
    const uint64_t each = run->step_events, least = 4;

    if (each <= 1)
        return events;
    return events > least * each ? (events + each - 1) / each * each : least * each;
}

/* Begin the row of an open loop that takes `time_ns`, and choose its events. */
static rate_load begin_load(rate_run *run, double rate_hz, double time_ns, uint64_t least,
                            rate_outcome *out)
{
    const uint64_t events =
        rate_load_events(&run->arrivals, rate_hz, rate_event_used_ns(run), time_ns, least);

    *out = (rate_outcome){.open = true, .offered_hz = rate_hz};
    rate_row_begin(run);
    return rate_next_load(run, rate_hz, rate_whole_steps(run, events));
}

/* The search for the highest rate */

typedef struct {
    rate_run *run;
    double quantile, deadline_ns;
    double quiet_ns;   /* median latency of single events in an otherwise idle job; 0: not known */
    double reached_ns; /* quantile of the latency in the last trial */
    rate_search search;
} highest_rate;

/* Run events one by one. If most of them miss the deadline, no rate can hold it, which saves the
 * many events of a trial. */
static cb_status measure_single_events(highest_rate *rates)
{
    rate_run *run = rates->run;
    rate_outcome outcome = {.open = false};

    if (run->kind->run_single == NULL)
        return CB_OK;
    rate_row_begin(run);
    CB_TRY(run->kind->run_single(run, QUIET_EVENTS, &outcome));
    rates->search.silent = outcome.tally.decided == 0;
    rates->quiet_ns = run->root ? run->kind->latency_ns(run, 0.5) : 0;
    return control_broadcast(run->setting->team, &rates->quiet_ns, sizeof(rates->quiet_ns));
}

/* Whether a rate holds in one trial: the schedule is kept, nothing is lost, and the quantile of the
 * latency is within the deadline. The root decides for all. */
static cb_status try_rate(void *context, double rate_hz, rate_trial *out)
{
    highest_rate *rates = context;
    rate_run *run = rates->run;
    rate_outcome outcome;
    const rate_load load = begin_load(run, rate_hz, rate_search_trial_ns(&rates->search),
                                      rates->search.events, &outcome);

    CB_TRY(run->kind->run_load(run, &load, &outcome));
    *out = (rate_trial){.silent = outcome.tally.decided == 0, .now_ns = run->elapsed_ns};
    if (run->root) {
        rates->reached_ns = run->kind->latency_ns(run, rates->quantile);
        out->holds = !rate_saturated(&outcome) && run->row.delivery.lost == 0 &&
                     rates->reached_ns <= rates->deadline_ns;
    }
    return control_broadcast(run->setting->team, &out->holds, sizeof(out->holds));
}

static void explain_failure(const highest_rate *rates, char *why, size_t size)
{
    const bench_options *options = rates->run->setting->session->job->options;
    const rate_search *search = &rates->search;

    if (search->silent)
        snprintf(why, size, "no event was decided, all were lost; run again with --verify");
    else if (rates->quiet_ns > rates->deadline_ns)
        snprintf(why, size,
                 "the deadline of %g us is below the latency of an idle network: half of single "
                 "events take %.1f us or more; use a longer --deadline-us",
                 options->deadline_us, rates->quiet_ns / 1e3);
    else if (search->out_of_time)
        snprintf(why, size,
                 "no rate was confirmed in %.3g s, the time limit of this search: a trial needs "
                 "at least %llu events, which take %.3g s at the highest rate; use a longer "
                 "--max-time, or a lower --quantile",
                 rate_search_limit_ns(search) / 1e9, (unsigned long long)search->events,
                 (double)search->events * search->event_ns / 1e9);
    else if (rates->reached_ns > rates->deadline_ns && rates->quiet_ns > 0)
        snprintf(why, size,
                 "%s was %.1f us even at the lowest rate tried, although half of single events "
                 "take at most %.1f us: some events were delayed, perhaps by other work on the "
                 "machine or because ranks share cores; use a --deadline-us above %g, or a lower "
                 "--quantile",
                 options->quantile, rates->reached_ns / 1e3, rates->quiet_ns / 1e3,
                 options->deadline_us);
    else if (rates->reached_ns > rates->deadline_ns)
        snprintf(why, size,
                 "%s of the last trial was %.1f us; use a --deadline-us above %g, a lower "
                 "--quantile, or a longer --max-time",
                 options->quantile, rates->reached_ns / 1e3, options->deadline_us);
    else
        snprintf(why, size,
                 "no rate holds in all of its trials below one that holds in none (%s of the last "
                 "trial was %.1f us): events were lost or late, or other work used the machine; "
                 "use a longer --max-time",
                 options->quantile, rates->reached_ns / 1e3);
}

/* Report a search without result in the document; the run fails after all else is measured. */
static cb_status report_failed_search(const highest_rate *rates)
{
    const measurement_setting *setting = rates->run->setting;
    const bench_measurement *planned = setting->planned;
    char shape[SHAPE_TEXT + 64], what[sizeof(shape) + 48], why[320];

    if (!rates->run->root)
        return CB_OK;
    if (planned->topology[0] != '\0')
        snprintf(shape, sizeof(shape), "topology %s, algorithm %g us", planned->topology,
                 planned->algorithm_us);
    else if (planned->shape.stage_count > 0)
        snprintf(shape, sizeof(shape), "%zu sources, %zu destinations, algorithm %g us",
                 planned->shape.stages[planned->shape.stage_count - 2],
                 planned->shape.stages[planned->shape.stage_count - 1], planned->algorithm_us);
    else
        snprintf(shape, sizeof(shape), "%zu processors", setting->participants);
    snprintf(what, sizeof(what), "--find-rate at %zu bytes, %s", planned->size_bytes, shape);
    explain_failure(rates, why, sizeof(why));
    cb_error("%s: %s", what, why);
    setting->session->verdict.search_failed = true;
    return report_skip(setting->session->document, what, why);
}

static cb_status find_rate(rate_run *run)
{
    const bench_options *options = run->setting->session->job->options;
    const double quantile = rate_quantile(options->quantile);
    highest_rate rates = {
        .run = run, .quantile = quantile, .deadline_ns = options->deadline_us * 1e3};
    rate_found found = {.repeats = 0};
    rate_outcome outcome;
    rate_load load;

    rates.search = (rate_search){
        .try_rate = try_rate,
        .context = &rates,
        .limit_ns = run->limit_ns,
        .event_ns = run->event_ns,
        .events = rate_arrivals_events(&run->arrivals, 0, rate_search_events(quantile))};
    CB_TRY(measure_single_events(&rates));
    rates.search.now_ns = run->elapsed_ns;
    if (rates.quiet_ns <= rates.deadline_ns)
        CB_TRY(rate_search_highest(&rates.search, &found));
    if (found.repeats == 0)
        return report_failed_search(&rates);
    load = begin_load(run, found.rate_hz, run->limit_ns / 2, rates.search.events, &outcome);
    CB_TRY(run->kind->run_load(run, &load, &outcome));
    outcome.found = found;
    return rate_row_add(run, &outcome);
}

cb_status rate_measure(rate_run *run)
{
    const bench_options *options = run->setting->session->job->options;
    rate_load_point points[RATE_LOAD_POINTS] = {{.rate_hz = options->rate_hz}};
    double time_ns = share_load * run->limit_ns;
    size_t count = 1;

    if (options->load_curve != NULL)
        CB_TRY(rate_load_parse(rate_load_curve(options->load_curve), points, &count));
    else if (options->rate_hz <= 0)
        return options->find_rate ? find_rate(run) : CB_OK;
    else /* Nothing else is measured, so what came before counts in the time. */
        time_ns =
            fmax(fmin(time_ns, run->limit_ns - run->elapsed_ns), share_load_least * run->limit_ns);
    for (size_t i = 0; i < count; i++) {
        const double rate_hz = rate_load_rate_hz(&points[i], run->event_ns);
        rate_outcome outcome;
        rate_load load;

        if (!rate_load_fits(&run->arrivals, rate_hz, run->limit_ns) ||
            (double)rate_whole_steps(run, 1) * 1e9 / rate_hz > run->limit_ns) {
            if (run->root)
                cb_warning("the rate %g Hz is left out: the period of --arrivals, or the fewest "
                           "events of a load, take longer than --max-time there; use a longer "
                           "--max-time, or higher rates",
                           rate_hz);
            continue;
        }
        load = begin_load(run, rate_hz, time_ns, RATE_OPEN_EVENTS, &outcome);
        CB_TRY(run->kind->run_load(run, &load, &outcome));
        CB_TRY(rate_row_add(run, &outcome));
    }
    return CB_OK;
}
