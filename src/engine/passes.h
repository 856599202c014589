/* What the passes of one measurement share: measure.c has those of every measurement, beside.c
 * those beside a computing task. Functions that say so are called by all participants together. */
#ifndef BENCH_PASSES_H
#define BENCH_PASSES_H

#include "engine/session.h"
#include "engine/pace.h"

enum { BENCH_BATCH_MAXIMUM = 512 };

typedef struct {
    bench_session *session;
    control_team *team;
    bench_rank *me;
    const bench_actions *actions;
    const bench_traffic *traffic;
    bench_outcome *out;
    bool is_stream; /* bounded by the window */
    bool led_in;    /* and timed from its first event on */
    uint64_t started_ns;
    double limit_ns;       /* --max-time */
    double elapsed_ns;     /* agreed: of the rank that is slowest */
    double step_ns;        /* estimate, agreed, by the clocks that time blocks */
    bench_pace pace;       /* agreed, of batches: with all that those clocks do not see */
    unsigned paced_window; /* out->window in the last of them */
    host_task *task;       /* computes during all that is timed; NULL: none does here */
    /* Of the last batch, its lead-in left out: what the task did, in so much time. */
    uint64_t batch_units;
    double batch_ns;
} bench_passes;

/* How many steps make a block that lasts `wanted_ns` or, of a stream, holds some windows, as long
 * as two dozen of those fit into the time limit; `window` 0: no stream. Pure. */
uint64_t bench_steps_of_block(double step_ns, double wanted_ns, double limit_ns, unsigned window);

/* The task computes from here, and no longer. End gives CB_ERROR_TRANSPORT, logged, when it had to
 * be stopped before: the communication did not go on beside it. */
void bench_begin_computing(const bench_passes *run);
cb_status bench_end_computing(const bench_passes *run);

/* Run `count` blocks of `steps`, at most BENCH_BATCH_MAXIMUM, one right after the other, after a
 * shorter one that does not count; times are the longest of all timed ranks. Together. */
cb_status bench_run_batch(bench_passes *run, uint64_t steps, size_t count, bool lead_in,
                          double *blocks_ns);

/* Append to the blocks of the outcome. */
cb_status bench_keep_blocks(bench_outcome *out, const double *blocks_ns, size_t count);

double bench_mean(const double *values, size_t count);

/* Shares of the sources in the blocks since the last reset, where there are any. */
cb_status bench_keep_shares(const bench_passes *run);

/* Single steps until `until_ns` after the beginning of the measurement, one at least; as many as
 * fit at the slowest pace of the last batches. Together. */
cb_status bench_time_steps(bench_passes *run, double until_ns);

/* verify.c: the verifying pass, not timed. Together. */
cb_status bench_verify(const bench_passes *run);

/* beside.c: all passes of a measurement beside a computing task. Together. */
cb_status bench_measure_beside(bench_passes *run, const bench_measurement *measurement,
                               size_t participants);

#endif
