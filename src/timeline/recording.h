/* What all methods with a timeline have in common: its options, its file, and what recording costs.
 */
#ifndef TIMELINE_RECORDING_H
#define TIMELINE_RECORDING_H

#include "engine/session.h"
#include "stats/stats.h"
#include "timeline/timeline.h"

/* State of --timeline, of which the first measurement is recorded. Zero-initialise. */
typedef struct {
    bool due;                    /* --timeline is given, and nothing has been recorded yet */
    char *path;                  /* of the trace; rank 0 only */
    timeline_recorder *recorder; /* of this rank; NULL if it took no part */
    uint64_t events;             /* to record */
    stats_summary cost_pct;      /* relative slowdown of an event while it is recorded, per pair */
} timeline_recording;

/* Check --timeline and --timeline-events as far as they do not depend on the benchmark.
 * CB_ERROR_USAGE, logged. */
cb_status timeline_check_options(const bench_options *options);

/* Number of events that --timeline-events asks for. */
uint64_t timeline_events_wanted(const bench_options *options);

/* Prepare the recording that --timeline asks for; without it nothing becomes due. CB_ERROR_USAGE or
 * CB_ERROR_SYSTEM, logged, if the trace cannot be written. */
cb_status timeline_recording_open(const engine_session *session, timeline_recording *recording);
void timeline_recording_close(timeline_recording *recording);

/* The measured traffic, for a time that is *elapsed_ns afterwards; `recorder` is NULL if nothing is
 * recorded in it. */
typedef cb_status (*timeline_trial)(void *context, timeline_recorder *recorder, double *elapsed_ns);

/* Find the cost of recording by trials with and without it, in turns, so that both see the same
 * machine. They also write to the recorder's memory. Returns the first error of a trial. */
cb_status timeline_find_cost(timeline_recording *recording, timeline_trial trial, void *context);

#endif
