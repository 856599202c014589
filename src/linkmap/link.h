/* Samples of the links between hosts, each with a timeout, so that a lost peer does not hold the
 * map. */
#ifndef LINKMAP_LINK_H
#define LINKMAP_LINK_H

#include "engine/traffic.h"
#include "engine/session.h"
#include "engine/wait.h"
#include "linkmap/samples.h"

/* Largest control message. */
enum { LINK_CONTROL_BYTES = 64 };

/* This rank's messages. */
typedef struct {
    bench_rank *me;
    wait_terms terms;    /* of a receive; see link_terms */
    size_t packets;      /* of a throughput sample */
    bool reliable;       /* else a receive reports lost messages itself */
    uint64_t timeout_ns; /* of a sample's receive */
} link_end;

/* How a rank waits for messages. `sleeps`: between polls, since ranks share cores. */
wait_terms link_terms(engine_session *session, bool sleeps);

/* Send a message of `bytes` with the content of a packet, or of at most LINK_CONTROL_BYTES with
 * `content`. */
cb_status link_send(link_end *end, size_t peer, size_t bytes, const void *content);

/* Receive a message of a peer before a deadline. CB_LOST: none came, or it was lost. */
cb_status link_receive(link_end *end, size_t peer, uint64_t deadline_ns, transport_buffer **out);

/* Sample a pair: this rank's own values of `times`; the others stay as they are. `leads` in one of
 * the two. CB_LOST: the peer does not answer in time. */
cb_status link_sample(link_end *end, size_t peer, bool leads, float times[MAP_QUANTITIES]);

/* Send packets to a peer and receive its packets, both at once. */
cb_status link_exchange(link_end *end, size_t peer, bool sends, bool receives, float *time_s,
                        float *loss);

/* Send packets to all peers at once, but for those that are `lost`. CB_LOST: one does not answer.
 */
cb_status link_send_all(link_end *end, const bool *lost, float *time_s);

#endif
