/* Turn the entries of all ranks into a trace: slices on rank 0's clock, and an arrow for each
 * message whose sending and receipt were both recorded. Pure functions. */
#ifndef TIMELINE_TRACE_H
#define TIMELINE_TRACE_H

#include "control/control.h"
#include "engine/definition.h"
#include "report/trace.h"
#include "timeline/timeline.h"

typedef struct {
    control_clock before, after; /* two estimates of a clock; their drift is not used */
} timeline_clock;

/* Convert a local time to rank 0's clock, by linear interpolation between both estimates. */
uint64_t timeline_reference(const timeline_clock *clock, uint64_t local_ns);

/* Largest error of the interpolation between the estimates, in ns, if the drift is constant. */
double timeline_bound_ns(const timeline_clock *clock);

/* Ranks of a host read the same clock. For each rank, clock_of is the rank whose estimate is used:
 * the most precise of its host (rank 0 on its own host), unless the rank's own estimates show that
 * the clocks differ. */
void timeline_share_clocks(const timeline_clock *clocks, const int *hosts, size_t ranks,
                           size_t *clock_of);

/* Name of a slice, and of what it sends. */
typedef struct {
    const char *kind, *name, *message;
} timeline_wording;

/* Names of the roles and messages of a pattern. The only rank of the first role has no number. */
typedef struct {
    const char *roles[BENCH_ROLES];
    timeline_wording sends[BENCH_ROLES][BENCH_ROLES]; /* by role of sender and receiver */
    const char *takes[BENCH_ROLES][BENCH_ROLES];      /* by role of sender and receiver */
} timeline_words;

/* Number of entries of one rank. */
typedef struct {
    uint64_t used, dropped;
} timeline_count;

/* The entries of a job whose ranks are ordered by stage; each stage is a role. */
typedef struct {
    const timeline_words *words;
    const bench_shape *shape;
    const timeline_count *counts; /* by rank, like clocks and hosts */
    const timeline_clock *clocks;
    const int *hosts;
    const timeline_entry *entries; /* of all ranks, rank by rank */
    uint64_t first_event;          /* shown as event 0 */
} timeline_gathered;

enum { TIMELINE_TRACK_TEXT = 48 };

typedef struct {
    size_t tracks;
    char (*names)[TIMELINE_TRACK_TEXT]; /* "source 0 (rank 1)" */
    const char **track_names;           /* the same, as an array of pointers */
    report_slice *slices;
    report_arrow *arrows;
    size_t slice_count, arrow_count;
    uint64_t dropped;         /* entries that did not fit */
    size_t unmatched;         /* received messages whose sending was not recorded */
    size_t within_bound;      /* arrows not longer than the uncertainty of their clocks */
    size_t backwards;         /* arrows that end before they start */
    double bound_ns;          /* largest uncertainty of the clocks of an arrow */
    double most_backwards_ns; /* beyond the uncertainty of the clocks; 0: none */
} timeline_trace;

/* Make the trace of gathered entries. Zero-initialise *out. CB_ERROR_MEMORY, logged. Call
 * timeline_trace_free in any case. */
cb_status timeline_trace_make(const timeline_gathered *gathered, timeline_trace *out);
void timeline_trace_free(timeline_trace *trace);

#endif
