/* The traffic of timed passes: tables of send and receive functions, and the content of packets. */
#ifndef ENGINE_TRAFFIC_H
#define ENGINE_TRAFFIC_H

#include "engine/benchmark.h"

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
