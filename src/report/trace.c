/* Writing traces. A trace can have a million slices: each goes straight to the file, and no tree of
 * JSON values is made. */
#include "report/trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "report/file.h"
#include "report/value.h"

static const report_file_use trace_use = {.what = "the timeline", .option = "--timeline"};

/* Viewers take process and thread 0 for the idle task of a kernel. */
enum { PROCESS = 1, FIRST_THREAD = 1 };

typedef struct {
    FILE *stream;
    const report_trace *trace;
    const char *before; /* the next element of the list of events */
} trace_writer;

/* Takes the reference to `value`; null where there is none. */
static void write_value(FILE *stream, json_t *value)
{
    if (value == NULL || json_dumpf(value, stream, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9)) != 0)
        fputs("null", stream);
    json_decref(value);
}

static void write_text(FILE *stream, const char *text)
{
    write_value(stream, report_value_text(text));
}

/* Times are in us; three decimals keep every ns. */
static void write_time(FILE *stream, const char *key, uint64_t time_ns)
{
    fprintf(stream, ", \"%s\": %" PRIu64 ".%03u", key, time_ns / 1000, (unsigned)(time_ns % 1000));
}

static void begin_event(trace_writer *writer, const char *phase)
{
    fprintf(writer->stream, "%s{\"ph\": \"%s\", \"pid\": %d", writer->before, phase, PROCESS);
    writer->before = ",\n";
}

static void write_thread(trace_writer *writer, size_t track)
{
    fprintf(writer->stream, ", \"tid\": %zu", FIRST_THREAD + track);
}

static void write_process_name(trace_writer *writer)
{
    begin_event(writer, "M");
    fputs(", \"name\": \"process_name\", \"args\": {\"name\": ", writer->stream);
    write_text(writer->stream, writer->trace->title);
    fputs("}}", writer->stream);
}

static void write_track(trace_writer *writer, size_t track)
{
    begin_event(writer, "M");
    write_thread(writer, track);
    fputs(", \"name\": \"thread_name\", \"args\": {\"name\": ", writer->stream);
    write_text(writer->stream, writer->trace->tracks[track]);
    fputs("}}", writer->stream);
    begin_event(writer, "M");
    write_thread(writer, track);
    fprintf(writer->stream, ", \"name\": \"thread_sort_index\", \"args\": {\"sort_index\": %zu}}",
            track);
}

static void write_slice(trace_writer *writer, const report_slice *slice)
{
    FILE *stream = writer->stream;

    begin_event(writer, "X");
    write_thread(writer, slice->track);
    write_time(stream, "ts", slice->begin_ns);
    write_time(stream, "dur", slice->end_ns - slice->begin_ns);
    fprintf(stream,
            ", \"cat\": \"%s\", \"name\": \"%s %" PRIu64 "\", \"args\": {\"event\": %" PRIu64,
            slice->kind, slice->name, slice->event, slice->event);
    if (slice->peer != REPORT_NO_TRACK) {
        fputs(", \"peer\": ", stream);
        write_text(stream, writer->trace->tracks[slice->peer]);
    }
    fputs("}}", stream);
}

static void write_end(trace_writer *writer, size_t index, const char *phase, size_t slice)
{
    const report_slice *at = &writer->trace->slices[slice];

    begin_event(writer, phase);
    write_thread(writer, at->track);
    write_time(writer->stream, "ts", at->begin_ns);
    fprintf(writer->stream, ", \"id\": %zu, \"cat\": \"message\", \"name\": \"%s\"", index + 1,
            writer->trace->arrows[index].name);
}

/* An end belongs to the slice that is open at its time ("bp": "e"), which must stand before it. */
static void write_arrow(trace_writer *writer, size_t index)
{
    const report_arrow *arrow = &writer->trace->arrows[index];

    write_end(writer, index, "s", arrow->from);
    fputs("}", writer->stream);
    write_end(writer, index, "f", arrow->to);
    fputs(", \"bp\": \"e\"}", writer->stream);
}

static void write_facts(FILE *stream, const report_trace *trace)
{
    const char *before = "";

    for (size_t i = 0; i < trace->fact_count; i++) {
        const report_fact *fact = &trace->facts[i];

        if (fact->text == NULL && !isfinite(fact->number))
            continue;
        fprintf(stream, "%s\n  \"%s\": ", before, fact->key);
        write_value(stream, fact->text != NULL ? report_value_text(fact->text)
                                               : report_value_number(fact->number));
        before = ",";
    }
}

static void write_trace(FILE *stream, void *context)
{
    const report_trace *trace = context;
    trace_writer writer = {.stream = stream, .trace = trace, .before = "\n"};

    fputs("{\"displayTimeUnit\": \"ns\", \"otherData\": {", stream);
    write_facts(stream, trace);
    fputs("},\n\"traceEvents\": [", stream);
    if (trace->track_count > 0)
        write_process_name(&writer);
    for (size_t track = 0; track < trace->track_count; track++)
        write_track(&writer, track);
    for (size_t i = 0; i < trace->slice_count; i++)
        write_slice(&writer, &trace->slices[i]);
    for (size_t i = 0; i < trace->arrow_count; i++)
        write_arrow(&writer, i);
    fputs("\n]}\n", stream);
}

cb_status report_trace_write(const char *target, const report_trace *trace)
{
    report_trace copy = *trace;

    return report_file_replace(target, &trace_use, write_trace, &copy);
}

static cb_status refuse_same_file(const char *path, const char *output)
{
    cb_error("cannot write the timeline to '%s': the result goes there (--output '%s'); name "
             "another file with --timeline",
             path, output);
    return CB_ERROR_USAGE;
}

cb_status report_trace_direct(const char *path, const char *output, char **target)
{
    const report_trace empty = {.title = NULL};
    char *result = output != NULL ? report_file_target(output, &trace_use) : NULL;
    cb_status status = CB_OK;

    *target = report_file_target(path, &trace_use);
    if (*target == NULL || (output != NULL && result == NULL))
        status = CB_ERROR_USAGE;
    else if (result != NULL && strcmp(*target, result) == 0)
        status = refuse_same_file(path, output);
    else if (report_trace_write(*target, &empty) != CB_OK)
        status = CB_ERROR_USAGE;
    free(result);
    if (status != CB_OK) {
        free(*target);
        *target = NULL;
    }
    return status;
}
