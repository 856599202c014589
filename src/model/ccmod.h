/* CCMOD, a model of communication on packet switching networks: given what every processor of a
 * machine does (a workload), how the network is wired (a network) and what a message costs on the
 * quiet network (a calibration), it predicts when every processor is done, and which link limits
 * it. The model is that of S. Papaefstathiou, "Predicting Communications Bottlenecks" (2001);
 * docs/model.md has the method, the trace format and a worked example.
 *
 * The library has no global state: any number of evaluations may run in one process, at the same
 * time in different threads as long as no two share a workload or an observer. Networks, traces and
 * calibrations are only read, and may be shared. It never exits and prints nothing; a function that
 * fails returns a status and fills the ccmod_error that it was given.
 *
 * Times are in microseconds, sizes in bytes, bandwidths in MB/s (10^6 bytes), in every interface.
 *
 * To add a network: one file src/model/network_NAME.c with a const ccmod_network_operations (only
 * `route` is required) and a function that parses what stands behind "NAME:" in --network and fills
 * a ccmod_network; one row in network.c's table of kinds. network_crossbar.c is the smallest
 * example. A program that uses the library fills a ccmod_network of its own; no table knows it.
 *
 * To add an observer: one file src/model/observer_NAME.c with a function that makes a
 * ccmod_observer: which signals it wants, and what is to be called with them. The evaluation takes
 * a list of them. */
#ifndef MODEL_CCMOD_H
#define MODEL_CCMOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

/* Errors */

enum { CCMOD_ERROR_BYTES = 1024 };

/* Filled by the function that fails: "FILE:LINE: what was attempted, on what, the cause; what to
 * change", without a newline. Every function below that takes one accepts NULL. CB_ERROR_USAGE: the
 * input is wrong; CB_ERROR_SYSTEM: a file cannot be read; CB_ERROR_MEMORY; CB_ERROR_INTERRUPTED:
 * the progress callback asked for the end; CB_ERROR_DATA: the workload cannot end (a deadlock, a
 * receive that nobody sends to). */
typedef struct {
    cb_status status;
    size_t line; /* of the file that the text names; 0 where there is none */
    char text[CCMOD_ERROR_BYTES];
} ccmod_error;

/* Fill `error` (unless NULL) by printf and return `status`: for networks, workloads and observers
 * that are written elsewhere, too. `file` may be NULL, `line` 0. */
cb_status ccmod_fail(ccmod_error *error, cb_status status, const char *file, size_t line,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Workload: what each processor does, record after record */

#define CCMOD_ANY UINT32_MAX /* ccmod_record.peer: receive from whoever comes first */

typedef enum {
    CCMOD_END,           /* of this processor's trace; given again whenever asked again */
    CCMOD_COMPUTE,       /* for time_us */
    CCMOD_SEND,          /* to peer, size_bytes; blocking */
    CCMOD_RECEIVE,       /* from peer or CCMOD_ANY, size_bytes; blocking */
    CCMOD_START_SEND,    /* as SEND, but goes on; WAIT waits for it */
    CCMOD_START_RECEIVE, /* as RECEIVE, but goes on; WAIT waits for it */
    CCMOD_WAIT,          /* for all that this processor has started */
    CCMOD_MULTICAST,     /* one message to list[0..list_count), size_bytes each; blocking */
    CCMOD_BARRIER,       /* of all processors */
    CCMOD_RECORDS
} ccmod_record_kind;

/* One record. Fields that its kind does not name are not read. */
typedef struct {
    ccmod_record_kind kind;
    uint32_t peer;
    uint64_t size_bytes;
    double time_us;
    const uint32_t *list; /* different processors, not the sender; valid until the next call */
    size_t list_count;
    double measured_us; /* how long the record took in reality; negative where that is not known */
    uint32_t line;      /* where it stands in its file, for errors and comparisons; 0: nowhere */
} ccmod_record;

/* A workload, made by the library from a trace or by the caller from whatever it has. An evaluation
 * consumes it: make a new one for the next evaluation. */
typedef struct ccmod_workload ccmod_workload;
struct ccmod_workload {
    const char *name;  /* of the file, for errors */
    size_t processors; /* 1 to 2^30 - 1 */
    /* The next record of `processor`. Called in order of the model's time, and no processor is
     * asked again before its last record is done. The engine checks peers and sizes. */
    cb_status (*next)(ccmod_workload *workload, uint32_t processor, ccmod_record *record,
                      ccmod_error *error);
    void (*release)(ccmod_workload *workload); /* NULL: nothing to free */
    void *self;                                /* the implementation's */
};

/* Release, where there is something to; NULL is accepted. */
void ccmod_workload_free(ccmod_workload *workload);

/* Trace: the text format .cct (docs/model.md) */

typedef struct ccmod_trace ccmod_trace;

/* Read a trace in one pass, loops as loops: memory is in proportion to the text. "-" is standard
 * input. The error names file, line, cause and remedy. */
cb_status ccmod_trace_open(const char *path, ccmod_trace **out, ccmod_error *error);

/* As ccmod_trace_open, from memory, which need not be kept; `name` stands in errors. */
cb_status ccmod_trace_parse(const char *name, const char *text, size_t bytes, ccmod_trace **out,
                            ccmod_error *error);
void ccmod_trace_close(ccmod_trace *trace);

size_t ccmod_trace_ranks(const ccmod_trace *trace);

/* How many lines were read, and into how many records (loops not unrolled). */
size_t ccmod_trace_lines(const ccmod_trace *trace);
size_t ccmod_trace_records(const ccmod_trace *trace);

/* A workload from the beginning of the trace, which must outlive it. Times that are distributions
 * are drawn from `seed`. Freed by ccmod_workload_free. */
cb_status ccmod_trace_workload(const ccmod_trace *trace, uint64_t seed, ccmod_workload **out,
                               ccmod_error *error);

/* Calibration: what a message costs on the quiet network */

enum { CCMOD_LINES = 16 };

/* One line of T_quiet(bytes) = overhead + latency + bytes * us_per_byte. */
typedef struct {
    uint64_t to_bytes; /* the line holds up to this size, inclusive; the last one for all above */
    double overhead_us;
    double latency_us;
    double us_per_byte;
} ccmod_line;

/* Fitted to measurements, never to a nominal bandwidth. */
typedef struct {
    ccmod_line lines[CCMOD_LINES]; /* by ascending to_bytes */
    size_t line_count;             /* at least 1 */
    double hop_us;        /* added to the latency for each link of a route beyond the second */
    double gap_us;        /* a message occupies its links at least so long: the endpoint's own rate;
                             what that is more than bytes * us_per_byte is taken off the latency */
    uint64_t eager_bytes; /* mode split: a send of fewer bytes returns before its receive */
    double barrier_us;    /* from the last arrival to the release */
    /* How long a message keeps its links, latency_us + bytes * us_per_byte, by its size as above:
     * the rate at which messages follow each other, which need not be that of the bytes of a lone
     * one. In the place of bytes * us_per_byte and of gap_us; the rest of the quiet time is
     * latency. Without any (hold_count 0) those hold. */
    ccmod_line holds[CCMOD_LINES];
    size_t hold_count;
    /* How much longer two messages take that leave a node, that come to it, and that pass it in the
     * two directions: from 1, nothing is shared, to 2, they share one link. 0: not known, which is
     * taken for 2, 2 and 1, a full-duplex link. See ccmod_network_share_ends. */
    double out_contention, in_contention, duplex_contention;
    /* How long an acknowledgement keeps its links, which goes back over them and for which nobody
     * waits, as TCP has them: one for every second packet that has come from a sender, and one for
     * a single packet at the end of a message, at once, or, of a receiver that answers, 40 ms later
     * unless what it sends there carries it. 0: none. Share rule fifo alone has them; a multicast
     * has none. */
    double acknowledgement_us;
} ccmod_calibration;

/* One line for all sizes, no eager sends, and zeros; `bandwidth_MBps` > 0. */
ccmod_calibration ccmod_calibration_line(double overhead_us, double latency_us,
                                         double bandwidth_MBps);

/* Read a calibration file (docs/model.md); `name` stands in errors, which tell file, line, cause
 * and remedy. Memory does not depend on the file. */
cb_status ccmod_calibration_open(const char *path, ccmod_calibration *out, ccmod_error *error);
cb_status ccmod_calibration_read(FILE *stream, const char *name, ccmod_calibration *out,
                                 ccmod_error *error);

/* Write it as such a file, with nine digits. Errors of the stream are the caller's to ask for. */
void ccmod_calibration_write(const ccmod_calibration *calibration, FILE *stream);

/* A measurement: what a message of a size takes on the quiet network, half of a round trip. */
typedef struct {
    double bytes, time_us;
} ccmod_point;

typedef struct {
    size_t segments;       /* exactly so many lines, at most 8; 0: as many as the points support */
    uint64_t packet_bytes; /* above 0: two lines, one up to this size and one above, as in the
                              article; `segments` is 0 or 2 then */
    double
        residual_limit; /* refuse lines that miss their points by more (rms, share of the time) */
} ccmod_fit_wish;

/* How well a line describes its points; residuals are shares of the measured time. */
typedef struct {
    size_t points;
    double from_bytes, to_bytes;
    double rms_residual, worst_residual, worst_bytes;
} ccmod_fit;

/* Fit lines to points in any order; a line's break lies at the largest size that it was fitted to.
 * No part of a line is negative: where the best line's is, the best one without it is taken. All of
 * the start-up is in latency_us, and what is no part of a line is 0. fits[i] tells of lines[i]. */
cb_status ccmod_calibration_fit(const ccmod_point *points, size_t count, const ccmod_fit_wish *wish,
                                ccmod_calibration *out, ccmod_fit fits[CCMOD_LINES],
                                ccmod_error *error);

/* The same for how long messages keep their links: fills holds and hold_count alone. */
cb_status ccmod_calibration_fit_holds(const ccmod_point *points, size_t count,
                                      const ccmod_fit_wish *wish, ccmod_calibration *calibration,
                                      ccmod_fit fits[CCMOD_LINES], ccmod_error *error);

/* Divide the start-up of each line: `overhead_us` of it, or all where it is less, occupies the
 * sender; the rest is latency. */
void ccmod_calibration_divide(ccmod_calibration *calibration, double overhead_us);

/* The parts of T_quiet. In mode paper their sum is stretched by contention, in mode split the last
 * one alone, which comes after the others. */
typedef struct {
    double overhead_us; /* the sender's processor */
    double latency_us;
    double transfer_us; /* the bytes on the links */
} ccmod_delay;

/* Network: nodes, links, routes */

/* A link is full duplex; each of its two directions is a cell of the routing array, numbered
 * 2 * link + direction. For a node's link direction 0 leads into the network, 1 to the node. */
enum { CCMOD_INWARD = 0, CCMOD_OUTWARD = 1 };

typedef struct ccmod_network ccmod_network;

/* All slots but `route` may be NULL. All are called from several threads at once. */
typedef struct {
    /* Write the cells of the route from `source` to `destination` (different nodes) in the order
     * in which it passes them, each once, and return their number: 1 to longest_route. The same
     * pair always takes the same route. */
    size_t (*route)(const ccmod_network *network, uint32_t source, uint32_t destination,
                    uint32_t *cells);

    /* The tree of a multicast: the cells, each once, and their number; *hops is the length of its
     * longest branch. `cells` has room for count * longest_route. NULL: the union of the routes. */
    size_t (*tree)(const ccmod_network *network, uint32_t source, const uint32_t *destinations,
                   size_t count, uint32_t *cells, size_t *hops);

    /* The parts of the delay on the quiet network. NULL: ccmod_default_quiet_delay. */
    ccmod_delay (*quiet_delay)(const ccmod_network *network, const ccmod_calibration *calibration,
                               size_t hops, uint64_t bytes);

    /* Its inverse: how many of the message's packets are consumed once `work_us` of its quiet time
     * are done; for observers alone. NULL: ccmod_default_quiet_packets. */
    double (*quiet_packets)(const ccmod_network *network, const ccmod_calibration *calibration,
                            size_t hops, uint64_t bytes, double work_us);

    /* The background load of a cell in an interval (a number from 0), 0 to below 1; it must always
     * be the same for the same arguments. NULL: what the parameters of the evaluation say. */
    double (*background)(const ccmod_network *network, uint32_t cell, uint64_t interval);

    /* The name of a link for people, such as "node 5" or "leaf 2 - spine 1". NULL: "link 7". */
    void (*name_link)(const ccmod_network *network, uint32_t link, char *text, size_t bytes);

    /* Free what the network owns, and the network itself where it was allocated. */
    void (*release)(ccmod_network *network);
} ccmod_network_operations;

struct ccmod_network {
    const ccmod_network_operations *operations;
    const char *name;                     /* as one would give it to --network */
    size_t nodes;                         /* processor p is node p */
    size_t links;                         /* full duplex: 2 * links cells, below 2^32 */
    size_t longest_route;                 /* in cells */
    uint64_t payload_bytes, header_bytes; /* of a packet; payload_bytes > 0 */
    bool needs_calibration;     /* there is no sensible default line: the tool asks for one */
    const double *widths;       /* of each cell: how many messages it carries at full rate, > 0;
                                   contention is counted per width. NULL: all are 1 */
    const double *latencies_us; /* of each cell: what it adds to the latency of the calibration; for
                                   a multicast the longest of the routes counts. NULL: nothing */
    size_t interleaving;        /* links from this number on serve several messages in pieces, by
                                   turns, under fifo too: a message is through when it has been
                                   served, not its quiet time after it began. 0: none do */
    void *self;                 /* the implementation's */
};

/* Make a network from the text of --network, "KIND" or "KIND:ARGUMENTS", for a workload of
 * `processors`. Freed by ccmod_network_free. */
cb_status ccmod_network_open(const char *text, size_t processors, ccmod_network **out,
                             ccmod_error *error);

/* Give the nodes of *network ends of their own, with the contention constants of the calibration:
 * links of the network are as wide as what the wider end can use. *network is replaced by one that
 * owns it; it stays as it is where the constants are those of a full-duplex link. */
cb_status ccmod_network_share_ends(const ccmod_calibration *calibration, ccmod_network **network,
                                   ccmod_error *error);

/* Release; NULL is accepted. */
void ccmod_network_free(ccmod_network *network);

/* One kind of the table that ccmod_network_open searches. */
typedef struct {
    const char *name; /* crossbar */
    const char *form; /* how to write it: "crossbar[:NODES]" */
    const char *help; /* one phrase */
    /* `arguments`: what stands behind the colon, or NULL; `text`: all of it, for errors. */
    cb_status (*open)(const char *arguments, const char *text, size_t processors,
                      ccmod_network **out, ccmod_error *error);
} ccmod_network_kind;

/* NULL-terminated. */
extern const ccmod_network_kind *const ccmod_network_kinds[];

/* max(1, ceil(bytes / payload)). */
uint64_t ccmod_packets(const ccmod_network *network, uint64_t bytes);

/* The delay that `network` gives, by its slot or the default: the calibration's line for the size,
 * with hop_us and gap_us; the packets' headers are in the fitted line already. */
ccmod_delay ccmod_quiet_delay(const ccmod_network *network, const ccmod_calibration *calibration,
                              size_t hops, uint64_t bytes);
ccmod_delay ccmod_default_quiet_delay(const ccmod_calibration *calibration, size_t hops,
                                      uint64_t bytes);

/* The inverse, by the network's slot or the default: nothing during overhead and latency, then
 * packets in proportion to the transfer that is done; all of them from the end on. */
double ccmod_quiet_packets(const ccmod_network *network, const ccmod_calibration *calibration,
                           size_t hops, uint64_t bytes, double work_us);

/* The name of a link, by the network's slot or the default; always terminated. */
void ccmod_link_name(const ccmod_network *network, uint32_t link, char *text, size_t bytes);

/* Observers: the fifteen signals of an evaluation */

typedef enum {
    CCMOD_SIGNAL_CONFIG,        /* what is evaluated: `config` */
    CCMOD_SIGNAL_GO_INIT,       /* the evaluation begins; clock 0 */
    CCMOD_SIGNAL_GO_STARTEVENT, /* H: a cycle begins with the traffic of the instant: `cycle` */
    CCMOD_SIGNAL_GO_END,        /* all traces are consumed; clock = the largest of all */
    CCMOD_SIGNAL_CREATEEVENT,   /* a record was taken from a trace: `event` */
    CCMOD_SIGNAL_NEWSCOM,       /* a message starts: `message` */
    CCMOD_SIGNAL_NEWPROC,       /* a processor begins to compute: `event` */
    CCMOD_SIGNAL_SYSCONT,       /* H: the contention array: `system` */
    CCMOD_SIGNAL_MSGCONT,       /* H: contention and bottleneck of one message: `message` */
    CCMOD_SIGNAL_COMMCOST,      /* H: its availability and T_com: `message` */
    CCMOD_SIGNAL_EVENTHORIZON,  /* H: how long the traffic stays so: `horizon` */
    CCMOD_SIGNAL_UPPR_PROC,     /* a processor has spent an interval on one activity: `interval` */
    CCMOD_SIGNAL_UPPR_SCOM,     /* H: what one message has left after the horizon: `message` */
    CCMOD_SIGNAL_UPPR_PCNS,     /* H: the packets that it consumed in the horizon: `message` */
    CCMOD_SIGNAL_UPPR_END,      /* a message has ended: `message` */
    CCMOD_SIGNALS
} ccmod_signal_kind;

/* Whoever wants a signal marked H sees every horizon: the evaluation then takes a plainer path that
 * recomputes all messages at each, which is slow from about a hundred live messages on. */

/* The name in the article: "CONFIG", "GO_INIT". */
const char *ccmod_signal_name(ccmod_signal_kind kind);

/* What a processor does in the space-time diagram. The article's "idle" (idle for the network) is
 * computing here; waiting is being blocked while no message of one's own moves. */
typedef enum {
    CCMOD_COMPUTING,
    CCMOD_SENDING,
    CCMOD_RECEIVING,
    CCMOD_WAITING,
    CCMOD_ACTIVITIES
} ccmod_activity;

const char *ccmod_activity_name(ccmod_activity activity); /* "compute", "send", "receive", "wait" */

typedef struct {
    uint64_t id; /* in the order of the starts, from 0 */
    uint32_t source;
    const uint32_t *destinations;
    size_t destination_count; /* 1, or more for a multicast */
    uint64_t size_bytes, packets;
    uint32_t line;         /* of the send's record */
    const uint32_t *cells; /* the route or tree */
    size_t cell_count, hops;
    ccmod_delay quiet;
    double start_us; /* of the message: of its overhead in mode split */
    double flow_us;  /* the instant from which it occupies links; = start in mode paper */
    /* The steady state from MSGCONT on; at UPPR_END means over the time on the links. */
    double contention;       /* C: messages on the bottleneck cell, per width, at least 1 */
    uint32_t bottleneck;     /* its cell; of no meaning without links (see cell_count) */
    double availability;     /* BA in (0, 1] */
    double cost_us;          /* T_com as long as nothing changes; at UPPR_END the true duration */
    double remaining_us;     /* quiet time that is left to do on the links */
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
            size_t live_messages; /* that occupy links */
        } cycle;
        struct {
            uint32_t processor;
            const ccmod_record *record;
        } event;
        struct {
            const uint32_t *messages; /* of each cell: how many pass */
            size_t cell_count;
        } system;
        struct {
            double duration_us;
        } horizon;
        struct {
            uint32_t processor;
            ccmod_activity activity;
            double since_us;    /* until the signal's clock; never empty. Those of a processor
                                   follow each other without gaps from 0 to its end */
            uint32_t line;      /* of the record */
            double measured_us; /* of the record as a whole, or negative */
        } interval;
        ccmod_message message;
    } of;
} ccmod_signal;

typedef struct {
    uint32_t wanted; /* bit kind: which signals are sent */
    /* The signal and all that it points to are valid during the call. Anything but CB_OK ends the
     * evaluation with that status and the text that the observer put into `error`. */
    cb_status (*signal)(void *self, const ccmod_signal *signal, ccmod_error *error);
    void *self;
} ccmod_observer;

#define CCMOD_WANTS(kind) (UINT32_C(1) << (kind))

/* All fifteen, and those that are marked H above. */
#define CCMOD_WANTS_ALL (CCMOD_WANTS(CCMOD_SIGNALS) - 1)
#define CCMOD_WANTS_HORIZONS                                                                       \
    (CCMOD_WANTS(CCMOD_SIGNAL_GO_STARTEVENT) | CCMOD_WANTS(CCMOD_SIGNAL_SYSCONT) |                 \
     CCMOD_WANTS(CCMOD_SIGNAL_MSGCONT) | CCMOD_WANTS(CCMOD_SIGNAL_COMMCOST) |                      \
     CCMOD_WANTS(CCMOD_SIGNAL_EVENTHORIZON) | CCMOD_WANTS(CCMOD_SIGNAL_UPPR_SCOM) |                \
     CCMOD_WANTS(CCMOD_SIGNAL_UPPR_PCNS))

/* Observers that the library brings along */

/* Prints signals, each on a line of its own: clock, name, what it says. A stream that fails ends
 * the evaluation with CB_ERROR_SYSTEM. Zero but for the stream; it must outlive the evaluation. */
typedef struct {
    FILE *stream;
    const ccmod_network *network; /* the printer's own: of the evaluation that goes on */
} ccmod_printer;

/* `wanted` as in ccmod_observer; CCMOD_WANTS_ALL prints all fifteen. */
ccmod_observer ccmod_printer_observer(ccmod_printer *printer, uint32_t wanted);

/* The space-time diagram: what each processor does from its beginning to the end of the last one,
 * and when each message was on its way. It is kept in memory, about 24 bytes for an interval and 64
 * for a message. */
typedef struct ccmod_timeline ccmod_timeline;

/* Keep what happens from `from_us` to `to_us` (HUGE_VAL: the end). Messages that begin or end
 * outside are left out, intervals are cut. Freed by ccmod_timeline_free; NULL is accepted there. */
cb_status ccmod_timeline_create(double from_us, double to_us, ccmod_timeline **out,
                                ccmod_error *error);
void ccmod_timeline_free(ccmod_timeline *timeline);

/* For one evaluation; the timeline is complete when that has succeeded. */
ccmod_observer ccmod_timeline_observer(ccmod_timeline *timeline);

/* A form in which it can be written. */
typedef struct {
    const char *name; /* perfetto */
    const char *help; /* one phrase */
    /* Errors of the stream are the caller's to ask for; CB_ERROR_MEMORY is the only other one. */
    cb_status (*write)(const ccmod_timeline *timeline, FILE *stream, ccmod_error *error);
} ccmod_timeline_form;

/* NULL-terminated: perfetto, paje, svg. */
extern const ccmod_timeline_form *const ccmod_timeline_forms[];

/* Evaluation */

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
const char *ccmod_share_name(ccmod_share share);

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
    size_t open_messages; /* so many may be under way or wait to be received, 64 bytes each; more
                             end the evaluation. 0: 2^24, or 64 for each processor */
    double until_us;      /* the evaluation ends at this time, if not before; 0: with the traces */
    uint32_t rate_of;     /* the processor whose receives are counted, or CCMOD_NOBODY */
    uint64_t rate_round;  /* so many receives make a round; batches are whole ones. 0 counts as 1 */
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
ccmod_parameters ccmod_parameters_default(void);

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

const char *ccmod_stop_name(ccmod_stop stop); /* "trace", "time", "precision" */

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
ccmod_processor ccmod_result_processor(const ccmod_result *result, size_t processor);
ccmod_cell ccmod_result_cell(const ccmod_result *result, size_t cell);

/* What ccmod_evaluate refuses before it begins, and nothing more: no record of the workload is
 * taken. CB_ERROR_USAGE. */
cb_status ccmod_check(const ccmod_workload *workload, const ccmod_network *network,
                      const ccmod_calibration *calibration, const ccmod_parameters *parameters,
                      ccmod_error *error);

/* Evaluate. `observers` has `observer_count` entries (NULL with 0). On success *out is to be freed
 * with ccmod_result_free. The same arguments give the same result bit for bit. A workload that
 * cannot end gives CB_ERROR_DATA and says which processor waits for whom. */
cb_status ccmod_evaluate(ccmod_workload *workload, const ccmod_network *network,
                         const ccmod_calibration *calibration, const ccmod_parameters *parameters,
                         const ccmod_observer *observers, size_t observer_count, ccmod_result **out,
                         ccmod_error *error);
void ccmod_result_free(ccmod_result *result);

#endif
