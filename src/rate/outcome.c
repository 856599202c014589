#include "rate/outcome.h"

#include <math.h>

#include "report/report.h"

static const double late = 1.01; /* 1 % of the run */

bool rate_fills_up(const rate_outcome *outcome)
{
    const double least_growth = 1.5, most_growth = 4, few_each = 2;
    const rate_tally *tally = &outcome->tally;
    double middle = (double)tally->in_flight_middle, end = (double)tally->in_flight_end;

    return tally->decision_span_ns > late * tally->due_span_ns &&
           end > few_each * (double)outcome->destinations && end >= least_growth * middle &&
           end <= most_growth * middle;
}

bool rate_saturated(const rate_outcome *outcome)
{
    const rate_tally *tally = &outcome->tally;
    bool waits_longer = tally->issue_span_ns > late * tally->due_span_ns &&
                        tally->backlog_end > tally->backlog_middle;

    return waits_longer || rate_fills_up(outcome);
}

void rate_fill_load(const rate_outcome *outcome, report_row *row)
{
    const rate_tally *tally = &outcome->tally;
    const rate_found *found = &outcome->found;
    bool saturated = rate_saturated(outcome);

    report_set_number(row, REPORT_OFFERED_HZ, outcome->offered_hz);
    report_set_flag(row, REPORT_SATURATED, saturated);
    if (!saturated && tally->due_span_ns > 0)
        report_set_number(row, REPORT_GENERATOR_ERROR_PCT,
                          100 * fabs(tally->issue_span_ns / tally->due_span_ns - 1));
    report_set_number(row, REPORT_DUE, (double)tally->due);
    report_set_number(row, REPORT_NOT_ISSUED, (double)tally->backlog_end);
    if (found->rate_hz > 0) {
        report_set_member(row, REPORT_FOUND_HZ, found->rate_hz, "value");
        report_set_member(row, REPORT_FOUND_HZ, found->low_hz, "interval.0");
        report_set_member(row, REPORT_FOUND_HZ, found->high_hz, "interval.1");
        report_set_member(row, REPORT_FOUND_HZ, (double)found->held, "held");
        report_set_member(row, REPORT_FOUND_HZ, (double)found->repeats, "repeats");
    }
}
