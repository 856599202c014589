/* An evaluation: its parameters, what it is to be refused for, and what comes out. */
#ifndef CCMOD_EVALUATION_H
#define CCMOD_EVALUATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ccmod/base.h>
#include <ccmod/calibration.h>
#include <ccmod/network.h>
#include <ccmod/signals.h>
#include <ccmod/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    CCMOD_SPLIT, /* the sender's overhead and the latency pass unstretched, then the bytes share */
    CCMOD_PAPER  /* the article: all of T_quiet shares; every send waits for its receive */
} ccmod_mode;

typedef enum {
    CCMOD_BOTTLENECK, /* each link is shared equally, the most contended one decides */
    CCMOD_MAXMIN,     /* what a message cannot use elsewhere goes to the others */
    CCMOD_FIFO        /* each link serves one packet after the other; the signals marked H are not
                         sent, and `plain` means nothing */
} ccmod_share;

/* "bottleneck", "maxmin", "fifo". */
CCMOD_API const char *ccmod_share_name(ccmod_share share);

typedef enum {
    CCMOD_BACKGROUND_NONE,
    CCMOD_BACKGROUND_CONSTANT,   /* background_load on each cell */
    CCMOD_BACKGROUND_EXPONENTIAL /* min(exp of mean background_load, 0.99), drawn anew for each
                                    cell and interval from the seed */
} ccmod_background;

/* Why an evaluation asks: to be shown, or to be stopped. */
typedef struct {
    double clock_us;
    uint64_t messages; /* ended so far */
    size_t ended;      /* processors that are done */
} ccmod_progress;

typedef struct ccmod_parameters {
    ccmod_mode mode;
    ccmod_share share;
    ccmod_background background;
    double background_load; /* 0 to 0.99 */
    double background_interval_us;
    uint64_t seed;
    bool plain;           /* take the plain path in any case: the same results, slower */
    size_t open_messages; /* the most that may be under way or wait to be received, 64 bytes each;
                             more end the evaluation. 0: 2^24, or 64 for each processor */
    double until_us;      /* the evaluation ends at this time, if not before; 0: with the traces */
    uint32_t rate_of;     /* the processor whose receives are counted, or CCMOD_NOBODY */
    uint64_t rate_round;  /* receives in a round; batches are whole ones. 0 counts as 1 */
    double precision;     /* the evaluation ends once the 95 % interval of that rate reaches no
                             farther than this share of it; 0: it does not. Not before that processor
                             has received 1000 messages, and 4 for each processor */
    /* Called now and then, some times a second; false ends the evaluation. NULL: not called. */
    bool (*progress)(void *context, const ccmod_progress *progress);
    void *progress_context;
} ccmod_parameters;

#define CCMOD_NOBODY UINT32_MAX

/* Mode split, share bottleneck, no background, seed 1, intervals of 1000 us, all of the traces, and
 * nobody's rate. */
CCMOD_API ccmod_parameters ccmod_parameters_default(void);

/* Of a processor; clock = send + receive + wait + compute but for rounding. */
typedef struct {
    double clock_us; /* when its trace was consumed */
    double send_us, receive_us, wait_us, compute_us;
} ccmod_processor;

/* Of a cell, a link in one direction. */
typedef struct {
    uint64_t packets;
    double work_us; /* of quiet time on links of all its messages: work / width / end is how far
                       it is used */
    double lost_us; /* summed over the messages whose bottleneck it was: by how much longer than on
                       the quiet network they took because of it */
    uint32_t peak;  /* most messages at once */
} ccmod_cell;

#define CCMOD_NO_CELL UINT32_MAX

/* Records with a measured time. */
typedef struct {
    uint64_t records;
    double measured_us, predicted_us; /* sums */
    double worst_error;               /* |predicted - measured| / measured; 0 without records */
    uint32_t worst_line;
} ccmod_comparison;

/* Why an evaluation ended. */
typedef enum {
    CCMOD_STOPPED_BY_TRACE, /* all traces are consumed */
    CCMOD_STOPPED_BY_TIME,
    CCMOD_STOPPED_BY_PRECISION
} ccmod_stop;

CCMOD_API const char *ccmod_stop_name(ccmod_stop stop); /* "trace", "time", "precision" */

/* How often a processor receives, in messages per second of the model's time: the mean over batches
 * of receives, without the first quarter of them, in which the system fills. */
typedef struct {
    uint64_t received;            /* all of its receives */
    size_t batches;               /* that were counted; 0: too few to know, and all below is 0 */
    uint64_t counted;             /* receives in them */
    double from_us, to_us;        /* when they were */
    double per_s;                 /* the rate */
    double low_per_s, high_per_s; /* its 95 % interval */
} ccmod_rate;

/* What came out. Owned by whoever asked for the evaluation. Where an evaluation was stopped before
 * the end of the traces, clocks are those of the last complete records. */
typedef struct ccmod_result {
    double end_us; /* the largest clock, or when the evaluation was stopped */
    ccmod_stop stopped_by;
    ccmod_rate rate;   /* of the parameters' rate_of; all 0 without */
    uint64_t messages; /* a multicast is one */
    uint64_t cycles;   /* event horizons */
    size_t processors;
    size_t cells;
    uint32_t bottleneck; /* the cell with the largest lost_us, or, where nothing was lost, the
                            largest work; CCMOD_NO_CELL when no message used a link */
    ccmod_comparison comparison;
    void *self; /* the implementation's */
} ccmod_result;

/* One of result->processors, and one of result->cells. */
CCMOD_API ccmod_processor ccmod_result_processor(const ccmod_result *result, size_t processor);
CCMOD_API ccmod_cell ccmod_result_cell(const ccmod_result *result, size_t cell);

/* What ccmod_evaluate refuses before it begins, and nothing more: no record of the workload is
 * taken. CCMOD_ERROR_USAGE. */
CCMOD_API ccmod_status ccmod_check(const ccmod_workload *workload, const ccmod_network *network,
                                   const ccmod_calibration *calibration,
                                   const ccmod_parameters *parameters, ccmod_error *error);

/* Evaluate. `observers` has `observer_count` entries (NULL with 0). On success *out is to be freed
 * with ccmod_result_free. The same arguments give the same result bit for bit. A workload that
 * cannot end gives CCMOD_ERROR_DATA and says which processor waits for whom. */
CCMOD_API ccmod_status ccmod_evaluate(ccmod_workload *workload, const ccmod_network *network,
                                      const ccmod_calibration *calibration,
                                      const ccmod_parameters *parameters,
                                      const ccmod_observer *observers, size_t observer_count,
                                      ccmod_result **out, ccmod_error *error);
CCMOD_API void ccmod_result_free(ccmod_result *result);

#ifdef __cplusplus
}
#endif

#endif
