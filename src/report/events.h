/* Trace events as Perfetto and Chrome's viewer read them ("Trace Event Format" of the Chromium
 * project): names are of phase M, slices of phase X, a message is a pair of phases s and f. Each
 * goes straight to the stream. One process; a track is a thread of it. Errors of writing are to be
 * asked of the stream, once, at the end. */
#ifndef REPORT_EVENTS_H
#define REPORT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    FILE *stream;
    bool any;       /* an event has been written */
    bool arguments; /* the event that is open has some */
} report_events;

/* The document: its head, after which the caller may write more members, each after a comma;
 * the list of events; and its end. */
void report_events_head(FILE *stream);
report_events report_events_begin(FILE *stream);
void report_events_end(report_events *events);

/* Names are any text; those of kinds, and keys, plain words. Tracks are shown in order. */
void report_events_name_process(report_events *events, const char *name);
void report_events_name_track(report_events *events, size_t track, const char *name);

/* Open an event: a slice of a track, or one end of an arrow, which belongs to the slice that is
 * open at its time and was written before. Both ends have the same number. */
void report_events_slice(report_events *events, size_t track, const char *name, const char *kind,
                         uint64_t begin_ns, uint64_t end_ns);
void report_events_arrow(report_events *events, size_t track, const char *name, size_t number,
                         bool start, uint64_t at_ns);

/* Arguments of the open event, then its end. */
void report_events_count(report_events *events, const char *key, uint64_t value);
void report_events_number(report_events *events, const char *key, double value);
void report_events_text(report_events *events, const char *key, const char *value);
void report_events_close(report_events *events);

#endif
