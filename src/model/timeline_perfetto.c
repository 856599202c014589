/* The space-time diagram in Chrome's trace format, which ui.perfetto.dev and chrome://tracing show:
 * a thread for each processor (rank r is
 * thread r + 1, since 0 has a meaning of its own there), a slice for each interval, an arrow for
 * each message. Times are in microseconds with three digits, which Perfetto keeps as nanoseconds.
 *
 * An arrow is tied to the slices that hold its ends. At an instant where two slices meet that would
 * be a matter of luck, so both ends are moved into the message by one nanosecond. */
#include "model/timeline.h"

#include <inttypes.h>

#include "report/escape.h"

static void write_time(FILE *stream, const char *key, int64_t ns)
{
    fprintf(stream, "\"%s\":%" PRId64 ".%03d", key, ns / 1000, (int)(ns % 1000));
}

static void write_names(const ccmod_timeline *timeline, FILE *stream)
{
    fputs("{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":", stream);
    report_escape_json(stream, timeline->title);
    fputs("}}", stream);
    for (size_t i = 0; i < timeline->processors; i++) {
        fprintf(stream,
                ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%zu,\"name\":\"thread_name\",\"args\":"
                "{\"name\":\"rank %zu\"}}",
                i + 1, i);
        fprintf(stream,
                ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%zu,\"name\":\"thread_sort_index\",\"args\":"
                "{\"sort_index\":%zu}}",
                i + 1, i);
    }
}

static void write_slice(const timeline_interval *interval, FILE *stream)
{
    const char *name = ccmod_timeline_activity_name(interval->activity);

    fprintf(stream,
            ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%" PRIu32 ",\"name\":\"%s\",\"cat\":\"%s\",",
            interval->processor + 1, name, name);
    write_time(stream, "ts", interval->since_ns);
    fputc(',', stream);
    write_time(stream, "dur", interval->until_ns - interval->since_ns);
    if (interval->line > 0)
        fprintf(stream, ",\"args\":{\"line\":%" PRIu32 "}", interval->line);
    fputc('}', stream);
}

static void write_end(const timeline_arrow *arrow, size_t number, bool start, FILE *stream)
{
    int64_t inside = arrow->end_ns - arrow->start_ns > 1 ? 1 : 0;

    fprintf(stream,
            ",\n{\"ph\":\"%s\",\"pid\":1,\"tid\":%" PRIu32
            ",\"name\":\"message\",\"cat\":\"message\",\"id\":%zu,",
            start ? "s" : "f\",\"bp\":\"e", (start ? arrow->source : arrow->destination) + 1,
            number);
    write_time(stream, "ts", start ? arrow->start_ns + inside : arrow->end_ns - inside);
    fprintf(stream,
            ",\"args\":{\"message\":%" PRIu64 ",\"bytes\":%" PRIu64
            ",\"contention\":%.6g,\"line\":%" PRIu32 "}}",
            arrow->message, arrow->size_bytes, arrow->contention, arrow->line);
}

static cb_status write_form(const ccmod_timeline *timeline, FILE *stream, ccmod_error *error)
{
    (void)error;
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", stream);
    write_names(timeline, stream);
    for (size_t i = 0; i < timeline->interval_count; i++)
        write_slice(&timeline->intervals[i], stream);
    for (size_t i = 0; i < timeline->arrow_count; i++) {
        write_end(&timeline->arrows[i], i, true, stream);
        write_end(&timeline->arrows[i], i, false, stream);
    }
    fputs("\n]}\n", stream);
    return CB_OK;
}

const ccmod_timeline_form ccmod_timeline_perfetto = {
    .name = "perfetto",
    .help = "Chrome's trace format, for ui.perfetto.dev",
    .write = write_form,
};
