/* A unit of event building: a readout, which has a fragment of every event, and a builder, which
 * assembles the events of every N-th number. They are one rank or two.
 *
 * A turn is a message from each source to each builder; it has `pack` fragments, so that each
 * builder gets `pack` events per turn. All messages of a source to a builder are in the order of
 * turns. A fragment from the rank's own readout is read, and never sent.
 *
 * The accounts are per event: complete, or lost if a fragment did not arrive in time. */
#ifndef EVB_UNIT_H
#define EVB_UNIT_H

#include "engine/traffic.h"
#include "evb/options.h"
#include "rate/arrivals.h"
#include "stats/stats.h"
#include "timeline/timeline.h"

/* Requests and acknowledgements are empty, unless fragments are. */
enum { EVB_CONTROL_BYTES = 8 };

/* Events of a builder. issued = complete + lost; `incomplete` are lost events of which at least one
 * fragment arrived. */
typedef struct {
    uint64_t issued, complete, lost, incomplete;
} evb_account;

/* A turn under construction at a builder. */
typedef struct {
    uint32_t missing; /* messages that have neither arrived nor been given up */
    uint32_t given_up;
    uint64_t since_ns; /* opened, or first message; 0: neither, or latencies are not recorded */
} evb_turn;

/* Of an open loop: what a builder knows of the events that are due. */
typedef struct {
    rate_schedule schedule; /* of all events in turns that are complete or lost */
    uint64_t turns;         /* complete or lost */
    uint64_t middle;        /* number of the turn in the middle of the run, from 1 */
    uint64_t first_ns;      /* the first turn was complete */
    double pending_middle;  /* events due and not complete after the turn in the middle */
} evb_due;

/* What a rank has exchanged with a peer. */
typedef struct {
    uint64_t turn;  /* of its next message with fragments */
    uint64_t sent;  /* messages with fragments to it */
    uint64_t taken; /* messages of any kind that came or were given up */
    uint64_t held;  /* acknowledgements that wait for the builder's window */
    uint64_t share; /* messages with fragments since shares are counted */
} evb_peer;

typedef struct {
    evb_schedule schedule;
    size_t units, index; /* number of units; of this rank's */
    bool folded, reads_out, builds;
    bool acknowledges; /* schedules without phases: builders acknowledge each message */
    size_t ahead;      /* messages of a source that may be unacknowledged */
    size_t pack;       /* events in a message */
    size_t control_bytes;
    uint64_t opened; /* turns that this rank has begun */
    /* Builder */
    uint64_t oldest; /* turns before it are complete or lost */
    evb_turn *turns; /* a ring; a power of two */
    uint64_t mask;
    uint64_t requested, outstanding; /* credits: messages asked for; of these, not arrived */
    evb_account account;
    uint64_t accounts[4]; /* the same of all builders, when a row is made */
    /* Source */
    size_t unacknowledged;
    uint64_t served; /* credits: messages sent */
    evb_peer *peers;
    /* Pass of single events; NULL: the clock is not read */
    stats_histogram *latency;
    uint64_t share_turns; /* shares are counted until a source has sent this number of messages */
    bool share_complete;
    uint64_t last_ns; /* the last turn was complete */
    evb_due *due;     /* latencies count from due times; NULL: from the opening of an event */
    timeline_recorder *timeline; /* or NULL */
} evb_unit;

/* The unit of a rank. */
static inline evb_unit *evb_of(const bench_rank *me)
{
    return me->part;
}

/* set_up and tear_down of the definition. CB_ERROR_MEMORY or the technology's error, logged. */
cb_status evb_set_up(bench_rank *me);
void evb_tear_down(bench_rank *me);

/* Index in me->peers of a unit's readout or builder; not of this rank itself. */
size_t evb_readout(const bench_rank *me, size_t unit);
size_t evb_builder(const bench_rank *me, size_t unit);

/* Number of the first event of a builder in a turn. */
static inline uint64_t evb_event(const evb_unit *unit, uint64_t turn, size_t builder)
{
    return (turn * unit->units + builder) * unit->pack;
}

/* Hot. Send the next message with fragments to a builder. In this rank: make it, read it. */
cb_status evb_send(bench_rank *me, size_t builder);

/* Hot. Receive the next message from a readout, from which nothing else can come next. */
cb_status evb_receive(bench_rank *me, size_t readout);

/* Hot. Send or receive a control message: a request, an acknowledgement, or a part of a barrier. */
cb_status evb_send_control(bench_rank *me, size_t peer);
cb_status evb_receive_control(bench_rank *me, size_t peer);

/* Hot. Receive the next message of any kind and act on it. */
cb_status evb_receive_any(bench_rank *me);

#endif
