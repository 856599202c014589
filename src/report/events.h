/* Trace events for Perfetto and Chrome's viewer ("Trace Event Format" of the Chromium project).
 *
 * Names are events of phase M, slices of phase X, a message is a pair of phases s and f. All tracks
 * are threads of one process. Each event is written at once; check the stream for errors at the
 * end. */
#ifndef REPORT_EVENTS_H
#define REPORT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    FILE *stream;
    bool any;       /* an event has been written */
    bool arguments; /* the open event has arguments */
} report_events;

/* Start of the document, after which the caller may write further members, each after a comma;
 * start of the list of events; end of the document. */
void report_events_head(FILE *stream);
report_events report_events_begin(FILE *stream);
void report_events_end(report_events *events);

/* Names may be any text; kinds and keys have to be plain words. Tracks are shown in order. */
void report_events_name_process(report_events *events, const char *name);
void report_events_name_track(report_events *events, size_t track, const char *name);

/* Open an event: a slice of a track, or one end of an arrow. An end belongs to the slice of its
 * track that is open at its time and was written before. Both ends have the same number. Times are
 * in ns. */
void report_events_slice(report_events *events, size_t track, const char *name, const char *kind,
                         uint64_t begin_ns, uint64_t end_ns);
void report_events_arrow(report_events *events, size_t track, const char *name, size_t number,
                         bool start, uint64_t at_ns);

/* Add an argument to the open event; end it. */
void report_events_count(report_events *events, const char *key, uint64_t value);
void report_events_number(report_events *events, const char *key, double value);
void report_events_text(report_events *events, const char *key, const char *value);
void report_events_close(report_events *events);

#endif
