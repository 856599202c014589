/* One pass of a measurement: batches of blocks, each begun by all participants at one instant.
 * Between two batches the ranks meet in the control plane; inside one only the data plane is used.
 * What a pass decides follows from numbers that all participants have agreed on, so that all decide
 * alike without a message. */
#ifndef ENGINE_PASS_H
#define ENGINE_PASS_H

#include <stddef.h>

#include "engine/benchmark.h"
#include "engine/outcome.h"
#include "engine/session.h"
#include "host/work.h"

enum { PACE_BATCHES = 3, PASS_BLOCKS_MAXIMUM = 512 };

/* What a step took in each of the last batches, from the start of all to the end of the last rank;
 * all zero: none was yet. A batch that has begun cannot be cut short, and others on the machine can
 * make it many times slower than the one before: so the length of the next one goes by the slowest
 * of the last few, and not all of the time is staked on one. Pure. */
typedef struct {
    double steps_ns[PACE_BATCHES];
    size_t count; /* so far; the latest is at (count - 1) % PACE_BATCHES */
} batch_pace;

/* A batch of `steps`, above 0, took so long. */
void pace_note(batch_pace *pace, double batch_ns, double steps);

/* A step in the latest batch, and in the slowest of the last three; 0 before the first. */
double pace_latest_ns(const batch_pace *pace);
double pace_slowest_ns(const batch_pace *pace);

/* How many steps the next batch may have with `left_ns` of a limit left: as many as fit at the
 * slowest pace, and within a quarter of the limit, or an eighth where the last batches differ by
 * more than a quarter. Negative when the time is over, infinite before the first batch. */
double pace_affordable(const batch_pace *pace, double left_ns, double limit_ns);

/* Blocks of `steps` each, one right after the other. */
typedef struct {
    uint64_t lead_in; /* steps before the first block, which are not counted */
    uint64_t steps;
    size_t blocks; /* at most PASS_BLOCKS_MAXIMUM */
} pass_batch;

/* What the passes of a measurement share. */
typedef struct {
    engine_session *session;
    control_team *team;
    bench_rank *me;
    const bench_actions *actions;
    bool oversubscribed;
    host_task *task; /* computes during all that is timed; NULL: none does here */
    meters meters;   /* of all that is timed */
    uint64_t started_ns;
    double limit_ns; /* --max-time */
    /* Agreed after each batch */
    double elapsed_ns;     /* since started_ns, of the slowest rank */
    double skew_ns;        /* between the starts of a batch with a lead-in, the largest so far */
    batch_pace pace;       /* of batches: with all that the clocks of blocks do not see */
    unsigned paced_window; /* the window in the last of them */
    pass_batch batch;      /* the last one, and ... */
    double blocks_ns[PASS_BLOCKS_MAXIMUM]; /* ... of its blocks the longest among timed ranks */
    /* Of this rank, in the blocks of the last batch: what the task did, and how long they took */
    uint64_t batch_units;
    double batch_ns;
} pass_context;

typedef struct {
    const bench_traffic *traffic;
    /* Decide on the next batch from what came of the last one: *next is that one (without blocks
     * before the first) and becomes the other, without blocks when the pass is over. */
    cb_status (*next)(void *decider, const pass_context *context, pass_batch *next);
    void *decider;
    /* One block of `steps` whose time is not agreed on. A rank whose clock counts records each of
     * its steps in the histogram, unless that is NULL. In place of `next`. */
    uint64_t steps;
    stats_histogram *histogram;
} pass_plan;

/* Run a pass. Together; what is still under way is flushed. */
cb_status pass_run(pass_context *context, const pass_plan *pass);

/* The computing task and the meters run from here on, and no longer. End gives CB_ERROR_TRANSPORT,
 * logged, when the task had to be stopped before: the communication did not go on beside it. */
void pass_begin_timing(pass_context *context);
cb_status pass_end_timing(pass_context *context);

/* All of a team start at an instant of rank 0's clock, far enough ahead to be known to all by then;
 * *late_ns is by how much this rank missed it. */
cb_status pass_start_together(const control_clock *clock, control_team *team, bool oversubscribed,
                              double *late_ns);

#endif
