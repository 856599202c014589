/* What a map is: samples of pairs, figures of pairs, faults of hosts and pairs. */
#ifndef LINKMAP_SAMPLES_H
#define LINKMAP_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>

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

enum { MAP_NOWHERE = -1, MAP_HOSTS_LEAST = 4 /* that are tested */ };

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

typedef struct {
    map_kind kind;
    map_direction direction; /* of the host; of a pair: out is from host to peer */
    int host, peer;          /* peer MAP_NOWHERE: all links of the host */
    map_quantity quantity;   /* of a slow one */
    double factor;           /* of a slow one: time / that expected */
    size_t stalls, samples;  /* of an unsteady one */
} map_fault;

/* Figures of a map, by hosts * from + to. NaN: not measured. Free with map_figures_free
 * (figures.h). */
typedef struct {
    double *median[MAP_QUANTITIES];
    double *longest_s; /* of MAP_ONE_WAY */
    double *spread;    /* of MAP_ONE_WAY: median absolute deviation of its logarithm */
    double *stalls;    /* number of stalled samples of the pair */
    double *samples;   /* number of cycles in which the pair was measured */
} map_figures;

enum { MAP_FAULTS_MOST = 64 };

#endif
