/* Evaluations: their parameters, checks and results. */
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
    CCMOD_SPLIT, /* the sender's overhead and the latency pass first, then the bytes share the links
                  */
    CCMOD_PAPER  /* as in the article: all of T_quiet shares the links; every send waits for its
                    receive */
} ccmod_mode;

typedef enum {
    CCMOD_BOTTLENECK, /* each link is shared equally; the most contended link decides */
    CCMOD_MAXMIN,     /* max-min fair: capacity that a message cannot use goes to the others */
    CCMOD_FIFO,       /* each link serves one packet after the other; `plain` has no effect */
    CCMOD_TCP,        /* as fifo, with TCP connections, and ports that drop frames when their buffer
                         is full; only mode split, no background, no multicasts */
    CCMOD_SHARES
} ccmod_share;

/* "bottleneck", "maxmin", "fifo", "tcp". */
CCMOD_API const char *ccmod_share_name(ccmod_share share);

/* Whether a message can go to several receivers at once with this rule. */
CCMOD_API bool ccmod_share_has_multicasts(ccmod_share share);

typedef enum {
    CCMOD_BACKGROUND_NONE,
    CCMOD_BACKGROUND_CONSTANT,   /* background_load on each cell */
    CCMOD_BACKGROUND_EXPONENTIAL /* min(exp of mean background_load, 0.99), drawn from the seed for
                                    each cell and interval, or each evaluation of a cell */
} ccmod_background;

/* Progress of an evaluation, to be displayed, or to decide to stop it. */
typedef struct {
    double clock_us;
    uint64_t messages; /* ended so far */
    size_t ended;      /* number of processors that have ended */
} ccmod_progress;

typedef struct ccmod_parameters {
    ccmod_mode mode;
    ccmod_share share;
    ccmod_background background;
    double background_load;        /* 0 to 0.99 */
    double background_interval_us; /* at least 1; 0: a new load at each evaluation of a cell: at
                                      each event horizon, or with fifo for each packet served */
    uint64_t seed;
    uint64_t buffer_bytes; /* share rule tcp: of each port of a switch, or with buffer_alpha of all
                              ports of the only switch together; 0: no limit */
    double buffer_alpha;   /* a port's queue may hold up to this many times what is free of the
                              shared buffer (dynamic threshold); 0: not shared */
    bool plain;            /* always use the plain algorithm: the same results, slower */
    size_t open_messages;  /* maximum number of pending or unreceived messages, 64 bytes each; more
                              end the evaluation. 0: 2^24, or 64 per processor if that is more */
    double until_us;       /* stop at this time at the latest; 0: no limit */
    uint32_t rate_of;      /* the processor whose receives are counted, or CCMOD_NOBODY */
    uint64_t
        rate_round;   /* number of receives in a round; batches contain whole rounds. 0 means 1 */
    double precision; /* stop when the 95 % interval of that rate is within this share of it, but
                         not before the processor has received 1000 messages and 4 per processor; 0:
                         do not stop */
    /* Called a few times per second; false stops the evaluation. NULL: not called. */
    bool (*progress)(void *context, const ccmod_progress *progress);
    void *progress_context;
} ccmod_parameters;

#define CCMOD_NOBODY UINT32_MAX

/* Mode split, share fifo, no background, seed 1, intervals of 1000 us, all of the traces, no
 * rate. The article's model is CCMOD_PAPER with CCMOD_BOTTLENECK. */
CCMOD_API ccmod_parameters ccmod_parameters_default(void);

/* Set the background and its load from a text: none, LOAD or exp:LOAD, which draws loads with this
 * mean. LOAD is a share of a link, 0 to 0.99, or MEAN/MAXIMUMpackets/s. CCMOD_ERROR_USAGE: the text
 * of the error is the reason, a phrase. */
CCMOD_API ccmod_status ccmod_parameters_set_background(ccmod_parameters *parameters,
                                                       const char *text, ccmod_error *error);

/* Set the buffer from BYTES, or BYTES,shared:ALPHA. Errors as above. */
CCMOD_API ccmod_status ccmod_parameters_set_buffer(ccmod_parameters *parameters, const char *text,
                                                   ccmod_error *error);

/* Times of a processor; clock = send + receive + wait + compute except for rounding. */
typedef struct {
    double clock_us; /* when its trace was consumed */
    double send_us, receive_us, wait_us, compute_us;
} ccmod_processor;

/* Statistics of a cell, a link in one direction. */
typedef struct {
    uint64_t packets;
    double work_us; /* quiet time of all its messages on links: work / width / end is its
                       utilisation */
    double lost_us; /* summed over the messages whose bottleneck it was: the time they took longer
                       than on the quiet network because of it. Share rules fifo and tcp: the time
                       that messages, or frames, were queued here */
    uint32_t peak;  /* largest number of simultaneous messages */
} ccmod_cell;

#define CCMOD_NO_CELL UINT32_MAX

/* Records with a measured time. */
typedef struct {
    uint64_t records;
    double measured_us, predicted_us; /* sums */
    double worst_error;               /* |predicted - measured| / measured; 0 without records */
    uint32_t worst_line;
} ccmod_comparison;

/* What happened in the buffers of switches, with share rule tcp; otherwise all 0. */
typedef struct {
    uint64_t frames;        /* that came to a port */
    uint64_t dropped;       /* of these, because there was no room */
    uint64_t retransmitted; /* segments sent again */
    uint64_t timeouts;      /* retransmission timeouts */
    uint64_t queue_bytes;   /* the largest queue of a port. If nothing was dropped, a buffer of this
                               size drops nothing */
    uint32_t queue_cell;    /* where */
    uint64_t buffered_bytes; /* the largest sum of all queues */
} ccmod_losses;

/* What ended an evaluation. */
typedef enum {
    CCMOD_STOPPED_BY_TRACE, /* all traces are consumed */
    CCMOD_STOPPED_BY_TIME,
    CCMOD_STOPPED_BY_PRECISION
} ccmod_stop;

CCMOD_API const char *ccmod_stop_name(ccmod_stop stop); /* "trace", "time", "precision" */

/* Receive rate of a processor, in messages per second of model time: the mean over batches of
 * receives, without the first quarter, in which the system fills. */
typedef struct {
    uint64_t received;            /* all its receives */
    size_t batches;               /* number counted; 0: too few, and all members below are 0 */
    uint64_t counted;             /* number of receives in them */
    double from_us, to_us;        /* the time they span */
    double per_s;                 /* the rate */
    double low_per_s, high_per_s; /* its 95 % interval */
} ccmod_rate;

/* The result. The caller owns it. If the evaluation was stopped before the end of the traces,
 * clocks are those of the last complete records. */
typedef struct ccmod_result {
    double end_us; /* the largest clock, or when the evaluation was stopped */
    ccmod_stop stopped_by;
    ccmod_rate rate;   /* of the parameters' rate_of; all 0 without */
    uint64_t messages; /* a multicast counts as one */
    uint64_t cycles;   /* number of event horizons */
    size_t processors;
    size_t cells;
    uint32_t bottleneck; /* the cell with the largest lost_us or, if nothing was lost, the largest
                            work / width; CCMOD_NO_CELL if no message used a link */
    ccmod_comparison comparison;
    ccmod_losses losses;
    void *self; /* of the implementation */
} ccmod_result;

/* One of result->processors, and one of result->cells. */
CCMOD_API ccmod_processor ccmod_result_processor(const ccmod_result *result, size_t processor);
CCMOD_API ccmod_cell ccmod_result_cell(const ccmod_result *result, size_t cell);

/* The checks of ccmod_evaluate without the evaluation: no record of the workload is consumed.
 * CCMOD_ERROR_USAGE. */
CCMOD_API ccmod_status ccmod_check(const ccmod_workload *workload, const ccmod_network *network,
                                   const ccmod_calibration *calibration,
                                   const ccmod_parameters *parameters, ccmod_error *error);

/* Evaluate. `observers` has `observer_count` entries (NULL with 0). On success the caller frees
 * *out with ccmod_result_free. The same arguments give bit for bit the same result. A workload that
 * cannot end returns CCMOD_ERROR_DATA; the error says which processor waits for which. */
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
