/* The loops of a farm's run.
 *
 * Sources and destinations serve until all events of the run are done. The supervisor issues events
 * in a closed or open loop and measures the times. */
#ifndef FARM_LOOPS_H
#define FARM_LOOPS_H

#include "farm/rank.h"
#include "rate/arrivals.h"
#include "rate/outcome.h"
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
    const rate_arrivals *arrivals;
    uint64_t seed;
    transport_wait wait; /* open loop: how to wait between two polls */
} farm_load;

/* Run the supervisor's part. *tally is also complete if the run was given up. */
cb_status farm_supervise(bench_rank *me, const bench_actions *actions, const farm_load *load,
                         rate_tally *tally);

/* Read the counts from the ledger again: some decisions may have arrived late. */
void farm_count(const bench_rank *me, rate_tally *tally);

/* Run a source's or a destination's part. */
cb_status farm_serve(bench_rank *me, const bench_actions *actions);

/* After a run that may lose messages, when all ranks have finished it: receive and discard late
 * messages, so that the next run does not receive them. */
cb_status farm_drain(bench_rank *me, const bench_actions *actions);

#endif
