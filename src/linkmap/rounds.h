/* Rounds of disjoint pairs of hosts. Pure functions.
 *
 * The rounds of a tournament (1-factorisation of the complete graph, by the circle method) have
 * each pair exactly once, and each host at most once in a round: hosts - 1 rounds for an even
 * number of hosts; as many as hosts for an odd one, in each of which one host is idle. */
#ifndef LINKMAP_ROUNDS_H
#define LINKMAP_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

size_t rounds_count(size_t hosts);

/* The partner of a host in a round; the host itself if it is idle. */
size_t rounds_partner(size_t hosts, size_t round, size_t self);

/* Draw a random bisection: a permutation of 0 to hosts - 1. Its first half sends to the second: the
 * host at place k to the one at place k + hosts / 2. Of an odd number, the last place is idle. The
 * same seed and number give the same bisection everywhere. */
void rounds_bisect(size_t hosts, uint64_t seed, uint64_t number, size_t *order);

/* The partner of a host in a bisection, or the host itself; *sends: it is in the first half. */
size_t rounds_opposite(const size_t *order, size_t hosts, size_t self, bool *sends);

#endif
