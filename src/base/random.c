/* xoshiro256** 1.0 and splitmix64 by Blackman and Vigna, from their published description
 * (prng.di.unimi.it). The unit test pins their published sequences. */
#include "base/random.h"

#include <math.h>

static const uint64_t golden_ratio =
    0x9e3779b97f4a7c15u; /* 2^64 / phi, the increment of splitmix64 */

static uint64_t rotate_left(uint64_t value, int bits)
{
    return (value << bits) | (value >> (64 - bits));
}

uint64_t cb_mix64(uint64_t value)
{
    value += golden_ratio;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

cb_random cb_random_seed(uint64_t seed)
{
    cb_random random;

    for (uint64_t i = 0; i < 4; i++)
        random.state[i] = cb_mix64(seed + i * golden_ratio);
    return random;
}

uint64_t cb_random_next(cb_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t cb_random_below(cb_random *random, uint64_t bound)
{
    /* 2^64 mod bound: reject that many of the lowest values, so that bound divides the rest */
    uint64_t surplus = (0 - bound) % bound;
    uint64_t value;

    do
        value = cb_random_next(random);
    while (value < surplus);
    return value % bound;
}

double cb_random_unit(cb_random *random)
{
    /* the upper 53 bits, the size of a double's mantissa */
    return (double)(cb_random_next(random) >> 11) * 0x1.0p-53;
}

/* Box and Muller; the second value of the pair is not kept, so that a state is four words. */
double cb_random_normal(cb_random *random)
{
    const double circle = 6.283185307179586;
    const double radius = sqrt(-2 * log1p(-cb_random_unit(random)));

    return radius * cos(circle * cb_random_unit(random));
}

/* Marsaglia and Tsang, "A simple method for generating gamma variables" (2000), for shapes of at
 * least 1. A smaller shape is the next larger one times a power of a uniform draw. */
double cb_random_gamma(cb_random *random, double shape)
{
    const double above = shape < 1 ? shape + 1 : shape;
    const double factor = shape < 1 ? pow(1 - cb_random_unit(random), 1 / shape) : 1;
    const double d = above - 1.0 / 3, c = 1 / sqrt(9 * d);

    for (;;) {
        double normal = cb_random_normal(random);
        double root = 1 + c * normal, cube = root * root * root;

        if (root > 0 &&
            log1p(-cb_random_unit(random)) < normal * normal / 2 + d - d * cube + d * log(cube))
            return factor * d * cube;
    }
}
