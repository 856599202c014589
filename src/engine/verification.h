/* The verification pass (--verify): its traffic, and the reporting of its counts.
 *
 * Every byte of a packet follows from its source, its destination and its number, so that a packet
 * that reaches another rank is found. Packets of 16 bytes and more
 * distinguish lost, duplicate, reordered and corrupted ones. A packet counts as reordered if
 * fewer than 64 later ones have arrived before it. A corrupted packet counts in place of the
 * expected one. Shorter packets only show whether the stream is as sent: any difference counts as
 * corrupted. Empty packets are counted. The checker functions are pure.
 *
 * With --threads each thread of a source numbers its packets apart, and the packets of each thread
 * are checked as a stream. Packets below 16 bytes carry no number: they have the same content, and
 * only their number and content are checked. A packet with a corrupted header counts as lost, too.
 */
#ifndef ENGINE_VERIFICATION_H
#define ENGINE_VERIFICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/traffic.h"
#include "engine/outcome.h"

/* A packet between two ranks. */
typedef struct {
    uint64_t source, destination; /* 32 bits each */
    uint64_t number;              /* from 0 */
} packet_identity;

/* The destination in packets that are the same for all who get them. */
enum { CHECKER_ANYBODY = INT32_MAX };

/* Fill a packet with its content. Packets of 16 bytes and more have a header with source, number
 * and a checksum of source, destination and number. */
void checker_stamp(void *data, size_t size_bytes, packet_identity packet);

/* Check a received packet and update the counts. */
void checker_check(checker_stream *checker, const void *data, size_t size_bytes,
                   size_t expected_bytes, checker_findings *findings);

/* Whether the data is exactly the content of the packet. */
bool checker_stamp_matches(const void *data, size_t size_bytes, packet_identity packet);

/* Packets before `number` are for other ranks and do not count as missing. */
void checker_skip(checker_stream *checker, uint64_t number);

/* Time after which a missing message counts as lost: `silence_ns` plus the time for `messages`
 * messages, which may have to be made, sent and checked first. That is at 50 MB/s, or four times
 * `measured_ns`, what these took without being checked, if it is longer. */
uint64_t verification_timeout_ns(uint64_t silence_ns, size_t size_bytes, uint64_t messages,
                                 double measured_ns);

/* Check the packets of a peer as those of several threads. The caller frees peer->of_threads. */
cb_status verification_split(bench_peer *peer, size_t threads);

extern const bench_traffic verification_traffic;

/* For benchmarks whose control messages come between packets: receive a message without looking at
 * it, within the timeout, and check one that is a packet, which is released. CB_ERROR_DATA, logged
 * and counted, if none comes. */
cb_status verification_receive(bench_rank *me, bench_peer *peer, transport_buffer **out);
cb_status verification_receive_any(bench_rank *me, transport_buffer **out, transport_node **from);
cb_status verification_check(bench_rank *me, bench_peer *from, transport_buffer *buffer);

/* The same for a packet from this rank to itself, which is stamped here. */
void verification_check_own(bench_rank *me, transport_buffer *buffer, uint64_t number);

/* Sum the counts over the team. Valid at index 0 of the team. Collective over the team. */
cb_status verification_sum(control_team *team, const checker_findings *found,
                           verification_result *out);

/* At rank 0: log counts that are errors, and mark the run as failed; it still measures the rest. */
void verification_note(engine_session *session, const verification_result *found);

#endif
