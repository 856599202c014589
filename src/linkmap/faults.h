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

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* What is sampled of a pair in a cycle, in each direction: times in seconds, of which the first two
 * are halves of round trips (of one, and of the mean of MAP_ROUND_TRIPS); and the share of packets
 * that did not arrive. */
enum { MAP_ROUND_TRIPS = 4 };

typedef enum {
    MAP_WAKE,
    MAP_LATENCY,
    MAP_ONE_WAY,
    MAP_BOTH_WAYS,
    MAP_LOSS,
    MAP_QUANTITIES
} map_quantity;

enum { MAP_NOWHERE = -1 };

/* Samples of all cycles: map_sample(samples, cycle, from, to)[quantity]. NaN: not measured. */
typedef struct {
    size_t hosts, cycles;
    const float *values;
    const int *distances; /* by hosts * from + to: pairs are compared with those of equal distance,
                           * such as hosts of one switch; NULL: with all */
    double factor;        /* smallest that is reported, above 1 */
    double stall_s;       /* smallest delay that is a stall */
} map_samples;

static inline const float *map_sample(const map_samples *samples, size_t cycle, size_t from,
                                      size_t to)
{
    return samples->values +
           ((cycle * samples->hosts + from) * samples->hosts + to) * MAP_QUANTITIES;
}

typedef enum { MAP_SLOW, MAP_LOSSY, MAP_FLAPPING, MAP_LOST } map_kind;
typedef enum { MAP_OUT, MAP_IN, MAP_BOTH_DIRECTIONS } map_direction;

/* "slow", "lossy", "flapping", "lost"; "out", "in", "both". */
const char *map_kind_name(map_kind kind);
const char *map_direction_name(map_direction direction);

typedef struct {
    map_kind kind;
    map_direction direction; /* of the host; of a pair: out is from host to peer */
    int host, peer;          /* peer MAP_NOWHERE: all links of the host */
    map_quantity quantity;   /* of a slow one */
    double factor;           /* of a slow one: time / that expected */
    size_t stalls, samples;  /* of an unsteady one */
} map_fault;

/* Figures of a map, by hosts * from + to. NaN: not measured. Free with map_figures_free. */
typedef struct {
    double *median[MAP_QUANTITIES];
    double *longest_s; /* of MAP_ONE_WAY */
    double *spread;    /* of MAP_ONE_WAY: median absolute deviation of its logarithm */
    double *stalls;    /* number of stalled samples of the pair */
    double *samples;   /* number of cycles in which the pair was measured */
} map_figures;

enum { MAP_FAULTS_MOST = 64 };

/* Compute the figures and find faults, the gravest first, at most MAP_FAULTS_MOST. CB_ERROR_MEMORY,
 * logged. */
cb_status map_analyse(const map_samples *samples, map_figures *figures, map_fault *faults,
                      size_t *count);
void map_figures_free(map_figures *figures);

/* Decompose the logarithms of `values` (hosts * hosts, NaN: none) by a median polish: values[i, k]
 * = exp(overall + out[i] + in[k] + residual[i, k]). CB_ERROR_MEMORY, logged. */
typedef struct {
    double overall;
    double *out, *in, *residuals;
} map_polish;

cb_status map_decompose(const double *values, size_t hosts, map_polish *polish);
void map_polish_free(map_polish *polish);

#endif
