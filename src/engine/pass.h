/* One pass of a measurement: batches of blocks, which all participants start at the same time.
 *
 * Between batches the ranks meet in the control plane; inside a batch they use only the data plane.
 * Decisions depend on numbers that all participants have agreed on, so all decide alike without a
 * message. */
#ifndef ENGINE_PASS_H
#define ENGINE_PASS_H

#include <stddef.h>

#include "engine/budget.h"
#include "engine/traffic.h"
#include "engine/outcome.h"
#include "engine/session.h"
#include "engine/wait.h"
#include "host/work.h"
#include "stats/stats.h"

enum { PACE_BATCHES = 3, PASS_BLOCKS_MAXIMUM = 512 };

/* What a step used in each of the last batches, from the common start to the end of the slowest
 * rank. Zero-initialise. A batch cannot be interrupted, and other work on the machine can make it
 * many times slower than the last one. So the length of the next batch follows from the slowest of
 * the last few, and uses only a part of the time left. Pure functions. */
typedef struct {
    double steps_ns[PACE_BATCHES];
    size_t count; /* batches so far; the latest is at (count - 1) % PACE_BATCHES */
} batch_pace;

/* Record a batch of `steps` (above 0) that took batch_ns. */
void pace_note(batch_pace *pace, double batch_ns, double steps);

/* Time of a step in the latest batch, and in the slowest of the last PACE_BATCHES; 0 before the
 * first. */
double pace_latest_ns(const batch_pace *pace);
double pace_slowest_ns(const batch_pace *pace);

/* Number of steps that the next batch may have, with `left_ns` of `limit_ns` left: as many as fit
 * at the slowest pace into a quarter of the limit, or an eighth if the last batches differ by more
 * than a quarter. Negative if the time is over, infinite before the first batch. */
double pace_affordable(const batch_pace *pace, double left_ns, double limit_ns);

/* Consecutive blocks of `steps` steps each. */
typedef struct {
    uint64_t lead_in; /* uncounted steps before the first block */
    uint64_t steps;
    size_t blocks; /* at most PASS_BLOCKS_MAXIMUM */
} pass_batch;

/* State that the passes of a measurement share. */
typedef struct {
    engine_session *session;
    control_team *team;
    bench_rank *me;
    const bench_actions *actions;
    bool oversubscribed;
    host_task *task; /* computing task that runs while timing; NULL: none on this rank */
    meters meters;   /* of all timed sections */
    budget_mark started;
    double limit_ns; /* --max-time */
    /* Agreed on after each batch */
    double elapsed_ns;     /* used since the start, by the slowest rank */
    double messages_ns;    /* budget of the messages of the last batch */
    double skew_ns;        /* largest difference between start times of a batch, since set to 0 */
    batch_pace pace;       /* of batches, including what block times leave out */
    unsigned paced_window; /* the window in the last batch */
    pass_batch batch;      /* the last batch, and ... */
    double blocks_ns[PASS_BLOCKS_MAXIMUM]; /* ... its blocks: the longest time of all timed ranks */
    /* Of this rank, in the blocks of the last batch: units of the task, and time; and the turns of
     * the task since the batch began */
    uint64_t batch_units;
    double batch_ns;
    host_task_turns batch_turns;
} pass_context;

typedef struct {
    const bench_traffic *traffic;
    /* Decide on the next batch from the last one. *next is the last batch (blocks is 0 before the
     * first) and is set to the next one; blocks = 0 ends the pass. */
    cb_status (*next)(void *decider, const pass_context *context, pass_batch *next);
    void *decider;
    /* In place of `next`: one block of `steps` steps, whose time is not agreed on. If `histogram`
     * is not NULL, a timed rank records each step in it. */
    uint64_t steps;
    stats_histogram *histogram;
} pass_plan;

/* Run a pass and flush the technology. Collective over the team. Returns the first error of an
 * action, a decision or the control plane. */
cb_status pass_run(pass_context *context, const pass_plan *pass);

/* Start and stop the computing task and the meters. pass_end_timing returns CB_ERROR_TRANSPORT,
 * logged, if the task had to be stopped earlier because communication made no progress beside it.
 */
void pass_begin_timing(pass_context *context);
cb_status pass_end_timing(pass_context *context);

/* An instant, on this rank's clock, that is the same for all ranks of a team: ahead_ns after all of
 * them are here. pass_start_together waits for it; *late_ns is how late this rank was. Collective
 * over the team. */
cb_status pass_agree_on_start(const control_clock *clock, control_team *team, uint64_t ahead_ns,
                              uint64_t *start_ns);
cb_status pass_start_together(const control_clock *clock, control_team *team, bool oversubscribed,
                              double *late_ns);

#endif
