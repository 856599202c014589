/* What a row of loads has measured: counts, times, and whether the rate was kept. */
#ifndef RATE_OUTCOME_H
#define RATE_OUTCOME_H

#include "engine/outcome.h"

/* Results of a load. */
typedef struct {
    uint64_t issued, decided, lost, errors;
    uint64_t accepted;      /* of decided, with two steps */
    uint64_t step_bytes[2]; /* with two steps: fragments that destinations got in each */
    size_t marks;
    double elapsed_ns;       /* from the first issue to the last decision, or to giving up */
    double used_ns;          /* of the limit: elapsed_ns, or the budget of the messages */
    double event_ns;         /* per event, without timeouts */
    double decision_span_ns; /* from the first to the last decision, if latencies are recorded */
    /* Open loop only */
    uint64_t due;            /* events due when the last one was issued */
    uint64_t held_back;      /* events that fell due while the limit of events in flight was
                              * reached, and were issued later */
    double waited_ns;        /* time with an event due, the limit of events in flight reached, and
                              * no decision */
    uint64_t backlog_middle; /* events due and not issued when half were issued, */
    uint64_t backlog_end;    /* and when all were; */
    uint64_t in_flight_middle, in_flight_end; /* and events in flight at these times */
    double issue_span_ns;                     /* from the first issue to the last, */
    double due_span_ns;                       /* and between their due times */
} rate_tally;

/* Result of a search for the highest rate (--find-rate). */
typedef struct {
    double rate_hz;         /* highest rate that held; 0: no search */
    double low_hz, high_hz; /* every trial held at low_hz and failed at high_hz */
    size_t held, repeats;   /* trials that held, and all trials, at rate_hz */
} rate_found;

/* One row: a closed loop, or an open loop at one rate. */
typedef struct {
    row_base base;
    bool open;
    double offered_hz;
    uint64_t block;    /* events per block */
    double *blocks_ns; /* closed loop: time of each block */
    size_t block_count;
    const char *stopped_by;
    rate_tally tally; /* of all loads of the row */
    size_t destinations;
    rate_found found;
    double frequency_hz; /* of the row, when it is made */
} rate_outcome;

/* Fill in the offered load of an open loop, its accounts, and the result of a search. */
void rate_fill_load(const rate_outcome *outcome, report_row *row);

/* Whether an open loop did not keep its schedule: the last event was issued late by more than 1 %
 * of the run, and more events were waiting at the end than in the middle; or the farm filled up
 * (rate_fills_up). */
bool rate_saturated(const rate_outcome *outcome);

/* Whether a farm fills up although events can still be issued: decisions are late by more than 1 %
 * of the run, and at its end 1.5 to 4 times as many events are in flight as in its middle. Growth
 * beyond that is a disturbance near the end, which fills the farm at once; up to two events per
 * destination do not count. */
bool rate_fills_up(const rate_outcome *outcome);

#endif
