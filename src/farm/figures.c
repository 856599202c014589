/* The figures of closed and open loops. */
#include "farm/figures.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/figures.h"
#include "farm/farm.h"

static void fill_closed(const farm_outcome *outcome, report_row *row)
{
    double divisor_us = 1e3 * (double)outcome->block;

    if (outcome->block_count == 0)
        return; /* next to all was lost */
    for (size_t i = 0; i < outcome->block_count; i++)
        outcome->blocks_ns[i] /= divisor_us;
    if (figures_summarize(outcome->blocks_ns, outcome->block_count, &row->round_us) != CB_OK)
        return;
    row->blocks_us = outcome->blocks_ns;
    row->block_count = outcome->block_count;
    row->step_count = (double)outcome->block * (double)outcome->block_count;
    row->stopped_by = outcome->stopped_by;
    row->frequency_Hz = 1e6 / row->round_us.median;
}

static const double late = 1.01; /* of the run */

bool farm_piles_up(const farm_outcome *outcome)
{
    const double least_growth = 1.5, most_growth = 4, few_each = 2;
    const farm_tally *tally = &outcome->tally;
    double middle = (double)tally->in_flight_middle, end = (double)tally->in_flight_end;

    return tally->decision_span_ns > late * tally->due_span_ns &&
           end > few_each * (double)outcome->destinations && end >= least_growth * middle &&
           end <= most_growth * middle;
}

bool farm_saturated(const farm_outcome *outcome)
{
    const farm_tally *tally = &outcome->tally;
    bool waits_longer = tally->issue_span_ns > late * tally->due_span_ns &&
                        tally->backlog_end > tally->backlog_middle;

    return waits_longer || farm_piles_up(outcome);
}

/* Who holds the rate down: the farm, where waiting for it explains most of what the last event was
 * late by, or where it filled up; else the supervisor, that had no time to give out what was due.
 */
static const char *limit_of(const farm_outcome *outcome)
{
    const farm_tally *tally = &outcome->tally;
    double late_ns = tally->issue_span_ns - tally->due_span_ns;

    return 2 * tally->waited_ns > late_ns || farm_piles_up(outcome) ? "farm" : "supervisor";
}

static void fill_open(const farm_outcome *outcome, report_row *row)
{
    const farm_tally *tally = &outcome->tally;
    bool saturated = farm_saturated(outcome);

    row->offered_Hz = outcome->offered_hz;
    if (tally->decided > 1 && tally->decision_span_ns > 0)
        row->frequency_Hz = (double)(tally->decided - 1) / tally->decision_span_ns * 1e9;
    row->saturated = saturated ? REPORT_YES : REPORT_NO;
    if (saturated)
        row->limited_by = limit_of(outcome);
    else if (tally->due_span_ns > 0)
        row->generator_error_pct = 100 * fabs(tally->issue_span_ns / tally->due_span_ns - 1);
    row->due = (double)tally->due;
    row->not_issued = (double)tally->backlog_end;
    if (outcome->found.rate_hz > 0)
        row->found = (report_found){.value_Hz = outcome->found.rate_hz,
                                    .low_Hz = outcome->found.low_hz,
                                    .high_Hz = outcome->found.high_hz,
                                    .held = outcome->found.held,
                                    .repeats = outcome->found.repeats};
}

static void fill_accounts(const farm_tally *tally, report_row *row)
{
    row->issued = (double)tally->issued;
    row->decided = (double)tally->decided;
    row->lost = (double)tally->lost;
    row->in_flight = (double)(tally->issued - tally->decided - tally->lost);
    row->errors = (double)tally->errors;
}

/* One entry a destination; in flight were, in the mean, as many as each issue saw. */
static report_destination *list_destinations(const measurement_setting *setting,
                                             const farm_outcome *outcome)
{
    const int *ranks =
        &setting->ranks[bench_shape_span(&setting->planned->shape, FARM_DESTINATION).first];
    report_destination *list =
        cb_allocate(outcome->destinations, sizeof(*list), "the rows of destinations");

    for (size_t i = 0; list != NULL && i < outcome->destinations; i++) {
        const farm_account *account = &outcome->accounts[i];
        uint64_t issued = account->decided + account->lost;

        list[i] = (report_destination){
            .rank = ranks[i],
            .decided = (double)account->decided,
            .lost = (double)account->lost,
            .in_flight_mean = issued > 0 ? (double)account->in_flight_sum / (double)issued : 0,
            .in_flight_most = (double)account->in_flight_most,
            .latency = &outcome->latencies[i]};
    }
    return list;
}

void farm_figures(const measurement_setting *setting, const farm_outcome *outcome, report_row *row,
                  farm_lists *lists)
{
    const bench_measurement *planned = setting->planned;
    size_t sources = planned->shape.stages[FARM_SOURCE];

    figures_conditions(setting, row);
    row->mode = outcome->open ? "open" : "closed";
    row->arrivals = outcome->open ? setting->session->options->arrivals : NULL;
    row->sources = (double)sources;
    row->destinations = (double)outcome->destinations;
    row->in_flight_limit = (double)outcome->in_flight;
    if (outcome->algorithm_true_us >= 0)
        row->algorithm_true_us = outcome->algorithm_true_us;
    (outcome->open ? fill_open : fill_closed)(outcome, row);
    row->throughput_MBps = (double)(sources * planned->size_bytes) * row->frequency_Hz / 1e6;
    fill_accounts(&outcome->tally, row);
    row->skew_us = outcome->skew_ns / 1e3;
    if (outcome->touch_ns >= 0)
        row->touch_us = outcome->touch_ns / 1e3;
    row->verification = outcome->verification;
    row->datagrams = outcome->datagrams;
    lists->destinations = list_destinations(setting, outcome);
    lists->latency = cb_allocate(1, sizeof(*lists->latency), "a histogram of latencies");
    if (lists->latency != NULL)
        for (size_t i = 0; i < outcome->destinations; i++)
            stats_histogram_merge(lists->latency, &outcome->latencies[i]);
    row->event_latency = lists->latency;
    row->per_destination = lists->destinations;
    row->destination_count = lists->destinations != NULL ? outcome->destinations : 0;
}

void farm_lists_free(farm_lists *lists)
{
    free(lists->destinations);
    free(lists->latency);
}
