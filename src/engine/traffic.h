/* Functions for the step functions of a benchmark.
 *
 * A benchmark is a definition (definition.h) and a step function for each role. Step functions only
 * send and receive: the engine reads the clock, computes statistics and writes results.
 *
 * A block is `begin`, a number of steps that all ranks have agreed on, and `finish`. All three are
 * hot. me->peers has the peers in the order given by the role's row of the definition.
 *
 * Functions return the status of the technology (transport.h), CB_ERROR_MEMORY if no buffer can be
 * allocated, or CB_OK. A packet lost by an unreliable technology is counted and is not an error. */
#ifndef ENGINE_TRAFFIC_H
#define ENGINE_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/definition.h"
#include "transport/transport.h"

typedef struct bench_traffic bench_traffic;
typedef struct bench_fragments bench_fragments; /* fragments.h */
typedef struct bench_senders bench_senders;     /* senders.h */

/* Counts of the verification pass; see verification.h. */
typedef struct {
    uint64_t messages, lost, duplicate, reordered, corrupted;
} checker_findings;

/* Verification of the stream from one rank to another. Zero-initialise and set both. */
typedef struct checker_stream {
    uint64_t source, destination; /* ranks; 32 bits each */
    uint64_t expected;            /* number of the next packet */
    uint64_t missing;             /* bit k: packet expected - 1 - k has not arrived */
    uint64_t lost;                /* counted as lost and not arrived since */
} checker_stream;

typedef struct {
    transport_node *node;
    unsigned outstanding;     /* packets sent and not yet acknowledged */
    unsigned unacknowledged;  /* packets received and not yet acknowledged */
    uint64_t ahead;           /* packets received for later rounds */
    uint64_t block_received;  /* packets in this block, while shares are counted */
    uint64_t taken;           /* packets of this pass that bench_receive_any received or gave up */
    uint64_t share;           /* packets counted in this pass, in each block until one peer has sent
                               * all of its packets */
    uint64_t sent;            /* packets of this pass, where verification or a ring counts them */
    uint64_t lane;            /* of the ring: see bench_ring */
    size_t thread;            /* number of the sending thread that this is the peer of */
    transport_buffer *packet; /* from bench_take_packets, not yet sent; or NULL */
    checker_stream incoming;
    checker_stream *of_threads; /* in place of incoming if the peer sends with several threads: one
                                 * each */
} bench_peer;

/* The algorithm that a receiving rank runs on each packet: calibrated work. A trace that is emitted
 * without a measurement has a function in its place. */
typedef struct {
    cb_status (*instead)(void *context); /* called in place of the work, or NULL */
    void *context;
    uint64_t units; /* of host_work; 0: none */
    uint64_t state; /* result so far; keeps the compiler from removing the work */
    uint64_t runs, elapsed_ns;
} bench_algorithm;

/* How the destination lists of a multicast are made. */
typedef struct {
    bench_list kind;
    bool own_multicast; /* true: by the technology's multicast; false: by a loop of sends */
    size_t length;
    const char *group_name; /* group of the configuration that is the list, or NULL */
    uint64_t seed;
} bench_lists;

typedef struct {
    size_t participant;
    transport_node *node;
} bench_known;

/* Position of a rank. Participants are ordered by role. */
typedef struct {
    const int *ranks;
    size_t participants;
    size_t self;                    /* index of this rank in `ranks` */
    size_t index;                   /* index among the ranks of the same stage */
    size_t first_peer[BENCH_ROLES]; /* by role: index of its first rank in peers, if the role's
                                     * ranks are peers */
    bench_known *known;             /* created by bench_node on demand, in order of participants */
    size_t known_count, known_room;
} bench_position;

/* Packets received in this pass. */
typedef struct {
    uint64_t sum; /* of all words that were read */
    uint64_t packets;
    uint64_t own;            /* of these, from this rank to itself */
    uint64_t lost;           /* packets that an unreliable technology gave up */
    uint64_t unacknowledged; /* acknowledgements and signals that it gave up */
    uint64_t bytes, largest; /* if sizes vary: in all, and of the largest packet */
} bench_received;

/* Sizes of the packets that this rank sends one after another, if they vary. Where a sender's
 * packets to one peer are not all of its packets, packet k to a peer has the size number k * stride
 * + lane: the peer's lane for what is sent to it, `lane` for what comes to this rank. */
typedef struct {
    const uint32_t *sizes;
    uint64_t period, at;
    uint64_t stride, lane;
    uint64_t own; /* packets of this pass from this rank to itself */
} bench_ring;

/* Which peers' packets arrive first: counted in each block until one peer has sent all of its
 * packets. */
typedef struct {
    uint64_t block_steps;
    bool first_complete;
} bench_shares;

/* State of the verification pass, and the time after which a missing packet counts as lost. */
typedef struct {
    checker_findings findings;
    uint64_t timeout_ns;
} bench_checks;

struct bench_rank {
    const bench_traffic *traffic; /* send and receive functions of this pass */
    transport_factory *factory;
    transport_preparation preparation; /* passed to transport_prepare */
    bench_peer *peers;
    size_t peer_count;
    transport_group *group; /* all peers that this rank receives from */
    size_t heard;           /* number of peers in `group`; they are first in `peers` unless the
                             * definition excludes roles */
    size_t size_bytes;      /* if sizes vary, the largest */
    bench_ring ring;
    bench_fragments *fragments; /* NULL: sizes do not vary */
    transport_buffer *in_hand;  /* kept by bench_serve, or to be sent next; or NULL */
    bool rotate;                /* --buffers rotate: a received buffer is not sent on */
    size_t threads;             /* that send in each source; at least 1 */
    bench_senders *senders;     /* this rank's sending threads; NULL: it has one thread */
    unsigned window, half_window;
    size_t missing;  /* peers that have sent nothing yet for the current round */
    uint64_t blocks; /* completed so far */
    bench_position place;
    bench_received received;
    bench_shares shares;
    bench_algorithm algorithm;
    bench_checks verification;
    bench_lists lists;
    uint64_t broadcasts; /* sent so far */
    /* Whether broadcast n has this rank in its list; NULL: always. */
    bool (*is_addressed)(const bench_rank *me, uint64_t broadcast);
    size_t groups_made;      /* by set_up; divides its time; 0: none */
    const void *own_options; /* of the benchmark's own option rows */
    void *part;              /* owned by set_up or by the method: destination lists, state of a farm
                              */
};

/* The node of a participant, created on first use and owned by `me`. */
cb_status bench_node(bench_rank *me, size_t participant, transport_node **out);

/* Functions that only call a slot of the traffic are inlined, so that a step is one indirect call
 * away from the technology. */
#define BENCH_DISPATCH static inline __attribute__((always_inline))

/* Send and receive functions of a pass. Hot. */
struct bench_traffic {
    cb_status (*send)(bench_rank *me, bench_peer *peer);
    cb_status (*send_taken)(bench_rank *me, bench_peer *peer);
    cb_status (*receive)(bench_rank *me, bench_peer *peer);
    cb_status (*receive_any)(bench_rank *me, bench_peer **from);
    cb_status (*multicast)(bench_rank *me, transport_group *group);
    cb_status (*receive_multicast)(bench_rank *me, transport_group *group);
    cb_status (*serve)(bench_rank *me, bench_peer *peer);
    cb_status (*bounce)(bench_rank *me, bench_peer *peer);
    cb_status (*await_signal)(bench_rank *me, bench_peer *peer);
    cb_status (*accept)(bench_rank *me, bench_peer *from, transport_buffer *buffer);
};

BENCH_DISPATCH cb_status bench_send(bench_rank *me, size_t peer)
{
    return me->traffic->send(me, &me->peers[peer]);
}

/* Different data for each peer: take a packet for each, then send them, all in one step. All are
 * taken at a time, so each has its own memory. rank_destroy releases what was not sent. */
cb_status bench_take_packets(bench_rank *me);

BENCH_DISPATCH cb_status bench_send_taken(bench_rank *me, size_t peer)
{
    return me->traffic->send_taken(me, &me->peers[peer]);
}

BENCH_DISPATCH cb_status bench_receive(bench_rank *me, size_t peer)
{
    return me->traffic->receive(me, &me->peers[peer]);
}

/* Receive from any peer, fairly. */
BENCH_DISPATCH cb_status bench_receive_any(bench_rank *me, bench_peer **from)
{
    return me->traffic->receive_any(me, from);
}

/* A packet that the benchmark has received itself: read, check and count it as the pass asks, and
 * release it. */
BENCH_DISPATCH cb_status bench_accept(bench_rank *me, size_t peer, transport_buffer *buffer)
{
    return me->traffic->accept(me, &me->peers[peer], buffer);
}

/* A packet that goes back and forth: bench_serve sends it and waits for its return, bench_bounce
 * receives it and sends it back. Both reuse the same buffer unless buffers rotate or are separate.
 */
BENCH_DISPATCH cb_status bench_serve(bench_rank *me, size_t peer)
{
    return me->traffic->serve(me, &me->peers[peer]);
}

BENCH_DISPATCH cb_status bench_bounce(bench_rank *me, size_t peer)
{
    return me->traffic->bounce(me, &me->peers[peer]);
}

/* Run the algorithm on one packet and count its time. */
cb_status bench_run_algorithm(bench_algorithm *algorithm);

/* Receive one packet from each peer that this rank receives from, and run the algorithm on each.
 * Packets that arrive early count for later rounds. */
cb_status bench_assemble(bench_rank *me);

/* Count a packet from bench_receive_any for the share of its source, if it has arrived. */
static inline void bench_count_share(bench_rank *me, bench_peer *from, bool arrived)
{
    if (me->shares.first_complete)
        return;
    from->share += arrived;
    from->block_received++;
    me->shares.first_complete = from->block_received == me->shares.block_steps;
}

/* Send an empty message: an acknowledgement, or the start signal of a block. */
cb_status bench_signal(bench_rank *me, bench_peer *peer);

BENCH_DISPATCH cb_status bench_await_signal(bench_rank *me, bench_peer *peer)
{
    return me->traffic->await_signal(me, peer);
}

/* Streams. At most `window` packets per peer are unacknowledged. The receiver acknowledges each
 * half window, and the rest at the end of a block. */
cb_status bench_await_acknowledgement(bench_rank *me, bench_peer *peer);

/* Count the next acknowledgement of a peer if it has arrived; else CB_EMPTY. */
cb_status bench_try_acknowledgement(bench_rank *me, bench_peer *peer);

/* Hot. Wait until the window has room for one more packet. */
BENCH_DISPATCH cb_status bench_reserve(bench_rank *me, bench_peer *peer)
{
    if (peer->outstanding == me->window)
        CB_TRY(bench_await_acknowledgement(me, peer));
    peer->outstanding++;
    return CB_OK;
}

/* Hot. Count one received packet; acknowledge each half window. */
BENCH_DISPATCH cb_status bench_acknowledge(bench_rank *me, bench_peer *peer)
{
    if (++peer->unacknowledged < me->half_window)
        return CB_OK;
    peer->unacknowledged = 0;
    return bench_signal(me, peer);
}

cb_status bench_drain(bench_rank *me);  /* `finish` of a sender: wait for the last acknowledgements
                                         */
cb_status bench_settle(bench_rank *me); /* `finish` of a receiver: acknowledge the rest */
cb_status bench_relay(bench_rank *me);  /* `finish` of a rank that does both: settle, then drain */

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

/* Hot. A step of a stream in both directions: send a packet and, half a window ahead of what has
 * arrived, receive one. Each received packet acknowledges one, so no other messages are needed, and
 * at most a window of packets is on its way in each direction. */
BENCH_DISPATCH cb_status bench_stream_both_ways(bench_rank *me, size_t peer)
{
    CB_TRY(bench_send(me, peer));
    if (++me->peers[peer].outstanding < me->half_window)
        return CB_OK;
    me->peers[peer].outstanding--;
    return bench_receive(me, peer);
}

/* `finish` of a stream in both directions: receive what the peers are ahead. */
cb_status bench_receive_rest(bench_rank *me);

/* For the engine and for methods */

/* Traffic of a timed pass: reading all received data, or none. */
extern const bench_traffic traffic_touching; /* --touch all */
extern const bench_traffic traffic_bare;     /* --touch none */

/* The same for packets of the sizes of me->ring; only for streams and receives from any. */
extern const bench_traffic traffic_varied_touching;
extern const bench_traffic traffic_varied_bare;

/* Whether passes with this traffic read all received data. */
bool traffic_touches(const bench_traffic *traffic);

/* The traffic for values of --touch ("all" or "none") and --buffers, which is NULL where it is not
 * taken. */
const bench_traffic *traffic_named(const char *touch, const char *buffers);

/* Read all bytes, as note 48's "zero algorithm" does. Returns the sum of the 64-bit words; the last
 * word is padded with zeros. */
uint64_t traffic_touch(const void *data, size_t size_bytes);

/* Fill a buffer with the content of timed passes, whose sum is known. */
void traffic_fill(void *data, size_t size_bytes);

/* The sum that traffic_touch returns for a packet with this content. */
uint64_t traffic_expected_sum(size_t size_bytes);

/* Word k of that content, of which only the first `bytes` (at most 8) are there. */
uint64_t traffic_content_word(uint64_t k, size_t bytes);

/* Whether the window limits the mode's sender. */
bool traffic_is_stream(const bench_mode *mode);

#endif
