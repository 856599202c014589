/* The result of a run: one document, one table of columns, three forms (text, CSV, JSON). The
 * format is described in docs/reference/results.md and docs/combench-result-1.schema.json. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/parameters.h"
#include "base/status.h"
#include "report/row.h"
#include "stats/fit.h"

/* "Not measured": absent from the document, never 0. */
#define REPORT_ABSENT ((double)NAN)

typedef struct report_document report_document;

typedef enum { REPORT_TEXT, REPORT_CSV, REPORT_JSON } report_format;

/* False when `name` is none of text, csv, json. */
bool report_format_named(const char *name, report_format *out);

/* `benchmark` "oneway", `id` "1.1", `title` for the head of the text form. */
cb_status report_create(const char *benchmark, const char *id, const char *title,
                        const char *technology, report_document **out);
void report_free(report_document *document);

/* The parameters whose values the head of the text form has, in the order of their rows; without
 * it, or with NULL, there are none. Called before report_direct; the set has to live as long. */
void report_use_parameters(report_document *document, const cb_parameter_set *parameters);

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

/* Add a measurement, stream it in the text or CSV form where that goes to a stream, and rewrite the
 * file. The document takes the row's values: the row is empty afterwards, also after a failure. */
cb_status report_add(report_document *document, report_row *row);

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
