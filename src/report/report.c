/* The document of a run: all data as one JSON value; rows also by column for text and CSV; the file
 * and the stream to write to. */
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/crc32.h"
#include "base/log.h"
#include "base/output.h"
#include "report/forms.h"
#include "report/values.h"

typedef enum { ELEMENT_ROW, ELEMENT_FIT, ELEMENT_SKIPPED } element_kind;

/* An element of an array of the document: a row, or JSON owned by the array. */
typedef struct {
    element_kind kind;
    report_row row;
    const json_t *value;
} document_element;

struct report_document {
    json_t *root;
    char *title;
    const cb_parameter_set *parameters; /* or NULL */
    uint64_t started_ns;
    document_element *elements; /* in the order of report_add */
    size_t element_count;
    uint32_t blocks_crc32; /* of the text of all values of blocks, in order */
    const report_form *file_form, *stream_form;
    char *path;            /* or NULL */
    bool failure_reported; /* a failed write of the file was logged */
    report_writer writer;  /* for the stream */
    bool begun;            /* something was written to the stream */
    cb_status stream_status;
    cb_status broken;                               /* first error of a report_put call */
    void (*divert)(void *context, report_row *row); /* or NULL */
    void *divert_context;
};

static const report_form *const forms[] = {
    [REPORT_TEXT] = &report_form_text,
    [REPORT_CSV] = &report_form_csv,
    [REPORT_JSON] = &report_form_json,
};

static cb_status no_memory(void)
{
    cb_error("cannot add to the result: out of memory; measure fewer sizes in one "
             "run");
    return CB_ERROR_MEMORY;
}

static const cb_output_use result_use = {
    .what = "the result", .option = "--output", .instead = ", or leave it out for standard output"};

static void put(report_document *document, json_t *value, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

static void put(report_document *document, json_t *value, const char *format, va_list arguments)
{
    char *path = NULL, *clean = NULL;

    if (value == NULL)
        return;
    if (vasprintf(&path, format, arguments) < 0)
        path = NULL;
    if (path != NULL)
        clean = report_clean_utf8(path);
    if (clean == NULL) {
        json_decref(value);
        document->broken = no_memory();
    } else if (!report_path_set(document->root, clean, value)) {
        cb_error("cannot set '%s' in the result: a part of that path is a plain value, "
                 "or memory ran out; choose another path in the code, or free memory",
                 clean);
        document->broken = CB_ERROR_SYSTEM;
    }
    free(clean);
    free(path);
}

static void write_element(const report_form *form, report_writer *writer,
                          const document_element *element)
{
    if (element->kind == ELEMENT_ROW && form->row != NULL)
        form->row(writer, &element->row);
    else if (element->kind == ELEMENT_FIT && form->fit != NULL)
        form->fit(writer, element->value);
    else if (element->kind == ELEMENT_SKIPPED && form->skipped != NULL)
        form->skipped(writer, element->value);
}

/* Write the whole document in the form of the file; called by cb_output_replace. */
static void write_form(FILE *stream, void *context)
{
    const report_document *document = context;
    const report_form *form = document->file_form;
    report_writer writer = {
        .stream = stream, .title = document->title, .parameters = document->parameters};

    if (form->begin != NULL)
        form->begin(&writer, document->root);
    for (size_t i = 0; i < document->element_count; i++)
        write_element(form, &writer, &document->elements[i]);
    if (form->end != NULL)
        form->end(&writer, document->root);
}

/* A failure is logged once. The next write is tried anyway, since there may be space by then. */
static cb_status save(report_document *document)
{
    uint64_t elapsed_ms = (cb_now_ns() - document->started_ns) / 1000000;
    cb_status status;

    json_object_set_new(document->root, "elapsed_s",
                        report_value_number((double)elapsed_ms / 1000.0));
    if (document->path == NULL)
        return CB_OK;
    cb_log_silence(document->failure_reported);
    status = cb_output_replace(document->path, &result_use, write_form, document);
    cb_log_silence(false);
    document->failure_reported = document->failure_reported || status != CB_OK;
    return status;
}

/* Whether to write to the stream: not after a failure, which is reported once. */
static bool begin_stream(report_document *document)
{
    if (document->writer.stream == NULL || document->stream_status != CB_OK)
        return false;
    errno = 0;
    if (!document->begun && document->stream_form->begin != NULL)
        document->stream_form->begin(&document->writer, document->root);
    document->begun = true;
    return true;
}

static cb_status flush_stream(report_document *document)
{
    if (document->stream_status == CB_OK && document->writer.stream != NULL)
        document->stream_status =
            cb_streams_flush(document->writer.stream, "the result", ", or name one with --output");
    return document->stream_status;
}

/* Continue the checksum of raw data by the blocks of a row; readers compute it from the parsed
 * numbers (documents.py), so each is printed with the digits that the file has. */
static void add_blocks(report_document *document, const json_t *row)
{
    const json_t *blocks = json_object_get(row, report_columns[REPORT_BLOCKS_US].key);
    char text[32];

    for (size_t i = 0; i < json_array_size(blocks); i++) {
        int length =
            snprintf(text, sizeof(text), "%.9g\n", json_number_value(json_array_get(blocks, i)));

        document->blocks_crc32 = cb_crc32(document->blocks_crc32, text, (size_t)length);
    }
    snprintf(text, sizeof(text), "%08" PRIx32, document->blocks_crc32);
    json_object_set_new(document->root, "blocks_crc32", json_string(text));
}

/* Takes the values of `row` (NULL for other kinds) and the reference to `value`. The file is
 * written first, since other programs read it. */
static cb_status add_element(report_document *document, element_kind kind, report_row *row,
                             json_t *value)
{
    static const char *const keys[] = {
        [ELEMENT_ROW] = "results", [ELEMENT_FIT] = "fit", [ELEMENT_SKIPPED] = "skipped"};
    size_t count = document->element_count;
    document_element *elements = realloc(document->elements, (count + 1) * sizeof(*elements));
    cb_status saved;

    if (elements != NULL)
        document->elements = elements;
    if (value == NULL || elements == NULL || (row != NULL && row->broken) ||
        json_array_append(json_object_get(document->root, keys[kind]), value) != 0) {
        json_decref(value);
        if (row != NULL)
            report_row_clear(row);
        return no_memory();
    }
    json_decref(value);
    elements[count] = (document_element){.kind = kind, .value = value};
    if (row != NULL) {
        add_blocks(document, value);
        elements[count].row = *row;
        *row = (report_row){.broken = false};
    }
    document->element_count++;
    saved = save(document);
    if (begin_stream(document))
        write_element(document->stream_form, &document->writer, &elements[count]);
    return flush_stream(document) == CB_OK ? saved : CB_ERROR_SYSTEM;
}

/* NULL, for an absent value, sets nothing. */
static void set(json_t *object, const char *key, json_t *value)
{
    if (value != NULL)
        json_object_set_new(object, key, value);
}

bool report_format_named(const char *name, report_format *out)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (strcmp(forms[i]->name, name) == 0) {
            *out = (report_format)i;
            return true;
        }
    }
    return false;
}

/* The order of keys here is the order in the file. */
cb_status report_create(const char *benchmark, const char *id, const char *title,
                        const char *technology, report_document **out)
{
    report_document *document = calloc(1, sizeof(*document));
    char started[sizeof("2026-11-21T10:15:30Z") + 8];
    time_t now = time(NULL);
    struct tm utc;

    if (document == NULL)
        return no_memory();
    document->started_ns = cb_now_ns();
    gmtime_r(&now, &utc);
    strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", &utc);
    document->root =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:b, s:s, s:[], s:{}, s:{}, s:[], s:[], s:[]}",
                  "schema", "combench-result/1", "benchmark", benchmark, "id", id, "technology",
                  technology, "started", started, "elapsed_s", 0, "complete", 0, "reason",
                  "running", "command", "parameters", "environment", "results", "skipped", "fit");
    document->title = report_clean_utf8(title);
    if (document->root == NULL || document->title == NULL) {
        report_free(document);
        return no_memory();
    }
    *out = document;
    return CB_OK;
}

void report_free(report_document *document)
{
    if (document == NULL)
        return;
    json_decref(document->root);
    free(document->title);
    for (size_t i = 0; i < document->element_count; i++)
        report_row_clear(&document->elements[i].row);
    free(document->elements);
    free(document->path);
    free(document);
}

void report_use_parameters(report_document *document, const cb_parameter_set *parameters)
{
    document->parameters = parameters;
}

cb_status report_direct(report_document *document, report_format format, const char *path,
                        FILE *stream)
{
    document->writer = (report_writer){
        .stream = stream, .title = document->title, .parameters = document->parameters};
    document->stream_form = forms[path == NULL ? format : REPORT_TEXT];
    if (path == NULL)
        return CB_OK;
    document->file_form = forms[format];
    document->path = cb_output_target(path, &result_use);
    if (document->path == NULL || save(document) != CB_OK)
        return CB_ERROR_USAGE;
    return CB_OK;
}

void report_put_text(report_document *document, const char *value, const char *path, ...)
{
    va_list arguments;

    va_start(arguments, path);
    put(document, report_value_text(value), path, arguments);
    va_end(arguments);
}

void report_put_number(report_document *document, double value, const char *path, ...)
{
    va_list arguments;

    va_start(arguments, path);
    put(document, report_value_number(value), path, arguments);
    va_end(arguments);
}

void report_put_flag(report_document *document, bool value, const char *path, ...)
{
    va_list arguments;

    va_start(arguments, path);
    put(document, json_boolean(value), path, arguments);
    va_end(arguments);
}

void report_divert(report_document *document, void (*take)(void *context, report_row *row),
                   void *context)
{
    document->divert = take;
    document->divert_context = context;
}

cb_status report_add(report_document *document, report_row *row)
{
    if (document->divert != NULL) {
        document->divert(document->divert_context, row);
        return CB_OK;
    }
    return add_element(document, ELEMENT_ROW, row, report_row_json(row));
}

cb_status report_skip(report_document *document, const char *what, const char *reason)
{
    json_t *skipped = json_object();

    set(skipped, "what", report_value_text(what));
    set(skipped, "reason", report_value_text(reason));
    return add_element(document, ELEMENT_SKIPPED, NULL, skipped);
}

static json_t *fit_element(const char *mode, double processors, const char *figure,
                           const stats_segment *segment)
{
    json_t *fit = json_object();

    set(fit, "mode", report_value_text(mode));
    set(fit, "processors", report_value_number(processors));
    set(fit, "figure", report_value_text(figure));
    if (segment->to_bytes > segment->from_bytes) {
        set(fit, "from_bytes", report_value_number(segment->from_bytes));
        set(fit, "to_bytes", report_value_number(segment->to_bytes));
    }
    if (segment->refusal != NULL)
        set(fit, "refusal", report_value_text(segment->refusal));
    if (segment->refusal == NULL) {
        set(fit, "overhead_us", report_value_number(segment->overhead_us));
        set(fit, "r_inf_MBps", report_value_number(segment->r_inf_MBps));
        set(fit, "n_half_bytes", report_value_number(segment->n_half_bytes));
        set(fit, "rms_residual_us", report_value_number(segment->rms_residual_us));
        if (segment->n_half_bytes > segment->to_bytes)
            set(fit, "caution",
                report_value_text("r_inf is extrapolated: half of it is beyond these sizes"));
    }
    return fit;
}

cb_status report_add_fit(report_document *document, const char *mode, double processors,
                         const char *figure, const stats_segment *segment)
{
    return add_element(document, ELEMENT_FIT, NULL, fit_element(mode, processors, figure, segment));
}

cb_status report_add_parkbench(report_document *document, const char *mode, double processors,
                               const char *figure, bool per_processor, const stats_parkbench *part)
{
    json_t *fit = fit_element(mode, processors, figure, &part->line);

    set(fit, "pi0_Hz", report_value_number(part->pi0_Hz));
    set(fit, "maximum_MBps", report_value_number(part->maximum_MBps));
    set(fit, "maximum_at_bytes", report_value_number(part->maximum_bytes));
    if (per_processor) {
        if (part->line.refusal == NULL)
            set(fit, "r_inf_per_processor_MBps",
                report_value_number(part->line.r_inf_MBps / processors));
        set(fit, "maximum_per_processor_MBps",
            report_value_number(part->maximum_MBps / processors));
    }
    return add_element(document, ELEMENT_FIT, NULL, fit);
}

cb_status report_finish(report_document *document, const char *reason)
{
    cb_status saved;

    json_object_set_new(document->root, "complete", json_boolean(reason == NULL));
    if (reason == NULL)
        json_object_del(document->root, "reason");
    else
        set(document->root, "reason", report_value_text(reason));
    saved = save(document);
    if (begin_stream(document) && document->stream_form->end != NULL)
        document->stream_form->end(&document->writer, document->root);
    if (flush_stream(document) != CB_OK || saved != CB_OK)
        return CB_ERROR_SYSTEM;
    return document->broken;
}
