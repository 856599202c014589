/* Write traces: facts first, then tracks, slices and arrows as events. */
#include "report/trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "report/events.h"
#include "base/output.h"
#include "report/values.h"

static const cb_output_use trace_use = {.what = "the timeline", .option = "--timeline"};

enum { NAME_BYTES = 128 };

/* Facts, tracks, slices, arrows. */
static void write_trace(FILE *stream, void *context)
{
    const report_trace *trace = context;
    const char *before = "";
    report_events events;

    report_events_head(stream);
    fputs(",\"otherData\":{", stream);
    for (size_t i = 0; i < trace->fact_count; i++) {
        const report_fact *fact = &trace->facts[i];
        json_t *value =
            fact->text != NULL ? report_value_text(fact->text) : report_value_number(fact->number);

        if (fact->text == NULL && !isfinite(fact->number))
            continue;
        fprintf(stream, "%s\n  \"%s\": ", before, fact->key);
        if (value == NULL ||
            json_dumpf(value, stream, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9)) != 0)
            fputs("null", stream);
        json_decref(value);
        before = ",";
    }
    fputs("}", stream);
    events = report_events_begin(stream);
    if (trace->track_count > 0)
        report_events_name_process(&events, trace->title);
    for (size_t i = 0; i < trace->track_count; i++)
        report_events_name_track(&events, i, trace->tracks[i]);
    for (size_t i = 0; i < trace->slice_count; i++) {
        const report_slice *slice = &trace->slices[i];
        char name[NAME_BYTES];

        snprintf(name, sizeof(name), "%s %" PRIu64, slice->name, slice->event);
        report_events_slice(&events, slice->track, name, slice->kind, slice->begin_ns,
                            slice->end_ns);
        report_events_count(&events, "event", slice->event);
        if (slice->peer != REPORT_NO_TRACK)
            report_events_text(&events, "peer", trace->tracks[slice->peer]);
        report_events_close(&events);
    }
    for (size_t i = 0; i < trace->arrow_count; i++) {
        const report_arrow *arrow = &trace->arrows[i];
        const report_slice *from = &trace->slices[arrow->from], *to = &trace->slices[arrow->to];

        report_events_arrow(&events, from->track, arrow->name, i + 1, true, from->begin_ns);
        report_events_close(&events);
        report_events_arrow(&events, to->track, arrow->name, i + 1, false, to->begin_ns);
        report_events_close(&events);
    }
    report_events_end(&events);
}

cb_status report_trace_write(const char *target, const report_trace *trace)
{
    report_trace copy = *trace;

    return cb_output_replace(target, &trace_use, write_trace, &copy);
}

cb_status report_trace_direct(const char *path, char **target)
{
    const report_trace empty = {.title = NULL};

    *target = cb_output_target(path, &trace_use);
    if (*target != NULL && report_trace_write(*target, &empty) == CB_OK)
        return CB_OK;
    free(*target);
    *target = NULL;
    return CB_ERROR_USAGE;
}
