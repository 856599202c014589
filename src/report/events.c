/* Write trace events. A trace can have a million of them, so no tree is built in memory. */
#include "report/events.h"

#include <inttypes.h>

#include "report/escape.h"

/* Viewers show process and thread 0 as the idle task. */
enum { PROCESS = 1, FIRST_THREAD = 1 };

void report_events_head(FILE *stream)
{
    fputs("{\"displayTimeUnit\":\"ns\"", stream);
}

report_events report_events_begin(FILE *stream)
{
    fputs(",\"traceEvents\":[", stream);
    return (report_events){.stream = stream};
}

void report_events_end(report_events *events)
{
    fputs("\n]}\n", events->stream);
}

/* `phase` may include further members, as "f\",\"bp\":\"e". */
static void open_event(report_events *events, const char *phase)
{
    fprintf(events->stream, "%s\n{\"ph\":\"%s\",\"pid\":%d", events->any ? "," : "", phase,
            PROCESS);
    events->any = true;
    events->arguments = false;
}

static void put_track(report_events *events, size_t track)
{
    fprintf(events->stream, ",\"tid\":%zu", FIRST_THREAD + track);
}

static void put_name(report_events *events, const char *name)
{
    fputs(",\"name\":", events->stream);
    report_escape_json(events->stream, name);
}

/* In us; three decimals keep every ns. */
static void put_time(report_events *events, const char *key, uint64_t ns)
{
    fprintf(events->stream, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

static void put_key(report_events *events, const char *key)
{
    fprintf(events->stream, "%s\"%s\":", events->arguments ? "," : ",\"args\":{", key);
    events->arguments = true;
}

void report_events_count(report_events *events, const char *key, uint64_t value)
{
    put_key(events, key);
    fprintf(events->stream, "%" PRIu64, value);
}

void report_events_number(report_events *events, const char *key, double value)
{
    put_key(events, key);
    fprintf(events->stream, "%.6g", value);
}

void report_events_text(report_events *events, const char *key, const char *value)
{
    put_key(events, key);
    report_escape_json(events->stream, value);
}

void report_events_close(report_events *events)
{
    fputs(events->arguments ? "}}" : "}", events->stream);
}

void report_events_name_process(report_events *events, const char *name)
{
    open_event(events, "M");
    put_name(events, "process_name");
    report_events_text(events, "name", name);
    report_events_close(events);
}

void report_events_name_track(report_events *events, size_t track, const char *name)
{
    open_event(events, "M");
    put_track(events, track);
    put_name(events, "thread_name");
    report_events_text(events, "name", name);
    report_events_close(events);
    open_event(events, "M");
    put_track(events, track);
    put_name(events, "thread_sort_index");
    report_events_count(events, "sort_index", track);
    report_events_close(events);
}

void report_events_slice(report_events *events, size_t track, const char *name, const char *kind,
                         uint64_t begin_ns, uint64_t end_ns)
{
    open_event(events, "X");
    put_track(events, track);
    put_name(events, name);
    fprintf(events->stream, ",\"cat\":\"%s\"", kind);
    put_time(events, "ts", begin_ns);
    put_time(events, "dur", end_ns - begin_ns);
}

/* "bp": "e" attaches the end to the enclosing slice, not to the next one. */
void report_events_arrow(report_events *events, size_t track, const char *name, size_t number,
                         bool start, uint64_t at_ns)
{
    open_event(events, start ? "s" : "f\",\"bp\":\"e");
    put_track(events, track);
    put_name(events, name);
    fprintf(events->stream, ",\"cat\":\"message\",\"id\":%zu", number);
    put_time(events, "ts", at_ns);
}
