/* Find hosts and single links that differ from the rest of a map, by robust tests. Pure functions
 * over samples: no clock, no output.
 *
 * A median over the samples of a pair is the figure of the pair. The logarithms of these figures
 * are decomposed by a median polish into an overall value, an effect of each host as source, one
 * as destination, and a residual of each pair. A large effect is a slow host in one direction, a
 * large residual a slow pair. It has to exceed the factor asked for and several times the spread of
 * the others. A host has to show it in the even and in the odd cycles alone, a pair in more samples
 * than chance explains.
 *
 * A sample that takes longer than its pair usually does, by at least the time of a stall, is a
 * stall. Hosts whose samples stall much more often than those of the others are unsteady: flapping
 * if most stalls are long (several retransmission timeouts, or most packets lost), else lossy. */
#ifndef LINKMAP_FAULTS_H
#define LINKMAP_FAULTS_H

#include "base/status.h"
#include "linkmap/samples.h"

/* "slow", "lossy", "flapping", "lost"; "out", "in", "both". */
const char *map_kind_name(map_kind kind);
const char *map_direction_name(map_direction direction);

/* Compute the figures and find faults, at most MAP_FAULTS_MOST: unsteady hosts, unsteady pairs,
 * slow hosts and pairs, in this order. CB_ERROR_MEMORY, logged. */
cb_status map_analyse(const map_samples *samples, map_figures *figures, map_fault *faults,
                      size_t *count);

/* Put lost hosts (`lost`, by host), then lost pairs of the others (`lost_pairs`, by hosts * one +
 * other), before the faults that were found. Of more than MAP_FAULTS_MOST the last are dropped. */
void map_put_lost_first(size_t hosts, const bool *lost, const bool *lost_pairs, map_fault *faults,
                        size_t *count);

#endif
