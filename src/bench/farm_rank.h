/* A rank's part in a trigger farm, as the engine sees it: farm_rank.c has what the steps of the
 * programs call, farm_loops.c the loops around them, farm_measure.c the passes. */
#ifndef BENCH_FARM_RANK_H
#define BENCH_FARM_RANK_H

#include "bench/builder.h"
#include "bench/farm.h"
#include "bench/ledger.h"
#include "bench/timeline.h"

/* How fragments are made and looked at in a pass. */
typedef struct {
    void (*make)(const bench_rank *me, void *data, uint64_t event);
    void (*inspect)(bench_rank *me, const transport_buffer *buffer, size_t source, uint64_t event);
} bench_fragments;

struct bench_farm {
    size_t role, index; /* among those of the role */
    size_t sources, destinations;
    uint64_t events; /* of the run under way */
    const bench_fragments *fragments;
    bool patient;                 /* nothing is waited for for ever */
    transport_group *all_sources; /* supervisor of a push farm */
    bench_ledger ledger;          /* supervisor */
    bench_builder builder;        /* destination */
    uint64_t *delivered;          /* destination: fragments of each source */
    uint64_t first_sequence;      /* destination: of the run, among its own events */
    uint64_t served;              /* source: notes of the run */
    uint64_t completed;           /* destination: events of the run */
    uint64_t expected_sum;        /* destination: of what it referred to */
    uint64_t slow_units;          /* destination: work on each event besides, for --slow-us */
    uint64_t foreign_notes;       /* messages that were no notes */
    bool labelled;                /* fragments carry event and source */
    bench_timeline *timeline;     /* NULL where none is recorded */
};

extern const bench_fragments bench_fragments_touched, bench_fragments_bare;
extern const bench_fragments bench_fragments_verified;

/* Make the farm's part of a rank: for `in_flight` events at most. */
cb_status bench_farm_join(bench_rank *me, const bench_shape *shape, uint64_t in_flight);
void bench_farm_leave(bench_rank *me);

/* Empty counters and sums, and prepare for a run of so many events, which begins with number
 * `first_event`. What does not come for `patience_ns` is lost; 0: it is waited for. */
void bench_farm_begin(bench_rank *me, uint64_t first_event, uint64_t events,
                      const bench_fragments *fragments, uint64_t patience_ns);

/* The sum of all that a destination referred to is what it must be, else CB_ERROR_DATA, logged. */
cb_status bench_farm_check_sum(const bench_rank *me);

/* Hot. Supervisor: take a decision into the ledger. */
cb_status bench_farm_take_decision(bench_rank *me, transport_buffer *buffer, const bench_peer *from,
                                   uint64_t *since_ns, bench_decision *decision);

#endif
