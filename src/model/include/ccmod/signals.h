/* The fifteen signals of an evaluation, and the observer that receives them.
 *
 * To add an observer: one file src/model/observers/NAME.c with a function that makes a
 * ccmod_observer: the signals it needs, and the function to call with them. The evaluation takes a
 * list of observers. */
#ifndef CCMOD_SIGNALS_H
#define CCMOD_SIGNALS_H

#include <stddef.h>
#include <stdint.h>

#include <ccmod/base.h>
#include <ccmod/calibration.h>
#include <ccmod/network.h>
#include <ccmod/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    CCMOD_SIGNAL_CONFIG,        /* the evaluation's input: `config` */
    CCMOD_SIGNAL_GO_INIT,       /* the evaluation begins; clock 0 */
    CCMOD_SIGNAL_GO_STARTEVENT, /* H: a cycle begins with the current traffic: `cycle` */
    CCMOD_SIGNAL_GO_END,      /* all traces are consumed, or the evaluation was stopped; clock = the
                                 model's time then, which may be later than that of any processor */
    CCMOD_SIGNAL_CREATEEVENT, /* a record was read from a trace: `event` */
    CCMOD_SIGNAL_NEWSCOM,     /* a message starts: `message` */
    CCMOD_SIGNAL_NEWPROC,     /* a processor begins to compute: `event` */
    CCMOD_SIGNAL_SYSCONT,     /* H: the contention array: `system` */
    CCMOD_SIGNAL_MSGCONT,     /* H: contention and bottleneck of one message: `message` */
    CCMOD_SIGNAL_COMMCOST,    /* H: its availability and T_com: `message` */
    CCMOD_SIGNAL_EVENTHORIZON, /* H: how long the traffic stays unchanged: `horizon` */
    CCMOD_SIGNAL_UPPR_PROC,    /* a processor has spent an interval on one activity: `interval` */
    CCMOD_SIGNAL_UPPR_SCOM,    /* H: remaining work of a message after the horizon: `message` */
    CCMOD_SIGNAL_UPPR_PCNS,    /* H: packets of a message that arrived in the horizon: `message` */
    CCMOD_SIGNAL_UPPR_END,     /* a message has ended: `message` */
    CCMOD_SIGNALS
} ccmod_signal_kind;

/* With share rule tcp no signal marked H is sent. Else an observer of one sees every horizon: the
 * evaluation then uses a plainer algorithm that recomputes all messages at each horizon, which is
 * slow from about a hundred simultaneous messages. With share rule fifo a horizon is the time
 * between two changes of what links serve; the availability of a message is then an equal share of
 * the most contended link that it has still to pass, and a packet is consumed when it has passed
 * its last link. */

/* The name in the article: "CONFIG", "GO_INIT". */
CCMOD_API const char *ccmod_signal_name(ccmod_signal_kind kind);

/* Activities of a processor in the space-time diagram. The article's "idle" (idle for the network)
 * is computing here; waiting is being blocked while none of its messages moves. */
typedef enum {
    CCMOD_COMPUTING,
    CCMOD_SENDING,
    CCMOD_RECEIVING,
    CCMOD_WAITING,
    CCMOD_ACTIVITIES
} ccmod_activity;

CCMOD_API const char *
ccmod_activity_name(ccmod_activity activity); /* "compute", "send", "receive", "wait" */

typedef struct {
    uint64_t id; /* in order of the starts, from 0 */
    uint32_t source;
    const uint32_t *destinations;
    size_t destination_count; /* 1, or more for a multicast */
    uint64_t size_bytes, packets;
    uint32_t line;         /* of the send's record */
    const uint32_t *cells; /* the route or tree */
    size_t cell_count, hops;
    ccmod_delay quiet;
    double start_us; /* of the message: of its overhead in mode split */
    double flow_us;  /* when it enters the links; equal to start_us in mode paper */
    /* The steady state, valid from MSGCONT on; at UPPR_END averages over the time on the links. */
    double contention;       /* C: messages on the bottleneck cell, per width, at least 1 */
    uint32_t bottleneck;     /* its cell; undefined without links (see cell_count) */
    double availability;     /* BA in (0, 1] */
    double cost_us;          /* T_com if nothing changes; at UPPR_END the actual duration */
    double remaining_us;     /* remaining quiet time on the links */
    double consumed_packets; /* UPPR_PCNS: in this horizon */
} ccmod_message;

struct ccmod_parameters;

typedef struct {
    ccmod_signal_kind kind;
    double clock_us;
    union {
        struct {
            const ccmod_workload *workload;
            const ccmod_network *network;
            const ccmod_calibration *calibration;
            const struct ccmod_parameters *parameters;
        } config;
        struct {
            uint64_t number;      /* of the cycle, from 0 */
            size_t live_messages; /* number on links */
        } cycle;
        struct {
            uint32_t processor;
            const ccmod_record *record;
        } event;
        struct {
            const uint32_t *messages; /* number of messages on each cell */
            size_t cell_count;
        } system;
        struct {
            double duration_us;
        } horizon;
        struct {
            uint32_t processor;
            ccmod_activity activity;
            double since_us; /* until the signal's clock; never empty. Intervals of a processor are
                                contiguous from 0 to its end */
            uint32_t line;   /* of the record */
            double measured_us; /* of the whole record; negative: none */
        } interval;
        ccmod_message message;
    } of;
} ccmod_signal;

typedef struct {
    uint32_t wanted; /* bit mask of the kinds of signals to receive */
    /* The signal and everything it points to are valid during the call. A status other than
     * CCMOD_OK ends the evaluation with that status and the text that the observer wrote to
     * `error`. */
    ccmod_status (*signal)(void *self, const ccmod_signal *signal, ccmod_error *error);
    void *self;
} ccmod_observer;

#define CCMOD_WANTS(kind) (UINT32_C(1) << (kind))

/* All fifteen, including those marked H. */
#define CCMOD_WANTS_ALL (CCMOD_WANTS(CCMOD_SIGNALS) - 1)
#define CCMOD_WANTS_HORIZONS                                                                       \
    (CCMOD_WANTS(CCMOD_SIGNAL_GO_STARTEVENT) | CCMOD_WANTS(CCMOD_SIGNAL_SYSCONT) |                 \
     CCMOD_WANTS(CCMOD_SIGNAL_MSGCONT) | CCMOD_WANTS(CCMOD_SIGNAL_COMMCOST) |                      \
     CCMOD_WANTS(CCMOD_SIGNAL_EVENTHORIZON) | CCMOD_WANTS(CCMOD_SIGNAL_UPPR_SCOM) |                \
     CCMOD_WANTS(CCMOD_SIGNAL_UPPR_PCNS))

#ifdef __cplusplus
}
#endif

#endif
