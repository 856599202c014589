/* The ways in which a pass sends and receives: with the data referred to, without, and verifying.
 */
#ifndef BENCH_TRAFFIC_H
#define BENCH_TRAFFIC_H

#include "engine/benchmark.h"

extern const bench_traffic bench_touching;  /* --touch all */
extern const bench_traffic bench_bare;      /* --touch none */
extern const bench_traffic bench_verifying; /* --verify */

/* The 'zero' algorithm: refer to all bytes. The sum of the words of the data, the last one filled
 * up with zeros. */
uint64_t bench_touch(const void *data, size_t size_bytes);

/* The content of every buffer in timed passes, so that the sum of what was touched is known. */
void bench_fill(void *data, size_t size_bytes);

/* The sum that bench_touch gives for a packet with that content. */
uint64_t bench_expected_sum(size_t size_bytes);

#endif
