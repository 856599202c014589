/* The result of a run: a document with rows, written as text, CSV or JSON.
 *
 * The format is described in docs/reference/results.md and docs/combench-result-1.schema.json. */
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

/* Value for "not measured": absent from the document, never 0. */
#define REPORT_ABSENT ((double)NAN)

typedef struct report_document report_document;

typedef enum { REPORT_TEXT, REPORT_CSV, REPORT_JSON } report_format;

/* False if `name` is not text, csv or json. */
bool report_format_named(const char *name, report_format *out);

/* Create a document. `benchmark` such as "oneway", `id` such as "1.1"; `title` is for the head of
 * the text form. CB_ERROR_MEMORY, logged. Free with report_free. */
cb_status report_create(const char *benchmark, const char *id, const char *title,
                        const char *technology, report_document **out);
void report_free(report_document *document);

/* Set the parameters whose values the head of the text form shows. By default, or with NULL, none.
 * Call before report_direct; the set has to outlive the document. */
void report_use_parameters(report_document *document, const cb_parameter_set *parameters);

/* Set the output. With `path`, the document is written there in `format`, and the text form to
 * `stream`. Without, `format` goes to `stream`. The file is written at once, marked incomplete, so
 * that a path that cannot be written is found before the measurement: CB_ERROR_USAGE, logged. */
cb_status report_direct(report_document *document, report_format format, const char *path,
                        FILE *stream);

/* Set a value of the document by a dotted path made by printf. A part that is a number is the index
 * of an array: report_put_text(d, name, "environment.hosts.%zu.name", i). A part in brackets is a
 * key with any characters: "environment.hosts.0.tuning.[net.core.rmem_max]". NULL, an empty text
 * and NaN are ignored. An error is logged, and report_finish fails. */
void report_put_text(report_document *document, const char *value, const char *path, ...)
    __attribute__((format(printf, 3, 4)));
void report_put_number(report_document *document, double value, const char *path, ...)
    __attribute__((format(printf, 3, 4)));
void report_put_flag(report_document *document, bool value, const char *path, ...)
    __attribute__((format(printf, 3, 4)));

/* Add a measurement: write it to the stream if its form is text or CSV, and rewrite the file. Moves
 * the row's values into the document; the row is empty afterwards, also on failure. CB_ERROR_MEMORY
 * or CB_ERROR_SYSTEM, logged. */
cb_status report_add(report_document *document, report_row *row);

/* From now on rows that are added go to `take`, which has to clear them or move their values; NULL:
 * into the document again. */
void report_divert(report_document *document, void (*take)(void *context, report_row *row),
                   void *context);

/* Add a measurement that could not be made, with the reason. Errors as report_add. */
cb_status report_skip(report_document *document, const char *what, const char *reason);

/* Add a fitted segment or, if segment->refusal is set, the reason why there is none. Errors as
 * report_add. */
cb_status report_add_fit(report_document *document, const char *mode, double processors,
                         const char *figure, const stats_segment *segment);

/* The same for a segment of Parkbench's fit. With `per_processor`, rates are those of all
 * processors together, and the rate per processor is added. */
cb_status report_add_parkbench(report_document *document, const char *mode, double processors,
                               const char *figure, bool per_processor, const stats_parkbench *part);

/* End the run. `reason` is NULL if it is complete, else the cause ("SIGTERM"). Writes everything;
 * if a write fails, the old file is kept. Returns the first error of all calls. */
cb_status report_finish(report_document *document, const char *reason);

#endif
