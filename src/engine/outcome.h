/* Input and results of one measurement, passed between passes, methods and figures. */
#ifndef ENGINE_OUTCOME_H
#define ENGINE_OUTCOME_H

#include <stdint.h>

#include "engine/fragments.h"
#include "engine/meters.h"
#include "engine/plan.h"
#include "engine/session.h"
#include "report/report.h"
#include "stats/stats.h"

/* The figure of a measurement at the reference count. */
typedef struct {
    const bench_mode *mode;
    size_t size_bytes;
    double step_us;
} reference_figure;

/* Reference figures of a plan so far; rank 0 only. */
typedef struct {
    reference_figure *figures; /* room for each measurement of the plan */
    size_t count;
} reference_list;

/* Number of ranks of a role on each host, in the order of environment.hosts. */
typedef struct {
    const char *name; /* NULL: no such role */
    size_t *ranks;
} role_hosts;

/* Counts of the verification pass, summed over the ranks. */
typedef struct {
    uint64_t messages, lost, duplicate, reordered, corrupted;
    bool done;
} verification_result;

/* Messages of an unreliable technology in the timed part, summed over the ranks; all 0 over a
 * reliable one. Valid at index 0 of the team. */
typedef struct {
    uint64_t arrived, lost;  /* packets */
    uint64_t own;            /* of those that arrived, from a rank to itself */
    uint64_t unacknowledged; /* acknowledgements and signals that were lost */
} delivery_counts;

/* One measurement. Equal in all participants. */
struct measurement_setting {
    engine_session *session;
    const bench_measurement *planned;
    const int *ranks;
    size_t participants;
    control_team *team;
    bool oversubscribed;
    const role_hosts *roles;    /* rank 0 only */
    reference_list *references; /* rank 0 only */
};

/* What all rows have, whichever method measures them; see rows.h. Negative times were not measured.
 * The second part is valid at index 0 of the team, after the row was gathered. */
typedef struct {
    /* Of this rank, since the row began */
    meters timed;
    fragments_arrived arrived; /* if sizes vary */
    uint64_t algorithm_runs, algorithm_ns;
    double skew_ns;  /* largest difference between start times */
    double touch_ns; /* per packet, if its data is read */
    verification_result verification;
    delivery_counts delivery; /* of the team */
    double algorithm_true_us;
    double fragment_mean_bytes, fragment_largest_bytes;
    cb_counts counters;
    engine_limit limit; /* in a model; valid at index 0 */
} row_base;

/* Results of the passes of one measurement. Block times are agreed on by the participants. Free
 * with measurement_outcome_free. */
typedef struct {
    row_base base;
    double *blocks_ns; /* in the order of measuring */
    size_t block_count, block_room;
    uint64_t steps;                        /* per block */
    unsigned window;                       /* of a pipeline's links; 0: no pipeline */
    const char *stopped_by;                /* precision, max-time or messages */
    double group_create_ns, group_free_ns; /* per group; negative: no group */
    stats_histogram *histogram;            /* of single steps, summed over ranks */
    double harness_ns;                     /* step over null; negative: not measured */
    double *shares;
    size_t share_count;
    double *thread_shares; /* by sending thread; NULL: none */
    size_t thread_count;
    bool shares_left_out; /* blocks are too short for shares */
    double whole_share;   /* of events, of which all packets arrived; negative: as of the packets */
    double figure_us;     /* of the row: the time per step that rates are made from */
} measurement_outcome;

#endif
