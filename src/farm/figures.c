/* The figures of closed and open loops. */
#include "farm/figures.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/figures.h"
#include "farm/farm.h"
#include "farm/options.h"

/* If events were lost: decisions / the time of all runs, to the last one or to giving up. */
static double delivered_hz(const rate_outcome *outcome, report_row *row)
{
    report_set_text(row, REPORT_RATES_FROM, "totals");
    return (double)outcome->tally.decided / outcome->tally.elapsed_ns * 1e9;
}

/* The frequency is that of decisions. */
static cb_status fill_closed(const rate_outcome *outcome, report_row *row, double *frequency_hz)
{
    stats_summary summary;

    if (outcome->tally.lost > 0)
        *frequency_hz = delivered_hz(outcome, row);
    if (outcome->block_count == 0)
        return CB_OK; /* almost all events were lost */
    for (size_t i = 0; i < outcome->block_count; i++)
        outcome->blocks_ns[i] /= 1e3 * (double)outcome->block;
    CB_TRY(figures_summarize(outcome->blocks_ns, outcome->block_count, &summary));
    figures_fill_blocks(REPORT_ROUND_US, &summary, outcome->blocks_ns, outcome->block_count,
                        outcome->block * outcome->block_count, row);
    report_set_text(row, REPORT_STOPPED_BY, outcome->stopped_by);
    if (outcome->tally.lost == 0)
        *frequency_hz =
            1e6 / figures_rate_us(&outcome->base.delivery, &outcome->base.counters,
                                  outcome->blocks_ns, outcome->block_count, summary.median, row);
    return CB_OK;
}

/* Why the rate is not reached. The farm, if waiting for it explains at least half of the last
 * event's delay, or if it filled up. Otherwise the supervisor, which did not issue due events in
 * time. */
static const char *limit_of(const rate_outcome *outcome)
{
    const rate_tally *tally = &outcome->tally;
    double late_ns = tally->issue_span_ns - tally->due_span_ns;

    return 2 * tally->waited_ns > late_ns || rate_fills_up(outcome) ? "farm" : "supervisor";
}

static void fill_open(const rate_outcome *outcome, report_row *row, double *frequency_hz)
{
    const rate_tally *tally = &outcome->tally;

    *frequency_hz = tally->decided > 1 && tally->decision_span_ns > 0
                        ? (double)(tally->decided - 1) / tally->decision_span_ns * 1e9
                        : (double)NAN;
    if (tally->lost > 0)
        *frequency_hz = delivered_hz(outcome, row);
    rate_fill_load(outcome, row);
    report_set_number(row, REPORT_HELD_BACK, (double)tally->held_back);
    if (rate_saturated(outcome))
        report_set_text(row, REPORT_LIMITED_BY, limit_of(outcome));
}

/* The latencies of all events, and an entry for each destination. in_flight_mean is the mean over
 * the samples at each issue. */
static cb_status fill_destinations(const measurement_setting *setting, const farm_outcome *outcome,
                                   report_row *row)
{
    const rate_outcome *rate = outcome->rate;
    const int *ranks =
        &setting->ranks[shape_span(&setting->planned->shape, FARM_DESTINATION).first];
    stats_histogram *latency = cb_allocate(1, sizeof(*latency), "a histogram of latencies");

    if (latency == NULL)
        return CB_ERROR_MEMORY;
    for (size_t i = 0; i < rate->destinations; i++) {
        const farm_account *account = &outcome->accounts[i];
        uint64_t issued = account->decided + account->lost;
        double in_flight_mean = issued > 0 ? (double)account->in_flight_sum / (double)issued : 0;

        stats_histogram_merge(latency, &outcome->latencies[i]);
        report_set_member(row, REPORT_PER_DESTINATION, ranks[i], "%zu.rank", i);
        report_set_member(row, REPORT_PER_DESTINATION, (double)account->decided, "%zu.decided", i);
        report_set_member(row, REPORT_PER_DESTINATION, (double)account->lost, "%zu.lost", i);
        report_set_member(row, REPORT_PER_DESTINATION, in_flight_mean, "%zu.in_flight_mean", i);
        report_set_member(row, REPORT_PER_DESTINATION, (double)account->in_flight_most,
                          "%zu.in_flight_most", i);
        report_set_member_percentiles(row, REPORT_PER_DESTINATION, &outcome->latencies[i],
                                      "%zu.latency_us", i);
    }
    report_set_distribution(row, REPORT_EVENT_LATENCY_US, latency, 1);
    free(latency);
    return CB_OK;
}

/* Accounts of the two steps. Returns the number of sources that an event has data of, on average.
 */
static double fill_steps(const farm_outcome *outcome, double fraction, size_t sources,
                         size_t fetched, report_row *row)
{
    const rate_tally *tally = &outcome->rate->tally;
    const double decided = (double)tally->decided, accepted = (double)tally->accepted;

    if (fraction < 0)
        return (double)fetched;
    report_set_number(row, REPORT_ACCEPT, fraction);
    report_set_number(row, REPORT_ACCEPTED, accepted);
    report_set_number(row, REPORT_REJECTED, decided - accepted);
    report_set_number(row, REPORT_FIRST_STEP_BYTES, (double)tally->step_bytes[0]);
    report_set_number(row, REPORT_SECOND_STEP_BYTES, (double)tally->step_bytes[1]);
    if (outcome->step_latencies != NULL) {
        report_set_distribution(row, REPORT_REJECTED_LATENCY_US, &outcome->step_latencies[0], 1);
        report_set_distribution(row, REPORT_ACCEPTED_LATENCY_US, &outcome->step_latencies[1], 1);
    }
    return (double)fetched +
           (tally->decided > 0 ? accepted / decided : 0) * (double)(sources - fetched);
}

cb_status farm_figures(const measurement_setting *setting, const farm_outcome *outcome,
                       report_row *row)
{
    const bench_measurement *measurement = setting->planned;
    const rate_outcome *rate = outcome->rate;
    const rate_tally *tally = &rate->tally;
    const size_t sources = measurement->shape.stages[FARM_SOURCE];
    const size_t fetched = farm_fetched(setting->session->job->options, sources);
    const double accept = farm_accept_fraction(setting->session->job->options);
    const double size_bytes =
        measurement->varied ? rate->base.fragment_mean_bytes : (double)measurement->size_bytes;
    const double mean_sources = fill_steps(outcome, accept, sources, fetched, row);
    double frequency_hz = (double)NAN;

    figures_fill_common(setting, rate->open ? "open" : "closed", mean_sources, size_bytes,
                        &rate->base, row);
    report_set_number(row, REPORT_SOURCES, (double)sources);
    if (fetched < sources)
        report_set_number(row, REPORT_FETCHED, (double)fetched);
    report_set_number(row, REPORT_DESTINATIONS, (double)rate->destinations);
    report_set_number(row, REPORT_IN_FLIGHT_LIMIT, (double)outcome->in_flight);
    figures_fill_synchronised(measurement,
                              (size_t)(outcome->in_flight + rate->destinations - 1) /
                                  rate->destinations * (accept < 0 ? fetched : sources),
                              row);
    if (rate->open) {
        report_set_text(row, REPORT_ARRIVALS, setting->session->job->options->arrivals);
        fill_open(rate, row, &frequency_hz);
    } else {
        CB_TRY(fill_closed(rate, row, &frequency_hz));
    }
    report_set_number(row, REPORT_FREQUENCY_HZ, frequency_hz);
    report_set_number(row, REPORT_THROUGHPUT_MBPS, mean_sources * size_bytes * frequency_hz / 1e6);
    report_set_number(row, REPORT_ISSUED, (double)tally->issued);
    report_set_number(row, REPORT_DECIDED, (double)tally->decided);
    report_set_number(row, REPORT_LOST, (double)tally->lost);
    report_set_number(row, REPORT_IN_FLIGHT,
                      (double)(tally->issued - tally->decided - tally->lost));
    report_set_number(row, REPORT_ERRORS, (double)tally->errors);
    return fill_destinations(setting, outcome, row);
}
