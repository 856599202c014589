/* What a benchmark program is made of: a table of roles and modes, and one step function for each
 * role. A benchmark reads no clock, computes no statistics and prints nothing: the engine does.
 *
 * A mode's step is repeated; a block is `begin`, an agreed number of steps, `finish`. All three are
 * hot. Ranks find their peers in me->peers, in the order that the role's row says. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/checker.h"
#include "transport/transport.h"

typedef struct bench_rank bench_rank;
typedef struct bench_traffic bench_traffic;
typedef struct measurement_method measurement_method;

/* How many ranks have a role, of the count that is measured (processors, sources, destinations).
 * BENCH_REST: those that two roles of one rank each leave. */
typedef enum { BENCH_NONE, BENCH_ONE, BENCH_HALF, BENCH_COUNT, BENCH_REST } bench_share;

/* Whom a rank talks to: all of some roles, role after role; the one with the same index in a role;
 * the others of its own role, the next one first, so that no two begin with the same; in a topology
 * those that feed it and behind them the one that it feeds. */
typedef enum { BENCH_ALL, BENCH_TWIN, BENCH_OTHERS, BENCH_CHAIN } bench_peering;

/* Sets of roles. */
enum { BENCH_HEARS_ALL = 0, BENCH_FIRST = 1u << 0, BENCH_SECOND = 1u << 1, BENCH_THIRD = 1u << 2 };

enum { BENCH_ROLES = 3, BENCH_MODES = 8, BENCH_STAGES = 8 };

/* How many ranks are in each stage; see shape.h. */
typedef struct {
    size_t stages[BENCH_STAGES];
    size_t stage_count;
} bench_shape;

typedef struct {
    const char *name; /* source, destination, node */
    bench_share share;
    bench_peering peering;
    unsigned peer_roles; /* the roles that the peers have */
    unsigned heard;      /* those of them that it receives from, or BENCH_HEARS_ALL */
} bench_role;

typedef cb_status (*bench_action)(bench_rank *me);

/* What a rank of a farm does about a message: `from` is the place of its sender among the peers,
 * and the buffer is the action's to send or release. */
typedef cb_status (*bench_reaction)(bench_rank *me, size_t from, transport_buffer *buffer);

typedef struct {
    bench_action begin, step, finish; /* begin and finish may be NULL */
    bench_reaction react;             /* in place of a step, of a farm's sources and destinations */
    bool timed;                       /* this role's clock counts; of several the longest block */
    bool starts_after_begin;          /* its block begins behind begin ... */
    bool ends_before_finish;          /* ... and ends with the last step, not with finish */
} bench_actions;

typedef enum { BENCH_LATENCY, BENCH_ROUND } bench_figure;

/* Packets of a step, by what a benchmark counts: as many whatever that is, one for each, and one
 * from each to all others. */
static inline size_t bench_one_packet(size_t count)
{
    (void)count;
    return 1;
}

static inline size_t bench_two_packets(size_t count)
{
    (void)count;
    return 2;
}

static inline size_t bench_packet_each(size_t count)
{
    return count;
}

static inline size_t bench_packets_among_all(size_t count)
{
    return count * (count - 1);
}

typedef struct {
    const char *name;
    const char *summary; /* what a step is, for --help */
    size_t processors;   /* of BENCH_BY_MODE: how many take part */
    bench_figure figure; /* the time of a step is reported as latency_us or round_us ... */
    unsigned divisor;    /* ... divided by this: 2 for a round trip */
    /* Data packets that all destinations receive in a step / divisor. */
    size_t (*packets)(size_t count);
    bool counts_packets; /* frequency_Hz counts packets, not steps */
    bool on_request;     /* only with --mode */
    bench_actions roles[BENCH_ROLES];
} bench_mode;

/* What the list of counts counts, and thereby which option gives it. */
typedef enum {
    BENCH_PAIR_ONLY,
    BENCH_BY_MODE, /* each mode says how many processors it has */
    BENCH_PROCESSORS,
    BENCH_DESTINATIONS,
    BENCH_SOURCES,
    BENCH_FARM,    /* sources and destinations, and a supervisor */
    BENCH_TOPOLOGY /* --topology: stages of ranks */
} bench_counted;

/* How a list of destinations changes from one broadcast to the next. */
typedef enum { BENCH_FIXED, BENCH_ROTATE, BENCH_RANDOM } bench_list;

/* What the figure at the reference count serves for. */
typedef enum {
    BENCH_NO_RATIO,
    BENCH_CONGESTION, /* time per packet of a node / that of the reference: 1.3 */
    BENCH_EFFICIENCY, /* frequency per pair / that of the reference: 1.4 */
    BENCH_LOSS        /* per cent of the reference's packet rate that is missing: 1.7 */
} bench_ratio;

typedef struct {
    const char *name;        /* oneway */
    const char *id;          /* 1.1 */
    const char *title;       /* one line */
    const char *description; /* paragraphs, for --help and the manual page */
    bench_counted counted;
    bench_ratio ratio;
    size_t reference; /* the count that the ratio refers to, measured first; 0 without ratio */
    bool fit;         /* a short sweep to 1 MiB is added, for Hockney's parameters */
    bool parkbench;   /* TICK1 and TICK2 come first, and curves have Parkbench's parameters */
    bool lists;       /* takes --list and --multicast */
    bool shares;      /* modes with more than one peer report each peer's share */
    bench_role roles[BENCH_ROLES];
    bench_mode modes[BENCH_MODES]; /* ended by one without a name */
    /* Make what the mode needs beside peers, and unmake it; both may be NULL. The time of set_up is
     * reported for each group that it makes. */
    cb_status (*set_up)(bench_rank *me);
    void (*tear_down)(bench_rank *me);
    /* How it is measured, where the plain passes are not all of it; and the same with --compute,
     * NULL where it cannot be asked for. */
    const measurement_method *method, *overlap;
} bench_definition;

typedef struct {
    transport_node *node;
    unsigned outstanding;    /* packets sent and not yet acknowledged */
    unsigned unacknowledged; /* packets received and not yet acknowledged */
    uint64_t ahead;          /* packets received for rounds that are not complete */
    uint64_t block_received; /* in this block, where shares are counted */
    uint64_t taken;          /* packets received from any, or given up, in this pass */
    uint64_t share;          /* of this pass, each block until its first peer had delivered all */
    uint64_t sent;           /* stamped packets of the verifying pass */
    bench_checker incoming;
} bench_peer;

/* The algorithm that a receiving processor runs on each packet: calibrated work, or what is called
 * instead of it where nothing is measured. */
typedef struct {
    cb_status (*instead)(void *context); /* or NULL */
    void *context;
    uint64_t units; /* of host_work; 0: none */
    uint64_t state; /* its result so far, so that nothing of it can be left out */
    uint64_t runs, elapsed_ns;
} bench_algorithm;

/* How the lists of a multicast are made; from the plan and the options. */
typedef struct {
    bench_list kind;
    bool own_multicast; /* by the technology's own multicast, else by a loop of sends */
    size_t length;
    const char *group_name; /* the list is all of this group of the configuration; else NULL */
    uint64_t seed;
} bench_lists;

/* Where a rank stands: the participants are those of the first role, then those of the second. */
typedef struct {
    const int *ranks;
    size_t participants;
    size_t self;                    /* this rank among them */
    size_t index;                   /* among those in the same stage */
    size_t first_peer[BENCH_ROLES]; /* of a role, where all of it are peers */
    transport_node **nodes;         /* as they were asked for of bench_node */
} bench_position;

/* What was received in this pass. */
typedef struct {
    uint64_t sum; /* over all words that were touched */
    uint64_t packets;
    uint64_t lost; /* packets given up, over an unreliable technology */
} bench_received;

/* Whose packets arrive first, counted in each block until a peer has delivered all of it. */
typedef struct {
    uint64_t block_steps;
    bool first_complete;
} bench_shares;

/* What the verifying pass found, and after how long a packet that does not come is lost. */
typedef struct {
    bench_findings findings;
    uint64_t timeout_ns;
} bench_checks;

struct bench_rank {
    const bench_traffic *traffic; /* how this pass sends and receives: see traffic.h */
    transport_factory *factory;
    transport_preparation preparation; /* what the factory was told */
    bench_peer *peers;
    size_t peer_count;
    transport_group *group; /* of all peers that it hears, for fair receives */
    size_t heard;           /* how many these are: the first of `peers` unless roles are left out */
    size_t size_bytes;
    transport_buffer *in_hand; /* of bench_serve, or NULL */
    bool rotate;               /* buffers: a received one is not sent on */
    unsigned window, half_window;
    size_t missing;  /* peers that the round under way still waits for */
    uint64_t blocks; /* completed so far */
    bench_position place;
    bench_received received;
    bench_shares shares;
    bench_algorithm algorithm;
    bench_checks verification;
    bench_lists lists;
    uint64_t broadcasts; /* so far */
    /* Whether broadcast n goes to this rank as well; NULL: all do. */
    bool (*is_addressed)(const bench_rank *me, uint64_t broadcast);
    size_t groups_made; /* by set_up */
    void *part;         /* what set_up has made, or who measures: lists, a farm's accounts */
};

/* The whole program. Returns the exit status. */
int bench_main(const bench_definition *definition, int argc, char **argv);

/* The node of a participant. */
cb_status bench_node(bench_rank *me, size_t participant, transport_node **out);

/* Sending and receiving of one data packet. Hot. */
struct bench_traffic {
    cb_status (*send)(bench_rank *me, bench_peer *peer);
    cb_status (*receive)(bench_rank *me, bench_peer *peer);
    cb_status (*receive_any)(bench_rank *me, bench_peer **from);
    cb_status (*multicast)(bench_rank *me, transport_group *group);
    cb_status (*receive_multicast)(bench_rank *me, transport_group *group);
    cb_status (*serve)(bench_rank *me, bench_peer *peer);
    cb_status (*bounce)(bench_rank *me, bench_peer *peer);
    cb_status (*await_signal)(bench_rank *me, bench_peer *peer);
};

static inline __attribute__((always_inline)) cb_status bench_send(bench_rank *me, size_t peer)
{
    return me->traffic->send(me, &me->peers[peer]);
}

static inline cb_status bench_receive(bench_rank *me, size_t peer)
{
    return me->traffic->receive(me, &me->peers[peer]);
}

/* From any peer, each in its turn. */
static inline cb_status bench_receive_any(bench_rank *me, bench_peer **from)
{
    return me->traffic->receive_any(me, from);
}

/* A packet that goes to and fro: sent, and awaited again; or received, and sent back. It is the
 * same buffer all the time, but where buffers rotate. */
static inline cb_status bench_serve(bench_rank *me, size_t peer)
{
    return me->traffic->serve(me, &me->peers[peer]);
}

static inline cb_status bench_bounce(bench_rank *me, size_t peer)
{
    return me->traffic->bounce(me, &me->peers[peer]);
}

/* Give the core away after a poll that found nothing, unless the poll has done so. */
void bench_yield(const transport_factory *factory);

/* Run the algorithm on a packet; all of its time is counted. */
cb_status bench_run_algorithm(bench_algorithm *algorithm);

/* One packet from each peer that is heard, with the algorithm run on it; what is early is kept for
 * the rounds to come. */
cb_status bench_assemble(bench_rank *me);

/* Count a packet of bench_receive_any towards the share of its source. */
static inline void bench_count_share(bench_rank *me, bench_peer *from)
{
    if (me->shares.first_complete)
        return;
    from->share++;
    from->block_received++;
    me->shares.first_complete = from->block_received == me->shares.block_steps;
}

/* Empty messages: acknowledgements and the release of a block. */
cb_status bench_signal(bench_rank *me, bench_peer *peer);

static inline cb_status bench_await_signal(bench_rank *me, bench_peer *peer)
{
    return me->traffic->await_signal(me, peer);
}

/* Streams: at most `window` packets to a peer are unacknowledged; there is one acknowledgement for
 * every half window and one for the rest at the end of a block. */
cb_status bench_await_acknowledgement(bench_rank *me, bench_peer *peer);

/* Hot. Room for one more packet. */
static inline cb_status bench_reserve(bench_rank *me, bench_peer *peer)
{
    if (peer->outstanding == me->window)
        CB_TRY(bench_await_acknowledgement(me, peer));
    peer->outstanding++;
    return CB_OK;
}

/* Hot. One packet was received. */
static inline cb_status bench_acknowledge(bench_rank *me, bench_peer *peer)
{
    if (++peer->unacknowledged < me->half_window)
        return CB_OK;
    peer->unacknowledged = 0;
    return bench_signal(me, peer);
}

cb_status bench_drain(bench_rank *me);  /* a sender's finish: await the last acknowledgements */
cb_status bench_settle(bench_rank *me); /* a receiver's finish: acknowledge the rest */
cb_status bench_relay(bench_rank *me);  /* of who does both: settle, then drain */

static inline cb_status bench_stream_send(bench_rank *me, size_t peer)
{
    CB_TRY(bench_reserve(me, &me->peers[peer]));
    return bench_send(me, peer);
}

static inline cb_status bench_stream_receive(bench_rank *me, size_t peer)
{
    CB_TRY(bench_receive(me, peer));
    return bench_acknowledge(me, &me->peers[peer]);
}

#endif
