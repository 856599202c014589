/* What can be done with any network: by its own operation, or by the default where it has none. */
#include "model/networks/networks.h"

#include <stdio.h>
#include <stdlib.h>

void ccmod_network_free(ccmod_network *network)
{
    if (network != NULL && network->operations->release != NULL)
        network->operations->release(network);
}

void ccmod_link_name(const ccmod_network *network, uint32_t link, char *text, size_t bytes)
{
    if (network->operations->name_link != NULL)
        network->operations->name_link(network, link, text, bytes);
    else
        snprintf(text, bytes, "link %u", link);
}

/* The quiet network */

ccmod_delay ccmod_quiet_delay(const ccmod_network *network, const ccmod_calibration *calibration,
                              size_t hops, uint64_t bytes)
{
    if (network->operations->quiet_delay != NULL)
        return network->operations->quiet_delay(network, calibration, hops, bytes);
    return ccmod_default_quiet_delay(calibration, hops, bytes);
}

uint64_t ccmod_packets(const ccmod_network *network, uint64_t bytes)
{
    if (bytes <= network->payload_bytes)
        return 1;
    return bytes / network->payload_bytes + (bytes % network->payload_bytes > 0);
}

double ccmod_quiet_packets(const ccmod_network *network, const ccmod_calibration *calibration,
                           size_t hops, uint64_t bytes, double work_us)
{
    ccmod_delay quiet;
    double transferred_us;

    if (network->operations->quiet_packets != NULL)
        return network->operations->quiet_packets(network, calibration, hops, bytes, work_us);
    quiet = ccmod_quiet_delay(network, calibration, hops, bytes);
    transferred_us = work_us - quiet.overhead_us - quiet.latency_us;
    if (transferred_us < 0)
        return 0;
    if (transferred_us >= quiet.transfer_us)
        return (double)ccmod_packets(network, bytes);
    return (double)ccmod_packets(network, bytes) * transferred_us / quiet.transfer_us;
}

/* Trees of multicasts */

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

size_t ccmod_network_join(const ccmod_network *network, network_router *route, uint32_t source,
                          const uint32_t *destinations, size_t count, uint32_t *cells, size_t *hops)
{
    size_t total = 0, kept = 0;

    *hops = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = route(network, source, destinations[i], source, cells + total);

        *hops = length > *hops ? length : *hops;
        total += length;
    }
    qsort(cells, total, sizeof(*cells), by_number);
    for (size_t i = 0; i < total; i++) {
        if (kept == 0 || cells[kept - 1] != cells[i])
            cells[kept++] = cells[i];
    }
    return kept;
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
