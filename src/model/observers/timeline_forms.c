/* The forms of a space-time diagram, and the first of them: Chrome's trace format, which
 * ui.perfetto.dev and chrome://tracing show: a track for each processor, a slice for each interval,
 * an arrow for each message.
 *
 * An arrow is tied to the slices that hold its ends. At an instant where two slices meet that would
 * be a matter of luck, so both ends are moved into the message by one nanosecond. */
#include "model/observers/timeline.h"

#include "report/events.h"

enum { NAME_BYTES = 32 };

static void write_names(const ccmod_timeline *timeline, report_events *events)
{
    char name[NAME_BYTES];

    report_events_name_process(events, timeline->title);
    for (size_t i = 0; i < timeline->processors; i++) {
        snprintf(name, sizeof(name), "rank %zu", i);
        report_events_name_track(events, i, name);
    }
}

static void write_slice(const timeline_interval *interval, report_events *events)
{
    const char *name = ccmod_timeline_activity_name(interval->activity);

    report_events_slice(events, interval->processor, name, name, (uint64_t)interval->since_ns,
                        (uint64_t)interval->until_ns);
    if (interval->line > 0)
        report_events_count(events, "line", interval->line);
    report_events_close(events);
}

static void write_end(const timeline_arrow *arrow, size_t number, bool start, report_events *events)
{
    int64_t inside = arrow->end_ns - arrow->start_ns > 1 ? 1 : 0;

    report_events_arrow(events, start ? arrow->source : arrow->destination, "message", number,
                        start,
                        (uint64_t)(start ? arrow->start_ns + inside : arrow->end_ns - inside));
    report_events_count(events, "message", arrow->message);
    report_events_count(events, "bytes", arrow->size_bytes);
    report_events_number(events, "contention", arrow->contention);
    report_events_count(events, "line", arrow->line);
    report_events_close(events);
}

static ccmod_status write_form(const ccmod_timeline *timeline, FILE *stream, ccmod_error *error)
{
    report_events events;

    (void)error;
    report_events_head(stream);
    events = report_events_begin(stream);
    write_names(timeline, &events);
    for (size_t i = 0; i < timeline->interval_count; i++)
        write_slice(&timeline->intervals[i], &events);
    for (size_t i = 0; i < timeline->arrow_count; i++) {
        write_end(&timeline->arrows[i], i, true, &events);
        write_end(&timeline->arrows[i], i, false, &events);
    }
    report_events_end(&events);
    return CCMOD_OK;
}

static const ccmod_timeline_form perfetto = {
    .name = "perfetto",
    .help = "Chrome's trace format, for ui.perfetto.dev",
    .write = write_form,
};

const ccmod_timeline_form *const ccmod_timeline_forms[] = {
    &perfetto,
    &ccmod_timeline_paje,
    &ccmod_timeline_svg,
    NULL,
};
