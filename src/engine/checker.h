/* What the verifying pass sends and expects: every byte of a packet follows from its source and its
 * number. Packets of 16 bytes and more tell lost, duplicate, reordered and corrupted ones apart,
 * where a late one comes before 64 others have passed it; a corrupted one stands for the one that
 * was expected. Shorter packets only tell whether the stream is as it was sent: whatever is not
 * shows as corrupted; empty ones are counted. Pure functions over bytes. */
#ifndef ENGINE_CHECKER_H
#define ENGINE_CHECKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
