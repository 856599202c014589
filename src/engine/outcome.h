/* What is measured by whom, and what came of it: what passes, methods and figures hand each other.
 */
#ifndef ENGINE_OUTCOME_H
#define ENGINE_OUTCOME_H

#include <stdint.h>

#include "engine/meters.h"
#include "engine/plan.h"
#include "engine/session.h"
#include "report/report.h"
#include "stats/stats.h"

/* The figure of one measurement at the reference count. */
typedef struct {
    const bench_mode *mode;
    size_t size_bytes;
    double step_us;
} reference_figure;

/* Those so far, of one plan; at rank 0. */
typedef struct {
    reference_figure *figures; /* room for every measurement of the plan */
    size_t count;
} reference_list;

/* How many ranks of a role are on each host, in the order of environment.hosts. */
typedef struct {
    const char *name; /* NULL: there is no such role */
    size_t *ranks;
} role_hosts;

/* What verifying passes have found, summed over the ranks. */
typedef struct {
    uint64_t messages, lost, duplicate, reordered, corrupted;
    bool done;
} verification_result;

/* One measurement, as all its participants know it. */
struct measurement_setting {
    engine_session *session;
    const bench_measurement *planned;
    const int *ranks;
    size_t participants;
    control_team *team;
    bool oversubscribed;
    const role_hosts *roles;    /* rank 0 */
    reference_list *references; /* rank 0 */
};

/* What the passes of one measurement gave; times of blocks are agreed among its participants. */
typedef struct {
    double *blocks_ns; /* in the order of measuring */
    size_t block_count, block_room;
    uint64_t steps;             /* of a block */
    unsigned window;            /* of a pipeline's links; 0: it is none */
    const char *stopped_by;     /* precision or max-time */
    double skew_ns;             /* of the starts, the largest */
    double group_create_ns;     /* for each group made; negative without */
    stats_histogram *histogram; /* of single steps, merged */
    double harness_ns;          /* a step over null; negative when not measured */
    double touch_ns;            /* one packet; negative when not measured, or without touching */
    double *shares;
    size_t share_count;
    bool shares_left_out;     /* a block is too short to have any */
    double algorithm_true_us; /* negative: no algorithm ran */
    verification_result verification;
    cb_counts counters;
    double lost_share; /* of the packets of all blocks */
    meters timed;      /* of this rank, in the blocks that count */
} measurement_outcome;

#endif
