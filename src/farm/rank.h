/* A rank's part in a trigger farm, and what it does about messages that come twice, too late, or
 * to where they do not belong. */
#ifndef FARM_RANK_H
#define FARM_RANK_H

#include "farm/builder.h"
#include "farm/farm.h"
#include "farm/ledger.h"
#include "timeline/timeline.h"

enum { FARM_LABEL_BYTES = 16 }; /* of a fragment: its source and event, where it has room */

/* How fragments are made and looked at in a pass. NULL is what timed passes do, in line: write the
 * label, or the known content where there is no room for one; and refer to all the data. */
typedef struct {
    void (*make)(const bench_rank *me, void *data, uint64_t event);
    void (*inspect)(bench_rank *me, const transport_buffer *buffer, size_t source, uint64_t event);
} farm_fragments;

/* Messages of a run that a rank did not act on, beside those that ledger and builder count. */
typedef struct {
    uint64_t duplicate, unexpected, late; /* again; of no event that it could be; after the run */
} farm_faults;

typedef struct {
    size_t role, index; /* among those of the role */
    size_t sources, destinations;
    uint64_t first_event, end_event; /* of the run under way */
    uint64_t events;                 /* those of them that are this rank's */
    const farm_fragments *fragments;
    bool may_lose;     /* what does not come in time is lost, and faults are counted */
    bool over;         /* what comes now is too late to be acted on */
    uint64_t *due;     /* of each destination the event that its next message is about, and ... */
    uint64_t *skipped; /* ... a bit for each event of the run before that of which none came */
    size_t skipped_words; /* of room */
    farm_faults faults;
    /* Of a push farm: what the supervisor tells all sources by; with --supervisor multicast also
     * what a source hears it by, else NULL there. */
    transport_group *all_sources;
    farm_ledger ledger;          /* supervisor */
    farm_builder builder;        /* destination */
    uint64_t *delivered;         /* destination: the sequence that comes next from each source */
    uint64_t first_sequence;     /* destination: of the run, among its own events */
    uint64_t served;             /* source: control messages of the run */
    uint64_t completed;          /* destination: events of the run */
    uint64_t label_sum;          /* destination: of what it referred to, if that was labelled */
    uint64_t slow_units;         /* destination: work on each event besides, for --slow-us */
    bool labelled;               /* fragments carry event and source */
    timeline_recorder *timeline; /* NULL where none is recorded */
} farm_rank;

/* The farm's part of a rank. */
static inline farm_rank *farm_of(const bench_rank *me)
{
    return me->part;
}

/* Make the farm's part of a rank: for `in_flight` events at most. */
cb_status farm_join(bench_rank *me, const bench_shape *shape, uint64_t in_flight);
void farm_leave(bench_rank *me);

/* Recreate the group of all sources, with the announcement of multicasts changed: whether they may
 * be received without waiting. Nothing where the supervisor tells them by a loop. Collective over
 * supervisor and sources; nothing may be under way. */
cb_status farm_try_multicasts(bench_rank *me, bool try_multicast);

/* Empty counters and sums, and prepare for a run of `events`, which begins with number
 * `first_event`. What does not come within `timeout_ns` is lost, and what comes unexpectedly is
 * counted; with 0 all is waited for, and an unexpected message is an error. */
cb_status farm_begin(bench_rank *me, uint64_t first_event, uint64_t events,
                     const farm_fragments *fragments, uint64_t timeout_ns);

/* A control message about any other event than the next one of its destination; as farm_admit. */
cb_status farm_admit_out_of_turn(bench_rank *me, uint64_t event, size_t destination,
                                 bool *admitted);

/* Hot. A control message about an event for a destination: *admitted when the event is of this run,
 * is that destination's, and has not come before. */
static inline cb_status farm_admit(bench_rank *me, uint64_t event, size_t destination,
                                   bool *admitted)
{
    farm_rank *farm = farm_of(me);

    if (__builtin_expect(destination >= farm->destinations || event != farm->due[destination] ||
                             event >= farm->end_event || farm->over,
                         0))
        return farm_admit_out_of_turn(me, event, destination, admitted);
    farm->due[destination] += farm->destinations;
    *admitted = true;
    return CB_OK;
}

/* A message of which this rank can make nothing: counted in a run that may lose messages, else
 * CB_ERROR_DATA, logged. `what` is "a fragment", "a decision". */
cb_status farm_refuse(bench_rank *me, const char *what, uint64_t event);

/* Faults of this rank in the run under way, but those in the supervisor's ledger. */
uint64_t farm_fault_count(const farm_rank *farm);

#endif
