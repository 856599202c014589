/* From the entries of all ranks to a trace: slices on rank 0's clock, and an arrow for each message
 * whose sending and taking were both recorded. Pure. */
#ifndef TIMELINE_TRACE_H
#define TIMELINE_TRACE_H

#include "control/control.h"
#include "engine/shape.h"
#include "report/trace.h"
#include "timeline/timeline.h"

typedef struct {
    control_clock before, after; /* two estimates of one clock; their drift is not looked at */
} timeline_clock;

/* An instant of the clock as one of rank 0's: on the line through both estimates. */
uint64_t timeline_reference(const timeline_clock *clock, uint64_t local_ns);

/* Between the estimates the line is wrong by no more than this, if the drift is steady. */
double timeline_bound_ns(const timeline_clock *clock);

/* Ranks of one host read one clock: of each rank, the rank whose estimate counts for it in
 * clock_of. It is the one of its host that is known best, rank 0's on that host, unless its own
 * estimates say that the two cannot be the same clock. */
void timeline_share_clocks(const timeline_clock *clocks, const int *hosts, size_t ranks,
                           size_t *clock_of);

/* How a slice is named, and what it sends. */
typedef struct {
    const char *kind, *name, *message;
} timeline_wording;

/* How a pattern names its roles and messages. The one rank of the first role has no number. */
typedef struct {
    const char *roles[BENCH_ROLES];
    timeline_wording sends[BENCH_ROLES][BENCH_ROLES]; /* by the role of who sends, and to whom */
    const char *takes[BENCH_ROLES][BENCH_ROLES];      /* by the role of who sent, and who takes */
} timeline_words;

/* How much one rank recorded. */
typedef struct {
    uint64_t used, dropped;
} timeline_count;

/* The entries of a job whose ranks stand in the order of the stages, of which each is a role. */
typedef struct {
    const timeline_words *words;
    const bench_shape *shape;
    const timeline_count *counts; /* of each rank, as are clocks and hosts */
    const timeline_clock *clocks;
    const int *hosts;
    const timeline_entry *entries; /* of all ranks, one after the other */
    uint64_t first_event;          /* which gets the number 0 */
} timeline_gathered;

enum { TIMELINE_TRACK_TEXT = 48 };

typedef struct {
    size_t tracks;
    char (*names)[TIMELINE_TRACK_TEXT]; /* "source 0 (rank 1)" */
    const char **track_names;           /* the same, as a trace takes them */
    report_slice *slices;
    report_arrow *arrows;
    size_t slice_count, arrow_count;
    uint64_t dropped;         /* entries that no rank had room for */
    size_t unmatched;         /* messages taken whose sending was not recorded */
    size_t within_bound;      /* arrows no longer than their clocks are known to */
    size_t backwards;         /* arrows that end before they begin */
    double bound_ns;          /* how well the clocks of an arrow are known, of the worst */
    double most_backwards_ns; /* beyond the uncertainty of the clocks; 0: none */
} timeline_trace;

/* Zero-initialise *out. CB_ERROR_MEMORY, logged, where there is none; free it in any case. */
cb_status timeline_trace_make(const timeline_gathered *gathered, timeline_trace *out);
void timeline_trace_free(timeline_trace *trace);

#endif
