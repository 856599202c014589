/* The loops of a farm's run.
 *
 * Sources and destinations serve until all events of the run are done. The supervisor issues events
 * in a closed or open loop and measures the times. */
#ifndef FARM_LOOPS_H
#define FARM_LOOPS_H

#include "farm/arrivals.h"
#include "farm/rank.h"
#include "stats/stats.h"

/* What the supervisor runs. */
typedef struct {
    uint64_t events;            /* fewer are issued if almost all are lost */
    uint64_t in_flight;         /* limit */
    uint64_t lead_in, block;    /* decisions before the first mark, and between two marks */
    double *marks_ns;           /* room for (events - lead_in) / block + 1 times; or NULL */
    stats_histogram *latencies; /* by destination; NULL: do not read the clock */
    bool open;
    double rate_hz;
    const farm_arrivals *arrivals;
    uint64_t seed;
    transport_wait wait; /* open loop: how to wait between two polls */
} farm_load;

/* Results of a run. */
typedef struct {
    uint64_t issued, decided, lost, errors;
    uint64_t accepted;      /* of decided, with two steps */
    uint64_t step_bytes[2]; /* with two steps: fragments that destinations got in each */
    size_t marks;
    double elapsed_ns;       /* from the first issue to the last decision, or to giving up */
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
} farm_tally;

/* Run the supervisor's part. *tally is also complete if the run was given up. */
cb_status farm_supervise(bench_rank *me, const bench_actions *actions, const farm_load *load,
                         farm_tally *tally);

/* Read the counts from the ledger again: some decisions may have arrived late. */
void farm_count(const bench_rank *me, farm_tally *tally);

/* Run a source's or a destination's part. */
cb_status farm_serve(bench_rank *me, const bench_actions *actions);

/* After a run that may lose messages, when all ranks have finished it: receive and discard late
 * messages, so that the next run does not receive them. */
cb_status farm_drain(bench_rank *me, const bench_actions *actions);

#endif
