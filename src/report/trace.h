/* A trace: what several processors did when, and which messages went between them, as trace JSON
 * that Perfetto and Chrome's viewer show (events.h). */
#ifndef REPORT_TRACE_H
#define REPORT_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Stands for no track. */
#define REPORT_NO_TRACK SIZE_MAX

/* A slice: one activity of one track. Slices of a track do not overlap. Viewers draw no arrow at
 * one that takes no time. */
typedef struct {
    uint64_t begin_ns, end_ns; /* from the beginning of the trace */
    uint64_t event;            /* appended to the name, and an argument */
    size_t track, peer;        /* of whom else it tells, or REPORT_NO_TRACK */
    const char *kind, *name; /* plain words, written as they are; so are those of arrows and keys */
} report_slice;

/* A message from the beginning of one slice to the beginning of another. */
typedef struct {
    size_t from, to; /* indices of slices */
    const char *name;
} report_arrow;

/* Further properties of the trace, in the order of writing. A text, or a number where `text` is
 * NULL; a number that is NaN is left out. */
typedef struct {
    const char *key, *text;
    double number;
} report_fact;

typedef struct {
    const char *title;
    const char *const *tracks; /* their names, in the order in which they are to be shown */
    size_t track_count;
    const report_slice *slices;
    size_t slice_count;
    const report_arrow *arrows;
    size_t arrow_count;
    const report_fact *facts;
    size_t fact_count;
} report_trace;

/* Where a trace given the name `path` goes: *target, which the caller frees. A trace without slices
 * is written there at once, so that a path that cannot be written is known before anything is
 * measured: CB_ERROR_USAGE, logged, as when it is the file of the result (`output`, or NULL). */
cb_status report_trace_direct(const char *path, const char *output, char **target);

/* Replace the file as a whole. CB_ERROR_SYSTEM, logged, when that fails: what stood there stays. */
cb_status report_trace_write(const char *target, const report_trace *trace);

#endif
