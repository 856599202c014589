/* What the step functions of a benchmark call. A benchmark is a definition (definition.h) and one
 * step function for each role; it reads no clock, computes no statistics and prints nothing: the
 * engine does.
 *
 * A mode's step is repeated; a block is `begin`, an agreed number of steps, `finish`. All three are
 * hot. Ranks find their peers in me->peers, in the order that the role's row says. */
#ifndef ENGINE_BENCHMARK_H
#define ENGINE_BENCHMARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/definition.h"
#include "transport/transport.h"

typedef struct bench_traffic bench_traffic;

/* What the verifying pass has found: see verification.h. */
typedef struct {
    uint64_t messages, lost, duplicate, reordered, corrupted;
} checker_findings;

/* One direction of a stream between two ranks. Zero-initialise and set `source`. */
typedef struct checker_stream {
    uint64_t source;   /* a rank: 32 bits */
    uint64_t expected; /* number of the next packet to arrive */
    uint64_t missing;  /* bit k: packet expected - 1 - k has not arrived */
    uint64_t lost;     /* counted as lost, and not come since */
} checker_stream;

typedef struct {
    transport_node *node;
    unsigned outstanding;    /* packets sent and not yet acknowledged */
    unsigned unacknowledged; /* packets received and not yet acknowledged */
    uint64_t ahead;          /* packets received for rounds that are not complete */
    uint64_t block_received; /* in this block, where shares are counted */
    uint64_t taken;          /* packets received from any, or given up, in this pass */
    uint64_t share;          /* of this pass, each block until its first peer had delivered all */
    uint64_t sent;           /* stamped packets of the verifying pass */
    checker_stream incoming;
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
    checker_findings findings;
    uint64_t timeout_ns;
} bench_checks;

struct bench_rank {
    const bench_traffic *traffic; /* how this pass sends and receives */
    transport_factory *factory;
    transport_preparation preparation; /* what was announced to the factory */
    bench_peer *peers;
    size_t peer_count;
    transport_group *group; /* of all peers that it hears, for fair receives */
    size_t heard;           /* how many these are: the first of `peers` unless roles are left out */
    size_t size_bytes;
    transport_buffer *in_hand; /* of bench_serve, or NULL */
    bool rotate;               /* buffers: a received one is not sent on */
    size_t shifts;             /* of a round, in a trace that has a part of it; 0: all */
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
    size_t groups_made;      /* by set_up */
    const void *own_options; /* those that the benchmark has rows for */
    void *part;              /* what set_up has made, or who measures: lists, a farm's accounts */
};

/* The node of a participant. */
cb_status bench_node(bench_rank *me, size_t participant, transport_node **out);

/* What only calls a slot of the traffic is no function of its own: a step is one indirect call away
 * from what sends. */
#define BENCH_DISPATCH static inline __attribute__((always_inline))

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

BENCH_DISPATCH cb_status bench_send(bench_rank *me, size_t peer)
{
    return me->traffic->send(me, &me->peers[peer]);
}

BENCH_DISPATCH cb_status bench_receive(bench_rank *me, size_t peer)
{
    return me->traffic->receive(me, &me->peers[peer]);
}

/* From any peer, each in its turn. */
BENCH_DISPATCH cb_status bench_receive_any(bench_rank *me, bench_peer **from)
{
    return me->traffic->receive_any(me, from);
}

/* A packet that goes to and fro: sent, and awaited again; or received, and sent back. It is the
 * same buffer all the time, but where buffers rotate. */
BENCH_DISPATCH cb_status bench_serve(bench_rank *me, size_t peer)
{
    return me->traffic->serve(me, &me->peers[peer]);
}

BENCH_DISPATCH cb_status bench_bounce(bench_rank *me, size_t peer)
{
    return me->traffic->bounce(me, &me->peers[peer]);
}

/* Give the core away after a poll that found nothing, unless the poll has done so. */
void bench_yield(const transport_factory *factory);

/* For how long something was waited for that may never come. A pause between two polls counts up to
 * a limit: this process had no core meanwhile, or the machine stood still, and the same may be true
 * of the process that sends. */
typedef struct {
    uint64_t polled_ns, waited_ns;
} timeout_clock;

static inline timeout_clock timeout_begin(uint64_t now_ns)
{
    return (timeout_clock){.polled_ns = now_ns};
}

/* At each poll that found nothing: whether more than `limit_ns` have counted by now. */
static inline bool timeout_is_over(timeout_clock *waiting, uint64_t now_ns, uint64_t limit_ns)
{
    const uint64_t longest_pause_ns = 20000000;
    uint64_t pause_ns = now_ns - waiting->polled_ns;

    waiting->polled_ns = now_ns;
    waiting->waited_ns += pause_ns < longest_pause_ns ? pause_ns : longest_pause_ns;
    return waiting->waited_ns > limit_ns;
}

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

BENCH_DISPATCH cb_status bench_await_signal(bench_rank *me, bench_peer *peer)
{
    return me->traffic->await_signal(me, peer);
}

/* Streams: at most `window` packets to a peer are unacknowledged; there is one acknowledgement for
 * every half window and one for the rest at the end of a block. */
cb_status bench_await_acknowledgement(bench_rank *me, bench_peer *peer);

/* Hot. Room for one more packet. */
BENCH_DISPATCH cb_status bench_reserve(bench_rank *me, bench_peer *peer)
{
    if (peer->outstanding == me->window)
        CB_TRY(bench_await_acknowledgement(me, peer));
    peer->outstanding++;
    return CB_OK;
}

/* Hot. One packet was received. */
BENCH_DISPATCH cb_status bench_acknowledge(bench_rank *me, bench_peer *peer)
{
    if (++peer->unacknowledged < me->half_window)
        return CB_OK;
    peer->unacknowledged = 0;
    return bench_signal(me, peer);
}

cb_status bench_drain(bench_rank *me);  /* a sender's finish: await the last acknowledgements */
cb_status bench_settle(bench_rank *me); /* a receiver's finish: acknowledge the rest */
cb_status bench_relay(bench_rank *me);  /* of who does both: settle, then drain */

BENCH_DISPATCH cb_status bench_stream_send(bench_rank *me, size_t peer)
{
    CB_TRY(bench_reserve(me, &me->peers[peer]));
    return bench_send(me, peer);
}

BENCH_DISPATCH cb_status bench_stream_receive(bench_rank *me, size_t peer)
{
    CB_TRY(bench_receive(me, peer));
    return bench_acknowledge(me, &me->peers[peer]);
}

/* The ways in which a timed pass sends and receives: with the data referred to, and without. */
extern const bench_traffic traffic_touching; /* --touch all */
extern const bench_traffic traffic_bare;     /* --touch none */

/* The traffic for a value of --touch. */
const bench_traffic *traffic_named(const char *touch);

/* The 'zero' algorithm: refer to all bytes. The sum of the words of the data, the last one filled
 * up with zeros. */
uint64_t traffic_touch(const void *data, size_t size_bytes);

/* The content of every buffer in timed passes, so that the sum of what was touched is known. */
void traffic_fill(void *data, size_t size_bytes);

/* The sum that traffic_touch gives for a packet with that content. */
uint64_t traffic_expected_sum(size_t size_bytes);

/* Whether a window bounds what is sent in a mode: its sender drains it. */
bool traffic_is_stream(const bench_mode *mode);

#endif
