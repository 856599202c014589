/* The circle method: hosts i and k meet in round (i + k) mod m, m being the odd number of hosts or
 * one less than the even one. In that case the last host meets the one that would meet itself. */
#include "linkmap/rounds.h"

#include "base/random.h"

static size_t circle(size_t hosts)
{
    return hosts % 2 == 0 ? hosts - 1 : hosts;
}

size_t rounds_count(size_t hosts)
{
    return hosts < 2 ? 0 : circle(hosts);
}

size_t rounds_partner(size_t hosts, size_t round, size_t self)
{
    const size_t m = circle(hosts);
    size_t partner;

    if (self == m) /* the host outside the circle: 2 x = round (mod m) */
        return round % 2 == 0 ? round / 2 : (round + m) / 2;
    partner = (round + m - self) % m;
    return partner == self && hosts % 2 == 0 ? m : partner;
}

void rounds_bisect(size_t hosts, uint64_t seed, uint64_t number, size_t *order)
{
    cb_random random = cb_random_seed(cb_mix64(seed) ^ number);

    for (size_t i = 0; i < hosts; i++)
        order[i] = i;
    for (size_t i = hosts; i > 1; i--) {
        const size_t k = (size_t)cb_random_below(&random, i), moved = order[i - 1];

        order[i - 1] = order[k];
        order[k] = moved;
    }
}

size_t rounds_opposite(const size_t *order, size_t hosts, size_t self, bool *sends)
{
    const size_t half = hosts / 2;

    *sends = false;
    for (size_t k = 0; k < half; k++) {
        *sends = order[k] == self;
        if (*sends)
            return order[k + half];
        if (order[k + half] == self)
            return order[k];
    }
    return self;
}
