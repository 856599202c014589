/* From the notes of all ranks to a trace: slices on rank 0's clock, and an arrow for each message
 * whose sending and taking were both noted. Pure. */
#ifndef BENCH_TIMELINE_TRACE_H
#define BENCH_TIMELINE_TRACE_H

#include "engine/benchmark.h"
#include "timeline/timeline.h"
#include "timeline/clock.h"
#include "report/trace.h"

/* How much one rank noted. */
typedef struct {
    uint64_t used, dropped;
} bench_timeline_count;

/* The notes of a farm whose ranks stand in order: supervisor, sources, destinations. */
typedef struct {
    const bench_shape *shape;
    const bench_timeline_count *counts; /* of each rank, as are clocks and hosts */
    const bench_timeline_clock *clocks;
    const int *hosts;
    const bench_timeline_entry *entries; /* of all ranks, one after the other */
    uint64_t first_event;                /* which gets the number 0 */
} bench_farm_notes;

enum { BENCH_TRACK_TEXT = 48 };

typedef struct {
    size_t tracks;
    char (*names)[BENCH_TRACK_TEXT]; /* "source 0 (rank 1)" */
    const char **track_names;        /* the same, as a trace takes them */
    report_slice *slices;
    report_arrow *arrows;
    size_t slice_count, arrow_count;
    uint64_t dropped;         /* notes that no rank had room for */
    size_t unmatched;         /* messages taken whose sending was not noted */
    size_t within_bound;      /* arrows no longer than their clocks are known to */
    size_t backwards;         /* arrows that end before they begin */
    double bound_ns;          /* how well the clocks of an arrow are known, of the worst */
    double most_backwards_ns; /* beyond what is known of the clocks; 0: none */
} bench_timeline_trace;

/* Zero-initialise *out. CB_ERROR_MEMORY, logged, where there is none; free it in any case. */
cb_status bench_timeline_make_trace(const bench_farm_notes *notes, bench_timeline_trace *out);
void bench_timeline_free_trace(bench_timeline_trace *trace);

#endif
