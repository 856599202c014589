/* The loops of a farm's run. Sources and destinations serve until the run's events are through; the
 * supervisor gives them out, in a closed or an open loop, and keeps the time. */
#ifndef FARM_LOOPS_H
#define FARM_LOOPS_H

#include "farm/rank.h"
#include "farm/load.h"
#include "stats/stats.h"

/* What the supervisor shall do. */
typedef struct {
    uint64_t events;            /* fewer are issued where next to all are lost */
    uint64_t in_flight;         /* at most */
    uint64_t lead_in, block;    /* decisions before the first mark, and between two */
    double *marks_ns;           /* room for (events - lead_in) / block + 1; NULL: none wanted */
    stats_histogram *latencies; /* one for each destination; NULL: the clock is not read */
    bool open;
    double rate_hz;
    bool poisson;
    uint64_t seed;
    transport_wait wait; /* between two looks for a decision, in an open loop */
} farm_load;

/* What came of it. */
typedef struct {
    uint64_t issued, decided, lost, errors;
    size_t marks;
    double elapsed_ns;       /* from the first issue to the last decision, or to giving up */
    double event_ns;         /* of it for each event, without unsuccessful waits */
    double decision_span_ns; /* from the first decision to the last, where latencies are taken */
    /* Of an open loop */
    uint64_t due;            /* until the last event was issued */
    double waited_ns;        /* with an event due, no room for it, and no decision to make some */
    uint64_t backlog_middle; /* events due and not issued when half were issued, */
    uint64_t backlog_end;    /* and when all were; */
    uint64_t in_flight_middle, in_flight_end; /* and events in flight then */
    double issue_span_ns;                     /* from the first issue to the last, */
    double due_span_ns;                       /* and between the instants when they were due */
} farm_tally;

/* Run the supervisor's part; *tally is complete also when the run was given up. */
cb_status farm_supervise(bench_rank *me, const bench_actions *actions, const farm_load *load,
                         farm_tally *tally);

/* Take the numbers of events from the ledger once more: some may have been decided late. */
void farm_count(const bench_rank *me, farm_tally *tally);

/* Run a source's or a destination's part. */
cb_status farm_serve(bench_rank *me, const bench_actions *actions);

/* After a run that may lose messages, when all ranks have ended it: take what still comes, and act
 * on none of it, so that the next run does not find it. */
cb_status farm_drain(bench_rank *me, const bench_actions *actions);

#endif
