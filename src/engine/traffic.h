/* The ways in which a timed pass sends and receives: with the data referred to, and without; and
 * the rounds, signals and streams that benchmarks make of sends and receives. */
#ifndef ENGINE_TRAFFIC_H
#define ENGINE_TRAFFIC_H

#include "engine/benchmark.h"

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
