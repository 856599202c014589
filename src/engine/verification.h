/* The verifying pass (--verify): how it sends and receives, and what becomes of its findings.
 *
 * Every byte of its packets follows from source and number. Packets of 16 bytes and more tell lost,
 * duplicate, reordered and corrupted ones apart, where a late one comes before 64 others have
 * passed it; a corrupted one stands for the one that was expected. Shorter packets only tell
 * whether the stream is as it was sent: whatever is not shows as corrupted; empty ones are counted.
 * What stamps and checks them are pure functions over bytes. */
#ifndef ENGINE_VERIFICATION_H
#define ENGINE_VERIFICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/benchmark.h"
#include "engine/outcome.h"

/* Fill a packet of `source` with the content of packet `number`. Packets of 16 bytes and more carry
 * source and number in clear, and a check of both; shorter ones only in what their bytes are. */
void checker_stamp(void *data, size_t size_bytes, uint64_t source, uint64_t number);

/* Check an arrived packet and count what was found. */
void checker_check(checker_stream *checker, const void *data, size_t size_bytes,
                   size_t expected_bytes, checker_findings *findings);

/* Whether a packet of `source` has just the content of packet `number`. */
bool checker_stamp_matches(const void *data, size_t size_bytes, uint64_t source, uint64_t number);

/* The packets before `number` are for others: none of them is missed. */
void checker_skip(checker_stream *checker, uint64_t number);

/* After how long a message that does not come is lost: `silence_ns`, and the time in which
 * `messages` of them, which may all have to be made, sent and checked first, go at 50 MB/s. */
uint64_t verification_timeout_ns(uint64_t silence_ns, size_t size_bytes, uint64_t messages);

extern const bench_traffic verification_traffic;

/* The findings of all ranks, at index 0 of the team. Together. */
cb_status verification_sum(control_team *team, const checker_findings *found,
                           verification_result *out);

/* At rank 0: findings that are errors are logged, and fail the run when all is measured. */
void verification_note(engine_session *session, const verification_result *found);

#endif
