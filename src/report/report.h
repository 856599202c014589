/* The result of a run: one document, one table of columns, three forms (text, CSV, JSON). The
 * format is described in docs/results.md and docs/combench-result-1.schema.json. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "stats/fit.h"
#include "stats/histogram.h"
#include "stats/parkbench.h"
#include "stats/stats.h"

/* "Not measured": absent from the document, never 0. */
#define REPORT_ABSENT ((double)NAN)

typedef struct {
    uint64_t messages, lost, doubled, reordered, corrupted;
    bool done;
} report_verification;

/* What became of datagrams; see docs/results.md. */
typedef struct {
    uint64_t sent, received, unsent, lost, late, doubled, reordered, overrun, foreign;
    bool done;
} report_datagrams;

typedef enum { REPORT_UNKNOWN, REPORT_NO, REPORT_YES } report_answer; /* unknown: absent */

/* What a search for the highest rate found; repeats 0: none was searched for. */
typedef struct {
    double value_Hz, low_Hz, high_Hz;
    size_t held, repeats;
} report_found;

/* What one destination of a farm did. */
typedef struct {
    double rank, decided, lost, in_flight_mean, in_flight_most;
    const stats_histogram *latency; /* of its events, in ns */
} report_destination;

/* Sides of a measurement that can compute beside the communication. */
typedef enum { REPORT_SOURCE, REPORT_DESTINATION, REPORT_NODE, REPORT_SIDES } report_side;

/* How many ranks of a role are on each host, in the order of environment.hosts. */
typedef struct {
    const char *name; /* NULL: there is no such role */
    size_t *ranks;
} report_role;

/* One measurement. Zero-initialise with report_row_initial; what stays absent is not written.
 * Everything is copied when the row is added. */
typedef struct {
    const char *mode, *occupation, *touch, *buffers, *list, *multicast;
    const char *wait_requested, *wait_effective, *stopped_by;
    double size_bytes, processors, sources, destinations; /* whole numbers, or absent */
    bool oversubscribed;
    size_t piece_bytes; /* 0: the message went as a whole */
    const report_role *roles;
    size_t role_count, host_count; /* 0: where roles are is not reported */
    stats_summary latency_us, round_us;
    /* Of latency_us or, without that, of round_us: its values in the order of measuring, with the
     * same unit and divisor. Without values block_count is written alone. */
    const double *blocks_us;
    size_t block_count;
    const stats_histogram *steps; /* or NULL; of single steps, in ns, before the divisor */
    double step_divisor;          /* 2 for ping-pong: figure = step / divisor */
    double touch_us, harness_us, skew_us, group_create_us;
    double throughput_MBps, per_node_MBps, frequency_Hz;
    double scaling_efficiency, congestion_ratio, loss_pct;
    /* Beside a computing task: the time of a step over that without it; and by side what remains of
     * the computing. A slowdown of computing may be known to be at least so large, and no more. */
    double slowdown_communication;
    double slowdown_computing[REPORT_SIDES];
    bool slowdown_computing_at_least[REPORT_SIDES];
    double computing_left_pct[REPORT_SIDES];
    double computing_alone_pct[REPORT_SIDES];
    /* Farms and pipelines */
    const char *topology, *arrivals, *limited_by;
    double algorithm_us, algorithm_true_us, window;
    double in_flight_limit, offered_Hz, generator_error_pct;
    double due, not_issued, issued, decided, lost, in_flight, errors;
    report_answer saturated;
    report_found found;
    const stats_histogram *event_latency;      /* in ns; or NULL */
    const report_destination *per_destination; /* destination_count of them, or NULL */
    size_t destination_count;
    double step_count;    /* timed, over all blocks */
    const double *shares; /* of each source, sum 1; share_count of them, or NULL */
    size_t share_count;
    report_verification verification;
    report_datagrams datagrams;
} report_row;

report_row report_row_initial(void);

typedef struct report_document report_document;

typedef enum { REPORT_TEXT, REPORT_CSV, REPORT_JSON } report_format;

/* False when `name` is none of text, csv, json. */
bool report_format_named(const char *name, report_format *out);

/* `benchmark` "oneway", `id` "1.1", `title` for the head of the text form. */
cb_status report_create(const char *benchmark, const char *id, const char *title,
                        const char *technology, report_document **out);
void report_free(report_document *document);

/* Where the forms go. With `path` the document in `format` goes there (written at once as
 * incomplete, so that an unwritable path is known before anything is measured: CB_ERROR_USAGE) and
 * the text form to `stream`; without, `format` goes to `stream`. */
cb_status report_direct(report_document *document, report_format format, const char *path,
                        FILE *stream);

/* Set a value anywhere in the document by a dotted path made by printf; a part that is a number is
 * an index of an array: report_put_text(d, name, "environment.hosts.%zu.name", i). A part in
 * brackets is a key as it stands, dots and digits included:
 * "environment.hosts.0.tuning.[net.core.rmem_max]". NULL or an empty text and NaN are left out. A
 * value that cannot be put is logged, and report_finish fails. */
void report_put_text(report_document *document, const char *value, const char *path, ...)
    __attribute__((format(printf, 3, 4)));
void report_put_number(report_document *document, double value, const char *path, ...)
    __attribute__((format(printf, 3, 4)));
void report_put_flag(report_document *document, bool value, const char *path, ...)
    __attribute__((format(printf, 3, 4)));

/* Add a measurement (copied into the document), stream it in the text or CSV form where that goes
 * to a stream, and rewrite the file. */
cb_status report_add(report_document *document, const report_row *row);

/* Add what could not be measured, with the reason. */
cb_status report_skip(report_document *document, const char *what, const char *reason);

/* Add a fitted segment, or, with segment->refusal, the reason for its absence. */
cb_status report_add_fit(report_document *document, const char *mode, double processors,
                         const char *figure, const stats_segment *segment);

/* The same of a part of Parkbench's fit, with what it has beside a segment's parameters. With
 * `per_processor` rates are those of all processors together, and their share stands beside them.
 */
cb_status report_add_parkbench(report_document *document, const char *mode, double processors,
                               const char *figure, bool per_processor, const stats_parkbench *part);

/* End of the run: `reason` NULL when it is complete, else why not ("SIGTERM"). Writes everything; a
 * write that fails leaves what stood under the name before. */
cb_status report_finish(report_document *document, const char *reason);

#endif
