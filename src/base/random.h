/* Seeded random numbers (xoshiro256**, seeded by splitmix64): the same seed gives the same sequence
 * on every machine. Not cryptographic. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

typedef struct {
    uint64_t state[4];
} cb_random;

/* One step of splitmix64, a pure function: mixes the bits of `value`. */
uint64_t cb_mix64(uint64_t value);

cb_random cb_random_seed(uint64_t seed);
uint64_t cb_random_next(cb_random *random);

/* Uniform in [0, bound), without bias; `bound` > 0. */
uint64_t cb_random_below(cb_random *random, uint64_t bound);

/* Uniform in [0, 1). */
double cb_random_unit(cb_random *random);

/* From the standard normal distribution; from the gamma distribution with this shape (above 0) and
 * scale 1, whose mean is the shape. */
double cb_random_normal(cb_random *random);
double cb_random_gamma(cb_random *random, double shape);

#endif
