/* A rank's part in a farm, and the handling of duplicate, late and unexpected messages. */
#ifndef FARM_RANK_H
#define FARM_RANK_H

#include "farm/accept.h"
#include "farm/builder.h"
#include "farm/farm.h"
#include "farm/fetch.h"
#include "farm/ledger.h"
#include "stats/stats.h"
#include "timeline/timeline.h"

/* How fragments are made and read in a pass. NULL: inline, as timed passes do: write the label, or
 * the known content if the label does not fit; and read all data. */
typedef struct {
    void (*make)(const bench_rank *me, void *data, size_t size_bytes, uint64_t event);
    void (*inspect)(bench_rank *me, const transport_buffer *buffer, size_t source, uint64_t event);
} farm_fragments;

/* Messages of a run that a rank did not act on, besides those that ledger and builder count. */
typedef struct {
    uint64_t duplicate, unexpected, late; /* came before; about no event of this rank; after the run
                                           */
} farm_faults;

typedef struct {
    farm_ledger ledger;
    uint64_t accepted;               /* decided events of the run that were accepted */
    stats_histogram *step_latencies; /* with two steps: of rejected and accepted events */
} farm_supervisor;

typedef struct {
    uint64_t *own_events; /* if not all sources have its data: a bit for each event of the run */
    size_t own_words;     /* allocated */
    /* With --supervisor multicast: the groups that it is in, by the rank that sends to them, their
     * number, and the one to look at first. */
    transport_group **told_by;
    size_t teller_count, turn;
    uint64_t served; /* control messages of the run */
} farm_source;

typedef struct {
    farm_builder builder;
    farm_asked asked;        /* with two steps */
    uint64_t step_bytes[2];  /* fragments of the run by step */
    size_t fragment_bytes;   /* the last fragment */
    uint64_t *delivered;     /* sequence of the next fragment, per source */
    uint64_t addressed;      /* event of the last addresses, for a timeline */
    uint64_t first_sequence; /* first of its own events in the run */
    uint64_t completed;      /* events completed in the run */
    uint64_t label_sum;      /* sum of the labels that it read, */
    uint64_t marked;         /* and their number, if sizes vary */
    uint64_t slow_units;     /* extra work on each event, for --slow-us */
} farm_destination;

/* A rank of any role; of the last three members it uses one. */
typedef struct {
    size_t role, index; /* index among the ranks of the role */
    size_t sources, destinations;
    size_t fetched; /* sources that have data of an event; all, or fewer with --fetch */
    uint64_t fetch_seed;
    bool lists_addresses; /* pull farm: sources are asked one by one, because an event has no data
                           * of some, or since one control message cannot name all */
    bool two_steps;       /* pull farm: the other sources are asked if the first part is accepted */
    double accept_fraction;
    uint64_t first_event, end_event; /* of the current run */
    uint64_t events;                 /* number of these events that concern this rank */
    uint64_t reach;                  /* of the ledger, in runs that may lose messages */
    const farm_fragments *fragments;
    bool may_lose;        /* missing messages are lost after a timeout, and faults are counted */
    bool over;            /* the run has ended; messages are discarded */
    uint64_t *due;        /* per destination: the event of its next message, and ... */
    uint64_t *skipped;    /* ... a bit for each earlier event of the run without a message */
    size_t skipped_words; /* allocated */
    farm_faults faults;
    /* The group by which one rank tells all sources of an event. Push farm: the supervisor, always.
     * Pull farm with --supervisor multicast: each destination. */
    transport_group *all_sources;
    bool hears_groups; /* messages come by those groups, not from single ranks */
    uint64_t *drawn;   /* room for a set of sources */
    bool labelled; /* fragments carry event and source; if sizes vary, those with room for them */
    bool varied;   /* fragments vary in size; those below 16 bytes have no label */
    timeline_recorder *timeline; /* or NULL */
    farm_supervisor supervisor;
    farm_source source;
    farm_destination destination;
} farm_rank;

/* The farm's part of a rank. */
static inline farm_rank *farm_of(const bench_rank *me)
{
    return me->part;
}

/* Create the farm's part of a rank, for at most `in_flight` events. CB_ERROR_MEMORY or the
 * technology's error, logged. Free with farm_leave. */
cb_status farm_join(bench_rank *me, const bench_shape *shape, uint64_t in_flight);
void farm_leave(bench_rank *me);

/* Create the groups of all sources again, with or without receives of multicasts that do not wait;
 * sources of a pull farm never wait for one destination. No effect with --supervisor loop.
 * Collective over the ranks that tell, and sources; no message may be in flight. */
cb_status farm_try_multicasts(bench_rank *me, bool try_multicast);

/* Whether the sources of the second step have data of an event as well. */
static inline bool farm_event_is_accepted(const farm_rank *farm, uint64_t event)
{
    return farm->two_steps && farm_accepts(farm->fetch_seed, event, farm->accept_fraction);
}

/* Reset counters and sums and prepare a run of `events` events starting with number `first_event`.
 * A message that does not arrive within `timeout_ns` is lost, and unexpected messages are counted.
 * With timeout 0 the run waits without limit, and an unexpected message is an error. */
cb_status farm_begin(bench_rank *me, uint64_t first_event, uint64_t events,
                     const farm_fragments *fragments, uint64_t timeout_ns);

/* Handle a control message that is not about the next event of its destination; otherwise as
 * farm_admit. */
cb_status farm_admit_out_of_turn(bench_rank *me, uint64_t event, size_t destination,
                                 bool *admitted);

/* Hot. Check a control message about an event of a destination. *admitted: the event is of this run
 * and of that destination, and no message about it has come before. */
static inline cb_status farm_admit(bench_rank *me, uint64_t event, size_t destination,
                                   bool *admitted)
{
    farm_rank *farm = farm_of(me);

    if (__builtin_expect(destination >= farm->destinations || event != farm->due[destination] ||
                             event >= farm->end_event || farm->over ||
                             farm->source.own_events != NULL,
                         0))
        return farm_admit_out_of_turn(me, event, destination, admitted);
    farm->due[destination] += farm->destinations;
    *admitted = true;
    return CB_OK;
}

/* Handle an unexpected message: count it in a run that may lose messages, else CB_ERROR_DATA,
 * logged. `what` is "a fragment" or "a decision", for the message. */
cb_status farm_reject(bench_rank *me, const char *what, uint64_t event);

/* Number of faults of this rank in the current run, without those in the supervisor's ledger. */
uint64_t farm_fault_count(const farm_rank *farm);

#endif
