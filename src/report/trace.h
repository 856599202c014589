/* A trace: activities of several processors and messages between them, as JSON for Perfetto and
 * Chrome's viewer (events.h). */
#ifndef REPORT_TRACE_H
#define REPORT_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* No track. */
#define REPORT_NO_TRACK SIZE_MAX

/* A slice: one activity of a track. Slices of a track do not overlap. Viewers draw no arrow to a
 * slice of zero length. */
typedef struct {
    uint64_t begin_ns, end_ns; /* since the start of the trace */
    uint64_t event;            /* appended to the name, and an argument */
    size_t track, peer;        /* its track, and the track it communicates with or REPORT_NO_TRACK
                                */
    const char *kind, *name;   /* plain words, not escaped; so are those of arrows and keys */
} report_slice;

/* A message from the start of one slice to the start of another. */
typedef struct {
    size_t from, to; /* indices of slices */
    const char *name;
} report_arrow;

/* Further properties of the trace, in the order of writing: a text, or a number if `text` is NULL.
 * NaN is left out. */
typedef struct {
    const char *key, *text;
    double number;
} report_fact;

typedef struct {
    const char *title;
    const char *const *tracks; /* their names, in the order of display */
    size_t track_count;
    const report_slice *slices;
    size_t slice_count;
    const report_arrow *arrows;
    size_t arrow_count;
    const report_fact *facts;
    size_t fact_count;
} report_trace;

/* The file that a trace with the name `path` goes to: *target, freed by the caller. An empty trace
 * is written at once, so that a path that cannot be written is found before the measurement:
 * CB_ERROR_USAGE, logged. */
cb_status report_trace_direct(const char *path, char **target);

/* Replace the file as a whole. CB_ERROR_SYSTEM, logged, on failure; the old file is kept. */
cb_status report_trace_write(const char *target, const report_trace *trace);

#endif
