/* The trees of multicasts: by the network itself, or the union of its routes. */
#include "model/networks/networks.h"

#include <stdlib.h>

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

/* Sort the numbers, drop repetitions, and return how many are left. */
static size_t without_repetitions(uint32_t *numbers, size_t count)
{
    size_t kept = 0;

    qsort(numbers, count, sizeof(*numbers), by_number);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || numbers[kept - 1] != numbers[i])
            numbers[kept++] = numbers[i];
    }
    return kept;
}

size_t ccmod_network_join(const ccmod_network *network, network_router *route, uint32_t source,
                          const uint32_t *destinations, size_t count, uint32_t *cells, size_t *hops)
{
    size_t total = 0;

    *hops = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = route(network, source, destinations[i], source, cells + total);

        *hops = length > *hops ? length : *hops;
        total += length;
    }
    return without_repetitions(cells, total);
}

/* The one route that there is. */
static size_t route_to(const ccmod_network *network, uint32_t source, uint32_t destination,
                       uint32_t chooser, uint32_t *cells)
{
    (void)chooser;
    return network->operations->route(network, source, destination, cells);
}

size_t ccmod_network_tree(const ccmod_network *network, uint32_t source,
                          const uint32_t *destinations, size_t count, uint32_t *cells, size_t *hops)
{
    if (network->operations->tree != NULL)
        return network->operations->tree(network, source, destinations, count, cells, hops);
    return ccmod_network_join(network, route_to, source, destinations, count, cells, hops);
}
